import { DAY_MS, formatMoment, type Moment } from '../../lib/duration.ts';
import { formatBytes, formatTimes, listNames } from '../../lib/words.ts';
import { describePace, findLongPace, formatLeft } from '../../model/fill.ts';
import { LINES_LOST } from '../../model/log.ts';
import { CRASHED_ONCE, type Suspicion } from '../../model/problem.ts';
import { type ProblemName, problemCatalog } from '../../model/problem-catalog.ts';
import {
  findContainer,
  findCrashes,
  findSeries,
  isLooping,
  isRestartPlanned,
  LOOP_MS,
  START_MS,
} from '../../model/restart-cause.ts';
import type { TargetSetup } from '../../model/setup.ts';
import type { ContainerRef, Target } from '../../model/target.ts';
import { commandToFind, commandToRecreate, describeRef, LOG_ROTATION, serviceOf } from '../clients/commands-to-type.ts';
import { explainUnread, isYetToCome } from '../rules/find-log-fault.ts';
import { hasEndedFailure } from './find-known-failures.ts';
import { listUnlisted } from './find-setup-problems.ts';
import { checkOf, isDockerRestarting, isDockerSilent, type SubnetView, type TargetView } from './subnet-view.ts';
import { explain, explainAll, type Found, findEach, refsTo, suspectTarget } from './suspect.ts';

const formatRef = (ref: ContainerRef | undefined): string => (ref === undefined ? 'its container' : describeRef(ref));

