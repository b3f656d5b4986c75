import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressKey, clientAddress, parseTrustedProxies, siteKey } from '../../../src/lib/addresses.ts';
import { databaseAway, databaseOverloaded } from '../../../src/lib/database-failure.ts';
import { createApiHandler } from '../../../src/platform/api/create-api-handler.ts';
import { createServices } from '../../../src/platform/api/create-services.ts';
import { platformSettings, SHORT_WAITS, startApi } from '../../support/api.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const databases = useDatabases('sqlite');
const api = useApi(databases, {}, SHORT_WAITS);

/** Sends raw bytes, and gives all that comes back until the connection ends. */
const raw = (text: string, end = false): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname, () => (end ? socket.end(text) : socket.write(text)));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });

it('headers beyond the maximum get the envelope', async () => {
  const answer = await raw(`GET /api/Sector/ListAll/0 HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 400 .*"appErrorCode":1005/s);
});

it('what is not HTTP gets the envelope', async () => {
  expect(await raw('GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"appErrorCode":1001/s);
});

it.each([
  ['without a Host', 'GET /api/x HTTP/1.1\r\n\r\n', 1001],
  ['with two Hosts', 'GET /api/x HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 1001],
  ['with two Hosts that are the same', 'GET /api/x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 1001],
  ['of HTTP/1.0 without a Host', 'GET /api/x HTTP/1.0\r\n\r\n', 1101],
  [
    'with two lengths',
    'POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    1001,
  ],
  ['with two lengths', 'POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd', 1001],
  ['with a Host that is none', 'GET /api/x HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 1001],
  ['with a strange expectation', 'GET /api/x HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n', 1001],
  ['with a method that nobody knows', 'PURGE /api/Sector/Add HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 1101],
  ['with an asterisk for a path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 1001],
])('a request %s gets the envelope', async (_what, text, code) => {
  const answer = await raw(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 40[01] .*"appErrorCode":${code}`, 's'));
  expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im);
});

it.concurrent.each([
  ['headers', 'GET /api/Sector/ListAll/0 HTTP/1.1\r\nHost: a\r\n'],
  ['body', 'POST /api/Industry/Add HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{'],
])('a request whose %s never end is answered with the envelope', async (_what, text) => {
  expect(await raw(text)).toMatch(
    /^HTTP\/1.1 400 .*"appErrorCode":1001,"errMessage":"the request did not arrive completely in time/s,
  );
});

describe('a method that no path takes', () => {
  const asked = (line: string) => raw(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const CONNECT = 'subnetd is not a proxy and does not accept CONNECT; send another method';
  const UNKNOWN = 'unknown method; send GET, HEAD, OPTIONS, POST or PUT, in capital letters';

  it.each([
    ['CONNECT /api/Sector/ListAll/0', CONNECT],
    ['BREW /api/Sector/ListAll/0', UNKNOWN],
    ['get /api?x', UNKNOWN],
    ['GETT http://a/api/v1/x', UNKNOWN],
  ])('gets the envelope under /api: %s', async (line, errMessage) => {
    const [head = '', body = ''] = (await asked(line)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n.*X-Request-Id: [\w-]{36}\r\nContent-Type: application\/json/s);
    expect(JSON.parse(body)).toEqual({ status: 'failed', appErrorCode: 1001, errMessage });
  });

  it.each([
    ['CONNECT example.com:443', CONNECT],
    ['CONNECT api:80', CONNECT],
    ['BREW /metrics', UNKNOWN],
    ['BREW /apis', UNKNOWN],
  ])('gets a text elsewhere: %s', async (line, text) => {
    const [head = '', body] = (await asked(line)).split('\r\n\r\n');
    expect([head.split('\r\n')[0], body]).toEqual(['HTTP/1.1 501 Not Implemented', `${text}\n`]);
  });

  it.each(['\x16\x03\x01\x02\x00', 'nonsense\r\n\r\n'])('is not meant by what is no HTTP: %j', async (text) => {
    expect(await raw(text)).toContain('"errMessage":"the request is not HTTP/1.1; correct it"');
  });
});

it('a body that comes without its length is cut at the maximum', async () => {
  const head =
    'POST /api/Industry/Add HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunk = `${(8_192).toString(16)}\r\n${'a'.repeat(8_192)}\r\n`;
  expect(await raw(head + chunk.repeat(9))).toContain('"appErrorCode":1005');
});

it('a request cut off half-way writes nothing, and the next one is answered', async () => {
  const half = `POST /api/Industry/Add?apiKey=${api.key} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"IndustryName":"half"`;
  await raw(half, true).catch(() => '');
  const { data } = await api.send('GET', '/api/Industry/ListAll/0');
  expect(data.items).toEqual([]);
  expect(api.logged.join('')).not.toContain('please report this');
});

it('the list under HEAD has no body, and the description needs no credential', async () => {
  const head = await fetch(`${api.url}/api/Sector/ListAll/0?apiKey=${api.key}`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const document = await (await fetch(`${api.url}/api/v1/openapi.json`)).json();
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }, { url: '/api' }] });
});

