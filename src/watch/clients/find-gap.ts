import { reachedByHalf } from '../../lib/numbers.ts';
import type { KnownTarget } from '../../model/facts.ts';
import { clientOf } from './clients.ts';

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
  const height = reachedByHalf(counted.map(({ latest }) => latest));
  const final = reachedByHalf(counted.map(({ committed }) => committed));
  return height === undefined || final === undefined ? undefined : Math.max(0, height - final);
}
