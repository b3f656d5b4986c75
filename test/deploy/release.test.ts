import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toPublicUrl } from '../../scripts/image.ts';
import { closeChangelog, isLater } from '../../scripts/release.ts';
import { readNotes } from '../../scripts/release-files.ts';
import { addImagePackages, toLicenceList } from '../../scripts/release-outputs.ts';
import { copyClone } from '../support/copy-clone.ts';
import { helm } from '../support/helm.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { pathOf } = useCleanups();
const { version: before, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const next = before.replace(/\d+$/, (last: string) => String(Number(last) + 1));

const FILES = [
  'package.json',
  'package-lock.json',
  'README.md',
  'docker-compose.yml',
  'Dockerfile',
  'deploy/helm/subnetd/Chart.yaml',
  '.gitignore',
];
const SCRIPTS = ['release', 'release-files', 'release-outputs', 'image', 'keep-reachable'].map(
  (name) => `scripts/${name}.ts`,
);
const DOCS = ['docs/install.md', 'docs/alerts.md'];
const CHANGES = '- One thing.\n- **Another** thing.';

const git = (...words: readonly string[]) =>
  execFileSync('git', words, { cwd: pathOf('clone'), encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(`${pathOf('clone')}/${file}`, 'utf8');

/** A clone with all that names the version, and a changelog. Only a `whole` one can be packed. */
function makeClone({ changes = CHANGES, whole = false } = {}): void {
  for (const file of [...FILES, ...SCRIPTS, ...DOCS]) {
    mkdirSync(dirname(`${pathOf('clone')}/${file}`), { recursive: true });
    copyFileSync(root + file, `${pathOf('clone')}/${file}`);
  }
  if (whole) copyClone(pathOf('clone'));
  const changelog = `# Changelog\n\n## Unreleased\n\n${changes}\n\n## ${before}\n\n- First version.\n`;
  writeFileSync(`${pathOf('clone')}/CHANGELOG.md`, changelog);
  git('init', '--quiet', '--initial-branch=main');
  if (whole) {
    symlinkSync(`${root}node_modules`, pathOf('clone/node_modules'));
    appendFileSync(pathOf('clone/.git/info/exclude'), '/node_modules\n');
  }
  for (const [key, value] of Object.entries({ 'user.name': 'r', 'user.email': 'r@example.com' }))
    git('config', key, value);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
}

/** Makes a version in the clone by a check of the test's own. npm warns of settings of a user that it does not know. */
function make(version: string, check = 'true') {
  const words = ['scripts/release.ts', version, '--no-image', '--check', check];
  const env = { ...process.env, npm_config_userconfig: '/dev/null' };
  const options = { cwd: pathOf('clone'), encoding: 'utf8', env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { status, stdout, stderr };
}
const isUntouched = () => {
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag', '--list')).toBe('');
  expect(git('log', '--format=%s')).toBe('first');
};

describe('npm run release', () => {
  it('sets the version everywhere, and makes a commit, an annotated tag and all files', { timeout: 180_000 }, () => {
    makeClone({ whole: true });
    // The check sees the tree that is tagged.
    const { status, stdout, stderr } = make(next, `grep -q '"version": "${next}"' package.json`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`v${next} is made; publish it by: git push --follow-tags`);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s')).toBe(`Release ${next}\nfirst`);
    expect(git('cat-file', '-t', `v${next}`)).toBe('tag');
    expect(git('rev-parse', `v${next}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
    expect(git('tag', '--list', '--format=%(contents)', `v${next}`)).toBe(`subnetd ${next}\n\n${CHANGES}`);
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(
        `^# Changelog\n\n## Unreleased\n\n## ${next} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n- One thing[^#]*## ${before}\n`,
      ),
    );
    const lock = JSON.parse(read('package-lock.json'));
    expect([JSON.parse(read('package.json')).version, lock.version, lock.packages[''].version]).toEqual([
      next,
      next,
      next,
    ]);
    for (const file of ['docker-compose.yml', 'docs/install.md', 'docs/alerts.md']) {
      expect(read(file)).toContain(`subnetd:${next}`);
      expect(read(file)).not.toContain(`subnetd:${before}`);
    }
    expect(read('README.md')).toContain(`npx ./subnetd-${next}.tgz demo`);
    expect(read('Dockerfile')).toContain(`image.version="${next}"`);
    expect(read('deploy/helm/subnetd/Chart.yaml')).toContain(`\nversion: ${next}\nappVersion: ${next}\n`);
    // Nothing else of the lockfile changes.
    expect(git('diff', '--numstat', 'HEAD~1', '--', 'package-lock.json')).toMatch(/^2\t2\t/);

    // What is attached to it, which git ignores.
    const attached = ['-chart.tgz', '-licences.md', '.cdx.json', '.tgz'].map((ending) => `subnetd-${next}${ending}`);
    expect(readdirSync(pathOf('clone/release')).toSorted()).toEqual(['NOTES.md', 'SHA256SUMS', ...attached].toSorted());
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: pathOf('clone/release'),
      encoding: 'utf8',
    });
    expect(checked.match(/: OK$/gm)).toHaveLength(attached.length);
    expect(read('release/NOTES.md').startsWith(`${CHANGES}\n`)).toBe(true);
    const show = (archive: string, file: string) =>
      execFileSync('tar', ['-xzOf', pathOf(`clone/release/subnetd-${next}${archive}`), file], { encoding: 'utf8' });
    expect(JSON.parse(show('.tgz', 'package/package.json'))).toMatchObject({ version: next });
    expect(show('.tgz', 'package/COMMIT').trim()).toBe(git('rev-parse', 'HEAD'));
    expect(helm('template', 'a', pathOf(`clone/release/subnetd-${next}-chart.tgz`))).toContain(`subnetd:${next}`);
    const bom = JSON.parse(read(`release/subnetd-${next}.cdx.json`));
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'subnetd', version: next } } });
    const names = bom.components.map(({ name, group }: { readonly name: string; readonly group?: string }) =>
      group === undefined ? name : `${group}/${name}`,
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    for (const tool of ['vitest', '@biomejs/biome']) expect(names).not.toContain(tool);
    const refs = new Set(bom.components.map((one: { readonly 'bom-ref': string }) => one['bom-ref']));
    for (const { ref, dependsOn } of bom.dependencies)
      for (const one of dependsOn) expect(refs, `${ref} depends on ${one}`).toContain(one);
    for (const { name, hashes } of bom.components) expect(hashes?.[0]?.alg, name).toBe('SHA-512');
    const licences = read(`release/subnetd-${next}-licences.md`);
    for (const name of Object.keys(dependencies)) expect(licences).toContain(`| ${name} | ${dependencies[name]} | `);
    expect(licences.match(/^\| /gm)).toHaveLength(bom.components.length + 2);
  });

  it.each([
    ['no version', '', `the version must be three numbers above ${before}`],
    ['the version that is', before, 'the version must be three numbers above'],
    ['what is not a version', `v${next}`, 'the version must be three numbers above'],
  ])('refuses %s', (_, version, why) => {
    makeClone();
    expect(make(version)).toMatchObject({ status: 2, stderr: expect.stringContaining(`npm run release: ${why}`) });
    isUntouched();
  });

  it('refuses a changelog that says nothing, and a tag that is there', () => {
    makeClone({ changes: '' });
    expect(make(next)).toMatchObject({ status: 2, stderr: expect.stringContaining('CHANGELOG.md says nothing under') });
    isUntouched();
    git('tag', `v${next}`);
    expect(make(next)).toMatchObject({ status: 2, stderr: expect.stringContaining(`there is a tag v${next} already`) });
  });

  it('refuses a tree that is not clean, and leaves it', () => {
    makeClone();
    appendFileSync(`${pathOf('clone')}/docker-compose.yml`, '# mine\n');
    const { status, stderr } = make(next);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('M docker-compose.yml') });
    expect(read('docker-compose.yml')).toContain('# mine');
    expect(git('tag', '--list')).toBe('');
  });

  it('changes nothing when the check fails', () => {
    makeClone();
    expect(make(next, 'false')).toMatchObject({ status: 2, stderr: expect.stringContaining('"false" failed') });
    isUntouched();
    expect(existsSync(`${pathOf('clone')}/release`)).toBe(false);
  });
});

