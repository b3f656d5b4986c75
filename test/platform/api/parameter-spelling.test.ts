import { beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operationsOf, queryMembersOf } from '../../../src/platform/api/operations.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const operations = operationsOf(resources);
const namesOf = (operation: Operation) => Object.keys(queryMembersOf(operation));
const withQuery = operations.filter((operation) => namesOf(operation).length > 0);

/** The names that differ from this one in their case only, of which a person may type one. */
const misspelled = (name: string): readonly string[] => {
  const [first = '', rest] = [name[0], name.slice(1)];
  const swapped = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  return [...new Set([name.toLowerCase(), name.toUpperCase(), `${swapped}${rest}`])].filter((one) => one !== name);
};

describe('a parameter that differs from a known one in its case', () => {
  const api = useApi(useDatabases('sqlite'));
  let key: string;
  beforeAll(async () => {
    key = (await api.makeKey('write admin')).key;
  });
  const send = ({ method, path }: Operation, query: string, of = `apiKey=${key}`) =>
    api.sendBare(method, `/api${path.replace(/\{.*\}/, '1')}?${of}&${query}`, method === 'GET' ? undefined : {});

  it.each(withQuery.map((operation) => [operation.id, operation] as const))(
    'of %s is 1012, with its right spelling',
    async (_id, operation) => {
      for (const name of namesOf(operation))
        for (const wrong of misspelled(name)) {
          const { appErrorCode, errMessage } = await send(operation, `${wrong}=1`);
          const text = `${wrong} must be spelled ${name}: the names of parameters are case-sensitive`;
          expect([appErrorCode, errMessage]).toEqual([1012, text]);
        }
    },
  );

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'of a credential of %s is 1012, with or without a good one, and its value is not repeated',
    async (_id, operation) => {
      for (const [wrong, right] of [
        ['ApiKey', 'apiKey'],
        ['apikey', 'apiKey'],
        ['Token', 'token'],
      ] as const)
        for (const good of [`apiKey=${key}`, 'x=1']) {
          const { appErrorCode, errMessage } = await send(operation, `${wrong}=${key}`, good);
          const text = `${wrong} must be spelled ${right}: the names of parameters are case-sensitive`;
          expect([appErrorCode, errMessage]).toEqual([1012, text]);
        }
    },
  );

  it('is refused beside the right one, and behind the checks that come before', async () => {
    const path = '/api/Industry/ListAll/0';
    expect((await api.send('GET', `${path}?limit=1&LIMIT=2`)).appErrorCode).toBe(1012);
    expect((await api.sendBare('GET', `${path}?Limit=1`)).appErrorCode).toBe(1101);
    expect((await api.send('PUT', `${path}?Limit=1`, {})).appErrorCode).toBe(1001);
    expect((await api.sendBare('GET', `/api/ApiKey/ListAll/0?Limit=1&apiKey=${api.readKey}`)).appErrorCode).toBe(1104);
  });

  it('is known by its whole name only: another one is ignored', async () => {
    for (const other of ['limits', 'isdeleted2', 'Password', 'is_deleted', 'SkillName', 'atleast', ''])
      expect((await api.send('GET', `/api/Industry/ListAll/0?${other}=x`)).http, other).toBe(200);
  });

  it('is never meant by two known ones', () => {
    for (const operation of operations) {
      const names = [...namesOf(operation), 'apiKey', 'token'];
      expect(new Set(names.map((name) => name.toLowerCase())).size, operation.id).toBe(names.length);
    }
  });
});
