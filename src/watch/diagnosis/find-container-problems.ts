import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import { formatAgo } from '../../lib/duration.ts';
import { listNames, toShellWord } from '../../lib/words.ts';
import type { PatternFacts } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import type { Suspicion } from '../../model/problem.ts';
import { findCrashes, isLooping, isRestartPlanned, isStoppedOnOrder, LOOP_MS } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { commandToCreate, describeRef } from '../clients/commands-to-type.ts';
import { RELAYER_START_ERRORS } from '../rules/fold-relayer-log.ts';
import { explain, explainAll } from './explain-checks.ts';
import { hasEndedFailure } from './find-known-failures.ts';
import { listUnlisted } from './setup/find-engine-problems.ts';
import { checkOf, fails, type SubnetView, type TargetView } from './subnet-view.ts';

/** The share of its memory limit from which on a container is near it. */
const NEAR_LIMIT = 0.9;
const LARGE_LOG_BYTES = 10e9;

/** How a container ended, as the rest of a sentence that begins with its name. */
function describeEnd({ exitCode, finishedAt, oomKilled }: Container, onOrder: boolean, now: number): string {
  const ago = finishedAt === undefined ? '' : ` ${formatAgo(finishedAt, now)}`;
  if (onOrder) return `was stopped on order${ago}, by a person or a program`;
  if (oomKilled) return `ended${ago} out of memory`;
  return exitCode === undefined ? `ended${ago}` : `ended${ago} with exit code ${exitCode}`;
}

/** The line that says why the last run of a service ended, as while it started. The current run may have printed it again. */
function findStartError(
  { target, facts: { container, logs } }: TargetState,
  isRunning: boolean,
): PatternFacts | undefined {
  if (target.component === 'node' || logs === undefined) return undefined;
  const ended = (isRunning ? container?.runBefore : undefined) ?? container?.run;
  const since = ended?.startedAt ?? 0;
  let last: PatternFacts | undefined;
  for (const name of RELAYER_START_ERRORS) {
    const pattern = logs.patterns[name];
    if (pattern !== undefined && pattern.at >= since - LINE_TOLERANCE_MS && pattern.order > (last?.order ?? -1))
      last = pattern;
  }
  return last;
}

/** What to do about a container that ends: while it is started again (`fix`), and once it is not (`fixOfStopped`). */
function findFixes(state: TargetState, { name, running }: Container, onOrder: boolean) {
  const start = `start it with \`docker start ${toShellWord(name)}\``;
  const { what, fix } = findStartError(state, running) ?? {};
  if (fix !== undefined) {
    const known = `${what}, as its log says: ${fix}`;
    return { fix: known, fixOfStopped: `${known}, then ${start}` };
  }
  const readLog = `read why it ended with \`docker logs --tail 100 ${toShellWord(name)}\``;
  return { fix: readLog, fixOfStopped: onOrder ? start : `${start}; if it ends again, ${readLog}` };
}

/** What Docker and the inventory say about a container of a target that answers all the same. */
function describeMisnamed({ state: { target, facts } }: TargetView): string {
  const { container } = target;
  const observation = facts.container?.observation;
  return observation?.kind === 'found'
    ? `${observation.container.name} does not run`
    : `Docker has no container for ${container === undefined ? target.name : describeRef(container)}`;
}

/** The inventory names a container that is not the one of its target. Nothing is wrong with the target. */
function findMisnamed(one: TargetView, view: SubnetView): Suspicion | undefined {
  if (one.container.kind !== 'elsewhere') return undefined;
  const { component, name } = one.state.target;
  const others = listUnlisted(view).filter(({ status }) => status === 'running');
  return {
    problem: 'container_misnamed',
    component,
    name,
    summary: `the inventory names the wrong container for ${name}`,
    evidence: `${describeMisnamed(one)}, but ${name} answers`,
    fix: `correct the container of ${name} in the inventory${others.length === 0 ? '; find its name with `docker ps`' : `; ${listNames(others.map((each) => each.name))} ${others.length === 1 ? 'runs and is' : 'run and are'} not in it`}`,
    explains: explain(one, 'container', 'log_block', 'messages', 'logs'),
    causes: [
      { problem: 'log_source_down', component, name },
      ...(others.length === 1 ? [{ problem: 'containers_unlisted' } as const] : []),
    ],
  };
}

