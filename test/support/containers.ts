import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Dockerode from 'dockerode';
import { findProgram } from './engine.ts';

/** The image that `importBusybox` makes. */
export const busybox = 'subnetd-test/busybox:latest';

/** A name that no other test has taken. */
export const uniqueName = (start: string): string => `${start}-${randomBytes(4).toString('hex')}`;

/** A tar archive with `/bin/busybox` and its applets: a root file system that needs nothing else. */
async function packBusybox(): Promise<Buffer> {
  const program = findProgram('busybox', 'busybox-static');
  if ((await readFile(program)).includes('/ld-linux'))
    throw new Error('busybox is not static: apt-get install busybox-static');
  const root = await mkdtemp(join(tmpdir(), 'busybox-'));
  try {
    await mkdir(join(root, 'bin'));
    await mkdir(join(root, 'tmp'));
    await copyFile(program, join(root, 'bin', 'busybox'));
    const applets = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n');
    for (const applet of applets.filter((name) => name !== 'busybox'))
      await symlink('busybox', join(root, 'bin', applet)).catch(() => {});
    return execFileSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 });
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Makes the image `busybox` from Debian's package busybox-static, as `docker import` does; no registry is asked. */
export async function importBusybox(docker: Dockerode): Promise<void> {
  const [repo, tag] = busybox.split(':');
  const progress = await docker.importImage(Readable.from([await packBusybox()]), { repo, tag });
  await new Promise((resolve, reject) =>
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve(null))),
  );
}

/** What a test says of a container; the network is `none`, and it stops at once. */
export interface ContainerPlan {
  readonly name: string;
  readonly command: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly memoryBytes?: number;
  readonly restart?: 'no' | 'always' | 'on-failure';
  readonly network?: 'none' | 'host';
  /** Folders of the machine, as `docker run -v` takes them. */
  readonly binds?: readonly string[];
}

/** Creates a container of the image `busybox` without starting it. */
export const createContainer = (docker: Dockerode, plan: ContainerPlan): Promise<Dockerode.Container> =>
  docker.createContainer({
    name: plan.name,
    Image: busybox,
    Cmd: [...plan.command],
    Labels: { ...plan.labels },
    StopTimeout: 0,
    HostConfig: {
      NetworkMode: plan.network ?? 'none',
      RestartPolicy: { Name: plan.restart ?? 'no' },
      ...(plan.binds && { Binds: [...plan.binds] }),
      ...(plan.memoryBytes === undefined ? {} : { Memory: plan.memoryBytes, MemorySwap: plan.memoryBytes }),
    },
  });

/** Creates a container and starts it. */
export async function runContainer(docker: Dockerode, plan: ContainerPlan): Promise<Dockerode.Container> {
  const container = await createContainer(docker, plan);
  await container.start();
  return container;
}

/** The labels that compose gives the containers of a service. */
export const composeLabels = (project: string, service: string, oneOff = false): Readonly<Record<string, string>> => ({
  'com.docker.compose.project': project,
  'com.docker.compose.service': service,
  'com.docker.compose.oneoff': oneOff ? 'True' : 'False',
});

/**
 * A command that needs more memory than the 16 MiB that tests allow; not at once, as Docker misses what happens in a
 * container's first moments.
 */
export const eatMemory = ['sh', '-c', 'sleep 1; exec dd if=/dev/zero of=/dev/null bs=64M count=1'];
