import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { isAway, isOverloaded } from '../../lib/database-failure.ts';
import type { OnBug } from '../../lib/internal-errors.ts';
import { loadOnce, settleWithin } from '../../lib/promises.ts';
import type { ParentChains } from '../../model/parent-chain.ts';
import { formatHead } from '../model/audit-trail.ts';
import type { MailQueue } from '../model/mail.ts';
import type { PlatformDatabase, PlatformStore, Scope } from '../model/platform-store.ts';
import { SECURITY_SEVERITIES, type SecurityEvent } from '../model/security-event.ts';
import { sessionLimits } from '../model/session.ts';
import { FORGET_FAILURES_MS } from '../model/sign-in-store.ts';
import type { ApiHandler } from './create-api-handler.ts';
import type { Services } from './create-services.ts';
import type { Caller } from './credentials.ts';
import type { LimitSettings } from './limits.ts';
import type { Outcome } from './outcome.ts';
import type { ApiRequest } from './request-context.ts';

/** The platform API as part of the daemon. */
export interface PlatformApi {
  /** Answers a request with the envelope; the first request loads the API. */
  readonly answer: (request: ApiRequest) => Promise<Response>;
  /** Who sends a request outside `/api` that needs the scope. */
  readonly authorize: (request: ApiRequest, needed: Scope) => Promise<Outcome<Caller>>;
  readonly openApi: () => Promise<string>;
  /** Adds to the security log that a request named a user of the web config and was refused. */
  readonly recordRefusedUser: (request: ApiRequest) => void;
  /** What the portal shares with the API. */
  readonly services: () => Promise<Services>;
  readonly stop: () => Promise<void>;
}

/** Settings of the platform API. Without a secret for tokens, a generated one ends with the process. */
export interface PlatformApiSettings {
  readonly jwtSecret?: string;
  readonly secretKeys?: readonly string[];
  readonly requiresOtp?: boolean;
  readonly trustedProxies: BlockList;
  readonly limits: LimitSettings;
}

/** What the platform API needs of the program around it. */
export interface PlatformApiDeps {
  readonly settings: PlatformApiSettings;
  readonly database: PlatformDatabase;
  /** The parent chains of the inventory; by default there are none. */
  readonly parentChains?: ParentChains | undefined;
  /** Where mails are handed over; absent without a mail server. */
  readonly mails?: MailQueue | undefined;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onBug: OnBug;
  readonly cleanEveryMs?: number;
}

const CLEAN_EVERY_MS = 60_000;

const TELL_HEADS_EVERY_MS = 60 * 60_000;

/** The security log keeps events for 90 days, and at most this many; the audit trail of changes is kept forever. */
const SECURITY_MS = 90 * 24 * 60 * 60 * 1_000;
const SECURITY_ROWS = 100_000;

/** How many failed sign-ins are kept, besides for how long. */
const FAILURE_ROWS = 100_000;

/** For how long the keys of adds are kept, as in idempotent-add.ts, which is loaded later. */
const USED_KEYS_MS = 24 * 60 * 60 * 1_000;

/** How long queued security events may take to be written at the end: half of the time for closing the database. */
const SECURITY_WITHIN_MS = 450;

const SECURITY_TEXTS: Readonly<Record<SecurityEvent['action'], string>> = {
  'sign-in': 'an admin user signed in',
  'sign-in refused': 'a sign-in was refused',
  'sign-out': 'an admin user signed out',
  'sessions ended': 'an admin user ended portal sessions',
  'code refused': 'a one-time code was missing or wrong',
  'recovery code used': 'an admin user signed in with a recovery code',
  locked: 'sign-ins from an address are delayed after repeated failures',
  unlocked: 'an admin lifted the sign-in delay of an admin user',
  'reset asked': 'a password reset link was requested',
  'password reset': 'an admin user set a new password with a link',
  'password changed': 'an admin user changed their password',
  'password refused': 'an admin user confirmed an action with a wrong password',
  'link refused': 'a mailed link was refused',
  'form refused': 'a portal form was refused: another page sent it, or its session has ended',
  invited: 'an admin user was sent an activation link',
  activated: 'an admin user activated their account with a link',
  token: 'a token was created',
  'token revoked': 'an admin user ended a token',
  'tokens revoked': 'an admin user ended all their tokens and portal sessions',
  'token refused': 'a token was refused',
  'key refused': 'an API key was refused',
  'key ends soon': 'an API key in use ends within a week; rotate it, or switch to the key that replaced it',
  'basic auth refused': 'a user name and password of basic authentication were refused',
  'scope refused': 'a credential was refused because it lacks a scope',
  slowed: 'requests were refused by a rate limit',
};

