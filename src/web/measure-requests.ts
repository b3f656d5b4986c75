import { finished } from 'node:stream';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { RoutesEnv } from './api-routes.ts';
import { REQUEST_ID } from './receive-requests.ts';

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
