import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { checksOf } from './alert-of-check.ts';
import { type Condition, type ConditionResult, failing, perTarget } from './condition.ts';
import { nodesOf } from './node-movement.ts';

const SUBMISSIONS = checksOf('SubnetRelayerStopped');
const HTTP = checksOf('SubnetServiceDown');
const STATS_DATA = checksOf('SubnetStatsStale');
const FRONTEND = checksOf('SubnetFrontendErrors');

/** So long after the node answers again its readers may still be about to recover; as far as the rules look back. */
const RECOVERS_MS = 2 * 60_000;

/** Does it read the subnet through a node that does not answer, or did not some moments ago? */
function readsFromSilentNode({ target }: TargetState, subnet: SubnetState, now: number): boolean {
  const from = 'readsFrom' in target ? target.readsFrom : undefined;
  const node = nodesOf(subnet).find((one) => one.target.name === from);
  if (node?.facts.node === undefined) return false;
  if (!node.facts.node.observation.answered) return true;
  return node.checks.some(
    ({ check, verdict, failures, since }) =>
      check === 'latest_block' && verdict !== 'fail' && failures > 0 && now - since < RECOVERS_MS,
  );
}

const unlessNodeIsSilent = (
  judged: ConditionResult,
  state: TargetState,
  subnet: SubnetState,
  now: number,
): ConditionResult =>
  judged !== false && judged !== undefined && readsFromSilentNode(state, subnet, now) ? false : judged;

/** When serviceRules of the catalogue are so, judged without Prometheus. */
export const serviceConditions = {
  SubnetRelayerStopped: perTarget('relayer', (state, { now }, subnet) =>
    state.failures.relayer_idle ? false : unlessNodeIsSilent(failing(state, ...SUBMISSIONS), state, subnet, now),
  ),
  SubnetServiceDown: perTarget('any', (state) => failing(state, ...HTTP)),
  SubnetStatsStale: perTarget('stats', (state, { now }, subnet) =>
    unlessNodeIsSilent(failing(state, ...STATS_DATA), state, subnet, now),
  ),
  SubnetFrontendErrors: perTarget('frontend', (state) => failing(state, ...FRONTEND)),
} as const satisfies Readonly<Record<string, Condition>>;
