import type { RecordQuery } from '../model/record-query.ts';
import { MAX_INTEGER, type Resource, STAMPS } from '../model/resource.ts';
import type { CallMember, Json } from './call.ts';
import { checkDate } from './check-date.ts';
import { checkLookup } from './check-text.ts';
import { checkDigits, requireMember } from './check-value.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** The longest text that a search or a filter takes, in characters. */
const MAX_TEXT = 500;

type Kind = 'text' | 'boolean' | 'integer' | 'date';

function findFilterable({ members, idMember }: Resource): ReadonlyMap<string, Kind> {
  const own = members.flatMap((member): readonly (readonly [string, Kind])[] => {
    if (member.kind === 'password') return [];
    if (member.kind === 'boolean') return [[member.name, 'boolean']];
    return [...(member.kind === 'reference' ? [[member.to.idMember, 'integer'] as const] : []), [member.name, 'text']];
  });
  const stamps = STAMPS.map(([name]): readonly [string, Kind] => {
    if (name.endsWith('By')) return [name, 'integer'];
    return [name, name.endsWith('Date') ? 'date' : 'text'];
  });
  return new Map([[idMember, 'integer'], ...own, ...stamps]);
}

const known = new Map<Resource, ReadonlyMap<string, Kind>>();

/** What lists can be filtered and sorted by: every member that they show but the password. */
function filterable(resource: Resource): ReadonlyMap<string, Kind> {
  const members = known.get(resource) ?? findFilterable(resource);
  known.set(resource, members);
  return members;
}

const checkText = (text: string, name: string) => checkLookup(text, name, { kind: 'text', most: MAX_TEXT });

function checkBoolean(text: string, name: string): Outcome<boolean> {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? succeed(word === 'true') : fail(1003, `${name} must be true or false`);
}

function checkFilter(kind: Kind, text: string, name: string): Outcome<string | number | boolean> {
  if (kind === 'boolean') return checkBoolean(text, name);
  if (kind === 'integer') return checkDigits(text.trim(), name, 1, MAX_INTEGER);
  return kind === 'date' ? checkDate(text, name) : checkText(text, name);
}

function checkSort(text: string, members: ReadonlyMap<string, Kind>): Outcome<NonNullable<RecordQuery['sort']>> {
  const isDescending = text.startsWith('-');
  const member = isDescending ? text.slice(1) : text;
  return members.has(member)
    ? succeed({ member, isDescending })
    : fail(1012, `sort must be one of ${[...members.keys()].join(', ')}, after a - for the other direction`);
}

/** A list's search, filters and order, and whether to count all that match. */
export interface ReadQuery extends Pick<RecordQuery, 'search' | 'where' | 'since' | 'sort'> {
  readonly isCounted: boolean;
  /** Whether it asks for anything at all. */
  readonly isPlain: boolean;
}

const PLAIN: Outcome<ReadQuery> = succeed({ isPlain: true, isCounted: false });

/** The parameters that stand for no member. */
const OWN: ReadonlySet<string> = new Set(['search', 'sort', 'since', 'total']);

/** Reads `search`, `sort`, `since`, `total` and the filters. Other parameters are ignored. */
export function readRecordQuery(query: URLSearchParams | undefined, resource: Resource): Outcome<ReadQuery> {
  if (query === undefined) return PLAIN;
  const members = filterable(resource);
  const sent: Record<string, string> = {};
  for (const [name, text] of query) {
    if (Object.hasOwn(sent, name) || !(OWN.has(name) || members.has(name))) continue;
    const present = requireMember({ [name]: text }, name);
    if (!present.ok) return present;
    sent[name] = text;
  }
  if (Object.keys(sent).length === 0) return PLAIN;
  const check = <T>(name: string, parse: (text: string) => Outcome<T>): Outcome<T | undefined> => {
    const text = sent[name];
    return text === undefined ? succeed(undefined) : parse(text);
  };
  const search = check('search', (text) => checkText(text, 'search'));
  if (!search.ok) return search;
  const sort = check('sort', (text) => checkSort(text, members));
  if (!sort.ok) return sort;
  const since = check('since', (text) => checkDate(text, 'since'));
  if (!since.ok) return since;
  const total = check('total', (text) => checkBoolean(text, 'total'));
  if (!total.ok) return total;
  const where: Record<string, string | number | boolean> = {};
  for (const [name, kind] of members) {
    const value = check(name, (text) => checkFilter(kind, text, name));
    if (!value.ok) return value;
    if (value.value !== undefined) where[name] = value.value;
  }
  return succeed({
    ...{ search: search.value, sort: sort.value, since: since.value, where },
    ...{ isCounted: total.value === true, isPlain: false },
  });
}

const SCHEMAS: Readonly<Record<Kind, Json>> = {
  text: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
  boolean: { type: 'string', pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$' },
  integer: { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
  date: { type: 'string' },
};

/** The parameters of a resource's list beyond the specification, as the reference describes them. */
export function recordQueryMembers(resource: Resource): readonly CallMember[] {
  const members = filterable(resource);
  const names = [...members.keys()];
  const own: readonly CallMember[] = [
    { name: 'search', schema: { ...SCHEMAS.text, description: 'Only records with this text in one of their texts.' } },
    {
      name: 'sort',
      schema: {
        ...{ type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
        description: 'The order, after a - the other way round; the list then has at most 1,000 records.',
      },
    },
    {
      name: 'since',
      schema: { ...SCHEMAS.date, description: 'Only records that were added or changed since this date.' },
    },
    {
      name: 'total',
      schema: { ...SCHEMAS.boolean, description: 'With true, `total` is the number of all that match.' },
    },
  ];
  const filters = [...members].map(([name, kind]): CallMember => {
    return { name, schema: { ...SCHEMAS[kind], description: `Only records with this ${name}.` } };
  });
  return [...own, ...filters];
}