/** A log driver that keeps nothing to read. */
function explainDriver({ container: ref, name }: Target, container: TargetSetup['container']) {
  if (!container?.ok || container.value.log.isReadable) return undefined;
  const { driver } = container.value.log;
  const why = driver === 'none' ? '' : ', as cache-disabled is set';
  return {
    seen: `its log driver is ${driver}, of which Docker keeps nothing to read${why}`,
    fix: `write ${LOG_ROTATION} below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
  };
}

function findSourceDown(view: TargetView, all: SubnetView): Found {
  const { state, setup } = view;
  const { file, container: stream } = state.facts.logs?.sources ?? {};
  const isFile = file?.up === false;
  const log = isFile ? file : stream;
  if (log?.up !== false) return undefined;
  const { fault } = log;
  // While Docker does not answer, that is another problem, and nothing is known.
  if (!isFile && (fault?.what === 'docker-unreachable' || isDockerRestarting(view, all))) return undefined;
  if (isYetToCome(fault, state.facts, all.now)) return undefined;
  const { name, container, logFiles } = state.target;
  const what = isFile ? logFiles.map(({ path }) => path).join(', ') : `the log of ${formatRef(container)}`;
  const driver = isFile ? undefined : explainDriver(state.target, setup.container);
  const found = driver ?? (fault && explainUnread(fault, log, isFile));
  // Right after the start of subnetd reading has not begun.
  if (found === undefined) return undefined;
  return suspectTarget('log_source_down', view, {
    summary: `subnetd cannot read the log of ${name}`,
    evidence: `${what} cannot be read: ${found.seen}`,
    fix: found.fix,
  });
}

/** A loss counts for as long as another one must come to confirm it. */
const LOSS_MS = problemCatalog.log_lines_lost.confirmMs;

function findLinesLost(view: TargetView, moment: Moment): Found {
  const { target, facts } = view.state;
  const lost = facts.logs?.patterns[LINES_LOST];
  const agoMs = moment.now - (lost?.at ?? 0);
  const own = findContainer(facts.container);
  // What another container lost says nothing of this one.
  if (!lost || agoMs >= LOSS_MS || own === undefined || lost.at < (own.startedAt ?? 0)) return undefined;
  return suspectTarget('log_lines_lost', view, {
    // Only another loss confirms it.
    ...(agoMs >= LOSS_MS / 10 && { confirmMs: 2 * LOSS_MS }),
    summary: `Docker throws away lines of ${target.name} before they are read`,
    evidence: `Docker rotated the log of ${formatRef(target.container)} and threw lines away before they were read ${formatTimes(lost.count)} since subnetd started, last ${formatMoment(lost.at, moment)}`,
    fix: 'give its log more room with the option max-size of its logging driver, or let it print less, and recreate it',
  });
}

/** Logs that cannot be read, and lines that are lost: what they would show is not known. */
export const findLogProblems = (view: SubnetView): readonly Suspicion[] =>
  findEach(view.targets, view, findSourceDown, findLinesLost);

/** The share of its memory limit from which on a container is near it. */
const NEAR_LIMIT = 0.9;
const LARGE_LOG_BYTES = 10e9;

/** While Compose recreates a container, the old one still answers, and the new one does not run yet. */
const REPLACED_WITHIN_MS = 20_000;

/** The inventory names a container that is not the one of its target. Nothing is wrong with the target. */
function findMisnamed(one: TargetView, view: SubnetView): Found {
  if (one.container.kind !== 'elsewhere') return undefined;
  const { target } = one.state;
  const { name, container } = target;
  const found = findContainer(one.state.facts.container);
  const others = listUnlisted(view).filter(({ status }) => status === 'running');
  const { since = view.now } = checkOf(one.state, 'container') ?? {};
  // Its check may have failed before, as for some minutes after each restart.
  const isReplaced = view.now - Math.max(since, found?.createdAt ?? since) < REPLACED_WITHIN_MS;
  return suspectTarget('container_misnamed', one, {
    summary: isReplaced
      ? `the container of ${name} is being replaced, or the inventory names the wrong one`
      : `the inventory names the wrong container for ${name}`,
    evidence: `${found ? `${found.name} does not run` : `Docker has no container for ${container ? describeRef(container) : name}`}, but ${name} answers`,
    fix: isReplaced
      ? 'wait a moment: one that is recreated runs again within seconds'
      : `correct the container of ${name} in the inventory${others.length === 0 ? `; find its name with ${commandToFind(container)}` : `; ${listNames(others.map((each) => each.name))} ${others.length === 1 ? 'runs and is' : 'run and are'} not in it`}`,
    explains: explain(one, 'container', 'log_block', 'messages', 'logs'),
    causes: [...refsTo(target, 'log_source_down'), ...(others.length === 1 ? refsTo({}, 'containers_unlisted') : [])],
  });
}

/** A container that does not run, or does not stay up, in the words of its check. It explains every failing check of its target. */
function findDown(one: TargetView, all: SubnetView): Found {
  const { now } = all;
  const { state, container: view } = one;
  const { target, facts } = state;
  const { name } = target;
  const check = checkOf(state, 'container');
  if (facts.container === undefined || view.kind === 'unknown' || view.kind === 'elsewhere' || !check) return undefined;
  const { seen: evidence, fix = '' } = check;
  const tell = (problem: ProblemName, summary: string, more: Partial<Suspicion> = {}) =>
    suspectTarget(problem, one, { evidence, fix, explains: explainAll(one), summary, ...more });
  if (view.kind === 'missing')
    return tell('container_down', `${name} has no container`, { causes: refsTo(target, 'log_source_down') });
  if (view.kind === 'paused') return tell('container_paused', `the container of ${name} is paused`);
  const { container } = view;
  if (view.kind === 'stopping')
    return tell('container_down', `${name} is being stopped`, {
      evidence: `Docker was asked to stop ${container.name}, which has not ended yet`,
      fix: 'wait until it has ended: Docker kills what does not end within some seconds',
    });
  const { finishedAt: begunAt, startedAt = now, createdAt = 0 } = container;
  // What crashed before it was made was another container.
  const crashes = findSeries(facts.container).filter((at) => now - at < LOOP_MS && at >= createdAt);
  /** The crash was reported with the known failure that caused it. */
  const isReported = hasEndedFailure(state);
  if (view.kind === 'restarting' || (isLooping(facts.container, now) && !(view.kind === 'running' && isReported))) {
    // The first restart is not a loop. Of those before subnetd started, only Docker's count is known, and when the last run began. A
    // container that ran for longer than Docker waits between restarts was in no loop.
    const wasRestarted =
      container.restartCount - findCrashes(facts.container).length > 1 && now - startedAt < 2 * START_MS;
    const isAgain = crashes.length > 1 || (crashes.length === 0 && wasRestarted);
    const how = isAgain ? 'restarts again and again' : 'has crashed and is restarted';
    // No more than three are kept.
    const times = `${crashes.length > 2 ? 'at least ' : ''}${crashes.length} times`;
    return tell('container_restarting', `the container of ${name} ${how}`, {
      begunAt,
      ...(crashes.length > 1 && { evidence: `${container.name} crashed ${times} within 10 minutes` }),
    });
  }
  if (view.kind === 'stopped') {
    const mayWait = isDockerRestarting(one, all) && !isDockerSilent(one, all);
    const first = mayWait ? 'if Docker itself ends or is restarted, wait until it runs again; else ' : '';
    return tell('container_down', `the container of ${name} does not run`, { begunAt, fix: `${first}${fix}` });
  }
  // The check fails for some minutes after a start. A loop that is over was reported as one.
  if (check.verdict !== 'fail' || crashes.length > 1 || isReported || isRestartPlanned(facts.container))
    return undefined;
  // Nor is a crash news that came before subnetd was started, and from which the container has run for as long as it takes to be over.
  if (!facts.container.lastExit && now - startedAt >= problemCatalog.container_restarting.clearMs) return undefined;
  const explains = explain(one, 'container');
  const isPast = now - startedAt >= START_MS;
  return tell('container_restarting', `the container of ${name} ${CRASHED_ONCE}`, { begunAt, explains, isPast });
}

/** Memory that is near its limit, or grows for hours and reaches it within a day. In the first hour after a start each program takes more. */
function findMemory(one: TargetView): Found {
  if (one.container.kind !== 'running') return undefined;
  const { facts, target } = one.state;
  const { memoryBytes = 0, memoryLimitBytes = Number.POSITIVE_INFINITY, name: container } = one.container.container;
  const share = memoryBytes / memoryLimitBytes;
  const fix = 'raise mem_limit in its compose file, or find out why it grows';
  if (share > NEAR_LIMIT)
    return suspectTarget('container_memory_near_limit', one, {
      summary: `the container of ${target.name} is near its memory limit`,
      evidence: `${container} uses ${Math.round(share * 100)} % of its ${Math.round(memoryLimitBytes / 2 ** 20)} MiB, and is killed when it reaches them`,
      fix,
    });
  const fill = facts.container?.memory;
  const pace = fill && findLongPace(fill);
  if (fill === undefined || pace === undefined || pace.leftMs >= DAY_MS) return undefined;
  const left = formatLeft(pace);
  return suspectTarget('memory_filling', one, {
    summary: `the container of ${target.name} reaches its memory limit in ${left}`,
    evidence: `it uses ${formatBytes(fill.used)} of ${formatBytes(fill.total)}, and ${describePace(pace)}: at that pace it is killed in ${left}`,
    fix,
  });
}

function findLargeLog(one: TargetView): Found {
  const { name, logFiles } = one.state.target;
  const { fileBytes = 0 } = one.state.facts.logs ?? {};
  if (logFiles.length === 0 || fileBytes <= LARGE_LOG_BYTES) return undefined;
  return suspectTarget('log_file_large', one, {
    summary: `the log files of ${name} are large`,
    evidence: `the log files of ${name} hold ${formatBytes(fileBytes)}, and nothing has rotated them`,
    fix: 'truncate the file in place, and let logrotate do so with copytruncate',
  });
}

export const findContainerProblems = (view: SubnetView): readonly Suspicion[] =>
  findEach(view.targets, view, findMisnamed, findDown, findMemory, findLargeLog);
