import { formatAgo } from '../../lib/duration.ts';
import { formatCount, formatTimes } from '../../lib/words.ts';
import type { ContainerFacts, Facts, PatternFacts } from '../../model/facts.ts';
import type { Problem, Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { findRestartCause } from '../../model/restart-cause.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';
import { fixOf } from '../clients/clients.ts';
import { commandToReplace } from '../clients/commands-to-type.ts';
import { hasLostData } from '../rules/known-failures.ts';
import { withWallet } from './find-wallet-problems.ts';
import type { ProblemIndex } from './problem-index.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';
import { explain, explainAll } from './suspect.ts';

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

/** What replaces the texts of `head_regression` when a node has lost more blocks than by a kill. */
const WIPED: Pick<ShownFailure, 'cause' | 'fix'> = {
  cause: 'It began with an empty data folder, so it takes all blocks from the others again.',
  fix: 'wait until it has caught up; if nobody emptied the folder, see that the volume of its container is the one of before',
};

/** What replaces the texts of `relayer_dead` when the log says why the program ended. */
function findDeath({ target, facts: { logs } }: TargetState): Partial<Pick<ShownFailure, 'cause' | 'fix'>> {
  const { what, fix } = logs?.patterns[logs.relayer?.died?.because ?? ''] ?? {};
  if (what === undefined || fix === undefined) return {};
  return {
    cause: `The process of the relayer has ended, but redis keeps the container alive: ${what}.`,
    fix: `${fix}, then ${commandToReplace(target.container)}`,
  };
}

/** What replaces the texts of a failure of a service when its log names the reason: all signs but the first are reasons. */
function findReason(
  { signs = [] }: ShownFailure,
  { facts: { logs } }: TargetState,
): Pick<ShownFailure, 'fix'> | undefined {
  let last: PatternFacts | undefined;
  for (const name of signs.slice(1)) {
    const pattern = logs?.patterns[name];
    if (pattern !== undefined && pattern.order > (last?.order ?? -1)) last = pattern;
  }
  return last?.fix === undefined ? undefined : { fix: `${last.what}, as its log says: ${last.fix}` };
}

/** What replaces the texts of a known failure when more is known of it. */
function specifyFailure(failure: ShownFailure, state: TargetState): ShownFailure {
  const { name: problem } = failure;
  if (problem === 'head_regression' && hasLostData(state.facts)) return { ...failure, ...WIPED };
  if (problem === 'relayer_dead') return { ...failure, ...findDeath(state) };
  if (state.target.component !== 'node') return { ...failure, ...findReason(failure, state) };
  return { ...failure, fix: fixOf(failure, state) };
}

/** The problems that a program which has ended brings with it. */
const CONSEQUENCES: readonly ProblemName[] = ['container_down', 'container_restarting', 'node_down', 'head_regression'];

function toSuspicion(view: TargetView, failure: ShownFailure, now: number): Suspicion {
  const { state } = view;
  const { component, name } = state.target;
  const { name: problem, leavesRunning } = failure;
  const shown = specifyFailure(failure, state);
  return {
    problem,
    component,
    name,
    summary: failure.summary(name, state),
    evidence: describeFailure(state, shown, now),
    fix: shown.fix,
    explains: leavesRunning === undefined ? explainAll(view) : explain(view, ...leavesRunning.explains),
    causes: (leavesRunning?.brings ?? CONSEQUENCES).map((one) => ({ problem: one, component, name })),
  };
}

/** Whether a target has lately shown a failure that ends its program and that is over. Its crash was reported with that failure. */
export const hasEndedFailure = ({ endedFailures = [] }: TargetState): boolean =>
  endedFailures.some(({ leavesRunning }) => leavesRunning === undefined);

/** Whether all errors that a log has shown within the window are signs of failures that are over. */
export function hasOnlyEndedSigns({ facts, endedFailures = [] }: TargetState, windowMs: number, now: number): boolean {
  if (endedFailures.length === 0) return false;
  const signs = new Set(endedFailures.flatMap((failure) => failure.signs ?? []));
  const errors = Object.entries(facts.logs?.patterns ?? {}).filter(
    ([, { means, at }]) => (means === 'error' || means === 'fatal') && now - at < windowMs,
  );
  return errors.length > 0 && errors.every(([name]) => signs.has(name));
}

/** Known failures that targets show. A restart loop is none by itself where another failure causes it. */
export function findKnownFailures(view: SubnetView, before: ProblemIndex<Problem>): readonly Suspicion[] {
  const { targets, now } = view;
  const found: Suspicion[] = [];
  for (const target of targets) {
    const { state } = target;
    if (state.shownFailures.length === 0) continue;
    const shown = state.shownFailures.flatMap(
      (failure) => withWallet(toSuspicion(target, failure, now), view, before) ?? [],
    );
    const isOther = ({ name }: ShownFailure) => name !== 'silent_restart_loop';
    const bringsLoop = ({ leavesRunning }: ShownFailure) =>
      leavesRunning === undefined || leavesRunning.brings.includes('silent_restart_loop');
    const hasCause = hasEndedFailure(state) || state.shownFailures.some((one) => isOther(one) && bringsLoop(one));
    found.push(...(hasCause ? shown.filter(({ problem }) => problem !== 'silent_restart_loop') : shown));
  }
  return found;
}
