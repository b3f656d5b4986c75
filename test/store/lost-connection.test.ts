import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isDatabaseFailure } from '../../src/lib/database-failure.ts';
import { projectType } from '../../src/platform/api/resources.ts';
import type { PlatformStore } from '../../src/platform/model/platform-store.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openPostgres } from '../../src/store/open-postgres.ts';
import { hookPostgres, relayTo } from '../support/postgres-hooks.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

const postgres = hookPostgres();

let proxy: TcpProxy;
let throughProxy: PlatformStore;
let direct: PlatformStore;
const ANSWER_WITHIN_MS = 1_000;

const open = async (url: string, answerWithinMs?: number) => {
  const connection = await openPostgres(url, answerWithinMs === undefined ? {} : { answerWithinMs });
  onTestFinished(connection.close);
  await migrate(connection);
  return (await createRepositories(connection)).platform;
};
beforeEach(async () => {
  const url = await postgres.createDatabase();
  const relay = await relayTo(url);
  proxy = relay.proxy;
  direct = await open(url);
  throughProxy = await open(relay.proxied, ANSWER_WITHIN_MS);
});

const author = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T12:00:00.000Z', ip: null };
const add = (name: string) => throughProxy.add(projectType, { ContractName: name, IsDeleted: false }, author);
const kept = async () => ({
  names: (await direct.list(projectType, 0, 100)).map(({ ContractName }) => ContractName),
  audited: (await direct.searchAudit({ limit: 100 })).length,
});
const isCommit = (piece: string) => piece.includes('commit');

describe('a write whose connection to PostgreSQL is lost', () => {
  it('at the commit, after the server made it, fails and is not repeated', async () => {
    proxy.onRequest = (piece) => (isCommit(piece) ? 'arrives and breaks' : 'passes');
    await expect(add('uncertain')).rejects.toSatisfy(isDatabaseFailure);
    proxy.onRequest = () => 'passes';
    expect((await add('next')).ok).toBe(true);
    expect(await kept()).toEqual({ names: ['uncertain', 'next'], audited: 2 });
  });

  it('before the commit arrives fails, keeps nothing, and leaves no connection that hangs to the next', async () => {
    proxy.onRequest = (piece) => (isCommit(piece) ? 'is lost' : 'passes');
    await expect(add('lost')).rejects.toSatisfy(isDatabaseFailure);
    proxy.onRequest = () => 'passes';
    expect((await add('next')).ok).toBe(true);
    expect(await kept()).toEqual({ names: ['next'], audited: 1 });
  });
});

it('a server that takes no writes, as a standby does, counts as away, and its message says so', async () => {
  const url = await postgres.createDatabase();
  await (await openPostgres(url)).close();
  const name = new URL(url).pathname.slice(1);
  await postgres.query(`alter database ${name} set default_transaction_read_only = on`);
  await expect(openPostgres(url)).rejects.toThrow(
    'the server does not accept writes (a standby, or read-only); connect to',
  );
});

it('a step of the schema may take longer than an answer', async () => {
  const connection = await openPostgres(await postgres.createDatabase(), { answerWithinMs: ANSWER_WITHIN_MS });
  onTestFinished(connection.close);
  await migrate(connection, [...migrations, { name: 'slow', sql: () => 'select pg_sleep(1.3)' }]);
  expect(await connection.column('select name from schema_migration')).toContain('slow');
});
