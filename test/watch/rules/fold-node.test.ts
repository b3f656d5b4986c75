import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { NodeFacts } from '../../../src/model/facts.ts';
import type { NodeObservation } from '../../../src/model/observation.ts';
import type { NodeTarget } from '../../../src/model/target.ts';
import { foldNode } from '../../../src/watch/rules/fold-node.ts';
import { judgeLatestBlock } from '../../../src/watch/rules/judge-node.ts';
import { asRead, aView, nodeTarget } from '../../support/views.ts';

const SECOND = 1000;
const target: NodeTarget = nodeTarget('a');

/** A node's readings, one each ten seconds; null is a failed probe. */
function watch(heights: readonly (number | null)[], stepMs = 10 * SECOND) {
  let facts: NodeFacts | undefined;
  return heights.map((number, i) => {
    const at = 1_000_000 + i * stepMs;
    const observation: NodeObservation =
      number === null
        ? { answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'http://a' } } }
        : { answered: true, latest: { ok: true, value: { number } } };
    facts = foldNode(facts, observation, { at, stallAfterMs: 60 * SECOND });
    return asRead(judgeLatestBlock(aView(target, { node: facts }, { now: at })));
  });
}
const verdicts = (heights: readonly (number | null)[], stepMs?: number) =>
  watch(heights, stepMs)
    .map(({ verdict }) => verdict[0])
    .join('');

