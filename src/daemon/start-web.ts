import { getRequestListener } from '@hono/node-server';
import { createIsSecure } from '../lib/addresses.ts';
import type { WatchedMs } from '../lib/clock.ts';
import { startPlatformApi } from '../platform/api/start-platform-api.ts';
import { loadReference } from '../platform/reference/load-reference.ts';
import { createOwnMetrics } from '../tell/metrics/create-own-metrics.ts';
import { createScrapes } from '../tell/metrics/create-scrapes.ts';
import { answerWhatIf } from '../watch/planned/answer-what-if.ts';
import { answerUnreadable } from '../web/answer-broken-requests.ts';
import { createCheckRequest } from '../web/check-user.ts';
import { createRoutes } from '../web/create-routes.ts';
import { toFleetStatus } from '../web/fleet-route.ts';
import { toScrapeTargets } from '../web/scrape-targets.ts';
import { toMasternodesStatus } from '../web/subnet-routes.ts';
import { toStatus } from '../web/to-status.ts';
import type { App, AppOptions } from './app-options.ts';
import { countDescriptors } from './limits/descriptors.ts';
import { loadPages, loadPortal } from './load-pages.ts';
import type { Store } from './open-store.ts';
import type { Watch } from './start-watch.ts';

/** How long current requests may take to end. */
const DRAIN_MS = 2_000;

/** All that the port answers. */
export interface Web {
  readonly status: App['status'];
  /** Ends the current requests, for a limited time. */
  stop(): Promise<void>;
  /** Ends the platform API, which writes to the database until then. */
  readonly stopApi: () => Promise<void>;
}

/** Answers the port from now on. */
export function startWeb(options: AppOptions, store: Store, watch: Watch): Web {
  const { build, clock, listener, log, platform, publicUrl, shard } = options;
  const { bugs, database, mailer, wall } = store;
  const { monitor, fleet, history, incidents, push, reloader } = watch;
  const { toWall } = clock;
  const startedAt = clock.now();
  const api = startPlatformApi({
    ...{ settings: platform, database, mails: mailer, log, now: wall, onBug: bugs.of('api') },
    parentChains: {
      list: () =>
        monitor
          .snapshot()
          .flatMap(({ subnet: { name, parentChain } }) =>
            parentChain === undefined ? [] : [{ subnet: name, rpc: parentChain.rpc }],
          ),
      readBalance: async (...call) => (await import('../watch/probes/parent-client.ts')).readBalance(...call),
    },
  });
  const lastReload = () => ({ ...reloader.last(), successAt: toWall(reloader.last().successAt) });
  const ownMetrics = createOwnMetrics(build, {
    ...{ shard, lastReload, fleet: fleet.view, enginesUp: monitor.enginesUp, isDatabaseUp: database.isUp },
    locks: database.election.locks,
    alerts: () => push.counts,
    historyDropped: history.dropped,
    internalErrors: bugs.counts,
    logMessages: options.logMessages,
    openDescriptors: countDescriptors,
    maxDescriptors: () => options.descriptorLimit,
    connections: listener.connections,
  });
  let lateAt: WatchedMs | undefined;
  monitor.onRound({
    onFinished: ownMetrics.roundFinished,
    onLate: (subnet, round) => {
      ownMetrics.roundLate(subnet, round);
      lateAt = clock.now();
    },
  });
  const scrapes = createScrapes({
    ...{ snapshot: () => incidents.addAcknowledgements(monitor.unexplained()), intervalMs: monitor.intervalMs, clock },
    renderOwn: (format) => {
      ownMetrics.keepRounds((subnet, round) => monitor.intervalMs(subnet, round) !== undefined);
      return ownMetrics.render(format);
    },
  });
  const pages = loadPages({
    ...{ options, startedAt, lateAt: () => lateAt, lastReload, isDatabaseUp: database.isUp, scrapes },
    ...{ monitor, fleet, history, incidents: { ...incidents, isNotifying: push.isOn } },
    onBug: bugs.of('page'),
  });
  const { trustedProxies, corsOrigins } = platform;
  const isSecure = createIsSecure(listener.url.startsWith('https:'), trustedProxies);
  const portal = loadPortal(api, { version: build.version, isSecure, publicUrl });
  const reference = loadReference(api.openApi, build.version);
  const status = () => toStatus(incidents.addAcknowledgements(monitor.snapshot()), toWall);
  const routes = createRoutes({
    scrape: scrapes.answer,
    status,
    masternodes: () => toMasternodesStatus(monitor.snapshot()),
    scrapeTargets: () => toScrapeTargets(monitor.snapshot()),
    fleet: () => toFleetStatus(fleet.view(), fleet.ownSubnets(), wall()),
    pages: pages.get,
    history: () => database.history(fleet.stateOf),
    isAlive: monitor.isAlive,
    isReady: monitor.isReady,
    reload: () => reloader.reload('request'),
    probe: monitor.probeTarget,
    mayRestart: monitor.restarts.ask,
    whatIf: (subnet, words) => answerWhatIf(monitor.snapshot(), subnet, words),
    api,
    corsOrigins,
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
  listener.setHandler(getRequestListener(routes.fetch, { hostname: 'localhost', errorHandler: answerUnreadable }));
  return {
    status,
    stop: async () => {
      (await pages.started())?.stop();
      await listener.stop(DRAIN_MS);
      ownMetrics.stop();
    },
    stopApi: api.stop,
  };
}
