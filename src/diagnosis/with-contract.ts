import type { Suspicion } from '../model/problem.ts';
import type { ProblemName } from '../model/problem-catalog.ts';
import { describeContract, findRelayer } from './parent-view.ts';
import { checkOf, type SubnetView } from './subnet-view.ts';

/** Problems that the log of the relayer shows by itself. */
const BY_LOG: readonly ProblemName[] = ['relayer_stopped', 'contract_missing', 'parent_unreachable'];

/** What was submitted before a failure may arrive this much later. */
const ARRIVES_MS = 60_000;

const ARRIVES = 'the relayer says that it fails, although blocks arrive';

const OTHER_ADDRESS =
  'compare CHECKPOINT_CONTRACT in common.env with parentChain.contract of the inventory, and recreate the relayer after a change';

/** A problem that the log of the relayer shows, beside what the contract says. Where they disagree, the contract is right. */
export function withContract(one: Suspicion, view: SubnetView): Suspicion {
  const { progress, observation } = view.facts.parent ?? {};
  const isRead = observation?.contract?.ok && observation.contract.value.kind === 'checkpoint';
  if (!progress || !isRead || !BY_LOG.includes(one.problem)) return one;
  const relayer = findRelayer(view);
  const since = (relayer && checkOf(relayer.state, 'submissions')?.since) ?? view.now;
  const arrives = progress.hasAdvanced && progress.advancedAt > since + ARRIVES_MS;
  const right = arrives ? ', so blocks arrive, whatever the relayer says' : '';
  return {
    ...one,
    evidence: `${one.evidence}; ${describeContract(view, progress)}${right}`,
    ...(arrives && one.problem === 'relayer_stopped' && { summary: ARRIVES }),
    ...(one.problem === 'contract_missing' && { fix: OTHER_ADDRESS }),
  };
}
