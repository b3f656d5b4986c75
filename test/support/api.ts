import { getRequestListener } from '@hono/node-server';
import { hash } from '@node-rs/argon2';
import { Hono } from 'hono';
import pino, { type Logger } from 'pino';
import type { PlatformSettings } from '../../src/daemon/settings.ts';
import { parseTrustedProxies } from '../../src/lib/addresses.ts';
import { createInternalErrors, type InternalErrors } from '../../src/lib/internal-errors.ts';
import type { ParentChains } from '../../src/model/parent-chain.ts';
import { hashApiKey, makeApiKey } from '../../src/platform/api/api-key.ts';
import { onCommandLine } from '../../src/platform/api/create-admin.ts';
import { adminUser } from '../../src/platform/api/resources.ts';
import { type PlatformApi, startPlatformApi } from '../../src/platform/api/start-platform-api.ts';
import { startMailer } from '../../src/platform/mail/start-mailer.ts';
import type { PlatformStore, Scope } from '../../src/platform/model/platform-store.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import type { DatabaseAddress } from '../../src/store/database-url.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type Database, startDatabase } from '../../src/store/start-database.ts';
import { answerUnreadable } from '../../src/web/answer-broken-requests.ts';
import { addApiRoutes, reloadRefusal } from '../../src/web/api-routes.ts';
import { LISTEN_LIMITS, type ListenLimits, listen } from '../../src/web/listen.ts';

/** What an answer says, whichever it is. */
export interface Answer {
  readonly http: number;
  readonly headers: Headers;
  readonly text: string;
  readonly status: 'success' | 'failed';
  readonly appErrorCode?: number;
  readonly errMessage?: string;
  readonly data: {
    readonly items: readonly Readonly<Record<string, unknown>>[];
    readonly next?: number;
    readonly token: string;
    readonly expiresAt: string;
    readonly [name: string]: unknown;
  };
}

/** The API on a real socket and a real database, with an admin user 1 and a key that writes and one that reads. */
export interface Api {
  readonly url: string;
  readonly key: string;
  readonly readKey: string;
  readonly store: PlatformStore;
  readonly platform: PlatformApi;
  /** All that was logged. */
  readonly logged: string[];
  /** `scope` may name several, separated by blanks. */
  makeKey(scope: string, owner?: number): Promise<{ readonly id: number; readonly key: string }>;
  /** Sends a request with the key that may write; a body that is not a string becomes JSON. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The same without a credential. */
  sendBare(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  stop(): Promise<void>;
}

/** The password of the admin user `root`, who has the id 1. */
export const ROOT_PASSWORD = 'correct horse battery';

/** The hash of `ROOT_PASSWORD` with the least work that there is, as tests compare it a thousand times. */
export const cheapHash = (): Promise<string> => hash(ROOT_PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });

/**
 * Adds the admin user `root` where it is not there yet. Each password but this one takes the shipped amount of work.
 */
export async function addRoot(store: PlatformStore, now: number): Promise<void> {
  const values = {
    FirstName: 'R',
    LastName: 'T',
    UserName: 'root',
    Password: await cheapHash(),
    EmailID: 'r@example.com',
    IsActive: true,
  };
  await store.add(adminUser, values, onCommandLine(now));
}

/** Settings with the limits off. */
export function platformSettings(database: DatabaseAddress, other: Partial<PlatformSettings> = {}): PlatformSettings {
  const trusted = parseTrustedProxies('');
  if (!trusted.ok) throw new Error('unreachable');
  return {
    database,
    trustedProxies: trusted.proxies,
    corsOrigins: [],
    secretKeys: [],
    limits: { rate: 0, burst: 0, signIns: 0 },
    ...other,
  };
}

/** Starts the API and its database as `app.ts` does. */
export function startPlatform(
  settings: PlatformSettings,
  more: {
    readonly log?: Logger;
    readonly now?: () => number;
    readonly cleanEveryMs?: number;
    readonly parentChains?: ParentChains;
  } = {},
): PlatformApi & { readonly database: Database; readonly bugs: InternalErrors } {
  const { log = pino({ level: 'silent' }) } = more;
  const bugs = createInternalErrors(log);
  const deps = { now: Date.now, ...more, log };
  const database = startDatabase(settings.database, deps.log, settings.secretKeys);
  const { mail } = settings;
  const mailer =
    mail && startMailer({ ...deps, settings: mail, store: database.mails, everyMs: 20, onBug: bugs.of('mail') });
  const api = startPlatformApi({ ...deps, settings, database, mails: mailer, onBug: bugs.of('api') });
  const stop = async () => {
    await mailer?.stop();
    await api.stop();
    await database.stop();
  };
  return { ...api, database, bugs, stop };
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { http: response.status, headers: response.headers, text, ...JSON.parse(text) };
}

/** Waits that a test can sit through. Where many requests come at once on a busy machine they would end good ones. */
export const SHORT_WAITS: ListenLimits = { ...LISTEN_LIMITS, headersMs: 2_000, requestMs: 3_000 };

/** Starts the API on an empty database. */
export async function startApi(
  address: DatabaseAddress,
  other: Partial<PlatformSettings> = {},
  waits: ListenLimits = LISTEN_LIMITS,
  more: { readonly now?: () => number; readonly parentChains?: ParentChains } = {},
): Promise<Api> {
  const { now = Date.now } = more;
  const connection = await openDatabase(address);
  const { platform: store } = await createRepositories(connection);
  await addRoot(store, now());
  const makeKey: Api['makeKey'] = async (scope, owner = 1) => {
    const key = makeApiKey();
    const scopes = scope.split(' ') as Scope[];
    const id = await store.addKey({ name: scope, scopes, owner, hash: hashApiKey(key) }, onCommandLine(now()));
    if (id === undefined) throw new Error(`there is no active admin user ${owner}`);
    return { id, key };
  };
  const { key } = await makeKey('write');
  const { key: readKey } = await makeKey('read');
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const platform = startPlatform(platformSettings(address, other), { ...more, log });
  const routes = new Hono<never>();
  addApiRoutes(routes as never, platform, other.corsOrigins);
  routes.post(
    '/-/reload',
    async (c) =>
      (await reloadRefusal(platform, { request: c.req.raw, remoteAddress: '127.0.0.1' })) ?? c.text('reloaded\n'),
  );
  const listener = await listen('127.0.0.1', 0, undefined, waits);
  listener.setHandler(
    getRequestListener(routes.fetch as never, { hostname: 'localhost', errorHandler: answerUnreadable }),
  );
  const sendBare: Api['sendBare'] = async (method, path, body, headers = {}) =>
    toAnswer(
      await fetch(`${listener.url}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return {
    url: listener.url,
    key,
    readKey,
    store,
    platform,
    logged,
    makeKey,
    sendBare,
    send: (method, path, body, headers) =>
      sendBare(method, `${path}${path.includes('?') ? '&' : '?'}apiKey=${key}`, body, headers),
    stop: async () => {
      await listener.stop(1_000);
      await platform.stop();
      await connection.close();
    },
  };
}
