import { type Selectable, sql } from 'kysely';
import type { Erased, Erasure, PlatformStore } from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { revokeKeysOf } from './api-keys.ts';
import { commitTo } from './audit-chain.ts';
import { addAuditEvent } from './audit-events.ts';
import { createErasedDigest, ERASE } from './check-trail.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { InTransaction } from './in-transaction.ts';
import { holdLastInUse } from './resource-table.ts';
import type { Queries, Tables } from './tables.ts';

type Row = Selectable<Tables['audit_event']>;

const PAGE = 500;

/** What a person is called after the erasing. */
const nameOf = (userId: number) => `erased user ${userId}`;

/** The members of audit events that name a person: in events of the user's record, and of the user's keys. */
const PERSONAL: Readonly<Record<string, readonly string[]>> = {
  AdminUser: ['FirstName', 'LastName', 'UserName', 'EmailID'],
  ApiKey: ['Name'],
};

/** What is left of the changes in an audit event. */
function eraseChanges({ resource, is_security, changes }: Row, userId: number, isAbout: boolean): string {
  if (!isAbout) return changes;
  if (is_security === 1) return '{}';
  const members = JSON.parse(changes) as Record<string, { from: unknown; to: unknown }>;
  const erase = (value: unknown) => (value === null ? null : nameOf(userId));
  for (const name of PERSONAL[resource] ?? []) {
    const member = members[name];
    if (member !== undefined) members[name] = { from: erase(member.from), to: erase(member.to) };
  }
  return JSON.stringify(members);
}

/** Overwrites what audit events say of a person. The digest of what was there stays, without its salt. */
async function eraseEvents(transaction: Queries, userId: number): Promise<number> {
  const keys = await transaction.selectFrom('api_key').select('id').where('owner_id', '=', userId).execute();
  const own = new Set(keys.map(({ id }) => id));
  let [erased, after] = [0, 0];
  for (;;) {
    const { rows } = await sql<Row>`
      select * from audit_event where id > ${after} and (
        owner_id = ${userId} or stated_by = ${userId} or (resource = 'AdminUser' and record_id = ${userId})
        or (resource = 'ApiKey' and record_id in (select id from api_key where owner_id = ${userId}))
      ) order by id limit ${PAGE}`.execute(transaction);
    for (const row of rows) {
      const { id, resource, record_id, owner_id, stated_by, is_security } = row;
      const isAbout = resource === 'ApiKey' ? own.has(record_id) : resource === 'AdminUser' && record_id === userId;
      const isBy = owner_id === userId || stated_by === userId || (isAbout && is_security === 1);
      const ip = isBy ? null : row.ip;
      const changes = eraseChanges(row, userId, isAbout || (isBy && is_security === 1));
      if (ip === row.ip && changes === row.changes) continue;
      // Events from before the chain have no salt.
      const commitment = row.salt === null ? row.erased : commitTo(row.salt, row);
      const left = { ip, changes, salt: null, erased: commitment };
      await transaction.updateTable('audit_event').set(left).where('id', '=', id).execute();
      erased += 1;
    }
    if (rows.length < PAGE) return erased;
    after = rows.at(-1)?.id ?? 0;
  }
}

/** Digests what is left of all erased changes. */
async function digestErased(transaction: Queries): Promise<string> {
  const digest = createErasedDigest();
  for (let after = 0; ; ) {
    const rows = await transaction
      .selectFrom('audit_event')
      .select(['id', 'ip', 'changes'])
      .where('erased', 'is not', null)
      .where('is_security', '=', 0)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const row of rows) digest.add(row);
    if (rows.length < PAGE) return digest.value();
    after = rows.at(-1)?.id ?? 0;
  }
}

/** Overwrites the record of a user, and deletes what only serves its sign-ins. */
async function eraseRecord(
  transaction: Queries,
  { userId, passwordHash, tables }: Erasure,
  emailKey: string,
): Promise<void> {
  const name = nameOf(userId);
  const email = `${name.replaceAll(' ', '-')}@erased.invalid`;
  await sql`
    update admin_user set first_name = 'erased', last_name = ${`user ${userId}`}, mobile_no = null, is_active = 0,
      user_name = ${name}, user_name_key = ${toNameKey(name)}, email_id = ${email}, email_id_key = ${email},
      password_hash = ${passwordHash}, password_version = password_version + 1
    where id = ${userId}`.execute(transaction);
  for (const table of tables) {
    await sql`update ${sql.table(table)} set create_ip = null where create_by = ${userId}`.execute(transaction);
    await sql`update ${sql.table(table)} set update_ip = null where update_by = ${userId}`.execute(transaction);
  }
  const key = { name, hint: null, last_used_ip: null };
  await transaction.updateTable('api_key').set(key).where('owner_id', '=', userId).execute();
  await sql`delete from sign_in_failure where address in
    (select address from sign_in_address where user_id = ${userId})`.execute(transaction);
  for (const table of ['portal_session', 'one_time_code', 'recovery_code', 'account_link', 'sign_in_address'] as const)
    await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(transaction);
  await sql`delete from mail where user_id = ${userId} or lower(address) = ${emailKey}`.execute(transaction);
}

/** Erases admin users, all or nothing. Ids and the audit trail stay valid. */
export function createErasures(
  kind: DatabaseConnection['kind'],
  inTrail: InTransaction,
): Pick<PlatformStore, 'eraseUser'> {
  return {
    eraseUser: (erasure, author: Author): Promise<Erased> =>
      inTrail(async (transaction) => {
        const { userId } = erasure;
        // One after the other, as each states the digest of all that is erased.
        await holdLastInUse(transaction, kind, 'admin_user');
        const users = await transaction
          .selectFrom('admin_user')
          .select(['id', 'user_name_key', 'email_id_key', 'is_active'])
          .where((where) =>
            where.or([
              where('id', '=', userId),
              where('is_active', '=', 1),
              where('user_name_key', '=', nameOf(userId)),
            ]),
          )
          .execute();
        const user = users.find(({ id }) => id === userId);
        const others = users.filter(({ id }) => id !== userId);
        if (user === undefined) return { ok: false, why: 'missing' };
        if (!others.some(({ is_active }) => is_active === 1)) return { ok: false, why: 'last-active' };
        if (others.some((other) => other.user_name_key === nameOf(userId))) return { ok: false, why: 'taken' };
        await revokeKeysOf(transaction, userId, author);
        await eraseRecord(transaction, erasure, user.email_id_key);
        const events = await eraseEvents(transaction, userId);
        addAuditEvent(transaction, author, {
          action: ERASE,
          resource: 'AdminUser',
          recordId: userId,
          changes: {
            ...(user.is_active === 1 && { IsActive: { from: true, to: false } }),
            Events: { from: null, to: events },
            Digest: { from: null, to: await digestErased(transaction) },
          },
        });
        return { ok: true, events };
      }),
  };
}
