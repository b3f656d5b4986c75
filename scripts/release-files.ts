import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage } from './image.ts';
import { addImagePackages, writeReleaseOutputs } from './release-outputs.ts';

/**
 * `npm run release:files` makes all that is attached to a version, of the commit that is checked out, in release/: the package, the image,
 * the chart, their SBOM and licences, checksums, and notes. Without Docker, `-- --no-image` leaves that out.
 */
const NOTES = 'NOTES.md';
const SUMS = 'SHA256SUMS';

/** What the changelog says about a version, or about what is not released yet. */
export function readNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const of = (title: string) => sections.find((text) => text.startsWith(`${title}\n`) || text.startsWith(`${title} (`));
  return (of(version) ?? of('Unreleased') ?? '').replace(/^.*\n/, '').trim();
}

const toNotes = (version: string, changes: string): string => `${changes}

## Install or upgrade

\`docs/install.md\` and \`docs/upgrade.md\` in the package, or of the same tag, say how. To check the files: \`sha256sum --check ${SUMS}\`.

- \`subnetd-${version}.tgz\`: the package, \`npm install --global ./subnetd-${version}.tgz\`
- \`subnetd-${version}-image-*.tar.gz\`: the image, \`docker load --input FILE\`
- \`subnetd-${version}-chart.tgz\`: the Helm chart
- \`*.cdx.json\`: the list of all packages (SBOM, CycloneDX), and \`*-licences.md\` their licences
`;

function saveImage(root: string, tree: string, folder: string, version: string): void {
  const image = `subnetd:${version}`;
  const code = buildImage(root, tree, ['--quiet']);
  if (code !== 0) throw new Error(`docker build failed with exit code ${code}; without Docker, add --no-image`);
  const docker = (...words: readonly string[]) => execFileSync('docker', words, { encoding: 'utf8' });
  const architecture = docker('image', 'inspect', '--format', '{{.Architecture}}', image).trim();
  const inImage = ['run', '--rm', '--network', 'none', '--entrypoint', 'sh', image, '-c'];
  const packages = docker(...inImage, 'dpkg-query --show || true');
  const archive = join(folder, `subnetd-${version}-image-${architecture}.tar`);
  docker('save', '--output', archive, image);
  chmodSync(archive, 0o644);
  execFileSync('gzip', ['--no-name', archive]);
  addImagePackages(folder, version, packages);
}

/** Makes the files of the commit that is checked out in `root`, and returns their paths from there. */
export function writeReleaseFiles(root: string, withImage: boolean): readonly string[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: root, maxBuffer: 2 ** 30 });
  const folder = join(root, 'release');
  const tree = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    // What is committed, and nothing else that lies here.
    execFileSync('tar', ['-x', '-C', tree], { input: git('archive', 'HEAD') });
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    writeReleaseOutputs(root);
    // What `helm package` makes is the same.
    const chart = ['--output', join(folder, `subnetd-${version}-chart.tgz`), 'HEAD:deploy/helm/subnetd'];
    git('archive', '--format', 'tgz', '--prefix', 'subnetd/', ...chart);
    const env = { ...process.env, COMMIT: git('rev-parse', 'HEAD').toString().trim() };
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: tree, env });
    if (withImage) saveImage(root, tree, folder, version);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  const changes = readNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  const files = readdirSync(folder).toSorted();
  const sums = files.map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  writeFileSync(join(folder, SUMS), sums.join(''));
  writeFileSync(join(folder, NOTES), toNotes(version, changes));
  return [...files, SUMS, NOTES].map((file) => `release/${file}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of writeReleaseFiles(
    fileURLToPath(new URL('..', import.meta.url)),
    !process.argv.includes('--no-image'),
  ))
    console.log(file);
