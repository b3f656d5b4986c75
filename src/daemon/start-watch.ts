import { dirname, resolve } from 'node:path';
import { createFleet, type Fleet } from '../fleet/create-fleet.ts';
import { describeCause } from '../lib/database-failure.ts';
import type { Inventory } from '../model/target.ts';
import { type HistoryLink, startHistory } from '../tell/history/start-history.ts';
import { type IncidentsLink, startIncidents } from '../tell/incidents/start-incidents.ts';
import { type Heartbeats, startHeartbeats } from '../tell/notify/start-heartbeats.ts';
import { type PushLink, startPush } from '../tell/notify/start-push.ts';
import { createReloader, type Reloader } from '../watch/inventory/create-reloader.ts';
import { createMonitor, type Monitor } from '../watch/monitor/create-monitor.ts';
import { packReplay } from '../watch/monitor/replay.ts';
import { type PlannedWorkLink, startPlannedWork } from '../watch/planned/start-planned-work.ts';
import type { AppOptions } from './app-options.ts';
import { planDescriptors } from './limits/descriptors.ts';
import type { Store } from './open-store.ts';

/** The watch of the subnets, from their inventory to who hears of their problems. */
export interface Watch {
  readonly monitor: Monitor;
  readonly plannedWork: PlannedWorkLink;
  readonly fleet: Fleet;
  readonly history: HistoryLink;
  readonly incidents: IncidentsLink;
  readonly push: PushLink;
  readonly heartbeats: Heartbeats;
  readonly reloader: Reloader;
}

/** The folder of the embedded database, in which subnetd writes. */
const findOwnFolders = ({ database }: AppOptions['platform']): readonly string[] =>
  database.kind === 'sqlite' ? [dirname(resolve(database.path))] : [];

/** Starts without an inventory; `hash` is that of the file with the one that is loaded next. */
export function startWatch(options: AppOptions, { log, bugs, wall, database, notStored }: Store, hash: number): Watch {
  const { clock, instance, listener, shard, descriptorLimit } = options;
  const plannedWork = startPlannedWork({
    store: database.plannedWork,
    clock,
    onFailure: (error) =>
      log.warn(
        { cause: describeCause(error) },
        'planned work cannot be read from the database; the last known work stays in force',
      ),
    onNews: (begun, ended) => {
      for (const work of begun) log.info({ work }, 'planned work was announced');
      for (const work of ended) log.info({ work }, 'planned work was ended early');
    },
  });
  const heartbeats = startHeartbeats({ log, onBug: bugs.of('channel') });
  const descriptors = planDescriptors(descriptorLimit);
  const monitor = createMonitor({
    clock,
    plannedWork: () => plannedWork.at(wall()),
    own: { port: listener.port, folders: findOwnFolders(options.platform) },
    scheduled: true,
    limits: { connections: descriptors.probes, logFiles: descriptors.logFiles },
    positions: database.positions(instance),
    addresses: database.addresses(instance),
    turns: database.turns(instance),
    onLogLost: ({ subnet, component, name }, after, times) =>
      log.warn(
        { subnet, component, target: name, after, times },
        'Docker discarded log lines before they were read; give the log of the container a larger max-size',
      ),
    onRunning: () => {
      options.onRunning?.();
      heartbeats.running();
    },
    onOpened: () => push.judgeSoon(),
    onBug: bugs.report,
  });
  const { snapshot, unexplained } = monitor;
  const fleet = createFleet({ shard, instance, database, clock, log, snapshot, onBug: bugs.of('fleet') });
  const { part, stateOf } = fleet;
  const told = { part, clock, history: () => database.history(stateOf) };
  const history = startHistory({
    ...told,
    store: told.history,
    settings: () => database.settings(stateOf),
    snapshot,
    keptDays: options.history,
    onFailure: notStored('the history'),
    onBug: bugs.of('history'),
  });
  const incidents = startIncidents({
    ...told,
    store: () => database.incidents(stateOf),
    minutesOf: history.minutesOf,
    snapshot: unexplained,
    explained: snapshot,
    keptDays: options.history.incidents,
    readLastLines: monitor.readLastLines,
    packReplay: (subnet) => {
      const input = monitor.inputOf(subnet);
      return input && packReplay(input, options.build.version);
    },
    log,
    linkKey: async (make) => (await database.open()).platform.getOrCreate('acknowledge_key', make),
    publicUrl: options.publicUrl,
    onFailure: notStored('incidents'),
    onBug: bugs.of('incidents'),
    onRestored: (subnet, open, ended) => monitor.restoreProblems(subnet, open, clock.now(), ended),
  });
  history.onChanges(incidents.addChanges);
  const isSettled = (subnet: string) => monitor.isReadyFor(subnet) && incidents.isSettled(subnet);
  const reloader = createReloader({ ...options, hash, now: clock.now, onBug: bugs.of('inventory') });
  const places = { own: instance, shared: stateOf };
  const push = startPush({
    ...{ instance, part, isSettled, log, clock, internalErrors: bugs, mail: options.platform.mail },
    publicUrl: options.publicUrl,
    grafanaUrl: options.grafanaUrl,
    readAlertInput: () => ({
      snapshot: snapshot(),
      intervalMs: monitor.intervalMs,
      enginesUp: monitor.enginesUp(),
      isDatabaseUp: database.isUp(),
      fleet: fleet.view(),
      lastReloadSuccessful: reloader.last().successful,
    }),
    store: database.alerts(places),
    notified: database.notified(places),
    onAccepted: incidents.addNotification,
    incidents,
  });
  monitor.onRound({
    onLate: (subnet, round, why) => {
      push.roundLate(subnet);
      log.warn({ subnet, round, why }, 'a round is late');
    },
  });
  /** Watches all of this and nothing else, or throws and changes nothing. */
  const watch = (inventory: Inventory) => {
    monitor.load(inventory);
    plannedWork.setWindows(inventory.maintenance ?? []);
    push.setReceivers(inventory);
    heartbeats.set(inventory.heartbeats ?? []);
  };
  fleet.start({ isSettled, areAlertsJudged: push.isJudged, watch });
  return { monitor, plannedWork, fleet, history, incidents, push, heartbeats, reloader };
}