it.each([
  ['link', true],
  ['LINK', true],
  ['return=minimal, link; wait=1', true],
  ['links', false],
  ['return=link', false],
  ['', false],
])('a failure under "Prefer: %s" links to its code in the reference: %s', async (prefer, hasLink) => {
  const { headers, text } = await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { prefer });
  const { link, ...rest } = JSON.parse(text);
  expect(Object.keys(rest)).toEqual(['status', 'appErrorCode', 'errMessage']);
  expect([link, headers.get('preference-applied')]).toEqual(hasLink ? ['/docs#code-1101', 'link'] : [undefined, null]);
  const { text: listed } = await api.send('GET', '/api/Sector/ListAll/0', undefined, { prefer });
  expect(listed).not.toContain('"link"');
});

it.each([
  ['8f14e45f-ceea-467f-a0e6-1c2d3e4f5a6b', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['a b', false],
  ['a"b', false],
  ['', false],
])('an answer carries the id %j of its request, or a new one: %s', async (id, isKept) => {
  const { headers } = await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { 'x-request-id': id });
  const answered = headers.get('x-request-id');
  expect(answered).toMatch(isKept ? /^/ : /^[0-9a-f-]{36}$/);
  expect(answered === id).toBe(isKept);
});

it('two ids of a request are none', async () => {
  const answer = await raw(
    'GET /api/x HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nConnection: close\r\n\r\n',
  );
  expect(answer.match(/^x-request-id: .*/gim)).toEqual([expect.stringMatching(/^x-request-id: [0-9a-f-]{36}\r?$/i)]);
});

it('a user name and password for the web config or a proxy are no credential of the API, and harm none', async () => {
  const authorization = `Basic ${btoa('prometheus:scrape me')}`;
  const beside = await api.send('GET', '/api/Sector/ListAll/0', undefined, { authorization });
  expect([beside.http, beside.appErrorCode]).toEqual([200, undefined]);
  const alone = await api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization });
  expect([alone.http, alone.appErrorCode]).toEqual([401, 1101]);
});

it('of several authorization headers each token must be good, also beside a user name and password', async () => {
  const { token } = (await api.send('POST', '/api/Auth/Token')).data;
  const basic = `Basic ${btoa('prometheus:scrape me')}`;
  const codeOf = async (query: string, ...headers: readonly string[]) => {
    const lines = headers.map((value) => `Authorization: ${value}\r\n`).join('');
    const answer = await raw(
      `GET /api/Sector/ListAll/0${query} HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`,
    );
    return /"appErrorCode":(\d+)/.exec(answer)?.[1] ?? answer.slice(0, 12);
  };
  expect(await codeOf('', basic, `Bearer ${token}`)).toBe('HTTP/1.1 200');
  expect(await codeOf('', `Bearer ${token}`, token)).toBe('HTTP/1.1 200');
  expect(await codeOf(`?apiKey=${api.key}`, basic, basic)).toBe('HTTP/1.1 200');
  expect(await codeOf(`?apiKey=${api.key}`, basic, 'Bearer bad')).toBe('1104');
  expect(await codeOf('', `Bearer ${token}`, 'Bearer bad')).toBe('1104');
  expect(await codeOf('', 'Bearer bad', `Bearer ${token}`)).toBe('1104');
  expect(await codeOf('', basic, 'Bearer')).toBe('1101');
});

it('only GET and HEAD have no say in their body: a DELETE gives its key there as a POST does', async () => {
  const codeOf = async (method: string, body?: unknown) =>
    (await api.sendBare(method, '/api/ProjectType/Add', body)).appErrorCode;
  for (const method of ['PATCH', 'DELETE', 'OPTIONS']) {
    expect([method, await codeOf(method, { apiKey: api.key })]).toEqual([method, 1001]);
    expect([method, await codeOf(method, { apiKey: 'bad' })]).toEqual([method, 1123]);
    expect([method, await codeOf(method, {})]).toEqual([method, 1101]);
    expect([method, await codeOf(method, `{"x":"${'x'.repeat(65_536)}"}`)]).toEqual([method, 1005]);
  }
  expect(await codeOf('DELETE')).toBe(1101);
});

