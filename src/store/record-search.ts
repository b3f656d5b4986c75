import type { PlatformStore } from '../platform/model/platform-store.ts';
import type { RecordQuery } from '../platform/model/records.ts';
import { type Resource, toNameKey, type Value } from '../platform/model/resource.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createToRecord, selectRecords } from './resource-columns.ts';
import { joinSql, nameSql, type Run, type Sql, sql } from './sql.ts';

/** The texts of a record that a search looks through. */
const searchedOf = ({ members }: Resource): readonly string[] =>
  members.filter(({ kind }) => kind === 'text' || kind === 'reference' || kind === 'unset').map(({ name }) => name);

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The forms of a searched text. The databases agree on the case of ASCII letters only. So a text with other letters is also
 * looked for in small letters, in capitals, and with a capital at the start of each word.
 */
function formsOf(text: string): readonly string[] {
  const exact = toNameKey(text);
  const small = exact.toLowerCase();
  const titled = small.replaceAll(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([exact, small, exact.toUpperCase(), titled].map(lowerAscii))];
}

/** Lists of records by a search, filters and an order. Both databases find and order the same. */
export function createRecordSearch(run: Run, kind: DatabaseConnection['kind']): Pick<PlatformStore, 'search'> {
  const isSqlite = kind === 'sqlite';
  /** A text as both databases compare it: by its bytes, without the case of ASCII letters. */
  const toText = (name: string) =>
    isSqlite ? sql`lower(${nameSql(name)})` : sql`lower(${nameSql(name)}::text collate "C")`;
  const contains = (name: string, part: string) =>
    isSqlite ? sql`instr(${toText(name)}, ${part}) > 0` : sql`strpos(${toText(name)}, ${part}) > 0`;

  const conditionsOf = (resource: Resource, { search = '', where = {}, since }: RecordQuery) => {
    const conditions: Sql[] = [];
    if (search.trim() !== '') {
      const each = searchedOf(resource).flatMap((name) => formsOf(search).map((part) => contains(name, part)));
      conditions.push(sql`(${joinSql(each, ' or ')})`);
    }
    for (const [name, value] of Object.entries(where)) {
      const member = resource.members.find((one) => one.name === name);
      if (member?.kind === 'text' && member.key?.ignoresCase)
        conditions.push(sql`${toText(name)} = ${lowerAscii(String(value))}`);
      else conditions.push(sql`${nameSql(name)} = ${typeof value === 'boolean' ? Number(value) : value}`);
    }
    if (since !== undefined)
      conditions.push(sql`coalesce(${nameSql('UpdateDate')}, ${nameSql('CreateDate')}) >= ${since}`);
    return conditions;
  };

  /** What a list is sorted by, besides the id. */
  const sortedBy = ({ members }: Resource, member: string): ((table: string) => Sql) => {
    const declared = members.find(({ name }) => name === member);
    const isText = declared !== undefined ? declared.kind !== 'boolean' : /(?:Date|IP)$/.test(member);
    return (table) => (isText ? toText(`${table}.${member}`) : nameSql(`${table}.${member}`));
  };

  const orderOf = (resource: Resource, { sort }: RecordQuery) => {
    const direction = sort?.isDescending ? sql` desc` : sql``;
    const id = sql`${nameSql(`record.${resource.idMember}`)}${direction}`;
    if (sort === undefined) return id;
    const value = sortedBy(resource, sort.member)('record');
    // What has never been set comes last.
    return sql`${nameSql(`record.${sort.member}`)} is null, ${value}${direction}, ${id}`;
  };

  /** Whether a record follows the one with the id `after`, in the order of `orderOf`. */
  const followsOf = (resource: Resource, { sort }: RecordQuery, after: number) => {
    const idOf = (table: string) => nameSql(`${table}.${resource.idMember}`);
    const beyond = sort?.isDescending ? sql` < ` : sql` > `;
    if (sort === undefined) return sql`${idOf('record')} > ${after}`;
    const sortValueOf = sortedBy(resource, sort.member);
    const isUnset = (table: string) => sql`${nameSql(`${table}.${sort.member}`)} is null`;
    const isSet = (table: string) => sql`${nameSql(`${table}.${sort.member}`)} is not null`;
    const isBeyond = sql`${sortValueOf('record')}${beyond}${sortValueOf('last')}`;
    const isEqual = sql`(${sortValueOf('record')} = ${sortValueOf('last')} or (${isUnset('record')} and ${isUnset('last')}))`;
    return sql`exists (select 1 from (${selectRecords(resource)}) as last where ${idOf('last')} = ${after} and (
      (${isSet('last')} and (${isUnset('record')} or ${isBeyond}))
      or (${isEqual} and ${idOf('record')}${beyond}${idOf('last')})))`;
  };

  const whereOf = (conditions: readonly Sql[]) =>
    conditions.length === 0 ? sql`` : sql`where ${joinSql(conditions, ' and ')}`;

  /** Where a search stops that looks at no more than `lookAt` records; undefined at the end of the table. */
  const findStop = async ({ table }: Resource, { after = 0, lookAt }: RecordQuery): Promise<number | undefined> => {
    if (lookAt === undefined) return undefined;
    const [row] = await run<{ id: number }>(sql`
      select id from ${nameSql(table)} where id > ${after} order by id limit 1 offset ${lookAt - 1}`);
    return row?.id;
  };

  return {
    search: async (resource, query) => {
      const { after, limit, offset, isUncounted = false } = query;
      const stop = await findStop(resource, query);
      const from = sql`from (${selectRecords(resource)}) as record`;
      const conditions = conditionsOf(resource, query);
      const following = after === undefined ? [] : [followsOf(resource, query, after)];
      if (stop !== undefined) following.push(sql`${nameSql(`record.${resource.idMember}`)} <= ${stop}`);
      const rows = await run<Record<string, Value>>(sql`
        select * ${from} ${whereOf([...conditions, ...following])}
        order by ${orderOf(resource, query)} limit ${limit} offset ${offset}`);
      const items = rows.map(createToRecord(resource));
      const lookedTo = items.length < limit ? stop : undefined;
      if (isUncounted) return { items, total: 0, lookedTo };
      const [counted] = await run<{ total: number | string }>(sql`
        select count(*) as total ${from} ${whereOf(conditions)}`);
      return { items, total: Number(counted?.total ?? 0), lookedTo };
    },
  };
}
