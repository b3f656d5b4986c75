import type { Logger } from 'pino';
import { isAway, isOverloaded } from '../../lib/database-failure.ts';
import { HOUR_MS } from '../../lib/duration.ts';
import type { OnBug } from '../../lib/internal-errors.ts';
import { loadOnce, settleWithin } from '../../lib/promises.ts';
import type { ReceivedRequest } from '../../model/received-request.ts';
import { formatHead } from '../model/audit-trail.ts';
import type { PlatformDatabase, PlatformStore, Scope } from '../model/platform-store.ts';
import { SECURITY_EVENTS, type SecurityEvent } from '../model/security-event.ts';
import { sessionLimits } from '../model/session.ts';
import { FORGET_FAILURES_MS } from '../model/sign-in-store.ts';
import type { ApiHandler } from './create-api-handler.ts';
import type { Services, ServicesDeps } from './create-services.ts';
import type { Caller } from './credentials.ts';
import type { Outcome } from './outcome.ts';

/** The platform API as part of the daemon. */
export interface PlatformApi {
  /** Answers a request with the envelope; the first request loads the API. */
  readonly answer: (request: ReceivedRequest) => Promise<Response>;
  /** Who sends a request outside `/api` that needs the scope. */
  readonly authorize: (request: ReceivedRequest, needed: Scope) => Promise<Outcome<Caller>>;
  readonly openApi: () => Promise<string>;
  /** Adds to the security log that a request named a user of the web config and was refused. */
  readonly recordRefusedUser: (request: ReceivedRequest) => void;
  /** What the portal shares with the API. */
  readonly services: () => Promise<Services>;
  readonly stop: () => Promise<void>;
}

/** Settings of the platform API. Without a secret for tokens, a generated one ends with the process. */
export type PlatformApiSettings = Pick<
  ServicesDeps,
  'jwtSecret' | 'secretKeys' | 'requiresOtp' | 'trustedProxies' | 'limits'
>;

/** What the platform API needs of the program around it. */
export interface PlatformApiDeps extends Pick<ServicesDeps, 'parentChains' | 'mails' | 'now'> {
  readonly settings: PlatformApiSettings;
  readonly database: PlatformDatabase;
  readonly log: Logger;
  readonly onBug: OnBug;
  readonly cleanEveryMs?: number;
}

const CLEAN_EVERY_MS = 60_000;

/** The security log keeps events for 90 days, and at most this many; the audit trail of changes is kept forever. */
const SECURITY_MS = 90 * 24 * 60 * 60 * 1_000;
const SECURITY_ROWS = 100_000;

/** How many failed sign-ins are kept, besides for how long. */
const FAILURE_ROWS = 100_000;

/** For how long the keys of adds are kept, as in idempotent-add.ts, which is loaded later. */
const USED_KEYS_MS = 24 * 60 * 60 * 1_000;

/** For how long it is kept what a key did, today aside, as in key-journal.ts, which is loaded later. */
const JOURNAL_MS = 6 * 24 * 60 * 60 * 1_000;

/** How long queued security events may take to be written at the end: half of the time for closing the database. */
const SECURITY_WITHIN_MS = 450;

/** Has the log said once what is wrong? Then it is not repeated for each request. */
const isReported = (cause: { readonly code?: string }): boolean => isAway(cause) || isOverloaded(cause);

/** Writes one line per event. It names users and keys that exist, never what was typed. */
function logSecurity(log: Logger, { action, subject, ip, requestId, detail, count }: SecurityEvent): void {
  const who = subject && { [subject.resource === 'AdminUser' ? 'userId' : 'keyId']: subject.id };
  const what = detail && { [detail.name.toLowerCase()]: detail.value };
  const [severity, text] = SECURITY_EVENTS[action];
  log[severity]({ security: action, address: ip, ...who, ...what, requestId, count }, text);
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
  /** A log that is kept elsewhere shows later whether the end of the audit trail was cut off or all of it computed again. */
  const tellHeads = async (store: PlatformStore) => {
    for (const head of await store.trailHeads())
      log.info({ head: formatHead(head) }, 'head of the audit trail, for subnetd audit --verify --head');
  };
  const trimImages = async (store: PlatformStore) => {
    const { imageColumns, KEEP_UNUSED_MS } = await import('./images.ts');
    const before = new Date(now() - KEEP_UNUSED_MS).toISOString();
    await store.trimImages(before, imageColumns((await services.get()).resources));
  };
  let hourlyAt = Number.NEGATIVE_INFINITY;
  const clean = async () => {
    const { platform: store, rateLimits } = await database.open();
    await rateLimits?.clean();
    await store.trimFailures(new Date(now() - FORGET_FAILURES_MS).toISOString(), FAILURE_ROWS);
    await store.trimUsedKeys(new Date(now() - USED_KEYS_MS).toISOString());
    await store.trimKeyUses(new Date(now() - JOURNAL_MS).toISOString().slice(0, 10));
    await store.trimSecurityEvents(new Date(now() - SECURITY_MS).toISOString(), SECURITY_ROWS);
    await store.trimSessions(sessionLimits(now()));
    await store.trimRevokedTokens(new Date(now()).toISOString());
    await store.trimLinks(new Date(now()).toISOString());
    if (now() - hourlyAt < HOUR_MS) return;
    hourlyAt = now();
    await tellHeads(store);
    await trimImages(store);
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
