import { type RawBuilder, sql } from 'kysely';
import type { PlatformStore, UserAccess } from '../platform/model/platform-store.ts';
import { PLACEHOLDER, type Queries, type RunCompiled } from './tables.ts';

interface Row {
  readonly id: number;
  readonly hash: string;
  readonly version: number;
  readonly active: number;
}

/** Admin users for credentials. As records they are a resource like the others. */
export function createAdminUsers(
  db: Queries,
  runCompiled: RunCompiled,
): Pick<PlatformStore, 'findUser' | 'findTokenUser'> {
  const selectWhere = (condition: RawBuilder<unknown>) =>
    sql<Row>`
      select id, password_hash as hash, password_version as version, is_active as active
      from admin_user where ${condition}`.compile(db);
  const select = (column: 'id' | 'user_name_key') => selectWhere(sql`${sql.ref(column)} = ${PLACEHOLDER}`);
  const byId = select('id');
  const byName = select('user_name_key');
  const ofToken = selectWhere(
    sql`id = ${PLACEHOLDER} and not exists (select 1 from revoked_token where jti = ${PLACEHOLDER})`,
  );
  const toAccess = (row: Row | undefined): UserAccess | undefined =>
    row && { id: row.id, passwordHash: row.hash, passwordVersion: row.version, isActive: row.active === 1 };
  return {
    findUser: async (by): Promise<UserAccess | undefined> => {
      const [row] = 'id' in by ? await runCompiled(byId, [by.id]) : await runCompiled(byName, [by.userNameKey]);
      return toAccess(row);
    },
    findTokenUser: async (userId, tokenId) => toAccess((await runCompiled(ofToken, [userId, tokenId]))[0]),
  };
}
