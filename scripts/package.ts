import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isBuiltIn } from './built-in.ts';
import { keepReachable, type LockedPackages } from './keep-reachable.ts';

/**
 * `npm pack` runs this before (`node scripts/package.ts`) and after it packs (`node scripts/package.ts done`). In between, package.json
 * is that of a package: without what only a clone needs and the libraries that are built into the program, and with the tested version of
 * each other library. Beside it lies npm-shrinkwrap.json with their hashes, for `npm ci` in the unpacked package.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const manifest = `${root}package.json`;
const original = `${root}.cache/package.json`;
const shrinkwrap = `${root}npm-shrinkwrap.json`;

const restore = () => {
  if (existsSync(original)) renameSync(original, manifest);
  for (const made of [`${root}COMMIT`, shrinkwrap]) rmSync(made, { force: true });
};

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** The commit that is packed. A build that sees no repository is told by COMMIT. */
const findCommit = (): string =>
  process.env.COMMIT ?? execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();

/** All libraries that are not below another one, as dependencies. npm reads the shrinkwrap of no package that it installs from a file. */
function listVersions(libraries: LockedPackages) {
  const list = (isOptional: boolean) =>
    Object.fromEntries(
      Object.entries(libraries)
        .filter(([, { optional = false }]) => optional === isOptional)
        .map(([folder, { version }]) => [folder.replace('node_modules/', ''), version])
        .filter(([name]) => !name?.includes('node_modules/')),
    );
  return { dependencies: list(false), optionalDependencies: list(true) };
}

// One that was ended while it packed has left the package's own behind.
restore();
if (process.argv[2] !== 'done') {
  const text = readFileSync(manifest, 'utf8');
  const { scripts: _, devDependencies: __, allowScripts: ___, dependencies, ...rest } = JSON.parse(text);
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const needed = Object.keys(dependencies).filter((name) => !isBuiltIn(name));
  const libraries = keepReachable(lock.packages, needed);
  const own = { name: rest.name, version: rest.version, ...listVersions(libraries) };
  mkdirSync(`${root}.cache`, { recursive: true });
  writeFileSync(original, text);
  writeFileSync(manifest, toJson({ ...rest, ...own }));
  writeFileSync(shrinkwrap, toJson({ ...lock, packages: { '': own, ...libraries } }));
  writeFileSync(`${root}COMMIT`, `${findCommit()}\n`);
}
