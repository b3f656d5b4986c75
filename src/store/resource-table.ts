import { type RawBuilder, sql } from 'kysely';
import type { KeyValues, PlatformStore, RecordUpdate, Values, Written } from '../platform/model/platform-store.ts';
import type { Author, IdempotentAdd } from '../platform/model/records.ts';
import type { Member, Resource, Value } from '../platform/model/resource.ts';
import { queueNotesOfUpdate } from './account-notes.ts';
import { endInvitation, endLinks } from './accounts.ts';
import { revokeKeysOf } from './api-keys.ts';
import { addAuditEvent, auditChanges } from './audit-events.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { fillIdempotencyKey, takeIdempotencyKey } from './idempotency-keys.ts';
import type { InTransaction } from './in-transaction.ts';
import { createToRecord, findDuplicate, selectRecords, toCells } from './resource-columns.ts';
import { type Cell, createRunInTransaction, PLACEHOLDER, type Queries, type RunCompiled } from './tables.ts';

const columnOf = (resource: Resource, name: string): string => {
  const member = resource.members.find((candidate) => candidate.name === name);
  if (member === undefined) throw new Error(`${resource.name} has no member ${name}`);
  return member.kind === 'text' && member.key !== undefined ? member.key.column : member.column;
};

const whereKey = (resource: Resource, key: KeyValues): RawBuilder<unknown> =>
  sql.join(
    Object.entries(key).map(([name, value]) => sql`${sql.ref(columnOf(resource, name))} = ${value}`),
    sql` and `,
  );

const isEmail = (member: Member): boolean => member.kind === 'text' && member.format === 'email';

type Table = Pick<PlatformStore, 'list' | 'find' | 'listVersion' | 'findByKey' | 'add' | 'update'>;

