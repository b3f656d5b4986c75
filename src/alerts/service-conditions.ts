import type { SubnetState } from '../model/snapshot.ts';
import { checksOfAlert } from './alert-of-check.ts';
import { type Condition, type ConditionResult, isActive, judgeChecks, perTarget, type StateOf } from './condition.ts';
import { nodesOf } from './subnet-nodes.ts';

const SUBMISSIONS = checksOfAlert('SubnetRelayerStopped');
const HTTP = checksOfAlert('SubnetServiceDown');
const STATS_DATA = checksOfAlert('SubnetStatsStale');
const FRONTEND = checksOfAlert('SubnetFrontendErrors');

/** After a node answers again, its readers may take this long to recover; the rules look back as far. */
const RECOVERS_MS = 2 * 60_000;

type ReaderState = StateOf<'relayer' | 'stats'>;

/** Does the target read the subnet through a node that is silent now or was moments ago? */
function readsFromSilentNode({ target }: ReaderState, subnet: SubnetState, now: number): boolean {
  const node = nodesOf(subnet).find((one) => one.target.name === target.readsFrom);
  if (node?.facts.node === undefined) return false;
  if (!node.facts.node.observation.answered) return true;
  return node.checks.some(
    ({ check, verdict, failures, since }) =>
      check === 'latest_block' && verdict !== 'fail' && failures > 0 && now - since < RECOVERS_MS,
  );
}

const ignoreIfNodeIsSilent = (
  result: ConditionResult,
  state: ReaderState,
  subnet: SubnetState,
  now: number,
): ConditionResult => (isActive(result) && readsFromSilentNode(state, subnet, now) ? 'clear' : result);

/** The conditions of `serviceRules`, judged without Prometheus. */
export const serviceConditions = {
  SubnetRelayerStopped: perTarget('relayer', (state, { now }, subnet) =>
    state.failures.relayer_idle
      ? 'clear'
      : ignoreIfNodeIsSilent(judgeChecks(state, ...SUBMISSIONS), state, subnet, now),
  ),
  SubnetServiceDown: perTarget('any', (state) => judgeChecks(state, ...HTTP)),
  SubnetStatsStale: perTarget('stats', (state, { now }, subnet) =>
    ignoreIfNodeIsSilent(judgeChecks(state, ...STATS_DATA), state, subnet, now),
  ),
  SubnetFrontendErrors: perTarget('frontend', (state) => judgeChecks(state, ...FRONTEND)),
} as const satisfies Readonly<Record<string, Condition>>;
