import { MAX_INTEGER } from '../model/resource.ts';
import type { CallMember, Json } from './call.ts';
import { checkDigits } from './check-value.ts';
import { type Outcome, succeed } from './outcome.ts';

/** The most records of one page. */
export const MAX_LIMIT = 1_000;

/** Reads an integer of the query; undefined when it is absent. */
export function readNumber(
  query: URLSearchParams | undefined,
  name: string,
  least: number,
  most: number,
): Outcome<number | undefined> {
  const text = query?.get(name) ?? undefined;
  return text === undefined ? succeed(undefined) : checkDigits(text, name, least, most);
}

/** Reads `limit` and `after` of a list that has no more than a page. */
export function readPage(
  query: URLSearchParams | undefined,
): Outcome<{ readonly limit: number; readonly after: number }> {
  const limit = readNumber(query, 'limit', 1, MAX_LIMIT);
  if (!limit.ok) return limit;
  const after = readNumber(query, 'after', 0, MAX_INTEGER);
  return after.ok ? succeed({ limit: limit.value ?? MAX_LIMIT, after: after.value ?? 0 }) : after;
}

/** `limit` and `after`, as the reference describes them. */
export const PAGE_MEMBERS: readonly CallMember[] = [
  {
    name: 'limit',
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      description: 'At most so many records; `next` in the answer is the next `after`.',
    },
  },
  {
    name: 'after',
    schema: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_INTEGER,
      description: 'Only records that follow the one with this id.',
    },
  },
];

/** The data of a list: a page of items, of which one more than `limit` was read, and the next `after` if there is one. */
export function toPage<Item extends { readonly [name: string]: unknown }>(
  read: readonly Item[],
  limit: number,
  idMember: string,
): { readonly items: readonly Item[]; readonly next?: unknown } {
  if (read.length <= limit) return { items: read };
  const items = read.slice(0, limit);
  return { items, next: items.at(-1)?.[idMember] };
}

/** The schema of such data. */
export const pageSchema = (item: Json): Json => ({
  type: 'object',
  properties: {
    items: { type: 'array', items: item },
    next: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_INTEGER,
      description: 'The next `after`; absent on the last page.',
    },
  },
  required: ['items'],
});
