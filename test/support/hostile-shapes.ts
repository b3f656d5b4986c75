/** A request as bytes, and what it is made of. */
export interface HostileRequest {
  readonly entrance: string;
  readonly shape: string;
  readonly bytes: Buffer;
}

/** Near the most that subnetd reads of a head and of a body. */
const HEAD = 15_000;
const BODY = 64_000;

/** As many copies as fit. */
const fill = (piece: string, bytes: number, end = ''): string =>
  piece.repeat(Math.floor((bytes - Buffer.byteLength(end)) / Buffer.byteLength(piece))) + end;

type Shapes = Readonly<Record<string, (bytes: number) => string>>;

/** Texts that cost more than their length in some program. */
const TEXTS: Shapes = {
  'marks in the wrong order': (bytes) => `a${fill('\u0300', bytes / 2)}${fill('\u0316', bytes / 2)}`,
  'marks by turns': (bytes) => `a${fill('\u0300\u0316', bytes)}`,
  'letters with marks': (bytes) => fill('a\u0301', bytes),
  letters: (bytes) => fill('a', bytes),
  digits: (bytes) => fill('9', bytes),
  dots: (bytes) => fill('a.', bytes, '@'),
  blanks: (bytes) => fill(' ', bytes, 'a'),
  'blanks in between': (bytes) => `a${fill(' ', bytes - 2)}a`,
  'no-break blanks': (bytes) => `a${fill('\u00a0', bytes, '\n')}`,
  'line breaks': (bytes) => fill('a\n', bytes),
  slashes: (bytes) => fill('/', bytes, '..'),
  'encoded blanks': (bytes) => fill('%20', bytes, '..'),
  'characters of HTML': (bytes) => fill('<&"\'', bytes),
  hyphens: (bytes) => fill('-', bytes),
  joiners: (bytes) => fill('\u094d\u200d', bytes),
  ships: (bytes) => fill('\u{1f6a2}', bytes),
  NUL: (bytes) => fill('\0', bytes),
};

/** Bodies of JSON. */
const JSONS: Shapes = {
  'deep arrays': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'deep objects': (bytes) => `${fill('{"a":', (bytes * 5) / 6)}1${fill('}', bytes / 6 - 1)}`,
  'a deep member': (bytes) => `{"UserName":${'['.repeat(bytes / 3)}${']'.repeat(bytes / 3)},"Password":"x"}`,
  'many members': (bytes) =>
    `{${Array.from({ length: bytes / 12 }, (_, index) => `"a${index}":1`).join()}}`.slice(0, bytes),
  'one member many times': (bytes) => `{${fill('"UserName":"a",', bytes - 20)}"Password":"x"}`,
  'many members with numbers for names': (bytes) =>
    `{${Array.from({ length: bytes / 12 }, (_, index) => `"${index * 7_919}":1`).join()}}`,
  'a long number': (bytes) => `{"CreateBy":${fill('9', bytes - 20)}}`,
  'a long fraction': (bytes) => `{"CreateBy":0.${fill('3', bytes - 20)}}`,
  'a long exponent': (bytes) => `{"CreateBy":1e${fill('9', bytes - 20)}}`,
  'many numbers': (bytes) => `{"Scopes":[${fill('1,', bytes - 20)}1]}`,
  'many keys': (bytes) => `{"apiKey":[${fill('"a",', bytes - 20)}"a"]}`,
  'many escapes': (bytes) => `{"UserName":"${fill('\\u0300', bytes - 40)}","Password":"x"}`,
  'broken at its end': (bytes) => `{"UserName":"${fill('a', bytes - 40)}`,
  'blanks around': (bytes) => `${fill(' ', bytes - 2)}{}`,
  nothing: () => '',
};

const FORMS: Shapes = {
  'many members': (bytes) =>
    Array.from({ length: bytes / 10 }, (_, index) => `a${index}=1`)
      .join('&')
      .slice(0, bytes),
  'one member many times': (bytes) => fill('UserName=a&', bytes),
  'many separators': (bytes) => fill('&', bytes),
  'many equals signs': (bytes) => fill('=', bytes),
  'broken encoding': (bytes) => fill('%E0%', bytes),
};

