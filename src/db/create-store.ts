import { Kysely } from 'kysely';
import { databaseFailure } from '../model/database-failure.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { LogPosition, PositionTable } from '../model/log.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { createAdminUsers } from './admin-users.ts';
import { createApiKeys } from './api-keys.ts';
import { listAuditEvents } from './audit-events.ts';
import type { Engine } from './engine.ts';
import { createIncidents } from './incidents.ts';
import { createInstanceState } from './instance-state.ts';
import { createKeptValues } from './kept-values.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createResourceTables } from './resource-table.ts';
import { createRunAgain, type Queries } from './tables.ts';

/** The store on an open database, where an instance keeps how far it has read its logs, and the limits that replicas share where that database is PostgreSQL. */
export interface OpenStore {
  readonly store: PlatformStore;
  readonly logPositions: (instance: string) => PositionTable;
  readonly rateLimits?: RateLimits;
  /** The incidents that this instance of subnetd keeps. */
  readonly incidents: (instance: string) => IncidentStore;
}

const isPosition = (value: unknown): value is LogPosition =>
  ['container', 'files'].includes(String((value as Partial<LogPosition>).kind));

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
  return {
    store: guard(store, onFailure),
    logPositions: (instance) =>
      guard(createInstanceState(db, engine.kind, instance, 'log-position', isPosition), onFailure),
    incidents: (instance) => guard(createIncidents(db, engine.kind, instance), onFailure),
    ...(engine.kind === 'postgres' && { rateLimits: guard(createRateLimits(db), onFailure) }),
  };
}
