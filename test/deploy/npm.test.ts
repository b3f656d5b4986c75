import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readJson = (file: string) => JSON.parse(readFileSync(root + file, 'utf8'));

interface Locked {
  readonly integrity?: string;
  readonly gypfile?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  /** A folder of the clone, which is not a package of its own in production. */
  readonly link?: boolean;
}
const packages: Readonly<Record<string, Locked>> = readJson('package-lock.json').packages;
const { scripts, allowScripts, dependencies } = readJson('package.json');
const installed = Object.entries(packages).filter(([path]) => path !== '' && existsSync(`${root}${path}/package.json`));

// The soak test of the same name runs every npm for real.
describe('npm ci', () => {
  it('runs no script of subnetd itself', () => {
    for (const event of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(event);
    expect(packages['']).not.toHaveProperty('hasInstallScript');
  });

  it('compiles nothing that is compiled already, by an older npm too', () => {
    const compiled = installed.filter(
      ([path]) => existsSync(`${root}${path}/binding.gyp`) && readJson(`${path}/package.json`).gypfile === false,
    );
    expect(compiled.map(([path]) => path)).toContain('node_modules/better-sqlite3');
    // npm before 11 knows only what the lockfile says, and `npm install` takes this line out again: put it back.
    for (const [path, { gypfile }] of compiled) expect({ path, gypfile }).toEqual({ path, gypfile: false });
  });

  it('needs the script of no package but the one that brings Node.js, which production does without', () => {
    const allowed = Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed);
    expect(allowed.map(([name]) => name)).toEqual(['node']);
    expect(packages['node_modules/node']).toMatchObject({ dev: true });
    const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    for (const path of withScript) expect(Object.keys(allowScripts)).toContain(path.replace(/^.*node_modules\//, ''));
  });

  it('checks every package of production by the hash in the lockfile', () => {
    const production = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
    expect(production.length).toBeGreaterThan(Object.keys(dependencies).length);
    for (const [path, { integrity }] of production) expect(integrity, path).toMatch(/^sha512-/);
  });
});
