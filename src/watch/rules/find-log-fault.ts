import { formatAgo, formatMoment } from '../../lib/duration.ts';
import type { Facts, LogFacts, NodeLogFacts, PatternFacts } from '../../model/facts.ts';
import type { LogFault, LogSourceState } from '../../model/log.ts';
import { findContainer, hasJustBegun, isOfRun, isRestartPlanned, START_MS } from '../../model/restart-cause.ts';
import { addFix, type Finding, type Judgement, unknown } from '../../model/verdict.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { NO_DESCRIPTOR } from './explain-fault.ts';
import { START_LAG_MS } from './fold-container.ts';
import type { View } from './view.ts';

/** What the last line of these patterns says of the run that began then, and what to do about it; undefined when it does not say that. */
export function explainLast(logs: LogFacts | undefined, names: readonly string[], from?: number): string | undefined {
  const lines = names.flatMap((name) => logs?.patterns[name] ?? []).filter(({ at }) => isOfRun(at, from));
  const [last] = lines.toSorted((one, other) => other.order - one.order);
  return last?.fix && `${last.what}, as its log says: ${last.fix}`;
}

export const isError = ({ means }: PatternFacts): boolean => means === 'error' || means === 'fatal';

/** Lines of one failure: what was wrong, and that the program ended by it, or refused a block. */
export const ONE_FAILURE_MS = 60_000;

/** Whether a pattern explains more than another: near ones with a fix first, then fatal before error, else the last. */
function isWorse(one: PatternFacts, other: PatternFacts): boolean {
  if ((one.fix === undefined) !== (other.fix === undefined) && Math.abs(one.at - other.at) < ONE_FAILURE_MS)
    return one.fix !== undefined;
  if (one.means !== other.means) return one.means === 'fatal';
  return one.order > other.order;
}

/** A fault in a log, whose sentence starts with the target. */
function findLogFault(logs: LogFacts, { target, settings, ...moment }: View, counts: (one: PatternFacts) => boolean) {
  const isRecent = ({ at }: PatternFacts) => moment.now - at < settings.logs.errorWindowMs;
  const faults = Object.entries(logs.patterns).filter(([, one]) => isError(one) && isRecent(one) && counts(one));
  if (faults.length === 0) return undefined;
  const [name, { at, what, fix }] = faults.reduce((worst, one) => (isWorse(one[1], worst[1]) ? one : worst));
  const where = `${target.name} printed a line of the pattern ${name} ${formatMoment(at, moment)}`;
  return addFix({ seen: `${where}: ${what}`, fix }, commandToSeeLog(target));
}

const FAULTS: Readonly<Record<LogFault['what'] | 'removed' | 'broken-by-docker', Required<Finding>>> = {
  missing: {
    seen: 'no file is there',
    fix: 'correct logFiles in the inventory, or mount the folder where subnetd runs, at the same path',
  },
  denied: {
    seen: 'subnetd may not read it',
    fix: 'give the user of subnetd the right to read it, for example with setfacl -m u:1000:r',
  },
  'not-a-file': { seen: 'it is not a file', fix: 'name the file itself in logFiles, or a glob such as logs/*.log' },
  'not-kept': {
    seen: 'its log driver keeps nothing to read',
    fix: 'give it the driver json-file or local in docker-compose.yml and recreate it',
  },
  'no-container': { seen: 'there is no such container', fix: 'correct container in the inventory if it was renamed' },
  'docker-unreachable': { seen: 'Docker does not answer', fix: 'start Docker, or correct docker in the inventory' },
  'no-descriptor': NO_DESCRIPTOR,
  broken: { seen: 'reading it breaks off', fix: 'look at the log of subnetd and at the disk' },
  'broken-by-docker': {
    seen: 'Docker refuses it, or breaks off while it is read',
    fix: 'wait while subnetd tries again; if it stays so, let the socket proxy pass GET of /containers/ID/logs, and see that the log driver of the container keeps lines',
  },
  removed: {
    seen: 'the file that was read is gone',
    fix: 'restart the program that writes it, so that it opens a new one, and find out what removed it',
  },
};

/** Why a log cannot be read: files, or that of a container. What was seen is the end of a sentence. */
export function explainUnread({ what }: LogFault, { lines }: LogSourceState, isFile: boolean): Required<Finding> {
  if (what === 'missing' && lines > 0) return FAULTS.removed;
  return FAULTS[what === 'broken' && !isFile ? 'broken-by-docker' : what];
}

/** When files are read, their lines count; the container's log is then read only for known failures. */
const countedSource = ({ sources }: LogFacts): LogSourceState | undefined => sources.file ?? sources.container;

/** A flood of lines is read so much later, so that the last ones of a run may seem to be the first ones of the next. */
const READ_LATE_MS = 10_000;

