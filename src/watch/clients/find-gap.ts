import type { KnownTarget } from '../../model/facts.ts';
import { clientOf } from './clients.ts';

/** What at least half of them have reached. */
const reached = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => other - one)[Math.ceil(numbers.length / 2) - 1] ?? Number.NaN;

/**
 * How many blocks are not final, by the nodes that answer: the height that half of them have reached, less what half of them have final.
 * Clients that are not known to mean the same by a final block count only where no other is asked.
 */
export function findGap(targets: readonly KnownTarget[]): number | undefined {
  const given = targets.flatMap(({ target, facts }) => {
    const { observation, latest, committed } = facts.node ?? {};
    if (target.component !== 'node' || !observation?.latest.ok || latest === undefined || committed === undefined)
      return [];
    const { isFinalitySettled } = clientOf({ target, facts });
    return [{ latest: latest.number, committed: committed.number, isFinalitySettled }];
  });
  const settled = given.filter(({ isFinalitySettled }) => isFinalitySettled);
  const counted = settled.length > 0 ? settled : given;
  if (counted.length === 0) return undefined;
  return Math.max(0, reached(counted.map(({ latest }) => latest)) - reached(counted.map(({ committed }) => committed)));
}
