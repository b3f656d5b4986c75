import { Kysely } from 'kysely';
import { databaseFailure, isDatabaseFailure } from '../model/database-failure.ts';
import type { HistoryStore } from '../model/history.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { PositionTable } from '../model/log.ts';
import type { PlatformStore, RateLimits } from '../model/platform-store.ts';
import type { TrackedAlertStore } from '../model/tracked-alert.ts';
import { createAdminUsers } from './admin-users.ts';
import { createApiKeys } from './api-keys.ts';
import { createSecurityEvents, listAuditEvents } from './audit-events.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createGeneratedValues } from './generated-values.ts';
import { createHistoryTables } from './history-tables.ts';
import { createInTransaction } from './in-transaction.ts';
import { createIncidentTables } from './incident-tables.ts';
import { createLogPositions, createTrackedAlerts } from './instance-state.ts';
import { createRateLimits } from './rate-limits.ts';
import { createResourceTables } from './resource-table.ts';
import { createSignInAddresses } from './sign-in-addresses.ts';
import { createRunCompiled, type Queries } from './tables.ts';

/** The repositories of an open database. */
export interface Repositories {
  /** What the platform API stores. */
  readonly platform: PlatformStore;
  /** How far this instance of subnetd has read its logs. */
  readonly logPositions: (instance: string) => PositionTable;
  /** The limits that replicas share; only with PostgreSQL. */
  readonly rateLimits?: RateLimits;
  /** The alerts that this instance of subnetd keeps. */
  readonly trackedAlerts: (instance: string) => TrackedAlertStore;
  /** What happened, as this instance of subnetd saw it. */
  readonly history: (instance: string) => HistoryStore;
  /** The incidents that this instance of subnetd has seen. */
  readonly incidents: (instance: string) => IncidentStore;
}

type Call = (...args: never[]) => Promise<unknown>;

/**
 * Makes every function of a repository wait while SQLite is busy. On failure it calls `onFailure` and rejects with a
 * `DatabaseFailure`.
 */
const createGuard =
  (retry: DatabaseConnection['retry'], onFailure: (error: unknown) => void) =>
  <T extends object>(repository: T): T => {
    const guarded = Object.entries(repository).map(([name, call]: [string, Call]) => [
      name,
      async (...args: never[]) => {
        try {
          return await retry(() => call(...args));
        } catch (error) {
          // The call only waited too long for its turn: the database works.
          if (isDatabaseFailure(error)) throw error;
          onFailure(error);
          throw databaseFailure(error);
        }
      },
    ]);
    return Object.fromEntries(guarded) as T;
  };

/** Creates the repositories of an open database. */
export async function createRepositories(
  connection: DatabaseConnection,
  onFailure: (error: unknown) => void = () => {},
): Promise<Repositories> {
  const db: Queries = new Kysely({ dialect: await connection.createDialect() });
  const inTransaction = createInTransaction(db, connection.kind);
  const runCompiled = createRunCompiled(db, connection.read);
  const platform: PlatformStore = {
    ...createResourceTables(db, connection.kind, inTransaction, runCompiled),
    ...createAdminUsers(db, runCompiled),
    ...createApiKeys(db, inTransaction, runCompiled),
    ...createGeneratedValues(db),
    ...createSignInAddresses(db, inTransaction),
    ...createSecurityEvents(db, inTransaction),
    listAudit: (since, after, limit) => listAuditEvents(db, since, after, limit),
  };
  const guard = createGuard(connection.retry, onFailure);
  return {
    platform: guard(platform),
    logPositions: (instance) => guard(createLogPositions(db, inTransaction, instance)),
    trackedAlerts: (instance) => guard(createTrackedAlerts(db, inTransaction, instance)),
    history: (instance) => guard(createHistoryTables(db, inTransaction, instance)),
    incidents: (instance) => guard(createIncidentTables(db, inTransaction, instance)),
    ...(connection.kind === 'postgres' && { rateLimits: guard(createRateLimits(db)) }),
  };
}
