import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { type ApiRoutes, addApiRoutes, reloadRefusal } from './api-routes.ts';
import { landingPage } from './landing-page.ts';
import type { Status } from './to-status.ts';

/** What the routes are made of. */
export interface RouteDeps {
  readonly version: string;
  readonly metrics: () => Promise<string>;
  readonly status: () => Status;
  readonly isAlive: () => boolean;
  readonly isReady: () => boolean;
  /** Resolves to the problems of the new inventory; none means that it is in force. */
  readonly reload: () => Promise<readonly string[]>;
  readonly api: ApiRoutes;
  readonly onRequest: (method: string, route: string, status: number, seconds: number) => void;
  readonly onError: (error: unknown) => void;
}

/** `@hono/node-server` hands over Node's own request. */
interface Env {
  readonly Bindings: { readonly incoming?: IncomingMessage };
  readonly Variables: { readonly route?: string };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const compress = promisify(gzip);

/** Measures every request by the pattern of its route, never by its path. */
const measure = (onRequest: RouteDeps['onRequest']) =>
  createMiddleware<Env>(async (c, next) => {
    const started = performance.now();
    await next();
    const route = c.res.status === 404 ? 'none' : (c.get('route') ?? routePath(c, -1));
    const method = METHODS.has(c.req.method) ? c.req.method : 'other';
    onRequest(method, route, c.res.status, (performance.now() - started) / 1000);
  });

/** The routes of the daemon. */
export function createRoutes(deps: RouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.use(measure(deps.onRequest));
  app.use(secureHeaders());
  app.onError((error, c) => {
    deps.onError(error);
    return c.text('internal error; the log of subnetd says more\n', 500);
  });
  app.notFound((c) => c.text('nothing is here; / lists what is\n', 404));

  app.get('/livez', (c) =>
    deps.isAlive() ? c.text('ok\n') : c.text('the scheduler has missed its rounds; restart subnetd\n', 503),
  );
  app.get('/readyz', (c) =>
    deps.isReady() ? c.text('ok\n') : c.text('the first round of looks has not ended yet; wait\n', 503),
  );
  app.get('/metrics', async (c) => {
    const page = await deps.metrics();
    c.header('Content-Type', METRICS_TYPE);
    c.header('Vary', 'Accept-Encoding');
    const encoding = accepts(c, { header: 'Accept-Encoding', supports: ['gzip', 'identity'], default: 'identity' });
    if (encoding !== 'gzip') return c.body(page);
    c.header('Content-Encoding', 'gzip');
    return c.body(await compress(page, { level: 1 }));
  });
  app.get('/status.json', (c) => c.json(deps.status()));
  app.get('/', (c) => c.html(landingPage(deps.status(), deps.version)));

  app.get('/alerts', async (c) => c.html((await import('./alert-pages.ts')).alertList()));
  app.get('/alerts/:name', async (c) => {
    const { alertPage } = await import('./alert-pages.ts');
    const { found, body } = await alertPage(c.req.param('name'));
    return c.html(body, found ? 200 : 404);
  });

  addApiRoutes(app, deps.api);
  app.post('/-/reload', async (c) => {
    const refused = await reloadRefusal(deps.api, c.req.raw, c.env?.incoming?.socket.remoteAddress);
    if (refused !== undefined) return refused;
    const problems = await deps.reload();
    return problems.length === 0 ? c.text('reloaded\n') : c.text(`${problems.join('\n')}\n`, 400);
  });
  return app;
}
