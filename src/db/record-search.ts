import { type RawBuilder, sql } from 'kysely';
import type { PlatformStore } from '../model/platform-store.ts';
import type { RecordQuery } from '../model/record-query.ts';
import type { Resource, Value } from '../model/resource.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createToRecord, selectRecords } from './resource-columns.ts';
import type { Queries } from './tables.ts';

/** The texts of a record that a search looks through. */
const searchedOf = ({ members }: Resource): readonly string[] =>
  members.filter(({ kind }) => kind === 'text' || kind === 'reference' || kind === 'unset').map(({ name }) => name);

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The forms of a searched text. The databases agree on the case of ASCII letters only. So a text with other letters is also
 * looked for in small letters, in capitals, and with a capital at the start of each word.
 */
function formsOf(text: string): readonly string[] {
  const exact = text.normalize('NFC').trim();
  const small = exact.toLowerCase();
  const titled = small.replaceAll(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([exact, small, exact.toUpperCase(), titled].map(lowerAscii))];
}

/** Lists of records by a search, filters and an order. Both databases find and order the same. */
export function createRecordSearch(db: Queries, kind: DatabaseConnection['kind']): Pick<PlatformStore, 'search'> {
  const isSqlite = kind === 'sqlite';
  /** A text as both databases compare it: by its bytes, without the case of ASCII letters. */
  const toText = (name: string) =>
    isSqlite ? sql`lower(${sql.ref(name)})` : sql`lower(${sql.ref(name)}::text collate "C")`;
  const contains = (name: string, part: string) =>
    isSqlite ? sql`instr(${toText(name)}, ${part}) > 0` : sql`strpos(${toText(name)}, ${part}) > 0`;

  const conditionsOf = (resource: Resource, { search = '', where = {}, since }: RecordQuery) => {
    const conditions: RawBuilder<unknown>[] = [];
    if (search.trim() !== '') {
      const each = searchedOf(resource).flatMap((name) => formsOf(search).map((part) => contains(name, part)));
      conditions.push(sql`(${sql.join(each, sql` or `)})`);
    }
    for (const [name, value] of Object.entries(where))
      conditions.push(sql`${sql.ref(name)} = ${typeof value === 'boolean' ? Number(value) : value}`);
    if (since !== undefined)
      conditions.push(sql`coalesce(${sql.ref('UpdateDate')}, ${sql.ref('CreateDate')}) >= ${since}`);
    return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  };

  const orderOf = ({ members, idMember }: Resource, { sort }: RecordQuery) => {
    const direction = sort?.isDescending ? sql` desc` : sql``;
    const id = sql`${sql.ref(idMember)}${direction}`;
    if (sort === undefined) return id;
    const member = members.find(({ name }) => name === sort.member);
    const isText = member !== undefined ? member.kind !== 'boolean' : /(?:Date|IP)$/.test(sort.member);
    const value = isText ? toText(sort.member) : sql.ref(sort.member);
    // What has never been set comes last.
    return sql`${sql.ref(sort.member)} is null, ${value}${direction}, ${id}`;
  };

  return {
    search: async (resource, query) => {
      const from = sql`from (${selectRecords(resource)}) as record ${conditionsOf(resource, query)}`;
      const { rows } = await sql<Record<string, Value>>`
        select * ${from} order by ${orderOf(resource, query)} limit ${query.limit} offset ${query.offset}`.execute(db);
      const counted = await sql<{ total: number | string }>`select count(*) as total ${from}`.execute(db);
      return { items: rows.map(createToRecord(resource)), total: Number(counted.rows[0]?.total ?? 0) };
    },
  };
}
