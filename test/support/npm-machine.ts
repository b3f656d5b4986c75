import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long npm may take to install everything. */
export const WITHIN_MS = 300_000;

/** The path of a program of this machine. */
export const findProgram = (program: string) =>
  execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();

/** A machine with these programs and no compiler or Python, as the value of PATH. `folder` is the test's own. */
export function makePath(folder: string, programs: Readonly<Record<string, string>>): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  const usual = ['sh', 'env', 'tar', 'cat', 'ls', 'mkdir', 'rm', 'ln', 'cp', 'mv', 'chmod', 'uname', 'readlink'];
  const all = { ...Object.fromEntries(usual.map((name) => [name, findProgram(name)])), ...programs };
  for (const [name, target] of Object.entries(all)) symlinkSync(target, join(path, name));
  return path;
}

/** Unpacks a package of the registry without its libraries, in a folder of its own below `folder`. Returns its path. */
function unpack(folder: string, name: string, version: string): string {
  const to = join(folder, `${name}-${version}`);
  mkdirSync(to);
  const words = ['pack', `${name}@${version}`, '--silent', '--pack-destination', to];
  const packed = execFileSync('npm', words, { encoding: 'utf8' }).trim();
  execFileSync('tar', ['-xzf', join(to, packed), '-C', to]);
  return join(to, 'package');
}

/** npm and npx of a version as programs. */
export function bringNpm(folder: string, version: string): Readonly<Record<'npm' | 'npx', string>> {
  const home = unpack(folder, 'npm', version);
  const write = (command: string): string => {
    const program = join(folder, command);
    writeFileSync(program, `#!/bin/sh\nexec node ${home}/bin/${command}-cli.js "$@"\n`, { mode: 0o755 });
    return program;
  };
  return { npm: write('npm'), npx: write('npx') };
}

/** The newest Node.js of a major version. */
export function bringNode(folder: string, major: string): string {
  const home = unpack(folder, `node-${process.platform}-${process.arch}`, major);
  // Where an installed one has its global packages; npx of npm 9 fails without it.
  mkdirSync(join(home, 'lib'));
  return join(home, 'bin/node');
}

/** Runs a command on such a machine to its end, as this user or another one. */
export function runWith(
  path: string,
  cwd: string,
  command: string,
  words: readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
) {
  // The certificates of a machine whose registry is a mirror of its own.
  const { HOME, NODE_EXTRA_CA_CERTS } = process.env;
  const env = { HOME, PATH: path, npm_config_prefer_offline: 'true', NODE_EXTRA_CA_CERTS };
  const options = { cwd, env, encoding: 'utf8', timeout: WITHIN_MS, ...user } as const;
  const { status, stdout, stderr } = spawnSync(command, words, options);
  return { status, stdout, stderr };
}
