import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Dockerode from 'dockerode';

/** A real Docker Engine that tests may use. */
export interface Engine {
  readonly socketPath: string;
  readonly docker: Dockerode;
  /** Removes its containers, ends it, and removes all that it has left. */
  stop(): Promise<void>;
}

/** One that belongs to the test that started it, which may end it. */
export interface OwnEngine extends Engine {
  /** Ends the engine, and its containers with it. */
  halt(): Promise<void>;
  /** Starts it again on the same data. */
  resume(): Promise<void>;
  /** Stops its process as it is: its sockets stay open, and nothing answers. Its containers go on. */
  freeze(): void;
  /** Continues a frozen engine. */
  thaw(): void;
}

/** The path of a program of Debian's. Throws, with what to install, when it is not there. */
export function findProgram(name: string, debianPackage: string): string {
  try {
    const PATH = `${process.env.PATH}:/usr/sbin:/sbin:/bin`;
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env: { ...process.env, PATH } }).trim();
  } catch {
    throw new Error(`these tests need ${name}: apt-get install ${debianPackage}`);
  }
}

export async function until(isSo: () => Promise<boolean>, what: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} within ${withinMs} ms has not come`);
    await sleep(20);
  }
}

const connectTo = (socketPath: string): Dockerode => new Dockerode({ socketPath, host: undefined });

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export async function endProcess(child: ChildProcess): Promise<void> {
  const isOver = async () => hasEnded(child);
  if (!hasEnded(child)) child.kill('SIGTERM');
  await until(isOver, 'the end of the process', 20_000).catch(() => {
    child.kill('SIGKILL');
    return until(isOver, 'its end by SIGKILL', 30_000);
  });
}

async function removeContainers(docker: Dockerode): Promise<void> {
  const containers = await docker.listContainers({ all: true });
  await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
}

/** The engine leaves network name spaces and the like mounted. */
async function removeFolder(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '');
  for (const path of mounts.filter((mount) => mount.startsWith(`${folder}/`))) execFileSync('umount', ['-l', path]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Starts Debian's `dockerd` in a temporary folder; it chooses overlay2 where the folder allows it, else vfs. It has no
 * bridge and touches no packet filter: containers use the network `none` or `host`.
 */
export async function startEngine(): Promise<OwnEngine> {
  const program = findProgram('dockerd', 'docker.io');
  if (process.getuid?.() !== 0) throw new Error('these tests start dockerd, which needs root');
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  const at = (name: string): string => join(folder, name);
  const docker = connectTo(at('docker.sock'));
  await writeFile(at('config.json'), '{}');
  const args = [
    ...['--config-file', at('config.json'), '--host', `unix://${at('docker.sock')}`, '--pidfile', at('pid')],
    ...['--data-root', at('data'), '--exec-root', at('exec'), '--shutdown-timeout', '2'],
    ...['--bridge=none', '--iptables=false', '--ip-forward=false'],
  ];

  let child: ChildProcess | undefined;
  const resume = async (): Promise<void> => {
    const log = openSync(at('log'), 'a');
    const started = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    child = started;
    const answers = async (): Promise<boolean> => {
      if (hasEnded(started))
        throw new Error(`dockerd has ended:\n${(await readFile(at('log'), 'utf8')).slice(-2_000)}`);
      return docker.ping().then(Boolean, () => false);
    };
    await until(answers, 'an answer of dockerd', 60_000);
  };
  const halt = async (): Promise<void> => {
    if (child !== undefined) await endProcess(child);
  };
  // A test run that is cut short must not leave an engine behind.
  const endLast = (): void => void child?.kill('SIGTERM');
  process.once('exit', endLast);
  await resume();
  return {
    socketPath: at('docker.sock'),
    docker,
    halt,
    resume,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    stop: async () => {
      if (child !== undefined && !hasEnded(child)) await removeContainers(docker);
      await halt();
      process.off('exit', endLast);
      await removeFolder(folder);
    },
  };
}

/**
 * The engine of the test run, by `SUBNETD_TEST_DOCKER_SOCKET`; without one, a new one. Its containers are shared, so names
 * are a test's own (`uniqueName`), and what a test runs it removes.
 */
export async function useEngine(): Promise<Engine> {
  const socketPath = process.env.SUBNETD_TEST_DOCKER_SOCKET;
  if (socketPath === undefined || socketPath === '') return startEngine();
  return { socketPath, docker: connectTo(socketPath), stop: async () => {} };
}
