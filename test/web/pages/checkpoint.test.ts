import { expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { ContractReading, NextBlock, ParentFacts, ParentResult } from '../../../src/model/parent-chain.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { checkpointItem } from '../../../src/web/pages/checkpoint-item.ts';
import { diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { words } from '../../support/page-words.ts';
import { stateOf } from '../../support/snapshots.ts';

const known = diagnosedNode('n1', ['n1']);
const committed = { number: 998, advancedAt: NOW, riseDueSince: NOW, lastGoodAt: NOW, risen: true };
const node: KnownTarget = {
  ...known,
  facts: { ...known.facts, ...(known.facts.node && { node: { ...known.facts.node, committed } }) },
};

const block = { hash: '0xaa', number: 990 };
const checkpoint = { mode: 'lite', latest: block, committed: block } as const;
const read: ParentResult<ContractReading> = { ok: true, value: { kind: 'checkpoint', checkpoint } };

function itemOf(
  contract: ParentResult<ContractReading> | undefined,
  more: Partial<ParentFacts> = {},
  problems: readonly Problem[] = [],
) {
  const parent: ParentFacts = {
    observation: { head: { ok: true, value: { number: 7, timestamp: 1 } }, ...(contract && { contract }) },
    at: NOW,
    progress: {
      checkpoint,
      readAt: NOW,
      advancedAt: NOW - 10_000,
      hasAdvanced: true,
      recent: [{ at: NOW, number: 990 }],
    },
    ...more,
  };
  const state = { ...stateOf([node]), facts: { parent }, problems };
  const item = String(checkpointItem(state, { toWall: (at) => at, nowWall: NOW }));
  return { text: words(item).trim(), standing: /shape (\w+)/.exec(item)?.[1] };
}

test('the checkpoint stands beside the services, with its height, lag, mode and last rise', () => {
  expect(itemOf(read)).toEqual({
    text: 'Checkpoint block 990, 8 blocks behind, lite mode, seen to advance 10 s ago',
    standing: 'ok',
  });
  expect(itemOf(undefined).text).toBe('');
});

test('the checkpoint is as far behind as it was when it was read', () => {
  const newest = { ...committed, number: 993 };
  const progress = { checkpoint, readAt: NOW, advancedAt: NOW, hasAdvanced: false, recent: [], newest };
  expect(itemOf(read, { progress }).text).toBe('Checkpoint block 990, 3 blocks behind, lite mode');
});

test('what was read of the checkpoint some seconds ago says when, as the height beside it is that of now', () => {
  const progress = { checkpoint, readAt: NOW - 25_000, advancedAt: NOW - 27_000, hasAdvanced: true, recent: [] };
  const rest = 'block 990, 8 blocks behind, lite mode, read 25 s ago';
  expect(itemOf(read, { progress }).text.replace(' ,', ',')).toBe(`Checkpoint ${rest}, seen to advance 27 s ago`);
});

test('the checkpoint of a chain that got further than the subnet is not up to date', () => {
  const textAt = (number: number) => {
    const above = { ...checkpoint, committed: { ...block, number } };
    const progress = { checkpoint: above, readAt: NOW, advancedAt: NOW, hasAdvanced: false, recent: [] };
    return itemOf({ ok: true, value: { kind: 'checkpoint', checkpoint: above } }, { progress }).text;
  };
  expect(textAt(1_050)).toBe('Checkpoint block 1,050, up to date, lite mode');
  expect(textAt(1_051)).toBe('Checkpoint block 1,051, lite mode');
});

test('the checkpoint says whether it takes the next block', () => {
  const textOf = (next: NextBlock) => {
    const progress = {
      checkpoint: { ...checkpoint, next },
      readAt: NOW,
      advancedAt: NOW,
      hasAdvanced: false,
      recent: [],
    };
    return itemOf(read, { progress }).text;
  };
  const start = 'Checkpoint block 990, 8 blocks behind, lite mode,';
  expect(textOf({ number: 991 })).toBe(`${start} takes the next block`);
  expect(textOf({ number: 991, refusal: 'Parent Missing' })).toBe(`${start} refuses the next block: Parent Missing`);
  expect(textOf({ number: 991, refusal: '' })).toBe(`${start} refuses the next block`);
});

test('a checkpoint that cannot be read says why, and what was read last', () => {
  const head = { ok: false, why: 'cannot be reached' } as const;
  expect(itemOf(head, { observation: { head, contract: head } })).toEqual({
    text: 'Checkpoint the parent chain cannot be reached, last at block 990',
    standing: 'off',
  });
  expect(itemOf({ ok: true, value: { kind: 'missing' } }).text).toBe(
    'Checkpoint there is no checkpoint contract at that address, last at block 990',
  );
  expect(itemOf({ ok: false, why: 'answers HTTP 429' }).text).toBe(
    'Checkpoint the contract cannot be read, last at block 990',
  );
});

test('a problem of the checkpoint that is confirmed shows at it', () => {
  const problem = (state: Problem['state']): Problem => ({
    ...{ problem: 'checkpoint_behind', summary: '', evidence: '', fix: '', explains: [], causes: [] },
    ...{ severity: 'critical', alert: 'SubnetCheckpointBehind', state, since: NOW, seenAt: NOW },
  });
  expect(itemOf(read, {}, [problem('open')]).standing).toBe('bad');
  expect(itemOf(read, {}, [problem('suspected')]).standing).toBe('warn');
});
