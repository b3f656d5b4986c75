import type { LogFacts } from '../../model/facts.ts';
import { LINES_LOST, type LogPattern } from '../../model/log.ts';
import { type CheckSettings, type ContainerRef, positionKey, type Target } from '../../model/target.ts';
import type { DockerLinks } from '../docker/links.ts';
import { followLog } from './container/follow-log.ts';
import { createHitReader } from './create-hit-reader.ts';
import { packs } from './packs.ts';
import type { SourceOptions, SourceWatch } from './watch-files.ts';

/** What the watch of a container's log needs. */
export interface ContainerLogOptions extends SourceOptions {
  readonly container: ContainerRef;
  readonly settings: CheckSettings['logs'];
  readonly docker: DockerLinks;
  /** Docker dropped lines before they were read, `times` since the last call. Called at most every ten minutes. */
  readonly onLost?: (after: string, times: number) => void;
}

/** The longest time that the component's checks look back. */
function windowMs({ component }: Target, settings: CheckSettings['logs']): number {
  const { bootnodeWindowMs, blockDataWithinMs, errorWindowMs, submissionsWithinMs } = settings;
  const own = { bootnode: bootnodeWindowMs, stats: blockDataWithinMs, relayer: submissionsWithinMs ?? 45 * 60_000 };
  return Math.max(errorWindowMs, own[component as keyof typeof own] ?? 0);
}

/** The patterns that are searched in a container's log, and the names of those whose hits do not count. */
interface Patterns {
  readonly pack: readonly LogPattern[];
  readonly own: Target['patterns'];
  readonly uncounted: ReadonlySet<string>;
}

/**
 * With log files, only those that mean a known failure or are printed nowhere else. A node's stderr goes to both
 * sources; lines in both are counted once, in the files, where an own pattern replaces that of the pack.
 */
export function patternsOf({ component, logFiles, patterns }: Target): Patterns {
  const pack = packs[component];
  if (logFiles.length === 0) return { pack, own: patterns, uncounted: new Set() };
  const isReplaced = ({ name }: LogPattern) => patterns.some((own) => own.name === name);
  const printedOnlyHere = new Set(pack.filter(({ containerOnly }) => containerOnly).map(({ name }) => name));
  return {
    pack: pack.filter((one) => printedOnlyHere.has(one.name) || (one.means === 'fatal' && !isReplaced(one))),
    own: patterns.filter(({ name }) => printedOnlyHere.has(name)),
    uncounted: new Set(pack.filter(({ name }) => !printedOnlyHere.has(name)).map(({ name }) => name)),
  };
}

/** The shortest time between two reports of lost lines of one log. */
const LOST_REPORT_EVERY_MS = 600_000;

/** Reports the first loss, and then at most one every ten minutes, with the number of losses in between. */
export function createLostReport(
  now: () => number,
  report: (after: string, times: number) => void,
): (after: string) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let times = 0;
  return (after) => {
    times++;
    if (now() - reportedAt < LOST_REPORT_EVERY_MS) return;
    reportedAt = now();
    report(after, times);
    times = 0;
  };
}

/** A program that prints thousands of lines a second is read so much later. What it printed before its end is not of its next run. */
const LAG_MS = 2_000;

/** The history counts as read once a live line arrives, or once no line has arrived for this long. The first one may take longer. */
const READ_MS = 2_000;
const FIRST_LINE_MS = 5_000;

/** Prepares to follow the log of a target's container. */
export function watchContainerLog(options: ContainerLogOptions): SourceWatch {
  const { target, container, settings, docker, positions, clock, collector, clocks, begun, onLost } = options;
  const { pack, own, uncounted } = patternsOf(target);
  const hasFiles = target.logFiles.length > 0;
  const since = begun - windowMs(target, settings);
  const reportLost = createLostReport(clock.now, onLost ?? (() => {}));
  let created: LogFacts['created'];
  /** Of the line that is read now. */
  let isOld = false;
  let isLive = false;
  const readSince = (lagMs = 0) => (isLive ? clock.now() - lagMs : undefined);
  /** Runs while the history is being read. */
  let reading: NodeJS.Timeout | undefined;
  let isRead = false;
  const setRead = () => {
    clearTimeout(reading);
    reading = undefined;
    isRead = true;
    collector.setState('container', since, undefined);
  };
  const setReadAfter = (ms: number) => {
    clearTimeout(reading);
    reading = setTimeout(setRead, ms).unref();
  };
  const lines = createHitReader({
    clock,
    timezone: 'UTC',
    pack,
    own,
    until: clock.now,
    since: () => readSince(LAG_MS),
    // The time zone of a container's lines is unknown; of a file's it is known, so those measure better.
    onOwnTime: hasFiles ? undefined : clocks && ((time) => clocks.observe(time, readSince(), false)),
    onHit: (hit, line) => collector.addHit({ ...hit, counted: !isOld && !uncounted.has(hit.pattern) }, line),
  });
  const follow = () => {
    const follower = followLog({
      source: positionKey(target, 'container'),
      positions,
      find: async (signal) => {
        const found = await docker.findLog(container, signal);
        if ('id' in found && ['node', 'relayer'].includes(target.component)) created = found.created;
        return found;
      },
      openLog: (...asked) => docker.openLog(container, ...asked),
      openTail: (...asked) => docker.openTail(container, ...asked),
      hasEvents: () => docker.hasEvents(container),
      startAt: clock.toWall(since),
      onLine: (text, start, end, at, old, live) => {
        if (!old) collector.countLine('container');
        isOld = old;
        isLive = live;
        lines.read(text, start, end, at);
        if (reading !== undefined) setReadAfter(live ? 0 : READ_MS);
      },
      onLost: (after) => {
        collector.addHit({ pattern: LINES_LOST, means: 'note', at: clock.now(), counted: true });
        reportLost(after);
      },
      onState: (fault) => {
        clearTimeout(reading);
        reading = undefined;
        if (fault !== undefined) collector.setState('container', since, fault);
        else if (isRead) setRead();
        else setReadAfter(FIRST_LINE_MS);
      },
    });
    const stop = () => {
      clearTimeout(reading);
      return follower.stop();
    };
    return { ...follower, stop };
  };
  return { follow, facts: () => ({ created }) };
}
