import type { Erased, Erasure, PlatformStore } from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { revokeKeysOf } from './api-keys.ts';
import { type AuditRow, commitTo } from './audit-chain.ts';
import { addAuditEvent } from './audit-events.ts';
import { createErasedDigest, ERASE } from './check-trail.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { InTransaction } from './in-transaction.ts';
import { holdLastInUse } from './resource-table.ts';
import { nameSql, type Run, sql } from './sql.ts';

const PAGE = 500;

interface UserRow {
  readonly id: number;
  readonly user_name_key: string;
  readonly email_id_key: string;
  readonly is_active: number;
}

/** What a person is called after the erasing. */
const nameOf = (userId: number) => `erased user ${userId}`;

/** The members of audit events that name a person: in events of the user's record, and of the user's keys. */
const PERSONAL: Readonly<Record<string, readonly string[]>> = {
  AdminUser: ['FirstName', 'LastName', 'UserName', 'EmailID'],
  ApiKey: ['Name', 'AllowedIPs'],
};

/** What is left of the changes in an audit event. */
function eraseChanges({ resource, is_security, changes }: AuditRow, userId: number, isAbout: boolean): string {
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
async function eraseEvents(transaction: Run, userId: number): Promise<number> {
  const keys = await transaction<{ id: number }>(sql`select id from api_key where owner_id = ${userId}`);
  const own = new Set(keys.map(({ id }) => id));
  let [erased, after] = [0, 0];
  for (;;) {
    const rows = await transaction<AuditRow>(sql`
      select * from audit_event where id > ${after} and (
        owner_id = ${userId} or stated_by = ${userId} or (resource = 'AdminUser' and record_id = ${userId})
        or (resource = 'ApiKey' and record_id in (select id from api_key where owner_id = ${userId}))
      ) order by id limit ${PAGE}`);
    for (const row of rows) {
      const { id, resource, record_id, owner_id, stated_by, is_security } = row;
      const isAbout = resource === 'ApiKey' ? own.has(record_id) : resource === 'AdminUser' && record_id === userId;
      const isBy = owner_id === userId || stated_by === userId || (isAbout && is_security === 1);
      const ip = isBy ? null : row.ip;
      const changes = eraseChanges(row, userId, isAbout || (isBy && is_security === 1));
      if (ip === row.ip && changes === row.changes) continue;
      // Events from before the chain have no salt.
      const commitment = row.salt === null ? row.erased : commitTo(row.salt, row);
      await transaction(sql`
        update audit_event set ip = ${ip}, changes = ${changes}, salt = null, erased = ${commitment} where id = ${id}`);
      erased += 1;
    }
    if (rows.length < PAGE) return erased;
    after = rows.at(-1)?.id ?? 0;
  }
}

/** Digests what is left of all erased changes. */
async function digestErased(transaction: Run): Promise<string> {
  const digest = createErasedDigest();
  for (let after = 0; ; ) {
    const rows = await transaction<Pick<AuditRow, 'id' | 'ip' | 'changes'>>(sql`
      select id, ip, changes from audit_event where erased is not null and is_security = 0 and id > ${after}
      order by id limit ${PAGE}`);
    for (const row of rows) digest.add(row);
    if (rows.length < PAGE) return digest.value();
    after = rows.at(-1)?.id ?? 0;
  }
}

/** Overwrites the record of a user, and deletes what only serves its sign-ins. */
async function eraseRecord(
  transaction: Run,
  { userId, passwordHash, tables }: Erasure,
  emailKey: string,
): Promise<void> {
  const name = nameOf(userId);
  const email = `${name.replaceAll(' ', '-')}@erased.invalid`;
  await transaction(sql`
    update admin_user set first_name = 'erased', last_name = ${`user ${userId}`}, mobile_no = null, is_active = 0,
      user_name = ${name}, user_name_key = ${toNameKey(name)}, email_id = ${email}, email_id_key = ${email},
      password_hash = ${passwordHash}, password_version = password_version + 1
    where id = ${userId}`);
  for (const table of tables) {
    await transaction(sql`update ${nameSql(table)} set create_ip = null where create_by = ${userId}`);
    await transaction(sql`update ${nameSql(table)} set update_ip = null where update_by = ${userId}`);
  }
  await transaction(sql`
    update api_key set name = ${name}, hint = null, last_used_ip = null, allowed_ips = null
    where owner_id = ${userId}`);
  await transaction(sql`
    delete from sign_in_failure where address in (select address from sign_in_address where user_id = ${userId})`);
  for (const table of ['portal_session', 'one_time_code', 'recovery_code', 'account_link', 'sign_in_address'] as const)
    await transaction(sql`delete from ${nameSql(table)} where user_id = ${userId}`);
  await transaction(sql`delete from mail where user_id = ${userId} or lower(address) = ${emailKey}`);
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
        const users = await transaction<UserRow>(sql`
          select id, user_name_key, email_id_key, is_active from admin_user
          where id = ${userId} or is_active = 1 or user_name_key = ${nameOf(userId)}`);
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
