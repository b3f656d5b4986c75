import { expect, test } from 'vitest';
import type { SubnetState, TargetState } from '../../../src/model/snapshot.ts';
import { createRestartJudge } from '../../../src/watch/monitor/create-restart-judge.ts';
import { diagnosedNode, diagnosedService, NOW } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);
const subnetOf = (name: string, count = 4): SubnetState =>
  stateOf([...namesOf(count).map((node) => diagnosedNode(node, namesOf(count))), diagnosedService('stats')], name);

/** A judge whose probes end when the test lets them. */
function judgeOf(states: readonly SubnetState[]) {
  let at = NOW;
  let current = states;
  const probes: { readonly subnet: string; readonly silent: readonly string[]; readonly end: () => void }[] = [];
  const judge = createRestartJudge({
    snapshot: () => current,
    probeNodes: ({ name }, silent) => {
      const ended = Promise.withResolvers<void>();
      probes.push({ subnet: name, silent: [...silent], end: ended.resolve });
      return ended.promise;
    },
    intervalMs: (_, round) => (round === 'containers' ? 20_000 : 10_000),
    now: () => at,
    toWall: (ms) => ms,
  });
  /** A probe of each node but one that hangs ends now. */
  const probed = (hanging?: string) => {
    const probe = (one: TargetState): TargetState =>
      one.target.name === hanging ? one : { ...one, checks: one.checks.map((check) => ({ ...check, lastRun: at })) };
    current = current.map((state) => ({ ...state, targets: state.targets.map(probe) }));
  };
  return {
    judge,
    probes,
    probed,
    pass: (ms: number) => {
      at += ms;
    },
  };
}

test('a question is answered by probes that began after it, which those who ask meanwhile share', async () => {
  const { judge, probes, probed, pass } = judgeOf([subnetOf('devnet')]);
  pass(1_000);
  const first = judge.ask('devnet', 'n1');
  await expect.poll(() => probes.length).toBe(1);
  const [second, third] = [judge.ask('devnet', 'n2'), judge.ask(undefined, 'n3')];
  probed();
  probes[0]?.end();
  expect(await first).toMatchObject({ kind: 'answer', subnet: 'devnet', node: 'n1', safe: true });
  expect(probes).toHaveLength(1);
  pass(1_000);
  await expect.poll(() => probes.length).toBe(2);
  probed();
  probes[1]?.end();
  expect([await second, await third]).toMatchObject([{ safe: true }, { node: 'n3', safe: true }]);
  expect(probes).toHaveLength(2);
});

test('where the probes show nothing new nobody knows, however new the facts are', async () => {
  const { judge, probes, pass } = judgeOf([subnetOf('devnet')]);
  pass(1_000);
  const asked = judge.ask('devnet', 'n1');
  await expect.poll(() => probes.length).toBe(1);
  probes[0]?.end();
  expect(await asked).toMatchObject({
    ...{ safe: false, known: false },
    reason: 'no other masternode can be counted on, 3 needed: no probe of n2 has ended for 1s',
  });
  // A page shows what the last rounds have shown.
  expect(judge.judge('devnet', 'n1')).toMatchObject({ safe: true });
  pass(40_000);
  expect(judge.judge('devnet', 'n1')).toMatchObject({ safe: true });
  pass(5_000);
  expect(judge.judge('devnet', 'n1')).toMatchObject({ safe: false, known: false });
  expect([judge.judge('devnet', 'stats'), judge.judge('other', 'n1')]).toEqual([undefined, undefined]);
});

test('a node that hangs is not waited for, and counts as its last round has shown it', async () => {
  const fault = { kind: 'timeout', address: 'http://n4', afterMs: 5_000, received: false } as const;
  const nodes = namesOf(4).map((name) => diagnosedNode(name, namesOf(4), name === 'n4' ? { fault } : {}));
  const { judge, probes, probed, pass } = judgeOf([stateOf(nodes, 'devnet')]);
  const answer = async (node: string) => {
    const asked = judge.ask('devnet', node);
    await expect.poll(() => probes.length).toBe(1);
    expect(probes[0]?.silent).toEqual(['n4']);
    probed('n4');
    probes.pop()?.end();
    return asked;
  };
  pass(5_000);
  expect(await answer('n1')).toMatchObject({
    ...{ safe: false, known: true },
    reason: 'only 2 other masternodes can be counted on, 3 needed: n4 does not answer',
  });
  pass(5_000);
  expect(await answer('n4')).toMatchObject({ safe: true, reason: '3 other masternodes vote, 3 needed' });
  // After its rounds have ended, nobody knows.
  pass(40_000);
  expect(await answer('n1')).toMatchObject({
    ...{ safe: false, known: false },
    reason: 'only 2 other masternodes can be counted on, 3 needed: no probe of n4 has ended for 50s',
  });
});

test('a large subnet is judged by its rounds', async () => {
  const { judge, probes } = judgeOf([subnetOf('large', 101)]);
  expect(await judge.ask('large', 'n1')).toMatchObject({ safe: true });
  expect(probes).toEqual([]);
});

test('a question about no node gets none, and says which there are', async () => {
  const { judge, probes } = judgeOf([subnetOf('devnet'), subnetOf('testnet', 12)]);
  const errorOf = async (subnet: string | undefined, node: string) => {
    const result = await judge.ask(subnet, node);
    return result.kind === 'answer' ? result.kind : `${result.kind}: ${result.error}`;
  };
  expect(await errorOf('devnet', 'n9')).toBe('unknown: devnet has no such node; it has n1, n2, n3, n4');
  expect(await errorOf('testnet', 'n99')).toBe(
    'unknown: testnet has no such node; it has n1, n2, n3, n4, n5, n6, n7, n8, n9, n10 and 2 others',
  );
  expect(await errorOf('mainnet', 'n1')).toBe('unknown: the inventory has no such subnet; it has devnet, testnet');
  expect(await errorOf(undefined, 'n99')).toBe('unknown: no subnet of the inventory has such a node');
  expect(await errorOf('devnet', 'stats')).toBe(
    'unknown: stats is not a node, so it has no vote and blocks do not depend on it',
  );
  expect(await errorOf(undefined, 'n1')).toBe(
    'ambiguous: several subnets have this node, so name the subnet: devnet, testnet',
  );
  expect(probes).toEqual([]);
});
