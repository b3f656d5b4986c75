import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import type { ReceivedRequest } from '../model/received-request.ts';
import { cachedText } from './cached-text.ts';

/** Why a request is refused, in the codes of the platform API. */
interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The platform API as the server sees it. */
export interface ApiRoutes {
  readonly answer: (request: ReceivedRequest) => Promise<Response>;
  readonly authorize: (
    request: ReceivedRequest,
    needed: 'operate',
  ) => Promise<
    | { readonly ok: true; readonly value: { readonly owner: number; readonly credential: string } }
    | { readonly ok: false; readonly failure: Refusal }
  >;
  readonly openApi: () => Promise<string>;
}

/** `@hono/node-server` hands over Node's own request. */
export interface RoutesEnv {
  readonly Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };
  readonly Variables: { readonly route?: string };
}

/** A request, as the server has received it. */
export function toReceived(c: Context<RoutesEnv>): ReceivedRequest {
  const { incoming, outgoing } = c.env ?? {};
  return {
    request: c.req.raw,
    remoteAddress: incoming?.socket.remoteAddress,
    ...(outgoing && { breakOff: () => void outgoing.destroy() }),
  };
}

/** What a page of another origin may send and see. */
const CORS = {
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT'],
  allowHeaders: [
    'authorization',
    'content-type',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'prefer',
    'x-api-key',
    'x-request-id',
  ],
  exposeHeaders: [
    ...['etag', 'retry-after', 'ratelimit-policy', 'ratelimit', 'ratelimit-limit', 'ratelimit-remaining'],
    ...['ratelimit-reset', 'api-key-expires', 'idempotent-replayed', 'preference-applied', 'x-request-id'],
  ],
  maxAge: 600,
};

/** Lets pages of the listed origins use the API; the browser keeps all others from its answers. */
function addCors(app: Hono<RoutesEnv>, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allow = cors({ ...CORS, origin: [...origins] });
  app.use('/api/*', async (c, next) => {
    if (origins.includes(c.req.header('origin') ?? '')) return allow(c, next);
    await next();
    c.header('Vary', 'Origin', { append: true });
  });
}

/** The platform API and its description for programs. `corsOrigins` are those whose pages may use it. */
export function addApiRoutes(app: Hono<RoutesEnv>, api: ApiRoutes, corsOrigins: readonly string[] = []): void {
  addCors(app, corsOrigins);
  const packed = compress({ encoding: 'gzip' });
  const respond = (c: Context<RoutesEnv>) =>
    api.answer({ ...toReceived(c), onRoute: (route) => c.set('route', route) });
  // Not as a middleware, which would cost every request.
  const answer = async (c: Context<RoutesEnv>) => {
    if (c.req.header('accept-encoding') === undefined) return respond(c);
    await packed(c, async () => {
      c.res = await respond(c);
    });
    return c.res;
  };
  const describe = cachedText(api.openApi, 'application/json');
  app.get('/api/openapi.json', describe);
  app.get('/api/v1/openapi.json', describe);
  app.all('/api', answer);
  app.all('/api/*', answer);
}

/** The developer portal as the server sees it. */
export type PortalAnswers = (request: ReceivedRequest) => Promise<Response>;

/** Where the images are that were uploaded for records. */
export const IMAGES = '/images/';

/** The developer portal, and the images of its records. Its pages are not compressed: they hold a token, and what a visitor typed. */
export function addPortalRoutes(app: Hono<RoutesEnv>, portal: PortalAnswers): void {
  const answer = (c: Context<RoutesEnv>) => portal(toReceived(c));
  app.all('/portal', answer);
  app.all('/portal/*', answer);
  app.all(`${IMAGES}*`, answer);
}

const STATUS: Readonly<Record<number, number>> = { 1101: 401, 1104: 403, 1105: 500, 1106: 500 };

/**
 * The answer, as text, to a request without a credential that may operate the daemon. `needed` says what it takes, `instead`
 * what works without the database.
 */
export function toOperateRefusal(
  { code, message, headers }: Refusal,
  needed: string,
  instead = 'wait until it is back',
): Response {
  const text =
    code === 1106 ? `the database failed, so credentials cannot be checked; ${instead}` : `${message}; ${needed}`;
  const status = STATUS[code] ?? 400;
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="subnetd"' } : {};
  return new Response(`${text}\n`, { status, headers: { ...challenge, ...headers } });
}

/** The same for a reload; undefined when it has one. */
export async function reloadRefusal(api: ApiRoutes, received: ReceivedRequest): Promise<Response | undefined> {
  const authorized = await api.authorize(received, 'operate');
  if (authorized.ok) return undefined;
  const needed = 'a reload needs an API key or a token with the scope operate, or send SIGHUP';
  return toOperateRefusal(authorized.failure, needed, 'send SIGHUP instead');
}
