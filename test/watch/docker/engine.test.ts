import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Container } from '../../../src/model/observation.ts';
import type { ContainerRef } from '../../../src/model/target.ts';
import { createDocker, type Docker } from '../../../src/watch/docker/engine.ts';
import type { DockerEvent } from '../../../src/watch/docker/events.ts';
import {
  composeLabels,
  createContainer,
  eatMemory,
  importBusybox,
  runContainer,
  uniqueName,
} from '../../support/containers.ts';
import { type Engine, type OwnEngine, startEngine, useEngine } from '../../support/engine.ts';

const forever = ['sleep', '1000'];
const soon = () => AbortSignal.timeout(5_000);

async function find(docker: Docker, ref: ContainerRef): Promise<Container> {
  const observation = await docker.inspect(ref, soon());
  if (observation.kind !== 'found') throw new Error(`not found: ${JSON.stringify(observation)}`);
  return observation.container;
}

/** Waits for an inspection that shows what a test needs. */
const findWhen = (docker: Docker, ref: ContainerRef, isSo: (container: Container) => boolean): Promise<Container> =>
  vi.waitFor(
    async () => {
      const container = await find(docker, ref);
      expect(container).toSatisfy(isSo);
      return container;
    },
    { timeout: 15_000, interval: 50 },
  );