/** Lets one transaction at a time take a record of the table out of use, also of other processes. */
export async function holdLastInUse(
  transaction: Queries,
  kind: DatabaseConnection['kind'],
  table: string,
): Promise<void> {
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(hashtext(${table}))`.execute(transaction);
}

/** The tables of the declared resources. */
export function createResourceTables(
  db: Queries,
  kind: DatabaseConnection['kind'],
  inTransaction: InTransaction,
  runCompiled: RunCompiled,
): Table {
  const runInTransaction = createRunInTransaction(db);
  const compiled = new Map<Resource, ReturnType<typeof compile>>();
  const compile = (resource: Resource) => {
    const { table, members } = resource;
    const id = sql.ref(`${table}.id`);
    const select = selectRecords(resource);
    const shown = [table, ...members.flatMap((member) => (member.kind === 'reference' ? [member.to.table] : []))];
    return {
      shown: new Set(shown),
      versions: sql<{ list: string; version: string }>`
        select list, version from list_version where list in (${sql.join(shown)}) order by list, shard`.compile(db),
      page: sql<
        Record<string, Value>
      >`${select} where ${id} > ${PLACEHOLDER} order by ${id} limit ${PLACEHOLDER}`.compile(db),
      one: sql<Record<string, Value>>`${select} where ${id} = ${PLACEHOLDER}`.compile(db),
      toRecord: createToRecord(resource),
    };
  };
  const queriesOf = (resource: Resource) => {
    const known = compiled.get(resource) ?? compile(resource);
    compiled.set(resource, known);
    return known;
  };

  /** Is this the last active user? */
  const isLastInUse = async (
    transaction: Queries,
    { table }: Resource,
    column: string,
    id: number,
  ): Promise<boolean> => {
    await holdLastInUse(transaction, kind, table);
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where ${sql.ref(column)} = 1 and id <> ${id} limit 1`.execute(transaction);
    return rows.length === 0;
  };

  const insertRow = (
    resource: Resource,
    values: Values,
    author: Author,
    once: IdempotentAdd | undefined,
  ): Promise<Written> =>
    inTransaction(async (transaction) => {
      const used = once && (await takeIdempotencyKey(transaction, once, author.at));
      if (used !== undefined) return { ok: false, why: 'used-key', used };
      const stamps = { create_by: author.statedBy, create_date: author.at, create_ip: author.ip };
      const cells = toCells(resource, values);
      const all: Readonly<Record<string, Cell>> = { ...cells, ...stamps };
      const columns = Object.keys(all);
      const rows = await runInTransaction(
        transaction,
        `${resource.table} ${columns}`,
        () => sql<{ id: number }>`
          insert into ${sql.table(resource.table)} (${sql.join(columns.map((column) => sql.id(column)))})
          values (${sql.join(columns.map(() => PLACEHOLDER))}) returning id`,
        Object.values(all),
      );
      const recordId = rows[0]?.id ?? 0;
      if (once !== undefined) await fillIdempotencyKey(transaction, once, recordId);
      const changes = await auditChanges(transaction, resource, cells, undefined);
      addAuditEvent(transaction, author, {
        action: 'add',
        resource: resource.name,
        recordId,
        changes,
      });
      return { ok: true, id: recordId };
    });

  const updateRow = ({ resource, id, values, author, key = {}, isKnown, hasNotes }: RecordUpdate): Promise<Written> =>
    inTransaction(async (transaction) => {
      const { table, flag, members } = resource;
      const lock = kind === 'postgres' ? sql` for no key update` : sql``;
      const condition = sql.join(
        [sql`id = ${id}`, ...(Object.keys(key).length > 0 ? [whereKey(resource, key)] : [])],
        sql` and `,
      );
      const read = async () =>
        (
          await sql<Record<string, Cell>>`select * from ${sql.table(table)} where ${condition}${lock}`.execute(
            transaction,
          )
        ).rows[0];
      const cells: Record<string, Cell> = toCells(resource, values);
      // Only for admin users: the flag of the other resources means deleted, and none of them has to stay.
      const endsUse = !flag.outOfUse && values[flag.member] === flag.outOfUse;
      if (endsUse && (await isLastInUse(transaction, resource, columnOf(resource, flag.member), id))) {
        return { ok: false, why: (await read()) === undefined ? 'missing' : 'last-active' };
      }
      const before = await read();
      if (before === undefined) return { ok: false, why: 'missing' };
      if (isKnown !== undefined) {
        const { one, toRecord } = queriesOf(resource);
        const { rows } = await transaction.executeQuery<Record<string, Value>>({ ...one, parameters: [id] });
        const record = toRecord(rows[0] ?? {});
        if (!isKnown(record)) return { ok: false, why: 'changed', record };
      }
      const changes = await auditChanges(transaction, resource, cells, before);
      const password = members.find((member) => member.kind === 'password');
      // Tokens end with the password and with the user's activity. Activating the user does not restore them.
      const endsTokens = endsUse && changes[flag.member] !== undefined;
      if (password !== undefined && (changes[password.name] !== undefined || endsTokens))
        cells.password_version = Number(before.password_version) + 1;
      if (hasNotes === true) await queueNotesOfUpdate(transaction, { id, before, changes, author });
      const stamps = { update_by: author.statedBy, update_date: author.at, update_ip: author.ip };
      const sets = Object.entries({ ...cells, ...stamps }).map(([column, cell]) => sql`${sql.id(column)} = ${cell}`);
      await sql`update ${sql.table(table)} set ${sql.join(sets)} where id = ${id}`.execute(transaction);
      addAuditEvent(transaction, author, {
        action: 'update',
        resource: resource.name,
        recordId: id,
        changes,
      });
      if (password !== undefined && endsTokens) await revokeKeysOf(transaction, id, author);
      // Whoever says that a user stays inactive takes an invitation back.
      if (password !== undefined && endsUse) await endInvitation(transaction, id);
      // A link that went to an address works no longer than the address.
      if (members.some((member) => isEmail(member) && changes[member.name] !== undefined))
        await endLinks(transaction, id);
      return { ok: true, id };
    });

  const orDuplicate = async (resource: Resource, write: Promise<Written>): Promise<Written> => {
    try {
      return await write;
    } catch (error) {
      const member = findDuplicate(resource, error);
      if (member === undefined) throw error;
      return { ok: false, why: 'duplicate', member };
    }
  };

  return {
    list: async (resource, after, limit) => {
      const { page, toRecord } = queriesOf(resource);
      return (await runCompiled(page, [after, limit])).map(toRecord);
    },
    find: async (resource, id) => {
      const { one, toRecord } = queriesOf(resource);
      const [row] = await runCompiled(one, [id]);
      return row && toRecord(row);
    },
    listVersion: async (resource) => {
      const { versions, shown } = queriesOf(resource);
      const rows = await runCompiled(versions, [...versions.parameters] as Cell[]);
      const isKept = new Set(rows.map(({ list }) => list)).size === shown.size;
      return isKept ? rows.map(({ version }) => version).join(' ') : undefined;
    },
    findByKey: async (resource, key) => {
      const flag = columnOf(resource, resource.flag.member);
      const { rows } = await sql<{ id: number; flag: number }>`
        select id, ${sql.ref(flag)} as flag from ${sql.table(resource.table)} where ${whereKey(resource, key)}`.execute(
        db,
      );
      const [row] = rows;
      return row && { id: row.id, isInUse: (row.flag === 1) !== resource.flag.outOfUse };
    },
    add: (resource, values, author, once) => orDuplicate(resource, insertRow(resource, values, author, once)),
    update: (update) => orDuplicate(update.resource, updateRow(update)),
  };
}
