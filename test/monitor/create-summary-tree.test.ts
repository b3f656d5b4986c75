import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Known } from '../../src/model/facts.ts';
import type { Fault } from '../../src/model/observation.ts';
import { createSummaryTree } from '../../src/monitor/create-summary-tree.ts';
import { nodeTarget, serviceTarget } from '../support/views.ts';

type State =
  | { readonly number?: number; readonly advancedAt: number; readonly answered: boolean }
  | 'service'
  | 'unseen';

const fault: Fault = { kind: 'refused', address: 'x' };

function toKnown(state: State, index: number): Known {
  if (state === 'service') return { target: serviceTarget('stats'), facts: {} };
  const target = nodeTarget(`n${index}`);
  if (state === 'unseen') return { target, facts: {} };
  const { number, advancedAt, answered } = state;
  const latest = { number: number ?? 7, advancedAt, risen: true, riseDueSince: advancedAt, lastGoodAt: advancedAt };
  const look = number === undefined ? ({ ok: false, fault } as const) : ({ ok: true, value: { number } } as const);
  return { target, facts: { node: { observation: { answered, latest: look }, latest } } };
}

/** The same in the plainest words. */
function summarizeSlowly(all: readonly Known[]) {
  const nodes = all.filter(({ target }) => target.component === 'node');
  const seen = nodes.filter(({ facts }) => facts.node?.observation.latest.ok);
  const numberOf = ({ facts }: Known) => facts.node?.latest?.number ?? -1;
  const top = Math.max(...seen.map(numberOf));
  const highest = seen.find((known) => numberOf(known) === top);
  return {
    nodes: nodes.length,
    highest: highest && { name: highest.target.name, number: top },
    risen: seen
      .map(({ target, facts }) => ({ name: target.name, advancedAt: facts.node?.latest?.advancedAt ?? 0 }))
      .sort((a, b) => b.advancedAt - a.advancedAt)
      .slice(0, 2),
    silent: nodes
      .filter(({ facts }) => facts.node?.observation.answered === false)
      .map(({ target }) => target.name)
      .slice(0, 6),
  };
}

const states: fc.Arbitrary<State> = fc.oneof(
  fc.record({
    number: fc.option(fc.nat(3), { nil: undefined }),
    advancedAt: fc.nat(5),
    answered: fc.boolean(),
  }),
  fc.constantFrom<State>('service', 'unseen'),
);

test('the summary of a subnet is that of all its targets, whichever of them changed', () => {
  const changes = fc.array(fc.tuple(fc.nat(40), states), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(states, { maxLength: 40 }), changes, (first, then) => {
      const known = first.map(toKnown);
      const tree = createSummaryTree(known);
      expect(tree.summary()).toEqual(summarizeSlowly(known));
      for (const [place, state] of then) {
        if (place >= known.length) continue;
        const changed = toKnown(state, place);
        known[place] = changed;
        tree.set(place, changed);
        expect(tree.summary()).toEqual(summarizeSlowly(known));
      }
    }),
    { numRuns: 300 },
  );
});
