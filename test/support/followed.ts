import type { Suspicion } from '../../src/model/problem.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import { NO_PROBLEMS } from '../../src/watch/diagnosis/diagnose-subnet.ts';
import { follow } from './diagnosed.ts';
import { targetState, type Verdicts } from './target-state.ts';
import { nodeTarget } from './views.ts';

/** When the first moment of a test is. */
export const T0 = 1_000_000;

/** A node whose checks say this. */
export const nodeState = (name: string, verdicts: Verdicts): TargetState => targetState(nodeTarget(name), verdicts);

/** Node a is down, which node b notices. */
export const suspicion = (more: Partial<Suspicion> = {}): Suspicion => ({
  problem: 'node_down',
  component: 'node',
  name: 'a',
  summary: 'a does not answer',
  evidence: 'nothing listens',
  fix: 'restart it',
  explains: [{ component: 'node', name: 'b', check: 'peers' }],
  causes: [],
  ...more,
});
/** The nodes while a is down, and after. */
export const failing = [nodeState('a', { latest_block: 'fail' }), nodeState('b', { peers: 'fail' })];
export const well = [nodeState('a', { latest_block: 'pass' }), nodeState('b', { peers: 'pass' })];

/** The states of the problems after each of these moments, when something was found or not. */
export function statesAfter(
  ...moments: readonly (readonly [ms: number, found: readonly Suspicion[], targets?: readonly TargetState[]])[]
) {
  let followed = NO_PROBLEMS;
  return moments.map(([ms, found, targets = found.length > 0 ? failing : well]) => {
    followed = follow(followed, found, targets, T0 + ms);
    return followed.problems.map((one) => one.state);
  });
}
