import { toIso } from '../lib/duration.ts';
import { isRecord, parseJson } from '../lib/values.ts';
import type {
  Capsule,
  Incident,
  IncidentQuery,
  IncidentRecord,
  IncidentStore,
  IncidentTimeline,
} from '../model/incident.ts';
import type { Acknowledgement } from '../model/problem.ts';
import type { PlainSql } from './run-sql.ts';
import { insertSql, joinSql, listSql, type Run, rawSql, type Sql, sql } from './sql.ts';

type PartKind = 'capsule' | 'timeline' | 'acknowledged';

/** How many incidents are deleted at once, with all that belongs to them. */
const ENDED_AT_ONCE = 100;

/** Undefined if it is not a JSON object: one bad row does not hide the others. */
function parse<T>(text = ''): T | undefined {
  const value = parseJson(text);
  return isRecord(value) ? (value as T) : undefined;
}

const toIncidents = (rows: readonly { readonly value: string }[]): readonly Incident[] =>
  rows.flatMap(({ value }) => parse<Incident>(value) ?? []);

async function list(run: Run, instance: string, query: IncidentQuery): Promise<readonly Incident[]> {
  const { onlyGrave, ids, subnets, before, limit } = query;
  if (ids?.length === 0 || subnets?.length === 0) return [];
  const conditions: Sql[] = [sql`instance = ${instance}`];
  for (const name of ['subnet', 'problem', 'alert', 'component', 'name'] as const)
    if (query[name] !== undefined) conditions.push(sql`${rawSql(name)} = ${query[name]}`);
  if (ids !== undefined) conditions.push(sql`id in (${listSql(ids)})`);
  if (subnets !== undefined) conditions.push(sql`subnet in (${listSql(subnets)})`);
  if (onlyGrave) conditions.push(sql`severity <> 'info'`);
  if (before !== undefined) {
    const at = toIso(before.startedAt);
    const isOlder = sql`(started_at < ${at} or (started_at = ${at} and id < ${before.id}))`;
    conditions.push(
      before.endedAt === undefined
        ? sql`(ended_at is not null or ${isOlder})`
        : sql`ended_at is not null and ${isOlder}`,
    );
  }
  const rows = await run<{ value: string }>(sql`
    select value from incident where ${joinSql(conditions, ' and ')}
    order by case when ended_at is null then 0 else 1 end, started_at desc, id desc limit ${limit}`);
  return toIncidents(rows);
}

async function read(run: Run, instance: string, id: string): Promise<IncidentRecord | undefined> {
  const own = sql`instance = ${instance} and id = ${id}`;
  const rows = await run<{ value: string }>(sql`select value from incident where ${own}`);
  const [incident] = toIncidents(rows);
  if (incident === undefined) return undefined;
  const parts = await run<{ kind: string; value: string }>(sql`
    select kind, value from incident_part where ${own}`);
  const notes = await run<{ at: string; author: string; text: string }>(sql`
    select at, author, text from incident_note where ${own} order by number`);
  const part = <T>(kind: string) => parse<T>(parts.find((one) => one.kind === kind)?.value);
  const capsule = part<Capsule>('capsule');
  const timeline = part<IncidentTimeline>('timeline');
  const acknowledged = part<Acknowledgement>('acknowledged');
  return {
    incident,
    ...(capsule && { capsule }),
    ...(timeline && { timeline }),
    ...(acknowledged && { acknowledged }),
    notes: notes.map(({ at, author, text }) => ({ at: Date.parse(at), author, text })),
  };
}

/** Deletes the oldest of all instances that ended before, or that are too many. */
async function trimEnded(run: Run, endedBefore: number, most: number): Promise<boolean> {
  const rows = await run<{ instance: string; id: string }>(sql`
    select instance, id from (
      select instance, id, ended_at from incident where ended_at is not null
      order by ended_at desc limit ${ENDED_AT_ONCE * 1_000} offset ${most}
    ) as beyond
    union
    select instance, id from incident where ended_at < ${toIso(endedBefore)}
    limit ${ENDED_AT_ONCE}`);
  for (const { instance, id } of rows)
    for (const table of ['incident_note', 'incident_part', 'incident'])
      await run(sql`delete from ${rawSql(table)} where instance = ${instance} and id = ${id}`);
  return rows.length === ENDED_AT_ONCE;
}

/** Deletes the capsules, or the timelines, of the oldest incidents that are too many. */
async function trimParts(run: Run, kind: PartKind, most: number): Promise<boolean> {
  const rows = await run<{ instance: string; id: string }>(sql`
    select instance, id from incident_part where kind = ${kind} and id < (
      select id from incident_part where kind = ${kind} order by id desc limit 1 offset ${most - 1}
    ) limit ${ENDED_AT_ONCE}`);
  for (const { instance, id } of rows)
    await run(sql`delete from incident_part where instance = ${instance} and id = ${id} and kind = ${kind}`);
  return rows.length === ENDED_AT_ONCE;
}

/** The incidents of the instance of subnetd with this name. */
export function createIncidentTables({ run, inTransaction }: PlainSql, instance: string): IncidentStore {
  const savePart = (
    id: string,
    kind: PartKind,
    value: Capsule | IncidentTimeline | Acknowledgement,
    onConflict = 'do update set value = excluded.value',
  ) =>
    inTransaction(async (transaction) => {
      const cells = { instance, id, kind, value: JSON.stringify(value) };
      await transaction(insertSql('incident_part', cells, `on conflict (instance, id, kind) ${onConflict}`));
    });
  return {
    save: (incidents) =>
      inTransaction(async (transaction) => {
        for (const one of incidents) {
          const { id, subnet, problem, alert, component = null, name = null, severity, startedAt, endedAt } = one;
          const cells = {
            ...{ instance, id, subnet, problem, alert, component, name, severity, started_at: toIso(startedAt) },
            ...{ ended_at: endedAt === undefined ? null : toIso(endedAt), value: JSON.stringify(one) },
          };
          const update = `on conflict (instance, id) do update set severity = excluded.severity,
            started_at = excluded.started_at, ended_at = excluded.ended_at, value = excluded.value`;
          await transaction(insertSql('incident', cells, update));
        }
      }),
    saveCapsule: (id, capsule) => savePart(id, 'capsule', capsule),
    saveTimeline: (id, timeline) => savePart(id, 'timeline', timeline),
    addNote: (id, { at, author, text }) =>
      inTransaction(async (transaction) => {
        const cells = { instance, id, at: toIso(at), author, text: text.replaceAll('\0', '') };
        await transaction(insertSql('incident_note', cells));
      }),
    acknowledge: (id, by) => savePart(id, 'acknowledged', by, 'do nothing'),
    acknowledgements: async () => {
      const rows = await run<{ id: string; value: string }>(sql`
        select id, value from incident_part where instance = ${instance} and kind = 'acknowledged' and id in (
          select id from incident where instance = ${instance} and ended_at is null
        )`);
      return new Map(
        rows.flatMap(({ id, value }) => {
          const one = parse<Acknowledgement>(value);
          return one === undefined ? [] : [[id, one] as const];
        }),
      );
    },
    list: (query) => list(run, instance, query),
    read: (id) => read(run, instance, id),
    trim: ({ endedBefore, most, mostParts }) =>
      inTransaction(async (transaction) => {
        const found = [
          await trimEnded(transaction, endedBefore, most),
          await trimParts(transaction, 'capsule', mostParts),
          await trimParts(transaction, 'timeline', mostParts),
        ];
        return found.includes(true);
      }),
  };
}
