import type { Snapshot, TargetState } from '../model/snapshot.ts';
import { type Target, targetKey } from '../model/target.ts';

/** Something that is kept for each target of the newest snapshot. */
export interface TargetEntries<Entry> {
  /** Calls `use` for each target with its entry; those of targets that are gone are forgotten. */
  visit(snapshot: Snapshot, use: (state: TargetState, entry: Entry) => void): void;
  get(target: Target): Entry | undefined;
}

/** Starts without an entry; `create` makes one for a target that is new, and again when `fits` says that it no longer fits. */
export function createTargetEntries<Entry>(
  create: (state: TargetState) => Entry,
  fits: (entry: Entry, state: TargetState) => boolean = () => true,
): TargetEntries<Entry> {
  let entries = new Map<string, Entry>();
  /** In the order of the snapshot. To make the key of a target costs more than most of what is done with its entry. */
  let places: { readonly target: Target; readonly entry: Entry }[] = [];

  const place = (states: readonly TargetState[]) => {
    const next = new Map<string, Entry>();
    places = states.map((state) => {
      const key = targetKey(state.target);
      const known = entries.get(key);
      const entry = known !== undefined && fits(known, state) ? known : create(state);
      next.set(key, entry);
      return { target: state.target, entry };
    });
    entries = next;
  };

  return {
    visit: (snapshot, use) => {
      const states = snapshot.flatMap(({ targets }) => targets);
      const isSame = places.length === states.length && states.every(({ target }, at) => places[at]?.target === target);
      if (!isSame) place(states);
      for (const [at, state] of states.entries()) use(state, (places[at] as (typeof places)[number]).entry);
    },
    get: (target) => entries.get(targetKey(target)),
  };
}
