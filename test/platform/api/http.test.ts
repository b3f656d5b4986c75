import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePlatformSettings } from '../../../src/daemon/settings.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { joinLimitHeaders } from '../../../src/platform/api/limits.ts';
import { projectType } from '../../../src/platform/api/resources.ts';
import { ROOT_PASSWORD } from '../../support/api.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const ORIGIN = 'https://app.example.com';
const databases = useDatabases('sqlite');
const api = useApi(databases, { corsOrigins: [ORIGIN], limits: { rate: 1, burst: 500, signIns: 0 } });

/** The bytes and headers as sent: `fetch` would unpack them. */
const raw = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<{ readonly headers: NodeJS.Dict<string | string[]>; readonly bytes: Buffer }>((resolve, reject) => {
    const sent = httpRequest(`${api.url}${path}`, { method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(parts) }));
    });
    sent.on('error', reject).end();
  });
const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${api.url}${path}`, { method, headers });

beforeAll(async () => {
  for (let i = 0; i < 1_200; i += 1)
    await api.store.add(projectType, { ContractName: `contract ${i}`, IsDeleted: false }, onCommandLine(0));
}, 60_000);

it('each request is counted by the pattern of its path, also one that is refused', async () => {
  const patternOf = async (path: string) => {
    const patterns: string[] = [];
    const request = new Request(`http://127.0.0.1${path}`);
    await api.platform.answer({ request, remoteAddress: '127.0.0.1', onRoute: (route) => void patterns.push(route) });
    return patterns;
  };
  expect(await patternOf('/api/Sector/ListAll/7')).toEqual(['/api/Sector/ListAll/{id}']);
  expect(await patternOf('/api/v1/Sector/%4cistAll/0?apiKey=wrong')).toEqual(['/api/Sector/ListAll/{id}']);
  expect(await patternOf('/api/Nothing/42')).toEqual(['/api/*']);
});

