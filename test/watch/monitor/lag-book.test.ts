import { describe, expect, test } from 'vitest';
import { isSampled } from '../../../src/model/lag.ts';
import type { Epoch, Masternode, Vote } from '../../../src/model/snapshot.ts';
import { viewLag } from '../../../src/watch/diagnosis/find-lagging.ts';
import { createLagBook } from '../../../src/watch/monitor/create-lag-book.ts';
import { votesOf } from '../../support/lag-run.ts';

const MINUTE = 60_000;
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string, string];
const ACTIVE = [A, B, C, D];

/** The epoch at a block, with what each masternode has made and missed in it. */
function epochAt(
  number: number,
  block: number,
  counts: Readonly<Record<string, readonly [number, number, Vote?]>>,
): Epoch {
  const masternodes = Object.entries(counts).map(
    ([address, [blocksMade, missedRounds, vote = 'votes']]): Masternode => ({
      address,
      vote,
      blocksMade,
      missedRounds,
    }),
  );
  return { number, isNextKnown: false, block, round: block, masternodes };
}

/** What is counted of the turns of each, without fractions. */
const turnsOf = (book: ReturnType<typeof createLagBook>) =>
  Object.fromEntries(
    Object.entries(book.keep() ?? {}).map(([address, counts]) => [address, counts.map((one) => Math.round(one))]),
  );

describe('turns', () => {
  test('are counted from one minute to the next, and over the end of an epoch', () => {
    const book = createLagBook();
    book.addEpoch(epochAt(1, 950, { [A]: [25, 0], [B]: [25, 2] }), 0);
    expect(book.keep()).toBeUndefined();
    book.addEpoch(epochAt(1, 960, { [A]: [30, 0], [B]: [29, 3] }), 30_000);
    expect(book.keep()).toBeUndefined();
    book.addEpoch(epochAt(1, 970, { [A]: [35, 0], [B]: [34, 3] }), MINUTE);
    expect(turnsOf(book)).toEqual({ [A]: [10, 0, 0, 10], [B]: [10, 1, 1, 0] });
    book.addEpoch(epochAt(2, 1_810, { [A]: [5, 1], [B]: [6, 0] }), 2 * MINUTE);
    expect(turnsOf(book)).toEqual({ [A]: [16, 1, 1, 0], [B]: [16, 1, 1, 6] });
  });

  test('of a node that was out do not count, nor do those of the two minutes after that', () => {
    const book = createLagBook();
    const at = (minute: number, missed: number, vote: Vote) =>
      book.addEpoch(epochAt(1, 900 + 30 * minute, { [A]: [8 * minute, 0], [B]: [0, missed, vote] }), minute * MINUTE);
    at(0, 0, 'silent');
    at(1, 7, 'silent');
    at(2, 14, 'votes');
    at(3, 15, 'votes');
    at(4, 16, 'votes');
    expect(turnsOf(book)[B]).toEqual([1, 1, 1, 0]);
    expect(turnsOf(book)[A]?.at(-1)).toBe(32);
  });

  test('are not counted after a long time without a count, nor backwards, nor of a block that is known', () => {
    const book = createLagBook();
    book.addEpoch(epochAt(1, 1_000, { [A]: [25, 0] }), 0);
    book.addEpoch(epochAt(1, 1_200, { [A]: [75, 9] }), 6 * MINUTE);
    book.addEpoch(epochAt(1, 1_200, { [A]: [75, 9] }), 7 * MINUTE);
    book.addEpoch(epochAt(1, 1_201, { [A]: [70, 3] }), 8 * MINUTE);
    expect(book.keep()).toBeUndefined();
  });

  test('of the chain before are not said of one that was made anew', () => {
    const book = createLagBook();
    const missedLately = (at: number) => viewLag(book.read(at), A, undefined)?.missedShare;
    book.addEpoch(epochAt(1, 1_000, { [A]: [25, 0] }), 0);
    book.addEpoch(epochAt(1, 1_080, { [A]: [35, 10] }), MINUTE);
    book.addPool(votesOf(ACTIVE, 40, [D]), ACTIVE, B, MINUTE);
    expect(missedLately(MINUTE)).toBe(0.5);
    // Nobody waits a minute to hear that.
    book.addEpoch(epochAt(0, 15, { [A]: [4, 0] }), MINUTE + 5_000);
    expect(book.read(MINUTE + 5_000)?.turns.size).toBe(0);
    book.addEpoch(epochAt(0, 30, { [A]: [8, 0] }), 2 * MINUTE + 5_000);
    expect(book.read(2 * MINUTE + 5_000)?.turns.get(A)?.of).toBe(4);
    // Of so few turns a share says little.
    book.addEpoch(epochAt(0, 92, { [A]: [23, 0] }), 4 * MINUTE);
    const few = book.read(4 * MINUTE);
    expect([Math.round(few?.turns.get(A)?.of ?? 0), viewLag(few, A, undefined)]).toEqual([19, {}]);
    book.addEpoch(epochAt(0, 116, { [A]: [29, 0] }), 5 * MINUTE);
    expect(missedLately(5 * MINUTE)).toBe(0);
    // A node that is asked a little later than another one tells of an older block.
    book.addEpoch(epochAt(0, 100, { [A]: [25, 0] }), 6 * MINUTE);
    expect(missedLately(6 * MINUTE)).toBe(0);
  });

  test('survive a restart of subnetd, and leave with their masternode', () => {
    const book = createLagBook();
    book.restore({ [A]: [250, 30, 12, 3], [D]: [250, 1, 1, 90] });
    expect(book.read(0)?.turns.get(A)).toEqual({ of: 250, hits: 30, times: 12, clean: 3 });
    book.addEpoch(epochAt(1, 1_000, { [A]: [25, 0], [B]: [25, 0] }), 0);
    expect(Object.keys(book.keep() ?? {})).toEqual([A]);
  });
});