describe('a height', () => {
  it('passes at the first good reading', () => expect(verdicts([5])).toBe('p'));
  it('passes as long as it rises', () => expect(verdicts([5, 6, 7, 8, 9, 10, 11, 12])).toBe('pppppppp'));
  it('fails when it has not risen for as long as a stall takes, and not before', () => {
    expect(verdicts([5, 5, 5, 5, 5, 5, 5, 5])).toBe('ppppppff');
  });
  it('passes again with the first rise', () => expect(verdicts([5, 5, 5, 5, 5, 5, 5, 6, 6])).toBe('ppppppfpp'));
  it('fails also when probes failed in between', () => {
    expect(verdicts([5, null, 5, null, 5, null, 5])).toBe('pfpfpff');
  });
  it('gets new time after it was unreachable for as long as a stall takes', () => {
    expect(verdicts([5, null, null, null, null, null, null, 5, 5, 5, 5, 5, 5, 5])).toBe('pffffffppppppf');
  });
  it('is as old as it is when it gets new time, and begins anew with a fall', () => {
    const last = (heights: readonly (number | null)[]) => watch(heights).at(-1)?.reason;
    const back = [null, null, null, null, null, null, 5, 5, 5, 5, 5, 5, 5];
    expect(last([5, ...back])).toContain('the block 5 of a has not risen for 2m 10s (limit 1m)');
    expect(last([6, ...back])).toContain('the block 5 of a has not risen for 1m (limit 1m)');
  });
  it('is as old as its log shows it, which goes back further than what subnetd has asked', () => {
    const facts = foldNode(
      undefined,
      { answered: true, latest: { ok: true, value: { number: 5 } } },
      { at: 1_000_000, stallAfterMs: 60 * SECOND },
    );
    const judged = (height: number, advancedAt: number) => {
      const logs = { sources: {}, patterns: {}, node: { height, advancedAt } };
      return judgeLatestBlock(aView(target, { node: facts, logs }, { now: 1_060_000 })).seen;
    };
    expect(judged(5, 970_000)).toContain('the block 5 of a has not risen for 1m 30s (limit 1m)');
    expect(judged(5, 1_010_000)).toContain('has not risen for 1m (limit 1m)');
    expect(judged(4, 970_000)).toContain('has not risen for 1m (limit 1m)');
  });
  it('is given a new base by a fall, and that is said', () => {
    const judged = watch([1000, 1005, 870, 900, 1010]);
    expect(judged.map(({ verdict }) => verdict)).toEqual(Array(5).fill('pass'));
    expect(judged[2]?.reason).toMatch(
      /after a fall from 1005 to 870 (?:just now|.* ago), as an unclean stop or an older copy of its data causes$/,
    );
    expect(judged[3]?.reason).toContain('fall from 1005 to 870');
  });
  it('that fell by more than half has not been seen to rise since', () => {
    const fallen = (to: number) => {
      let facts: NodeFacts | undefined;
      for (const [i, number] of [271, 272, to].entries()) {
        const latest = { ok: true, value: { number } } as const;
        facts = foldNode(
          facts,
          { answered: true, latest },
          { at: 1_000_000 + i * 300 * SECOND, stallAfterMs: 60 * SECOND },
        );
      }
      // It says of a new chain that it is one.
      const replaced = { chainId: 5551, genesis: '0x7f83', at: 1_600_000 };
      const chain = { observation: { missing: {} }, at: 1_600_000, epoch: {}, replaced, marks: [] } as never;
      return asRead(judgeLatestBlock(aView(target, { node: { ...facts, chain } as NodeFacts }, { now: 1_601_000 })));
    };
    expect(fallen(135).reason).toBe('a is at block 135, and has time to rise');
    expect(fallen(136).reason).toBe('a is at block 136, last seen to rise 5m 1s ago');
  });
  it('is not told as an unclean stop where none costs so many blocks', () => {
    const [, fallen] = watch([1_229, 5]);
    expect(fallen?.reason).toMatch(/after a fall from 1229 to 5 (?:just now|.* ago), as when its data was wiped$/);
  });
  it('keeps with a fall the own time of the block from which it fell, and when that came, on the same chain only', () => {
    const fallTo = (number: number, first = 99) =>
      [first, 100, number].reduce<NodeFacts | undefined>((facts, height, i) => {
        const latest = { ok: true, value: { number: height, timestamp: height } } as const;
        return foldNode(facts, { answered: true, latest }, { at: i * SECOND, stallAfterMs: 60 * SECOND });
      }, undefined)?.latest?.fall;
    expect(fallTo(90)).toEqual({ from: 100, to: 90, at: 2_000, repeated: false, timestamp: 100, cameAt: 1_000 });
    expect([fallTo(49), fallTo(90, 100)].map((fall) => fall?.cameAt)).toEqual([undefined, undefined]);
  });
  it('fails when it is stalled after a fall', () => expect(verdicts([9, 5, 5, 5, 5, 5, 5, 5])).toBe('pppppppf'));
  it('fails when it falls and falls', () => expect(verdicts([9, 8, 7, 6, 5, 4, 3, 2, 1])).toBe('ppfffffff'));
  it('fails when two nodes answer in turn at one address', () =>
    expect(verdicts([50, 9, 51, 9, 52, 9])).toBe('pppfff'));
  it('is passed once half of the nodes are seen above it, until it rises or has been unreachable for long', () => {
    const passedAt = (steps: readonly (readonly [number | null, number])[]) => {
      let facts: NodeFacts | undefined;
      return steps.map(([number, reference], i) => {
        const latest =
          number === null
            ? ({ ok: false, fault: { kind: 'refused', address: 'http://a' } } as const)
            : ({ ok: true, value: { number } } as const);
        facts = foldNode(
          facts,
          { answered: latest.ok, latest },
          { at: i * SECOND, stallAfterMs: 3 * SECOND, reference },
        );
        return facts.latest?.passedAt;
      });
    };
    // A halt of all leaves nobody behind, however long it lasts.
    expect(
      passedAt([
        [7, 7],
        [7, 7],
        [7, 8],
        [7, 9],
        [8, 9],
        [8, 9],
        [9, 9],
      ]),
    ).toEqual([...[undefined, undefined, 2 * SECOND, 2 * SECOND, 4 * SECOND, 4 * SECOND, undefined]]);
    expect(
      passedAt([
        [7, 8],
        [null, 8],
        [7, 8],
        [null, 9],
        [null, 9],
        [null, 9],
        [7, 9],
      ]),
    ).toEqual([...[0, 0, 0, 0, 0, 0, 6 * SECOND]]);
  });
  it('that is not credible is not a base: its end is no fall, and a real fall is', () => {
    const seen = (heights: readonly number[], reference = 100) =>
      heights.reduce<NodeFacts | undefined>((facts, number, i) => {
        const block = { ok: true, value: { number } } as const;
        return foldNode(
          facts,
          { answered: true, latest: block, committed: block },
          { at: i * SECOND, stallAfterMs: 60 * SECOND, reference },
        );
      }, undefined);
    const credible = seen([98, 99, 1_000_100, 1_000_101, 103]);
    for (const height of [credible?.latest, credible?.committed])
      expect(height).toEqual({
        number: 103,
        timestamp: undefined,
        risen: true,
        fall: undefined,
        ...{ advancedAt: 4_000, riseDueSince: 4_000, lastGoodAt: 4_000 },
      });
    expect(seen([98, 99, 1_000_100, 50])?.latest?.fall).toMatchObject({ from: 99, to: 50 });
    expect(seen([1_000_100, 1_000_101, 50])?.latest).toMatchObject({ number: 50, risen: false });
    expect(seen([1_000_100, 1_000_101, 50])?.latest?.fall).toBeUndefined();
    expect(seen([98, 1_100, 50])?.latest?.fall).toMatchObject({ from: 1_100, to: 50 });
    // A standstill is one, whatever was claimed in between.
    expect(seen([99, 1_000_100, 99])?.latest?.riseDueSince).toBe(0);
  });
  it('may fall again much later', () => {
    expect(verdicts([20, 10, 11, 12, 13, 14, 15, 16, 17, 9, 10])).toBe('ppppppppppp');
  });
  it('that is stalled fails although the clock was set back', () => {
    let facts = foldNode(
      undefined,
      { answered: true, latest: { ok: true, value: { number: 5 } } },
      { at: 9_000_000, stallAfterMs: 60_000 },
    );
    for (const at of [1_000_000, 1_060_000])
      facts = foldNode(
        facts,
        { answered: true, latest: { ok: true, value: { number: 5 } } },
        { at, stallAfterMs: 60_000 },
      );
    expect(judgeLatestBlock(aView(target, { node: facts }, { now: 1_060_000 })).verdict).toBe('fail');
  });

  it('came when its own time says, where that is between two readings', () => {
    /** When block 6 is said to have come, by its own time, to a node that was read at 100 s and then at 120 s. */
    const cameAt = (madeAt: number | undefined, aheadMs = 0, stallAfterMs = 60 * SECOND) => {
      const read = (number: number, timestamp?: number) => ({ ok: true, value: { number, timestamp } }) as const;
      const refused = { ok: false, fault: { kind: 'refused', address: 'x' } } as const;
      let facts: NodeFacts | undefined;
      for (const [at, latest] of [
        [90, read(4, 90)],
        [100, read(5, 99)],
        [110, refused],
        [120, read(6, madeAt)],
      ] as const) {
        const limits = { at: at * SECOND, wallAt: at * SECOND + aheadMs, stallAfterMs };
        facts = foldNode(facts, { answered: latest.ok, latest, committed: latest } as NodeObservation, limits);
      }
      // It is committed some rounds after it was made.
      expect(facts?.committed?.advancedAt).toBe(120 * SECOND);
      return [facts?.latest?.advancedAt, facts?.latest?.riseDueSince].map((one = 0) => one / SECOND);
    };
    expect(cameAt(104)).toEqual([104, 104]);
    expect(cameAt(14, -90 * SECOND)).toEqual([104, 104]);
    // It takes a moment to come.
    expect(cameAt(99)).toEqual([100, 100]);
    // Its clock is not ours, or it is an old one that the node takes.
    for (const madeAt of [undefined, 98, 60, 121]) expect(cameAt(madeAt)).toEqual([120, 120]);
    // Whatever it did meanwhile, it has time for the next one.
    expect(cameAt(104, 0, 20 * SECOND)).toEqual([104, 120]);
  });

  it('never passes after seven probes without a rise', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(50), { nil: null }), { maxLength: 20 }), fc.nat(50), (before, number) => {
        expect(verdicts([...before, ...Array(8).fill(number)]).at(-1)).toBe('f');
      }),
    );
  });
});

