import type { HistoryChange } from '../../model/history.ts';
import { FOUND_AGAIN_MS, type Problem } from '../../model/problem.ts';
import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import { formatReason, type Verdict } from '../../model/verdict.ts';
import { type ChangeMoment, type Subject, toReason } from './change-subject.ts';
import { moveRows } from './columns.ts';
import { findContainerChanges, type SeenContainer, seeContainer } from './find-container-changes.ts';
import { findMasternodeChanges, type SeenMasternodes, seeMasternodes } from './find-masternode-changes.ts';
import { findProblemChanges, isSameProblems } from './find-problem-changes.ts';
import { createTargetPlaces } from './target-places.ts';

/** Finds what has changed between one snapshot and the next. */
export interface ChangeFinder {
  /** `toWall` is the clock's; `at` is wall time. */
  find(snapshot: Snapshot, toWall: (at: number) => number, at: number): readonly HistoryChange[];
  /**
   * Takes over how things were before this process watched, from the last changes of an earlier one or of another instance, the
   * newest first. What was taken over before of the same subjects is older.
   */
  remember(last: readonly HistoryChange[]): void;
}

/** How verdicts are kept; 0 is none. */
const CODES: Readonly<Record<Verdict, number>> = { pass: 1, degraded: 2, fail: 3, unknown: 4, skipped: 5 };
const VERDICTS: readonly (string | undefined)[] = [undefined, ...Object.keys(CODES)];

/** A subnet as it was. */
interface SeenSubnet {
  readonly problems: readonly Problem[];
  readonly masternodes: SeenMasternodes | undefined;
}

const keyOf = ({ subnet, component, name, kind, what }: Subject): string =>
  JSON.stringify([kind, subnet, component ?? null, name ?? null, what]);

/** Starts without a snapshot: of the first one, only what does not pass is a change. */
export function createChangeFinder(): ChangeFinder {
  const places = createTargetPlaces();
  /** By the rows of checks. */
  let verdicts = new Uint8Array(0);
  /** By the places of targets. */
  let containers: (SeenContainer | undefined)[] = [];
  const subnets = new Map<string, SeenSubnet>();
  /** Changes from before, by subject, while this process knows nothing newer. `since`: when it began to look for the same. */
  const before = new Map<string, { readonly change: HistoryChange; since?: number }>();
  /** Changes were remembered since the last snapshot, so problems are compared even where they are the same. */
  let isReminded = false;

  const takeBefore = (subject: Subject): HistoryChange | undefined => {
    if (before.size === 0) return undefined;
    const key = keyOf(subject);
    const known = before.get(key);
    before.delete(key);
    return known?.change;
  };

  const update = (snapshot: Snapshot) => {
    const moves = places.update(snapshot);
    if (moves === undefined) return;
    const moved = new Uint8Array(moves.checks.length);
    moveRows(verdicts, moved, moves.checks);
    verdicts = moved;
    const seen = containers;
    containers = Array.from(moves.targets, (earlier) => seen[earlier]);
  };

  /** The changes of a target's checks, whose rows begin there. */
  const findOfChecks = ({ target, checks }: TargetState, first: number, { toWall }: ChangeMoment) => {
    const changes: HistoryChange[] = [];
    for (const [index, state] of checks.entries()) {
      const { check, verdict, since, lastRun } = state;
      const known = VERDICTS[verdicts[first + index] ?? 0];
      // Not yet run: it is as it was.
      if (known === undefined && verdict === 'unknown' && lastRun === undefined) continue;
      const { subnet, component, name } = target;
      const subject: Subject = { subnet, component, name, kind: 'check', what: check };
      const was = known ?? takeBefore(subject)?.is;
      verdicts[first + index] = CODES[verdict];
      if (was === verdict || (was === undefined && verdict !== 'fail' && verdict !== 'degraded')) continue;
      const reason = toReason(formatReason(state));
      changes.push({ at: toWall(since), ...subject, was: was ?? 'unknown', is: verdict, reason });
    }
    return changes;
  };

  /** Whether the verdicts of a target's checks, whose rows begin there, are those of the last snapshot. */
  const areSame = ({ checks }: TargetState, first: number): boolean => {
    let row = first;
    for (const { verdict } of checks) {
      if (verdicts[row] !== CODES[verdict]) return false;
      row += 1;
    }
    return true;
  };

  const findOfSubnet = (state: SubnetState, moment: ChangeMoment): readonly HistoryChange[] => {
    const { name } = state.subnet;
    const seen = subnets.get(name);
    const masternodes = seeMasternodes(state, seen?.masternodes);
    const changes: HistoryChange[] = [];
    if (masternodes !== undefined && masternodes !== seen?.masternodes)
      changes.push(...findMasternodeChanges(state, seen?.masternodes, masternodes, moment));
    const problems = seen?.problems ?? [];
    if (isReminded || !isSameProblems(problems, state.problems))
      changes.push(...findProblemChanges(name, problems, state.problems, moment));
    if (state.problems !== seen?.problems || masternodes !== seen.masternodes)
      subnets.set(name, { problems: state.problems, masternodes });
    return changes;
  };

  const endRemoved = (snapshot: Snapshot, moment: ChangeMoment): readonly HistoryChange[] => {
    if (subnets.size === snapshot.length) return [];
    const names = new Set(snapshot.map(({ subnet }) => subnet.name));
    const removed = [...subnets].filter(([name]) => !names.has(name));
    for (const [name] of removed) subnets.delete(name);
    return removed.flatMap(([name, { problems }]) => findProblemChanges(name, problems, [], moment));
  };

  const findEndedBefore = (at: number): readonly HistoryChange[] => {
    const ended: HistoryChange[] = [];
    for (const [key, one] of before) {
      one.since ??= at;
      const { kind, is } = one.change;
      if (kind !== 'problem' || is === 'ended' || at - one.since < FOUND_AGAIN_MS) continue;
      before.delete(key);
      ended.push({ ...one.change, at, was: is, is: 'ended' });
    }
    return ended;
  };

  return {
    remember: (last) => {
      isReminded = true;
      for (const change of last.toReversed()) before.set(keyOf(change), { change });
    },
    find: (snapshot, toWall, at) => {
      update(snapshot);
      const moment = { at, toWall, takeBefore };
      const found: HistoryChange[] = [];
      let place = 0;
      let row = 0;
      for (const subnet of snapshot) {
        for (const state of subnet.targets) {
          if (!areSame(state, row)) found.push(...findOfChecks(state, row, moment));
          const was = containers[place];
          const is = seeContainer(state, was);
          if (was !== undefined && is !== undefined && was !== is)
            found.push(...findContainerChanges(state, was, is, moment));
          containers[place] = is;
          place += 1;
          row += state.checks.length;
        }
        found.push(...findOfSubnet(subnet, moment));
      }
      isReminded = false;
      found.push(...endRemoved(snapshot, moment), ...findEndedBefore(at));
      return found.sort((one, other) => one.at - other.at);
    },
  };
}