const QUERIES: Shapes = {
  ...FORMS,
  'many keys': (bytes) => fill('apiKey=a&', bytes),
  'many of a filter': (bytes) => fill('subnet=a&', bytes),
  brackets: (bytes) => fill('a[]=', bytes),
  'plus signs': (bytes) => `q=${fill('+', bytes - 2)}`,
};

const PATHS: Shapes = {
  'many segments': (bytes) => fill('/a', bytes),
  slashes: (bytes) => fill('/', bytes),
  parents: (bytes) => fill('/..', bytes),
  'encoded dots': (bytes) => fill('/%2e%2e', bytes),
  'encoded slashes': (bytes) => fill('%2f', bytes),
  'percent signs': (bytes) => fill('%', bytes),
  'encoded marks': (bytes) => `a${fill('%CC%80', bytes / 2)}${fill('%CC%96', bytes / 2)}`,
  dots: (bytes) => fill('.', bytes),
};

/** Headers, without their line ends. */
const HEADERS: Shapes = {
  'Accept: many': (bytes) => `accept: ${fill('a/b;q=0.1,', bytes)}`,
  'Accept: many parameters': (bytes) => `accept: text/plain${fill(';a=b', bytes)}`,
  'Accept: commas': (bytes) => `accept: ${fill(',', bytes)}`,
  'Accept: blanks': (bytes) => `accept: a${fill(' ', bytes)}b`,
  'Accept-Encoding: many': (bytes) => `accept-encoding: ${fill('br;q=0.1,', bytes)}`,
  'Accept-Encoding: parameters': (bytes) => `accept-encoding: gzip${fill(';q=1', bytes)}`,
  'Accept-Encoding: blanks': (bytes) => `accept-encoding: gzip${fill(' ', bytes)};q=1`,
  'Accept-Language: many': (bytes) => `accept-language: ${fill('de;q=0.1,', bytes)}`,
  'If-None-Match: many': (bytes) => `if-none-match: ${fill('W/"a",', bytes)}`,
  'If-None-Match: commas': (bytes) => `if-none-match: ${fill(',', bytes)}`,
  'If-None-Match: blanks': (bytes) => `if-none-match: "a"${fill(' ', bytes)}"b"`,
  'If-Match: many': (bytes) => `if-match: ${fill('"a",', bytes)}`,
  'Prefer: many': (bytes) => `prefer: ${fill('a;b=c,', bytes)}`,
  'Cookie: many': (bytes) => `cookie: ${fill('a=b; ', bytes)}`,
  'Cookie: many sessions': (bytes) => `cookie: ${fill('subnetd-session=a; ', bytes)}`,
  'Cookie: semicolons': (bytes) => `cookie: ${fill(';', bytes)}`,
  'Cookie: encoded': (bytes) => `cookie: subnetd-session=${fill('%CC%80', bytes)}`,
  'Cookie: quotes': (bytes) => `cookie: subnetd-session=${fill('"', bytes)}`,
  'Authorization: many': (bytes) => `authorization: ${fill('Bearer a,', bytes)}`,
  'Authorization: commas': (bytes) => `authorization: ${fill(',', bytes)}`,
  'Authorization: blanks': (bytes) => `authorization: Bearer${fill(' ', bytes)}a`,
  'Authorization: a long token': (bytes) => `authorization: Bearer ${fill('a', bytes / 3)}.${fill('b', bytes / 3)}.c`,
  'Authorization: dots': (bytes) => `authorization: Bearer ${fill('.', bytes)}`,
  'Authorization: Basic': (bytes) => `authorization: Basic ${fill('YTph', bytes)}`,
  'Authorization: Basic of colons': (bytes) => `authorization: Basic ${fill('Ojo6', bytes)}`,
  'X-Forwarded-For: trusted': (bytes) => `x-forwarded-for: ${fill('127.0.0.1,', bytes)}`,
  'X-Forwarded-For: trusted IPv6': (bytes) => `x-forwarded-for: ${fill('::ffff:127.0.0.1,', bytes, '127.0.0.1')}`,
  'X-Forwarded-For: digits': (bytes) => `x-forwarded-for: ${fill('1', bytes)}`,
  'X-Forwarded-For: colons': (bytes) => `x-forwarded-for: ${fill(':', bytes)}`,
  'X-Forwarded-For: brackets': (bytes) => `x-forwarded-for: ${fill('[', bytes)}`,
  'Content-Type: parameters': (bytes) => `content-type: application/json${fill(';charset = a', bytes)}`,
  'Content-Type: blanks': (bytes) => `content-type: application/json; charset${fill(' ', bytes)}x`,
  'Content-Type: a form with blanks': (bytes) => `content-type: application/x-www-form-urlencoded${fill(' ', bytes)}x`,
  'Content-Type: a boundary': (bytes) => `content-type: multipart/form-data; boundary=${fill('-', bytes)}`,
  'X-Request-Id': (bytes) => `x-request-id: ${fill('a', bytes)}`,
  'Idempotency-Key': (bytes) => `idempotency-key: ${fill('"', bytes)}`,
  Origin: (bytes) => `origin: http://${fill('a.', bytes)}`,
  'Host twice': (bytes) => `host: ${fill('a.', bytes)}`,
  'User-Agent': (bytes) => `user-agent: ${fill('Mozilla/5.0 (', bytes)}`,
  'Range: many': (bytes) => `range: bytes=${fill('0-,', bytes)}`,
  'many headers': (bytes) => fill('a: b\r\n', bytes, 'a: b'),
};