describe('a container of a real engine', () => {
  let engine: Engine;
  let docker: Docker;
  const made: string[] = [];

  const name = (): string => {
    made.push(uniqueName('probe'));
    return made.at(-1) ?? '';
  };

  beforeAll(async () => {
    engine = await useEngine();
    await importBusybox(engine.docker);
    docker = createDocker({ socketPath: engine.socketPath });
  }, 90_000);

  afterEach(async () => {
    await Promise.allSettled(made.splice(0).map((id) => engine.docker.getContainer(id).remove({ force: true })));
  });

  afterAll(async () => {
    docker?.stop();
    await engine?.stop();
  }, 60_000);

  test('is found by its compose labels and by its name, with its memory and its limit', async () => {
    const project = uniqueName('project');
    const plan = {
      name: name(),
      command: forever,
      memoryBytes: 64 * 2 ** 20,
      labels: composeLabels(project, 'subnet1'),
    };
    const { id } = await runContainer(engine.docker, plan);
    const byLabels = await find(docker, { project, service: 'subnet1' });

    expect(byLabels).toMatchObject({ id, name: plan.name, running: true, status: 'running', oomKilled: false });
    expect(byLabels).toMatchObject({ restartCount: 0, memoryLimitBytes: 64 * 2 ** 20 });
    expect(byLabels.memoryBytes).toBeGreaterThan(0);
    expect(byLabels.memoryBytes).toBeLessThan(64 * 2 ** 20);
    expect(Math.abs(Date.now() - (byLabels.startedAt ?? 0))).toBeLessThan(60_000);
    expect(byLabels).not.toHaveProperty('exitCode');
    expect(byLabels).not.toHaveProperty('finishedAt');
    expect(await find(docker, { name: plan.name })).toMatchObject({ id });
  });

  test('without a memory limit has none, although the machine has one', async () => {
    const plan = { name: name(), command: forever };
    await runContainer(engine.docker, plan);
    const container = await find(docker, plan);
    expect(container.memoryBytes).toBeGreaterThan(0);
    expect(container).not.toHaveProperty('memoryLimitBytes');
  });

  test('says which folders of this machine it writes to, and where the engine keeps its own, and nothing over TCP', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'subnetd-mounts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const binds = [`${folder}:/work/xdcchain`, '/etc/hostname:/work/genesis.json:ro'];
    const plan = { name: name(), command: forever, binds };
    await runContainer(engine.docker, plan);
    const { DockerRootDir: engineRoot } = await engine.docker.info();
    const answer = await docker.inspectSetup(plan, soon());
    expect(answer).toMatchObject({ kind: 'found', setup: { folders: [folder], engineRoot } });
    // Over TCP nobody knows whether that is this machine.
    const relay = createServer((one) => one.pipe(connect(engine.socketPath)).pipe(one));
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const remote = createDocker({ host: '127.0.0.1', port: (relay.address() as AddressInfo).port });
    onTestFinished(() => {
      remote.stop();
      relay.close();
    });
    const far = await remote.inspectSetup(plan, soon());
    expect(far).toMatchObject({ kind: 'found', setup: { name: plan.name } });
    expect(far).not.toHaveProperty('setup.folders');
    expect(far).not.toHaveProperty('setup.engineRoot');
  });

  test('that does not exist is missing, and a prefix of an id names none', async () => {
    const { id } = await runContainer(engine.docker, { name: name(), command: forever });
    for (const ref of [
      { name: uniqueName('none') },
      { project: uniqueName('none'), service: 's' },
      { name: id.slice(0, 12) },
    ])
      expect(await docker.inspect(ref, soon())).toEqual({ kind: 'missing' });
  });

  test('of a service is the running one, not a newer one that never started, nor a one-off', async () => {
    const project = uniqueName('project');
    const labels = composeLabels(project, 'stats');
    const { id } = await runContainer(engine.docker, { name: name(), command: forever, labels });
    await createContainer(engine.docker, { name: name(), command: forever, labels });
    await runContainer(engine.docker, {
      name: name(),
      command: forever,
      labels: composeLabels(project, 'stats', true),
    });
    expect(await find(docker, { project, service: 'stats' })).toMatchObject({ id });
    await engine.docker.getContainer(id).remove({ force: true });
    expect(await find(docker, { project, service: 'stats' })).toMatchObject({ status: 'created', running: false });
  });

  test('that ended has its exit code and time', async () => {
    const plan = { name: name(), command: ['sh', '-c', 'exit 3'] };
    await runContainer(engine.docker, plan);
    const container = await findWhen(docker, plan, ({ status }) => status === 'exited');
    expect(container).toMatchObject({ running: false, exitCode: 3, oomKilled: false });
    expect(Math.abs(Date.now() - (container.finishedAt ?? 0))).toBeLessThan(60_000);
    expect(container).not.toHaveProperty('memoryBytes');
  });

  test('that is paused does not run', async () => {
    const plan = { name: name(), command: forever };
    const container = await runContainer(engine.docker, plan);
    await container.pause();
    expect(await find(docker, plan)).toMatchObject({ running: false, status: 'paused' });
  });

  test('that its restart policy starts again and again counts its restarts', async () => {
    const plan = { name: name(), command: ['sh', '-c', 'exit 0'], restart: 'always' } as const;
    await runContainer(engine.docker, plan);
    const first = await findWhen(docker, plan, ({ restartCount }) => restartCount >= 2);
    const isLater = ({ startedAt = 0 }: Container) => startedAt > (first.startedAt ?? Number.NaN);
    // The engine counts a restart before it starts the container.
    const later = await findWhen(docker, plan, (now) => now.restartCount > first.restartCount && isLater(now));
    expect(later.id).toBe(first.id);
  });

  test('that was recreated is found under its new id', async () => {
    const project = uniqueName('project');
    const labels = composeLabels(project, 'relayer');
    const old = await runContainer(engine.docker, { name: name(), command: forever, labels });
    const before = await find(docker, { project, service: 'relayer' });
    await old.remove({ force: true });
    await runContainer(engine.docker, { name: name(), command: forever, labels });
    const after = await find(docker, { project, service: 'relayer' });
    expect(before.id).toBe(old.id);
    expect(after.id).not.toBe(old.id);
  });

  // Docker forgets an out-of-memory kill whose exit it handles first, as on a busy machine: then another container tries.
  test('that runs out of memory makes an oom event, and its inspection says so', { retry: 3 }, async () => {
    const plan = { name: name(), command: eatMemory, memoryBytes: 16 * 2 ** 20 };
    const events: DockerEvent[] = [];
    const { promise: up, resolve } = Promise.withResolvers<boolean>();
    const end = docker.follow((event) => event.name === plan.name && events.push(event), resolve);
    expect(await up).toBe(true);
    const { id } = await runContainer(engine.docker, plan);
    const container = await findWhen(docker, plan, ({ oomKilled }) => oomKilled);
    await vi.waitFor(() => expect(events.at(-1)?.action).toBe('die'), { timeout: 30_000 });
    end();

    expect(container).toMatchObject({ oomKilled: true, exitCode: 137, memoryLimitBytes: 16 * 2 ** 20 });
    expect([...new Set(events.map(({ action }) => action))]).toEqual(['start', 'oom', 'die']);
    expect(events.at(-1)).toMatchObject({ id, name: plan.name, exitCode: 137 });
    expect(Math.abs((events.at(-1)?.at ?? 0) - (container.finishedAt ?? 0))).toBeLessThan(2_000);
  });

  test('inspected 60 times at once with one signal gives 60 answers and no warning', async () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown) => warnings.push(warning);
    process.on('warning', onWarning);
    const plan = { name: name(), command: forever };
    await runContainer(engine.docker, plan);
    const signal = soon();
    const looks = await Promise.all(Array.from({ length: 60 }, () => docker.inspect(plan, signal)));
    process.off('warning', onWarning);
    expect(looks.filter(({ kind }) => kind === 'found')).toHaveLength(60);
    expect(warnings).toEqual([]);
  });

  test('reached over TCP, by a proxy, is seen all the same', async () => {
    const plan = { name: name(), command: forever };
    await runContainer(engine.docker, plan);
    const proxy = createServer((near) => {
      const far = connect(engine.socketPath);
      near
        .on('error', () => far.destroy())
        .pipe(far)
        .on('error', () => near.destroy())
        .pipe(near);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const remote = createDocker({ host: '127.0.0.1', port: (proxy.address() as AddressInfo).port });
    expect(await find(remote, plan)).toMatchObject({ running: true });
    remote.stop();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('an engine that ends and comes back', () => {
  let engine: OwnEngine;

  beforeAll(async () => {
    engine = await startEngine();
    await importBusybox(engine.docker);
  }, 90_000);

  afterAll(() => engine?.stop(), 60_000);

  test('is followed on, each event once, and is unreachable in between', async () => {
    const plan = { name: 'survivor', command: forever, restart: 'always' } as const;
    const docker = createDocker({ socketPath: engine.socketPath });
    const events: DockerEvent[] = [];
    const states: boolean[] = [];
    const end = docker.follow(
      (event) => events.push(event),
      (up) => states.push(up),
    );
    await vi.waitFor(() => expect(states).toEqual([true]), { timeout: 30_000 });
    const container = await runContainer(engine.docker, plan);
    await vi.waitFor(() => expect(events.map(({ action }) => action)).toContain('start'), { timeout: 30_000 });
    expect(await docker.inspect(plan, soon())).toMatchObject({ kind: 'found' });

    await engine.halt();
    const address = `unix://${engine.socketPath}`;
    const gone = await docker.inspect(plan, soon());
    expect(gone).toMatchObject({ kind: 'docker-unreachable', why: { address } });
    expect(gone).toSatisfy(({ why }) => ['ENOENT', 'ECONNREFUSED'].includes(why.code));
    await vi.waitFor(() => expect(states).toEqual([true, false]), { timeout: 10_000 });

    await engine.resume();
    await vi.waitFor(() => expect(states).toEqual([true, false, true]), { timeout: 10_000 });
    await container.kill();
    const actionsOf = () => events.filter(({ id }) => id === container.id).map(({ action }) => action);
    // It was ended with the engine, started by its policy before the engine listened, and is killed now.
    await vi.waitFor(() => expect(actionsOf().filter((action) => action === 'die')).toHaveLength(2), {
      timeout: 10_000,
    });
    expect(actionsOf().filter((action) => action === 'start').length).toBeGreaterThanOrEqual(2);
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(events.length);
    expect(await find(docker, plan)).toMatchObject({ id: container.id });
    end();
    docker.stop();
  }, 60_000);
});
