import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import { type Target, targetKey } from '../../model/target.ts';

type Subject = Pick<Target, 'subnet' | 'component' | 'name'>;

/** What is kept of each target of the newest snapshot. */
export interface TargetMemory<T> {
  /** Visits what is kept of each target, in the order of the snapshot. What is gone from it is forgotten. */
  each(snapshot: Snapshot, visit: (own: T, state: TargetState, subnet: SubnetState) => void): void;
  of(target: Subject): T | undefined;
}

/**
 * Starts without a target. `create` is called for one that is new, and for one that a reload has replaced, or that has other checks
 * than before, with what was kept of it until then.
 */
export function createTargetMemory<T>(create: (state: TargetState, before: T | undefined) => T): TargetMemory<T> {
  let known = new Map<Target, { readonly own: T; readonly checks: number }>();
  /** By name; made when one is asked for, and until the next snapshot. */
  let byName: ReadonlyMap<string, T> | undefined;
  const names = () => {
    byName ??= new Map([...known].map(([target, { own }]) => [targetKey(target), own]));
    return byName;
  };
  /** Takes over the targets of a snapshot, unless they are those of the last one. */
  const update = (snapshot: Snapshot) => {
    let count = 0;
    let isSame = true;
    for (const { targets } of snapshot) {
      count += targets.length;
      for (const { target, checks } of targets) if (known.get(target)?.checks !== checks.length) isSame = false;
    }
    if (isSame && count === known.size) return;
    const before = names();
    known = new Map(
      snapshot.flatMap(({ targets }) =>
        targets.map((state) => {
          const { target, checks } = state;
          const kept = known.get(target);
          if (kept?.checks === checks.length) return [target, kept] as const;
          return [target, { own: create(state, before.get(targetKey(target))), checks: checks.length }] as const;
        }),
      ),
    );
    byName = undefined;
  };
  return {
    each: (snapshot, visit) => {
      update(snapshot);
      for (const subnet of snapshot)
        for (const state of subnet.targets) {
          const kept = known.get(state.target);
          if (kept !== undefined) visit(kept.own, state, subnet);
        }
    },
    of: (target) => names().get(targetKey(target)),
  };
}
