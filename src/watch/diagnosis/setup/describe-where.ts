import { joinAnd, listEach } from '../../../lib/list-names.ts';
import { type Endpoint, formatEndpoint, type Reach, reachOf } from '../../../model/exposure.ts';

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

/** The same of several that are reached alike: `192.0.2.1:8545 (n1), 192.0.2.2:8545 (n2), public addresses,`. */
export const describeEach = (ones: readonly { readonly name: string; readonly where: Where }[], reach: Reach): string =>
  `${listEach(ones, ({ name, where }) => `${where.endpoint} (${name})`)}, ${MANY_PLACES[reach]},`;