it('no answer may be kept by a cache, whichever it is', async () => {
  const get = (path: string, headers = {}) => ask('GET', path, { 'x-api-key': api.key, ...headers });
  const post = (path: string, body: object) =>
    fetch(api.url + path, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
  const user = { UserName: 'root', Password: ROOT_PASSWORD };
  const answers: Readonly<Record<string, readonly [status: number, answer: Response]>> = {
    'a streamed list': [200, await get('/api/ProjectType/ListAll/0')],
    'a page of a list': [200, await get('/api/ProjectType/ListAll/0?limit=2')],
    'an unchanged list': [304, await get('/api/ProjectType/ListAll/0', { 'if-none-match': '*' })],
    'a record': [200, await get('/api/ProjectType/ListAll/1')],
    'who the caller is': [200, await get('/api/Auth/Me')],
    'a token': [200, await post('/api/Auth/Token', user)],
    'a refused sign-in': [403, await post('/api/Auth/Token', { ...user, Password: 'wrong' })],
    'a missing credential': [401, await ask('GET', '/api/Sector/ListAll/0')],
    'a missing record': [403, await get('/api/ProjectType/ListAll/999999')],
    'a body that is too large': [400, await post('/api/Auth/Token', { UserName: 'x'.repeat(70_000) })],
  };
  for (const [what, [status, answer]] of Object.entries(answers)) {
    await answer.arrayBuffer();
    expect([answer.status, answer.headers.get('cache-control')], what).toEqual([
      status,
      expect.stringMatching(/^no-store\b/),
    ]);
  }
});

describe('compression', () => {
  const gzip = { 'accept-encoding': 'gzip' };

  it.each(['0?limit=100', '0'])(
    'the list %s comes as gzip where the client takes it, and is the same',
    async (path) => {
      const target = `/api/ProjectType/ListAll/${path}${path.includes('?') ? '&' : '?'}apiKey=${api.key}`;
      const [plain, packed] = [await raw('GET', target, {}), await raw('GET', target, gzip)];
      expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
      expect(packed.headers.vary).toMatch(/Accept-Encoding/i);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    },
  );

  it('a short answer, and one record with its tag, are not compressed', async () => {
    const short = await raw('GET', `/api/Sector/ListAll/0?apiKey=${api.key}`, gzip);
    expect(short.headers['content-encoding']).toBeUndefined();
    const ImagePath = 'x'.repeat(500);
    const industry = { IndustryName: 'ü'.repeat(200), ImagePath, IsDeleted: false, CreateBy: 1 };
    const { IndustryID } = (await api.send('POST', '/api/Industry/Add', industry)).data;
    const one = await raw('GET', `/api/Industry/ListAll/${IndustryID}?apiKey=${api.key}`, gzip);
    expect(one.bytes.length).toBeGreaterThan(1_024);
    expect([one.headers['content-encoding'], one.headers.etag]).toEqual([undefined, expect.stringMatching(/^"/)]);
  });

  it('a failure is not compressed, so the tag that it names is one to send back', async () => {
    const sector = await raw('GET', '/api/Sector/ListAll/0', gzip);
    expect(sector.headers['content-encoding']).toBeUndefined();
    expect(sector.headers['content-length']).toBe(String(sector.bytes.length));
    const body = { ContractName: 'Tagged', IsDeleted: false };
    const { ProjectTypeID } = (await api.send('POST', '/api/ProjectType/Add', { ...body, CreateBy: 1 })).data;
    const put = async (tag: string) => {
      const headers = { ...gzip, 'content-type': 'application/json', 'if-match': tag };
      const answer = await fetch(`${api.url}/api/ProjectType/Update/1?apiKey=${api.key}`, {
        ...{ method: 'PUT', headers, body: JSON.stringify({ ProjectTypeID, ...body, UpdateBy: 1 }) },
      });
      return [answer.status, answer.headers.get('etag') ?? ''] as const;
    };
    const [refused, current] = await put('"stale"');
    expect([refused, current]).toEqual([409, expect.stringMatching(/^"/)]);
    expect((await put(current))[0]).toBe(200);
  });

  it('a client that refuses gzip gets none', async () => {
    const target = `/api/ProjectType/ListAll/0?limit=100&apiKey=${api.key}`;
    expect(
      (await raw('GET', target, { 'accept-encoding': 'gzip;q=0, br' })).headers['content-encoding'],
    ).toBeUndefined();
  });
});

describe('HEAD and OPTIONS', () => {
  it('HEAD has the headers of GET and no body', async () => {
    const target = `/api/ProjectType/ListAll/1?apiKey=${api.key}`;
    const [get, head] = [await raw('GET', target, {}), await raw('HEAD', target, {})];
    expect(head.bytes.length).toBe(0);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect(head.headers[name], name).toBe(get.headers[name]);
    expect(Number(get.headers['content-length'])).toBe(get.bytes.length);
  });

  it.each([
    ['/api/ProjectType/ListAll/0', 'GET, HEAD, OPTIONS'],
    ['/api/v1/ProjectType/Add', 'POST, OPTIONS'],
    ['/api/ProjectType/Update/1', 'PUT, OPTIONS'],
    ['/api/Auth/Token', 'POST, OPTIONS'],
    ['/api/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS says what %s takes, without a credential', async (path, allow) => {
    const answer = await ask('OPTIONS', path);
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([204, allow, '']);
    // Any other method that is wrong names them too, in the envelope.
    const wrong = await ask('DELETE', `${path}?apiKey=${api.key}`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([400, allow]);
  });

  it.each([
    ['PUT', '/api/ProjectType/ListAll/0', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/api/v1/ProjectType/Add', 'POST, OPTIONS'],
    ['POST', '/api/ProjectType/Update/1', 'PUT, OPTIONS'],
    ['POST', '/api/v1/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('%s %s without a body names the methods that the path takes', async (method, path, allow) => {
    const answer = await fetch(api.url + path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([400, allow]);
    const errMessage = `this path accepts only ${allow.split(',')[0]}`;
    expect(await answer.json()).toEqual({ status: 'failed', appErrorCode: 1001, errMessage });
  });

  it('OPTIONS of a path that is not there, or with a credential, is answered as any other method', async () => {
    expect((await ask('OPTIONS', '/api/Nothing')).status).toBe(401);
    expect((await ask('OPTIONS', `/api/Nothing?apiKey=${api.key}`)).status).toBe(403);
    expect((await ask('OPTIONS', `/api/ProjectType/Add?apiKey=${api.key}`)).status).toBe(400);
  });
});

describe('other origins', () => {
  const target = () => `/api/ProjectType/ListAll/1?apiKey=${api.key}`;

  it('a page of a listed origin may ask, send what the API reads, and see what it answers', async () => {
    const preflight = await ask('OPTIONS', '/api/ProjectType/Add', {
      ...{ origin: ORIGIN, 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'content-type,idempotency-key',
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await ask('GET', target(), { origin: ORIGIN });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toContain('etag');
    const refused = await ask('GET', '/api/ProjectType/ListAll/1', { origin: ORIGIN });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
  });

  it.each(['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
    'a page of %s gets no permission',
    async (origin) => {
      const answers = [
        await ask('GET', target(), { origin }),
        await ask('OPTIONS', '/api/ProjectType/Add', { origin, 'access-control-request-method': 'POST' }),
      ];
      for (const { headers } of answers) {
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('vary')).toMatch(/origin/i);
      }
    },
  );

  it.each([
    ['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000'], []],
    ['', [], []],
    ['*', undefined, ['SUBNETD_CORS_ORIGINS: * is not an origin such as https://app.example.com; give each in full']],
    [
      'https://u:secret@a.example',
      undefined,
      ['SUBNETD_CORS_ORIGINS: https://…@a.example is not an origin such as https://app.example.com; give each in full'],
    ],
    [
      'https://a.example/',
      undefined,
      ['SUBNETD_CORS_ORIGINS: https://a.example/ is not an origin such as https://app.example.com; give each in full'],
    ],
  ])('the setting %j gives %j', (text, origins, problems) => {
    const errors: string[] = [];
    const settings = parsePlatformSettings((name) => (name === 'SUBNETD_CORS_ORIGINS' ? text : undefined), errors);
    expect([settings?.corsOrigins, errors]).toEqual([origins, problems]);
  });
});

describe('the headers of limits', () => {
  it('name the limit of the address and that of the credential, and the older ones the tighter of the two', async () => {
    const { key } = await api.makeKey('read');
    const { headers } = await ask('GET', `/api/Sector/ListAll/0?apiKey=${key}`);
    expect(headers.get('ratelimit-policy')).toBe('"address";q=500;w=500, "credential";q=500;w=500');
    const [, address, credential] =
      /^"address";r=(\d+);t=\d+, "credential";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '') ?? [];
    expect(credential).toBe('499');
    expect(Number(address)).toBeLessThan(499);
    expect(headers.get('ratelimit-remaining')).toBe(address);
  });

  it('without a second limit are those of the first', () => {
    const first = { 'ratelimit-policy': 'a', ratelimit: 'b', 'ratelimit-remaining': '1', 'x-y': 'z' };
    expect(joinLimitHeaders(first, {})).toEqual(first);
    expect(joinLimitHeaders({}, first)).toEqual(first);
    expect(joinLimitHeaders({}, {})).toEqual({});
  });
});
