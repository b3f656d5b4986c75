import type { CheckBar, HistoryChange } from '../model/history.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type Target, targetKey } from '../model/target.ts';
import type { CheckName, Verdict } from '../model/verdict.ts';
import { createTargetEntries } from './target-entries.ts';

/** The length of a bar, and how many are kept: 24 hours. */
const BAR_MS = 30 * 60_000;
const BARS = 48;

/** Bits of a cell: the check was seen to pass within that time, and to fail. */
const UP = 1;
const DOWN = 2;
const KINDS: readonly CheckBar[] = ['none', 'up', 'down', 'part'];

const bitOf = (verdict: string): number =>
  verdict === 'fail' ? DOWN : verdict === 'pass' || verdict === 'degraded' ? UP : 0;

/** Whether each check passed in the last 24 hours. */
export interface CheckBars {
  /** `at` is wall time. */
  record(snapshot: Snapshot, at: number): void;
  /**
   * Fills in the time before the start from the newest changes of then, of which `isWhole` says whether they are all of the
   * last 24 hours. Where nobody watched, nothing is known. `at` is when the process started. Of a target that is not meant,
   * nothing changes.
   */
  restore(
    snapshot: Snapshot,
    changes: readonly HistoryChange[],
    isWhole: boolean,
    isWatched: (target: Target, at: number) => boolean,
    at: number,
    isMeant?: (target: Target) => boolean,
  ): void;
  /** The bars of a check, the oldest first. */
  read(target: Target, check: CheckName, at: number): readonly CheckBar[];
}

interface Entry {
  readonly checks: readonly CheckName[];
  /** A row of cells for each check; ten thousand targets have one of these each. */
  readonly cells: Uint8Array;
  /** The newest bar since 1970. */
  newest: number;
}

/** What a check was at each time, the newest first: until when, and as what. */
function* toStretches(current: Verdict, changes: readonly HistoryChange[], at: number, from: number) {
  let until = at;
  // What it is now it may have become since the start.
  let verdict: string = changes[0]?.is ?? current;
  for (const change of changes) {
    yield { from: Math.max(change.at, from), until, verdict };
    until = change.at;
    verdict = change.was;
  }
  if (until > from) yield { from, until, verdict };
}

/** Starts with nothing. */
export function createCheckBars(): CheckBars {
  const entries = createTargetEntries<Entry>(
    ({ checks }) => ({
      checks: checks.map(({ check }) => check),
      cells: new Uint8Array(checks.length * BARS),
      newest: 0,
    }),
    (entry, { checks }) => entry.checks.length === checks.length,
  );

  const advance = (entry: Entry, bar: number) => {
    for (let next = Math.max(entry.newest + 1, bar - BARS + 1); next <= bar; next += 1)
      for (const row of entry.checks.keys()) entry.cells[row * BARS + (next % BARS)] = 0;
    entry.newest = Math.max(entry.newest, bar);
  };

  const mark = ({ cells }: Entry, row: number, bar: number, bit: number) => {
    const cell = row * BARS + (bar % BARS);
    cells[cell] = (cells[cell] ?? 0) | bit;
  };

  return {
    record: (snapshot, at) => {
      const bar = Math.floor(at / BAR_MS);
      entries.visit(snapshot, ({ checks }, entry) => {
        if (bar > entry.newest) advance(entry, bar);
        for (const [row, { verdict }] of checks.entries()) mark(entry, row, entry.newest, bitOf(verdict));
      });
    },
    restore: (snapshot, changes, isWhole, isWatched, at, isMeant = () => true) => {
      const newest = Math.floor(at / BAR_MS);
      const known = changes.filter(({ kind }) => kind === 'check');
      const oldest = Math.min(at, ...known.map((change) => change.at));
      const from = Math.max((newest - BARS + 1) * BAR_MS, isWhole ? 0 : oldest);
      const keyOf = (target: Pick<Target, 'subnet' | 'component' | 'name'>, check: string) =>
        `${targetKey(target)} ${check}`;
      const byCheck = Map.groupBy(known, ({ subnet, component = 'node', name = '', what }) =>
        keyOf({ subnet, component, name }, what),
      );
      entries.visit(snapshot, (state, entry) => {
        if (!isMeant(state.target)) return;
        advance(entry, newest);
        for (const [row, { check, verdict }] of state.checks.entries()) {
          const own = (byCheck.get(keyOf(state.target, check)) ?? []).filter((change) => change.at > from);
          const newestFirst = own.toSorted((one, other) => other.at - one.at);
          for (const stretch of toStretches(verdict, newestFirst, at, from))
            for (let bar = Math.floor(stretch.from / BAR_MS); bar * BAR_MS < stretch.until; bar += 1)
              if (isWatched(state.target, bar * BAR_MS)) mark(entry, row, bar, bitOf(stretch.verdict));
        }
      });
    },
    read: (target, check, at) => {
      const entry = entries.get(target);
      const row = entry?.checks.indexOf(check) ?? -1;
      const last = Math.floor(at / BAR_MS);
      return Array.from({ length: BARS }, (_, index) => {
        const bar = last - BARS + 1 + index;
        if (entry === undefined || row === -1 || bar > entry.newest || bar <= entry.newest - BARS) return 'none';
        return KINDS[entry.cells[row * BARS + (bar % BARS)] ?? 0] ?? 'none';
      });
    },
  };
}
