import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Postgres, usePostgres } from './postgres.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The PostgreSQL of the test run for the hooks and tests of a file. */
export function hookPostgres(): Omit<Postgres, 'stop'> {
  let server: Postgres | undefined;
  beforeAll(async () => {
    server = await usePostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  const get = () => {
    if (server === undefined) throw new Error('there is no PostgreSQL before the hooks have run');
    return server;
  };
  return { createDatabase: () => get().createDatabase(), query: (sql) => get().query(sql) };
}

/** A client of a database until the test ends, also when its server ends it. */
export async function connectFor(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A relay before the server of a database until the test ends, with the URL of the database through it. */
export async function relayTo(url: string): Promise<{ readonly proxy: TcpProxy; readonly proxied: string }> {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  onTestFinished(proxy.stop);
  return { proxy, proxied: Object.assign(new URL(url), { port: String(proxy.port) }).href };
}