describe('votes', () => {
  test('that come after the quorum show in the pools of others', () => {
    const book = createLagBook();
    for (const own of [A, B, C]) book.addPool(votesOf(ACTIVE, 40, [D]), ACTIVE, own, 0);
    const { votes } = book.read(0) ?? {};
    const shares = ACTIVE.map((address) => (votes?.get(address)?.hits ?? 0) / (votes?.get(address)?.of ?? 0));
    expect(shares).toEqual([0, 0, 0, 1]);
  });

  test('that a pool may not show of its own node do not count, nor do those of a round without a quorum', () => {
    const book = createLagBook();
    book.addPool(votesOf(ACTIVE, 40, [D]), ACTIVE, D, 0);
    book.addPool([{ key: '9:0x', round: '9', signers: [A, B] }], ACTIVE, A, 0);
    expect(book.read(0)?.votes).toEqual(new Map([A, B, C].map((one) => [one, { of: 40, hits: 0 }])));
  });

  test('of a node that is out are not late', () => {
    const book = createLagBook();
    book.addEpoch(epochAt(1, 1_000, { [A]: [25, 0], [D]: [0, 25, 'silent'] }), MINUTE);
    book.addPool(votesOf(ACTIVE, 40, [D]), ACTIVE, A, MINUTE + 1);
    expect(book.read(MINUTE)?.votes.has(D)).toBe(false);
    book.addPool(votesOf(ACTIVE, 40, [D]), ACTIVE, A, 4 * MINUTE);
    expect(book.read(4 * MINUTE)?.votes.get(D)).toEqual({ of: 40, hits: 40 });
  });
});

describe('blocks', () => {
  /** What is read of the nodes after blocks that each has shown so much later, on clocks that are so far ahead. */
  function readBlocks(nodes: Readonly<Record<string, { late: number; ahead?: number; tookMs?: number }>>, count = 60) {
    const book = createLagBook();
    let at = 0;
    for (let number = 100_000, seen = 0; seen < count; number++) {
      at += 2_000;
      if (!isSampled(number)) continue;
      seen++;
      for (const [node, { late, ahead = 0, tookMs }] of Object.entries(nodes))
        book.addImport(node, { number, at: at + late + ahead, tookMs }, ahead);
    }
    return book.read(at)?.blocks;
  }

  test('are compared with those in half of the logs, without the difference of the clocks', () => {
    const blocks = readBlocks({
      n1: { late: 0, tookMs: 4 },
      n2: { late: 1_400, tookMs: 900 },
      n3: { late: 30, ahead: 9_000, tookMs: 5 },
      n4: { late: 60, ahead: -3_000 },
    });
    expect(blocks?.get('n1')).toMatchObject({ delayMs: -30, importMs: 4 });
    expect(blocks?.get('n2')).toEqual({ blocks: 56, delayMs: 1_370, delayP95Ms: 1_370, importMs: 900 });
    expect(blocks?.get('n3')).toMatchObject({ delayMs: 0 });
    expect(blocks?.get('n4')).toEqual({ blocks: 56, delayMs: 30, delayP95Ms: 30 });
  });

  test('are not compared in two logs, nor in few of them', () => {
    expect(readBlocks({ n1: { late: 0 }, n2: { late: 2_000 } })?.size).toBe(0);
    expect(readBlocks({ n1: { late: 0 }, n2: { late: 2_000 }, n3: { late: 0 } }, 20)?.size).toBe(0);
  });

  test('of a clock that is not known are not compared, and a log that was silent begins anew', () => {
    const book = createLagBook();
    for (let number = 0, seen = 0; seen < 60; number++) {
      if (!isSampled(number)) continue;
      seen++;
      for (const node of ['n1', 'n2', 'n3']) book.addImport(node, { number, at: number }, 0);
      book.addImport('n4', { number, at: number + 5_000 }, undefined);
    }
    expect([...(book.read(0)?.blocks.keys() ?? [])]).toEqual(['n1', 'n2', 'n3']);
    expect(book.read(10 * MINUTE)?.blocks.size).toBe(0);
  });
});
