import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ContainerRef, DEFAULT_SETTINGS, type Target } from '../../../../src/model/target.ts';
import type { SetupInspection } from '../../../../src/watch/docker/inspect.ts';
import { createSetupSource } from '../../../../src/watch/probes/setup/create-setup-source.ts';
import type { KnownSetup } from '../../../../src/watch/probes/setup/setup-tools.ts';
import { nodeTarget } from '../../../support/views.ts';
import { compose } from '../../import/deployments.ts';

const MINUTE = 60_000;
const NAMES = Array.from({ length: 12 }, (_, index) => `n${index + 1}`);

/** A set-up that is read from an engine of literals, at times that the test sets. */
function useSource(folder?: string) {
  let at = 0;
  let inspected: string[] = [];
  let listed = 0;
  let waited = 0;
  let onInspected = () => {};
  const ids = new Map(NAMES.map((name) => [name, `${name}-a`]));
  const inspectSetup = async (ref: ContainerRef): Promise<SetupInspection> => {
    const name = 'service' in ref ? ref.service : '';
    const id = ids.get(name);
    inspected.push(name);
    onInspected();
    if (id === undefined) return { kind: 'missing' };
    const log = { driver: 'local', isReadable: true };
    const origin = folder === undefined ? undefined : { folder, settings: new Map([['NETWORK_ID', '5']]) };
    return { kind: 'found', setup: { id, name, log, published: [], ports: {}, ...(origin && { origin }) } };
  };
  const tools = {
    docker: {
      inspectSetup,
      listProject: async () => {
        listed += 1;
        return { kind: 'listed' as const, containers: [], engineMs: 1_500 };
      },
      listOpenApis: async () => undefined,
    },
    ...{
      now: () => at,
      wall: () => 1_000,
      namedContainers: () => [],
      known: new WeakMap<Target, KnownSetup>(),
      takeTurn: () => {
        waited += 1;
        return 1;
      },
      keepsConnections: () => true,
    },
  };
  const targets: readonly Target[] = NAMES.map((name) =>
    nodeTarget(name, { rpc: undefined, container: { project: 'p', service: name } }),
  );
  const create = () => createSetupSource({ name: 'd', consensus: 'XDPoS', targets, settings: DEFAULT_SETTINGS }, tools);
  return {
    create,
    ids,
    targets,
    /** Each inspection takes so many milliseconds. */
    passWhileReading: (ms: number) => {
      onInspected = () => {
        at += ms;
      };
    },
    /** How often an engine was asked by a probe that is stopped during its first inspection, and the targets that it inspected. */
    stopProbe: async (source: ReturnType<typeof create>) => {
      const stopping = new AbortController();
      onInspected = () => stopping.abort();
      await source.probe(stopping.signal);
      return { listed, inspected };
    },
    /** The names of the containers that a probe at a minute inspects. */
    probeAt: async (source: ReturnType<typeof create>, minute: number) => {
      at = minute * MINUTE;
      inspected = [];
      const { seen, againMs } = await source.probe(new AbortController().signal);
      return { seen, againMs, inspected: inspected.toSorted() };
    },
    /** How often a project was listed. */
    listedSoFar: () => listed,
    /** How often the probes waited for a turn. */
    waited: () => waited,
  };
}

test('each target is read once in 60 to 90 minutes, and not all at the same time', async () => {
  const { create, probeAt } = useSource();
  const source = create();
  const first = await probeAt(source, 0);
  expect(first.inspected).toEqual(NAMES.toSorted());
  expect(first.seen.engines.get('default')).toEqual({
    ok: true,
    value: { clockAheadMs: 500, projects: [{ project: 'p', containers: [] }] },
  });
  expect((await probeAt(source, 59)).inspected).toEqual([]);
  const later = [];
  for (let minute = 60; minute <= 90; minute += 5) later.push((await probeAt(source, minute)).inspected);
  expect(later.flat().toSorted()).toEqual(NAMES.toSorted());
  expect(later.filter((names) => names.length > 0).length).toBeGreaterThan(1);
});

