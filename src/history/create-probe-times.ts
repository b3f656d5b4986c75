import type { ProbeMinute } from '../model/history.ts';
import { statusOfFault } from '../model/name-fault.ts';
import type { Snapshot, TargetState } from '../model/snapshot.ts';
import type { RoundName, Target } from '../model/target.ts';
import { createTargetEntries } from './target-entries.ts';

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

/** Of one target. Ten thousand have this in memory. */
interface Entry {
  readonly cells: Uint16Array;
  /** The newest minute since 1970. */
  minute: number;
  /** Of the newest minute: how many probes were answered, and how long they took together. */
  answered: number;
  ms: number;
  lastRun: number;
}

/** The probe that matters most, and whether it was answered. */
function findProbe({ facts }: TargetState): { readonly rounds: readonly RoundName[]; readonly isAnswered: boolean } {
  const { node, service, container } = facts;
  if (node) return { rounds: ['rpc', 'console'], isAnswered: node.observation.answered };
  if (service) {
    const { observation } = service;
    return { rounds: ['services'], isAnswered: observation.ok || statusOfFault(observation.fault) !== undefined };
  }
  const kind = container?.observation?.kind;
  return { rounds: ['containers'], isAnswered: kind !== undefined && kind !== 'docker-unreachable' };
}

/** Starts with nothing. */
export function createProbeTimes(): ProbeTimes {
  const entries = createTargetEntries<Entry>(() => ({
    cells: new Uint16Array(MINUTES),
    minute: 0,
    answered: 0,
    ms: 0,
    lastRun: Number.NaN,
  }));

  const advance = (entry: Entry, minute: number) => {
    if (minute <= entry.minute) return;
    const from = Math.max(entry.minute + 1, minute - MINUTES + 1);
    for (let next = from; next <= minute; next += 1) entry.cells[next % MINUTES] = 0;
    Object.assign(entry, { minute, answered: 0, ms: 0 });
  };

  const add = (state: TargetState, entry: Entry, at: number) => {
    const { rounds, isAnswered } = findProbe(state);
    const check = state.checks.find(({ round, lastRun }) => lastRun !== undefined && rounds.includes(round));
    if (check?.durationSeconds === undefined || entry.lastRun === check.lastRun) return;
    entry.lastRun = check.lastRun ?? Number.NaN;
    // A clock that was set back: the minutes go on where they were.
    advance(entry, Math.floor(at / MINUTE_MS));
    if (isAnswered) {
      entry.answered += 1;
      entry.ms += check.durationSeconds * 1_000;
    }
    entry.cells[entry.minute % MINUTES] = entry.answered === 0 ? UNANSWERED : toCell(entry.ms / entry.answered);
  };

  return {
    record: (snapshot, at) => entries.visit(snapshot, (state, entry) => add(state, entry, at)),
    read: (target, at) => {
      const entry = entries.get(target);
      if (entry === undefined) return [];
      const last = Math.floor(at / MINUTE_MS);
      return Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index).flatMap((minute) => {
        const cell =
          minute > entry.minute || minute <= entry.minute - MINUTES ? 0 : (entry.cells[minute % MINUTES] ?? 0);
        if (cell === 0) return [];
        const took = cell === UNANSWERED ? {} : { ms: (cell - 1) * UNIT_MS };
        return [{ at: minute * MINUTE_MS, ...took }];
      });
    },
  };
}