const READ = ['/', '/livez', '/status.json', '/metrics', '/history.json', '/history.json/uptime', '/masternodes.json'];
const READ_TOO = [
  '/incidents',
  '/incidents/x.json',
  '/alerts',
  '/alerts/SubnetHalted',
  '/badge/devnet.svg',
  '/feed.atom',
];
const OPEN = [
  '/docs',
  '/docs/codes',
  '/docs/try',
  '/safe-to-restart',
  '/portal/sign-in',
  '/portal/forgotten',
  '/portal/reset',
];
const API = ['/api/openapi.json', '/api/Sector/ListAll/0', '/api/v1/ApiKey/ListAll/0', '/api/Audit/ListAll'];
const GETS = [
  ...READ,
  ...READ_TOO,
  ...OPEN,
  ...API,
  '/events',
  '/targets/devnet/subnet1',
  '/assets/page.css',
  '/nothing',
];

/** The members of a body or form, and of a query, at each entrance that takes some. */
const BODIES: Readonly<Record<string, readonly string[]>> = {
  '/api/Auth/Token': ['UserName', 'Password', 'Otp', 'apiKey', 'token'],
  '/api/Account/ForgotPassword': ['EmailID'],
  '/api/Account/ResetPassword': ['ResetToken', 'Password'],
  '/api/Account/Activate': ['ActivationToken', 'Password'],
  '/api/AdminUser/Add': ['apiKey'],
  '/-/reload': ['token'],
  '/incidents/x/notes': ['note', 'credential'],
};
const PORTAL: Readonly<Record<string, readonly string[]>> = {
  '/portal/sign-in': ['UserName', 'Password', 'Otp', 'next', 'csrf'],
  '/portal/forgotten': ['EmailID'],
  '/portal/reset': ['token', 'Password'],
  '/incidents/x/notes': ['note', 'credential'],
};
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  '/docs': ['q'],
  '/docs/try': ['operation'],
  '/': ['subnet', 'problem'],
  '/events': ['subnet'],
  '/incidents': ['subnet', 'problem', 'page', 'from', 'search'],
  '/history.json': ['subnet', 'from', 'after', 'limit'],
  '/masternodes.json': ['subnet'],
  '/metrics': ['subnet'],
  '/safe-to-restart': ['subnet', 'node'],
  '/alerts/SubnetHalted': ['subnet', 'name'],
  '/portal/sign-in': ['next', 'done'],
  '/portal/reset': ['token'],
  '/api/Sector/ListAll/0': ['search', 'apiKey', 'token', 'limit'],
};
/** Where a segment of the path may be anything. */
const SEGMENTS = [
  '/targets/',
  '/targets/devnet/',
  '/badge/',
  '/incidents/',
  '/alerts/',
  '/assets/',
  '/portal/',
  '/docs/',
];
const SEGMENTS_TOO = ['/api/', '/api/v1/', '/api/Sector/ListAll/', '/api/Wallet/', '/api/AdminUser/Update/', '/'];

