import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createIsSecure, parseTrustedProxies } from '../../src/lib/addresses.ts';
import type { HistoryStore } from '../../src/model/history.ts';
import { createRoutes, type RouteDeps } from '../../src/web/create-routes.ts';
import { createPages } from '../../src/web/pages/create-pages.ts';
import type { Status } from '../../src/web/to-status.ts';
import { NO_INCIDENTS } from '../support/no-incidents.ts';
import { NO_STEPS } from '../support/no-steps.ts';

const status: Status = {
  subnets: [
    {
      name: 'd',
      headline: { standing: 'ok', sentence: 'd is well', detail: '' },
      problems: [],
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

/** A platform API that refuses what needs the scope operate, or nothing. */
const apiThat = (refusal?: { readonly code: number; readonly message: string }): RouteDeps['api'] => ({
  answer: async () => new Response('{}'),
  authorize: async () =>
    refusal === undefined ? { ok: true, value: { owner: 7, credential: 'key 3' } } : { ok: false, failure: refusal },
  openApi: async () => '{}',
});

const pagesDeps: Parameters<typeof createPages>[0] = {
  own: () => ({
    version: '1.2.3',
    startedAt: 0,
    reload: { successful: true, successAt: 0 },
    engines: new Map(),
    isDatabaseUp: true,
  }),
  snapshot: () => [],
  incidents: NO_INCIDENTS,
  history: {
    historyOf: () => ({ hours: [], days: [] }),
    ...NO_STEPS,
    checkHistoryOf: () => ({ halfHours: [], probes: [] }),
    changesOf: () => [],
    isPastRead: () => true,
  },
  matchingLines: () => [],
  mayRestart: () => undefined,
  outside: {},
  mayProbe: false,
  now: () => 0,
  toWall: (at) => at,
  onBug: (error) => {
    throw error;
  },
};
const pages = createPages(pagesDeps);
afterAll(pages.stop);

const noHistory: Omit<HistoryStore, 'changes' | 'days'> = {
  addTimes: async () => {},
  addMinutes: async () => {},
  addChanges: async () => {},
  putSteps: async () => {},
  steps: async () => [],
  uptimesAt: async () => [],
  minutesFrom: async () => [],
  trim: async () => false,
};

function routes(more: Partial<RouteDeps> = {}) {
  const requests: (readonly unknown[])[] = [];
  const errors: unknown[] = [];
  const app = createRoutes({
    scrape: async () => ({ kind: 'page', chunks: [Buffer.from('a_metric 1\n')] }),
    status: () => status,
    masternodes: () => ({ subnets: [] }),
    pages: async () => pages,
    history: async () => ({ ...noHistory, changes: async () => [], days: async () => [] }),
    isAlive: () => true,
    isReady: () => true,
    reload: async () => [],
    whatIf: () => ({ ok: false, kind: 'unknown', error: 'nothing in the inventory is n1' }),
    probe: () => undefined,
    mayRestart: async () => ({ kind: 'unknown', error: 'd has no such node; it has a' }),
    api: apiThat(),
    reference: async () => ({ pages: { get: () => () => '' } as never, tryIt: () => '', readAsset: async () => '' }),
    portal: async () => new Response('portal'),
    checkUser: undefined,
    isSecure: () => false,
    onRequest: ({ method, route, status, requestId }) => requests.push([method, route, status, requestId]),
    onError: (...error) => errors.push(error),
    ...more,
  });
  return { app, requests, errors };
}

describe('the routes', () => {
  it('answer for liveness and readiness', async () => {
    const { app } = routes({ isReady: () => false });
    expect((await app.request('/livez')).status).toBe(200);
    expect((await app.request('/readyz')).status).toBe(503);
    expect((await routes({ isAlive: () => false }).app.request('/livez')).status).toBe(503);
    expect((await routes().app.request('/readyz')).status).toBe(200);
  });

  it('give the history as JSON, compressed when that is accepted', async () => {
    const { app } = routes();
    const plain = await app.request('/history.json/uptime');
    expect(plain.headers.get('content-type')).toBe('application/json');
    expect([plain.headers.get('content-encoding'), await plain.json()]).toEqual([null, { targets: [] }]);
    const packed = await app.request('/history.json', { headers: { 'accept-encoding': 'gzip' } });
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('{"changes":[]}');
  });

  it('give the status as JSON, a page of it, a page of each target, and a stream of what changes', async () => {
    const { app } = routes();
    expect(await (await app.request('/status.json')).json()).toEqual(status);
    const page = await app.request('/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    expect(await page.text()).toContain('The inventory has no subnets');
    const packed = await app.request('/', { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toContain('The inventory has no subnets');
    expect((await app.request('/targets/d/<b>')).status).toBe(404);
    expect(await (await app.request('/?kiosk')).text()).toContain('data-stream="/events?kiosk=1"');
    const stream = await app.request('/events?subnet=d');
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await stream.body?.cancel();
    expect((await app.request('/events?target=a')).status).toBe(503);
  });

  it('answer with 404 as a page to a browser, and in one line to a program', async () => {
    const { app } = routes();
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const [path, what, list] of [
      ['/nothing', 'nothing has this address', '/'],
      ['/targets/d/<b>', 'the inventory has no such target', '/'],
      ['/incidents/none', 'there is no such incident', '/incidents'],
    ] as const) {
      const line = await app.request(path);
      expect([line.status, await line.text()]).toEqual([404, `${what}; see ${list}\n`]);
      const page = await app.request(path, { headers: { accept } });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
      const text = await page.text();
      expect(text).toContain('<title>Not found (subnetd)</title>');
      expect(text).toContain(`<a href="${list}">Show what there is</a>`);
    }
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

  it('fill in the target of a link, and escape it', async () => {
    const { app } = routes();
    const markup = '"><img src=x onerror=alert(1)>`</code>&';
    const page = await app.request(`/alerts/SubnetNodeDown?subnet=${encodeURIComponent(markup)}&name=<script>alert(2)`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain('The inventory has no <b>&lt;script&gt;alert(2)</b> in subnet <b>&quot;&gt;&lt;img');
    expect(text.match(/<img|<script/g)).toEqual(['<script', '<script']);
    expect(text).toContain('docker start generated-subnet2-1');
    expect(await (await app.request('/alerts/SubnetHalted?subnet=<i>')).text()).toContain('subnet <b>&lt;i&gt;</b>');
    // A link may have an empty name where an alert has none.
    expect(await (await app.request('/alerts/SubnetHalted?subnet=d&name=')).text()).toContain(
      'about the subnet <b>d</b>',
    );
    expect(await (await app.request('/alerts/SubnetHalted?name=a')).text()).not.toContain('This alert is about');
  });

  it('reload only with a credential that may write, and return the errors of the inventory', async () => {
    const { app } = routes({ reload: async () => ['f:1:1: subnets: bad'] });
    const bad = await app.request('/-/reload', { method: 'POST' });
    expect([bad.status, await bad.text()]).toEqual([400, 'f:1:1: subnets: bad\n']);
    const refused = routes({ api: apiThat({ code: 1104, message: 'may only read' }) });
    expect((await refused.app.request('/-/reload', { method: 'POST' })).status).toBe(403);
    expect((await routes().app.request('/-/reload', { method: 'POST' })).status).toBe(200);
  });

  it.each([
    ['GET', '/-/reload', 'POST'],
    ['GET', '/targets/d/a/probe', 'POST'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/targets/d/a', 'GET, HEAD'],
    ['BREW', '/livez', 'GET, HEAD'],
    ['OPTIONS', '/', 'GET, HEAD'],
  ])('tell who sends %s %s that it takes %s only', async (method, path, allow) => {
    for (const more of [{}, { isPublic: true }]) {
      const { status, headers } = await routes(more).app.request(path, { method });
      expect([status, headers.get('allow')]).toEqual([405, allow]);
    }
    const answer = await routes().app.request(path, { method });
    expect(await answer.text()).toBe(`this path accepts only ${allow.replace(', ', ' and ')}\n`);
  });

  it('make the page for everybody at most once in five seconds', async () => {
    let [made, at] = [0, 0];
    const snapshot = () => {
      made += 1;
      return [];
    };
    const counted = createPages({ ...pagesDeps, snapshot, now: () => at });
    const { app } = routes({ isPublic: true, pages: async () => counted });
    const ask = async () => expect((await app.request('/')).status).toBe(200);
    expect(await (await app.request('/?kiosk')).text()).not.toContain('events?kiosk');
    for (at of [0, 1, 4_999]) await ask();
    expect(made).toBe(1);
    at = 5_000;
    await ask();
    expect(made).toBe(2);
    counted.stop();
  });

  it('follow nothing for who only asks for the head of a stream', async () => {
    const ends: unknown[] = [];
    const body = new ReadableStream({ cancel: (reason) => void ends.push(reason) });
    const { app } = routes({ pages: async () => ({ ...pages, events: () => new Response(body) }) });
    expect((await app.request('/events', { method: 'HEAD' })).status).toBe(200);
    expect(ends).toHaveLength(1);
  });

  it('count requests by the pattern of the route, never by the path', async () => {
    const { app, requests } = routes({
      api: {
        ...apiThat(),
        answer: async ({ request, onRoute }) => {
          onRoute?.(request.url.endsWith('/api/AdminUser/ListAll/7') ? '/api/AdminUser/ListAll/{id}' : '/api/*');
          return new Response('{}', { status: 404 });
        },
      },
    });
    await app.request('/livez?x=1');
    await app.request('/no/such/path');
    await app.request('/livez', { method: 'BREW' });
    await app.request('/alerts/Nothing');
    await app.request('/api/no/such', { headers: { 'x-request-id': 'abc' } });
    await app.request('/api/AdminUser/ListAll/7');
    expect(requests).toEqual([
      ['GET', '/livez', 200, undefined],
      ['GET', 'none', 404, undefined],
      ['other', '/livez', 405, undefined],
      ['GET', '/alerts/:name', 404, undefined],
      ['GET', '/api/*', 404, 'abc'],
      ['GET', '/api/AdminUser/ListAll/{id}', 404, undefined],
    ]);
  });

  it('answer 500 without a word on the cause, which is for the log', async () => {
    const { app, errors } = routes({
      status: () => {
        throw new Error('secret');
      },
    });
    const response = await app.request('/status.json', { headers: { 'x-request-id': 'abc' } });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(errors).toEqual([[new Error('secret'), 'abc']]);
  });
});

describe('under basic auth', () => {
  const checkUser = async (name: string, password: string) => ({
    ok: name === 'prometheus' && password === 'scrape me',
  });
  const authorization = `Basic ${btoa('prometheus:scrape me')}`;
  const { app, requests } = routes({ checkUser });

  const PROBE = '/targets/:subnet/:name/probe';
  const NOTES = '/incidents/:id/notes';
  const ACKNOWLEDGE = '/incidents/:id/acknowledge';
  /** What is open to all, or has credentials of its own. All else is guarded, a new route too. */
  const OPEN = new Set([
    '/livez',
    '/readyz',
    '/assets/style.css',
    '/assets/kiosk.css',
    '/assets/live.js',
    '/assets/theme.js',
    '/docs/:page?',
    '/docs/try',
    '/assets/reference.css',
    '/assets/reference.js',
    '/assets/try.js',
    '/api',
    '/api/*',
    '/api/openapi.json',
    '/api/v1/openapi.json',
    '/portal',
    '/portal/*',
    '/images/*',
    '/-/reload',
    PROBE,
    NOTES,
    ACKNOWLEDGE,
  ]);
  const ANY_METHOD = new Set(['/api', '/api/*', '/portal', '/portal/*', '/images/*']);
  /** Without those for the methods that a path does not take. */
  const all = app.routes
    .filter(({ method, path }) => path !== '/*' && (method !== 'ALL' || ANY_METHOD.has(path)))
    .map(({ method, path }) => [method, path] as const);
  const guarded = all.filter(([, path]) => !OPEN.has(path));
  const pathOf = (pattern: string) => pattern.replaceAll(/:\w+/g, 'SubnetHalted').replace('*', 'x');
  const methodsOf = (method: string) => (method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [method]);

  it('there are routes of both kinds', () => {
    expect(guarded.map(([, path]) => path)).toEqual(
      expect.arrayContaining(['/', '/metrics', '/status.json', '/masternodes.json', '/alerts', '/alerts/:name']),
    );
    expect(new Set(all.map(([, path]) => path)).isSupersetOf(OPEN)).toBe(true);
  });

  it.each(guarded)('%s %s is refused without a credential, and with a wrong one', async (method, pattern) => {
    for (const asked of methodsOf(method))
      for (const header of [undefined, 'Bearer x', 'Basic', `Basic ${btoa('prometheus:wrong')}`, 'Basic %%%']) {
        const headers = header === undefined ? {} : { authorization: header };
        const answer = await app.request(pathOf(pattern), { method: asked, headers });
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="subnetd"']);
        expect(await answer.text()).toBe(asked === 'HEAD' ? '' : 'a user name and password are needed\n');
      }
    const known = await app.request(pathOf(pattern), { method, headers: { authorization } });
    // The inventory of this test is empty, it is in no fleet, and nothing has ever happened.
    const status = /^\/(targets|badge|incidents)\/|^\/fleet/.test(pattern)
      ? 404
      : pattern === '/safe-to-restart' || pattern === '/what-if'
        ? 400
        : 200;
    expect(known.status).toBe(status);
  });

  it.each([...guarded, ['POST', PROBE], ['POST', NOTES], ['POST', ACKNOWLEDGE]] as const)(
    '%s %s asks a user to wait, and not for another password, while none can be checked',
    async (method, pattern) => {
      const busy = routes({ checkUser: async () => ({ ok: false, retryAfterS: 36 }) }).app;
      for (const asked of methodsOf(method)) {
        const { status, headers } = await busy.request(pathOf(pattern), { method: asked, headers: { authorization } });
        expect([status, headers.get('retry-after'), headers.get('www-authenticate')]).toEqual([503, '36', null]);
      }
    },
  );

  it.each(all.filter(([, path]) => OPEN.has(path)))('%s %s is open', async (method, pattern) => {
    const answer = await app.request(pathOf(pattern), { method: method === 'ALL' ? 'GET' : method });
    // The credential of this test is good, the inventory empty, a note too, and there is no incident.
    const refusals: Readonly<Record<string, number>> = {
      [`POST ${PROBE}`]: 404,
      [`POST ${NOTES}`]: 400,
      [`GET ${ACKNOWLEDGE}`]: 403,
      [`POST ${ACKNOWLEDGE}`]: 404,
    };
    expect(answer.status).toBe(refusals[`${method} ${pattern}`] ?? 200);
  });

  it.each([
    '//metrics',
    '/metrics/',
    '/%6detrics',
    '/metrics;x',
    '/METRICS',
    '/api/%2e%2e/metrics',
    '/nothing',
    '/livez/',
  ])('the path %s does not bypass it', async (path) => {
    expect((await app.request(`http://localhost${path}`)).status).toBe(401);
  });

  it.each(['/', '/feed.atom', '/incidents'])('%s is for users in public mode too', async (path) => {
    const open = routes({ checkUser, isPublic: true }).app;
    const statusOf = async (headers: Record<string, string>) => (await open.request(path, { headers })).status;
    expect(await statusOf({ authorization })).toBe(200);
    expect(await statusOf({ authorization: 'Basic' })).toBe(401);
    expect(await statusOf({})).toBe(path === '/incidents' ? 401 : 200);
  });

  it('a refusal is counted by the pattern of its route', async () => {
    requests.length = 0;
    await app.request('/alerts/x');
    await app.request('/no/such');
    expect(requests).toEqual([
      ['GET', '/alerts/:name', 401, undefined],
      ['GET', 'none', 401, undefined],
    ]);
  });
});

describe('the headers for browsers', () => {
  const CSP =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  it('on every answer: load from this host only, be in no frame, guess no type, send no other host an address', async () => {
    const { app } = routes();
    for (const path of [
      '/',
      '/alerts',
      '/alerts/SubnetHalted',
      '/docs',
      '/livez',
      '/status.json',
      '/nothing',
      '/api/x',
    ]) {
      const { headers } = await app.request(path);
      expect(headers.get('content-security-policy'), path).toBe(CSP);
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('same-origin');
      expect(headers.get('strict-transport-security'), path).toBeNull();
    }
  });

  it('on an uploaded image: any page may show it, and nothing in it runs', async () => {
    const { headers } = await routes().app.request('/images/x.png');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('to come by TLS again, only where they came by TLS, and of no other host', async () => {
    const parsed = parseTrustedProxies('192.0.2.1');
    if (!parsed.ok) throw new Error('unreachable');
    const hstsOf = async (isTls: boolean, path: string, proto: string, remoteAddress: string) => {
      const { app } = routes({ isSecure: createIsSecure(isTls, parsed.proxies) });
      const headers = { 'x-forwarded-proto': proto };
      const answer = await app.request(path, { headers }, { incoming: { socket: { remoteAddress } } });
      return answer.headers.get('strict-transport-security');
    };
    for (const path of ['/', '/livez', '/api/x', '/portal', '/docs', '/nothing']) {
      expect(await hstsOf(true, path, 'http', '198.51.100.1')).toBe('max-age=15552000');
      expect(await hstsOf(false, path, 'https', '192.0.2.1')).toBe('max-age=15552000');
      expect(await hstsOf(false, path, 'https', '198.51.100.1')).toBeNull();
      expect(await hstsOf(false, path, 'http', '192.0.2.1')).toBeNull();
    }
  });

  it('of a text that does not change once only: it is made once, and known by its tag', async () => {
    let made = 0;
    const { app } = routes({
      api: {
        ...apiThat(),
        openApi: async () => {
          made += 1;
          if (made === 1) throw new Error('could not be loaded');
          return '{"openapi":"3.1.0"}';
        },
      },
    });
    const get = (headers: Record<string, string> = {}) => app.request('/api/openapi.json', { headers });
    expect((await get()).status).toBe(500);
    const first = await get();
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"[\w-]{43}"$/)]);
    expect(await first.json()).toEqual({ openapi: '3.1.0' });
    const again = await get({ 'if-none-match': `"other", ${tag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
    const packed = await get({ 'accept-encoding': 'gzip' });
    expect(packed.headers.get('etag')).not.toBe(tag);
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('{"openapi":"3.1.0"}');
    expect(made).toBe(2);
  });
});
