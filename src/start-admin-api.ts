import type { Logger } from 'pino';
import { createDatabaseLink } from './db/create-database-link.ts';
import { createLastingState, type LastingState } from './db/lasting-state.ts';
import { sayDatabase } from './db/parse-database-url.ts';
import { describeCause, isAway } from './model/database-failure.ts';
import { type Incident, type IncidentStore, incidentKey } from './model/incident.ts';
import { loadOnce } from './model/load-once.ts';
import type { LogPosition, PositionTable } from './model/log.ts';
import type { SecurityEvent } from './model/security-event.ts';
import { settleWithin } from './model/settle-within.ts';
import type { PlatformSettings } from './parse-platform-settings.ts';
import type { Platform } from './platform/create-platform.ts';
import type { ApiRequest } from './platform/visit.ts';

/** The platform API and its database, as the daemon holds them. */
export interface AdminApi {
  /** The API, loaded by the first request that asks for it. */
  readonly platform: () => Promise<Platform>;
  readonly answer: (request: ApiRequest) => Promise<Response>;
  readonly openApi: () => Promise<string>;
  readonly docs: () => Promise<string>;
  readonly isDatabaseUp: () => boolean;
  /** Where the instance of subnetd with this name keeps how far it has read its logs. */
  readonly positions: (instance: string) => PositionTable;
  /** Where the alerts of an instance are kept; rejects while the database is away. */
  readonly incidents: (instance: string) => Promise<IncidentStore>;
  readonly stop: () => Promise<void>;
}

const CLEAN_EVERY_MS = 60_000;

/** The security log is kept for so long, and so many of its rows; the audit trail of changes is kept for ever. */
const SECURITY_MS = 90 * 24 * 60 * 60 * 1_000;
const SECURITY_ROWS = 100_000;

/** What waits of the security log has so long to be written at the end: half of what the database has to be closed. */
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

/** One line for each event; it names who exists, never what was typed. */
function logSecurity(log: Logger, { action, subject, ip, requestId, detail, count }: SecurityEvent): void {
  const level = action === 'sign-in' || action === 'token' ? 'info' : 'warn';
  const who = subject && { [subject.resource === 'AdminUser' ? 'userId' : 'keyId']: subject.id };
  const what = detail && { [detail.name.toLowerCase()]: detail.value };
  log[level]({ security: action, address: ip, ...who, ...what, requestId, count }, SECURITY_TEXTS[action]);
}

/** Opens the database in the background. Nothing here delays the monitor, and without a request little is loaded. */
export function startAdminApi(
  settings: PlatformSettings,
  version: string,
  log: Logger,
  now: () => number,
  cleanEveryMs: number = CLEAN_EVERY_MS,
): AdminApi {
  const database = sayDatabase(settings.database);
  const link = createDatabaseLink({
    address: settings.database,
    onUp: () => {
      log.info({ database }, 'the database answers');
      for (const { restore } of [...positions.values(), ...incidents.values()]) restore().catch(() => {});
    },
    onDown: (outage, error) => log.error({ database, cause: describeCause(error) }, outage),
    onWarning: (warning) => log.warn({ database }, warning),
  });

  const isShared = settings.database.kind === 'postgres';
  const load = async (): Promise<Platform> => {
    const [{ createPlatform }, { resources }] = await Promise.all([
      import('./platform/create-platform.ts'),
      import('./platform/resources.ts'),
    ]);
    return createPlatform({
      resources,
      store: async () => (await link.open()).store,
      sharedLimits: async () => (isShared ? (await link.open()).rateLimits?.take : undefined),
      limits: settings.limits,
      trustedProxies: settings.trustedProxies,
      ...(settings.jwtSecret !== undefined && { jwtSecret: settings.jwtSecret }),
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
      import('./platform/create-open-api.ts'),
      import('./platform/resources.ts'),
    ]);
    return createOpenApi(resources, version);
  };
  const positions = new Map<string, LastingState<LogPosition>>();
  const positionsOf = (instance: string): PositionTable => {
    const state = positions.get(instance) ?? createLastingState(link.open, (open) => open.logPositions(instance));
    positions.set(instance, state);
    return state;
  };
  const incidents = new Map<string, LastingState<Incident>>();
  const incidentsOf = (instance: string): LastingState<Incident> => {
    const byKey = (all: readonly Incident[]) => new Map(all.map((one) => [incidentKey(one.labels), one]));
    const state =
      incidents.get(instance) ??
      createLastingState(link.open, (open) => {
        const { load, save } = open.incidents(instance);
        return { read: async () => byKey(await load()), write: save };
      });
    incidents.set(instance, state);
    return state;
  };
  const clean = async () => {
    const { store, rateLimits } = await link.open();
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
    docs: async () => (await import('./platform/docs-page.ts')).docsPage(await openApi()),
    isDatabaseUp: link.isUp,
    positions: positionsOf,
    incidents: async (instance) => {
      await link.open();
      const { read, write } = incidentsOf(instance);
      return { load: async () => [...(await read()).values()], save: write };
    },
    stop: async () => {
      clearInterval(cleaner);
      const stopped = platform.started()?.then((api) => api.stop());
      if (stopped !== undefined) await settleWithin(SECURITY_WITHIN_MS, stopped);
      await link.stop();
    },
  };
}
