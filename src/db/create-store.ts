import { Kysely } from 'kysely';
import { databaseFailure } from '../model/database-failure.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { createAdminUsers } from './admin-users.ts';
import { createApiKeys } from './api-keys.ts';
import { listAuditEvents } from './audit-events.ts';
import type { Engine } from './engine.ts';
import { createIncidents } from './incidents.ts';
import { createKeptValues } from './kept-values.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createResourceTables } from './resource-table.ts';
import { createRunAgain, type Queries } from './tables.ts';

/** The store on an open database, and the limits that replicas share where that database is PostgreSQL. */
export interface OpenStore {
  readonly store: PlatformStore;
  readonly rateLimits?: RateLimits;
  /** The incidents that this instance of subnetd keeps. */
  readonly incidents: (instance: string) => IncidentStore;
}

/** Lets every function reject with a `DatabaseFailure`, and tells `onFailure` of each. */
function guard<T extends object>(parts: T, onFailure: (error: unknown) => void): T {
  const guarded = Object.entries(parts).map(([name, call]: [string, (...words: never[]) => Promise<unknown>]) => [
    name,
    async (...words: never[]) => {
      try {
        return await call(...words);
      } catch (error) {
        onFailure(error);
        throw databaseFailure(error);
      }
    },
  ]);
  return Object.fromEntries(guarded) as T;
}

/** Makes the store of an open database. */
export async function createStore(engine: Engine, onFailure: (error: unknown) => void = () => {}): Promise<OpenStore> {
  const db: Queries = new Kysely({ dialect: await engine.createDialect() });
  const runAgain = createRunAgain(db, engine.read);
  const store: PlatformStore = {
    ...createResourceTables(db, engine.kind, runAgain),
    ...createAdminUsers(db, runAgain),
    ...createApiKeys(db, engine.kind, runAgain),
    ...createKeptValues(db),
    listAudit: (since, after, limit) => listAuditEvents(db, since, after, limit),
  };
  const incidents = createIncidents(db, engine.kind);
  return {
    store: guard(store, onFailure),
    incidents: (instance) => guard(incidents(instance), onFailure),
    ...(engine.kind === 'postgres' && { rateLimits: guard(createRateLimits(db), onFailure) }),
  };
}
