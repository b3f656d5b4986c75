import { inSlices, isRecord, parseJson } from '../lib/values.ts';
import type { KeptTable } from '../model/kept.ts';
import type { KeptTurns } from '../model/lag.ts';
import type { LogPosition } from '../model/log.ts';
import type { TrackedAlert, TrackedAlertStore } from '../tell/alerts/tracked-alert.ts';
import type { NotifiedGroup, NotifiedStore } from '../tell/notify/notified-alert.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { PlainSql } from './run-sql.ts';
import { listSql, rowsSql, sql } from './sql.ts';

/** The farthest time that a `Date` can hold, in milliseconds. Another one has no text, so it cannot be sent. */
const MOST_MS = 8.64e15;

const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MOST_MS;
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);
const isDetails = (value: unknown): boolean =>
  isRecord(value) && [value.summary, value.evidence, value.fix].every(isText);
const isPlan = (value: unknown): boolean => isRecord(value) && isText(value.reason) && isTime(value.until);

/** Whether a value of the database is a tracked alert. One that is none would end the judging of all. */
const isTrackedAlert = (value: unknown): value is TrackedAlert =>
  isRecord(value) &&
  isTexts(value.labels) &&
  isTexts(value.annotations) &&
  isOptional(value.details, isDetails) &&
  isOptional(value.planned, isPlan) &&
  ['pending', 'firing', 'resolved'].some((phase) => phase === value.phase) &&
  [value.activeAt, value.seenAt].every(isTime) &&
  [value.firedAt, value.clearSince, value.resolvedAt].every((time) => isOptional(time, isTime)) &&
  typeof value.keepFiringForMs === 'number';

const isNotifiedAlert = (value: unknown): boolean =>
  isRecord(value) &&
  isTexts(value.labels) &&
  isTexts(value.annotations) &&
  isOptional(value.details, isDetails) &&
  isTime(value.startsAt) &&
  [value.seenAt, value.endsAt].every((time) => isOptional(time, isTime));

/** Whether a value of the database is a group of which a channel was notified. */
const isNotifiedGroup = (value: unknown): value is NotifiedGroup =>
  isRecord(value) &&
  [value.channel, value.group, value.thread].every(isText) &&
  isTime(value.sentAt) &&
  isRecord(value.alerts) &&
  Object.values(value.alerts).every(isNotifiedAlert);

/** A number of rows that fits one statement of either database. */
const ROWS_AT_ONCE = 500;

/** Under which names values are kept: those of an instance alone, and those about subnets, which a fleet shares. */
export interface StatePlaces {
  readonly own: string;
  /** The same where an instance runs alone. */
  readonly shared: string;
}

/** The values of one kind. Other instances in the same database have their own. `isOne` recognises a value; an older program may have left others. */
function createInstanceState<T>(
  { run, inTransaction }: PlainSql,
  { own, shared }: StatePlaces,
  kind: 'address' | 'alert' | 'log-position' | 'notified' | 'setting' | 'turns',
  isOne: (value: unknown) => value is T,
  isShared: (value: T) => boolean,
): KeptTable<T> {
  const placeOf = (value: T) => (isShared(value) ? shared : own);
  const isOurs = sql`instance in (${own}, ${shared}) and kind = ${kind}`;
  return {
    read: async () => {
      const rows = await run<{ instance: string; key: string; value: string }>(
        sql`select instance, key, value from instance_state where ${isOurs}`,
      );
      const known = new Map<string, T>();
      for (const { instance, key, value: text } of rows) {
        const value = parseJson(text);
        // One bad row does not hide the others.
        if (isOne(value) && placeOf(value) === instance) known.set(key, value);
      }
      return known;
    },
    write: (changed, gone) => {
      const rows = [...changed].map(([key, value]) => [placeOf(value), kind, key, JSON.stringify(value)]);
      return inTransaction(async (transaction) => {
        for (const keys of inSlices(gone, ROWS_AT_ONCE))
          await transaction(sql`delete from instance_state where ${isOurs} and key in (${listSql(keys)})`);
        for (const slice of inSlices(rows, ROWS_AT_ONCE))
          await transaction(sql`
            insert into instance_state (instance, kind, key, value)
            values ${rowsSql(slice)}
            on conflict (instance, kind, key) do update set value = excluded.value`);
      });
    },
  };
}

const isPosition = (value: unknown): value is LogPosition =>
  isRecord(value) && ['container', 'files'].includes(String(value.kind));

/** How far the instance of subnetd with this name has read its logs. */
export const createLogPositions = (plain: PlainSql, instance: string): KeptTable<LogPosition> =>
  createInstanceState(plain, { own: instance, shared: instance }, 'log-position', isPosition, () => false);

/** By which addresses the nodes sign that the instance of subnetd with this name watches. */
export const createNodeAddresses = (plain: PlainSql, instance: string): KeptTable<string> =>
  createInstanceState(plain, { own: instance, shared: instance }, 'address', isText, () => false);

const isTurns = (value: unknown): value is KeptTurns =>
  isRecord(value) &&
  Object.values(value).every((one) => Array.isArray(one) && one.every((part) => Number.isFinite(part)));

/** How many of their turns the masternodes missed, by the subnets that the instance of subnetd with this name watches. */
export const createTurns = (plain: PlainSql, instance: string): KeptTable<KeptTurns> =>
  createInstanceState(plain, { own: instance, shared: instance }, 'turns', isTurns, () => false);

/** How the settings of subnets were last seen, by the instance of subnetd with this name. */
export const createSettings = (plain: PlainSql, instance: string): KeptTable<string> =>
  createInstanceState(plain, { own: instance, shared: instance }, 'setting', isText, () => false);

/** The alerts that are kept in these places. */
export function createAlerts(
  plain: PlainSql,
  places: StatePlaces,
  kind: DatabaseConnection['kind'],
): TrackedAlertStore {
  const isShared = ({ labels }: TrackedAlert) => labels.subnet !== undefined;
  const { read, write } = createInstanceState(plain, places, 'alert', isTrackedAlert, isShared);
  return {
    load: async () => [...(await read()).values()],
    save: write,
    // Each row has the number of the transaction that wrote it. SQLite has none, and no instance shares its alerts there.
    version: async () => {
      if (kind === 'sqlite') return undefined;
      const rows = await plain.run<{ version: string }>(sql`
        select concat(count(*), ' ', sum(xmin::text::bigint)) as version
        from instance_state where instance = ${places.shared} and kind = 'alert'`);
      return rows[0]?.version;
    },
  };
}

/** What channels were notified of. */
export function createNotifiedGroups(plain: PlainSql, places: StatePlaces): NotifiedStore {
  const { read, write } = createInstanceState(plain, places, 'notified', isNotifiedGroup, ({ group }) => group !== '');
  return { load: async () => [...(await read()).values()], save: write };
}