const JSON_TYPE = 'content-type: application/json';
const FORM_TYPE = 'content-type: application/x-www-form-urlencoded';

function write(method: string, target: string, headers: readonly string[] = [], body = ''): Buffer {
  const bytes = Buffer.from(body);
  const length = method === 'GET' ? [] : [`content-length: ${bytes.length}`];
  const lines = [`${method} ${target} HTTP/1.1`, 'host: subnetd.test', 'connection: close', ...length, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

const each = (shapes: Shapes, bytes: number): readonly (readonly [string, string])[] =>
  Object.entries(shapes).map(([name, make]) => [name, make(bytes)]);

/** A harmless request to each entrance, which makes it load what it needs. */
export const warmUps = (): readonly Buffer[] => [
  ...GETS.map((path) => write('GET', path)),
  ...Object.keys(BODIES).map((path) => write('POST', path, [JSON_TYPE], '{"UserName":"a","Password":"b"}')),
  ...Object.keys(PORTAL).map((path) => write('POST', path, [FORM_TYPE, 'origin: http://subnetd.test'], 'UserName=a')),
];

/** Every shape of a header to each path. */
export const hostileHeads = (paths: readonly string[]): readonly HostileRequest[] =>
  paths.flatMap((path) =>
    each(HEADERS, HEAD).map(([shape, header]) => ({
      entrance: `GET ${path}`,
      shape,
      bytes: write('GET', path, [header]),
    })),
  );

/** Every shape to every entrance that takes it without a credential. */
export function hostileRequests(): readonly HostileRequest[] {
  const all = [...hostileHeads(GETS)];
  const add = (entrance: string, shape: string, ...request: Parameters<typeof write>) =>
    all.push({ entrance, shape, bytes: write(...request) });
  for (const path of GETS) {
    for (const [name, query] of each(QUERIES, HEAD)) add(`GET ${path}`, `query: ${name}`, 'GET', `${path}?${query}`);
  }
  for (const [path, names] of Object.entries(PARAMETERS))
    for (const name of names)
      for (const [text, make] of Object.entries(TEXTS)) {
        const value = encodeURIComponent(make(HEAD / 3))
          .slice(0, HEAD)
          .replace(/%.?$/, '');
        add(`GET ${path}`, `${name}: ${text}`, 'GET', `${path}?${name}=${value}`);
      }
  for (const path of [...SEGMENTS, ...SEGMENTS_TOO])
    for (const [name, end] of each(PATHS, HEAD)) add(`GET ${path}…`, name, 'GET', `${path}${end}`);
  for (const [path, names] of Object.entries(BODIES)) {
    for (const [name, body] of each(JSONS, BODY)) add(`POST ${path}`, name, 'POST', path, [JSON_TYPE], body);
    for (const name of names)
      for (const [text, value] of each(TEXTS, BODY / 2)) {
        const body = JSON.stringify({
          UserName: 'a',
          Password: 'b',
          ResetToken: 'c',
          ActivationToken: 'd',
          [name]: value,
        });
        add(
          `POST ${path}`,
          `${name}: ${text}`,
          'POST',
          path,
          [JSON_TYPE],
          body.length < BODY ? body : body.slice(0, BODY),
        );
      }
  }
  for (const [path, names] of Object.entries(PORTAL)) {
    const headers = [FORM_TYPE, 'origin: http://subnetd.test'];
    for (const [name, form] of each(FORMS, BODY)) add(`form ${path}`, name, 'POST', path, headers, form);
    for (const name of names)
      for (const [text, make] of Object.entries(TEXTS)) {
        const form = new URLSearchParams({ UserName: 'a', Password: 'b', EmailID: 'c', [name]: make(BODY / 4) });
        add(`form ${path}`, `${name}: ${text}`, 'POST', path, headers, String(form).slice(0, BODY));
      }
  }
  const parts = fill('--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n', 32_000, '--b--\r\n');
  for (const path of ['/incidents/x/notes', '/portal/sign-in', '/api/Auth/Token'])
    add(`POST ${path}`, 'many parts', 'POST', path, ['content-type: multipart/form-data; boundary=b'], parts);
  return all;
}