describe('what a node says about its chain', () => {
  const genesis = `0x${'1'.repeat(64)}`;
  const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
  const markAt = (number: number) => ({ number, hash: hashOf(number) });
  const said = (height: number, chain?: ChainObservation): NodeObservation => ({
    answered: true,
    latest: { ok: true, value: { number: height } },
    ...(chain && { chain }),
  });
  const marked = (height: number, number: number, ofGenesis = genesis): NodeObservation =>
    said(height, { genesis: ofGenesis, block: markAt(number), missing: {} });
  const foldAll = (...observations: readonly NodeObservation[]): NodeFacts | undefined =>
    observations.reduce<NodeFacts | undefined>(
      (facts, one, i) => foldNode(facts, one, { at: i * 1_000, stallAfterMs: 60_000 }),
      undefined,
    );

  it('is kept, with its time, over the probes that did not ask for it', () => {
    const facts = foldAll(said(1), said(100, { genesis, missing: {} }), said(101), said(102));
    expect(facts?.chain).toEqual({ observation: { genesis, missing: {} }, at: 1_000, epoch: {}, marks: [] });
  });

  it('is kept when a later answer had no part', () => {
    const nothing = { missing: { genesis: 'no-answer' } } as const;
    expect(foldAll(said(9, { genesis, missing: {} }), said(10, nothing))?.chain?.observation.genesis).toBe(genesis);
    expect(foldAll(said(10, nothing))?.chain?.observation).toEqual(nothing);
  });

  it('keeps what was said of the epoch until it was asked for again, or is of another chain', () => {
    const epochOf = (...observations: readonly NodeObservation[]) => foldAll(...observations)?.chain?.epoch;
    const missedRounds = { epochBlock: 0, epochRound: 0, rounds: [{ round: 3, miner: '0xa' }], byMiner: { '0xa': 1 } };
    const pool = { voteRounds: 4, neverSigned: ['0xa'], timeouts: 0, timeoutRound: 0 };
    const all = said(9, { genesis, missedRounds, pool, missing: {} });
    const some = said(10, { genesis, missing: {} });
    expect(epochOf(all)).toEqual({ missedRounds });
    expect(epochOf(all, some, some)).toEqual({ missedRounds });
    expect(foldAll(all, some)?.chain?.observation.pool).toBeUndefined();
    expect(epochOf(all, said(10, { genesis, missing: { pool: 'no-answer', missedRounds: 'no-answer' } }))).toEqual({});
    expect(epochOf(all, said(10, { genesis, pool, missing: { missedRounds: 'crashed' } }))).toEqual({});
    expect(epochOf(all, said(10, { genesis: hashOf(2), missing: {} }))).toEqual({});
  });

  it('has the last four marks, with the newest hash of a height', () => {
    const other = { number: 128, hash: hashOf(7) };
    const facts = foldAll(
      ...[32, 64, 96, 128].map((number) => marked(number + 16, number)),
      said(150, { genesis, block: other, missing: {} }),
      marked(180, 160),
    );
    expect(facts?.chain?.marks).toEqual([markAt(64), markAt(96), other, markAt(160)]);
  });

  it('has no mark above the height to which the node fell, nor of another genesis', () => {
    expect(foldAll(marked(50, 32), marked(80, 64), said(63))?.chain?.marks).toEqual([markAt(32)]);
    expect(foldAll(marked(50, 32), marked(80, 64), said(64))?.chain?.marks).toEqual([markAt(32), markAt(64)]);
    expect(foldAll(marked(80, 64), marked(112, 96, hashOf(2)))?.chain?.marks).toEqual([markAt(96)]);
  });

  it('outlives a probe without an answer', () => {
    const refused: NodeObservation = {
      answered: false,
      latest: { ok: false, fault: { kind: 'refused', address: 'http://a' } },
    };
    expect(foldAll(marked(50, 32), refused)?.chain?.marks).toEqual([markAt(32)]);
  });
});

