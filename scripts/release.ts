import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeReleaseFiles } from './release-files.ts';

/**
 * Makes a version: `npm run release -- 0.2.0`. It needs a clean tree and a changelog entry. It sets the version
 * everywhere, runs the check, commits, makes all files to attach, and tags. It pushes nothing. Without Docker, add `--no-image`.
 */
const CHECK = 'npm run check && npm test';

/** A value, or a sentence that says why no version is made. */
type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

const refuse = (why: string) => ({ ok: false, why }) as const;

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** Is it a version, and a later one? */
export function isLater(version: string, before: string): boolean {
  const [next, last] = [version, before].map((text) => SEMVER.exec(text)?.slice(1).map(Number));
  if (next === undefined || last === undefined) return false;
  const index = next.findIndex((part, i) => part !== last[i]);
  return index !== -1 && (next[index] ?? 0) > (last[index] ?? 0);
}

const UNRELEASED = '## Unreleased';

/** The changelog with what is unreleased under the heading of a version, and that part alone. */
export function closeChangelog(
  text: string,
  version: string,
  day: string,
): Result<{ readonly text: string; readonly notes: string }> {
  const start = text.indexOf(`${UNRELEASED}\n`);
  if (start === -1) return refuse(`CHANGELOG.md has no heading "${UNRELEASED}"; add it`);
  const bodyStart = start + UNRELEASED.length + 1;
  const next = text.indexOf('\n## ', bodyStart);
  const notes = text.slice(bodyStart, next === -1 ? undefined : next).trim();
  if (!/^- /m.test(notes)) return refuse(`CHANGELOG.md says nothing under "${UNRELEASED}"; say what changes for users`);
  const after = next === -1 ? '' : text.slice(next);
  const closed = `${text.slice(0, start)}${UNRELEASED}\n\n## ${version} (${day})\n\n${notes}\n${after}`;
  return { ok: true, value: { text: closed, notes } };
}

const CHART = 'deploy/helm/subnetd/Chart.yaml';

/** Every file that names the version, with its new text. */
function setVersion(root: string, before: string, version: string): Readonly<Record<string, string>> {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const setIn = (
    file: string,
    change: (value: { version: string; packages?: { '': { version: string } } }) => void,
  ) => {
    const value = JSON.parse(read(file));
    change(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  };
  const rename = (text: string) =>
    text
      .replaceAll(`subnetd:${before}`, `subnetd:${version}`)
      .replaceAll(`subnetd-${before}.tgz`, `subnetd-${version}.tgz`)
      .replaceAll(`image.version="${before}"`, `image.version="${version}"`);
  const files = [
    'docker-compose.yml',
    'Dockerfile',
    'README.md',
    ...globSync(['deploy/**/*.yaml', 'docs/*.md'], { cwd: root }),
  ];
  const named = files.map((file) => [file, rename(read(file))] as const).filter(([file, text]) => text !== read(file));
  return {
    'package.json': setIn('package.json', (value) => {
      value.version = version;
    }),
    'package-lock.json': setIn('package-lock.json', (value) => {
      value.version = version;
      if (value.packages) value.packages[''].version = version;
    }),
    [CHART]: read(CHART).replaceAll(`ersion: ${before}\n`, `ersion: ${version}\n`),
    ...Object.fromEntries(named),
  };
}

/** Makes the version and gives the files to attach to it, or leaves everything as it was. */
export function release(
  root: string,
  version: string,
  day: string,
  { check = CHECK, withImage = true },
): Result<readonly string[]> {
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const { version: before } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!isLater(version, before)) return refuse(`the version must be three numbers above ${before}, such as 1.2.3`);
  const tag = `v${version}`;
  if (git('tag', '--list', tag) !== '') return refuse(`there is a tag ${tag} already; take the next version`);
  const changes = git('status', '--porcelain');
  if (changes !== '') return refuse(`the tree is not clean; commit or stash these first:\n${changes}`);
  const changelog = closeChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, day);
  if (!changelog.ok) return changelog;
  const files = { ...setVersion(root, before, version), 'CHANGELOG.md': changelog.value.text };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  const putBack = () => git('checkout', '--quiet', 'HEAD', '--', ...Object.keys(files));
  if (spawnSync('sh', ['-c', check], { cwd: root, stdio: 'inherit' }).status !== 0) {
    putBack();
    return refuse(`"${check}" failed, so there is no ${tag}; nothing is changed`);
  }
  git('commit', '--quiet', '--message', `Release ${version}`, '--', ...Object.keys(files));
  try {
    const outputs = writeReleaseFiles(root, withImage);
    git(
      'tag',
      '--annotate',
      '--cleanup=verbatim',
      '--message',
      `subnetd ${version}\n\n${changelog.value.notes}\n`,
      tag,
    );
    return { ok: true, value: outputs };
  } catch (error) {
    // The tree was clean, so this takes back only the commit from above.
    git('reset', '--quiet', '--hard', 'HEAD~1');
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const options = {
    check: { type: 'string', default: CHECK },
    'no-image': { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const made = release(root, positionals[0] ?? '', new Date().toISOString().slice(0, 10), {
    check: values.check,
    withImage: !values['no-image'],
  });
  if (made.ok)
    console.log(
      `v${positionals[0]} is made; publish it by: git push --follow-tags\nattach to it:\n${made.value.join('\n')}`,
    );
  else {
    console.error(`npm run release: ${made.why}`);
    process.exitCode = 2;
  }
}
