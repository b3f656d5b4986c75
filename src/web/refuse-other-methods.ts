import type { Hono } from 'hono';
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
    const text = `this path takes ${allowed.join(' and ')} only\n`;
    // In public mode a route passes on who has a credential.
    app.all(path, async (c, next) =>
      allowed.includes(c.req.method) ? next() : c.text(text, 405, { allow: allowed.join(', ') }),
    );
  }
}
