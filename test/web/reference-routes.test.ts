import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { addReferenceRoutes } from '../../src/web/reference-routes.ts';

it('the reference of the API is made and packed once, whatever is searched for', async () => {
  let made = 0;
  const index = () => {
    made += 1;
    return `page ${made}`;
  };
  const pages = new Map([
    ['/docs', index],
    ['/docs/codes', () => 'codes'],
  ]);
  const app = new Hono<never>();
  addReferenceRoutes(app as never, async () => ({ pages, tryIt: () => 'try', readAsset: async () => '' }));
  const ask = (path: string, headers = {}) => app.request(path, { headers });
  const tags = new Set<string | null>();
  for (const path of ['/docs', '/docs?q=sector', `/docs?q=${'x'.repeat(5_000)}`, '/docs?q=a&q=b']) {
    const answer = await ask(path);
    expect(await answer.text()).toBe('page 1');
    tags.add(answer.headers.get('etag'));
  }
  expect([made, tags.size]).toEqual([1, 1]);
  expect((await ask('/docs?q=other', { 'if-none-match': [...tags][0] })).status).toBe(304);
  expect(await (await ask('/docs/codes')).text()).toBe('codes');
  expect(await (await ask('/docs/try')).text()).toBe('try');
  expect((await ask('/docs/nothing')).status).toBe(404);
});
