import { Kysely } from 'kysely';
import { databaseFailure } from '../model/database-failure.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { LogPosition, PositionTable } from '../model/log.ts';
import type { PlatformStore, RateLimits } from '../model/platform-store.ts';
import { createAdminUsers } from './admin-users.ts';
import { createApiKeys } from './api-keys.ts';
import { createSecurityEvents, listAuditEvents } from './audit-events.ts';
import type { Engine } from './engine.ts';
import { createInTransaction } from './in-transaction.ts';
import { createIncidents } from './incidents.ts';
import { createInstanceState } from './instance-state.ts';
import { createKeptValues } from './kept-values.ts';
import { createRateLimits } from './rate-limits.ts';
import { createResourceTables } from './resource-table.ts';
import { createSignInAddresses } from './sign-in-addresses.ts';
import { createRunAgain, type Queries } from './tables.ts';

/** The repositories of an open database. */
export interface OpenStore {
  readonly store: PlatformStore;
  /** How far this instance of subnetd has read its logs. */
  readonly logPositions: (instance: string) => PositionTable;
  /** The limits that replicas share; only with PostgreSQL. */
  readonly rateLimits?: RateLimits;
  /** The incidents that this instance of subnetd keeps. */
  readonly incidents: (instance: string) => IncidentStore;
}

const isPosition = (value: unknown): value is LogPosition =>
  ['container', 'files'].includes(String((value as Partial<LogPosition>).kind));

/**
 * Makes every function wait while SQLite is busy. On failure it calls `onFailure` and rejects with a
 * `DatabaseFailure`.
 */
function guard<T extends object>(parts: T, retry: Engine['retry'], onFailure: (error: unknown) => void): T {
  const guarded = Object.entries(parts).map(([name, call]: [string, (...words: never[]) => Promise<unknown>]) => [
    name,
    async (...words: never[]) => {
      try {
        return await retry(() => call(...words));
      } catch (error) {
        onFailure(error);
        throw databaseFailure(error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as T;
}

/** Creates the store of an open database. */
export async function createStore(engine: Engine, onFailure: (error: unknown) => void = () => {}): Promise<OpenStore> {
  const db: Queries = new Kysely({ dialect: await engine.createDialect() });
  const inTransaction = createInTransaction(db, engine.kind);
  const runAgain = createRunAgain(db, engine.read);
  const store: PlatformStore = {
    ...createResourceTables(db, engine.kind, inTransaction, runAgain),
    ...createAdminUsers(db, runAgain),
    ...createApiKeys(db, inTransaction, runAgain),
    ...createKeptValues(db),
    ...createSignInAddresses(db, inTransaction),
    ...createSecurityEvents(db, inTransaction),
    listAudit: (since, after, limit) => listAuditEvents(db, since, after, limit),
  };
  const protect = <T extends object>(parts: T): T => guard(parts, engine.retry, onFailure);
  return {
    store: protect(store),
    logPositions: (instance) => protect(createInstanceState(db, inTransaction, instance, 'log-position', isPosition)),
    incidents: (instance) => protect(createIncidents(db, inTransaction, instance)),
    ...(engine.kind === 'postgres' && { rateLimits: protect(createRateLimits(db)) }),
  };
}
