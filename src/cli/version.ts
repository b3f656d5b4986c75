import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownFile } from '../lib/process.ts';
import type { ExitCode } from './report.ts';

const root = fileURLToPath(ownFile(''));

function readText(path: string): string | undefined {
  try {
    return readFileSync(resolve(root, path), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The commit of a clone, from git's own files, so this needs neither git nor a shell. */
function readGitCommit(): string | undefined {
  // In a worktree `.git` is a file, and the branches are elsewhere.
  const git = resolve(root, /^gitdir: (.+)$/.exec(readText('.git') ?? '')?.[1] ?? '.git');
  const common = resolve(git, readText(`${git}/commondir`) ?? '');
  const head = readText(`${git}/HEAD`);
  const ref = /^ref: (.+)$/.exec(head ?? '')?.[1];
  if (ref === undefined) return head;
  const packed = readText(`${common}/packed-refs`)
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return readText(`${common}/${ref}`) ?? packed?.split(' ')[0];
}

/** The version in package.json, and 12 digits of the commit: from the image's file `COMMIT`, or from git. */
export function readBuild(): { readonly version: string; readonly commit: string } {
  const { version } = JSON.parse(readText('package.json') ?? '{}') as { readonly version?: string };
  return { version: version ?? 'unknown', commit: (readText('COMMIT') ?? readGitCommit() ?? 'unknown').slice(0, 12) };
}

/** `subnetd version` and `subnetd --version` */
export function version({ json }: { readonly json?: boolean } = {}): ExitCode {
  const build = readBuild();
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...build, node: process.version }, null, 2)}\n`);
    return 0;
  }
  process.stdout.write(`subnetd ${build.version}, commit ${build.commit}, Node.js ${process.version}\n`);
  return 0;
}
