import type { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { RoutesEnv } from './api-routes.ts';
import { cachedText } from './cached-text.ts';

const FILES = ['reference.css', 'reference.js', 'try.js'] as const;

/** The reference of the API as the server sees it. */
export interface ReferencePages {
  /** By their paths, from `/docs` on. */
  readonly pages: ReadonlyMap<string, () => string>;
  readonly tryIt: (operation?: string) => string;
  readonly readAsset: (name: (typeof FILES)[number]) => Promise<string>;
}

/** The reference and its files, which are open to all. What is large is made once, whatever a request searches for. */
export function addReferenceRoutes(app: Hono<RoutesEnv>, reference: () => Promise<ReferencePages>): void {
  const made = new Map<string, ReturnType<typeof cachedText>>();
  app.get('/docs/try', compress(), async (c) => c.html((await reference()).tryIt(c.req.query('operation'))));
  app.get('/docs/:page?', async (c) => {
    const { path } = c.req;
    const make = (await reference()).pages.get(path);
    if (make === undefined) return c.notFound();
    const answer = made.get(path) ?? cachedText(make, 'text/html; charset=UTF-8');
    made.set(path, answer);
    return answer(c);
  });
  for (const name of FILES) {
    const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    app.get(
      `/assets/${name}`,
      cachedText(async () => (await reference()).readAsset(name), type),
    );
  }
}
