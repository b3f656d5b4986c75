import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import { type Target, targetKey } from '../../model/target.ts';

type Subject = Pick<Target, 'subnet' | 'component' | 'name'>;

/** What is kept of each target of the newest snapshot. */
export interface TargetMemory<T> {
  /** Visits what is kept of each target, in the order of the snapshot. What is gone from it is forgotten. */
  each(snapshot: Snapshot, visit: (own: T, state: TargetState, subnet: SubnetState) => void): void;
  of(target: Subject): T | undefined;
}

interface Kept<T> {
  readonly target: Target;
  readonly own: T;
  /** How many checks it has. */
  readonly checks: number;
}

/**
 * Starts without a target. `create` is called for one that is new, and for one that a reload has replaced, or that has other checks
 * than before, with what was kept of it until then.
 */
export function createTargetMemory<T>(create: (state: TargetState, before: T | undefined) => T): TargetMemory<T> {
  /** In the order of the snapshot, so that each is found without looking it up. */
  let kept: readonly Kept<T>[] = [];
  /** By name; made when one is asked for, and until the next snapshot with others. */
  let byName: ReadonlyMap<string, T> | undefined;
  const names = () => {
    byName ??= new Map(kept.map(({ target, own }) => [targetKey(target), own]));
    return byName;
  };
  const isSame = (snapshot: Snapshot): boolean => {
    let place = 0;
    for (const { targets } of snapshot)
      for (const { target, checks } of targets) {
        const one = kept[place++];
        if (one?.target !== target || one.checks !== checks.length) return false;
      }
    return place === kept.length;
  };
  /** Takes over the targets of a snapshot. */
  const update = (snapshot: Snapshot) => {
    const known = new Map(kept.map((one) => [one.target, one]));
    const before = names();
    kept = snapshot.flatMap(({ targets }) =>
      targets.map((state) => {
        const { target, checks } = state;
        const same = known.get(target);
        if (same?.checks === checks.length) return same;
        return { target, own: create(state, before.get(targetKey(target))), checks: checks.length };
      }),
    );
    byName = undefined;
  };
  return {
    each: (snapshot, visit) => {
      if (!isSame(snapshot)) update(snapshot);
      let place = 0;
      for (const subnet of snapshot)
        for (const state of subnet.targets) {
          const one = kept[place++];
          if (one !== undefined) visit(one.own, state, subnet);
        }
    },
    of: (target) => names().get(targetKey(target)),
  };
}
