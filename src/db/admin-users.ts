import { sql } from 'kysely';
import type { PlatformStore, UserAccess } from '../model/platform-store.ts';
import { PLACEHOLDER, type Queries, type RunCompiled } from './tables.ts';

interface Row {
  readonly id: number;
  readonly hash: string;
  readonly version: number;
  readonly active: number;
}

/** Admin users for credentials. As records they are a resource like the others. */
export function createAdminUsers(db: Queries, runCompiled: RunCompiled): Pick<PlatformStore, 'findUser'> {
  const select = (column: 'id' | 'user_name_key') =>
    sql<Row>`
      select id, password_hash as hash, password_version as version, is_active as active
      from admin_user where ${sql.ref(column)} = ${PLACEHOLDER}`.compile(db);
  const byId = select('id');
  const byName = select('user_name_key');
  return {
    findUser: async (by): Promise<UserAccess | undefined> => {
      const [row] = 'id' in by ? await runCompiled(byId, [by.id]) : await runCompiled(byName, [by.userNameKey]);
      return row && { id: row.id, passwordHash: row.hash, passwordVersion: row.version, isActive: row.active === 1 };
    },
  };
}
