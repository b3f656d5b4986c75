import type { Logger } from 'pino';
import { describeCause } from '../model/database-failure.ts';
import { type Incident, type IncidentStore, incidentKey } from '../model/incident.ts';
import type { LogPosition, PositionTable } from '../model/log.ts';
import { createDatabaseLink } from './create-database-link.ts';
import type { OpenStore } from './create-store.ts';
import { createLastingState, type LastingState } from './lasting-state.ts';
import { type DatabaseAddress, formatDatabase } from './parse-database-url.ts';

/** The database, which may be down, and what subnetd itself keeps in it. */
export interface Stores {
  /** Whether other processes of subnetd use the same database. */
  readonly isShared: boolean;
  /** Rejects with a `DatabaseFailure` while the database is down; waits for the first attempt to open it. */
  open(): Promise<OpenStore>;
  isUp(): boolean;
  /** Where the instance of subnetd with this name keeps how far it has read its logs. */
  positions(instance: string): PositionTable;
  /** Where an instance keeps its alerts; rejects while the database is down. */
  incidents(instance: string): Promise<IncidentStore>;
  stop(): Promise<void>;
}

const byKey = (incidents: readonly Incident[]) => new Map(incidents.map((one) => [incidentKey(one.labels), one]));

/** Opens the database in the background, and again after each outage; what was lost with a file is written again. */
export function openStores(address: DatabaseAddress, log: Logger): Stores {
  const database = formatDatabase(address);
  const link = createDatabaseLink({
    address,
    onUp: () => {
      log.info({ database }, 'the database answers');
      for (const { restore } of [...positions.values(), ...incidents.values()]) restore().catch(() => {});
    },
    onDown: (outage, error) => log.error({ database, cause: describeCause(error) }, outage),
    onWarning: (warning) => log.warn({ database }, warning),
  });
  const positions = new Map<string, LastingState<LogPosition>>();
  const incidents = new Map<string, LastingState<Incident>>();
  const incidentsOf = (instance: string): LastingState<Incident> => {
    const state =
      incidents.get(instance) ??
      createLastingState(link.open, (open) => {
        const { load, save } = open.incidents(instance);
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
      const state = positions.get(instance) ?? createLastingState(link.open, (open) => open.logPositions(instance));
      positions.set(instance, state);
      return state;
    },
    incidents: async (instance) => {
      await link.open();
      const { read, write } = incidentsOf(instance);
      return { load: async () => [...(await read()).values()], save: write };
    },
    stop: link.stop,
  };
}
