import type { ProbeMinute } from '../../model/history.ts';
import { statusOfFault } from '../../model/name-fault.ts';
import type { Snapshot, TargetState } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import { createColumns, moveRows } from './columns.ts';
import { createTargetPlaces } from './target-places.ts';

const MINUTE_MS = 60_000;
/** The minutes that are kept. */
const MINUTES = 60;
/** Cells count half milliseconds from 1 on; 0 is a minute without a probe. */
const UNIT_MS = 0.5;
const UNANSWERED = 0xffff;
const toCell = (ms: number): number => Math.min(UNANSWERED - 1, 1 + Math.round(ms / UNIT_MS));

/** How long the probes of each target took, minute by minute, in the last hour. */
export interface ProbeTimes {
  /** `at` is wall time. */
  record(snapshot: Snapshot, at: number): void;
  /** The oldest first; a minute without a probe is missing. */
  read(target: Target, at: number): readonly ProbeMinute[];
}

const RPC: readonly RoundName[] = ['rpc', 'console'];
const SERVICES: readonly RoundName[] = ['services'];
const CONTAINERS: readonly RoundName[] = ['containers'];

/** The rounds of the probe that matters most. */
const roundsOf = ({ facts: { node, service } }: TargetState): readonly RoundName[] =>
  node ? RPC : service ? SERVICES : CONTAINERS;

/** Whether that probe was answered. */
function isAnswered({ facts: { node, service, container } }: TargetState): boolean {
  if (node) return node.observation.answered;
  if (service) return service.observation.ok || statusOfFault(service.observation.fault) !== undefined;
  const kind = container?.observation?.kind;
  return kind !== undefined && kind !== 'docker-unreachable';
}

/** The state of the first check that was judged by that probe. */
function findRun(state: TargetState) {
  const rounds = roundsOf(state);
  for (const check of state.checks) if (check.lastRun !== undefined && rounds.includes(check.round)) return check;
  return undefined;
}

/** Starts with nothing. */
export function createProbeTimes(): ProbeTimes {
  const places = createTargetPlaces();
  const minutes = createColumns(MINUTES, (rows) => new Uint16Array(rows));
  /** When each target was last probed. */
  let lastRuns = new Float64Array(0);
  /** Of the newest minute: how many probes of each target were answered, and how long they took together. */
  let answered = new Uint32Array(0);
  let sums = new Float64Array(0);

  const update = (snapshot: Snapshot) => {
    const from = places.update(snapshot)?.targets;
    if (from === undefined) return;
    minutes.move(from);
    const before = { lastRuns, answered, sums };
    lastRuns = new Float64Array(from.length).fill(Number.NaN);
    answered = new Uint32Array(from.length);
    sums = new Float64Array(from.length);
    moveRows(before.lastRuns, lastRuns, from);
    moveRows(before.answered, answered, from);
    moveRows(before.sums, sums, from);
  };

  const add = (state: TargetState, place: number, cells: Uint16Array) => {
    const run = findRun(state);
    if (run?.lastRun === undefined || run.durationSeconds === undefined || lastRuns[place] === run.lastRun) return;
    lastRuns[place] = run.lastRun;
    if (isAnswered(state)) {
      answered[place] = (answered[place] ?? 0) + 1;
      sums[place] = (sums[place] ?? 0) + run.durationSeconds * 1_000;
    }
    const count = answered[place] ?? 0;
    cells[place] = count === 0 ? UNANSWERED : toCell((sums[place] ?? 0) / count);
  };

  return {
    record: (snapshot, at) => {
      update(snapshot);
      // A clock that was set back: the minutes go on where they were.
      const minute = Math.max(minutes.newest(), Math.floor(at / MINUTE_MS));
      if (minute > minutes.newest()) {
        answered.fill(0);
        sums.fill(0);
      }
      const cells = minutes.open(minute);
      if (cells === undefined) return;
      let place = 0;
      for (const { targets } of snapshot)
        for (const state of targets) {
          add(state, place, cells);
          place += 1;
        }
    },
    read: (target, at) => {
      const place = places.placeOf(target);
      if (place === undefined) return [];
      const last = Math.floor(at / MINUTE_MS);
      return Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index).flatMap((minute) => {
        const cell = minutes.read(minute)?.[place] ?? 0;
        if (cell === 0) return [];
        const took = cell === UNANSWERED ? {} : { ms: (cell - 1) * UNIT_MS };
        return [{ at: minute * MINUTE_MS, ...took }];
      });
    },
  };
}
