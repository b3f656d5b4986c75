import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { MONITOR_QUESTION } from '../model/exposure.ts';
import type { HistoryStore } from '../model/history.ts';
import type { ReceivedRequest } from '../model/received-request.ts';
import type { RestartResult } from '../model/restart-answer.ts';
import type { StopResult } from '../model/stop-forecast.ts';
import type { ScrapeAnswer, ScrapeRequest } from '../tell/metrics/create-scrapes.ts';
import {
  type ApiRoutes,
  addApiRoutes,
  addPortalRoutes,
  IMAGES,
  type PortalAnswers,
  type RoutesEnv,
  reloadRefusal,
  toReceived,
} from './api-routes.ts';
import { cachedText } from './cached-text.ts';
import { type CheckRequest, requireUser } from './check-user.ts';
import { answerFleet, type FleetStatus } from './fleet-route.ts';
import { answerChanges, answerUptimes } from './history-routes.ts';
import { addIncidentRoutes, addOpenIncidentRoutes } from './incident-routes.ts';
import { answerMetrics } from './metrics-route.ts';
import type { Pages } from './pages/create-pages.ts';
import { answerMissing } from './pages/missing-page.ts';
import { assets } from './pages/paths.ts';
import { type AnsweredRequest, measureRequests, REQUEST_ID, refuseOtherMethods } from './receive-requests.ts';
import { addReferenceRoutes, type ReferencePages } from './reference-routes.ts';
import type { ScrapeTarget } from './scrape-targets.ts';
import {
  addProbeRoute,
  answerMasternodes,
  answerRestart,
  answerStop,
  type MasternodesStatus,
} from './subnet-routes.ts';
import type { Status } from './to-status.ts';

/** What the routes are made of. */
export interface RouteDeps {
  readonly scrape: (request: ScrapeRequest) => Promise<ScrapeAnswer>;
  readonly status: () => Status;
  readonly masternodes: () => MasternodesStatus;
  /** The metrics endpoints beside its own, for Prometheus to discover. */
  readonly scrapeTargets?: () => readonly ScrapeTarget[];
  /** Undefined where there is no fleet. */
  readonly fleet?: () => FleetStatus | undefined;
  readonly pages: () => Promise<Pages>;
  /** What happened; rejects with a `DatabaseFailure` while the database is down. */
  readonly history: () => Promise<HistoryStore>;
  readonly isAlive: () => boolean;
  readonly isReady: () => boolean;
  /** Resolves to the errors of the new inventory; without errors it is active. */
  readonly reload: () => Promise<readonly string[]>;
  /** Probes a target at once; undefined when the inventory has no such target. */
  readonly probe: (subnet: string, name: string) => Promise<void> | undefined;
  /** Whether a node may be restarted now; without a subnet, the only one that has the node is meant. */
  readonly mayRestart: (subnet: string | undefined, node: string) => Promise<RestartResult>;
  /** What would happen if some targets were stopped now; without a subnet, in all that have them. */
  readonly whatIf: (subnet: string | undefined, words: readonly string[]) => StopResult;
  readonly api: ApiRoutes;
  /** The origins whose pages may use the platform API. */
  readonly corsOrigins?: readonly string[];
  /** The reference of the API, loaded for the first who looks. */
  readonly reference: () => Promise<ReferencePages>;
  /** Answers the requests of the developer portal, which has sessions of its own. */
  readonly portal: PortalAnswers;
  /** Guards every route except the open ones; undefined leaves everything open. */
  readonly checkUser: CheckRequest | undefined;
  /** Whether people without a credential see the page for everybody, and badges. */
  readonly isPublic?: boolean;
  /** Whether the client of a request came by TLS. */
  readonly isSecure: (received: ReceivedRequest) => boolean;
  readonly onRequest: (request: AnsweredRequest) => void;
  readonly onError: (error: unknown, requestId: string | undefined) => void;
}

/** Security headers: pages load styles, scripts and images of this host and nothing else, and nobody frames them. */
const PAGE = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // With `no-referrer`, a browser names no origin with a form, and over plain HTTP that is all that shows who made it.
  referrerPolicy: 'same-origin',
};

/** An image may be shown by any page, and does nothing, whatever it holds. */
const IMAGE = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], sandbox: [] },
  crossOriginResourcePolicy: 'cross-origin',
};

const security = (headers: typeof PAGE | typeof IMAGE, isSecure: boolean) =>
  secureHeaders({ ...headers, strictTransportSecurity: isSecure ? 'max-age=15552000' : false });

/**
 * The routes of the daemon. Routes before the guard are open or check their own credentials; the guard covers the
 * rest.
 */
