import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import { isAway } from '../model/database-failure.ts';
import { loadOnce } from '../model/load-once.ts';
import type { PlatformDatabase } from '../model/platform-store.ts';
import type { SecurityEvent } from '../model/security-event.ts';
import { settleWithin } from '../model/within.ts';
import type { LimitSettings } from './create-limits.ts';
import type { Platform } from './create-platform.ts';
import type { ApiRequest } from './visit.ts';

/** The platform API as part of the daemon. */
export interface AdminApi {
  /** The API; the first request loads it. */
  readonly platform: () => Promise<Platform>;
  readonly answer: (request: ApiRequest) => Promise<Response>;
  readonly openApi: () => Promise<string>;
  readonly docs: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Settings of the API. Without a secret for tokens, a generated one ends with the process. */
export interface AdminApiSettings {
  readonly jwtSecret?: string;
  readonly trustedProxies: BlockList;
  readonly limits: LimitSettings;
}

/** What the API needs of the program around it. */
export interface AdminApiDeps {
  readonly settings: AdminApiSettings;
  readonly version: string;
  readonly database: PlatformDatabase;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly cleanEveryMs?: number;
}

const CLEAN_EVERY_MS = 60_000;

/** The security log keeps events for 90 days, and at most this many; the audit trail of changes is kept forever. */
const SECURITY_MS = 90 * 24 * 60 * 60 * 1_000;
const SECURITY_ROWS = 100_000;

/** How long queued security events may take to be written at the end: half of the time for closing the database. */
const SECURITY_WITHIN_MS = 450;

const SECURITY_TEXTS: Readonly<Record<SecurityEvent['action'], string>> = {
  'sign-in': 'an admin user signed in',
  'sign-in refused': 'a sign-in was refused',
  token: 'a token was made',
  'token refused': 'a token was refused',
  'key refused': 'an API key was refused',
  'scope refused': 'a credential was refused for want of a scope',
  slowed: 'requests came too quickly and were refused',
};

/** Writes one line per event. It names users and keys that exist, never what was typed. */
function logSecurity(log: Logger, { action, subject, ip, requestId, detail, count }: SecurityEvent): void {
  const level = action === 'sign-in' || action === 'token' ? 'info' : 'warn';
  const who = subject && { [subject.resource === 'AdminUser' ? 'userId' : 'keyId']: subject.id };
  const what = detail && { [detail.name.toLowerCase()]: detail.value };
  log[level]({ security: action, address: ip, ...who, ...what, requestId, count }, SECURITY_TEXTS[action]);
}

/** Starts the API without loading it: nothing here delays the monitor. */
export function startAdminApi(deps: AdminApiDeps): AdminApi {
  const { settings, version, database, log, now, cleanEveryMs = CLEAN_EVERY_MS } = deps;
  const load = async (): Promise<Platform> => {
    const [{ createPlatform }, { resources }] = await Promise.all([
      import('./create-platform.ts'),
      import('./resources.ts'),
    ]);
    return createPlatform({
      ...settings,
      resources,
      store: async () => (await database.open()).store,
      sharedLimits: async () => (database.isShared ? (await database.open()).rateLimits?.take : undefined),
      now,
      onError: (what, error, requestId) =>
        what === 'database'
          ? log[isAway(error as { readonly code?: string }) ? 'debug' : 'error'](
              { requestId, cause: error },
              'the database failed on a request',
            )
          : log.error({ requestId, err: error }, 'a request of the platform API broke; please report this'),
      onSecurity: (event) => logSecurity(log, event),
    });
  };
  const platform = loadOnce(load);
  const openApi = async () => {
    const [{ createOpenApi }, { resources }] = await Promise.all([
      import('./create-open-api.ts'),
      import('./resources.ts'),
    ]);
    return createOpenApi(resources, version);
  };
  const clean = async () => {
    const { store, rateLimits } = await database.open();
    await rateLimits?.clean();
    await store.trimSecurityEvents(new Date(now() - SECURITY_MS).toISOString(), SECURITY_ROWS);
  };
  const cleaner = setInterval(() => {
    if (platform.started() !== undefined) clean().catch(() => {});
  }, cleanEveryMs);
  cleaner.unref();

  return {
    platform: platform.get,
    answer: async (request) => (await platform.get()).answer(request),
    openApi: async () => JSON.stringify(await openApi()),
    docs: async () => (await import('./docs-page.ts')).docsPage(await openApi()),
    stop: async () => {
      clearInterval(cleaner);
      const stopped = platform.started()?.then((api) => api.stop());
      if (stopped !== undefined) await settleWithin(SECURITY_WITHIN_MS, stopped);
    },
  };
}
