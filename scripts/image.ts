import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run image` builds the image `subnetd:VERSION`, and says in its labels of which commit and repository it is. Further words go to
 * `docker build`: `npm run image -- --tag registry.example/subnetd:0.1.0`.
 */

/** What `docker build` is told of the commit of a clone. BuildKit takes the time of what it makes itself from SOURCE_DATE_EPOCH. */
export function listBuildArguments(root: string): Readonly<Record<string, string>> {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const seconds = git('log', '-1', '--format=%ct');
  return {
    COMMIT: git('rev-parse', 'HEAD'),
    CREATED: new Date(Number(seconds) * 1_000).toISOString(),
    SOURCE_DATE_EPOCH: seconds,
    SOURCE: toPublicUrl(git('remote').includes('origin') ? git('remote', 'get-url', 'origin') : ''),
  };
}

/** The address of a repository as anyone may read it: without a password, and as a web page where it is that of ssh. */
export function toPublicUrl(remote: string): string {
  const [, host, path] = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/](.+)$/.exec(remote) ?? [];
  const url = host === undefined ? URL.parse(remote) : URL.parse(`https://${host}/${path}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'unknown';
  return `${url.origin}${url.pathname.replace(/\.git$/, '')}`;
}

/** Builds the image of the files in `tree`, which are those of the commit of `root`. Returns the exit code of `docker build`. */
export function buildImage(root: string, tree: string, words: readonly string[]): number {
  const { name, version } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const about = Object.entries(listBuildArguments(root)).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const tag = words.includes('--tag') ? [] : ['--tag', `${name}:${version}`];
  return spawnSync('docker', ['build', ...about, ...tag, ...words, tree], { stdio: 'inherit' }).status ?? 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.exitCode = buildImage(root, root, process.argv.slice(2));
}
