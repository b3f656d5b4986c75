import { expect, test } from 'vitest';
import type { NodeLogFacts } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import { judgeLogBlock } from '../../../src/watch/rules/judge-log-block.ts';
import { addressOf, diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { aView, settings } from '../../support/views.ts';

const NAMES = ['n1', 'n2'];

/** What is said of a log whose height has not risen for two minutes. */
function judge(
  stalledMs: number,
  height: number | undefined,
  silentMs = 120_000,
  level = 4,
  address = addressOf('n2'),
  ranMs = 3_600_000,
  stallAfterMs = settings.rpc.stallAfterMs,
  atRpc = 1_000,
) {
  const container = { startedAt: NOW - ranMs };
  const { target, facts } = diagnosedNode('n2', NAMES, { height: atRpc, stalledMs, chain: { address }, container });
  if (target.component !== 'node' || facts.logs === undefined) throw new Error('a node with a log is expected');
  const node = { ...(height !== undefined && { height, advancedAt: NOW - silentMs }), level };
  const view = aView(target, { ...facts, logs: { ...facts.logs, node } }, { now: NOW });
  return judgeLogBlock({ ...view, settings: { ...settings, rpc: { ...settings.rpc, stallAfterMs } } });
}

test('a log without new blocks of a node whose RPC rises is not a fault of the node', () => {
  expect(judge(2_000, 668)).toMatchObject({
    verdict: 'degraded',
    seen: 'the last block read in the log of n2 is 668, printed 2m ago, while its RPC is at block 1000',
    fix: 'restart n2 when that is safe: its log level may have been lowered since its start (debug_verbosity), or its log file removed or replaced',
  });
  // At a level too low for blocks, that is why.
  expect(judge(2_000, 668, 120_000, 2)).toMatchObject({
    verdict: 'degraded',
    fix: 'set LOG_LEVEL=3 in n2.env and recreate the node; if its log file was removed or replaced, restart it, so that it opens the new one',
  });
  expect(judge(2_000, undefined)).toMatchObject({ verdict: 'degraded' });
});

test('a chain that has just begun has shown its log no block to lack', () => {
  const at = (atRpc: number) =>
    judge(2_000, undefined, 0, 4, addressOf('n2'), 90_000, settings.rpc.stallAfterMs, atRpc);
  expect(at(10)).toMatchObject({
    verdict: 'pass',
    seen: 'the log of n2 has shown no block for 1m 30s, while its RPC is at block 10',
  });
  expect(at(11)).toMatchObject({ verdict: 'degraded' });
});

test('a node that was started a moment ago has had no time to print a block', () => {
  const own = addressOf('n2');
  const none = 'the log of n2 has shown no block yet, and has time to';
  expect(judge(2_000, 668, 62_000, 4, own, 59_999)).toEqual({ verdict: 'unknown', seen: none });
  const seen = 'the last block read in the log of n2 is 668, printed 1m 2s ago, while its RPC is at block 1000';
  expect(judge(2_000, 668, 62_000, 4, own, 62_000)).toMatchObject({ verdict: 'degraded', seen });
});

test('a block that the run before has printed is none of this one', () => {
  const own = addressOf('n2');
  expect(judge(2_000, 668, 25_000, 4, own, 25_000)).toMatchObject({
    verdict: 'pass',
    seen: 'the log of n2 is at block 668, which it reached 25s ago',
  });
  const none = 'the log of n2 has shown no block';
  expect(judge(2_000, 668, 25_001, 4, own, 25_000)).toEqual({
    verdict: 'unknown',
    seen: `${none} yet, and has time to`,
  });
  expect(judge(2_000, 668, 120_000, 4, own, 60_000)).toMatchObject({
    verdict: 'degraded',
    seen: `${none} for 1m, while its RPC is at block 1000`,
  });
  // A log that had got further than the chain of now is no better.
  expect(judge(2_000, 2_000, 120_000, 4, own, 60_000)).toMatchObject({ verdict: 'degraded' });
});

test('a log lacks no block that a run before has shown, as when a halt is over', () => {
  const said = (node: NodeLogFacts) => {
    const { target, facts } = diagnosedNode('n2', NAMES, {
      height: 1_000,
      stalledMs: 2_000,
      container: { startedAt: NOW - 90_000 },
    });
    if (target.component !== 'node' || facts.logs === undefined) throw new Error('a node with a log is expected');
    return judgeLogBlock(
      aView(target, { ...facts, logs: { ...facts.logs, node: { level: 4, ...node } } }, { now: NOW }),
    );
  };
  const seen = 'the log of n2 has shown no block for 1m 30s, while its RPC is at block 1000';
  for (const height of [990, 1_000]) {
    expect(said({ height, advancedAt: NOW - 95_000 })).toMatchObject({ verdict: 'pass', seen });
    expect(said({ heightBefore: height })).toMatchObject({ verdict: 'pass', seen });
  }
  expect(said({ heightBefore: 989 })).toMatchObject({ verdict: 'degraded', seen });
  // Of another chain.
  expect(said({ heightBefore: 1_001 })).toMatchObject({ verdict: 'degraded', seen });
});

test('what the RPC of the container before said is told as that', () => {
  const { target, facts } = diagnosedNode('n2', NAMES, {
    fault: { kind: 'refused', address: 'n2' },
    container: { startedAt: NOW - 62_000 },
  });
  if (target.component !== 'node' || facts.logs === undefined) throw new Error('a node with a log is expected');
  const node = { height: 0, advancedAt: NOW - 62_000, level: 4 };
  const view = aView(target, { ...facts, logs: { ...facts.logs, node } }, { now: NOW });
  expect(judgeLogBlock(view)).toMatchObject({
    verdict: 'unknown',
    seen: 'the last block read in the log of n2 is 0, printed 1m 2s ago, while its RPC before its start was at block 1000',
  });
});

test('a node that was started a moment ago and does not rise yet is waited for', () => {
  const own = addressOf('n2');
  const fixOf = (ranMs: number) => judge(120_000, 995, 30_000, 4, own, ranMs, 28_000).fix;
  expect(fixOf(59_999)).toBe('wait up to a minute: it has just started');
  expect(fixOf(60_000)).toMatch(/^check its peers and whether two thirds of the nodes run, and run `/);
});

test('a log that is a few blocks behind the RPC shows them with its next line: the node itself has stood, as in a halt that is just over', () => {
  expect(judge(2_000, 989)).toMatchObject({ verdict: 'degraded' });
  expect(judge(2_000, 990)).toMatchObject({
    verdict: 'pass',
    seen: 'the last block read in the log of n2 is 990, printed 2m ago, while its RPC is at block 1000',
  });
});

test('a log that is at the block of the RPC is not behind it: the node has just come up to that block again', () => {
  expect(judge(2_000, 999)).toMatchObject({ verdict: 'pass' });
  expect(judge(2_000, 1_000)).toMatchObject({ verdict: 'fail' });
});

test('the log of a stalled chain waits for the RPC, which has seen the last block later', () => {
  const last = 'the log of n2 is at block 1000, which it reached 1m 10s ago';
  expect(judge(59_000, 1_000, 70_000)).toMatchObject({ verdict: 'pass', seen: last });
  expect(judge(60_000, 1_000, 70_000)).toMatchObject({ verdict: 'fail' });
  expect(judge(59_000, 1_000, 75_000)).toMatchObject({ verdict: 'fail' });
});

test('the log of a node that prints its own turns only lacks the last blocks before a halt, which both are about to show', () => {
  const last = 'the log of n2 is at block 999, which it reached 1m 30s ago';
  expect(judge(40_000, 999, 90_000, 2)).toMatchObject({ verdict: 'pass', seen: last });
  expect(judge(60_000, 999, 90_000, 2)).toMatchObject({ verdict: 'fail' });
  expect(judge(30_000, 989, 90_000, 2)).toMatchObject({ verdict: 'degraded' });
});

test('it is one of a node whose RPC does not rise either, unless that is far above: then the log does not show that it stands', () => {
  expect(judge(120_000, 990)).toMatchObject({
    verdict: 'fail',
    seen: 'the height in the log of n2 has been 990 for 2m',
  });
  expect(judge(120_000, 989)).toMatchObject({
    verdict: 'unknown',
    seen: 'the last block read in the log of n2 is 989, printed 2m ago, while its RPC is at block 1000',
  });
  expect(judge(120_000, undefined)).toMatchObject({ verdict: 'fail' });
});

test('below level 3 only an active masternode prints its height', () => {
  expect(judge(2_000, 668, 120_000, 2, addressOf('n9'))).toMatchObject({
    verdict: 'pass',
    seen: 'the last block read in the log of n2 is 668, printed 2m ago, while its RPC is at block 1000: below log level 3 only an active masternode prints its height',
  });
  expect(judge(2_000, 668, 120_000, 3, addressOf('n9'))).toMatchObject({ verdict: 'degraded' });
  expect(judge(2_000, 668, 120_000, 2)).toMatchObject({ verdict: 'degraded' });
});

test('a height that the RPC no longer gives is that of before', () => {
  const { target, facts } = diagnosedNode('n2', NAMES, { stalledMs: 120_000 });
  if (target.component !== 'node' || facts.logs === undefined) throw new Error('a node with a log is expected');
  const logs = { ...facts.logs, node: { height: 668, advancedAt: NOW - 120_000, level: 4 } };
  const fault = { kind: 'refused', address: 'http://n' } as const;
  const node = facts.node && { ...facts.node, observation: { answered: false, latest: { ok: false, fault } } as const };
  expect(judgeLogBlock(aView(target, { ...facts, logs, ...(node && { node }) }, { now: NOW })).seen).toBe(
    'the last block read in the log of n2 is 668, printed 2m ago, while its RPC was last at block 1000',
  );
});

test('a log that has shown nothing says so without an advice while its container does not run', () => {
  const said = (over: Partial<Container>) => {
    const { target, facts } = diagnosedNode('n2', NAMES, { container: over });
    if (target.component !== 'node' || facts.logs === undefined) throw new Error('a node with a log is expected');
    return judgeLogBlock(aView(target, { ...facts, logs: { ...facts.logs, node: {} } }, { now: NOW }));
  };
  const seen = 'the log of n2 has shown neither a block nor the log level';
  for (const status of ['created', 'exited'])
    expect(said({ running: false, status })).toEqual({
      verdict: 'unknown',
      seen: `${seen}, and its container does not run`,
    });
  expect(said({})).toMatchObject({
    verdict: 'unknown',
    seen: `${seen} for 1h`,
    fix: expect.stringMatching(/^if it stays so, set LOG_LEVEL/),
  });
});
