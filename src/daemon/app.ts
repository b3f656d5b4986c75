import { getRequestListener } from '@hono/node-server';
import { startFleet } from '../fleet/start-fleet.ts';
import { createIsSecure } from '../lib/addresses.ts';
import { describeCause, isAway } from '../lib/database-failure.ts';
import { createInternalErrors } from '../lib/internal-errors.ts';
import { settleWithin } from '../lib/promises.ts';
import { collectGarbageSoon } from '../lib/threads.ts';
import type { Inventory } from '../model/target.ts';
import { startPlatformApi } from '../platform/api/start-platform-api.ts';
import { startMailer } from '../platform/mail/start-mailer.ts';
import { loadPortal } from '../platform/portal/load-portal.ts';
import { loadReference } from '../platform/reference/load-reference.ts';
import { startDatabase } from '../store/start-database.ts';
import { toReloadChanges } from '../tell/history/change-subject.ts';
import { startHistory } from '../tell/history/start-history.ts';
import { startIncidents } from '../tell/incidents/start-incidents.ts';
import { createOwnMetrics } from '../tell/metrics/create-own-metrics.ts';
import { createScrapes } from '../tell/metrics/create-scrapes.ts';
import { startPush } from '../tell/notify/start-push.ts';
import { createReloader } from '../watch/inventory/create-reloader.ts';
import { findWarnings } from '../watch/inventory/find-warnings.ts';
import { listParentChains } from '../watch/inventory/list-parent-chains.ts';
import { readInThread } from '../watch/inventory/read-in-thread.ts';
import { createMonitor } from '../watch/monitor/create-monitor.ts';
import { startPlannedWork } from '../watch/planned/start-planned-work.ts';
import { answerUnreadable } from '../web/answer-broken-requests.ts';
import { createCheckRequest } from '../web/check-user.ts';
import { createRoutes } from '../web/create-routes.ts';
import { toFleetStatus } from '../web/fleet-route.ts';
import { toMasternodesStatus } from '../web/subnet-routes.ts';
import { toStatus } from '../web/to-status.ts';
import type { App, AppOptions } from './app-options.ts';
import { countDescriptors, planDescriptors } from './limits/descriptors.ts';
import { warnOfDescriptors, watchOwnLimits } from './limits/watch-own-limits.ts';
import { loadPages } from './load-pages.ts';

/** How long current requests may take to end. */
const DRAIN_MS = 2_000;

/**
 * Time limits for the parts, then for the database, to which the parts write until then. The promise for all is 5 s.
 */
const PARTS_MS = 3_000;
const DATABASE_MS = 900;

