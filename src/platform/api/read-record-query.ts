import type { RecordQuery } from '../model/records.ts';
import { type Resource, STAMPS } from '../model/resource.ts';
import { type Members, readQuery } from './call.ts';
import { type Outcome, succeed } from './outcome.ts';
import { PAGE_MEMBERS } from './read-page.ts';
import { type ParameterKind, parameter, sortParameter } from './read-parameters.ts';

/** What lists can be filtered and sorted by: every member that they show but the password. */
function findFilters({ members, idMember }: Resource): ReadonlyMap<string, ParameterKind> {
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

/** The parameters of a resource's list, all beyond the specification. */
function describeMembers(resource: Resource): Members {
  const filters = findFilters(resource);
  const order = 'The sort order, descending with a - in front; the list then has at most 1,000 records.';
  return {
    ...PAGE_MEMBERS,
    search: parameter('text', 'Only records that contain this text in one of their text members.'),
    sort: sortParameter([...filters.keys()], order),
    since: parameter('date', 'Only records that were added or changed since this date.'),
    total: parameter('boolean', 'With true, `total` is the number of all matching records.'),
    ...Object.fromEntries(
      [...filters].map(([name, kind]) => [name, parameter(kind, `Only records with this ${name}.`)]),
    ),
  };
}

const known = new WeakMap<Resource, Members>();

/** The same, made once for each resource. */
export function recordQueryMembers(resource: Resource): Members {
  const members = known.get(resource) ?? describeMembers(resource);
  known.set(resource, members);
  return members;
}

/** Which records a request asks for: a list's page, search, filters and order, and whether to count all that match. */
export interface AskedRecords extends Pick<RecordQuery, 'search' | 'where' | 'since' | 'sort' | 'after'> {
  readonly limit?: number | undefined;
  readonly total?: boolean;
  /** Whether it asks for nothing but a page. */
  readonly isPlain: boolean;
}

/** Reads the query of a resource's list. */
export function readRecordQuery(query: URLSearchParams | undefined, resource: Resource): Outcome<AskedRecords> {
  const read = readQuery(recordQueryMembers(resource), query);
  if (!read.ok) return read;
  const { limit, after, search, sort, since, total, ...where } = read.value;
  const isPlain = Object.keys(read.value).every((name) => name === 'limit' || name === 'after');
  const asked = { limit, after, search, sort, since, total, where, isPlain };
  // Each value has the type of what was declared for it.
  return succeed(asked as AskedRecords);
}