it('tells of a node when it answered again, and since when it had given no answer', () => {
  const observe = (answered: boolean): NodeObservation =>
    answered
      ? { answered, latest: { ok: true, value: { number: 5 } } }
      : { answered, latest: { ok: false, fault: { kind: 'refused', address: 'http://a' } } };
  let facts: NodeFacts | undefined;
  const returned = [false, true, true, false, false, true].map((answered, index) => {
    facts = foldNode(facts, observe(answered), { at: index, stallAfterMs: 60 * SECOND });
    return facts.returned;
  });
  const first = { at: 1, silentSince: 0 };
  expect(returned).toEqual([undefined, first, first, first, first, { at: 5, silentSince: 3 }]);
});

it('tells of a node when it last had more peers than before, as far as both were counted', () => {
  let facts: NodeFacts | undefined;
  const foundAt = [2, 1, undefined, 3, 2, 3, 3].map((count, index) => {
    const peers = count === undefined ? undefined : ({ ok: true, value: { count, via: 'admin_peers' } } as const);
    const seen: NodeObservation = { answered: true, latest: { ok: true, value: { number: 5 } }, peers };
    facts = foldNode(facts, seen, { at: index, stallAfterMs: 60 * SECOND });
    return facts.foundPeerAt;
  });
  expect(foundAt).toEqual([undefined, undefined, undefined, undefined, undefined, 5, 5]);
});