export function createRoutes(deps: RouteDeps): Hono<RoutesEnv> {
  const app = new Hono<RoutesEnv>();
  app.use(measureRequests(deps.onRequest));
  const overTls = [security(PAGE, true), security(IMAGE, true)] as const;
  const inClear = [security(PAGE, false), security(IMAGE, false)] as const;
  app.use((c, next) => {
    const [forPage, forImage] = deps.isSecure(toReceived(c)) ? overTls : inClear;
    return (c.req.path.startsWith(IMAGES) ? forImage : forPage)(c, next);
  });
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    deps.onError(error, c.req.header(REQUEST_ID));
    return c.text('internal error; the log of subnetd says more\n', 500);
  });
  app.notFound((c) => answerMissing(c, 'nothing has this address'));

  app.get('/livez', (c) =>
    deps.isAlive() ? c.text('ok\n') : c.text('the scheduler has missed its rounds; restart subnetd\n', 503),
  );
  app.get('/readyz', (c) =>
    deps.isReady() ? c.text('ok\n') : c.text('the first round of probes has not finished yet; wait\n', 503),
  );
  for (const { path, type, read } of assets) app.get(path, cachedText(read, type));
  addApiRoutes(app, deps.api, deps.corsOrigins);
  addReferenceRoutes(app, deps.reference);
  addPortalRoutes(app, deps.portal);
  app.post('/-/reload', async (c) => {
    const refused = await reloadRefusal(deps.api, toReceived(c));
    if (refused !== undefined) return refused;
    const errors = await deps.reload();
    return errors.length === 0 ? c.text('reloaded\n') : c.text(`${errors.join('\n')}\n`, 400);
  });
  addProbeRoute(app, deps);
  addOpenIncidentRoutes(app, deps, deps.isPublic === true);
  refuseOtherMethods(app);

  const packed = compress();
  const badge = async (c: Context<RoutesEnv>) => {
    const svg = (await deps.pages()).badge((c.req.param('file') ?? '').replace(/\.svg$/, ''));
    if (svg === undefined) return c.text('the inventory has no such subnet\n', 404);
    return c.body(svg, 200, { 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  };
  if (deps.isPublic) {
    app.get('/', packed, async (c, next) => {
      const isKnown = c.req.header('authorization') !== undefined || c.req.query('full') !== undefined;
      return isKnown ? next() : c.html((await deps.pages()).everybody());
    });
    app.get('/badge/:file', badge);
  }

  if (deps.checkUser !== undefined) app.use(requireUser(deps.checkUser, `${MONITOR_QUESTION.guarded} are needed\n`));

  app.get('/metrics', answerMetrics(deps.scrape));
  app.get('/status.json', packed, (c) => c.json(deps.status()));
  app.get('/sd/targets.json', (c) => c.json(deps.scrapeTargets?.() ?? []));
  app.get('/fleet.json', answerFleet(deps.fleet ?? (() => undefined)));
  app.get('/masternodes.json', answerMasternodes(deps.masternodes));
  app.get(MONITOR_QUESTION.path, answerRestart(deps.mayRestart));
  app.get('/what-if', answerStop(deps.whatIf));
  app.get('/history.json', answerChanges(deps.history));
  app.get('/history.json/uptime', answerUptimes(deps.history));
  app.get('/', packed, async (c) => c.html(await (await deps.pages()).status(c.req.query())));
  app.get('/targets/:subnet/:name', packed, async (c) => {
    const [pages, subnet] = [await deps.pages(), c.req.param('subnet')];
    const page = await pages.target(subnet, c.req.param('name'), c.req.query());
    if (page !== undefined) return c.html(page);
    return answerMissing(c, pages.whereIs(subnet) ?? 'the inventory has no such target');
  });
  app.get('/badge/:file', badge);
  app.get('/events', async (c) => {
    const stream = (await deps.pages()).events(c.req.query());
    // Hono drops the body of an answer to HEAD unread, and the stream would take the place of somebody who looks.
    if (c.req.method === 'HEAD') await stream?.body?.cancel();
    return stream ?? c.text('there is nothing to stream, or too many streams are open\n', 503);
  });

  addIncidentRoutes(app, deps);
  app.get('/alerts', packed, async (c) => c.html((await deps.pages()).runbooks(c.req.query('search'))));
  app.get('/alerts/:name', packed, async (c) => {
    const pages = await deps.pages();
    const { found, body } = await pages.runbook(c.req.param('name'), c.req.query(), new URL(c.req.url).origin);
    return c.html(body, found ? 200 : 404);
  });
  refuseOtherMethods(app);
  return app;
}