it('a refusal for want of a credential says which kind is wanted', async () => {
  const { http, headers } = await api.sendBare('GET', '/api/Sector/ListAll/0');
  expect([http, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="subnetd"']);
  const reload = await fetch(`${api.url}/-/reload`, { method: 'POST' });
  expect([reload.status, reload.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="subnetd"']);
});

it.each([
  ['application/json', undefined, undefined],
  ['application/json;charset=UTF-8', undefined, undefined],
  ['application/json; charset="utf8"', 'identity', undefined],
  ['application/json; charset=latin1', undefined, 'the charset must be utf-8; send the body in UTF-8'],
  ['application/json; x=y; Charset=utf-16', undefined, 'the charset must be utf-8; send the body in UTF-8'],
  ['application/json', 'gzip', 'the body must not be compressed; send it without a content-encoding'],
  ['application/json', 'identity, br', 'the body must not be compressed; send it without a content-encoding'],
  ['application/jsonx', undefined, 'the content-type must be application/json'],
])('a body of %s in the encoding %s is answered with: %s', async (type, encoding, message) => {
  const headers = { 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) };
  const { appErrorCode, errMessage } = await api.send('POST', '/api/Industry/Add', '{}', headers);
  expect(appErrorCode).toBe(1001);
  if (message === undefined) expect(errMessage).toMatch(/^IndustryName/);
  else expect(errMessage).toBe(message);
});

it('a reload takes a credential with the scope operate, and no other', async () => {
  const reload = async (key?: string) =>
    (await fetch(`${api.url}/-/reload${key === undefined ? '' : `?apiKey=${key}`}`, { method: 'POST' })).status;
  expect(
    await Promise.all([reload(), reload('x'), reload(api.readKey), reload((await api.makeKey('operate')).key)]),
  ).toEqual([401, 400, 403, 200]);
});

it('a list whose database fails half-way breaks the connection and is no JSON', async () => {
  const own = await startApi(await databases.create());
  const author = { statedBy: 1, owner: 1, credential: 'key 1', at: new Date().toISOString(), ip: null };
  const { projectType } = await import('../../../src/platform/api/resources.ts');
  for (let i = 0; i < 3_000; i += 1)
    await own.store.add(projectType, { ContractName: `${'x'.repeat(150)} ${i}`, IsDeleted: false }, author);
  const response = await fetch(`${own.url}/api/ProjectType/ListAll/0?apiKey=${own.key}`);
  expect(response.status).toBe(200);
  const stopped = own.platform.stop();
  await expect(response.text()).rejects.toThrow();
  await stopped;
  await own.stop();
}, 90_000);

it('a refused or failed request shows how much of each limit is left', async () => {
  const limits = { rate: 1, burst: 10, signIns: 2 };
  const limited = await startApi(await databases.create(), { limits });
  try {
    const policy = ({ headers }: { readonly headers: Headers }) => headers.get('ratelimit-policy');
    const bare = await limited.sendBare('GET', '/api/Sector/ListAll/0');
    expect([bare.appErrorCode, policy(bare)]).toEqual([1101, '"address";q=10;w=10']);
    const missing = await limited.send('GET', '/api/Sector/ListAll/7');
    expect([missing.appErrorCode, policy(missing)]).toEqual([1004, '"address";q=10;w=10, "credential";q=10;w=10']);
    let failure = databaseAway();
    const services = createServices({
      ...platformSettings({ kind: 'sqlite', path: ':memory:' }, { limits }),
      resources: [],
      store: async () => {
        throw failure;
      },
      sharedLimits: async () => undefined,
      now: Date.now,
      onSecurity: () => {},
      onError: () => {},
    });
    const handler = createApiHandler(services);
    const request = new Request('http://x/api/Sector/ListAll/0?apiKey=x');
    const failed = await handler.answer({ request, remoteAddress: '192.0.2.1' });
    expect([failed.status, policy(failed)]).toEqual([500, '"address";q=10;w=10']);
    failure = databaseOverloaded();
    const crowded = await handler.answer({ request, remoteAddress: '192.0.2.1' });
    expect([crowded.status, policy(crowded), crowded.headers.get('retry-after')]).toEqual([
      400,
      '"address";q=10;w=10',
      '5',
    ]);
    expect(await crowded.json()).toEqual({
      status: 'failed',
      appErrorCode: 1102,
      errMessage:
        'too many requests are waiting for the database, so this one was not carried out; retry after the time in Retry-After',
    });
    await services.stop();
  } finally {
    await limited.stop();
  }
}, 90_000);

it('a limit answers 1102 with the headers, per address and per credential', async () => {
  const limited = await startApi(await databases.create(), { limits: { rate: 1, burst: 3, signIns: 2 } });
  try {
    const get = () => limited.send('GET', '/api/Sector/ListAll/0');
    const answers = [await get(), await get(), await get(), await get()];
    expect(answers.map(({ appErrorCode }) => appErrorCode)).toEqual([undefined, undefined, undefined, 1102]);
    const [first, , , last] = answers;
    expect(last?.http).toBe(400);
    expect(Number(last?.headers.get('retry-after'))).toBe(1);
    expect(last?.headers.get('ratelimit')).toMatch(/r=0;t=1$/);
    expect(first?.headers.get('ratelimit-remaining')).toBe('2');
  } finally {
    await limited.stop();
  }
});

it('sign-ins are limited by user name, across all addresses', async () => {
  const proxies = parseTrustedProxies('127.0.0.0/8');
  if (!proxies.ok) throw new Error('unreachable');
  const limits = { rate: 0, burst: 0, signIns: 2 };
  const limited = await startApi(await databases.create(), { limits, trustedProxies: proxies.proxies });
  try {
    const codes = [];
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const body = { UserName: 'root', Password: 'wrong' };
      codes.push((await limited.sendBare('POST', '/api/Auth/Token', body, { 'x-forwarded-for': ip })).appErrorCode);
    }
    expect(codes).toEqual([1104, 1104, 1102]);
  } finally {
    await limited.stop();
  }
});

it.each([
  ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['::ffff:10.0.0.1', '9.9.9.9, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
  ['8.8.8.8', '1.2.3.4', '8.8.8.8'],
  ['10.0.0.1', 'rubbish', '10.0.0.1'],
  ['fd00::1', '2001:db8::1', '2001:db8::1'],
  ['10.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
  ['10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['10.0.0.1', '[2001:db8::1], 10.0.0.2:80', '2001:db8::1'],
  ['10.0.0.1', '[::ffff:1.2.3.4]:80', '1.2.3.4'],
  ['10.0.0.1', '::ffff:102:304', '1.2.3.4'],
  ['10.0.0.1', '0:0:0:0:0:FFFF:1.2.3.4', '1.2.3.4'],
  ['10.0.0.1', '2001:0DB8:0000:0001:0:0:0:00ff', '2001:db8:0:1::ff'],
  ['10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
  ['10.0.0.1', '1.2.3.4:567890', '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4:5 6', '10.0.0.1'],
])('the client behind %s that forwards %s is %s', (peer, forwarded, client) => {
  const parsed = parseTrustedProxies('10.0.0.0/8, fd00::/8');
  expect(parsed.ok && clientAddress(peer, forwarded, parsed.proxies)).toBe(client);
});

it('an IPv6 client is limited by its /64 and its /48', () => {
  expect(addressKey('2001:db8::1')).toBe(addressKey('2001:db8:0:0:ffff::2'));
  expect(addressKey('2001:0DB8:0:00:1::1')).toBe(addressKey('2001:db8::1'));
  expect(addressKey('2001:db8:0:1::1')).not.toBe(addressKey('2001:db8::1'));
  expect(siteKey(addressKey('2001:db8:0:1::1'))).toBe(siteKey(addressKey('2001:db8::1')));
  expect(siteKey(addressKey('2001:db8:1::1'))).toBe('2001:db8:1::/48');
  expect(siteKey(addressKey('::1'))).toBe('0:0:0::/48');
  expect(siteKey(addressKey('192.0.2.1'))).toBeUndefined();
});

it('a token of another algorithm or another secret is refused', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = part({ sub: '1', jti: 'x', iat: 1, exp: 9_999_999_999, iss: 'subnetd', scope: 'write', pwv: 1 });
  const signature = createHash('sha256').update('x').digest('base64url');
  for (const token of [`${part({ alg: 'none' })}.${claims}.`, `${part({ alg: 'HS256' })}.${claims}.${signature}`])
    expect((await api.sendBare('GET', `/api/Sector/ListAll/0?token=${token}`)).appErrorCode).toBe(1104);
});