describe('the parts of a release', () => {
  it('know which version is later', () => {
    for (const [version, than] of [
      ['0.1.1', '0.1.0'],
      ['0.10.0', '0.9.9'],
      ['1.0.0', '0.99.99'],
    ] as const) {
      expect(isLater(version, than)).toBe(true);
      expect(isLater(than, version)).toBe(false);
    }
    for (const version of ['1.0', '1.0.0-rc.1', '01.0.0', '0.1.0']) expect(isLater(version, '0.1.0')).toBe(false);
  });

  it('close a changelog whose first version is still to come', () => {
    expect(closeChangelog('# C\n\n## Unreleased\n\n- a\n', '1.0.0', '2026-01-31')).toEqual({
      ok: true,
      value: { text: '# C\n\n## Unreleased\n\n## 1.0.0 (2026-01-31)\n\n- a\n', notes: '- a' },
    });
    expect(closeChangelog('# C\n', '1.0.0', '2026-01-31')).toMatchObject({ ok: false });
  });

  it('know the notes of a version', () => {
    const text = '# C\n\n## Unreleased\n\n- new\n\n## 1.1.0 (2026-01-31)\n\n- b\n\n## 1.1\n\n- a\n';
    expect([readNotes(text, '1.1.0'), readNotes(text, '1.1'), readNotes(text, '2.0.0')]).toEqual([
      '- b',
      '- a',
      '- new',
    ]);
  });

  it.each([
    ['https://user:secret@git.example.com/a/subnetd.git', 'https://git.example.com/a/subnetd'],
    ['git@git.example.com:a/subnetd.git', 'https://git.example.com/a/subnetd'],
    ['ssh://git@git.example.com/a/subnetd', 'https://git.example.com/a/subnetd'],
    ['/srv/subnetd.git', 'unknown'],
    ['', 'unknown'],
  ])('name the repository %s by its public address', (remote, url) => {
    expect(toPublicUrl(remote)).toBe(url);
  });

  it('list the packages of the image: those of the package, Node.js and Debian', () => {
    mkdirSync(pathOf('.'), { recursive: true });
    writeFileSync(
      pathOf('subnetd-1.0.0.cdx.json'),
      JSON.stringify({ bomFormat: 'CycloneDX', components: [{ name: 'a' }] }),
    );
    addImagePackages(pathOf('.'), '1.0.0', 'libc6:amd64\t2.36-9+deb12u10\n');
    const { bomFormat, components } = JSON.parse(readFileSync(pathOf('subnetd-1.0.0-image.cdx.json'), 'utf8'));
    expect(bomFormat).toBe('CycloneDX');
    expect(components.map(({ name }: { readonly name: string }) => name)).toEqual(['a', 'node', 'libc6']);
    expect(components[2].purl).toBe('pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?distro=bookworm');
  });

  it('ship no package without a licence', () => {
    const component = { name: 'a', version: '1' };
    const bom = (licenses: object[]) => ({ components: [{ ...component, 'bom-ref': 'a@1', licenses }] });
    expect(toLicenceList(bom([{ license: { id: 'MIT' } }]))).toContain('| a | 1 | MIT |');
    expect(toLicenceList(bom([{ expression: 'MIT OR ISC' }]))).toContain('| a | 1 | MIT OR ISC |');
    expect(() => toLicenceList(bom([]))).toThrow('a 1 names no licence');
  });
});
