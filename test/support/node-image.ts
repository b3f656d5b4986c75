import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from './engine.ts';

const run = promisify(execFile);

/** One file that is packed with all that it needs (npm bundles its libraries). */
const npm = 'npm@11.19.1';

/** Where npm of the image finds what it would not find by itself; both are the same in Debian. */
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** The members that a build needs of the npm configuration of this machine; none of them is a secret. */
async function readNpmSettings(): Promise<{ readonly registry: string; readonly cafile: string | undefined }> {
  const read = async (name: string) => (await run('npm', ['config', 'get', name], { cwd: tmpdir() })).stdout.trim();
  const [registry, cafile] = await Promise.all([read('registry'), read('cafile')]);
  const cafileOrNone = ['null', 'undefined', ''].includes(cafile) ? process.env.NODE_EXTRA_CA_CERTS : cafile;
  return { registry, cafile: cafileOrNone };
}

async function copyTo(root: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await copyFile(from, join(root, to));
}

async function addBusybox(root: string): Promise<void> {
  const program = findProgram('busybox', 'busybox-static');
  await copyTo(root, program, '/bin/busybox');
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  await symlink('/bin/busybox', join(root, 'usr/bin/env'));
  const applets = (await run(program, ['--list'])).stdout.trim().split('\n');
  for (const applet of applets.filter((name) => name !== 'busybox'))
    await symlink('busybox', join(root, 'bin', applet));
}

/** A library of the system beside those of Node.js, which what builds the program is linked with. */
const further = 'librt.so.1';

/** What Debian's smallest image lacks of that, so that an image must bring it. */
const lacking = 'libatomic.so.1';

/** The system's libraries that the Node.js of the project's own dependencies is linked with, and that itself. */
async function addLibraries(root: string, withNode: boolean): Promise<void> {
  const program = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
  if (withNode) await copyTo(root, program, '/usr/local/bin/node');
  const { stdout } = await run('ldd', [program]);
  for (const [, library] of stdout.matchAll(/(\/\S+) \(0x/g)) {
    if (library === undefined || (!withNode && library.endsWith(`/${lacking}`))) continue;
    await copyTo(root, library, library);
    if (!library.endsWith('/libc.so.6')) continue;
    const beside = join(dirname(library), further);
    await copyTo(root, beside, beside);
  }
}

async function addNpm(root: string): Promise<void> {
  const home = join(root, 'usr/local/lib/node_modules/npm');
  await mkdir(home, { recursive: true });
  const { stdout } = await run('npm', ['pack', npm, '--silent', '--prefer-offline', '--pack-destination', root]);
  const packed = join(root, stdout.trim());
  await run('tar', ['-xzf', packed, '-C', home, '--strip-components=1', '--no-same-owner']);
  await rm(packed);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  const { registry, cafile } = await readNpmSettings();
  await mkdir(join(root, 'usr/local/etc'));
  await writeFile(join(root, 'usr/local/etc/npmrc'), `registry=${registry}\ncafile=${certificates}\n`);
  await copyTo(root, cafile ?? certificates, certificates);
}

/** What the official images have besides: the user `node` of that of Node.js, and a place for temporary files. */
async function addUsers(root: string, withNode: boolean): Promise<void> {
  for (const folder of ['etc', 'root', 'home', 'tmp', 'var/lib']) await mkdir(join(root, folder), { recursive: true });
  await chmod(join(root, 'tmp'), 0o1777);
  if (withNode) await mkdir(join(root, 'home/node'));
  await writeFile(
    join(root, 'etc/passwd'),
    `root:x:0:0:root:/root:/bin/sh\n${withNode ? 'node:x:1000:1000::/home/node:/bin/sh\n' : ''}`,
  );
  await writeFile(join(root, 'etc/group'), `root:x:0:\n${withNode ? 'node:x:1000:\n' : ''}`);
}

/**
 * Builds a stand-in for an official image, for machines that can pull none: of Debian, with little more than busybox and the libraries that
 * Node.js needs, or of Node.js, with the same Node.js, npm and user.
 */
export async function importBaseImage(docker: string, env: NodeJS.ProcessEnv, image: string): Promise<void> {
  const known = await run(docker, ['image', 'inspect', image], { env }).then(Boolean, () => false);
  if (known) return;
  const root = await mkdtemp(join(tmpdir(), 'node-image-'));
  try {
    await chmod(root, 0o755);
    await addBusybox(root);
    const withNode = image.startsWith('node:');
    await addLibraries(root, withNode);
    if (withNode) await addNpm(root);
    await addUsers(root, withNode);
    const tar = spawn('tar', ['-C', root, '--owner=0', '--group=0', '-c', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const load = spawn(docker, ['import', '-', image], { env, stdio: [tar.stdout, 'ignore', 'inherit'] });
    const [[packed], [loaded]] = await Promise.all([once(tar, 'exit'), once(load, 'exit')]);
    if (packed !== 0 || loaded !== 0) throw new Error(`docker import failed: tar ${packed}, docker ${loaded}`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
