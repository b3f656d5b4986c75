import type { RecordQuery } from '../model/records.ts';
import { type Resource, STAMPS } from '../model/resource.ts';
import type { CallMember } from './call.ts';
import { type Outcome, succeed } from './outcome.ts';
import {
  checkSort,
  describeParameter,
  describeSort,
  type ParameterKind,
  type ParameterKinds,
  readParameters,
} from './read-parameters.ts';

/** What lists can be filtered and sorted by: every member that they show but the password. */
function findFilters({ members, idMember }: Resource): ParameterKinds {
  const own = members.flatMap((member): readonly (readonly [string, ParameterKind])[] => {
    if (member.kind === 'password') return [];
    if (member.kind === 'boolean') return [[member.name, 'boolean']];
    return [...(member.kind === 'reference' ? [[member.to.idMember, 'integer'] as const] : []), [member.name, 'text']];
  });
  const stamps = STAMPS.map(([name]): readonly [string, ParameterKind] => {
    if (name.endsWith('By')) return [name, 'integer'];
    return [name, name.endsWith('Date') ? 'date' : 'text'];
  });
  return new Map([[idMember, 'integer'], ...own, ...stamps]);
}

/** The parameters that stand for no member. */
const OWN: ParameterKinds = new Map([
  ['search', 'text'],
  ['sort', 'text'],
  ['since', 'date'],
  ['total', 'boolean'],
]);

/** A list's search, filters and order, and whether to count all that match. */
export interface ReadQuery extends Pick<RecordQuery, 'search' | 'where' | 'since' | 'sort'> {
  readonly isCounted: boolean;
  /** Whether it asks for nothing at all. */
  readonly isPlain: boolean;
}

const PLAIN: ReadQuery = { isPlain: true, isCounted: false };

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads `search`, `sort`, `since`, `total` and the filters of a resource's list. Other parameters are ignored. */
export type ReadRecordQuery = (query: URLSearchParams | undefined, resource: Resource) => Outcome<ReadQuery>;

/** Creates the reader. It finds out once for each resource what its list can be filtered by. */
export function createReadRecordQuery(): ReadRecordQuery {
  const known = new Map<Resource, ParameterKinds>();
  const kindsOf = (resource: Resource): ParameterKinds => {
    const kinds = known.get(resource) ?? new Map([...OWN, ...findFilters(resource)]);
    known.set(resource, kinds);
    return kinds;
  };
  return (query, resource) => {
    const read = readParameters(query, kindsOf(resource));
    if (!read.ok) return read;
    if (Object.keys(read.value).length === 0) return succeed(PLAIN);
    const { search, sort, since, total, ...where } = read.value;
    const order = sort === undefined ? succeed(undefined) : checkSort(String(sort), [...findFilters(resource).keys()]);
    if (!order.ok) return order;
    return succeed({
      search: toText(search),
      sort: order.value,
      since: toText(since),
      where,
      isCounted: total === true,
      isPlain: false,
    });
  };
}

/** The parameters of a resource's list beyond the specification, as the reference describes them. */
export function recordQueryMembers(resource: Resource): readonly CallMember[] {
  const filters = findFilters(resource);
  const order = 'The order, after a - the other way round; the list then has at most 1,000 records.';
  return [
    describeParameter('search', 'text', 'Only records with this text in one of their texts.'),
    describeSort([...filters.keys()], order),
    describeParameter('since', 'date', 'Only records that were added or changed since this date.'),
    describeParameter('total', 'boolean', 'With true, `total` is the number of all that match.'),
    ...[...filters].map(([name, kind]) => describeParameter(name, kind, `Only records with this ${name}.`)),
  ];
}