test('a new inventory that leaves a target as it is asks it for nothing, and each that is asked waits for its turn', async () => {
  const { create, probeAt, waited } = useSource();
  await probeAt(create(), 0);
  const { inspected, seen } = await probeAt(create(), 10);
  expect(waited()).toBe(NAMES.length);
  expect(inspected).toEqual([]);
  expect(seen.targets.size).toBe(NAMES.length);
});

test('what could not be read is read again after five minutes', async () => {
  const { create, probeAt, ids } = useSource();
  ids.delete('n3');
  const source = create();
  await probeAt(source, 0);
  expect((await probeAt(source, 4)).inspected).toEqual([]);
  expect((await probeAt(source, 5)).inspected).toEqual(['n3']);
});

test('it is due at the next probe, however long it took to read the targets', async () => {
  const { create, probeAt, ids, passWhileReading } = useSource();
  ids.delete('n3');
  const source = create();
  passWhileReading(2_000);
  await probeAt(source, 0);
  expect((await probeAt(source, 5)).inspected).toEqual(['n3']);
});

test('a new container makes what is known outdated, a restart of the same one does not', async () => {
  const { create, probeAt, targets } = useSource();
  const source = create();
  await probeAt(source, 0);
  const [n1, n2] = targets as readonly [Target, Target];
  expect(source.isOutdatedBy?.(n1, 'n1-a')).toBe(false);
  expect(source.isOutdatedBy?.(n2, 'n2-b')).toBe(true);
  expect((await probeAt(source, 1)).inspected).toEqual(['n2']);
});

test('a container of no target makes the list of its project outdated, and no other', async () => {
  const { create, probeAt, listedSoFar } = useSource();
  const source = create();
  await probeAt(source, 0);
  await probeAt(source, 5);
  expect(listedSoFar()).toBe(1);
  expect(source.isProjectOutdated?.('default', 'p')).toBe(true);
  expect((await probeAt(source, 6)).inspected).toEqual([]);
  expect(listedSoFar()).toBe(2);
  for (const [engine, project] of [
    ['default', 'q'],
    ['other', 'p'],
    ['default', undefined],
  ] as const)
    expect(source.isProjectOutdated?.(engine, project)).toBe(false);
  await probeAt(source, 7);
  expect(listedSoFar()).toBe(2);
});

test('a probe that is stopped asks for nothing more, and keeps nothing of what was broken off', async () => {
  const { create, probeAt, stopProbe } = useSource();
  const { listed, inspected } = await stopProbe(create());
  expect(listed).toBe(0);
  expect(inspected.length).toBeLessThan(NAMES.length);
  expect((await probeAt(create(), 1)).inspected).toEqual(NAMES.toSorted());
});

test('the folder of the containers is compared with them once an hour, and each 15 s while it differs', async () => {
  const folder = compose('services: { n1: { environment: { NETWORK_ID: 5 } }, subnet13: { image: a } }');
  const write = (networkId: number) =>
    writeFileSync(`${folder}/compose.yaml`, `services: { n1: { environment: { NETWORK_ID: ${networkId} } } }`);
  const { create, probeAt, targets } = useSource(folder);
  const source = create();
  const driftAt = async (seconds: number) => {
    const { seen, againMs } = await probeAt(source, seconds / 60);
    const engine = seen.engines.get('default');
    const drift = engine?.ok ? engine.value.projects[0]?.drift : undefined;
    return [drift?.ok ? drift.value?.evidence : drift?.why, againMs];
  };
  const differs = ['docker-compose.yml has subnet13, and neither Docker nor the inventory does', 15_000];
  expect(await driftAt(0)).toEqual(differs);
  write(5);
  expect(await driftAt(13)).toEqual(differs);
  expect(await driftAt(14)).toEqual([undefined, undefined]);
  write(6);
  expect(await driftAt(3_613)).toEqual([undefined, undefined]);
  const changed = ['the environment of n1 in compose.yaml sets NETWORK_ID to 6, and n1 was created with 5', 15_000];
  expect(await driftAt(3_614)).toEqual(changed);
  // What was created since is not known to differ, and is asked once it has had time to start.
  source.isOutdatedBy?.(targets[0] as Target, 'another');
  expect(await driftAt(3_615)).toEqual([undefined, undefined]);
  expect((await probeAt(source, 3_643.8 / 60)).inspected).not.toContain('n1');
  expect(await driftAt(3_643.9)).toEqual(changed);
});