/** Has the log said once what is wrong? Then it is not repeated for each request. */
const isReported = (cause: { readonly code?: string }): boolean => isAway(cause) || isOverloaded(cause);

/** Writes one line per event. It names users and keys that exist, never what was typed. */
function logSecurity(log: Logger, { action, subject, ip, requestId, detail, count }: SecurityEvent): void {
  const who = subject && { [subject.resource === 'AdminUser' ? 'userId' : 'keyId']: subject.id };
  const what = detail && { [detail.name.toLowerCase()]: detail.value };
  log[SECURITY_SEVERITIES[action]](
    { security: action, address: ip, ...who, ...what, requestId, count },
    SECURITY_TEXTS[action],
  );
}

/** Starts the platform API without loading it: nothing here delays the monitor. */
export function startPlatformApi(deps: PlatformApiDeps): PlatformApi {
  const { settings, database, mails, log, now, cleanEveryMs = CLEAN_EVERY_MS } = deps;
  const loadServices = async (): Promise<Services> => {
    const [{ createServices }, { resources }] = await Promise.all([
      import('./create-services.ts'),
      import('./resources.ts'),
    ]);
    return createServices({
      ...settings,
      mails,
      resources,
      parentChains: deps.parentChains,
      store: async () => (await database.open()).platform,
      sharedLimits: async () => (database.isShared ? (await database.open()).rateLimits : undefined),
      now,
      onError: (what, error, requestId) =>
        what === 'database'
          ? log[isReported(error as { readonly code?: string }) ? 'debug' : 'error'](
              { requestId, cause: error },
              'the database failed on a request',
            )
          : deps.onBug(error, { requestId }),
      onSecurity: (event) => logSecurity(log, event),
    });
  };
  const services = loadOnce(loadServices);
  const loadHandler = async (): Promise<ApiHandler> =>
    (await import('./create-api-handler.ts')).createApiHandler(await services.get());
  const handler = loadOnce(loadHandler);
  const openApi = async () => {
    const [{ createOpenApi }, { resources }] = await Promise.all([
      import('./create-open-api.ts'),
      import('./resources.ts'),
    ]);
    return createOpenApi(resources);
  };
  let toldAt = Number.NEGATIVE_INFINITY;
  /** A log that is kept elsewhere shows later whether the end of the audit trail was cut off or all of it computed again. */
  const tellHeads = async (store: PlatformStore) => {
    if (now() - toldAt < TELL_HEADS_EVERY_MS) return;
    toldAt = now();
    for (const head of await store.trailHeads())
      log.info({ head: formatHead(head) }, 'head of the audit trail, for subnetd audit --verify --head');
  };
  const clean = async () => {
    const { platform: store, rateLimits } = await database.open();
    await rateLimits?.clean();
    await store.trimFailures(new Date(now() - FORGET_FAILURES_MS).toISOString(), FAILURE_ROWS);
    await store.trimUsedKeys(new Date(now() - USED_KEYS_MS).toISOString());
    await store.trimSecurityEvents(new Date(now() - SECURITY_MS).toISOString(), SECURITY_ROWS);
    await store.trimSessions(sessionLimits(now()));
    await store.trimRevokedTokens(new Date(now()).toISOString());
    await store.trimLinks(new Date(now()).toISOString());
    await tellHeads(store);
  };
  const cleaner = setInterval(() => {
    // An instance that is never asked by the API does not load its stores to clean them.
    if (services.started() !== undefined && database.election.standFor('api-retention')()) clean().catch(() => {});
  }, cleanEveryMs);
  cleaner.unref();

  return {
    answer: (request) => handler.get().then(({ answer }) => answer(request)),
    authorize: async (request, needed) => (await handler.get()).authorize(request, needed),
    openApi: async () => JSON.stringify(await openApi()),
    recordRefusedUser: (request) => {
      services.get().then(({ contextOf }) => contextOf(request).record('basic auth refused', {}), deps.onBug);
    },
    services: services.get,
    stop: async () => {
      clearInterval(cleaner);
      const stopped = services.started()?.then(({ stop }) => stop());
      if (stopped !== undefined) await settleWithin(SECURITY_WITHIN_MS, stopped);
    },
  };
}
