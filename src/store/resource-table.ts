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
import { createToRecord, findDuplicate, nameOf, selectRecords, toCells } from './resource-columns.ts';
import {
  type Cell,
  insertId,
  joinSql,
  listSql,
  nameSql,
  PLACEHOLDER,
  type ReadPrepared,
  type Run,
  type Sql,
  setSql,
  sql,
  withCells,
} from './sql.ts';

const columnOf = (resource: Resource, name: string): string => {
  const member = resource.members.find((candidate) => candidate.name === name);
  if (member === undefined) throw new Error(`${resource.name} has no member ${name}`);
  return member.kind === 'text' && member.key !== undefined ? member.key.column : member.column;
};

const whereKey = (resource: Resource, key: KeyValues): Sql =>
  joinSql(
    Object.entries(key).map(([name, value]) => sql`${nameSql(columnOf(resource, name))} = ${value}`),
    ' and ',
  );

const isEmail = (member: Member): boolean => member.kind === 'text' && member.format === 'email';

type Table = Pick<PlatformStore, 'list' | 'find' | 'findNames' | 'listVersion' | 'findByKey' | 'add' | 'update'>;

/** Lets one transaction at a time take a record of the table out of use, also of other processes. */
export async function holdLastInUse(transaction: Run, kind: DatabaseConnection['kind'], table: string): Promise<void> {
  if (kind === 'postgres') await transaction(sql`select pg_advisory_xact_lock(hashtext(${table}))`);
}

/** The tables of the declared resources. */
export function createResourceTables(
  run: Run,
  kind: DatabaseConnection['kind'],
  inTransaction: InTransaction,
  read: ReadPrepared,
): Table {
  const prepared = new Map<Resource, ReturnType<typeof prepare>>();
  const prepare = (resource: Resource) => {
    const { table, members } = resource;
    const id = nameSql(`${table}.id`);
    const select = selectRecords(resource);
    const shown = [table, ...members.flatMap((member) => (member.kind === 'reference' ? [member.to.table] : []))];
    return {
      shown: new Set(shown),
      versions: sql`
        select list, version from list_version where list in (${listSql(shown)}) order by list, shard`,
      page: sql`${select} where ${id} > ${PLACEHOLDER} order by ${id} limit ${PLACEHOLDER}`,
      one: sql`${select} where ${id} = ${PLACEHOLDER}`,
      toRecord: createToRecord(resource),
    };
  };
  const queriesOf = (resource: Resource) => {
    const known = prepared.get(resource) ?? prepare(resource);
    prepared.set(resource, known);
    return known;
  };

  /** Is this the last active user? */
  const isLastInUse = async (transaction: Run, { table }: Resource, column: string, id: number): Promise<boolean> => {
    await holdLastInUse(transaction, kind, table);
    const rows = await transaction(sql`
      select 1 from ${nameSql(table)} where ${nameSql(column)} = 1 and id <> ${id} limit 1`);
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
      const recordId = await insertId(transaction, resource.table, { ...cells, ...stamps });
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
      const condition = joinSql(
        [sql`id = ${id}`, ...(Object.keys(key).length > 0 ? [whereKey(resource, key)] : [])],
        ' and ',
      );
      const readRow = async () =>
        (await transaction<Record<string, Cell>>(sql`select * from ${nameSql(table)} where ${condition}${lock}`))[0];
      const cells: Record<string, Cell> = toCells(resource, values);
      // Only for admin users: the flag of the other resources means deleted, and none of them has to stay.
      const endsUse = !flag.outOfUse && values[flag.member] === flag.outOfUse;
      if (endsUse && (await isLastInUse(transaction, resource, columnOf(resource, flag.member), id))) {
        return { ok: false, why: (await readRow()) === undefined ? 'missing' : 'last-active' };
      }
      const before = await readRow();
      if (before === undefined) return { ok: false, why: 'missing' };
      if (isKnown !== undefined) {
        const { one, toRecord } = queriesOf(resource);
        const [row] = await transaction<Record<string, Value>>(withCells(one, [id]));
        const record = toRecord(row ?? {});
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
      await transaction(sql`update ${nameSql(table)} set ${setSql({ ...cells, ...stamps })} where id = ${id}`);
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
      return (await read<Record<string, Value>>(page, [after, limit])).map(toRecord);
    },
    find: async (resource, id) => {
      const { one, toRecord } = queriesOf(resource);
      const [row] = await read<Record<string, Value>>(one, [id]);
      return row && toRecord(row);
    },
    findNames: async (resource, ids) => {
      if (ids.length === 0) return new Map();
      const rows = await run<{ id: number; name: string }>(sql`
        select id, ${nameSql(nameOf(resource).column)} as name from ${nameSql(resource.table)}
        where id in (${listSql([...new Set(ids)])})`);
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    listVersion: async (resource) => {
      const { versions, shown } = queriesOf(resource);
      const rows = await read<{ list: string; version: string }>(versions, versions.cells);
      const isKept = new Set(rows.map(({ list }) => list)).size === shown.size;
      return isKept ? rows.map(({ version }) => version).join(' ') : undefined;
    },
    findByKey: async (resource, key) => {
      const flag = columnOf(resource, resource.flag.member);
      const [row] = await run<{ id: number; flag: number }>(sql`
        select id, ${nameSql(flag)} as flag from ${nameSql(resource.table)} where ${whereKey(resource, key)}`);
      return row && { id: row.id, isInUse: (row.flag === 1) !== resource.flag.outOfUse };
    },
    add: (resource, values, author, once) => orDuplicate(resource, insertRow(resource, values, author, once)),
    update: (update) => orDuplicate(update.resource, updateRow(update)),
  };
}
