import { isSameData } from '../../lib/values.ts';
import type { NodeObservation } from '../../model/observation.ts';

/** As many different values of a member are remembered. Nodes that agree give fewer within a minute. */
const REMEMBERED = 8;

/** More than the ids, addresses and hashes of a large subnet. When nodes make up more than that, all are forgotten. */
const MOST_TEXTS = 65_536;

/**
 * Replaces the parts that several nodes of a subnet say alike by one object: heights, counts of peers, masternodes, missed rounds.
 * Equal ids, addresses and hashes become one string. Without it, thousands of copies would fill the memory, and would have to be
 * compared one by one.
 */
export function createSharing(): (seen: NodeObservation) => NodeObservation {
  const texts = new Map<string, string>();
  /** By the name of the member, the newest first. */
  const remembered = new Map<string, unknown[]>();

  const shareText = (text: string): string => {
    const same = texts.get(text);
    if (same !== undefined) return same;
    if (texts.size >= MOST_TEXTS) texts.clear();
    texts.set(text, text);
    return text;
  };

  const share = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return shareText(value);
    if (typeof value !== 'object' || value === null) return value;
    // No node says all that another one says, its id included.
    if (name === 'chain') return shareMembers(value);
    const known = remembered.get(name) ?? [];
    for (const one of known) if (isSameData(one, value)) return one;
    const own = Array.isArray(value)
      ? value.map((one) => (typeof one === 'string' ? shareText(one) : one))
      : shareMembers(value);
    known.unshift(own);
    known.length = Math.min(known.length, REMEMBERED);
    remembered.set(name, known);
    return own;
  };

  function shareMembers<T extends object>(value: T): T {
    const shared = { ...value } as Record<string, unknown>;
    for (const name in shared) shared[name] = share(shared[name], name);
    return shared as T;
  }

  return shareMembers;
}
