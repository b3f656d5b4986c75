import type { Logger } from 'pino';
import { describeCause } from '../model/database-failure.ts';
import type { HistoryStore } from '../model/history.ts';
import { type Incident, type IncidentStore, incidentKey } from '../model/incident.ts';
import type { LogPosition, PositionTable } from '../model/log.ts';
import { createDatabaseLink } from './create-database-link.ts';
import type { Repositories } from './create-repositories.ts';
import { type DatabaseAddress, formatDatabase } from './parse-database-url.ts';
import { createRestorableState, type RestorableState } from './restorable-state.ts';

/** The database, which may be down, and what subnetd itself keeps in it. */
export interface Database {
  /** Whether other processes of subnetd use the same database. */
  readonly isShared: boolean;
  /** Rejects with a `DatabaseFailure` while the database is down; waits for the first attempt to open it. */
  open(): Promise<Repositories>;
  isUp(): boolean;
  /** Where the instance of subnetd with this name keeps how far it has read its logs. */
  positions(instance: string): PositionTable;
  /** Where an instance keeps its alerts; rejects while the database is down. */
  incidents(instance: string): Promise<IncidentStore>;
  /** Where an instance keeps its history; rejects while the database is down. */
  history(instance: string): Promise<HistoryStore>;
  stop(): Promise<void>;
}

const byKey = (incidents: readonly Incident[]) => new Map(incidents.map((one) => [incidentKey(one.labels), one]));

/** Opens the database in the background, and again after each outage; what was lost with a file is written again. */
export function startDatabase(address: DatabaseAddress, log: Logger): Database {
  const name = formatDatabase(address);
  const link = createDatabaseLink({
    address,
    onUp: () => {
      log.info({ database: name }, 'the database answers');
      for (const { restore } of [...positions.values(), ...incidents.values()]) restore().catch(() => {});
    },
    onDown: (outage, error) => log.error({ database: name, cause: describeCause(error) }, outage),
    onWarning: (warning) => log.warn({ database: name }, warning),
  });
  const positions = new Map<string, RestorableState<LogPosition>>();
  const incidents = new Map<string, RestorableState<Incident>>();
  const incidentsOf = (instance: string): RestorableState<Incident> => {
    const state =
      incidents.get(instance) ??
      createRestorableState(link.open, (repositories) => {
        const { load, save } = repositories.incidents(instance);
        return { read: async () => byKey(await load()), write: save };
      });
    incidents.set(instance, state);
    return state;
  };
  return {
    isShared: address.kind === 'postgres',
    open: link.open,
    isUp: link.isUp,
    positions: (instance) => {
      const state =
        positions.get(instance) ?? createRestorableState(link.open, ({ logPositions }) => logPositions(instance));
      positions.set(instance, state);
      return state;
    },
    incidents: async (instance) => {
      await link.open();
      const { read, write } = incidentsOf(instance);
      return { load: async () => [...(await read()).values()], save: write };
    },
    history: async (instance) => (await link.open()).history(instance),
    stop: link.stop,
  };
}
