import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/platform/api/error-codes.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { parametersOf } from '../../../src/platform/model/resource.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { type Api, startApi } from '../../support/api.ts';
import { DATABASE_KINDS, type Databases, startDatabases } from '../../support/databases.ts';

const servers: Databases[] = [];
const apis = new Map<string, Api>();
beforeAll(async () => {
  for (const kind of DATABASE_KINDS) {
    const databases = await startDatabases(kind);
    servers.push(databases);
    apis.set(kind, await startApi(await databases.create()));
  }
}, 60_000);
afterAll(async () => {
  await Promise.all([...apis.values()].map((api) => api.stop()));
  await Promise.all(servers.map((databases) => databases.stop()));
});

const nasty = fc.oneof(
  fc.json().map((text) => JSON.parse(text) as unknown),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    "'; drop table industry; --",
    '../x',
    'true',
    'TRUE',
    '1',
    2 ** 53,
    -1,
    1.5,
    null,
  ),
  fc.constantFrom<unknown>(true, false, 1, 'Shipping', 'a@example.com', 'images/a.png', 'long enough'),
);

const memberNames = [
  ...new Set([
    ...resources.flatMap((resource) => [resource.idMember, ...parametersOf(resource).map(({ name }) => name)]),
    ...['CreateBy', 'UpdateBy', 'token', '__proto__', 'constructor'],
  ]),
];
const anyBody = fc.oneof(
  fc.dictionary(fc.constantFrom(...memberNames), nasty, { maxKeys: 14 }).map((body) => JSON.stringify(body)),
  fc.json(),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
);

it.each(DATABASE_KINDS)(
  'on %s any body gets an envelope from the table, never 500, never half a write',
  async (kind) => {
    const api = apis.get(kind);
    if (api === undefined) throw new Error(`no API on ${kind}`);
    const total = async () => {
      const lists = await Promise.all(resources.map(({ name }) => api.send('GET', `/api/${name}/ListAll/0`)));
      return lists.reduce((sum, { data }) => sum + data.items.length, 0);
    };
    let known = await total();
    const path = fc.constantFrom(
      ...resources.flatMap(({ name }) => [`POST /api/${name}/Add`, `PUT /api/v1/${name}/Update/1`]),
    );
    const property = fc.asyncProperty(path, anyBody, async (where, body) => {
      const [method = '', target = ''] = where.split(' ');
      const answer = await api.send(method, target, body);
      if (answer.status === 'success') known += method === 'POST' ? 1 : 0;
      else expect(answer.http).toBe(ERROR_CODES[answer.appErrorCode as 1001][0]);
      expect(answer.http).toBeLessThan(500);
    });
    await fc.assert(property, { numRuns: 300 });
    expect(await total()).toBe(known);
    expect(api.logged.join('')).not.toContain('please report this');
  },
  60_000,
);
