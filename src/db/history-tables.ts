import { sql } from 'kysely';
import type { HistoryQuery, HistoryStore, PaceRow, Retention, StoredChange, UptimeRow } from '../model/history.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** A number of rows that fits one statement of either database, and that SQLite writes in a few milliseconds. */
const ROWS_AT_ONCE = 200;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const toIso = (wallMs: number): string => new Date(wallMs).toISOString();

const slices = <T>(rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, index) =>
    rows.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );

/** How many changes are looked at for deletion at once. The oldest have the lowest ids. */
const CHANGES_AT_ONCE = 1_000;

async function trimChanges(transaction: Queries, { changes, most }: Retention): Promise<boolean> {
  const newest = await transaction
    .selectFrom('history_change')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { numAffectedRows } = await sql`
    delete from history_change where id in (
      select id from (select id, at from history_change order by id limit ${CHANGES_AT_ONCE}) as oldest
      where at < ${toIso(changes)} or id <= ${Number(newest?.id ?? 0) - most}
    )`.execute(transaction);
  return Number(numAffectedRows ?? 0) === CHANGES_AT_ONCE;
}

/** Deletes what is as old as the oldest row, up to an hour or a day younger; resolves to whether it found any. */
async function trimOldest(
  transaction: Queries,
  table: 'pace' | 'uptime',
  before: number,
  sliceMs: number,
): Promise<boolean> {
  const column = sql.ref(table === 'pace' ? 'minute' : 'start');
  const ofSpan = table === 'pace' ? sql`1 = 1` : sql`span = ${sliceMs === HOUR_MS ? 'hour' : 'day'}`;
  const { rows } = await sql<{ oldest: string | null }>`
    select min(${column}) as oldest from ${sql.table(table)} where ${ofSpan}`.execute(transaction);
  const oldest = Date.parse(rows[0]?.oldest ?? '');
  if (!(oldest < before)) return false;
  await sql`delete from ${sql.table(table)}
    where ${ofSpan} and ${column} < ${toIso(Math.min(before, oldest + sliceMs))}`.execute(transaction);
  return true;
}

/** Reads the uptimes of days. */
async function readDays(db: Queries, instance: string, query: HistoryQuery): Promise<readonly UptimeRow[]> {
  let days = db.selectFrom('uptime').selectAll().where('instance', '=', instance).where('span', '=', 'day');
  if (query.subnet !== undefined) days = days.where('subnet', '=', query.subnet);
  if (query.name !== undefined) days = days.where('name', '=', query.name);
  if (query.from !== undefined) days = days.where('start', '>=', toIso(query.from));
  if (query.to !== undefined) days = days.where('start', '<', toIso(query.to));
  const rows = await days
    .orderBy('subnet')
    .orderBy('component')
    .orderBy('name')
    .orderBy('start')
    .limit(query.limit)
    .execute();
  return rows.map(({ instance: _, start, ...row }) => ({ ...row, start: Date.parse(start) }));
}

/** Reads changes, the newest first. */
async function readChanges(
  db: Queries,
  instance: string,
  { subnet, name, from, to, before, limit }: Parameters<HistoryStore['changes']>[0],
): Promise<readonly StoredChange[]> {
  let changes = db.selectFrom('history_change').selectAll().where('instance', '=', instance);
  if (subnet !== undefined) changes = changes.where('subnet', '=', subnet);
  if (name !== undefined) changes = changes.where('name', '=', name);
  if (from !== undefined) changes = changes.where('at', '>=', toIso(from));
  if (to !== undefined) changes = changes.where('at', '<', toIso(to));
  if (before !== undefined) {
    const at = toIso(before.at);
    changes = changes.where('at', '<=', at).where(({ eb, or }) => or([eb('at', '<', at), eb('id', '<', before.id)]));
  }
  const rows = await changes.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id, at, component, name: target, kind, what, old_state, new_state, reason, ...row }) => ({
    id,
    at: Date.parse(at),
    subnet: row.subnet,
    ...(component !== null && { component }),
    ...(target !== null && { name: target }),
    kind,
    what,
    was: old_state,
    is: new_state,
    reason,
  }));
}

/** The history of the instance of subnetd with this name. */
export const createHistoryTables = (db: Queries, inTransaction: InTransaction, instance: string): HistoryStore => ({
  addTimes: (uptimes) =>
    inTransaction(async (transaction) => {
      for (const rows of slices(uptimes))
        await transaction
          .insertInto('uptime')
          .values(
            rows.map(({ subnet, component, name, span, start, ok, fail, unseen, planned }) => ({
              ...{ instance, subnet, component, name, span, start: toIso(start) },
              ...{ ok, fail, unseen, planned },
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['instance', 'subnet', 'component', 'name', 'span', 'start']).doUpdateSet({
              ok: sql`uptime.ok + excluded.ok`,
              fail: sql`uptime.fail + excluded.fail`,
              unseen: sql`uptime.unseen + excluded.unseen`,
              planned: sql`uptime.planned + excluded.planned`,
            }),
          )
          .execute();
    }),
  addMinutes: (minutes) =>
    inTransaction(async (transaction) => {
      for (const rows of slices(minutes))
        await transaction
          .insertInto('pace')
          .values(
            rows.map(({ subnet, at, blocks, gap = null }) => ({ instance, subnet, minute: toIso(at), blocks, gap })),
          )
          .onConflict((conflict) =>
            conflict
              .columns(['instance', 'subnet', 'minute'])
              .doUpdateSet(({ ref }) => ({ blocks: ref('excluded.blocks'), gap: ref('excluded.gap') })),
          )
          .execute();
    }),
  addChanges: (changes) =>
    inTransaction(async (transaction) => {
      for (const rows of slices(changes))
        await transaction
          .insertInto('history_change')
          .values(
            rows.map(({ at, subnet, component = null, name = null, kind, what, was, is, reason }) => ({
              ...{ instance, at: toIso(at), subnet, component, name },
              ...{ kind, what, old_state: was, new_state: is, reason },
            })),
          )
          .execute();
    }),
  uptimesAt: async (span, start) => {
    const rows = await db
      .selectFrom('uptime')
      .selectAll()
      .where('span', '=', span)
      .where('start', '=', toIso(start))
      .where('instance', '=', instance)
      .execute();
    return rows.map(({ instance: _, ...row }) => ({ ...row, start }));
  },
  minutesFrom: async (from) => {
    const rows = await db
      .selectFrom('pace')
      .selectAll()
      .where('minute', '>=', toIso(from))
      .where('instance', '=', instance)
      .orderBy('minute')
      .execute();
    return rows.map(
      ({ subnet, minute, blocks, gap }): PaceRow => ({
        ...{ subnet, at: Date.parse(minute), blocks },
        ...(gap !== null && { gap }),
      }),
    );
  },
  changes: (query) => readChanges(db, instance, query),
  days: (query) => readDays(db, instance, query),
  trim: (keep) =>
    inTransaction(async (transaction) => {
      const found = [
        await trimChanges(transaction, keep),
        await trimOldest(transaction, 'uptime', keep.hours, HOUR_MS),
        await trimOldest(transaction, 'uptime', keep.days, DAY_MS),
        await trimOldest(transaction, 'pace', keep.minutes, HOUR_MS),
      ];
      return found.includes(true);
    }),
});
