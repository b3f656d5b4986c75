import type Dockerode from 'dockerode';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { LogFault, PositionStore } from '../../../../src/model/log.ts';
import type { ContainerRef } from '../../../../src/model/target.ts';
import { createDatabaseLink } from '../../../../src/store/create-database-link.ts';
import { createDockerLink } from '../../../../src/watch/docker/links.ts';
import { followLog } from '../../../../src/watch/logs/container/follow-log.ts';
import { createKeptValues, createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { busybox, composeLabels, importBusybox, runContainer, uniqueName } from '../../../support/containers.ts';
import { DATABASE_KINDS, startDatabases } from '../../../support/databases.ts';
import { type OwnEngine, startEngine } from '../../../support/engine.ts';

let engine: OwnEngine;
beforeAll(async () => {
  engine = await startEngine();
  await importBusybox(engine.docker);
}, 120_000);
afterAll(() => engine?.stop(), 60_000);

/** Follows the container of a compose service; its lines can be waited for. */
function follow(ref: ContainerRef, options: { positions?: PositionStore; startAt?: number; silenceMs?: number } = {}) {
  const { positions = createMemoryPositions(), startAt = 0, silenceMs } = options;
  const docker = createDockerLink(() => {});
  docker.setAddress({ socketPath: engine.socketPath });
  const lines: string[] = [];
  const old: string[] = [];
  const states: (LogFault | undefined)[] = [];
  const lost: number[] = [];
  let opened = 0;
  const { stop } = followLog({
    source: 'test',
    positions,
    find: (signal) => docker.findLog(ref, signal),
    openLog: (...asked) => {
      opened++;
      return docker.openLog(...asked);
    },
    openTail: docker.openTail,
    startAt,
    ...(silenceMs !== undefined && { silenceMs }),
    onLine: (text, start, end, _at, isOld) => void (isOld ? old : lines).push(text.slice(start, end)),
    onState: (fault) => void states.push(fault),
    onLost: () => void lost.push(lines.length),
  });
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= stop().then(() => docker.stop());
    return ended;
  };
  onTestFinished(end);
  const has = (count: number, timeout = 30_000) =>
    vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(count), { timeout, interval: 20 });
  return { lines, old, states, lost, stop: end, has, opened: () => opened };
}

const serviceOf = () => {
  const project = uniqueName('logs');
  return { ref: { project, service: 's' }, labels: composeLabels(project, 's'), name: project };
};

const count = (to: number, from = 0) => [
  'sh',
  '-c',
  `i=${from}; while [ $i -lt ${to} ]; do echo "line $i"; i=$((i+1)); done; exec sleep 600`,
];
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

test('stdout and stderr of a container are read, each line once, whole and in order', async () => {
  const { ref, labels, name } = serviceOf();
  await runContainer(engine.docker, {
    name,
    labels,
    command: [
      'sh',
      '-c',
      'i=0; while [ $i -lt 2000 ]; do echo "line $i"; echo "error $i" >&2; i=$((i+1)); done; exec sleep 600',
    ],
  });
  const { lines, has } = follow(ref);
  await has(4000);
  expect(lines.filter((line) => line.startsWith('line'))).toEqual(numbered(0, 2000));
  expect(lines.length).toBe(4000);
}, 60_000);

test('a container with a terminal is read too', async () => {
  const { ref, labels, name } = serviceOf();
  const container = await engine.docker.createContainer({
    name,
    Image: busybox,
    Cmd: count(100),
    Labels: { ...labels },
    Tty: true,
    StopTimeout: 0,
    HostConfig: { NetworkMode: 'none' },
  });
  await container.start();
  const { lines, has } = follow(ref);
  await has(100);
  expect(lines.map((line) => line.replace(/\r$/, ''))).toEqual(numbered(0, 100));
}, 60_000);

