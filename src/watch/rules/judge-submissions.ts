import { formatAgo, formatDuration, formatMoment, type Moment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { joinAnd } from '../../lib/words.ts';
import { PACKETS_WITHIN_MS, SUBMITS_WITHIN_MS } from '../../model/check-limits.ts';
import type { Facts, LogFacts, RelayerLogFacts, RelayerModeFacts } from '../../model/facts.ts';
import { failsNow, hasJobs, type QueueFacts, type RelayerMode } from '../../model/observation.ts';
import { findContainer, isOfRun, START_MS } from '../../model/restart-cause.ts';
import { hasLog, type ServiceTarget } from '../../model/target.ts';
import { addFix, degraded, type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { isError, readLog, readSince } from './find-log-fault.ts';
import { JUST_STARTED, type View } from './view.ts';

/** What gives a relayer a mode to run in. It reads its settings when its container is made. `unset`: what that was made without. */
export function setMode(unset: readonly string[] = ['PARENTNET_URL', 'PARENTNET_WALLET_PK', 'CHECKPOINT_CONTRACT']) {
  const lacksContract = unset.includes('CHECKPOINT_CONTRACT');
  const deployed = lacksContract ? ', after deploying the checkpoint contract if there is none,' : '';
  return `set ${joinAnd(unset)} in common.env${deployed} and recreate the relayer`;
}

/** The queues count a job as failed at most this long after its log has shown why. */
const COUNTED_WITHIN_MS = 60_000;

const formatMode = (mode: RelayerMode): string => mode.toUpperCase();

/** A queue whose last jobs failed lately, and after this time. Its log may not show it. */
function findFailing(view: View<ServiceTarget>, after = Number.NEGATIVE_INFINITY): Finding | undefined {
  const { facts, settings, now } = view;
  const isRecent = (at = 0) => at > after && now - at < settings.logs.errorWindowMs;
  const failing = facts.service?.queues?.find((queue) => failsNow(queue) && isRecent(queue.failedAt));
  if (failing === undefined) return undefined;
  const { mode, failedAt = now, failed, completed } = failing;
  return {
    seen: `the last jobs of the queue ${formatMode(mode)} failed, as was seen ${formatMoment(failedAt, view)}: ${failed} failed and ${completed} completed since its start`,
  };
}

function findLate(queue: QueueFacts, { settings, now }: View<ServiceTarget>): Finding | undefined {
  const limitMs = settings.logs.submissionsWithinMs ?? SUBMITS_WITHIN_MS[queue.mode];
  const silentMs = now - (queue.completedAt ?? queue.since);
  if (silentMs < limitMs) return undefined;
  return {
    seen: `the queue ${formatMode(queue.mode)} of the relayer has completed no job for ${formatDuration(silentMs)} (limit ${formatDuration(limitMs)}; ${queue.active} active, ${queue.waiting} waiting, ${queue.failed} failed)`,
    fix: 'restart its container',
  };
}

/** Whether the relayer works, by its queues only: a witness in the place of a log that cannot be read, as `unread` says. */
function judgeQueues(view: View<ServiceTarget>, unread: Judgement): Judgement {
  const { service } = view.facts;
  if (!service?.observation.ok || service.queues === undefined || service.queues.length === 0) return unread;
  const more = unread.fix ?? 'name its container or logFiles in the inventory, so that its log is read';
  const working = service.queues.filter(hasJobs);
  const ageMs = view.now - Math.max(...service.queues.map(({ since }) => since));
  // A relayer that has just started has no jobs yet.
  if (working.length === 0)
    return ageMs < START_MS
      ? unknown('the queues of the relayer are empty, as shortly after its start', JUST_STARTED)
      : fail(
          `the queues of the relayer have been empty for ${formatDuration(ageMs)}, so it runs in no mode`,
          setMode(view.facts.logs?.created?.unset),
        );
  const found = findFailing(view) ?? working.map((queue) => findLate(queue, view)).find((late) => late !== undefined);
  if (found !== undefined) return fail(found.seen, `${found.fix ?? 'read its log, which should name why'}; ${more}`);
  const names = working.map(({ mode }) => formatMode(mode)).join(', ');
  const last = highest(working.flatMap(({ completedAt }) => completedAt ?? []));
  const shown =
    last === Number.NEGATIVE_INFINITY ? 'show no failed job' : `completed a job ${formatAgo(last, view.now)}`;
  return degraded(
    `the queues of the relayer (${names}) ${shown}; whether it submitted blocks, only its log and its contract show`,
    more,
  );
}

/** How often a cycle of each mode begins (XDC-Relayer src/config.ts). */
const PERIOD_MS: Readonly<Record<RelayerMode, number>> = {
  full: 20_000,
  lite: 120_000,
  reverse_full: 20_000,
  zero: 10_000,
  reverse_zero: 10_000,
};

/** Many blocks of a parent chain. web3 waits 750 s for a transaction to be mined, and prints nothing. */
const MINED_WITHIN_MS = 120_000;

/** Cycles that may be missed before silence is a fault. */
export const MISSED_CYCLES = 3;

const hangs = (mode: RelayerMode, silentMs: number, moment: Moment): Finding => ({
  seen: `the relayer (${formatMode(mode)}) began a cycle ${formatMoment(moment.now - silentMs, moment)} and has printed nothing since, so it hangs, or waits for the node that SUBNET_URL or PARENTNET_URL names`,
  fix: 'see that the nodes of SUBNET_URL and PARENTNET_URL answer from where the relayer runs, and restart the relayer',
});

/** What a relayer says nothing of by itself: it has nothing to submit. */
export const NO_NEW_BLOCKS = 'no new blocks, or is behind its contract';

/** What was seen with what a line of a pattern means, and what to do about that. */
function specify(start: string, { patterns }: LogFacts, name: string): Finding {
  const { what, fix } = patterns[name] ?? { what: name };
  return { seen: `${start}: ${what}`, fix };
}

/** What the relayer says of the node of the subnet that it reads from. */
export const OF_SUBNET: readonly string[] = ['subnet_unreachable', 'subnet_uncommitted'];

type ModeEntry = readonly [RelayerMode, RelayerModeFacts];

/** Said once the node that a relayer could not read from answers again, until the next cycle shows whether it can now. */
function describeReturn([mode, { error }]: ModeEntry, view: View<ServiceTarget>): string | undefined {
  const { target, subnet, now } = view;
  if (!error || now - error.at >= 2 * PERIOD_MS[mode] || !OF_SUBNET.includes(error.pattern)) return undefined;
  const { node } = subnet.find((one) => one.facts.node && one.target.name === target.readsFrom)?.facts ?? {};
  const { at = 0 } = (node?.observation.latest.ok && node.returned) || {};
  const failed = `the last cycle of the relayer (${formatMode(mode)}) failed ${formatAgo(error.at, now)}`;
  const again = `${target.readsFrom}, from which it reads, answered again ${formatAgo(at, now)}`;
  return at > error.at ? `${failed}, and ${again}` : undefined;
}

function findModeFault([mode, facts]: ModeEntry, logs: LogFacts, base: number, view: View): Finding | undefined {
  const { now } = view;
  const settings = view.settings.logs;
  const periodMs = PERIOD_MS[mode];
  const { error, phase, phaseAt } = facts;
  const who = `the relayer (${formatMode(mode)})`;
  if (error !== undefined && now - error.at < settings.errorWindowMs)
    return specify(
      `${who} ${phase === 'attempt' ? 'is trying again after a failure' : 'has been failing since its last submission'}`,
      logs,
      error.pattern,
    );
  const silentMs = now - Math.max(phaseAt, facts.cycleAt ?? 0, base);
  const stoppedAt = logs.relayer?.stoppedAt;
  if (stoppedAt !== undefined && silentMs >= MISSED_CYCLES * periodMs)
    return {
      seen: `${who} was stopped ${formatMoment(stoppedAt, view)}, and has not been started since`,
      fix: 'start its container',
    };
  if (phase === 'attempt') {
    if (silentMs < MINED_WITHIN_MS) return undefined;
    return {
      seen: `${who} has waited ${formatDuration(silentMs)} for a transaction to be mined`,
      fix: 'check the pool and the gas price of the parent chain; when the transaction is not there, restart its container, which sends it anew',
    };
  }
  if (silentMs >= MISSED_CYCLES * periodMs)
    return phase === 'done' || phase === 'failed'
      ? {
          seen: `${who} has begun no cycle for ${formatDuration(silentMs)}`,
          fix: 'restart its container, as its redis may be dead',
        }
      : hangs(mode, silentMs, view);
  const last = Math.max(facts.submittedAt ?? 0, facts.advancedAt ?? 0, base);
  const limitMs = settings.submissionsWithinMs ?? SUBMITS_WITHIN_MS[mode];
  if (now - last < limitMs) return undefined;
  if (phase === 'cycle' && silentMs > 1.5 * periodMs) return hangs(mode, silentMs, view);
  return {
    seen: `${who} has submitted nothing for ${formatDuration(now - last)} (limit ${formatDuration(limitMs)}) although its cycles go on: the subnet commits ${NO_NEW_BLOCKS}`,
  };
}

function findProcessFault(relayer: RelayerLogFacts, logs: LogFacts, view: View): Finding | undefined {
  const { died, redisDiedAt, redisFault, modes, forkAt, startError } = relayer;
  const ago = (at: number) => formatMoment(at, view);
  if (forkAt !== undefined && view.now - forkAt < view.settings.logs.errorWindowMs)
    return specify(`the relayer detected a fork ${ago(forkAt)}`, logs, 'fork');
  if (died !== undefined) {
    const seen = `the relayer died ${ago(died.at)} while its container lives on`;
    return died.because === undefined ? { seen, fix: 'restart the container' } : specify(seen, logs, died.because);
  }
  if (redisDiedAt !== undefined)
    return {
      seen: `the redis of the relayer died ${ago(redisDiedAt)}, and without it the relayer begins no new cycle`,
      fix: 'restart its container',
    };
  if (redisFault !== undefined) return specify('the relayer cannot work', logs, redisFault);
  if (startError !== undefined && modes === undefined) return specify('the relayer cannot start', logs, startError);
  return modes?.length === 0
    ? { seen: 'the relayer runs in no mode and does nothing', fix: setMode(logs.created?.unset) }
    : undefined;
}

/** What its log shows of the run of now: what was read of one before, as with another contract, says nothing of this one. */
function findRun({ logs, container }: Facts): RelayerLogFacts {
  const { submittedAt = 0, ...relayer } = logs?.relayer ?? { byMode: {}, submissions: 0 };
  const { startedAt: ranFrom = 0 } = findContainer(container) ?? {};
  const { startedAt = 0, died, byMode } = relayer;
  const lastAt = Math.max(startedAt, died?.at ?? 0, ...Object.values(byMode).map(({ phaseAt }) => phaseAt));
  // Its start is printed seconds after that of its container, by a clock that may differ.
  if (lastAt > 0 && lastAt < ranFrom && !isOfRun(startedAt, ranFrom))
    return { byMode: {}, submissions: 0, startedAt: ranFrom };
  return { ...relayer, ...(submittedAt > Math.max(startedAt, ranFrom) && { submittedAt }) };
}

/** Does the relayer submit blocks, in each of its modes? */
export function judgeSubmissions(view: View<ServiceTarget>): Judgement {
  const { target, facts, settings, now } = view;
  const { logs } = facts;
  const seeLog = commandToSeeLog(target);
  // Its jobs wait, and nothing else shows why.
  const paused = facts.service?.queues?.find((queue) => queue.isPaused && hasJobs(queue));
  if (paused !== undefined)
    return fail(
      `the queue ${formatMode(paused.mode)} of the relayer is paused, with ${paused.waiting} jobs waiting, so it submits nothing`,
      `restart its container, which begins with new queues; ${seeLog}`,
    );
  if (logs === undefined)
    return hasLog(target)
      ? unknown('the log of the relayer has not been checked yet')
      : judgeQueues(view, unknown('the queues of the relayer have not been read yet'));
  const read = readLog(view, 'the log of the relayer', ({ own }) => own);
  // One that is still to come, as that of a container which is being made anew, needs no other witness.
  if ('verdict' in read) return read.verdict === 'fail' || read.fix === undefined ? read : judgeQueues(view, read);
  const relayer = findRun(facts);
  // The silence of one that is being made anew is that of no program.
  const isMissing = facts.container?.observation?.kind === 'missing';
  const base = isMissing ? now : Math.max(readSince(facts, now), relayer.startedAt ?? 0);
  const modes = Object.entries(relayer.byMode) as readonly ModeEntry[];
  const findFault = (one: ModeEntry) => findModeFault(one, logs, base, view);
  const returned = modes.map((one) => describeReturn(one, view)).find((one) => one !== undefined);
  const process = findProcessFault(relayer, logs, view);
  if (process === undefined && returned !== undefined) return unknown(returned, 'wait for its next cycle');
  const fault = process ?? modes.map(findFault).find((one) => one !== undefined);
  if (fault !== undefined) return { verdict: 'fail', ...addFix(fault, seeLog) };
  const silent = (relayer.modes ?? ['full' as const]).filter((mode) => relayer.byMode[mode] === undefined);
  if (silent.length > 0 && now - base >= (settings.logs.submissionsWithinMs ?? SUBMITS_WITHIN_MS.full))
    return fail(
      `the relayer has printed nothing of ${silent.map(formatMode).join(', ')} for ${formatDuration(now - base)}`,
      `restart its container, as it may hang or its redis be dead, and ${seeLog}`,
    );
  if (modes.length === 0)
    return unknown(`the relayer has begun no cycle since its ${base === relayer.startedAt ? 'start' : 'log is read'}`);
  // The queues are read less often than the log: what was submitted since, by a cycle that has ended well or goes on, counts more.
  const doneAt = highest(
    modes.map(([, { phase, phaseAt, advancedAt = 0 }]) => (phase === 'done' ? phaseAt : advancedAt)),
  );
  const shownAt = highest(Object.values(logs.patterns).flatMap((one) => (isError(one) ? one.at : [])));
  const failing = findFailing(view, Math.max(doneAt, shownAt + COUNTED_WITHIN_MS));
  if (failing !== undefined)
    return degraded(`the log of the relayer shows no fault, but ${failing.seen}`, `${seeLog}, which should name why`);
  const waiting = modes.find(([, { waits }]) => waits !== undefined && now - waits.since >= PACKETS_WITHIN_MS);
  if (waiting?.[1].waits) {
    const { since, wanted, block } = waiting[1].waits;
    return degraded(
      `the cycles of the relayer (${formatMode(waiting[0])}) make no progress: for ${formatDuration(now - since)} they have waited for block ${wanted} in the checkpoint contract, which stays at block ${block}`,
      `see that its mode ${waiting[0] === 'zero' ? 'FULL' : 'REVERSE_FULL'} submits blocks; ${seeLog}`,
    );
  }
  const [mode, { phaseAt = now } = {}] = modes.find(([, { phase }]) => phase === 'attempt') ?? [];
  if (mode !== undefined) {
    const sent = formatAgo(phaseAt, now);
    return pass(
      findContainer(facts.container)?.running !== false
        ? `the relayer (${formatMode(mode)}) sent its last transaction ${sent}, and its log does not say yet whether that is mined`
        : `the relayer (${formatMode(mode)}) was submitting when its container ended: whether its last transaction, sent ${sent}, was mined, its log does not say`,
    );
  }
  const names = modes.map(([each]) => formatMode(each)).join(', ');
  const { submittedAt } = relayer;
  if (submittedAt !== undefined) return pass(`the relayer (${names}) submitted blocks ${formatAgo(submittedAt, now)}`);
  return pass(`the relayer (${names}) runs its cycles, and has time to submit`);
}
