import type { Snapshot } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import type { CheckName } from '../../model/verdict.ts';

/** By their new numbers: the earlier place of each target, and the earlier row of each check. It is -1 where there was none. */
export interface Moves {
  readonly targets: Int32Array;
  readonly checks: Int32Array;
}

type Subject = Pick<Target, 'subnet' | 'component' | 'name'>;

/**
 * Numbers the targets of the newest snapshot from 0 on, in its order, and the checks of all of them likewise. What is kept of each
 * is in arrays of all by these numbers: an object for each of ten thousand targets takes more memory than what it holds.
 */
export interface TargetPlaces {
  /** Numbers the targets of a snapshot; undefined when they are those of the last one. */
  update(snapshot: Snapshot): Moves | undefined;
  /** By their places. */
  readonly targets: () => readonly Target[];
  placeOf(target: Subject): number | undefined;
  rowOf(target: Subject, check: CheckName): number | undefined;
}

/** Starts without a target. */
export function createTargetPlaces(): TargetPlaces {
  let targets: readonly Target[] = [];
  /** The checks of each, in their order; targets with the same ones share them. */
  let checks: readonly (readonly CheckName[])[] = [];
  let firstRows = new Uint32Array(0);
  /** The places of each subnet: the first one, and the one after its last. */
  let ranges = new Map<string, readonly [from: number, to: number]>();
  /** The places of a subnet by component and name, made when one is asked for, and until the next snapshot. */
  const indexes = new Map<string, ReadonlyMap<string, number>>();

  const isSame = (snapshot: Snapshot): boolean => {
    let place = 0;
    for (const state of snapshot)
      for (const { target, checks: own } of state.targets) {
        if (targets[place] !== target || checks[place]?.length !== own.length) return false;
        place += 1;
      }
    return place === targets.length;
  };

  const nameOf = ({ component, name }: Subject) => `${component} ${name}`;

  const indexOf = (subnet: string) => {
    const [from, to] = ranges.get(subnet) ?? [0, 0];
    const known =
      indexes.get(subnet) ?? new Map(targets.slice(from, to).map((target, place) => [nameOf(target), from + place]));
    indexes.set(subnet, known);
    return known;
  };

  const placeOf = (target: Subject) => indexOf(target.subnet).get(nameOf(target));

  const rowIn = (place: number, check: CheckName): number | undefined => {
    const index = checks[place]?.indexOf(check) ?? -1;
    return index === -1 ? undefined : (firstRows[place] ?? 0) + index;
  };

  const replace = (snapshot: Snapshot): Moves => {
    const states = snapshot.flatMap((state) => state.targets);
    const lists = new Map<string, readonly CheckName[]>();
    const nextChecks = states.map((state) => {
      const names = state.checks.map(({ check }) => check);
      const shared = lists.get(names.join()) ?? names;
      lists.set(names.join(), shared);
      return shared;
    });
    const movedTargets = Int32Array.from(states, ({ target }) => placeOf(target) ?? -1);
    const movedChecks = nextChecks.flatMap((names, place) =>
      names.map((check) => rowIn(movedTargets[place] ?? -1, check) ?? -1),
    );
    targets = states.map(({ target }) => target);
    checks = nextChecks;
    firstRows = new Uint32Array(targets.length);
    ranges = new Map();
    let row = 0;
    for (const [place, { subnet }] of targets.entries()) {
      firstRows[place] = row;
      row += checks[place]?.length ?? 0;
      ranges.set(subnet, [ranges.get(subnet)?.[0] ?? place, place + 1]);
    }
    indexes.clear();
    return { targets: movedTargets, checks: Int32Array.from(movedChecks) };
  };

  return {
    update: (snapshot) => {
      indexes.clear();
      return isSame(snapshot) ? undefined : replace(snapshot);
    },
    targets: () => targets,
    placeOf,
    rowOf: (target, check) => {
      const place = placeOf(target);
      return place === undefined ? undefined : rowIn(place, check);
    },
  };
}
