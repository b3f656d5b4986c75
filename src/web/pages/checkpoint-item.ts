import { html } from 'hono/html';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import type { NextBlock, ParentFacts } from '../../model/parent-chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { readLite } from '../../model/relay.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { type Html, shape, standingOfProblems } from '../frame/marks.ts';
import { ago, count, readAgo } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import type { Figure } from './figures.ts';

/** The problems that the parent chain and its contract show. */
const PROBLEMS: readonly ProblemName[] = [
  'checkpoint_behind',
  'checkpoint_refused',
  'contract_missing',
  'contract_of_other_chain',
  'parent_unreachable',
  'parent_other_chain',
  'parent_behind',
  'parent_unseen',
];

/** Why the contract could not be read the last time; undefined when it was. */
function whyUnread({ observation: { head, contract } }: ParentFacts): string | undefined {
  if (!head.ok) return `the parent chain ${head.why}`;
  if (contract?.ok && contract.value.kind === 'checkpoint') return undefined;
  return contract?.ok ? 'there is no checkpoint contract at that address' : 'the contract cannot be read';
}

/** So far above the height of the subnet it is of another chain: that height is read each few seconds. */
const ABOVE = 50;

const behind = (blocks: number): string =>
  blocks === 0 ? 'up to date' : `${count(blocks)} ${blocks === 1 ? 'block' : 'blocks'} behind`;

/** What is known of the checkpoint on the parent chain; undefined when the inventory names no contract. */
function readCheckpoint(state: SubnetState) {
  const parent = state.facts?.parent;
  if (parent?.observation.contract === undefined) return undefined;
  const why = whyUnread(parent);
  const standing = standingOfProblems(state.problems, PROBLEMS) ?? (why === undefined ? 'ok' : 'off');
  const { progress } = parent;
  const lag = findCheckpointLag(state.targets, parent);
  const at = progress && `block ${count(progress.checkpoint.committed.number)}`;
  const mode = progress?.checkpoint.mode && `${progress.checkpoint.mode.replace('_', ' ')} mode`;
  const isAbove = (progress?.checkpoint.committed.number ?? 0) > (state.reference ?? Number.POSITIVE_INFINITY) + ABOVE;
  const advancedAt = progress?.hasAdvanced && why === undefined ? progress.advancedAt : undefined;
  const next = progress?.checkpoint.next && describeNext(progress.checkpoint.next);
  const blocks = why === undefined && !isAbove ? lag?.blocks : undefined;
  return { standing, why, at, mode, next, advancedAt, readAt: progress?.readAt, lag: blocks };
}

type Known = NonNullable<ReturnType<typeof readCheckpoint>>;

/** What a lite contract misses, and holds uncommitted; undefined for another one. */
function describeLite({ facts, reference }: SubnetState): string | undefined {
  const { missed = 0, buffered } = readLite(facts, reference) ?? {};
  return buffered === undefined ? undefined : `${count(missed)} missed, ${count(buffered)} buffered`;
}

/** What the contract would do with the block that is submitted next. */
function describeNext({ refusal }: NextBlock): string {
  if (refusal === undefined) return 'takes the next block';
  return `refuses the next block${refusal === '' ? '' : `: ${refusal}`}`;
}

/** When it was read, and seen to advance: what comes last is cut off where there is no room. */
function describeTimes({ advancedAt, readAt }: Known, { toWall, nowWall }: Moment): Html {
  const rise = advancedAt === undefined ? '' : html`, seen to advance ${ago(toWall(advancedAt), nowWall)}`;
  return html`${readAt === undefined ? '' : readAgo(toWall(readAt), nowWall)}${rise}`;
}

/** The checkpoint on the parent chain as an item beside the services; nothing when the inventory names no contract. */
export function checkpointItem(state: SubnetState, moment: Moment): Html {
  const known = readCheckpoint(state);
  if (known === undefined) return html``;
  const { standing, why, at, lag, mode, next } = known;
  const words =
    why === undefined
      ? [at, lag !== undefined && behind(lag), mode, describeLite(state), next]
      : [why, at && `last at ${at}`];
  return html`<li>${shape(standing)}<b>Checkpoint</b><span>${words.filter(Boolean).join(', ')}${describeTimes(known, moment)}</span></li>`;
}

/** The same as a figure. */
export function checkpointFigure(state: SubnetState, moment: Moment): readonly Figure[] {
  const known = readCheckpoint(state);
  if (known === undefined) return [];
  const { standing, why, at = 'no block yet', lag, mode } = known;
  const beside = why ?? html`${mode ?? at}${describeTimes(known, moment)}`;
  const value = lag === undefined ? (why === undefined ? at : 'unknown') : `${count(lag)} behind`;
  return [{ name: 'Checkpoint', value, beside, standing }];
}
