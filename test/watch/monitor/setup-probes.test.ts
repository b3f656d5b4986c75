import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { createSubnetProbes } from '../../../src/watch/monitor/create-subnet-probes.ts';
import { nodeTarget } from '../../support/views.ts';

test('the set-up is read after the start, and again half a minute after containers were replaced, once for all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const inspected: string[] = [];
  const targets = ['n1', 'n2', 'n3'].map((name) =>
    nodeTarget(name, { rpc: undefined, container: name === 'n3' ? { project: 'p', service: name } : { name } }),
  );
  const log = { driver: 'local', isReadable: true };
  let at = 0;
  const pass = async (ms: number) => {
    at += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  let seen = 0;
  let listed = 0;
  const probes = createSubnetProbes({
    clock: { now: () => at, toWall: () => 0, resumedAt: () => Number.NEGATIVE_INFINITY },
    scheduled: true,
    keepsConnections: () => true,
    docker: {
      inspectSetup: async (ref) => {
        const name = 'name' in ref ? ref.name : ref.service;
        inspected.push(name);
        return { kind: 'found', setup: { id: 'old', name, log, published: [], ports: {} } };
      },
      listProject: async () => {
        listed += 1;
        return { kind: 'listed', containers: [] };
      },
      listOpenApis: async () => undefined,
    },
    onSeen: (_, { kind }) => {
      if (kind === 'setup') seen += 1;
    },
    onBug: (error) => expect.fail(`${error}`),
  });
  onTestFinished(probes.stop);
  probes.load([{ name: targets[0]?.subnet ?? '', consensus: 'XDPoS', targets, settings: DEFAULT_SETTINGS }]);
  await pass(4_900);
  expect(inspected).toEqual([]);
  await pass(200);
  await expect.poll(() => seen).toBe(1);
  expect(inspected.toSorted()).toEqual(['n1', 'n2', 'n3']);
  const [n1, n2, n3] = targets;
  if (!n1 || !n2 || !n3) throw new Error('there are three');
  probes.containerStarted(n3, 'old');
  probes.containerStarted(n1, 'new');
  await pass(20_000);
  probes.containerStarted(n2, 'new');
  expect(seen).toBe(1);
  await pass(10_100);
  await expect.poll(() => seen).toBe(2);
  expect(inspected.slice(3).toSorted()).toEqual(['n1', 'n2']);

  // What is gone is not listed any more two seconds later, unless it is being replaced.
  const events = async (actions: readonly string[], afterMs: number) => {
    for (const action of actions) probes.onOtherContainer({ action, project: 'p' }, 'default');
    await pass(afterMs);
    return seen;
  };
  expect(await events(['die', 'destroy'], 1_900)).toBe(2);
  await pass(200);
  await expect.poll(() => seen).toBe(3);
  expect(await events(['die', 'destroy', 'start', 'die'], 29_900)).toBe(3);
  await pass(200);
  await expect.poll(() => seen).toBe(4);

  // What is listed is not inspected.
  listed = 0;
  for (const project of ['q', 'p'])
    for (const action of ['start', 'die', 'destroy', 'rename']) {
      probes.onOtherContainer({ action, project }, 'default');
      await pass(action === 'start' ? 30_100 : 2_100);
    }
  await expect.poll(() => [seen, listed]).toEqual([7, 3]);
  expect(inspected).toHaveLength(5);
});
