import type { Facts } from '../../model/facts.ts';
import { findContainer, findRestartCause, isLoopOver, START_MS } from '../../model/restart-cause.ts';
import type { ShownFailure } from '../../model/snapshot.ts';
import type { Component } from '../../model/target.ts';
import { hasStartedWell } from './find-log-fault.ts';

type IsOver = (evidence: Facts, seenAt: number, now: number) => boolean;

/** A failure with known signs, and its texts for people. `name` is the label `failure`. */
export interface KnownFailure extends ShownFailure {
  readonly of: readonly Component[];
  /** When it last showed, in watched time; `now` while it lasts. */
  readonly seenAt: (evidence: Facts, now: number) => number | undefined;
  /** It ends the program, which does not run again until what caused it is mended. */
  readonly endsProgram?: true;
  /** Whether something since then shows that it is over. Without this, it is remembered for ten minutes on purpose. */
  readonly isOver?: IsOver;
}

/** Whether a failure ends its program, and does so again after each restart. */
export const bringsLoop = ({ name, leavesRunning }: ShownFailure): boolean =>
  name !== 'silent_restart_loop' &&
  (leavesRunning === undefined || leavesRunning.brings.includes('silent_restart_loop'));

/** The last of some times, if any is known. */
export const later = (...times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((last, at) => (last === undefined || (at ?? last) > last ? at : last), undefined);

export const match =
  (...patterns: readonly string[]): KnownFailure['seenAt'] =>
  ({ logs }) =>
    later(...patterns.map((pattern) => logs?.patterns[pattern]?.at));

/** When its container started; without one, when its log says so. */
export const startOf = ({ container, logs }: Facts): number | undefined =>
  container === undefined ? logs?.node?.startedAt : findContainer(container)?.startedAt;

export const answers = ({ node, service }: Facts): boolean =>
  (node ?? service) !== undefined && node?.observation.latest.ok !== false && service?.observation.ok !== false;

/** A later silence does not undo an answer. Of a service no more is known than whether it answers now. */
const hasAnswered = (evidence: Facts, since: number): boolean =>
  answers(evidence) || (evidence.node?.latest?.lastGoodAt ?? Number.NEGATIVE_INFINITY) > since;

/** For failures of one start: a later one has run for a minute, and has answered or ended since. */
export const afterGoodRun: IsOver = ({ container: facts, ...probes }, seenAt, now) => {
  if (facts === undefined) return hasStartedWell(probes.logs?.node, seenAt, now) && hasAnswered(probes, seenAt);
  const { status, startedAt = seenAt, finishedAt = startedAt } = findContainer(facts) ?? {};
  const runs = status === 'running';
  const hasRun = hasStartedWell({ startedAt }, seenAt, runs ? now : finishedAt);
  return (hasRun && (!runs || hasAnswered(probes, startedAt))) || (facts.wellFrom ?? seenAt) > seenAt;
};

/** A line that comes every ten seconds is missed after this, before one alone is confirmed; one that a start prints at once, sooner. */
const MISSED_MS = 25_000;
const MISSED_AT_START_MS = 15_000;

/** For failures whose line comes at a start, and again and again while they last. */
export const afterSilence: IsOver = (evidence, seenAt, now) => {
  const startedAt = startOf(evidence) ?? seenAt;
  return now - seenAt >= MISSED_MS || (startedAt > seenAt && now - startedAt >= MISSED_AT_START_MS);
};

const hasTakenBlocks = ({ node }: Facts, since: number): boolean =>
  node?.latest?.risen === true && node.latest.advancedAt > since;

/** For failures that keep a node from taking blocks: it has taken some since a later start, or a minute after the sign. */
export const afterBlocks: IsOver = (evidence, seenAt, now) => {
  const startedAt = startOf(evidence) ?? Number.NEGATIVE_INFINITY;
  // A sign and the start after it may have been read at one moment.
  const from = startedAt >= seenAt ? startedAt : seenAt + START_MS;
  return afterGoodRun(evidence, seenAt, now) || hasTakenBlocks(evidence, from);
};

/** The same for failures that let a node take some blocks in each run of a crash loop: a block since the last crash proves nothing. */
export const afterBlocksInLoop: IsOver = (evidence, seenAt, now) =>
  evidence.container !== undefined && findRestartCause(evidence.container) === 'crash'
    ? afterGoodRun(evidence, seenAt, now) || hasTakenBlocks(evidence, seenAt + START_MS)
    : afterBlocks(evidence, seenAt, now);

/** For failures that end their program: a node that answers a minute later runs again, or another program printed the line. */
export const afterEnd: IsOver = (evidence, seenAt, now) =>
  afterBlocks(evidence, seenAt, now) ||
  ((evidence.container === undefined || (startOf(evidence) ?? seenAt) < seenAt) &&
    (evidence.node?.latest?.lastGoodAt ?? Number.NEGATIVE_INFINITY) - seenAt >= START_MS);

/** For failures that come back some time after each start: the container has run for longer than between its crashes. */
export const afterLoop: IsOver = (evidence, seenAt, now) =>
  isLoopOver(evidence.container, now) &&
  (evidence.container?.observation?.kind === 'missing' || seenAt <= (startOf(evidence) ?? 0));