/** A container that does not run, or does not stay up. It explains every failing check of its target. */
function findDown(one: TargetView, now: number): Suspicion | undefined {
  const { state, container: view } = one;
  const { target, facts } = state;
  const { component, name, container: ref } = target;
  if (ref === undefined || view.kind === 'unknown' || view.kind === 'elsewhere') return undefined;
  // Most containers run and have never been restarted.
  const { lastRestartAt, earlierCrashes } = facts.container ?? {};
  const isUntouched = lastRestartAt === undefined && earlierCrashes === undefined;
  if (view.kind === 'running' && isUntouched && !fails(one, 'container')) return undefined;
  const subject = { component, name, explains: explainAll(one), causes: [] };
  if (view.kind === 'missing')
    return {
      ...subject,
      problem: 'container_down',
      causes: [{ problem: 'log_source_down', component, name }],
      summary: `${name} has no container`,
      evidence: `Docker has no container for ${describeRef(ref)}`,
      fix: commandToCreate(ref),
    };
  const { container } = view;
  if (view.kind === 'paused')
    return {
      ...subject,
      problem: 'container_paused',
      summary: `the container of ${name} is paused`,
      evidence: `Docker has paused ${container.name}, so its processes do nothing`,
      fix: `go on with \`docker unpause ${toShellWord(container.name)}\``,
    };
  const onOrder = facts.container !== undefined && isStoppedOnOrder(facts.container, container) === true;
  const { fix, fixOfStopped } = findFixes(state, container, onOrder);
  const crashes = facts.container === undefined ? [] : findCrashes(facts.container).filter((at) => now - at < LOOP_MS);
  /** The crash was reported with the known failure that caused it. */
  const isReported = hasEndedFailure(state);
  const isLoop =
    facts.container !== undefined && isLooping(facts.container, now) && !(view.kind === 'running' && isReported);
  if (isLoop || view.kind === 'restarting')
    return {
      ...subject,
      problem: 'container_restarting',
      // The first restart is not a loop. Of restarts before subnetd started, only Docker's count is known.
      summary:
        crashes.length > 1 || (crashes.length === 0 && container.restartCount > 1)
          ? `the container of ${name} restarts again and again`
          : `the container of ${name} has crashed and is restarted`,
      evidence: `${container.name} ${crashes.length > 1 ? `crashed ${crashes.length} times within 10 minutes` : describeEnd(container, false, now)}`,
      fix,
    };
  const check = checkOf(state, 'container');
  if (view.kind === 'stopped')
    return {
      ...subject,
      problem: 'container_down',
      summary: `the container of ${name} does not run`,
      // One that was never started, or is half removed, has no log that says why.
      ...(container.status !== 'exited' && check?.verdict === 'fail'
        ? { evidence: check.seen, fix: check.fix }
        : { evidence: `${container.name} ${describeEnd(container, onOrder, now)}`, fix: fixOfStopped }),
    };
  if (!fails(one, 'container') || isRestartPlanned(facts.container)) return undefined;
  // The check fails for some minutes after a start. A loop that is over was reported as one.
  if (crashes.length > 1 || isReported) return undefined;
  return {
    ...subject,
    explains: explain(one, 'container'),
    problem: 'container_restarting',
    summary: `the container of ${name} has crashed and was restarted`,
    evidence: `${container.name} started again ${formatAgo(container.startedAt ?? now, now)}, after it had ended without a request`,
    fix,
  };
}

function findMemory({ state, container: view }: TargetView): Suspicion | undefined {
  if (view.kind !== 'running') return undefined;
  const { component, name } = state.target;
  const { memoryBytes = 0, memoryLimitBytes = Number.POSITIVE_INFINITY, name: container } = view.container;
  const share = memoryBytes / memoryLimitBytes;
  if (share <= NEAR_LIMIT) return undefined;
  const limit = Math.round(memoryLimitBytes / 2 ** 20);
  return {
    problem: 'container_memory_near_limit',
    component,
    name,
    summary: `the container of ${name} is near its memory limit`,
    evidence: `${container} uses ${Math.round(share * 100)} % of its ${limit} MiB, and is killed when it reaches them`,
    fix: 'raise mem_limit in its compose file, or find out why it grows',
    explains: [],
    causes: [],
  };
}

function findLargeLog({ state }: TargetView): Suspicion | undefined {
  const { component, name, logFiles } = state.target;
  const { fileBytes = 0 } = state.facts.logs ?? {};
  if (logFiles.length === 0 || fileBytes <= LARGE_LOG_BYTES) return undefined;
  return {
    problem: 'log_file_large',
    component,
    name,
    summary: `the log files of ${name} are large`,
    evidence: `the log files of ${name} hold ${(fileBytes / 1e9).toFixed(1)} GB, and nothing has rotated them`,
    fix: 'truncate the file in place, and let logrotate do so with copytruncate',
    explains: [],
    causes: [],
  };
}

/** Containers that do not run or are about to be killed, and logs that fill the disk. */
export function findContainerProblems(view: SubnetView): readonly Suspicion[] {
  const { targets, now } = view;
  const found: Suspicion[] = [];
  const add = (one: Suspicion | undefined) => one && found.push(one);
  for (const one of targets) {
    add(findMisnamed(one, view));
    add(findDown(one, now));
    add(findMemory(one));
    add(findLargeLog(one));
  }
  return found;
}
