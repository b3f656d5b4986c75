import type { Logger } from 'pino';
import { createDatabaseLink } from './db/create-database-link.ts';
import { sayDatabase } from './db/parse-database-url.ts';
import { describeCause } from './model/database-failure.ts';
import type { IncidentStore } from './model/incident.ts';
import type { PositionTable } from './model/log.ts';
import type { PlatformSettings } from './parse-platform-settings.ts';
import type { ApiRequest, Platform } from './platform/create-platform.ts';

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

/** Opens the database in the background. Nothing here delays the monitor, and without a request little is loaded. */
export function startAdminApi(settings: PlatformSettings, version: string, log: Logger, now: () => number): AdminApi {
  const database = sayDatabase(settings.database);
  const link = createDatabaseLink({
    address: settings.database,
    onUp: () => log.info({ database }, 'the database answers'),
    onDown: (error) =>
      log.error(
        { database, cause: describeCause(error) },
        'the database is away: the platform API answers 1106 until it is back; check SUBNETD_DATABASE_URL',
      ),
  });
  if (settings.jwtSecret !== undefined && settings.jwtSecret.length < 32)
    log.warn(
      'SUBNETD_JWT_SECRET is shorter than 32 characters and can be guessed; make one with openssl rand -base64 32',
    );

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
      onError: (what, error) =>
        what === 'database'
          ? log.error({ cause: error }, 'the database failed on a request')
          : log.error({ err: error }, 'a request of the platform API broke; please report this'),
    });
  };
  let loaded: Promise<Platform> | undefined;
  const platform = () => {
    loaded ??= load();
    return loaded;
  };
  const openApi = async () => {
    const [{ createOpenApi }, { resources }] = await Promise.all([
      import('./platform/create-open-api.ts'),
      import('./platform/resources.ts'),
    ]);
    return createOpenApi(resources, version);
  };
  const cleaner = setInterval(() => {
    if (isShared && loaded !== undefined)
      link.open().then(
        ({ rateLimits }) => rateLimits?.clean(),
        () => {},
      );
  }, CLEAN_EVERY_MS);
  cleaner.unref();

  return {
    platform,
    answer: async (request) => (await platform()).answer(request),
    openApi: async () => JSON.stringify(await openApi()),
    docs: async () => (await import('./platform/docs-page.ts')).docsPage(await openApi()),
    isDatabaseUp: link.isUp,
    positions: (instance) => {
      const open = async () => (await link.open()).logPositions(instance);
      return {
        read: async () => (await open()).read(),
        write: async (changed, gone) => (await open()).write(changed, gone),
      };
    },
    incidents: async (instance) => (await link.open()).incidents(instance),
    stop: async () => {
      clearInterval(cleaner);
      await link.stop();
    },
  };
}
