import { listNames } from '../../../lib/list-names.ts';

/** The names of those that have a value. */
export interface Group {
  readonly value: string;
  readonly names: readonly string[];
}

/** Who has which value, the most frequent value first; of two as frequent ones the one that came first. */
export function groupByValue(given: Iterable<readonly [name: string, value: string]>): readonly Group[] {
  const groups = new Map<string, string[]>();
  for (const [name, value] of given) {
    const names = groups.get(value);
    if (names === undefined) groups.set(value, [name]);
    else names.push(name);
  }
  return [...groups]
    .map(([value, names]) => ({ value, names }))
    .sort((one, other) => other.names.length - one.names.length);
}

/** More values than these are counted, not named. */
const MAX_GROUPS = 4;

/** As `3 nodes run A (n1, n2, n3), 1 runs B (n4)`; the verb in the singular and the plural. */
export function describeGroups(groups: readonly Group[], [one, many]: readonly [string, string]): string {
  const named = groups.slice(0, MAX_GROUPS).map(({ value, names: { length }, names }, index) => {
    const unit = index > 0 ? '' : length === 1 ? 'node ' : 'nodes ';
    return `${length} ${unit}${length === 1 ? one : many} ${value} (${listNames(names)})`;
  });
  const more = groups.length - named.length;
  return `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
