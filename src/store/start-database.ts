import type { Logger } from 'pino';
import { describeCause } from '../lib/database-failure.ts';
import type { Election, FleetStore } from '../model/fleet.ts';
import type { HistoryStore } from '../model/history.ts';
import type { IncidentStore } from '../model/incident.ts';
import type { KeptTable } from '../model/kept.ts';
import type { KeptTurns } from '../model/lag.ts';
import type { LogPosition } from '../model/log.ts';
import type { PlannedWorkStore } from '../model/planned-work.ts';
import type { MailStore } from '../platform/model/mail.ts';
import type { TrackedAlertStore } from '../tell/alerts/tracked-alert.ts';
import type { NotifiedStore } from '../tell/notify/notified-alert.ts';
import { createDatabaseLink } from './create-database-link.ts';
import { createElection, createSoleElection } from './create-election.ts';
import type { Repositories } from './create-repositories.ts';
import type { Stores } from './create-stores.ts';
import { type DatabaseAddress, formatDatabase } from './database-url.ts';
import type { StatePlaces } from './instance-state.ts';

/** The database, which may be down, and what subnetd itself keeps in it. */
export interface Database {
  /** Whether other processes of subnetd use the same database. */
  readonly isShared: boolean;
  /**
   * The stores of the platform API. Rejects with a `DatabaseFailure` while the database is down; waits for the first attempt
   * to open it.
   */
  open(): Promise<Repositories>;
  isUp(): boolean;
  /** Where the instance with this name keeps how far it has read its logs: the same object as long as the database is open. */
  positions(instance: string): () => Promise<KeptTable<LogPosition>>;
  /** Where it keeps by which addresses its nodes sign: the same object as long as the database is open. Rejects while it is down. */
  addresses(instance: string): () => Promise<KeptTable<string>>;
  /** Where it keeps how many of their turns masternodes missed: the same object as long as the database is open. Rejects while it is down. */
  turns(instance: string): () => Promise<KeptTable<KeptTurns>>;
  /** Where an instance keeps how it last saw the settings of subnets; rejects while the database is down. */
  settings(instance: string): Promise<KeptTable<string>>;
  /** Where alerts are kept: the same object as long as the database is open. Rejects while it is down. */
  alerts(places: StatePlaces): () => Promise<TrackedAlertStore>;
  /** Where it is kept what channels were notified of: the same object as long as the database is open. Rejects while it is down. */
  notified(places: StatePlaces): () => Promise<NotifiedStore>;
  /** Where an instance keeps its history; rejects while the database is down. */
  history(instance: string): Promise<HistoryStore>;
  /** Where an instance keeps its incidents; rejects while the database is down. */
  incidents(instance: string): Promise<IncidentStore>;
  /** Where mails wait for all instances; rejects while the database is down. */
  mails(): Promise<MailStore>;
  /** Announced work of all instances; rejects while the database is down. */
  plannedWork(): Promise<PlannedWorkStore>;
  /** The instances that share the database; rejects while it is down. */
  fleet(): Promise<FleetStore>;
  /** Which of the instances that share the database does what is done once. */
  readonly election: Election;
  /** Closes it, and releases the locks of the election. */
  stop(): Promise<void>;
}

/**
 * Opens the database in the background, and again after each outage; what was lost with a file is written again.
 * `secretKeys` are not in it, the newest first.
 */
export function startDatabase(address: DatabaseAddress, log: Logger, secretKeys: readonly string[] = []): Database {
  const name = formatDatabase(address);
  const link = createDatabaseLink({
    address,
    secretKeys,
    onUp: () => log.info({ database: name }, 'the database answers'),
    onDown: (outage, error) => log.error({ database: name, cause: describeCause(error) }, outage),
    onWarning: (warning) => log.warn({ database: name }, warning),
  });
  const election =
    address.kind === 'sqlite'
      ? createSoleElection()
      : createElection({
          openSession: async (onLost) => {
            const { openLockSession } = await import('./open-lock-session.ts');
            return openLockSession(address.url, onLost);
          },
          clock: { monotonic: () => performance.now(), wall: Date.now },
          onChange: (lock, isHeld) =>
            log.info(
              { lock },
              isHeld
                ? 'this instance holds a database lock'
                : 'this instance no longer holds a database lock; another instance may take it',
            ),
        });
  /** What is too old is deleted by one instance, for all. */
  const mayTrim = election.standFor('retention');
  const withTrim = <Store extends { trim(limits: never): Promise<unknown> }>(store: Store): Store => ({
    ...store,
    trim: async (limits: never) => mayTrim() && store.trim(limits),
  });
  /** Who keeps something sees by another object that the database was opened again, and may have lost it. */
  const oncePerOpening = <T>(create: (stores: Stores) => T): (() => Promise<T>) => {
    let last: { readonly stores: Stores; readonly value: T } | undefined;
    return async () => {
      const stores = await link.openStores();
      if (last?.stores !== stores) last = { stores, value: create(stores) };
      return last.value;
    };
  };
  return {
    isShared: address.kind === 'postgres',
    open: link.open,
    isUp: link.isUp,
    positions: (instance) => oncePerOpening((stores) => stores.logPositions(instance)),
    addresses: (instance) => oncePerOpening((stores) => stores.nodeAddresses(instance)),
    turns: (instance) => oncePerOpening((stores) => stores.turns(instance)),
    settings: async (instance) => (await link.openStores()).settings(instance),
    alerts: (places) => oncePerOpening((stores) => stores.alerts(places)),
    notified: (places) => oncePerOpening((stores) => stores.notified(places)),
    history: async (instance) => withTrim((await link.openStores()).history(instance)),
    incidents: async (instance) => withTrim((await link.openStores()).incidents(instance)),
    mails: async () => (await link.openStores()).mails,
    plannedWork: async () => withTrim((await link.openStores()).plannedWork),
    fleet: async () => withTrim((await link.openStores()).fleet),
    election,
    stop: async () => {
      await Promise.all([election.stop(), link.stop()]);
    },
  };
}
