import { DAY_MS, HOUR_MS, toIso } from '../lib/duration.ts';
import { inSlices } from '../lib/values.ts';
import type {
  HistoryQuery,
  HistoryStore,
  PaceRow,
  Retention,
  StepsRow,
  StoredChange,
  UptimeRow,
} from '../model/history.ts';
import type { Component } from '../model/target.ts';
import type { PlainSql } from './run-sql.ts';
import { type Cell, joinSql, listSql, type Run, rawSql, rowsSql, type Sql, sql } from './sql.ts';

/** A number of rows that fits one statement of either database, and that SQLite writes in a few milliseconds. */
const ROWS_AT_ONCE = 200;

/** Statements that write all rows, some at once. */
const slices = <T>(
  rows: readonly T[],
  toCells: (row: T) => readonly Cell[],
  write: (values: Sql) => Sql,
): readonly Sql[] => inSlices(rows, ROWS_AT_ONCE).map((slice) => write(rowsSql(slice.map(toCells))));

/** How many changes are looked at for deletion at once. The oldest have the lowest ids. */
const CHANGES_AT_ONCE = 1_000;

async function trimChanges(run: Run, { changes, most }: Retention): Promise<boolean> {
  const [newest] = await run<{ id: number }>(sql`select id from history_change order by id desc limit 1`);
  const deleted = await run(sql`
    delete from history_change where id in (
      select id from (select id, at from history_change order by id limit ${CHANGES_AT_ONCE}) as oldest
      where at < ${toIso(changes)} or id <= ${(newest?.id ?? 0) - most}
    ) returning id`);
  return deleted.length === CHANGES_AT_ONCE;
}

/** Deletes what is as old as the oldest row, up to an hour or a day younger; resolves to whether it found any. */
async function trimOldest(run: Run, table: 'pace' | 'uptime', before: number, sliceMs: number): Promise<boolean> {
  const column = rawSql(table === 'pace' ? 'minute' : 'start');
  const ofSpan = table === 'pace' ? sql`1 = 1` : sql`span = ${sliceMs === HOUR_MS ? 'hour' : 'day'}`;
  const [row] = await run<{ oldest: string | null }>(
    sql`select min(${column}) as oldest from ${rawSql(table)} where ${ofSpan}`,
  );
  const oldest = Date.parse(row?.oldest ?? '');
  if (!(oldest < before)) return false;
  const end = toIso(Math.min(before, oldest + sliceMs));
  await run(sql`delete from ${rawSql(table)} where ${ofSpan} and ${column} < ${end}`);
  return true;
}

/** Whether a row is of one of some subnets; of none it is none. */
const ofSubnets = (subnets: readonly string[] | undefined): Sql =>
  subnets === undefined ? sql`1 = 1` : subnets.length === 0 ? sql`1 = 0` : sql`subnet in (${listSql(subnets)})`;

/** The conditions that a query has, all of which a row must meet. */
function matching(
  { subnet, subnets, name, from, to }: Omit<HistoryQuery, 'limit'>,
  at: Sql,
  always: Sql,
  more: readonly Sql[],
): Sql {
  const conditions = [
    always,
    ...(subnet === undefined ? [] : [sql`subnet = ${subnet}`]),
    ...(subnets === undefined ? [] : [ofSubnets(subnets)]),
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(from === undefined ? [] : [sql`${at} >= ${toIso(from)}`]),
    ...(to === undefined ? [] : [sql`${at} < ${toIso(to)}`]),
    ...more,
  ];
  return joinSql(conditions, ' and ');
}

/** Reads the uptimes of days. */
async function readDays(run: Run, instance: string, query: HistoryQuery): Promise<readonly UptimeRow[]> {
  const own = sql`instance = ${instance} and span = 'day'`;
  const rows = await run<Omit<UptimeRow, 'start'> & { readonly start: string }>(sql`
    select subnet, component, name, span, start, ok, fail, unseen, planned from uptime
    where ${matching(query, rawSql('start'), own, [])}
    order by subnet, component, name, start limit ${query.limit}`);
  return rows.map((row) => ({ ...row, start: Date.parse(row.start) }));
}

/** A change as the database has it. */
interface ChangeRow extends Omit<StoredChange, 'at' | 'component' | 'name'> {
  readonly at: string;
  readonly component: Component | null;
  readonly name: string | null;
}

