import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type Dockerode from 'dockerode';
import { busybox, importBusybox } from '../test/support/containers.ts';
import { startEngine } from '../test/support/engine.ts';
import { benchLatency } from './log-latency.ts';
import { median, round, runScript } from './measure.ts';
import { writeNodeLog } from './node-log.ts';

const BYTES = 100e6;
const RUNS = 3;

/** Long enough for a reader to be connected. */
const ATTACH_MS = 3_000;

interface Followed {
  readonly millis: number;
  readonly cpuSeconds: number;
  readonly matches: number;
  readonly quarters: readonly number[];
}

/** Starts a container that sees a folder as `/log`; its name. */
async function start(docker: Dockerode, folder: string, name: string, command: string): Promise<Dockerode.Container> {
  const container = await docker.createContainer({
    name,
    Image: busybox,
    Cmd: ['sh', '-c', command],
    StopTimeout: 0,
    HostConfig: { NetworkMode: 'none', Binds: [`${folder}:/log`] },
  });
  await container.start();
  return container;
}

/** The whole log of a container, by turns with Docker's own command. */
async function follow(docker: Dockerode, socketPath: string, folder: string) {
  const { bytes, lines } = writeNodeLog(join(folder, 'node.log'), BYTES);
  await start(docker, folder, 'written', 'cat /log/node.log; touch /log/written; exec sleep 86400');
  while (!existsSync(join(folder, 'written'))) await sleep(100);
  const ours: Followed[] = [];
  const theirs: number[] = [];
  const stamped: number[] = [];
  const dockerLogs = (option: string): number => {
    const begun = performance.now();
    execFileSync('sh', ['-c', `docker -H unix://${socketPath} logs ${option} written >/dev/null`]);
    return performance.now() - begun;
  };
  for (let run = 0; run < RUNS; run++) {
    ours.push((await runScript('./follow-log.ts', [socketPath, 'written', String(lines)])) as Followed);
    theirs.push(dockerLogs(''));
    stamped.push(dockerLogs('--timestamps'));
  }
  const [first = 0, , , last = 0] = ours[0]?.quarters ?? [];
  const times = (others: readonly number[]) =>
    round(median(ours.map(({ millis }, run) => millis / (others[run] ?? 0))));
  const seconds = (all: readonly number[]) => all.map((millis) => round(millis / 1000));
  return {
    note: 'subnetd asks for the time stamps, by which it tells lines apart after a restart; docker logs does not',
    megabytes: round(bytes / 1e6),
    lines,
    matches: ours[0]?.matches,
    seconds: seconds(ours.map(({ millis }) => millis)),
    dockerLogsSeconds: seconds(theirs),
    dockerLogsWithTimestampsSeconds: seconds(stamped),
    timesDockerLogs: times(theirs),
    goal: 1.1,
    timesDockerLogsWithTimestamps: times(stamped),
    cpuSeconds: ours.map(({ cpuSeconds }) => round(cpuSeconds)),
    residentMegabytesByQuarter: ours[0]?.quarters.map((megabytes) => round(megabytes, 1)),
    residentGrowthMegabytes: round(last - first, 1),
    loadAverage: round(loadavg()[0] ?? 0),
  };
}

/** The same log while a container prints it as fast as it can: from its beginning until its last line has been read. */
async function followLive(docker: Dockerode, socketPath: string, folder: string, lines: number) {
  const measure = async (name: string, read: () => Promise<unknown>): Promise<number> => {
    const go = join(folder, `go-${name}`);
    const wait = `until [ -e /log/go-${name} ]; do usleep 10000; done`;
    const container = await start(docker, folder, name, `${wait}; cat /log/node.log; sleep 2`);
    const reading = read();
    await sleep(ATTACH_MS);
    const begun = performance.now();
    appendFileSync(go, '');
    await reading;
    const millis = performance.now() - begun;
    await container.remove({ force: true });
    return millis;
  };
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(
      await measure(`ours-${run}`, () => runScript('./follow-log.ts', [socketPath, `ours-${run}`, String(lines)])),
    );
    // It ends with as many lines as there are, as it would itself only end with the container.
    const command = `docker -H unix://${socketPath} logs --follow theirs-${run} | head -n ${lines} >/dev/null`;
    theirs.push(await measure(`theirs-${run}`, () => promisify(execFile)('sh', ['-c', command])));
  }
  return {
    seconds: ours.map((millis) => round(millis / 1000)),
    dockerLogsSeconds: theirs.map((millis) => round(millis / 1000)),
    timesDockerLogs: round(median(ours.map((millis, run) => millis / (theirs[run] ?? 0)))),
    goal: 1.1,
  };
}

/** The log of a container of a real Docker Engine, which is started for it. */
export async function benchContainerLog() {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  const engine = await startEngine();
  try {
    await importBusybox(engine.docker);
    const followed = await follow(engine.docker, engine.socketPath, folder);
    const followedLive = await followLive(engine.docker, engine.socketPath, folder, followed.lines);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await start(engine.docker, folder, 'writing', 'exec cat <>/log/pipe');
    const latency = await benchLatency(
      folder,
      `container: { name: writing }`,
      `docker: { socketPath: '${engine.socketPath}' }`,
      (line) => appendFileSync(pipe, line),
    );
    return { followed, followedLive, latency };
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}
