import { html } from 'hono/html';
import { findCheckpointLag } from '../../model/checkpoint-lag.ts';
import type { ParentFacts } from '../../model/parent-chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { type Html, shape, standingOfProblems } from '../frame/marks.ts';
import { ago, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';

/** The problems that the parent chain and its contract show. */
const PROBLEMS: readonly ProblemName[] = [
  'checkpoint_behind',
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

const behind = (blocks: number): string =>
  blocks === 0 ? 'up to date' : `${count(blocks)} ${blocks === 1 ? 'block' : 'blocks'} behind`;

/** The checkpoint on the parent chain as an item beside the services; nothing when the inventory names no contract. */
export function checkpointItem(state: SubnetState, { toWall, nowWall }: Moment): Html {
  const parent = state.facts?.parent;
  if (parent?.observation.contract === undefined) return html``;
  const why = whyUnread(parent);
  const standing = standingOfProblems(state.problems, PROBLEMS) ?? (why === undefined ? 'ok' : 'off');
  const { progress } = parent;
  const lag = findCheckpointLag(state.targets, state.reference, parent);
  const at = progress && `block ${count(progress.checkpoint.committed.number)}`;
  const mode = progress?.checkpoint.mode && `${progress.checkpoint.mode.replace('_', ' ')} mode`;
  const words = why === undefined ? [at, lag && behind(lag.blocks), mode] : [why, at && `last at ${at}`];
  const rose =
    progress?.hasAdvanced && why === undefined ? html`, advanced ${ago(toWall(progress.advancedAt), nowWall)}` : '';
  return html`<li>${shape(standing)}<b>Checkpoint</b><span>${words.filter(Boolean).join(', ')}${rose}</span></li>`;
}
