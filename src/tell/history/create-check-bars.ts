import type { CheckBar, HistoryChange } from '../../model/history.ts';
import type { Snapshot, TargetState } from '../../model/snapshot.ts';
import { type Target, targetKey } from '../../model/target.ts';
import type { CheckName, Verdict } from '../../model/verdict.ts';
import { createColumns } from './columns.ts';
import { createTargetPlaces } from './target-places.ts';

/** The length of a bar, and how many are kept: 24 hours. */
const BAR_MS = 30 * 60_000;
const BARS = 48;

/** Bits of a cell: the check was seen to pass within that time, and to fail. */
const UP = 1;
const DOWN = 2;
const KINDS: readonly CheckBar[] = ['none', 'up', 'down', 'part'];

const bitOf = (verdict: string): number =>
  verdict === 'fail' ? DOWN : verdict === 'pass' || verdict === 'degraded' ? UP : 0;

/** What is known of the checks from before this process watched them. */
export interface PastChecks {
  readonly snapshot: Snapshot;
  /** The newest changes from before the start. `isWhole`: they are all of the last 24 hours. */
  readonly changes: readonly HistoryChange[];
  readonly isWhole: boolean;
  /** When the process started, in wall time. */
  readonly startedAt: number;
  /** Whether a target was watched in the half hour that begins then, in wall time. Else nothing is known of it. */
  readonly isWatched: (target: Target, start: number) => boolean;
  /** The targets whose bars are filled in; all by default. */
  readonly isRestored?: (target: Target) => boolean;
}

/** Whether each check passed in the last 24 hours. */
export interface CheckBars {
  /** `at` is wall time. */
  record(snapshot: Snapshot, at: number): void;
  /** Fills in the time before the start. */
  restore(past: PastChecks): void;
  /** The bars of a check, the oldest first. */
  read(target: Target, check: CheckName, at: number): readonly CheckBar[];
}

/** The stretches of time in which the verdict of a check was the same, the newest first. `changes` are the newest first too. */
function* toStretches(current: Verdict, changes: readonly HistoryChange[], at: number, from: number) {
  let until = at;
  // The current verdict may be newer than the start.
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
  const places = createTargetPlaces();
  const bars = createColumns(BARS, (rows) => new Uint8Array(rows));

  const update = (snapshot: Snapshot) => {
    const moves = places.update(snapshot);
    if (moves !== undefined) bars.move(moves.checks);
  };

  const mark = (cells: Uint8Array | undefined, row: number, bit: number) => {
    if (cells !== undefined && bit !== 0) cells[row] = (cells[row] ?? 0) | bit;
  };

  const markAll = (cells: Uint8Array | undefined, { checks }: TargetState, first: number) => {
    let row = first;
    for (const { verdict } of checks) {
      mark(cells, row, bitOf(verdict));
      row += 1;
    }
  };

  return {
    record: (snapshot, at) => {
      update(snapshot);
      // A clock that was set back: the bars go on where they were.
      const cells = bars.open(Math.max(bars.newest(), Math.floor(at / BAR_MS)));
      let row = 0;
      for (const { targets } of snapshot)
        for (const state of targets) {
          markAll(cells, state, row);
          row += state.checks.length;
        }
    },
    restore: ({ snapshot, changes, isWhole, startedAt: at, isWatched, isRestored = () => true }) => {
      const newest = Math.floor(at / BAR_MS);
      const known = changes.filter(({ kind }) => kind === 'check');
      const oldest = Math.min(at, ...known.map((change) => change.at));
      const from = Math.max((newest - BARS + 1) * BAR_MS, isWhole ? 0 : oldest);
      const keyOf = (target: Pick<Target, 'subnet' | 'component' | 'name'>, check: string) =>
        `${targetKey(target)} ${check}`;
      const byCheck = Map.groupBy(known, ({ subnet, component = 'node', name = '', what }) =>
        keyOf({ subnet, component, name }, what),
      );
      update(snapshot);
      let row = 0;
      for (const { target, checks } of snapshot.flatMap(({ targets }) => targets))
        for (const { check, verdict } of checks) {
          if (isRestored(target)) {
            const own = (byCheck.get(keyOf(target, check)) ?? []).filter((change) => change.at > from);
            const newestFirst = own.toSorted((one, other) => other.at - one.at);
            for (const stretch of toStretches(verdict, newestFirst, at, from))
              for (let bar = Math.floor(stretch.from / BAR_MS); bar * BAR_MS < stretch.until; bar += 1)
                if (isWatched(target, bar * BAR_MS)) mark(bars.open(bar), row, bitOf(stretch.verdict));
          }
          row += 1;
        }
    },
    read: (target, check, at) => {
      const row = places.rowOf(target, check);
      const last = Math.floor(at / BAR_MS);
      return Array.from({ length: BARS }, (_, index) => {
        const cells = bars.read(last - BARS + 1 + index);
        return (row === undefined ? undefined : KINDS[cells?.[row] ?? 0]) ?? 'none';
      });
    },
  };
}