/** What does not run makes no file, and what has just started may not have yet. A file of which the run has shown blocks was there. */
export function isYetToCome(fault: LogFault | undefined, { container, logs }: Facts, now: number): boolean {
  const { running, startedAt = 0, status = '' } = findContainer(container) ?? {};
  const isMissing = fault?.what === 'missing';
  const isNew = running === true && now - startedAt < START_MS;
  const isRemade = hasJustBegun(container) || container?.observation?.kind === 'missing';
  // Docker refuses the log of what it is removing, or could not remove, and that of its new container is read within seconds.
  const isWithoutLog = ['dead', 'removing', 'created'].includes(status);
  if (fault?.what === 'broken' && (isRemade || isNew || isWithoutLog)) return true;
  // As while a node gets a new container and a new folder.
  if ((isMissing && isRemade) || (fault?.what === 'no-container' && hasJustBegun(container))) return true;
  const wasThere = (logs?.node?.advancedAt ?? startedAt) - startedAt >= READ_LATE_MS;
  return (isMissing || fault?.what === 'no-container') && (running === false || (isNew && !wasThere));
}

/** Whether a program was started after `since`, by its log or by Docker, and has run for a minute then, even if started again since. */
export function hasStartedWell(
  run: Pick<NodeLogFacts, 'startedAt' | 'stoppedAt' | 'wellFrom'> | undefined,
  since: number,
  now: number,
): boolean {
  const { startedAt = since, stoppedAt = 0, wellFrom = since } = run ?? {};
  return wellFrom > since || (startedAt > since && stoppedAt <= startedAt && now - startedAt >= START_MS);
}

/** Whether a line is of a run before this one, and a later one was started by somebody, lasted for a minute or brought a block. */
function isOfRunBefore({ at }: PatternFacts, { facts: { logs, container, node }, now }: View): boolean {
  // Docker dates the lines of a container by the clock by which it dates its start; that of a file may be another one.
  const isOneClock = !logs?.sources.file || Math.abs(logs.clockAheadMs ?? Infinity) < START_LAG_MS;
  const toleranceMs = isOneClock ? START_LAG_MS : undefined;
  if (isRestartPlanned(container) && !isOfRun(at, container?.lastRestartAt, toleranceMs)) return true;
  const { running, startedAt: ranFrom } = findContainer(container) ?? {};
  const { risen, advancedAt = 0 } = node?.latest ?? {};
  const hasRisen = (startedAt = now) => {
    const isRead = startedAt > at || (startedAt > at - READ_LATE_MS && now - startedAt >= START_MS);
    return risen === true && isRead && advancedAt > Math.max(startedAt, at);
  };
  const runs = [logs?.node, { startedAt: running ? ranFrom : undefined, wellFrom: container?.wellFrom }];
  return runs.some((run) => hasStartedWell(run, at, now) || hasRisen(run?.startedAt));
}

/** The log of a target, or its judgement when it was not read, shows a fault, or cannot be read. `log` is its name in a sentence. */
export function readLog(
  view: View,
  log: string,
  counts: (pattern: PatternFacts) => boolean = (pattern) => pattern.own || !isOfRunBefore(pattern, view),
): LogFacts | Judgement {
  const { logs, container } = view.facts;
  if (logs === undefined) return unknown(`${log} has not been checked yet`);
  const found = findLogFault(logs, view, counts);
  if (found !== undefined) return { verdict: 'fail', ...found };
  const source = countedSource(logs);
  if (source?.up) return logs;
  if (source?.fault === undefined) return unknown(`${log} cannot be read: reading it has not begun`);
  const { seen, fix } = explainUnread(source.fault, source, source === logs.sources.file);
  if (!isYetToCome(source.fault, view.facts, view.now)) return unknown(`${log} cannot be read: ${seen}`, fix);
  const { running = hasJustBegun(container), startedAt = view.now } = findContainer(container) ?? {};
  const file = source.fault.what === 'missing' ? `${seen}, and ` : '';
  const run = running ? `was started ${formatAgo(startedAt, view.now)}` : 'does not run';
  return unknown(`${log} cannot be read yet: ${file}its container ${run}`);
}

/** Up to when a log is known: one that is written faster than it is read, up to the last line that was, for a minute. */
export const knownUntil = ({ isBehind = false, patterns }: LogFacts, now: number): number =>
  isBehind ? Math.max(now - START_MS, ...Object.values(patterns).map(({ at }) => at)) : now;

/** Since when lines could have been read: that of a container from before subnetd started, but not from before its start. */
export function readSince({ logs, container }: Facts, now: number): number {
  const { startedAt = 0 } = (logs?.sources.file === undefined && findContainer(container)) || {};
  return Math.min(now, Math.max((logs && countedSource(logs)?.since) ?? now, startedAt));
}
