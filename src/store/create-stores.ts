import { databaseFailure, isDatabaseFailure } from '../lib/database-failure.ts';
import type { FleetStore } from '../model/fleet.ts';
import type { HistoryStore } from '../model/history.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { KeptTable } from '../model/kept.ts';
import type { KeptTurns } from '../model/lag.ts';
import type { LogPosition } from '../model/log.ts';
import type { PlannedWorkStore } from '../model/planned-work.ts';
import type { MailStore } from '../platform/model/mail.ts';
import type { TrackedAlertStore } from '../tell/alerts/tracked-alert.ts';
import type { NotifiedStore } from '../tell/notify/notified-alert.ts';
import { isBusy } from './busy.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createFleetTable } from './fleet-table.ts';
import { createHistoryTables } from './history-tables.ts';
import { createIncidentTables } from './incident-tables.ts';
import {
  createAlerts,
  createLogPositions,
  createNodeAddresses,
  createNotifiedGroups,
  createSettings,
  createTurns,
  type StatePlaces,
} from './instance-state.ts';
import { createMailTables } from './mail-tables.ts';
import { createPlannedWork } from './planned-work-table.ts';
import { createPlainSql } from './run-sql.ts';

/** What every instance of subnetd keeps in an open database. */
export interface Stores {
  /** How far this instance of subnetd has read its logs. */
  readonly logPositions: (instance: string) => KeptTable<LogPosition>;
  /** By which addresses the nodes sign that this instance of subnetd watches. */
  readonly nodeAddresses: (instance: string) => KeptTable<string>;
  /** How many of their turns the masternodes missed, by subnet. */
  readonly turns: (instance: string) => KeptTable<KeptTurns>;
  /** How an instance of subnetd last saw the settings of subnets. */
  readonly settings: (instance: string) => KeptTable<string>;
  /** The alerts of an instance of subnetd, and those about subnets. */
  readonly alerts: (places: StatePlaces) => TrackedAlertStore;
  /** What channels were notified of. */
  readonly notified: (places: StatePlaces) => NotifiedStore;
  /** What happened, as this instance of subnetd saw it. */
  readonly history: (instance: string) => HistoryStore;
  /** The incidents that this instance of subnetd has seen. */
  readonly incidents: (instance: string) => IncidentStore;
  /** The mails that wait, which all instances share. */
  readonly mails: MailStore;
  /** The work that `subnetd silence` has announced, which all instances share. */
  readonly plannedWork: PlannedWorkStore;
  /** The instances that share the database. */
  readonly fleet: FleetStore;
}

type Call = (...args: never[]) => Promise<unknown>;

/**
 * Makes every function of a repository wait while SQLite is busy. On failure it calls `onFailure` and rejects with a
 * `DatabaseFailure`.
 */
export const createGuard =
  (retry: DatabaseConnection['retry'], onFailure: (error: unknown) => void) =>
  <T extends object>(repository: T): T => {
    const toFailure = (error: unknown): unknown => {
      // The call only waited too long for its turn: the database works.
      if (isDatabaseFailure(error)) return error;
      onFailure(error);
      return databaseFailure(error);
    };
    const guarded = Object.entries(repository).map(([name, call]: [string, Call]) => [
      name,
      async (...args: never[]) => {
        try {
          // Almost every call succeeds at once. To prepare for a busy database costs as much as a third of a read.
          return await call(...args);
        } catch (error) {
          if (!isBusy(error)) throw toFailure(error);
        }
        try {
          return await retry(() => call(...args));
        } catch (error) {
          throw toFailure(error);
        }
      },
    ]);
    return Object.fromEntries(guarded) as T;
  };

/** Creates the stores of an open database that every daemon has. */
export function createStores(connection: DatabaseConnection, onFailure: (error: unknown) => void = () => {}): Stores {
  const plain = createPlainSql(connection);
  const guard = createGuard(connection.retry, onFailure);
  return {
    logPositions: (instance) => guard(createLogPositions(plain, instance)),
    nodeAddresses: (instance) => guard(createNodeAddresses(plain, instance)),
    turns: (instance) => guard(createTurns(plain, instance)),
    settings: (instance) => guard(createSettings(plain, instance)),
    alerts: (places) => guard(createAlerts(plain, places, connection.kind)),
    notified: (places) => guard(createNotifiedGroups(plain, places)),
    history: (instance) => guard(createHistoryTables(plain, instance)),
    incidents: (instance) => guard(createIncidentTables(plain, instance)),
    mails: guard(createMailTables(plain, connection.kind)),
    plannedWork: guard(createPlannedWork(plain)),
    fleet: guard(createFleetTable(plain)),
  };
}
