import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/platform/api/error-codes.ts';
import { ROOT_PASSWORD, startApi } from '../../support/api.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const databases = useDatabases('sqlite');
const api = useApi(databases);

const MOST = 2 ** 31 - 1;
const project = (more: object) => ({ ContractName: 'Bound', IsDeleted: false, CreateBy: 1, ...more });

it.each<[string, number, string, string, unknown?]>([
  ['CreateBy 0', 1011, 'POST', '/api/ProjectType/Add', project({ CreateBy: 0 })],
  ['CreateBy 2^31 - 1, whom nobody is', 1121, 'POST', '/api/ProjectType/Add', project({ CreateBy: MOST })],
  ['CreateBy 2^31', 1011, 'POST', '/api/ProjectType/Add', project({ CreateBy: MOST + 1 })],
  ['an id of 0', 1011, 'PUT', '/api/ProjectType/Update/1', project({ ProjectTypeID: 0, UpdateBy: 1 })],
  ['an id of 2^31 - 1', 1004, 'PUT', '/api/ProjectType/Update/1', project({ ProjectTypeID: MOST, UpdateBy: 1 })],
  ['an id of 2^31', 1011, 'PUT', '/api/ProjectType/Update/1', project({ ProjectTypeID: MOST + 1, UpdateBy: 1 })],
  ['updatedby 0', 1011, 'PUT', '/api/ProjectType/Update/0', project({ UpdateBy: 1 })],
  ['updatedby 2^31', 1011, 'PUT', `/api/ProjectType/Update/${MOST + 1}`, project({ UpdateBy: 1 })],
  ['a record -1', 1011, 'GET', '/api/ProjectType/ListAll/-1'],
  ['a record 2^31 - 1', 1004, 'GET', `/api/ProjectType/ListAll/${MOST}`],
  ['a record 2^31', 1011, 'GET', `/api/ProjectType/ListAll/${MOST + 1}`],
  ['limit 0', 1011, 'GET', '/api/ProjectType/ListAll/0?limit=0'],
  ['limit 1001', 1011, 'GET', '/api/ProjectType/ListAll/0?limit=1001'],
  ['after -1', 1011, 'GET', '/api/ProjectType/ListAll/0?after=-1'],
  ['after 2^31', 1011, 'GET', `/api/ProjectType/ListAll/0?after=${MOST + 1}`],
])('%s is %i', async (_what, code, method, path, body) => {
  const answer = await api.send(method, path, body);
  expect([answer.appErrorCode, answer.http]).toEqual([code, ERROR_CODES[code as 1011][0]]);
});

it.each(['limit=1', 'limit=1000', 'after=0', `after=${MOST}`])('a list with %s is given', async (query) => {
  expect((await api.send('GET', `/api/ProjectType/ListAll/0?${query}`)).http).toBe(200);
});

it('a body of exactly 64 KiB is read, and one byte more is 1005', async () => {
  const start = JSON.stringify(project({ ContractName: 'Full body', filler: '' })).slice(0, -2);
  const ofBytes = (bytes: number) => `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  expect(Buffer.byteLength(ofBytes(65_536))).toBe(65_536);
  expect((await api.send('POST', '/api/ProjectType/Add', ofBytes(65_536))).http).toBe(200);
  expect((await api.send('POST', '/api/ProjectType/Add', ofBytes(65_537))).appErrorCode).toBe(1005);
});

it('one address gets exactly the set number of sign-ins a minute, for all users together', async () => {
  const limited = await startApi(await databases.create(), { limits: { rate: 0, burst: 0, signIns: 3 } });
  try {
    const codes = [];
    for (const UserName of ['root', 'nobody', 'root', 'root'])
      codes.push(
        (await limited.sendBare('POST', '/api/Auth/Token', { UserName, Password: ROOT_PASSWORD })).appErrorCode,
      );
    expect(codes).toEqual([undefined, 1104, undefined, 1102]);
  } finally {
    await limited.stop();
  }
});
