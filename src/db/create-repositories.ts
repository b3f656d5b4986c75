import { Kysely, sql } from 'kysely';
import type { PlatformStore, RateLimits } from '../model/platform-store.ts';
import { createAccountLinks } from './account-links.ts';
import { createAdminUsers } from './admin-users.ts';
import { createApiKeys } from './api-keys.ts';
import { createSecurityEvents, listAuditEvents, listChanges, searchAuditEvents } from './audit-events.ts';
import { createGuard, createStores, type Stores } from './create-stores.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createGeneratedValues } from './generated-values.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createInTransaction, type OnConnection } from './in-transaction.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { createPasswordChanges } from './password-changes.ts';
import { createRateLimits } from './rate-limits.ts';
import { createRecordSearch } from './record-search.ts';
import { createResourceTables } from './resource-table.ts';
import { createPlainSql } from './run-sql.ts';
import { createSessions } from './sessions.ts';
import { createSignInAddresses } from './sign-in-addresses.ts';
import { createSignInFailures } from './sign-in-failures.ts';
import { createRunCompiled, type Queries } from './tables.ts';

/** The stores of an open database, with those of the platform API. */
export interface Repositories extends Stores {
  /** What the platform API stores. */
  readonly platform: PlatformStore;
  /** The limits that replicas share; only with PostgreSQL. */
  readonly rateLimits?: RateLimits;
}

const onConnectionOf =
  (db: Queries): OnConnection<Queries> =>
  (work) =>
    db.connection().execute((connection) =>
      work(connection, async (text) => {
        const { rows } = await sql.raw<{ readonly command?: string }>(text).execute(connection);
        return rows[0]?.command;
      }),
    );

/** Creates the repositories of an open database. */
export async function createRepositories(
  connection: DatabaseConnection,
  onFailure: (error: unknown) => void = () => {},
): Promise<Repositories> {
  const db: Queries = new Kysely({ dialect: await connection.createDialect() });
  const inTransaction = createInTransaction(onConnectionOf(db), connection.kind);
  const runCompiled = createRunCompiled(db, await connection.openReader?.());
  const platform: PlatformStore = {
    ...createResourceTables(db, connection.kind, inTransaction, runCompiled),
    ...createRecordSearch(db, connection.kind),
    ...createAdminUsers(db, runCompiled),
    ...createApiKeys(db, connection.kind, inTransaction, runCompiled),
    ...createPasswordChanges(db, inTransaction),
    ...createAccountLinks(createPlainSql(connection).run),
    ...createIdempotencyKeys(db),
    ...createGeneratedValues(db),
    ...createSignInAddresses(db, inTransaction),
    ...createOneTimeCodes(db, inTransaction),
    ...createSignInFailures(inTransaction),
    ...createSessions(db),
    ...createSecurityEvents(db, inTransaction),
    listAudit: (since, after, limit) => listAuditEvents(db, since, after, limit),
    searchAudit: (query) => searchAuditEvents(db, query),
    listChanges: ({ name }, recordId, limit) => listChanges(db, name, recordId, limit),
  };
  const guard = createGuard(connection.retry, onFailure);
  return {
    ...createStores(connection, onFailure),
    platform: guard(platform),
    ...(connection.kind === 'postgres' && { rateLimits: guard(createRateLimits(db)) }),
  };
}
