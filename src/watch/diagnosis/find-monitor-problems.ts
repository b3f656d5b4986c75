import type { ClockDisturbances } from '../../lib/clock.ts';
import { formatAgo, formatDuration, formatMoment } from '../../lib/duration.ts';
import { headLimitMs } from '../../model/parent-chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import { formatSkew, isSkewed, zoneMs } from '../rules/judge-log-block.ts';
import { isStopped, type SubnetView } from './subnet-view.ts';
import { explain, explainEach, type Found, refsTo, suspect, suspectTarget } from './suspect.ts';

/** Nodes whose clock differs from most, ours included, by their logs. Whole quarters of an hour are another time zone. */
export function findClockProblems({ nodes }: SubnetView): readonly Suspicion[] {
  const known = nodes.flatMap((node) => {
    const { clockAheadMs: aheadMs } = node.state.facts.logs ?? {};
    return aheadMs === undefined || isStopped(node) || zoneMs(aheadMs) !== undefined ? [] : [{ node, aheadMs }];
  });
  // Of two clocks nobody can say which is wrong.
  if (known.length < 2) return [];
  const sorted = [0, ...known.map(({ aheadMs }) => aheadMs)].sort((one, other) => one - other);
  // Of two in the middle the one nearer to us.
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  const middle = Math.abs(low) <= Math.abs(high) ? low : high;
  return known
    .filter(({ aheadMs }) => isSkewed(aheadMs - middle))
    .map(({ node, aheadMs }) =>
      suspectTarget('node_clock_skewed', node, {
        summary: `the clock of ${node.name} is wrong`,
        evidence: `by the times in its log, the clock of ${node.name} is ${formatSkew(aheadMs - middle)} those of the other machines`,
        fix: 'set the clock of its machine, as with `chronyc makestep`, and see that it stays right; until then rounds may time out',
        explains: explain(node, 'log_block'),
      }),
    );
}

/** How long a gap is reported after its end, and a set clock after it was set. */
const REPORTED_MS = 5 * 60_000;

/** A shorter gap is none: a busy machine holds a process up for seconds. */
const LEAST_GAP_MS = 15_000;

/** Until new lines have come, the last ones of the logs have times of the clock before it was set. */
const NEW_LINES_MS = 60_000;

/** subnetd itself was suspended, or its clock was set: what was seen meanwhile is not known, and times have moved. */
export function findMonitorProblem({ gap, step }: ClockDisturbances, view: SubnetView): Found {
  const { now, facts } = view;
  const wasGone = gap !== undefined && gap.realMs >= LEAST_GAP_MS && now - gap.endedAt < REPORTED_MS;
  const isStep = step !== undefined && isSkewed(step.byMs);
  const { headAgeMs = 0, at: parentAt = now } = facts.parent ?? {};
  const limitMs = facts.parent === undefined ? Number.POSITIVE_INFINITY : headLimitMs(facts.parent);
  // By the clock of before, the newest block of the parent chain is not too old. It stays so for as long as the clock does.
  const agesParent = isStep && (parentAt < step.at || headAgeMs - step.byMs < limitMs);
  const wasSet = isStep && (now - step.at < REPORTED_MS || (agesParent && headAgeMs >= limitMs));
  if (!wasGone && !wasSet) return undefined;
  const aged = isStep && now - step.at < NEW_LINES_MS ? view.targets : [];
  const seen = [
    wasGone && `subnetd did not run for ${formatDuration(gap.realMs)} and resumed ${formatMoment(gap.endedAt, view)}`,
    // By which clock it was what time is not said: another step would put that into the future.
    wasSet &&
      `the clock of its machine went ${step.byMs > 0 ? 'forward' : 'back'} by ${formatDuration(Math.abs(step.byMs))}, ${formatAgo(step.at, now)}`,
  ];
  return suspect('monitor_suspended', {
    summary: wasGone ? 'subnetd was suspended' : 'the clock of subnetd was set, or its machine was suspended',
    evidence: seen.filter(Boolean).join('; '),
    fix: wasGone
      ? 'find out what paused the process or its machine: a snapshot, a suspend, SIGSTOP, or a machine without processor time'
      : 'let chrony keep the clock of its machine, and see in its journal whether it was suspended',
    explains: explainEach(aged, 'log_block', 'block_data', 'history_data'),
    // Against which that of Docker was measured.
    causes: [
      ...(agesParent ? refsTo(view.relayer.subject, 'parent_behind') : []),
      ...refsTo({}, 'docker_clock_skewed'),
    ],
  });
}
