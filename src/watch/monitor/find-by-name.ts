import type { Target } from '../../model/target.ts';

/** The key of a target in its subnet; no component has a blank in its name. */
const keyOf = ({ component, name }: Target): string => `${component} ${name}`;

/**
 * Finds the target of a subnet with the same component and name. Most targets of a reload are the same object as before, so the keys
 * are made only when it is first asked.
 */
export function findByName(targets: readonly Target[]): (target: Target) => Target | undefined {
  let known: ReadonlyMap<string, Target> | undefined;
  return (target) => {
    known ??= new Map(targets.map((one) => [keyOf(one), one]));
    return known.get(keyOf(target));
  };
}
