import { MAX_INTEGER } from '../model/resource.ts';
import { INTEGER, type Json, type Member } from './call.ts';
import { checkDigits } from './check-value.ts';

/** The most records of one page. */
export const MAX_LIMIT = 1_000;

const numberOf = (least: number, most: number, description: string): Member<number> => ({
  schema: { type: 'integer', minimum: least, maximum: most, description },
  codes: [1003, 1011],
  read: (text, name) => checkDigits(String(text), name, least, most),
});

/** Which part of a list is asked for. */
export const PAGE_MEMBERS = {
  limit: numberOf(1, MAX_LIMIT, 'The maximum number of records; `next` in the answer is the next `after`.'),
  after: numberOf(0, MAX_INTEGER, 'Only records that follow the one with this id.'),
} as const;

/** The data of a list: a page of items, of which one more than `limit` was read, and the next `after` if there is one. */
export function toPage<Id extends string, Item extends { readonly [name in Id]: number }>(
  read: readonly Item[],
  limit: number,
  idMember: Id,
): { readonly items: readonly Item[]; readonly next?: number | undefined } {
  if (read.length <= limit) return { items: read };
  const items = read.slice(0, limit);
  return { items, next: items.at(-1)?.[idMember] };
}

/** The schema of such data. */
export const pageSchema = (item: Json): Json => ({
  type: 'object',
  properties: {
    items: { type: 'array', items: item },
    next: { ...INTEGER, description: 'The next `after`; absent on the last page.' },
  },
  required: ['items'],
});
