import { formatAgo } from '../../lib/duration.ts';
import { formatCount, formatTimes } from '../../lib/words.ts';
import type { ContainerFacts, Facts } from '../../model/facts.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { findRestartCause } from '../../model/restart-cause.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';

/** The patterns that show the failure: how often, and when last. Lines from before subnetd started are not counted. */
function describeSigns({ signs = [] }: ShownFailure, { logs }: Facts, now: number): readonly string[] {
  return signs.flatMap((name) => {
    const { count, at } = logs?.patterns[name] ?? {};
    if (count === undefined || at === undefined) return [];
    const times = count === 0 ? '' : ` ${formatTimes(count)},`;
    return [`its log matched ${name}${times} last ${formatAgo(at, now)}`];
  });
}

/** How often its container was started again, when last, and with what exit code before. */
function describeRestarts(facts: ContainerFacts | undefined, now: number): readonly string[] {
  const { observation, restarts = 0, lastRestartAt, lastExit } = facts ?? {};
  if (observation?.kind !== 'found') return [];
  const { name, running } = observation.container;
  const exit = lastExit && `exit code ${lastExit.code}`;
  if (!running && lastExit) return [`${name} ended ${formatAgo(lastExit.at, now)} with ${exit}`];
  if (restarts === 0 || lastRestartAt === undefined) return [];
  if (facts && findRestartCause(facts) === 'recreation')
    return [`${name} was recreated ${formatAgo(lastRestartAt, now)}`];
  return [
    `${name} restarted ${formatTimes(restarts)}, last ${formatAgo(lastRestartAt, now)}${exit ? ` after ${exit}` : ''}`,
  ];
}

function describeKills({ container }: Facts, now: number): readonly string[] {
  const { oomKills = 0, lastOomAt, unrequestedKill } = container ?? {};
  if (oomKills > 0 && lastOomAt !== undefined)
    return [
      `Docker counted ${formatCount(oomKills, 'out-of-memory kill', 'out-of-memory kills')}, last ${formatAgo(lastOomAt, now)}`,
    ];
  return unrequestedKill
    ? [`SIGKILL ended it ${formatAgo(unrequestedKill.at, now)}, and nobody had requested that`]
    : [];
}

/** What shows a failure besides the lines of its patterns. */
const OWN: Readonly<Partial<Record<ProblemName, (facts: Facts, now: number) => readonly string[]>>> = {
  out_of_memory: describeKills,
  head_regression: ({ node }, now) => {
    const fall = node?.latest?.fall;
    return fall ? [`its height fell from ${fall.from} to ${fall.to} ${formatAgo(fall.at, now)}`] : [];
  },
  relayer_dead: ({ logs }, now) => {
    const died = logs?.relayer?.died;
    const because = died?.because === undefined ? '' : `, after a line of ${died.because}`;
    return died ? [`its process ended ${formatAgo(died.at, now)}${because}`] : [];
  },
  relayer_redis_dead: ({ logs }, now) => {
    const at = logs?.relayer?.redisDiedAt;
    return at === undefined ? [] : [`its redis ended ${formatAgo(at, now)}`];
  },
  relayer_idle: ({ logs }, now) => {
    const at = logs?.relayer?.startedAt;
    return [`it runs in no mode${at === undefined ? '' : ` since its start ${formatAgo(at, now)}`}`];
  },
};

/** What was seen of a known failure, in numbers, and what that means. No text of a line is in it. */
export function describeFailure({ facts }: TargetState, failure: ShownFailure, now: number): string {
  const seen = [
    ...describeSigns(failure, facts, now),
    ...(OWN[failure.name]?.(facts, now) ?? []),
    // One that leaves its program running did not end it.
    ...(failure.leavesRunning ? [] : describeRestarts(facts.container, now)),
  ];
  const cause = failure.cause.replace(/\.$/, '');
  return seen.length === 0 ? `${failure.symptom} ${cause}` : `${seen.join('; ')}. ${cause}`;
}
