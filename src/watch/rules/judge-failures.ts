import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import type { ContainerFacts } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import { findContainer, isRestartPlanned, START_MS } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import type { Evidence, KnownFailure } from './failure-signs.ts';
import { failuresOf } from './known-failures.ts';

/** A failure is over once the program has run this long without a sign of it. */
const QUIET_MS = 10 * 60 * 1000;

/** Whether the sign belongs to the run of a container that has ended. */
const isOfLastRun = (seenAt: number, startedAt: number | undefined): boolean =>
  startedAt === undefined || seenAt >= startedAt - LINE_TOLERANCE_MS;

/** Whether the sign belongs to the run that has ended, or to the one before if that one has not run for a minute. */
const isOfEndedRun = (
  seenAt: number,
  { startedAt, finishedAt }: Container,
  facts: ContainerFacts | undefined,
): boolean =>
  isOfLastRun(seenAt, startedAt) ||
  (startedAt !== undefined &&
    (finishedAt ?? startedAt) - startedAt < START_MS &&
    facts?.runBefore !== undefined &&
    isOfLastRun(seenAt, facts.runBefore.startedAt));

/** Whether what ended a program that is seen by its log alone keeps it down: it has neither started nor answered since. */
const isStillDown = ({ endsProgram }: KnownFailure, evidence: Evidence, seenAt: number): boolean =>
  endsProgram === true &&
  evidence.node?.observation.latest.ok === false &&
  (evidence.logs?.node?.startedAt ?? seenAt) <= seenAt;

/**
 * Whether a target has shown a known failure lately. It lasts until the target has run for ten minutes since its last sign, and
 * until somebody restarts its container. A stop before that keeps it, as it may be why. It belongs to one run: that of another
 * container, or of an earlier start, explains no stop of today.
 */
function isRemembered(failure: KnownFailure, evidence: Evidence, now: number): boolean {
  const seenAt = failure.seenAt(evidence, now);
  if (seenAt === undefined) return false;
  const { lastRestartAt = 0 } = evidence.container ?? {};
  if (isRestartPlanned(evidence.container) && lastRestartAt > seenAt + LINE_TOLERANCE_MS) return false;
  if (evidence.container === undefined && isStillDown(failure, evidence, seenAt)) return true;
  const container = findContainer(evidence.container);
  // A start in the future means that the clocks differ.
  const quietSince = Math.max(seenAt, Math.min(container?.startedAt ?? 0, now));
  if (container === undefined || container.running) return now - quietSince < QUIET_MS;
  // What was over before the end is not why it ended.
  const wasOver = (container.finishedAt ?? 0) - quietSince >= QUIET_MS;
  return !wasOver && isOfEndedRun(seenAt, container, evidence.container);
}

/** The known failures of a target: which it has shown lately, and which of these are over or not. */
export function judgeFailures(
  target: Target,
  evidence: Evidence,
  now: number,
): Required<Pick<TargetState, 'failures' | 'shownFailures' | 'endedFailures'>> {
  const known = failuresOf(target);
  const remembered = known.filter((one) => isRemembered(one, evidence, now));
  const isOver = ({ seenAt, isOver }: KnownFailure) => isOver?.(evidence, seenAt(evidence, now) ?? now, now) === true;
  return {
    failures: Object.fromEntries(known.map((one) => [one.name, remembered.includes(one)])),
    shownFailures: remembered.filter((one) => !isOver(one)),
    endedFailures: remembered.filter(isOver),
  };
}