test('a line over 64 KiB is cut, and the lines around it are whole', async () => {
  const { ref, labels, name } = serviceOf();
  await runContainer(engine.docker, {
    name,
    labels,
    command: ['sh', '-c', "echo before; head -c 300000 /dev/zero | tr '\\0' x; echo; echo after; exec sleep 600"],
  });
  const { lines, has } = follow(ref);
  await has(3);
  expect(lines.map((line) => line.length)).toEqual([6, 65_536, 5]);
}, 60_000);

test('binary output and invalid UTF-8 of a container are lines like others', async () => {
  const { ref, labels, name } = serviceOf();
  const command = [
    'sh',
    '-c',
    String.raw`echo before; printf 'a\377\376\000\001b\303(\n'; head -c 1000000 /dev/urandom; echo; echo after; exec sleep 600`,
  ];
  const container = await runContainer(engine.docker, { name, labels, command });
  const { lines } = follow(ref);
  await vi.waitFor(() => expect(lines.at(-1)).toBe('after'), 30_000);
  // The engine keeps text: it has put U+FFFD, here as Latin-1, in the place of what is none.
  expect(lines.slice(0, 2)).toEqual(['before', 'a\u00ef\u00bf\u00bd\u00ef\u00bf\u00bd\0\u0001b\u00ef\u00bf\u00bd(']);
  const log = (await container.logs({ stdout: true, timestamps: true, follow: false })) as Buffer;
  expect(lines.length).toBe(log.toString('latin1').match(/\d{4}-\d\d-\d\dT[\d:.]{18}Z /g)?.length);
}, 60_000);

test('a container that is killed, restarted and recreated under a new id is one log', async () => {
  const { ref, labels, name } = serviceOf();
  const first = await runContainer(engine.docker, { name, labels, command: count(50) });
  const { lines, has } = follow(ref);
  await has(50);
  await first.kill();
  await first.start();
  await has(100);
  await first.remove({ force: true });
  await runContainer(engine.docker, { name, labels, command: count(80, 50) });
  await has(130);
  expect(lines).toEqual([...numbered(0, 50), ...numbered(0, 50), ...numbered(50, 80)]);
}, 60_000);

test('after a restart of subnetd reading continues where it stopped', async () => {
  const { ref, labels, name } = serviceOf();
  const positions = createMemoryPositions();
  await runContainer(engine.docker, {
    name,
    labels,
    command: [
      'sh',
      '-c',
      'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; while :; do echo "line $i"; i=$((i+1)); usleep 2000; done',
    ],
  });
  const first = follow(ref, { positions });
  await first.has(1000);
  await first.stop();
  const second = follow(ref, { positions });
  await second.has(2500);
  await second.stop();
  const all = [...first.lines, ...second.lines];
  expect(all).toEqual(numbered(0, all.length));
  // Lines that were read before are replayed for the checks that look back, and are not counted.
  expect(second.old).toEqual(first.lines);
}, 60_000);

const readAll = async (container: Dockerode.Container): Promise<number> => {
  const log = (await container.logs({ stdout: true, stderr: true, follow: false })) as Buffer;
  // Docker's frames hold the length of a line, which may be a line break too.
  return (log.toString('latin1').match(/line \d+\n/g) ?? []).length;
};

test('the engine restarted under load loses no line and repeats none', async () => {
  const { ref, labels, name } = serviceOf();
  const container = await runContainer(engine.docker, {
    name,
    labels,
    restart: 'always',
    command: ['sh', '-c', 'i=0; while :; do echo "line $i"; i=$((i+1)); [ $((i % 50)) = 0 ] && usleep 25000; done'],
  });
  const { lines, has } = follow(ref);
  for (let round = 0; round < 2; round++) {
    await has(lines.length + 2_000, 60_000);
    await engine.halt();
    await engine.resume();
  }
  await has(lines.length + 2_000, 60_000);
  await container.update({ RestartPolicy: { Name: 'no' } });
  await container.kill();
  await container.wait();
  const printed = await readAll(container);
  await has(printed, 180_000);
  expect(lines.length).toBe(printed);
  expect(printed).toBeGreaterThan(6_000);
  // Each run of the container counts from 0 without a gap.
  let expected = 0;
  for (const line of lines) {
    if (line === 'line 0') expected = 0;
    expect(line).toBe(`line ${expected++}`);
  }
}, 400_000);

