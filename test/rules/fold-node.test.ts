import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeFacts } from '../../src/model/facts.ts';
import type { NodeObservation } from '../../src/model/observation.ts';
import type { NodeTarget } from '../../src/model/target.ts';
import type { Judgement } from '../../src/model/verdict.ts';
import { foldNode } from '../../src/rules/fold-node.ts';
import { judgeLatestBlock } from '../../src/rules/judge-latest-block.ts';
import { aView, nodeTarget } from '../support/views.ts';

const SECOND = 1000;
const target: NodeTarget = nodeTarget('a');

/** A node's readings, one each ten seconds; null is a failed probe. */
function watch(heights: readonly (number | null)[], stepMs = 10 * SECOND): readonly Judgement[] {
  let facts: NodeFacts | undefined;
  return heights.map((number, i) => {
    const at = 1_000_000 + i * stepMs;
    const observation: NodeObservation =
      number === null
        ? { answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'http://a' } } }
        : { answered: true, latest: { ok: true, value: { number } } };
    facts = foldNode(facts, observation, at, 60 * SECOND);
    return judgeLatestBlock(aView(target, { node: facts }, { now: at }));
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
  it('is given a new base by a fall, and that is said', () => {
    const judged = watch([1000, 1005, 870, 900, 1010]);
    expect(judged.map(({ verdict }) => verdict)).toEqual(Array(5).fill('pass'));
    expect(judged[2]?.reason).toContain('fall from 1005 to 870');
    expect(judged[3]?.reason).toContain('fall from 1005 to 870');
  });
  it('fails when it is stalled after a fall', () => expect(verdicts([9, 5, 5, 5, 5, 5, 5, 5])).toBe('pppppppf'));
  it('fails when it falls and falls', () => expect(verdicts([9, 8, 7, 6, 5, 4, 3, 2, 1])).toBe('ppfffffff'));
  it('fails when two nodes answer in turn at one address', () =>
    expect(verdicts([50, 9, 51, 9, 52, 9])).toBe('pppfff'));
  it('may fall again much later', () => {
    expect(verdicts([20, 10, 11, 12, 13, 14, 15, 16, 17, 9, 10])).toBe('ppppppppppp');
  });
  it('that is stalled fails although the clock was set back', () => {
    let facts = foldNode(undefined, { answered: true, latest: { ok: true, value: { number: 5 } } }, 9_000_000, 60_000);
    for (const at of [1_000_000, 1_060_000])
      facts = foldNode(facts, { answered: true, latest: { ok: true, value: { number: 5 } } }, at, 60_000);
    expect(judgeLatestBlock(aView(target, { node: facts }, { now: 1_060_000 })).verdict).toBe('fail');
  });

  it('never passes after seven probes without a rise', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(50), { nil: null }), { maxLength: 20 }), fc.nat(50), (before, number) => {
        expect(verdicts([...before, ...Array(8).fill(number)]).at(-1)).toBe('f');
      }),
    );
  });
});
