import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { useCleanups } from '../support/use-cleanups.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { pathOf } = useCleanups();
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=o', '-c', 'user.email=o@example.com', ...words], { cwd, encoding: 'utf8' });

/** Every committed example, and what an operator calls a copy of it. */
const EXAMPLES = ['config', '.env.example', 'docker-compose.override.yml.example']
  .flatMap((path) => git(root, 'ls-files', '--cached', '--others', '--exclude-standard', path).split('\n'))
  .filter((path) => path.endsWith('.example'));
const ownOf = (example: string): string => example.replace(/\.example$/, '');

/** A repository that others clone, of the files that matter here. */
function makeUpstream(): string {
  const upstream = pathOf('upstream');
  for (const path of [...EXAMPLES, '.gitignore', 'docker-compose.yml']) {
    mkdirSync(dirname(`${upstream}/${path}`), { recursive: true });
    copyFileSync(root + path, `${upstream}/${path}`);
  }
  git(pathOf('.'), 'init', '--quiet', upstream);
  git(upstream, 'add', '--all');
  git(upstream, 'commit', '--quiet', '--message', 'first');
  return upstream;
}

describe('files that an operator writes', () => {
  it('have committed examples', () => {
    expect(EXAMPLES.map(ownOf).toSorted()).toEqual([
      '.env',
      'config/alertmanager/alertmanager.yml',
      'config/subnetd.compose.yaml',
      'config/subnetd.yaml',
      'docker-compose.override.yml',
    ]);
  });

  it('are no change to git, and an update by git pull never meets them', () => {
    const upstream = makeUpstream();
    const clone = pathOf('clone');
    git(pathOf('.'), 'clone', '--quiet', upstream, clone);
    const own = [...EXAMPLES.map(ownOf), 'config/other.yaml', 'config/alertmanager/secrets/smtp-password'];
    for (const path of own) {
      mkdirSync(dirname(`${clone}/${path}`), { recursive: true });
      writeFileSync(`${clone}/${path}`, 'mine\n');
    }
    expect(git(clone, 'status', '--porcelain')).toBe('');
    for (const path of [...EXAMPLES, 'docker-compose.yml']) appendFileSync(`${upstream}/${path}`, '# newer\n');
    git(upstream, 'commit', '--quiet', '--all', '--message', 'second');
    git(clone, 'pull', '--quiet', '--ff-only');
    for (const path of own) expect(readFileSync(`${clone}/${path}`, 'utf8'), path).toBe('mine\n');
    expect(readFileSync(`${clone}/docker-compose.yml`, 'utf8')).toContain('# newer');
  });

  it('are named by .env, whose every variable docker-compose.yml reads', () => {
    const compose = readFileSync(`${root}docker-compose.yml`, 'utf8');
    const settings = [...readFileSync(`${root}.env.example`, 'utf8').matchAll(/^# ([A-Z_]+)=(\S+)$/gm)];
    expect(settings.map(([, name]) => name)).toContain('SUBNETD_INVENTORY');
    for (const [, name] of settings) expect(compose).toContain(`\${${name}:-`);
    // What stands there until somebody says otherwise is committed, and beside it what is named in its place.
    const values = Object.fromEntries(settings.map(([, name, value]) => [name, value]));
    for (const [name, folder] of [
      ['SUBNETD_INVENTORY', 'config'],
      ['ALERTMANAGER_CONFIG', 'config/alertmanager'],
    ] as const) {
      const [, fallback = ''] = new RegExp(`\\$\\{${name}:-([^}]+)\\}`).exec(compose) ?? [];
      expect(EXAMPLES).toContain(`${folder}/${fallback}`);
      expect(`${values[name]}.example`).toBe(fallback);
    }
  });

  it('change only services that docker-compose.yml has', () => {
    const read = (file: string) => parse(readFileSync(root + file, 'utf8'), { merge: true });
    const override = read('docker-compose.override.yml.example');
    const { services } = read('docker-compose.yml');
    for (const name of Object.keys(override.services)) expect(Object.keys(services)).toContain(name);
    expect(override.services.alertmanager.extra_hosts).toEqual(services.subnetd.extra_hosts);
  });

  it('stay out of the image', () => {
    const lines = readFileSync(`${root}.dockerignore`, 'utf8').split('\n');
    expect(lines).toContain('*');
    expect(lines.filter((line) => /^!(?:config|\.env|data)/.test(line))).toEqual([]);
  });
});
