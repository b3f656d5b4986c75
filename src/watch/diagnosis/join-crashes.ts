import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { collect } from '../../lib/values.ts';
import { nameSome, toShellWord } from '../../lib/words.ts';
import { indexProblems, type Problem, type Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import {
  findContainer,
  findCrashes,
  findSeries,
  isRestartPlanned,
  LOOP_MS,
  MAX_WAIT_MS,
} from '../../model/restart-cause.ts';
import type { Target } from '../../model/target.ts';
import { ZERO_OF_NODE } from '../rules/judge-container.ts';
import { isOnlyKilled } from '../rules/known-failures.ts';
import {
  hasEndedUnseen,
  hasEndedWithDocker,
  isDockerRestarting,
  isDockerSilent,
  type SubnetView,
  type TargetView,
} from './subnet-view.ts';
import { explainAll, type Found, refsTo, suspect } from './suspect.ts';

/** Containers that crash within this time of each other have one cause: it is too short for chance. */
const TOGETHER_MS = 10_000;

/** Crashes that follow each other within this time are one event. */
const SPELL_MS = 30_000;

/** What is found by itself of a container that crashed. */
const CRASHES: readonly ProblemName[] = ['container_restarting', 'silent_restart_loop', 'out_of_memory'];

/** A container with more crashes has a cause of its own. Of two, the second one is that of others which crash for the first time. */
const MOST_CRASHES = 2;

/** A crash of a container, as it was found by itself. */
type Crash = NonNullable<ReturnType<typeof toCrash>>;

const listRecent = ({ state: { facts } }: TargetView, now: number): readonly number[] =>
  facts.container === undefined ? [] : findCrashes(facts.container).filter((at) => now - at < LOOP_MS);

/** The newest crash of what a suspicion is about; undefined for a container that crashes again and again, whose ends are spread out. */
function toCrash(found: Suspicion, { targetOf, now }: SubnetView) {
  const target = CRASHES.includes(found.problem) ? targetOf(found) : undefined;
  if (target === undefined) return undefined;
  const { state, container } = target;
  const { container: facts } = state.facts;
  const count = listRecent(target, now).length;
  const isHandled = container.kind !== 'running' && container.kind !== 'restarting';
  // More is known than that it ended.
  const isExplained = found.problem === 'out_of_memory' && !isOnlyKilled(state);
  if (facts === undefined || count > MOST_CRASHES || isHandled || isExplained) return undefined;
  const { lastExit } = facts;
  const foundAt = container.kind === 'running' ? facts.lastRestartAt : lastExit?.at;
  if (foundAt === undefined) return undefined;
  // Docker waits at most a minute before it starts a container again. An exit long before is that of another end.
  const isNear = (at: number) => Math.abs(foundAt - at) < MAX_WAIT_MS;
  // After a restart of subnetd, Docker still says when the run before ended.
  const { finishedAt = foundAt } = findContainer(facts) ?? {};
  const ended = { at: isNear(finishedAt) ? finishedAt : foundAt, code: undefined };
  const { at, code } = lastExit && isNear(lastExit.at) ? lastExit : ended;
  // `isFirst`: it had not crashed shortly before, or minutes ago and once.
  return { found, target, at, code, isFirst: findSeries(facts).length === 0 };
}

/** Crashes that follow each other closely: the newest series first, and each in the order of the inventory. One first crash alone is no series. */
function findTogether(crashes: readonly Crash[]): readonly (readonly Crash[])[] {
  const series: Crash[][] = [];
  for (const one of crashes.toSorted((first, second) => second.at - first.at)) {
    const last = series.at(-1);
    if ((last?.at(-1)?.at ?? Number.POSITIVE_INFINITY) - one.at <= TOGETHER_MS) last?.push(one);
    else series.push([one]);
  }
  const together = series.filter((some) => some.filter(({ isFirst }) => isFirst).length > 1);
  return together.map((some) => new Set(some)).map((some) => crashes.filter((one) => some.has(one)));
}

const targetsOf = (crashes: readonly Crash[]) => new Set(crashes.map(({ target }) => target));

/**
 * All that crashed together, in the order of the inventory: also what somebody has restarted or stopped since, what Docker says
 * nothing of, and what the problem named before, as subnetd reads of an older crash only what Docker still has.
 */
function listCrashed(crashes: readonly Crash[], view: SubnetView, before: Problem | undefined): readonly TargetView[] {
  const { nodes = [], since = 0 } = before ?? {};
  const found = targetsOf(crashes);
  const isTold = ({ component, name }: Target) =>
    component === 'node' && nodes.includes(name) && crashes.every(({ at }) => at < since + TOGETHER_MS);
  const isHandled = ({ state: { facts }, container: { kind } }: TargetView) =>
    (kind !== 'running' && kind !== 'restarting') || isRestartPlanned(facts.container) === true;
  const crashed = (one: TargetView) => {
    const [at, ...others] = isHandled(one) ? listRecent(one, view.now) : [];
    return at !== undefined && others.length === 0 && crashes.some((one) => Math.abs(one.at - at) <= TOGETHER_MS);
  };
  return view.targets.filter((one) => found.has(one) || isTold(one.state.target) || crashed(one));
}

/** The time of all that crashed together. Of those that are not found by themselves the nearest end counts, or else the start after it. */
function formatSpan(crashes: readonly Crash[], crashed: readonly TargetView[], now: number): string {
  const older = [...new Set(crashed).difference(targetsOf(crashes))];
  const farOf = (at: number) => Math.min(...crashes.map((one) => Math.abs(one.at - at)));
  const nearest = (ats: readonly number[]) => ats.toSorted((one, other) => farOf(one) - farOf(other)).slice(0, 1);
  const endsOf = (one: TargetView) =>
    [...listRecent(one, now), one.state.facts.container?.unrequestedExit?.at ?? []].flat();
  const others = older.flatMap((one) => nearest(endsOf(one))).filter((at) => farOf(at) < MAX_WAIT_MS);
  const times = [...crashes.map(({ at }) => at), ...others];
  return formatDuration(Math.max(Math.max(...times) - Math.min(...times), 1_000));
}

/** The event of the newest crashes, as it is known, or by the half-minutes around its begin: two within 30 s of each other share one. */
function findEvent(crashes: readonly Crash[], { before, toWall }: SubnetView) {
  const times = crashes.map(({ at }) => at).toSorted((one, other) => other - one);
  const startAt = times.reduce((start, at) => (start - at <= SPELL_MS ? at : start));
  const problem = 'containers_crashed';
  const known = [before.get({ problem }), before.get({ problem, isNext: true })].find(
    (one) => one !== undefined && startAt < one.since + SPELL_MS,
  );
  const around = [startAt - SPELL_MS / 2, startAt + SPELL_MS / 2].map((at) => Math.floor(toWall(at) / SPELL_MS));
  return { known, about: known ? known.about : around.join(', ') };
}

/** The problem of crashes in one or more series, the newest first. */
function toProblem(series: readonly (readonly Crash[])[], view: SubnetView): Suspicion {
  const { nodes } = view;
  const joined = series.flat();
  const [first] = joined;
  const { known, about } = findEvent(joined, view);
  const areNodes = (some: readonly TargetView[]) => some.every((one) => 'target' in one);
  const nameAll = (some: readonly TargetView[]) =>
    some.length > 2 && some.length === nodes.length && areNodes(some)
      ? `all ${nodes.length} nodes`
      : nameSome(some.map(({ state }) => state.target.name));
  const told = series.map((some) => {
    const all = listCrashed(some, view, series.length === 1 ? known : undefined);
    const [names, span] = [nameAll(all), formatSpan(some, all, view.now)];
    const [code, ...others] = new Set(some.map((one) => one.code));
    const how =
      others.length > 0 || code === undefined
        ? ''
        : ` with exit code ${code === 0 && areNodes(all) ? ZERO_OF_NODE : code}`;
    const at = formatMoment(Math.max(...some.map((one) => one.at)), view);
    return { all, names, span, ended: `${names} ended${how} within ${span}, ${at}` };
  });
  const crashed = told[0]?.all ?? [];
  const lastAt = Math.max(...joined.map(({ at }) => at));
  // What has run again and was paused, ended or removed since is another matter.
  const hasRun = ({ state, container: { kind } }: TargetView) => {
    const { container: facts } = state.facts;
    const { startedAt = 0 } = findContainer(facts) ?? facts?.run ?? {};
    return kind === 'running' || kind === 'elsewhere' || startedAt > lastAt;
  };
  const running = crashed.filter(hasRun).length;
  const again =
    running === crashed.length ? 'all have' : `${running} of ${crashed.length} ${running === 1 ? 'has' : 'have'}`;
  // Of some the end is not found any more, or only a later one, so what was found before stays.
  const isKept = known?.state === 'open' && !known.restoredAt && lastAt < known.since + TOGETHER_MS;
  const isSame = isKept && crashed.every(({ state }) => known.nodes?.includes(state.target.name));
  const isSeen = crashed.every(({ container }) => container.kind !== 'unknown');
  return suspect('containers_crashed', {
    about,
    begunAt: lastAt,
    summary: `the containers of ${told[0]?.names} crashed within ${told[0]?.span} of each other`,
    evidence: `${told.map(({ ended }) => ended).join('; ')}, which nobody had requested`,
    ...(isSame && { summary: known.summary, evidence: known.evidence, begunAt: known.since }),
    // Not in the evidence, which stays as it is once this is over.
    fix: `${isSeen ? `${again} started again; ` : ''}look for what they share: the memory and the disk of their machine, Docker, or a block that they all received; for ${first?.found.name}: ${first?.found.fix}`,
    // The checks of an older series are explained by what was told of that then.
    explains: series[0]?.flatMap(({ found }) => found.explains) ?? [],
    causes: joined.flatMap(({ found }) => [...refsTo(found, found.problem), ...found.causes]),
    ...(areNodes(crashed) && { nodes: crashed.map(({ state }) => state.target.name) }),
  });
}

/** What is found by itself of a target whose Docker Engine was stopped. */
const BROUGHT_BY_STOP = ['container_down', 'node_down', 'node_hanging', 'service_down', 'log_source_down'] as const;

/** Containers that ended with their Docker Engine: what is found of each has that one cause. */
function findStop(found: readonly Suspicion[], view: SubnetView): Found {
  const ended = view.targets.filter((one) => hasEndedWithDocker(one, view));
  // They are not known to have been started since.
  const stopped = ended.filter(({ state, container }) => container.kind === 'stopped' || hasEndedUnseen(state));
  const [first] = stopped;
  if (first === undefined || stopped.length === 1) return undefined;
  // The parent chain may run there too.
  const ofTargets = stopped.map(({ state }) => refsTo(state.target, ...BROUGHT_BY_STOP, 'parent_unreachable'));
  const causes = [...ofTargets, refsTo({}, 'monitor_offline')].flat();
  const brought = indexProblems(causes);
  const at = Math.max(...ended.map(({ state }) => state.facts.container?.lastExit?.at ?? 0));
  const names = stopped.flatMap(({ state }) => findContainer(state.facts.container)?.name ?? []);
  const nameAll = (some: readonly TargetView[]) => nameSome(some.map(({ state }) => state.target.name));
  const [how, fix] = isDockerSilent(first, view)
    ? [
        'it does not answer',
        'start Docker, as with `systemctl start docker` on its machine, and then what does not start with it',
      ]
    : isDockerRestarting(first, view)
      ? ['it ends or has just started', 'wait until Docker runs again: it starts what it is set to restart']
      : [
          `${stopped.length < ended.length ? nameAll(stopped) : 'they'} do not run although it answers again`,
          `start them with \`docker start ${names.map(toShellWord).join(' ')}\``,
        ];
  return suspect('containers_crashed', {
    summary: `Docker itself was stopped, and ${ended.length} containers with it`,
    evidence: `the containers of ${nameAll(ended)} ended as Docker was stopped, ${formatMoment(at, view)}, and ${how}`,
    fix,
    explains: [stopped.flatMap(explainAll), found.flatMap((one) => (brought.get(one) ? one.explains : []))].flat(),
    causes,
    ...(stopped.every((one) => 'target' in one) && { nodes: stopped.map(({ state }) => state.target.name) }),
  });
}

/**
 * Makes one problem of containers that crashed at the same time: their common cause is to be found, not that of each. A crash whose
 * cause is known stays where it is.
 */
export function joinCrashes(found: readonly Suspicion[], view: SubnetView): readonly Suspicion[] {
  const stop = findStop(found, view);
  if (stop !== undefined) return [stop, ...found];
  const crashes = collect(found, (one) => toCrash(one, view));
  // What something else there explains is no crash of its own.
  const explained = indexProblems(found.flatMap(({ causes }) => causes));
  const series = findTogether(crashes.filter((one) => explained.get(one.found) === undefined));
  // What was told with crashes of others stays so when those are too old to be found.
  const { nodes = [], since = 0 } = view.before.get({ problem: 'containers_crashed' }) ?? {};
  const wasJoined = ({ at, found: { problem, name = '' } }: Crash) =>
    problem !== 'out_of_memory' && nodes.includes(name) && at < since + TOGETHER_MS;
  const left = crashes.filter(wasJoined);
  const told = series.length === 0 && left.length > 0 ? [left] : series;
  const parts = new Set(told.flat().map((one) => one.found));
  const rest = found.filter((one) => !parts.has(one));
  return told.length === 0 ? rest : [toProblem(told, view), ...rest];
}
