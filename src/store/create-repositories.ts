import { Kysely, sql } from 'kysely';
import type { PlatformStore, RateLimits } from '../platform/model/platform-store.ts';
import { createAccountLinks } from './account-links.ts';
import { createAdminUsers, createPasswordChanges } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { beginTrail, saveTrail, toTrailKey } from './audit-chain.ts';
import { createSecurityEvents, listAuditEvents, listChanges, searchAuditEvents } from './audit-events.ts';
import { checkTrail, readTrailHeads } from './check-trail.ts';
import { createGuard, createStores, type Stores } from './create-stores.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createErasures } from './erase-user.ts';
import { createGeneratedValues } from './generated-values.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createInTransaction, type InTransaction, type OnConnection } from './in-transaction.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { createRateLimits } from './rate-limits.ts';
import { createRecordSearch } from './record-search.ts';
import { createResourceTables } from './resource-table.ts';
import { createPlainSql } from './run-sql.ts';
import { createSessions } from './sessions.ts';
import { createSignInAddresses, createSignInFailures } from './sign-ins.ts';
import { createRunCompiled, createRunInTransaction, type Queries } from './tables.ts';

/** The stores of an open database, with those of the platform API. */
export interface Repositories extends Stores {
  /** What the platform API stores. */
  readonly platform: PlatformStore;
  /** The limits that replicas share; only with PostgreSQL. */
  readonly rateLimits?: RateLimits;
}

const onConnectionOf = (db: Queries): OnConnection<Queries> => {
  const runInTransaction = createRunInTransaction(db);
  return (work) =>
    db.connection().execute((connection) =>
      work(connection, async (text) => {
        if (text === 'commit') await saveTrail(connection, runInTransaction);
        const { rows } = await sql.raw<{ readonly command?: string }>(text).execute(connection);
        return rows[0]?.command;
      }),
    );
};

/** Creates the repositories of an open database. The first of the `secrets` keys the audit trail. */
export async function createRepositories(
  connection: DatabaseConnection,
  onFailure: (error: unknown) => void = () => {},
  secrets: readonly string[] = [],
): Promise<Repositories> {
  const { kind } = connection;
  const db: Queries = new Kysely({ dialect: await connection.createDialect(connection.lend) });
  /** For reads that may look at many rows. */
  const scans: Queries = new Kysely({ dialect: await connection.createDialect(connection.lendScan) });
  const inTransaction = createInTransaction(onConnectionOf(db), kind);
  const trailKeys = secrets.map(toTrailKey);
  /** The transactions of changes, whose audit events follow each other in one chain. */
  const inTrail: InTransaction = (work) =>
    inTransaction((transaction) => {
      beginTrail(transaction, kind, trailKeys[0]);
      return work(transaction);
    });
  const runCompiled = createRunCompiled(db, await connection.openReader?.());
  const platform: PlatformStore = {
    ...createResourceTables(db, kind, inTrail, runCompiled),
    ...createRecordSearch(scans, kind),
    ...createAdminUsers(db, runCompiled),
    ...createApiKeys(db, kind, inTrail, runCompiled),
    ...createPasswordChanges(db, inTrail),
    ...createAccountLinks(createPlainSql(connection).run),
    ...createIdempotencyKeys(db),
    ...createGeneratedValues(db),
    ...createSignInAddresses(db, inTransaction),
    ...createOneTimeCodes(db, inTrail),
    ...createSignInFailures(inTransaction),
    ...createSessions(db, inTransaction),
    ...createSecurityEvents(inTrail),
    ...createErasures(kind, inTrail),
    checkTrail: (kept) => checkTrail(scans, trailKeys, kept),
    trailHeads: () => readTrailHeads(db),
    listAudit: (since, after, limit) => listAuditEvents(scans, since, after, limit),
    searchAudit: (query) => searchAuditEvents(scans, query),
    listChanges: ({ name }, recordId, limit) => listChanges(scans, name, recordId, limit),
  };
  const guard = createGuard(connection.retry, onFailure);
  return {
    ...createStores(connection, onFailure),
    platform: guard(platform),
    ...(kind === 'postgres' && { rateLimits: guard(createRateLimits(db)) }),
  };
}
