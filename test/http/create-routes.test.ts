import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createRoutes, type RouteDeps } from '../../src/http/create-routes.ts';

const status = {
  subnets: [
    {
      name: 'd',
      targets: [
        {
          component: 'node',
          name: '<b>a</b>',
          checks: [
            { check: 'peers', verdict: 'pass', reason: '<script>', since: '2026-01-01T00:00:00.000Z', lastRun: null },
          ],
        },
      ],
    },
  ],
};

/** A platform API that refuses what needs the scope write, or nothing. */
const apiThat = (refusal?: { readonly code: number; readonly message: string }): RouteDeps['api'] => ({
  answer: async () => new Response('{}'),
  platform: async () => ({ routeOf: () => '/api/*', refuseWrite: async () => refusal }),
  openApi: async () => '{}',
  docs: async () => '',
});

function routes(more: Partial<RouteDeps> = {}) {
  const requests: (readonly unknown[])[] = [];
  const errors: unknown[] = [];
  const app = createRoutes({
    version: '1.2.3',
    metrics: async () => 'a_metric 1\n',
    status: () => status,
    isAlive: () => true,
    isReady: () => true,
    reload: async () => [],
    api: apiThat(),
    onRequest: (method, route, code) => requests.push([method, route, code]),
    onError: (error) => errors.push(error),
    ...more,
  });
  return { app, requests, errors };
}

describe('the routes', () => {
  it('tell life and readiness', async () => {
    const { app } = routes({ isReady: () => false });
    expect((await app.request('/livez')).status).toBe(200);
    expect((await app.request('/readyz')).status).toBe(503);
    expect((await routes({ isAlive: () => false }).app.request('/livez')).status).toBe(503);
    expect((await routes().app.request('/readyz')).status).toBe(200);
  });

  it('give metrics as Prometheus reads them, compressed only when that is accepted', async () => {
    const { app } = routes();
    const plain = await app.request('/metrics');
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe('a_metric 1\n');
    const packed = await app.request('/metrics', { headers: { 'Accept-Encoding': 'gzip;q=1.0,*;q=0.1' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('a_metric 1\n');
    const refused = await app.request('/metrics', { headers: { 'Accept-Encoding': 'gzip;q=0' } });
    expect(refused.headers.get('content-encoding')).toBeNull();
  });

  it('give the status as JSON, and on a page that shows names and reasons as text', async () => {
    const { app } = routes();
    expect(await (await app.request('/status.json')).json()).toEqual(status);
    const page = await (await app.request('/')).text();
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<b>a</b>');
    for (const path of ['/metrics', '/status.json', '/alerts', '/livez', '/readyz'])
      expect(page).toContain(`href="${path}"`);
  });

  it('give the page of an alert, and 404 for one that there is not', async () => {
    const { app } = routes();
    const page = await app.request('/alerts/SubnetHalted');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(await page.text()).toContain('<h1>SubnetHalted</h1>');
    expect((await app.request('/alerts')).status).toBe(200);
    expect((await app.request('/alerts/Nothing')).status).toBe(404);
    expect((await app.request('/alerts/..%2f..%2fREADME')).status).toBe(404);
  });

  it('take a reload with a credential that may write only, and tell its problems', async () => {
    const { app } = routes({ reload: async () => ['f:1:1: subnets: bad'] });
    const bad = await app.request('/-/reload', { method: 'POST' });
    expect([bad.status, await bad.text()]).toEqual([400, 'f:1:1: subnets: bad\n']);
    const refused = routes({ api: apiThat({ code: 1104, message: 'may only read' }) });
    expect((await refused.app.request('/-/reload', { method: 'POST' })).status).toBe(403);
    expect((await routes().app.request('/-/reload', { method: 'POST' })).status).toBe(200);
  });

  it('count requests by the pattern of the route, never by the path', async () => {
    const { app, requests } = routes();
    await app.request('/livez?x=1');
    await app.request('/no/such/path');
    await app.request('/livez', { method: 'BREW' });
    expect(requests).toEqual([
      ['GET', '/livez', 200],
      ['GET', 'none', 404],
      ['other', 'none', 404],
    ]);
  });

  it('answer 500 without a word on the cause, which is for the log', async () => {
    const { app, errors } = routes({
      status: () => {
        throw new Error('secret');
      },
    });
    const response = await app.request('/status.json');
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(errors).toHaveLength(1);
  });
});
