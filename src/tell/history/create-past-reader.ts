import { setImmediate as nextTurn } from 'node:timers/promises';
import { inSlices } from '../../lib/values.ts';
import { type FleetPart, forgetUnwatched } from '../../model/fleet.ts';
import type { HistoryStore, Span, StoredChange, TargetHistory } from '../../model/history.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import type { CheckBars } from './create-check-bars.ts';
import { type createRecentChanges, type RestorableHistory, SPAN_MS, SPANS } from './create-history.ts';
import type { createSteps } from './create-steps.ts';
import type { ChangeFinder } from './find-changes.ts';

/** What it needs. */
export interface PastReaderDeps {
  readonly history: RestorableHistory;
  readonly steps: Pick<ReturnType<typeof createSteps>, 'begin' | 'restore' | 'restoreMinutes'>;
  readonly finder: ChangeFinder;
  readonly bars: CheckBars;
  readonly recent: Pick<ReturnType<typeof createRecentChanges>, 'add'>;
  readonly snapshot: () => Snapshot;
  /** Now, in wall time. */
  readonly wallNow: () => number;
  /** The past of a subnet is read when this instance begins to watch it. */
  readonly part: FleetPart;
}

/** An hour counts as watched if it was for longer than this. */
const WATCHED_MS = 30_000;
/** How many of the last changes are read to find out how things were before a restart. */
const REMEMBERED = 2_000;
const SUBNETS_AT_ONCE = 500;
/** Steps are large. */
const STEPS_AT_ONCE = 20;

/** What is read at the start: one hour or day of all targets at a time, the newest first. */
const spansUntil = (at: number): readonly { readonly span: Span; readonly start: number }[] =>
  (['hour', 'day'] as const).flatMap((span) => {
    const last = Math.floor(at / SPAN_MS[span]);
    return Array.from({ length: SPANS[span] }, (_, index) => ({ span, start: (last - index) * SPAN_MS[span] }));
  });

type Step = (database: HistoryStore) => Promise<void>;

/**
 * Reads what earlier processes, or other instances, have stored, before this one writes.
 * Creates a reader that has read nothing.
 */
export function createPastReader({ history, steps, finder, bars, recent, snapshot, wallNow, part }: PastReaderDeps) {
  /** The past of these subnets before `startedAt` in wall time. */
  const stepsOf = (subnets: readonly string[], startedAt: number): readonly Step[] => {
    /** The newest changes from before the start. */
    let remembered: readonly StoredChange[] = [];
    const names = new Set(subnets);
    const isRestored = ({ subnet }: Target) => names.has(subnet);
    const restoreBars = (changes: readonly StoredChange[]) => {
      const hourOf = (time: number) => Math.floor(time / SPAN_MS.hour);
      let last: { readonly target: Target; readonly hours: TargetHistory['hours'] } | undefined;
      const isWatched = (target: Target, start: number): boolean => {
        if (last?.target !== target) last = { target, hours: history.historyOf(target, startedAt).hours };
        const hour = last.hours[SPANS.hour - 1 - (hourOf(startedAt) - hourOf(start))];
        // Of the hour of the start, this process has watched a part itself.
        const until = Math.min(wallNow(), (hourOf(startedAt) + 1) * SPAN_MS.hour);
        const ownMs = hourOf(start) === hourOf(startedAt) ? until - startedAt : 0;
        return hour !== undefined && hour.ok + hour.fail + hour.planned - ownMs > WATCHED_MS;
      };
      const isWhole = changes.length < REMEMBERED;
      bars.restore({ snapshot: snapshot(), changes, isWhole, startedAt, isWatched, isRestored });
    };
    return [
      async () => {
        const current = snapshot();
        history.begin(current);
        steps.begin(current);
      },
      async (database) => {
        remembered = await database.changes({ subnets, limit: REMEMBERED });
        finder.remember(remembered);
        recent.add(remembered);
      },
      ...spansUntil(startedAt).map(
        ({ span, start }): Step =>
          async (database) =>
            history.restore(await database.uptimesAt(span, start, subnets), []),
      ),
      ...inSlices(subnets, STEPS_AT_ONCE).map(
        (slice): Step =>
          async (database) =>
            steps.restore(await database.steps(slice)),
      ),
      async (database) => {
        const minutes = await database.minutesFrom(wallNow() - SPAN_MS.hour, subnets);
        history.restore([], minutes);
        steps.restoreMinutes(minutes);
      },
      async () => {
        restoreBars(remembered);
        remembered = [];
      },
    ];
  };

  /** The epochs of the subnets whose past was read, or is about to be. */
  const epochs = new Map<string, number>();
  const read = new Set<string>();
  const unread: Step[] = [];
  const isUnread = (subnet: string) => part.epochOf(subnet) > 0 && part.epochOf(subnet) !== epochs.get(subnet);

  const begin = () => {
    forgetUnwatched(part, epochs, read);
    const unreadNow = part.subnets().filter(isUnread);
    const begun = unreadNow.filter((subnet) => !epochs.has(subnet));
    const kept = unreadNow.filter((subnet) => epochs.has(subnet));
    for (const subnet of unreadNow) epochs.set(subnet, part.epochOf(subnet));
    for (const slice of inSlices(begun, SUBNETS_AT_ONCE))
      unread.push(...stepsOf(slice, wallNow()), async () => {
        for (const subnet of slice) read.add(subnet);
      });
    // Their past is in memory. The instance that kept them until now has stored what changed last.
    for (const slice of inSlices(kept, SUBNETS_AT_ONCE))
      unread.push(async (database) => finder.remember(await database.changes({ subnets: slice, limit: REMEMBERED })));
  };

  return {
    /** Takes which subnets are watched, or kept, from now on: their past is to be read. */
    begin,
    /** Reads what is still unread. Rejects when the database fails; the next call goes on. */
    read: async (database: HistoryStore): Promise<void> => {
      for (let next = unread[0]; next !== undefined; next = unread[0]) {
        await next(database);
        unread.shift();
        await nextTurn();
      }
    },
    /** Whether there is something to read. */
    isDue: (): boolean => unread.length > 0,
    /** Whether the past of a subnet was read. */
    isRead: (subnet: string): boolean => read.has(subnet),
  };
}