/** Wires the parts and starts them. With a bad inventory, it returns its errors instead. */
export async function startApp(
  options: AppOptions,
): Promise<{ readonly ok: true; readonly app: App } | { readonly ok: false; readonly errors: readonly string[] }> {
  const { configPath, environment, build, log, listener, clock } = options;
  const { now, toWall } = clock;
  const startedAt = now();
  let lateAt: number | undefined;
  const first = await readInThread(configPath, environment);
  if (!first.ok) return first;
  /** The part of it that is watched here. */
  let { inventory } = first;

  const bugs = createInternalErrors(log);
  const notStored = (what: string) => (error: unknown) => {
    const cause = describeCause(error);
    if (!isAway(cause)) log.warn({ cause }, `${what} cannot be stored now; subnetd tries again`);
  };
  const database = startDatabase(options.platform.database, log, options.platform.secretKeys);
  const wall = () => toWall(now());
  const { mail } = options.platform;
  const mailer = mail && startMailer({ settings: mail, store: database.mails, log, now: wall, onBug: bugs.of('mail') });
  const api = startPlatformApi({
    settings: options.platform,
    database,
    mails: mailer,
    parentChains: {
      list: () => listParentChains(inventory),
      readBalance: async (...call) => (await import('../watch/probes/read-balance.ts')).readBalance(...call),
    },
    log,
    now: wall,
    onBug: bugs.of('api'),
  });
  const descriptors = planDescriptors(options.descriptorLimit);
  const plannedWork = startPlannedWork({
    store: database.plannedWork,
    clock,
    onFailure: (error) =>
      log.warn({ cause: describeCause(error) }, 'planned work cannot be read from the database; what is known stays'),
    onNews: (begun, ended) => {
      for (const work of begun) log.info({ work }, 'planned work was announced');
      for (const work of ended) log.info({ work }, 'planned work was ended early');
    },
  });
  const monitor = createMonitor({
    clock,
    plannedWork: () => plannedWork.at(wall()),
    ownPort: listener.port,
    scheduled: true,
    limits: { connections: descriptors.probes, logFiles: descriptors.logFiles },
    positions: database.positions(options.instance),
    onFinished: (...round) => ownMetrics.roundFinished(...round),
    onLate: (subnet, round, why) => {
      ownMetrics.roundLate(subnet, round);
      push.roundLate(subnet);
      lateAt = now();
      log.warn({ subnet, round, why }, 'a round is late');
    },
    onLogLost: ({ subnet, component, name }, after, times) =>
      log.warn(
        { subnet, component, target: name, after, times },
        'Docker threw log lines away before they were read; give the log of the container a larger max-size',
      ),
    onBug: bugs.report,
  });
  const fleet = startFleet({
    shard: options.shard,
    instance: options.instance,
    database,
    clock,
    log,
    snapshot: monitor.snapshot,
    onBug: bugs.of('fleet'),
    isSettled: (subnet) => monitor.isReadyFor(subnet) && incidents.isSettled(subnet),
    areAlertsJudged: (subnet) => push.isJudged(subnet),
    watch: (part) => watch(part),
  });

  const places = { own: options.instance, shared: fleet.stateOf };
  const push = startPush({
    instance: options.instance,
    publicUrl: options.publicUrl,
    grafanaUrl: options.grafanaUrl,
    log,
    internalErrors: bugs,
    clock,
    readAlertInput: () => ({
      snapshot: monitor.snapshot(),
      intervalMs: monitor.intervalMs,
      enginesUp: monitor.enginesUp(),
      isDatabaseUp: database.isUp(),
      fleet: fleet.view(),
      lastReloadSuccessful: reloader.last().successful,
    }),
    part: fleet.part,
    store: database.alerts(places),
    notified: database.notified(places),
    mail,
    onAccepted: (...notification) => incidents.addNotification(...notification),
  });

  /** Watches all of this and nothing else, or throws and changes nothing. */
  const watch = (part: Inventory) => {
    monitor.load(part);
    plannedWork.setWindows(part.maintenance ?? []);
    inventory = part;
    push.setReceivers(inventory);
    incidents.readStored();
    ownMetrics.keepRounds((subnet, round) => monitor.intervalMs(subnet, round) !== undefined);
  };
  /** Loads a whole inventory, or throws and changes nothing. */
  const load = (whole: Inventory) => {
    fleet.load(whole);
    for (const warning of findWarnings(inventory, wall())) log.warn(warning);
    warnOfDescriptors(inventory, options.descriptorLimit, log);
  };

  /** Loads a later inventory, which each subnet's history then shows. */
  const reload = (whole: Inventory) => {
    load(whole);
    history.note(toReloadChanges(inventory, wall()));
  };
  const reloader = createReloader({ ...options, hash: first.hash, load: reload, now, onBug: bugs.of('inventory') });
  // In wall time.
  const lastReload = () => ({ ...reloader.last(), successAt: toWall(reloader.last().successAt) });
  const history = startHistory({
    store: () => database.history(fleet.stateOf),
    part: fleet.part,
    snapshot: monitor.snapshot,
    clock,
    keptDays: options.history,
    onFailure: notStored('the history'),
    onBug: bugs.of('history'),
    onChanges: (changes) => incidents.addChanges(changes),
  });
  const incidents = startIncidents({
    store: () => database.incidents(fleet.stateOf),
    part: fleet.part,
    history: () => database.history(fleet.stateOf),
    minutesOf: history.minutesOf,
    snapshot: monitor.unexplained,
    explained: monitor.snapshot,
    clock,
    keptDays: options.history.incidents,
    readLastLines: monitor.readLastLines,
    isNotifying: push.isOn,
    log,
    onFailure: notStored('incidents'),
    onBug: bugs.of('incidents'),
    onRestored: (subnet, problems) => monitor.restoreProblems(subnet, problems, now()),
  });
  const ownMetrics = createOwnMetrics(build, {
    shard: options.shard,
    fleet: fleet.view,
    enginesUp: monitor.enginesUp,
    isDatabaseUp: database.isUp,
    locks: database.election.locks,
    lastReload,
    alerts: () => push.counts,
    historyDropped: history.dropped,
    internalErrors: bugs.counts,
    logMessages: options.logMessages,
    openDescriptors: countDescriptors,
    maxDescriptors: () => options.descriptorLimit,
    connections: listener.connections,
  });

  const scrapes = createScrapes({
    snapshot: monitor.unexplained,
    intervalMs: monitor.intervalMs,
    clock,
    renderOwn: ownMetrics.render,
  });
  const pages = loadPages({
    options,
    startedAt,
    lateAt: () => lateAt,
    lastReload,
    isDatabaseUp: database.isUp,
    monitor,
    fleet,
    history,
    incidents,
    scrapes,
    onBug: bugs.of('page'),
  });
  const { trustedProxies } = options.platform;
  const isSecure = createIsSecure(listener.url.startsWith('https:'), trustedProxies);
  const portal = loadPortal(api, { version: build.version, isSecure, publicUrl: options.publicUrl });
  const reference = loadReference(api.openApi, build.version);

  const status = () => toStatus(monitor.snapshot(), toWall);
  const routes = createRoutes({
    scrape: scrapes.answer,
    status,
    masternodes: () => toMasternodesStatus(monitor.snapshot()),
    fleet: () => toFleetStatus(fleet.view(), fleet.ownSubnets(), wall()),
    pages: pages.get,
    history: () => database.history(fleet.stateOf),
    isAlive: monitor.isAlive,
    isReady: monitor.isReady,
    reload: () => reloader.reload('request'),
    probe: monitor.probeTarget,
    mayRestart: monitor.restarts.ask,
    api,
    corsOrigins: options.platform.corsOrigins,
    reference: reference.get,
    portal: async (request) => (await portal.get()).answer(request),
    checkUser: createCheckRequest(options.checkUser, trustedProxies, api.recordRefusedUser),
    isPublic: options.isPublic,
    isSecure,
    onRequest: ({ method, route, status, seconds, requestId }) => {
      ownMetrics.requestFinished(method, route, status, seconds);
      log.debug({ requestId, method, route, status, ms: Math.round(seconds * 1_000) }, 'answered');
    },
    onError: (error, requestId) => bugs.report(error, 'request', { requestId }),
  });

  load(first.inventory);
  const ownLimits = watchOwnLimits(listener, options.descriptorLimit, log);
  reloader.watch(first.text);
  listener.setHandler(getRequestListener(routes.fetch, { hostname: 'localhost', errorHandler: answerUnreadable }));
  // A daemon at rest hardly collects its heap: what the start leaves there would stay for hours.
  collectGarbageSoon();

  return {
    ok: true,
    app: {
      status,
      reload: reloader.reload,
      stop: async () => {
        reloader.stop();
        (await pages.started())?.stop();
        const end = async (part: string, withinMs: number, ended: Promise<unknown>) => {
          ended.catch((error: unknown) => bugs.report(error, 'stop', { part }));
          if (!(await settleWithin(withinMs, ended)))
            log.warn({ part }, 'a part did not stop in time and is abandoned');
        };
        await Promise.all([
          end('the history', PARTS_MS, history.stop()),
          end('the incidents', PARTS_MS, incidents.stop()),
          end('the monitor', PARTS_MS, monitor.stop()),
          end('the push of alerts', PARTS_MS, push.stop()),
          end('the fleet', PARTS_MS, fleet.stop()),
          end('the planned work', PARTS_MS, plannedWork.stop()),
          end('the mailer', PARTS_MS, mailer?.stop() ?? Promise.resolve()),
          end('the server', PARTS_MS, listener.stop(DRAIN_MS)),
        ]);
        ownLimits.stop();
        ownMetrics.stop();
        await end('the database', DATABASE_MS, api.stop().then(database.stop));
      },
    },
  };
}