test('an engine that hangs for a while loses no line and repeats none', async () => {
  const { ref, labels, name } = serviceOf();
  // Bursts on both streams, as a node prints a block.
  const burst = 'j=0; while [ $j -lt 40 ]; do echo "line $i"; echo "line $((i+1))" >&2; i=$((i+2)); j=$((j+1)); done';
  const command = ['sh', '-c', `i=0; while :; do ${burst}; usleep 100000; done`];
  const container = await runContainer(engine.docker, { name, labels, command });
  const { lines, has, opened } = follow(ref, { silenceMs: 250 });
  onTestFinished(engine.thaw);
  for (let round = 0; round < 3; round++) {
    await has(lines.length + 500);
    const openedBefore = opened();
    engine.freeze();
    // The silent stream is to be replaced by another, which the engine opens only when it goes on.
    await vi.waitFor(() => expect(opened()).toBeGreaterThan(openedBefore), 10_000);
    engine.thaw();
  }
  await has(lines.length + 500);
  await container.kill();
  await container.wait();
  const printed = await readAll(container);
  await has(printed);
  expect(lines.length).toBe(printed);
  expect(new Set(lines)).toEqual(new Set(numbered(0, printed)));
}, 120_000);

test.each(DATABASE_KINDS)(
  'with positions in %s, each line is reported once over restarts of subnetd and the engine and a recreated container',
  async (kind) => {
    const databases = await startDatabases(kind);
    onTestFinished(databases.stop, 60_000);
    const address = await databases.create();
    const { ref, labels, name } = serviceOf();
    const command = [
      'sh',
      '-c',
      'i=0; while :; do echo "line $i"; i=$((i+1)); [ $((i % 10)) = 0 ] && usleep 15000; done',
    ];
    const create = () => runContainer(engine.docker, { name, labels, restart: 'always', command });
    let container = await create();
    const reported: string[] = [];
    /** One life of subnetd: until it has read so much more, or when `whole` all of a container that has ended. */
    const live = async (count: number, whole?: number) => {
      const link = createDatabaseLink({ address, onUp: () => {}, onDown: () => {} });
      const table = (await link.open()).logPositions('test');
      const positions = createKeptValues(async () => table);
      const { lines, has, stop } = follow(ref, { positions });
      if (whole === undefined) await has(count, 60_000);
      else
        await vi.waitFor(() => expect(reported.length + lines.length).toBe(whole), { timeout: 60_000, interval: 100 });
      await stop();
      await positions.stop();
      await link.stop();
      reported.push(...lines);
    };
    await live(500);
    await live(500);
    await engine.halt();
    await engine.resume();
    await live(500);
    const end = async () => {
      await container.update({ RestartPolicy: { Name: 'no' } });
      await container.kill();
      await container.wait();
      return readAll(container);
    };
    const ofFirst = await end();
    await live(0, ofFirst);
    await container.remove({ force: true });
    container = await create();
    await live(500);
    await live(0, ofFirst + (await end()));
    let expected = 0;
    for (const line of reported) {
      if (line === 'line 0') expected = 0;
      expect(line).toBe(`line ${expected++}`);
    }
  },
  240_000,
);

test('of a container that ran out of memory every line is read', async () => {
  const { ref, labels, name } = serviceOf();
  const container = await runContainer(engine.docker, {
    name,
    labels,
    memoryBytes: 16 * 1024 * 1024,
    command: [
      'sh',
      '-c',
      'i=0; while [ $i -lt 500 ]; do echo "line $i"; i=$((i+1)); done; dd if=/dev/zero of=/dev/null bs=64M count=1',
    ],
  });
  const { lines, has } = follow(ref);
  await container.wait();
  const total = await readAll(container);
  await has(total);
  expect(lines.filter((line) => line.startsWith('line'))).toEqual(numbered(0, 500));
  expect(total).toBe(500);
}, 60_000);

