import { failsNow } from '../../model/observation.ts';
import type { CheckpointProgress } from '../../model/parent-chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { describeContract, findLag, findRelayer } from './parent-view.ts';
import { checkOf, type SubnetView } from './subnet-view.ts';

/** Problems that the log of the relayer shows by itself. */
const BY_LOG: readonly ProblemName[] = ['relayer_stopped', 'contract_missing', 'parent_unreachable'];

/** What was submitted before a failure may be seen to arrive this much later. */
const ARRIVES_MS = 40_000;

/** At least every second reading of a contract that moves shows that. */
const MOVED_WITHIN_MS = 90_000;

/** Whether blocks have arrived since the relayer has failed: the contract moved, or holds a block that was made after that. */
function arrivesSince(since: number, { hasAdvanced, advancedAt }: CheckpointProgress, view: SubnetView): boolean {
  const lag = findLag(view);
  const isLast = (at: number) => view.now - at < MOVED_WITHIN_MS;
  if (hasAdvanced && advancedAt > since + ARRIVES_MS && isLast(advancedAt)) return true;
  const madeAt = lag && lag.committedAt - lag.ms;
  return madeAt !== undefined && madeAt > since && isLast(madeAt);
}

const OTHER_ADDRESS =
  'compare CHECKPOINT_CONTRACT in common.env with parentChain.contract of the inventory, and recreate the relayer after a change';

/** Whether a mode fails whose blocks go to another contract. */
function failsElsewhere({ facts: { logs, service } }: TargetState): boolean {
  const byLog = Object.entries(logs?.relayer?.byMode ?? {}).filter(([, { error }]) => error !== undefined);
  const byQueue = service?.queues?.filter(failsNow) ?? [];
  return [...byLog.map(([mode]) => mode), ...byQueue.map(({ mode }) => mode)].some(
    (mode) => mode !== 'full' && mode !== 'lite',
  );
}

/**
 * A problem that the log or the queues of the relayer show, beside what the contract says. Where they disagree, the contract is right:
 * while blocks arrive, there is none.
 */
export function withContract(one: Suspicion, view: SubnetView): Suspicion | undefined {
  const { progress, observation } = view.facts.parent ?? {};
  const isRead = observation?.contract?.ok && observation.contract.value.kind === 'checkpoint';
  if (!progress || !isRead || !BY_LOG.includes(one.problem)) return one;
  const relayer = findRelayer(view)?.state;
  const since = (relayer && checkOf(relayer, 'submissions')?.since) ?? view.now;
  if (relayer && arrivesSince(since, progress, view) && !failsElsewhere(relayer)) return undefined;
  return {
    ...one,
    evidence: `${one.evidence}; ${describeContract(view, progress)}`,
    ...(one.problem === 'contract_missing' && { fix: OTHER_ADDRESS }),
  };
}
