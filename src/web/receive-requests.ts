import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Context, Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { isDatabaseFailure } from '../lib/database-failure.ts';
import type { RoutesEnv } from './api-routes.ts';

/**
 * Refuses every other method on the paths that have routes so far, with 405 and the methods that a path takes. A path with a
 * route for all methods answers for itself.
 */
export function refuseOtherMethods(app: Hono<RoutesEnv>): void {
  const taken = Map.groupBy(app.routes, ({ path }) => path);
  for (const [path, routes] of taken) {
    const methods = new Set(routes.map(({ method }) => method));
    if (methods.has('ALL')) continue;
    const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const text = `this path accepts only ${allowed.join(' and ')}\n`;
    // In public mode a route passes on who has a credential.
    app.all(path, async (c, next) =>
      allowed.includes(c.req.method) ? next() : c.text(text, 405, { allow: allowed.join(', ') }),
    );
  }
}

/** The header with the id of a request, also on its answer. */
export const REQUEST_ID = 'x-request-id';

/** Runs a handler. While the database does not answer, the answer says what is `lost`, and what to do. */
export const orAway =
  (lost: string, handler: (c: Context<RoutesEnv>) => Promise<Response>) =>
  async (c: Context<RoutesEnv>): Promise<Response> => {
    try {
      return await handler(c);
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
      return c.text(`the database does not answer, so ${lost}\n`, 503);
    }
  };

/** The API's envelope of a failure, as JSON, for requests that no route answers: one of them may have been for the platform API. */
export const failedEnvelope = (code: number, message: string): string =>
  JSON.stringify({ status: 'failed', appErrorCode: code, errMessage: message });

/** A client's id is kept if it is short and harmless in a header or a log. */
const isSafeId = (id: unknown): id is string => typeof id === 'string' && /^[\w.=-]{1,64}$/.test(id);

/** Puts a safe id on the request, instead of the client's, and on its answer. */
function identify(request: IncomingMessage, response: ServerResponse): void {
  const sent = request.headers[REQUEST_ID];
  const id = isSafeId(sent) ? sent : crypto.randomUUID();
  if (id !== sent) {
    const { rawHeaders } = request;
    if (sent !== undefined)
      for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
        if (rawHeaders[at]?.toLowerCase() === REQUEST_ID) rawHeaders.splice(at, 2);
    rawHeaders.push(REQUEST_ID, id);
    request.headers[REQUEST_ID] = id;
  }
  response.setHeader(REQUEST_ID, id);
}

/** HTTP/1.1 needs exactly one Host header. A proxy and subnetd may read two of them differently. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** Gives each request its id and refuses one with an ambiguous host, before anything else sees it. */
export const receiveRequests =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    identify(request, response);
    if (hasOneHost(request)) {
      handle(request, response);
      return;
    }
    response.writeHead(400, { connection: 'close', 'content-type': 'application/json' });
    response.end(failedEnvelope(1001, 'the request needs exactly one Host header; correct it'));
  };

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of its route, `none` where there is none; never its path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  readonly requestId: string | undefined;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The pattern of the middleware for every route. */
const EVERY_PATH = '/*';

const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Measures every request until its answer has been sent, and a stream of events until it begins. */
export const measureRequests = (onRequest: (request: AnsweredRequest) => void) =>
  createMiddleware<RoutesEnv>(async (c, next) => {
    const started = performance.now();
    await next();
    const pattern = c.get('route') ?? routePath(c, -1);
    const request = {
      method: METHODS.has(c.req.method) ? c.req.method : 'other',
      route: pattern === EVERY_PATH ? 'none' : pattern,
      status: c.res.status,
      requestId: c.req.header(REQUEST_ID),
    };
    const end = () => onRequest({ ...request, seconds: (performance.now() - started) / 1000 });
    const outgoing = c.env?.outgoing;
    if (outgoing === undefined || isEventStream(c.res)) end();
    else finished(outgoing, end);
  });
