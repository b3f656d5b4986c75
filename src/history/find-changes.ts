import type { HistoryChange } from '../model/history.ts';
import { FOUND_AGAIN_MS, type Problem, problemKey } from '../model/problem.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { targetKey } from '../model/target.ts';
import { formatReason } from '../model/verdict.ts';
import { findContainerChanges, type SeenContainer, seeContainer } from './find-container-changes.ts';
import { findMasternodeChanges, type SeenMasternodes, seeMasternodes } from './find-masternode-changes.ts';

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

/** The longest reason that is kept, in characters. */
const LONGEST = 500;

type Subject = Pick<HistoryChange, 'subnet' | 'component' | 'name' | 'kind' | 'what'>;

const keyOf = ({ subnet, component, name, kind, what }: Subject): string =>
  JSON.stringify([kind, subnet, component ?? null, name ?? null, what]);

/** PostgreSQL stores no zero byte. */
const toReason = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST);

const aboutProblem = (subnet: string, { problem, component, name }: Problem): Subject => ({
  subnet,
  ...(component !== undefined && { component }),
  ...(name !== undefined && { name }),
  kind: 'problem',
  what: problem,
});

/** Starts without a snapshot: of the first one, only what does not pass is a change. */
export function createChangeFinder(): ChangeFinder {
  let verdicts = new Map<string, ReadonlyMap<string, string>>();
  let containers = new Map<string, SeenContainer>();
  let masternodes = new Map<string, SeenMasternodes>();
  /** By subnet and problem. */
  let problems = new Map<string, HistoryChange>();
  /** From before, while this process knows nothing newer, each with when it was first looked for. */
  const before = new Map<string, { readonly change: HistoryChange; since?: number }>();

  const takeBefore = (subject: Subject): HistoryChange | undefined => {
    if (before.size === 0) return undefined;
    const key = keyOf(subject);
    const known = before.get(key);
    before.delete(key);
    return known?.change;
  };

  const findOfTarget = ({ target, checks }: TargetState, toWall: (at: number) => number) => {
    const { subnet, component, name } = target;
    const known = verdicts.get(targetKey(target));
    const current = new Map<string, string>();
    const changes: HistoryChange[] = [];
    for (const state of checks) {
      const { check, verdict, since, lastRun } = state;
      const subject: Subject = { subnet, component, name, kind: 'check', what: check };
      let was = known?.get(check);
      // Not yet run: it is as it was.
      if (was === undefined && verdict === 'unknown' && lastRun === undefined) continue;
      was ??= takeBefore(subject)?.is;
      current.set(check, verdict);
      if (was === verdict || (was === undefined && verdict !== 'fail' && verdict !== 'degraded')) continue;
      changes.push({
        at: toWall(since),
        ...subject,
        was: was ?? 'unknown',
        is: verdict,
        reason: toReason(formatReason(state)),
      });
    }
    return { current, changes };
  };

  const findOfProblems = ({ subnet, problems: all }: SubnetState, toWall: (at: number) => number) => {
    const current = new Map<string, HistoryChange>();
    const changes: HistoryChange[] = [];
    for (const problem of all) {
      const { state, since, openedAt = since, clearingSince, summary, evidence } = problem;
      if (state === 'suspected') continue;
      const subject = aboutProblem(subnet.name, problem);
      const key = `${subnet.name} ${problemKey(problem)}`;
      const stored = takeBefore(subject);
      const was = problems.get(key) ?? stored;
      const wasState = was?.is ?? 'none';
      const change: HistoryChange = {
        at: toWall(
          state === 'clearing' ? (clearingSince ?? openedAt) : wasState === 'clearing' ? problem.seenAt : openedAt,
        ),
        ...subject,
        was: wasState === 'ended' ? 'none' : wasState,
        is: state,
        reason: toReason(`${summary}: ${evidence}`),
      };
      current.set(key, change);
      if (wasState !== state) changes.push(change);
    }
    return { current, changes };
  };

  const toEnded = (change: HistoryChange, at: number): HistoryChange => ({
    ...change,
    at,
    was: change.is,
    is: 'ended',
  });

  const findEndedBefore = (at: number): readonly HistoryChange[] => {
    const ended: HistoryChange[] = [];
    for (const [key, one] of before) {
      one.since ??= at;
      const { kind, is } = one.change;
      if (kind !== 'problem' || is === 'ended' || at - one.since < FOUND_AGAIN_MS) continue;
      before.delete(key);
      ended.push(toEnded(one.change, at));
    }
    return ended;
  };

  return {
    remember: (last) => {
      for (const change of last.toReversed()) before.set(keyOf(change), { change });
    },
    find: (snapshot, toWall, at) => {
      const found: HistoryChange[] = [];
      const nextVerdicts: typeof verdicts = new Map();
      const nextProblems: typeof problems = new Map();
      const nextContainers: typeof containers = new Map();
      const nextMasternodes: typeof masternodes = new Map();
      for (const state of snapshot) {
        for (const target of state.targets) {
          const { current, changes } = findOfTarget(target, toWall);
          const key = targetKey(target.target);
          nextVerdicts.set(key, current);
          found.push(...changes);
          const [was, is] = [containers.get(key), seeContainer(target) ?? containers.get(key)];
          if (is !== undefined) nextContainers.set(key, is);
          if (was !== undefined && is !== undefined) found.push(...findContainerChanges(target, was, is, toWall, at));
        }
        const { name } = state.subnet;
        const [were, are] = [masternodes.get(name), seeMasternodes(state) ?? masternodes.get(name)];
        if (are !== undefined) {
          nextMasternodes.set(name, are);
          found.push(...findMasternodeChanges(state, were, are, takeBefore, at));
        }
        const { current, changes } = findOfProblems(state, toWall);
        for (const [key, change] of current) nextProblems.set(key, change);
        found.push(...changes);
      }
      for (const [key, change] of problems) if (!nextProblems.has(key)) found.push(toEnded(change, at));
      verdicts = nextVerdicts;
      problems = nextProblems;
      containers = nextContainers;
      masternodes = nextMasternodes;
      return [...found, ...findEndedBefore(at)].sort((one, other) => one.at - other.at);
    },
  };
}
