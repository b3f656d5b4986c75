import type { ExplainedCheck } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { requestCauses } from '../logs/known-causes.ts';
import { NO_NEW_BLOCKS, OF_SUBNET } from '../rules/judge-submissions.ts';

/** A service as far as it is looked at here. */
interface Service {
  readonly state: TargetState;
  readonly failing: readonly ExplainedCheck[];
}

const NO_PARENT = ['parent_unreachable', 'the relayer does not reach the parent chain'] as const;
/** The node may have answered all the same. */
const NO_ANSWER = ['parent_unreachable', 'the relayer gets no proper answer from the parent chain'] as const;
const REFUSALS = ['garbled', 'rate_limited', 'unauthorised', 'not_found', 'server_error', 'web_page'];
/** Why submissions fail that no node of the subnet causes, by the pattern of the line in which the relayer says it: the problem and its summary. */
const RELAYER_CAUSES: Readonly<Record<string, readonly [ProblemName, string]>> = {
  contract_missing: ['contract_missing', 'the parent chain has no checkpoint contract at the address of the relayer'],
  parent_unreachable: NO_ANSWER,
  parent_head_unreadable: NO_ANSWER,
  submit_unconnected: NO_PARENT,
  ...Object.fromEntries(Object.keys(requestCauses('', '')).map((name) => [`submit_${name}`, NO_PARENT])),
  ...Object.fromEntries(REFUSALS.map((name) => [`submit_${name}`, NO_ANSWER])),
};

/** What is known of the relayer of a subnet with these services, where the inventory names one. */
export function viewRelayer<T extends Service>(services: readonly T[], { parent }: SubnetFacts) {
  const service = services.find(({ state }) => state.target.component === 'relayer');
  const { target, facts } = service?.state ?? {};
  const log = facts?.logs?.relayer;
  const submissions = service?.state.checks.find(({ check }) => check === 'submissions');
  const { verdict = 'unknown' } = submissions ?? {};
  const errors = Object.entries(log?.byMode ?? {}).flatMap(([mode, { error }]) => (error ? [{ mode, ...error }] : []));
  const failsAtNode = errors.length > 0 && errors.every(({ pattern }) => OF_SUBNET.includes(pattern));
  const isUnfed = failsAtNode || submissions?.seen.includes(NO_NEW_BLOCKS);
  const failing = service?.failing.filter(({ check }) => check === 'submissions') ?? [];
  return {
    service,
    log,
    /** The mode of the contract, by itself; else as the relayer shows it; else full. */
    mode: parent?.progress?.checkpoint.mode ?? (log?.modes?.includes('lite') ? 'lite' : 'full'),
    /** What a problem of the parent chain is about: the relayer, or without one the whole subnet. */
    subject: target ? { component: target.component, name: target.name } : {},
    /** The errors with which its modes fail, by its log. */
    errors,
    /** What it fails by that no node of the subnet causes. A cycle that has begun goes on without its redis. */
    cause:
      log?.redisDiedAt === undefined
        ? RELAYER_CAUSES[errors[0]?.pattern ?? '']
        : (['relayer_stopped', 'the relayer begins no new cycle'] as const),
    /** Its check, if it fails for want of new blocks, or at the node that it reads them from; or if it may for what the parent chain says. */
    explained: { bySubnet: isUnfed ? failing : [], byParent: failsAtNode ? [] : failing },
    /** Whether it submits, as it was judged last. */
    submissions,
    /** Whether its log shows that it submits, or does not; undefined when it says neither. */
    submits: verdict === 'unknown' || verdict === 'skipped' ? undefined : verdict !== 'fail',
    /** When it was last seen to submit, by its log or its queues. */
    submittedAt: Math.max(
      log?.submittedAt ?? 0,
      ...(facts?.service?.queues ?? []).map(({ completedAt = 0 }) => completedAt),
    ),
  };
}
