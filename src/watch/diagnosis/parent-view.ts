import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import { type CheckpointMode, type CheckpointProgress, OLD_READING_MS } from '../../model/parent-chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { requestCauses } from '../logs/known-causes.ts';
import { NO_NEW_BLOCKS, OF_SUBNET } from '../rules/judge-submissions.ts';
import { checkOf, type RelayerView, type SubnetView, type TargetView } from './subnet-view.ts';
import { explain } from './suspect.ts';

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

/** What is known of the relayer of a subnet with these services. */
export function viewRelayer(services: readonly TargetView[], { parent }: SubnetFacts): RelayerView {
  const service = services.find(({ state }) => state.target.component === 'relayer');
  const { target, facts } = service?.state ?? {};
  const log = facts?.logs?.relayer;
  const submissions = service && checkOf(service.state, 'submissions');
  const { verdict = 'unknown' } = submissions ?? {};
  const errors = Object.entries(log?.byMode ?? {}).flatMap(([mode, { error }]) => (error ? [{ mode, ...error }] : []));
  const failsAtNode = errors.length > 0 && errors.every(({ pattern }) => OF_SUBNET.includes(pattern));
  const isUnfed = failsAtNode || submissions?.seen.includes(NO_NEW_BLOCKS);
  const failing = service ? explain(service, 'submissions') : [];
  return {
    service,
    log,
    mode: parent?.progress?.checkpoint.mode ?? (log?.modes?.includes('lite') ? 'lite' : 'full'),
    subject: target ? { component: target.component, name: target.name } : {},
    errors,
    // A cycle that has begun goes on without its redis.
    cause:
      log?.redisDiedAt === undefined
        ? RELAYER_CAUSES[errors[0]?.pattern ?? '']
        : ['relayer_stopped', 'the relayer begins no new cycle'],
    explained: { bySubnet: isUnfed ? failing : [], byParent: failsAtNode ? [] : failing },
    submissions,
    submits: verdict === 'unknown' || verdict === 'skipped' ? undefined : verdict !== 'fail',
    submittedAt: Math.max(
      log?.submittedAt ?? 0,
      ...(facts?.service?.queues ?? []).map(({ completedAt = 0 }) => completedAt),
    ),
  };
}

/** The settings of XDPoS that the generator writes, for a chain that has not given its own. */
const USUAL = { minePeriodMs: 2_000, epoch: 900 };

/** How late a checkpoint may be: submitting every block takes minutes, and in lite mode a whole epoch lies between two. */
export function findAllowedLag(view: SubnetView, mode: CheckpointMode) {
  const { minePeriodMs, epoch } = view.chain.consensus ?? USUAL;
  const ms = view.subnet.settings.logs.submissionsWithinMs ?? SUBMITS_WITHIN_MS.full;
  const blocks = Math.ceil(ms / minePeriodMs);
  return mode === 'lite' ? { ms: Number.POSITIVE_INFINITY, blocks: epoch + blocks } : { ms, blocks };
}

/** The lag of the contract, in blocks and in time, by the times of the blocks, else by the usual time between two; undefined while unknown. */
export function findLag(view: SubnetView) {
  const states = view.nodes.map(({ state }) => state);
  const lag = findCheckpointLag(states, view.facts.parent);
  if (lag === undefined) return undefined;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  const { blocks, seconds } = lag;
  return { ...lag, ms: seconds === undefined ? blocks * minePeriodMs : seconds * 1000 };
}

/** A contract that moves faster than the subnet makes blocks by this factor catches up. */
const FASTER = 1.2;

/** Over less time its pace says nothing. */
const PACE_OVER_MS = 25_000;

/** Whether the contract comes nearer to the subnet. */
export function catchesUp(view: SubnetView, { recent }: CheckpointProgress): boolean {
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < PACE_OVER_MS) return false;
  const { minePeriodMs } = view.chain.consensus ?? USUAL;
  return (last.number - first.number) * minePeriodMs > (last.at - first.at) * FASTER;
}

/** What the contract says of itself, for evidence: where it is, how far behind, and when it last moved. */
export function describeContract(view: SubnetView, progress: CheckpointProgress): string {
  const { checkpoint, advancedAt, hasAdvanced, readAt } = progress;
  const { blocks = 0, ms = 0 } = findLag(view) ?? {};
  const since = formatDuration(Math.max(readAt - advancedAt, 0));
  const isOld = view.now - readAt >= OLD_READING_MS;
  const far = blocks > 0 ? `, ${blocks} blocks (${formatDuration(ms)}) behind the subnet` : '';
  const read = isOld ? ` when it was read ${formatMoment(readAt, view)}` : '';
  const [is, has, and] = isOld ? ['was', 'had', 'when it'] : ['is', 'has', 'and'];
  const moved = hasAdvanced ? `, ${and} was seen to move ${formatMoment(advancedAt, view)}` : read;
  const moves =
    advancedAt !== readAt ? `, and ${has} not moved for ${hasAdvanced ? '' : 'at least '}${since}${read}` : moved;
  return `the contract ${is} at block ${checkpoint.committed.number}${far}${moves}`;
}
