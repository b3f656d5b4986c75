import type { CheckBar, CheckHistory, HistoryChange } from '../../model/history.ts';
import type { Snapshot, TargetState } from '../../model/snapshot.ts';
import { type Target, targetKey } from '../../model/target.ts';
import type { CheckName } from '../../model/verdict.ts';
import { createCells } from './create-cells.ts';
import { addMark, readMarks } from './probe-marks.ts';
import { createRing, findSpan, openSpan, type Ring } from './ring.ts';
import { createTargetMemory } from './target-memory.ts';

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

/** Whether each check passed in the last 24 hours and probes. */
export interface CheckBars {
  /** `at` is wall time. */
  record(snapshot: Snapshot, at: number): void;
  /** Fills in the time before the start. */
  restore(past: PastChecks): void;
  read(target: Target, check: CheckName, at: number): CheckHistory;
}

/** The stretches of time in which the verdict of a check was the same, the newest first. `changes` are the newest first too. */
function* toStretches(current: string, changes: readonly HistoryChange[], at: number, from: number) {
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

/** The bars of all checks of a target. */
interface TargetBars {
  readonly checks: readonly CheckName[];
  /** A cell for each check. */
  readonly ring: Ring<Uint8Array>;
  /** Of each check, when it ran last, and the marks of its last probes. */
  readonly runs: number[];
  readonly probes: number[];
}

function createBars(state: TargetState, before: TargetBars | undefined): TargetBars {
  const checks = state.checks.map(({ check }) => check);
  const ring = createRing(createCells(Uint8Array, BARS * checks.length), BARS);
  const runs = checks.map(() => Number.NaN);
  const probes = checks.map(() => 0);
  if (before === undefined) return { checks, ring, runs, probes };
  ring.newest = before.ring.newest;
  for (const [place, check] of checks.entries()) {
    const earlier = before.checks.indexOf(check);
    if (earlier === -1) continue;
    runs[place] = before.runs[earlier] ?? Number.NaN;
    probes[place] = before.probes[earlier] ?? 0;
    for (let bar = 0; bar < BARS; bar += 1)
      ring.cells[bar * ring.width + place] = before.ring.cells[bar * before.ring.width + earlier] ?? 0;
  }
  return { checks, ring, runs, probes };
}

function mark({ ring }: TargetBars, bar: number, place: number, bit: number): void {
  const first = bit === 0 ? undefined : openSpan(ring, bar);
  if (first !== undefined) ring.cells[first + place] = (ring.cells[first + place] ?? 0) | bit;
}

function noteProbe({ runs, probes }: TargetBars, place: number, run: number | undefined, bit: number): void {
  if (run === undefined || runs[place] === run) return;
  runs[place] = run;
  probes[place] = addMark(probes[place] ?? 0, bit);
}

/** Starts with nothing. */
export function createCheckBars(): CheckBars {
  const bars = createTargetMemory<TargetBars>(createBars);
  return {
    record: (snapshot, at) =>
      bars.each(snapshot, (own, { checks }) => {
        // A clock that was set back: the bars go on where they were.
        const bar = Math.max(own.ring.newest, Math.floor(at / BAR_MS));
        let place = 0;
        for (const { verdict, lastRun } of checks) {
          mark(own, bar, place, bitOf(verdict));
          noteProbe(own, place, lastRun, bitOf(verdict));
          place += 1;
        }
      }),
    restore: ({ snapshot, changes, isWhole, startedAt: at, isWatched, isRestored = () => true }) => {
      const newest = Math.floor(at / BAR_MS);
      const known = changes.filter(({ kind }) => kind === 'check');
      const spans = Array.from({ length: BARS }, (_, index) => newest - BARS + 1 + index);
      const oldest = Math.min(at, ...known.map((change) => change.at));
      const from = Math.max((newest - BARS + 1) * BAR_MS, isWhole ? 0 : oldest);
      const keyOf = (target: Pick<Target, 'subnet' | 'component' | 'name'>, check: string) =>
        `${targetKey(target)} ${check}`;
      const byCheck = Map.groupBy(known, ({ subnet, component = 'node', name = '', what }) =>
        keyOf({ subnet, component, name }, what),
      );
      bars.each(snapshot, (bar, { target, checks }) => {
        if (!isRestored(target)) return;
        const watched = spans.filter((span) => isWatched(target, span * BAR_MS));
        if (watched.length === 0) return;
        for (const [place, { check, verdict }] of checks.entries()) {
          const newestFirst = (byCheck.get(keyOf(target, check)) ?? []).toSorted((one, other) => other.at - one.at);
          const own = newestFirst.filter((change) => change.at > from);
          // One that is older than the bars still says how it was: what it is now may have begun with the start.
          for (const stretch of toStretches(newestFirst[0]?.is ?? verdict, own, at, from))
            for (const span of watched)
              if ((span + 1) * BAR_MS > stretch.from && span * BAR_MS < stretch.until)
                mark(bar, span, place, bitOf(stretch.verdict));
        }
      });
    },
    read: (target, check, at) => {
      const own = bars.of(target);
      const place = own?.checks.indexOf(check) ?? -1;
      const last = Math.floor(at / BAR_MS);
      const halfHours = Array.from({ length: BARS }, (_, index) => {
        const first = own && findSpan(own.ring, last - BARS + 1 + index);
        const bits = first === undefined || place === -1 ? 0 : own?.ring.cells[first + place];
        return KINDS[bits ?? 0] ?? 'none';
      });
      return { halfHours, probes: readMarks(own?.probes[place] ?? 0, KINDS) };
    },
  };
}
