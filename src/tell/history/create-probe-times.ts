import type { ProbeMinute } from '../../model/history.ts';
import { statusOfFault } from '../../model/name-fault.ts';
import type { Snapshot, TargetState } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import { createRing, findSpan, openSpan } from './ring.ts';
import { createTargetMemory } from './target-memory.ts';

const MINUTE_MS = 60_000;
/** The minutes that are kept. */
const MINUTES = 60;
/** Cells count half milliseconds from 1 on; 0 is a minute without a probe. */
const UNIT_MS = 0.5;
const UNANSWERED = 0xffff;
const toCell = (ms: number): number => Math.min(UNANSWERED - 1, 1 + Math.round(ms / UNIT_MS));

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

/** What is kept of a target. */
const createProbes = () => ({
  minutes: createRing(new Uint16Array(MINUTES), MINUTES),
  /** When it was last probed. */
  lastRun: Number.NaN,
  /** Of the newest minute: how many probes were answered, and how long they took together. */
  answered: 0,
  sum: 0,
});

/** How long the probes of each target took, minute by minute, in the last hour. Starts with nothing. */
export function createProbeTimes() {
  const probes = createTargetMemory<ReturnType<typeof createProbes>>((_, before) => before ?? createProbes());
  return {
    /** `at` is wall time. */
    record: (snapshot: Snapshot, at: number): void =>
      probes.each(snapshot, (own, state) => {
        const run = findRun(state);
        if (run?.lastRun === undefined || run.durationSeconds === undefined || own.lastRun === run.lastRun) return;
        // A clock that was set back: the minutes go on where they were.
        const minute = Math.max(own.minutes.newest, Math.floor(at / MINUTE_MS));
        if (minute > own.minutes.newest) Object.assign(own, { answered: 0, sum: 0 });
        own.lastRun = run.lastRun;
        if (isAnswered(state)) {
          own.answered += 1;
          own.sum += run.durationSeconds * 1_000;
        }
        const cell = openSpan(own.minutes, minute);
        if (cell !== undefined)
          own.minutes.cells[cell] = own.answered === 0 ? UNANSWERED : toCell(own.sum / own.answered);
      }),
    /** The oldest first; a minute without a probe is missing. */
    read: (target: Target, at: number): readonly ProbeMinute[] => {
      const own = probes.of(target);
      if (own === undefined) return [];
      const last = Math.floor(at / MINUTE_MS);
      return Array.from({ length: MINUTES }, (_, index) => last - MINUTES + 1 + index).flatMap((minute) => {
        const cell = own.minutes.cells[findSpan(own.minutes, minute) ?? -1] ?? 0;
        if (cell === 0) return [];
        const took = cell === UNANSWERED ? {} : { ms: (cell - 1) * UNIT_MS };
        return [{ at: minute * MINUTE_MS, ...took }];
      });
    },
  };
}