test('a container that has ended can be judged again once the engine is back', async () => {
  const { ref, labels, name } = serviceOf();
  const container = await runContainer(engine.docker, { name, labels, command: ['sh', '-c', 'echo line 0'] });
  await container.wait();
  const { lines, states, has } = follow(ref);
  await has(1);
  await engine.halt();
  await vi.waitFor(() => expect(states.at(-1)).toBeDefined(), 60_000);
  await engine.resume();
  await vi.waitFor(() => expect(states.at(-1)).toBeUndefined(), 60_000);
  expect(lines).toEqual(['line 0']);
}, 120_000);

test('a missing container and a missing engine are different faults', async () => {
  const missing = follow({ name: uniqueName('nobody') });
  await vi.waitFor(() => expect(missing.states).toContainEqual({ what: 'no-container' }), 10_000);
});

/** Runs a container whose log the engine rotates. */
async function runRotated(name: string, labels: Readonly<Record<string, string>>, script: string, files: number) {
  const container = await engine.docker.createContainer({
    name,
    Image: busybox,
    Cmd: ['sh', '-c', script],
    Labels: { ...labels },
    HostConfig: {
      NetworkMode: 'none',
      LogConfig: { Type: 'json-file', Config: { 'max-size': '50k', 'max-file': String(files) } },
    },
  });
  await container.start();
  return container;
}

test('a log that Docker rotates while it is read is read whole, each line once', async () => {
  const { ref, labels, name } = serviceOf();
  // Some 170 kB, or 3 rotations, in 4 s.
  const script =
    'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); [ $((i % 25)) = 0 ] && sleep 0.05; done; exec sleep 600';
  await runRotated(name, labels, script, 3);
  const { lines, lost, has } = follow(ref);
  await has(2_000, 60_000);
  expect(lines).toEqual(numbered(0, 2_000));
  expect(lost).toEqual([]);
}, 90_000);

test('lines that Docker discarded before they were read are reported as lost', async () => {
  const { ref, labels, name } = serviceOf();
  const positions = createMemoryPositions();
  const script =
    'i=0; while [ $i -lt 10 ]; do echo "line $i"; i=$((i+1)); done; while [ ! -e /go ]; do sleep 0.1; done; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; exec sleep 600';
  const container = await runRotated(name, labels, script, 2);
  const first = follow(ref, { positions });
  await first.has(10);
  await first.stop();
  const go = await container.exec({ Cmd: ['touch', '/go'] });
  await go.start({});
  await vi.waitFor(
    async () => {
      const log = await container.logs({ stdout: true, stderr: true, tail: 1 });
      expect(log.toString()).toContain('line 2999');
    },
    { timeout: 20_000, interval: 100 },
  );
  const second = follow(ref, { positions });
  await vi.waitFor(() => expect(second.lines.at(-1)).toBe('line 2999'), { timeout: 20_000, interval: 20 });
  expect(second.lost).toEqual([0]);
  expect(second.lines).toEqual(numbered(3_000 - second.lines.length, 3_000));
}, 90_000);

test('two alternating containers of one service are each read once', async () => {
  const { ref, labels, name } = serviceOf();
  const containers: Dockerode.Container[] = [];
  for (const which of ['a', 'b'])
    containers.push(
      await runContainer(engine.docker, {
        name: `${name}-${which}`,
        labels,
        command: ['sh', '-c', `i=0; while [ $i -lt 100 ]; do echo "${which} $i"; i=$((i+1)); done; exec sleep 600`],
      }),
    );
  const { lines } = follow(ref);
  const [a, b] = containers as [Dockerode.Container, Dockerode.Container];
  const tellsAll = (which: string, runs: number) =>
    vi.waitFor(() => expect(lines.filter((line) => line.startsWith(which)).length).toBe(100 * runs), {
      timeout: 30_000,
      interval: 20,
    });
  await b.stop({ t: 0 });
  await tellsAll('a', 1);
  await b.start();
  await a.stop({ t: 0 });
  await tellsAll('b', 2);
  await a.start();
  await b.stop({ t: 0 });
  await tellsAll('a', 2);
  expect(lines.length).toBe(400);
}, 120_000);
