import type { HistoryChange } from '../../model/history.ts';
import { FOUND_AGAIN_MS, type Problem } from '../../model/problem.ts';
import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import { type CheckName, formatReason, type Verdict } from '../../model/verdict.ts';
import { type ChangeMoment, type Subject, toReason } from './change-subject.ts';
import { findContainerChanges, type SeenContainer, seeContainer } from './find-container-changes.ts';
import { findMasternodeChanges, type SeenMasternodes, seeMasternodes } from './find-masternode-changes.ts';
import { findProblemChanges, isSameProblems } from './find-problem-changes.ts';
import { createTargetMemory } from './target-memory.ts';

/** Finds what has changed between one snapshot and the next. */
export type ChangeFinder = ReturnType<typeof createChangeFinder>;

/** A target as it was. */
interface SeenTarget {
  readonly checks: readonly CheckName[];
  /** In their order; undefined of one that is new. */
  readonly verdicts: (Verdict | undefined)[];
  container: SeenContainer | undefined;
}

function createSeen({ checks }: TargetState, before: SeenTarget | undefined): SeenTarget {
  const names = checks.map(({ check }) => check);
  const verdicts = names.map((check) => before?.verdicts[before.checks.indexOf(check)]);
  return { checks: names, verdicts, container: before?.container };
}

/** A subnet as it was. */
interface SeenSubnet {
  readonly problems: readonly Problem[];
  readonly masternodes: SeenMasternodes | undefined;
}

const keyOf = ({ subnet, component, name, kind, what }: Subject): string =>
  JSON.stringify([kind, subnet, component ?? null, name ?? null, what]);

/** Starts without a snapshot: of the first one, only what does not pass is a change. */
export function createChangeFinder() {
  const seen = createTargetMemory<SeenTarget>(createSeen);
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

  const findOfChecks = ({ target, checks }: TargetState, { verdicts }: SeenTarget, { toWall }: ChangeMoment) => {
    const changes: HistoryChange[] = [];
    for (const [index, state] of checks.entries()) {
      const { check, verdict, since, lastRun } = state;
      const known = verdicts[index];
      if (known === verdict) continue;
      // Not yet run: it is as it was.
      if (known === undefined && verdict === 'unknown' && lastRun === undefined) continue;
      const { subnet, component, name } = target;
      const subject: Subject = { subnet, component, name, kind: 'check', what: check };
      const was = known ?? takeBefore(subject)?.is;
      verdicts[index] = verdict;
      if (was === verdict || (was === undefined && verdict !== 'fail' && verdict !== 'degraded')) continue;
      const reason = toReason(formatReason(state));
      changes.push({ at: toWall(since), ...subject, was: was ?? 'unknown', is: verdict, reason });
    }
    return changes;
  };

  const findOfSubnet = (state: SubnetState, moment: ChangeMoment): readonly HistoryChange[] => {
    const { name } = state.subnet;
    const last = subnets.get(name);
    const masternodes = seeMasternodes(state, last?.masternodes);
    const changes: HistoryChange[] = [];
    if (masternodes !== undefined && masternodes !== last?.masternodes)
      changes.push(...findMasternodeChanges(state, last?.masternodes, masternodes, moment));
    const problems = last?.problems ?? [];
    if (isReminded || !isSameProblems(problems, state.problems))
      changes.push(...findProblemChanges(name, problems, state.problems, moment));
    if (state.problems !== last?.problems || masternodes !== last.masternodes)
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
    /**
     * Takes over how things were before this process watched, from the last changes of an earlier one or of another instance, the
     * newest first. What was taken over before of the same subjects is older.
     */
    remember: (last: readonly HistoryChange[]): void => {
      isReminded = true;
      for (const change of last.toReversed()) before.set(keyOf(change), { change });
    },
    /** `toWall` is the clock's; `at` is wall time. */
    find: (snapshot: Snapshot, toWall: (at: number) => number, at: number): readonly HistoryChange[] => {
      const moment = { at, toWall, takeBefore };
      const found: HistoryChange[] = [];
      seen.each(snapshot, (own, state) => {
        if (state.checks.some(({ verdict }, index) => verdict !== own.verdicts[index]))
          found.push(...findOfChecks(state, own, moment));
        const was = own.container;
        own.container = seeContainer(state, was);
        if (was !== undefined && own.container !== undefined && was !== own.container)
          found.push(...findContainerChanges(state, was, own.container, moment));
      });
      for (const subnet of snapshot) found.push(...findOfSubnet(subnet, moment));
      isReminded = false;
      found.push(...endRemoved(snapshot, moment), ...findEndedBefore(at));
      return found.sort((one, other) => one.at - other.at);
    },
  };
}
