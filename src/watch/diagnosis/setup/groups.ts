import { joinAnd, listEach, listNames } from '../../../lib/words.ts';
import { type Endpoint, formatEndpoint, type Reach, reachOf } from '../../../model/exposure.ts';

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

const REACHES: readonly Reach[] = ['public', 'private', 'loopback'];

const PLACES: Readonly<Record<Reach, string>> = {
  public: 'a public address',
  private: 'an address of a private network',
  loopback: 'an address of its own machine',
};

const MANY_PLACES: Readonly<Record<Reach, string>> = {
  public: 'public addresses',
  private: 'addresses of a private network',
  loopback: 'addresses of their own machine',
};

/** Where something is served, by the endpoints that most can reach. */
export interface Where {
  readonly reach: Reach;
  /** The first of the endpoints: `192.0.2.1:8545`. */
  readonly endpoint: string;
  readonly port: number;
  /** In the middle of a sentence, after "at": `192.0.2.1:8545, a public address,`. */
  readonly text: string;
}

/** The endpoints that most can reach; undefined when there are none. */
export function describeWhere(servedAt: readonly Endpoint[]): Where | undefined {
  const reach = REACHES.find((one) => servedAt.some((endpoint) => reachOf(endpoint) === one));
  const endpoints = servedAt.filter((endpoint) => reachOf(endpoint) === reach);
  const [first] = endpoints;
  if (reach === undefined || first === undefined) return undefined;
  const shown = endpoints.slice(0, 2).map(formatEndpoint);
  const text = `${joinAnd(shown)}, ${shown.length > 1 ? 'each ' : ''}${PLACES[reach]},`;
  return { reach, endpoint: formatEndpoint(first), port: first.port, text };
}

/** Same for several that are reached alike: `192.0.2.1:8545 (n1), 192.0.2.2:8545 (n2), public addresses,`. */
export const describeEach = (ones: readonly { readonly name: string; readonly where: Where }[], reach: Reach): string =>
  `${listEach(ones, ({ name, where }) => `${where.endpoint} (${name})`)}, ${MANY_PLACES[reach]},`;