/** Reads changes, the newest first. */
async function readChanges(
  run: Run,
  instance: string,
  { before, limit, ...query }: Parameters<HistoryStore['changes']>[0],
): Promise<readonly StoredChange[]> {
  const at = before === undefined ? '' : toIso(before.at);
  const older = before === undefined ? [] : [sql`at <= ${at} and (at < ${at} or id < ${before.id})`];
  const rows = await run<ChangeRow>(sql`
    select id, at, subnet, component, name, kind, what, old_state as "was", new_state as "is", reason from history_change
    where ${matching(query, rawSql('at'), sql`instance = ${instance}`, older)}
    order by at desc, id desc limit ${limit}`);
  return rows.map((row) => ({
    ...row,
    at: Date.parse(row.at),
    component: row.component ?? undefined,
    name: row.name ?? undefined,
  }));
}

/** The history of the instance of subnetd with this name. */
export function createHistoryTables({ run, scan, inTransaction }: PlainSql, instance: string): HistoryStore {
  const writeAll = (statements: readonly Sql[]) =>
    inTransaction(async (transaction) => {
      for (const statement of statements) await transaction(statement);
    });
  return {
    addTimes: (uptimes) =>
      writeAll(
        slices(
          uptimes,
          ({ subnet, component, name, span, start, ok, fail, unseen, planned }) => [
            ...[instance, subnet, component, name, span, toIso(start)],
            ...[ok, fail, unseen, planned],
          ],
          (values) => sql`
            insert into uptime (instance, subnet, component, name, span, start, ok, fail, unseen, planned) values ${values}
            on conflict (instance, subnet, component, name, span, start) do update set
              ok = uptime.ok + excluded.ok, fail = uptime.fail + excluded.fail,
              unseen = uptime.unseen + excluded.unseen, planned = uptime.planned + excluded.planned`,
        ),
      ),
    addMinutes: (minutes) =>
      writeAll(
        slices(
          minutes,
          ({ subnet, at, blocks, gap = null }) => [instance, subnet, toIso(at), blocks, gap],
          (values) => sql`
            insert into pace (instance, subnet, minute, blocks, gap) values ${values}
            on conflict (instance, subnet, minute) do update set blocks = excluded.blocks, gap = excluded.gap`,
        ),
      ),
    addChanges: (changes) =>
      writeAll(
        slices(
          changes,
          ({ at, subnet, component = null, name = null, kind, what, was, is, reason }) => [
            ...[instance, toIso(at), subnet, component, name],
            ...[kind, what, was, is, reason],
          ],
          (values) => sql`
            insert into history_change
              (instance, at, subnet, component, name, kind, what, old_state, new_state, reason) values ${values}`,
        ),
      ),
    putSteps: (rows) =>
      writeAll(
        slices(
          rows,
          ({ subnet, component, name, newest, cells }) => [instance, subnet, component, name, toIso(newest), cells],
          (values) => sql`
            insert into steps (instance, subnet, component, name, newest, cells) values ${values}
            on conflict (instance, subnet, component, name) do update set
              newest = excluded.newest, cells = excluded.cells`,
        ),
      ),
    steps: async (subnets) => {
      const rows = await run<Omit<StepsRow, 'newest'> & { readonly newest: string }>(sql`
        select subnet, component, name, newest, cells from steps where instance = ${instance} and ${ofSubnets(subnets)}`);
      return rows.map((row) => ({ ...row, newest: Date.parse(row.newest) }));
    },
    uptimesAt: async (span, start, subnets) => {
      const rows = await run<Omit<UptimeRow, 'start'>>(sql`
        select subnet, component, name, span, ok, fail, unseen, planned from uptime
        where span = ${span} and start = ${toIso(start)} and instance = ${instance} and ${ofSubnets(subnets)}`);
      return rows.map((row) => ({ ...row, start }));
    },
    minutesFrom: async (from, subnets) => {
      const rows = await run<{ subnet: string; minute: string; blocks: number; gap: number | null }>(sql`
        select subnet, minute, blocks, gap from pace
        where minute >= ${toIso(from)} and instance = ${instance} and ${ofSubnets(subnets)} order by minute`);
      return rows.map(
        ({ subnet, minute, blocks, gap }): PaceRow => ({
          subnet,
          at: Date.parse(minute),
          blocks,
          ...(gap !== null && { gap }),
        }),
      );
    },
    // The newest of all are found by an index, also at a start, when no thread should run for them.
    changes: (query) =>
      readChanges(query.subnet === undefined && query.name === undefined ? run : scan, instance, query),
    days: (query) => readDays(scan, instance, query),
    trim: (keep) =>
      inTransaction(async (transaction) => {
        await transaction(sql`delete from steps where newest < ${toIso(keep.steps)}`);
        const found = [
          await trimChanges(transaction, keep),
          await trimOldest(transaction, 'uptime', keep.hours, HOUR_MS),
          await trimOldest(transaction, 'uptime', keep.days, DAY_MS),
          await trimOldest(transaction, 'pace', keep.minutes, HOUR_MS),
        ];
        return found.includes(true);
      }),
  };
}
