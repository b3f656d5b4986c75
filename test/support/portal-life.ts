import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROOT_PASSWORD } from './api.ts';
import { type ApiDaemon, startApiDaemon } from './api-daemon.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { temporaryFolder } from './cli.ts';
import type { DATABASE_KINDS } from './databases.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from './mail-server.ts';
import { usePostgres } from './postgres.ts';
import { printOf } from './run-command.ts';

/** Something that nobody may read but at its place. */
export interface Secret {
  readonly what: string;
  readonly text: string;
  /** The answers that hold it, by method and path, in the order of the requests. */
  readonly shownAt: readonly string[];
  /** The subjects of the mails that hold it. */
  readonly mailedAs: readonly string[];
}

/** subnetd as people use it: behind a balancer with TLS, with a mail server. On PostgreSQL it has two replicas. */
export interface PortalLife {
  readonly balancer: Balancer;
  readonly mails: TestMailServer['mails'];
  readonly daemons: readonly ApiDaemon[];
  /** What browsers said of the content security policy. */
  readonly blocked: readonly string[];
  /** A browser at an address, by default with scripts. */
  open(address: string, options?: { readonly javaScriptEnabled?: boolean }): Promise<Page>;
  /** Waits for the only mail with this subject. */
  mailOf(subject: string): Promise<ReceivedMail>;
  /** Asks each replica and gives its code: 0 for a success. */
  codesOf(credential: Readonly<Record<string, string>>, address: string): Promise<readonly (number | undefined)[]>;
  /** Makes a token at the first replica. */
  makeToken(credential: Readonly<Record<string, string>>, address: string): Promise<string>;
  /** Every stored value as text. */
  dump(): Promise<string>;
  stop(): Promise<void>;
}

const FROM = 'subnetd@example.com';

/** Every row of a PostgreSQL database as text. */
async function dumpPostgres(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const tables = await client.query(`select table_name from information_schema.tables where table_schema = 'public'`);
    const rows: string[] = [];
    for (const { table_name: table } of tables.rows)
      rows.push(...(await client.query(`select t::text as text from "${table}" t`)).rows.map(({ text }) => text));
    return rows.join('\n');
  } finally {
    await client.end();
  }
}

/** Opens a database of the kind. */
async function openStore(kind: (typeof DATABASE_KINDS)[number], path: string) {
  if (kind === 'sqlite') {
    const dump = async () => ['', '-wal'].map((end) => readFileSync(`${path}${end}`, 'latin1')).join('');
    return { url: `sqlite:${path}`, dump, stop: async () => {} };
  }
  const postgres = await usePostgres();
  const url = await postgres.createDatabase();
  return { url, dump: () => dumpPostgres(url), stop: postgres.stop };
}

/** Starts all of it, with the admin user `root`. */
export async function startPortalLife(kind: (typeof DATABASE_KINDS)[number], browser: Browser): Promise<PortalLife> {
  const folder = temporaryFolder();
  const [store, server, balancer] = await Promise.all([
    openStore(kind, folder.path('subnetd.db')),
    startMailServer(),
    startBalancer(),
  ]);
  const environment = {
    SUBNETD_SMTP_URL: server.url,
    SUBNETD_MAIL_FROM: FROM,
    SUBNETD_PUBLIC_URL: balancer.url,
    SUBNETD_TRUSTED_PROXIES: '127.0.0.0/8',
    SUBNETD_JWT_SECRET: 'a secret that is the same for both replicas',
    SUBNETD_DATABASE_URL: store.url,
  };
  const names = ['--user-name', 'root', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
  writeFileSync(folder.path('password'), ROOT_PASSWORD);
  await printOf(['admin', 'create', ...names, '--password-file', folder.path('password')], environment);
  const replicas = kind === 'postgres' ? 2 : 1;
  const daemons = await Promise.all(Array.from({ length: replicas }, () => startApiDaemon(environment)));
  balancer.replicas = daemons.map(({ url }) => url);
  const blocked: string[] = [];
  return {
    balancer,
    mails: server.mails,
    daemons,
    blocked,
    open: async (address, options = {}) => {
      const context = await browser.newContext({
        ...{ baseURL: balancer.url, ignoreHTTPSErrors: true, permissions: ['clipboard-read', 'clipboard-write'] },
        ...{ extraHTTPHeaders: { 'x-forwarded-for': address }, ...options },
      });
      const page = await context.newPage();
      page.on('console', (said) => void (/content.security.policy/i.test(said.text()) && blocked.push(said.text())));
      return page;
    },
    mailOf: async (subject) => {
      const find = () => server.mails.filter(({ headers }) => headers.subject === `subnetd: ${subject}`);
      await expect.poll(() => find().length, { interval: 20 }).toBe(1);
      return find()[0] as ReceivedMail;
    },
    codesOf: (credential, address) =>
      Promise.all(
        daemons.map(async ({ url }) => {
          const path = `/api/Sector/ListAll/0?${new URLSearchParams(credential)}`;
          const answer = await fetch(`${url}${path}`, { headers: { 'x-forwarded-for': address } });
          const { appErrorCode = 0 } = (await answer.json()) as { readonly appErrorCode?: number };
          return appErrorCode;
        }),
      ),
    makeToken: async (credential, address) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
      const body = JSON.stringify(credential);
      const answer = await fetch(`${daemons[0]?.url}/api/Auth/Token`, { method: 'POST', headers, body });
      return ((await answer.json()) as { readonly data: { readonly token: string } }).data.token;
    },
    dump: store.dump,
    stop: async () => {
      await Promise.all(daemons.map(({ end }) => end()));
      await Promise.all([server.stop(), balancer.stop(), store.stop()]);
      folder.remove();
    },
  };
}
