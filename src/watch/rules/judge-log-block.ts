import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import { formatAgo, formatDuration, formatMoment, QUARTER_MS } from '../../lib/duration.ts';
import { findContainer, findStart, START_MS } from '../../model/restart-cause.ts';
import type { NodeTarget } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { clientOf } from '../clients/clients.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { readLog, readSince } from './find-log-fault.ts';
import { JUST_STARTED, type View } from './view.ts';

export const isSkewed = (aheadMs: number): boolean => Math.abs(aheadMs) >= LINE_TOLERANCE_MS;

/** By how much a difference is one of time zones: a whole number of quarters of an hour, else undefined. */
export function zoneMs(aheadMs: number): number | undefined {
  const quarters = Math.round(aheadMs / QUARTER_MS) * QUARTER_MS;
  return quarters !== 0 && !isSkewed(aheadMs - quarters) ? quarters : undefined;
}

export const formatSkew = (aheadMs: number): string =>
  `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;

/** Whether ours is the wrong clock, as those of other nodes differ from it alike. Three of them show that. */
function isOurs({ target, subnet }: View, aheadMs: number): boolean {
  const known = subnet.values().filter((one) => one.target !== target && one.facts.logs?.clockAheadMs !== undefined);
  const compared = [...known.take(3)];
  const alike = compared.filter(({ facts }) => !isSkewed((facts.logs?.clockAheadMs ?? 0) - aheadMs));
  return alike.length * 2 > compared.length;
}

function describeSkew(view: View, aheadMs = 0): Required<Finding> | undefined {
  if (!isSkewed(aheadMs)) return undefined;
  const zone = zoneMs(aheadMs);
  const [what, fix] =
    zone !== undefined
      ? ['the times in its log are', 'correct timezone of its logFiles, or set its clock']
      : isOurs(view, aheadMs)
        ? ['the clocks of this and other nodes are', 'set the clock of the machine on which subnetd runs, with chrony']
        : ['its clock is', 'set its clock with chrony'];
  return { seen: `${what} ${formatSkew(zone ?? aheadMs)} ours`, fix };
}

/** From this level on a node prints its progress (`LOG_LEVEL` of the clients made from geth). */
const INFO = 3;

/** The RPC shows a block at most this much later than the log, as it is only seen when asked. */
const SHOWN_WITHIN_MS = 15_000;

const rises = ({ facts: { node }, settings, now }: View<NodeTarget>): boolean =>
  node?.observation.latest.ok === true &&
  node.latest?.risen === true &&
  now - node.latest.advancedAt < settings.rpc.stallAfterMs;

const levelOf = ({ facts: { logs } }: View<NodeTarget>): number | undefined =>
  logs?.node?.level ?? logs?.created?.level;

/** Whether a node logs too little and is not an active masternode: at that level only the lines of its turns show its height. */
function isWatching(view: View<NodeTarget>): boolean {
  const { address, masternodes } = view.facts.node?.chain?.observation ?? {};
  return (levelOf(view) ?? INFO) < INFO && address !== undefined && masternodes?.active.includes(address) === false;
}

/**
 * A log without new blocks of a node whose RPC rises is not a fault: it prints none, or into another file. `before`: the last height that it
 * has shown, even of a run before.
 */
function judgeSilentLog(view: View<NodeTarget>, seen: string, logged = -Infinity, before = logged) {
  const { target, facts, settings } = view;
  const { latest } = facts.node ?? {};
  // A log that has shown its height misses nothing.
  if (latest === undefined || latest.number <= logged) return undefined;
  const isOfRunNow = latest.lastGoodAt >= (findContainer(facts.container)?.startedAt ?? 0);
  const rpc = facts.node?.observation.latest.ok ? 'is' : isOfRunNow ? 'was last' : 'before its start was';
  const above = `${seen}, while its RPC ${rpc} at block ${latest.number}`;
  // A height above that of now is of another chain.
  const isFarAbove = latest.number - (before > latest.number ? 0 : Math.max(before, 0)) > settings.rpc.maxLag;
  // A log that lacks so many blocks does not show that the node stands.
  if (!rises(view)) return isFarAbove && logged >= 0 ? unknown(above) : undefined;
  // The node itself stood until now, or its next line shows these blocks.
  if (!isFarAbove) return pass(above);
  if (isWatching(view)) return pass(`${above}: below log level ${INFO} only an active masternode prints its height`);
  return degraded(
    above,
    (levelOf(view) ?? 0) >= INFO
      ? `restart ${target.name} when that is safe: its log level may have been lowered since its start (debug_verbosity), or its log file removed or replaced`
      : `${clientOf({ target, facts }).advice.showBlocks(target)}; if its log file was removed or replaced, restart it, so that it opens the new one`,
  );
}

/** Does the height in the log of the node rise? */
export function judgeLogBlock(view: View<NodeTarget>): Judgement {
  const { target, facts, settings, now } = view;
  const { name } = target;
  const { stallAfterMs } = settings.rpc;
  const logs = readLog(view, `the log of ${name}`);
  if ('verdict' in logs) return logs;
  const { advancedAt = 0, fall, startedAt = 0, stoppedAt = 0 } = logs.node ?? {};
  const level = levelOf(view);
  // Its last run, once its container is gone.
  const { running, startedAt: ranFrom = facts.container?.run?.startedAt ?? 0 } = findContainer(facts.container) ?? {};
  // What was read of the run before says nothing of this one.
  const height = advancedAt >= ranFrom ? logs.node?.height : undefined;
  if (stoppedAt > Math.max(startedAt, advancedAt, ranFrom) && now - stoppedAt >= stallAfterMs)
    return fail(`${name} was stopped ${formatMoment(stoppedAt, view)}, as its log says`, 'start it again');
  const { advice, logFile } = clientOf({ target, facts });
  const raiseLevel = advice.showBlocks(target);
  if (height === undefined) {
    if (level !== undefined && level < INFO)
      return degraded(
        `${name} runs with log level ${level}, at which a healthy node is silent`,
        `to see its blocks in the log ${raiseLevel}, or add its ${logFile} to logFiles`,
      );
    const waited = now - Math.max(readSince(facts, now), ranFrom, startedAt);
    const neither = `the log of ${name} has shown neither a block nor the log level`;
    if (level === undefined && running === false) return unknown(`${neither}, and its container does not run`);
    if (level === undefined)
      return unknown(`${neither} for ${formatDuration(waited)}`, `if it stays so, ${raiseLevel}`);
    if (waited < stallAfterMs) return unknown(`the log of ${name} has shown no block yet, and has time to`);
    const seen = `the log of ${name} has shown no block for ${formatDuration(waited)}`;
    const before = logs.node?.height ?? logs.node?.heightBefore;
    return judgeSilentLog(view, seen, undefined, before) ?? fail(seen, commandToSeeLog(target));
  }
  const skew = describeSkew(view, logs.clockAheadMs);
  const also = skew === undefined ? '' : `, and ${skew.seen}`;
  const silentMs = now - advancedAt;
  const { number = height, advancedAt: risenAt = now } = facts.node?.latest ?? {};
  // Until the RPC has been asked again, the log alone would report what both are about to show. Below that level it may lack the last blocks.
  const isShownSoon = rises(view) && risenAt - advancedAt < (number > height ? stallAfterMs : SHOWN_WITHIN_MS);
  if (silentMs >= stallAfterMs && !isShownSoon) {
    const seen = `the height in the log of ${name} has been ${height} for ${formatDuration(silentMs)}`;
    const fix =
      findStart(facts.container, now, START_MS) === undefined
        ? `check its peers and whether two thirds of the nodes run, and ${commandToSeeLog(target)}`
        : JUST_STARTED;
    // What comes behind it may not be read yet.
    const newest = `the last block read in the log of ${name} is ${height}, printed ${formatAgo(advancedAt, now)}`;
    const judged = judgeSilentLog(view, newest, height);
    return judged ?? fail(`${seen}${also}`, skew === undefined ? fix : `${fix}; ${skew.fix}`);
  }
  const where = `the log of ${name} is at block ${height}, which it reached ${formatAgo(advancedAt, now)}`;
  const fell =
    fall === undefined || now - fall.at >= stallAfterMs || height >= fall.from || height < fall.to
      ? ''
      : `, after a fall from ${fall.from} to ${fall.to} ${formatAgo(fall.at, now)}, as after a kill or a wipe of its data`;
  return pass(`${where}${fell}${also}`, skew?.fix);
}
