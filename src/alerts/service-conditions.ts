import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { checksOf } from './alert-of-check.ts';
import { type Condition, type ConditionResult, failing, perTarget } from './condition.ts';
import { nodesOf } from './node-movement.ts';

const SUBMISSIONS = checksOf('SubnetRelayerStopped');
const HTTP = checksOf('SubnetServiceDown');
const STATS_DATA = checksOf('SubnetStatsStale');
const FRONTEND = checksOf('SubnetFrontendErrors');

/** After a node answers again, its readers may take this long to recover; the rules look back as far. */
const RECOVERS_MS = 2 * 60_000;

/** Does the target read the subnet through a node that is silent now or was moments ago? */
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

const ignoreIfNodeIsSilent = (
  result: ConditionResult,
  state: TargetState,
  subnet: SubnetState,
  now: number,
): ConditionResult =>
  result !== false && result !== undefined && readsFromSilentNode(state, subnet, now) ? false : result;

/** The conditions of `serviceRules`, judged without Prometheus. */
export const serviceConditions = {
  SubnetRelayerStopped: perTarget('relayer', (state, { now }, subnet) =>
    state.failures.relayer_idle ? false : ignoreIfNodeIsSilent(failing(state, ...SUBMISSIONS), state, subnet, now),
  ),
  SubnetServiceDown: perTarget('any', (state) => failing(state, ...HTTP)),
  SubnetStatsStale: perTarget('stats', (state, { now }, subnet) =>
    ignoreIfNodeIsSilent(failing(state, ...STATS_DATA), state, subnet, now),
  ),
  SubnetFrontendErrors: perTarget('frontend', (state) => failing(state, ...FRONTEND)),
} as const satisfies Readonly<Record<string, Condition>>;
