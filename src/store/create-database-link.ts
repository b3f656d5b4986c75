import { databaseAway } from '../lib/database-failure.ts';
import { formatDuration } from '../lib/duration.ts';
import { type Loaded, loadOnce, settleWithin } from '../lib/promises.ts';
import type { Repositories } from './create-repositories.ts';
import { createStores, type Stores } from './create-stores.ts';
import type { DatabaseConnection } from './database-connection.ts';
import type { DatabaseAddress } from './database-url.ts';
import { canStillRead, describeOutage } from './describe-outage.ts';
import { checkTables } from './migrate.ts';

/** The dependencies of the link. */
export interface LinkDeps {
  readonly address: DatabaseAddress;
  /** Secrets that are not in the database, the newest first. */
  readonly secretKeys?: readonly string[];
  readonly onUp: () => void;
  /** Called when the database goes down, and when the reason changes; not at each failure. */
  readonly onDown: (outage: string, error: unknown) => void;
  readonly onWarning?: (warning: string) => void;
  /** How often the link checks whether the database answers, and whether it accepts a write. */
  readonly checkEveryMs?: number;
  readonly writeEveryMs?: number;
}

const CHECK_EVERY_MS = 2_000;
const CHECK_AGAIN_MS = 500;
/** Only a write shows that the disk is full. */
const WRITE_EVERY_MS = 10_000;
const FIRST_WITHIN_MS = 5_000;
/** A server that hangs does not answer a disconnect either. */
const CLOSE_WITHIN_MS = 1_000;
const WARN_OF_SLOWNESS_EVERY_MS = 600_000;

/** Opens the database in the background, and again after each outage. */
export function createDatabaseLink(deps: LinkDeps) {
  const { address, onUp, onDown, onWarning, checkEveryMs = CHECK_EVERY_MS, writeEveryMs = WRITE_EVERY_MS } = deps;
  const stopping = new AbortController();
  let slowAt = Number.NEGATIVE_INFINITY;
  const onSlow = (ms: number) => {
    if (performance.now() - slowAt < WARN_OF_SLOWNESS_EVERY_MS) return;
    slowAt = performance.now();
    onWarning?.(
      `the database has been busy with one statement for ${formatDuration(ms)}: checks and reads continue, writes wait; check whether its disk is slow and what else uses it`,
    );
  };
  /** What was warned of since it was up last: an attempt to open it warns of the same things each time. */
  const warned = new Set<string>();
  const warnOnce = (warning: string) => {
    if (!warned.has(warning)) onWarning?.(warning);
    warned.add(warning);
  };
  const options = { signal: stopping.signal, onSlow, onWarning: warnOnce };
  /** The first attempt to open it has ended. */
  const tried = Promise.withResolvers<void>();
  let connection: DatabaseConnection | undefined;
  let stores: Stores | undefined;
  let repositories: Loaded<Repositories> | undefined;
  let up: boolean | undefined;
  /** Why it is down, as reported. */
  let outage: string | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const drop = async () => {
    const gone = connection;
    connection = undefined;
    stores = undefined;
    repositories = undefined;
    if (gone !== undefined) await settleWithin(CLOSE_WITHIN_MS, gone.close());
  };
  const check = async (hasFailed: boolean) => {
    const writes = hasFailed || up !== true || performance.now() - writtenAt >= writeEveryMs;
    try {
      if (connection === undefined) {
        const { openDatabase } = await import('./open-database.ts');
        connection = await openDatabase(address, options);
        tried.resolve();
        if (stopping.signal.aborted) return await drop();
      }
      await connection.ping(writes);
      if (writes) await checkTables(connection);
      if (writes) writtenAt = performance.now();
      if (up !== true && !stopping.signal.aborted) onUp();
      up = true;
      outage = undefined;
      warned.clear();
    } catch (error) {
      if (!canStillRead(error)) await drop();
      const reason = describeOutage(error);
      if (outage !== reason && !stopping.signal.aborted) onDown(reason, error);
      up = false;
      outage = reason;
      tried.resolve();
    }
  };
  let checking: Promise<void> | undefined;
  /** One check at a time; the next one is already scheduled. */
  const checkNow = (hasFailed = false): Promise<void> => {
    if (checking !== undefined) return checking;
    clearTimeout(timer);
    checking = check(hasFailed).finally(() => {
      checking = undefined;
      if (stopping.signal.aborted) return;
      timer = setTimeout(checkNow, up ? checkEveryMs : CHECK_AGAIN_MS);
      timer.unref();
    });
    return checking;
  };
  void checkNow();

  const waitForFirst = async (): Promise<void> => {
    if (connection !== undefined || up !== undefined) return;
    const late = new Promise((resolve) => setTimeout(resolve, FIRST_WITHIN_MS).unref());
    await Promise.race([tried.promise, late]);
  };
  /** Without a wait: what is opened on a connection that was dropped meanwhile would stay. */
  const getConnection = (): DatabaseConnection => {
    if (connection === undefined) throw databaseAway();
    return connection;
  };
  const onFailure = () => void checkNow(true);

  return {
    /** Rejects with a `DatabaseFailure` while the database is down; waits for the first attempt to open it. */
    openStores: async (): Promise<Stores> => {
      await waitForFirst();
      stores ??= createStores(getConnection(), onFailure);
      return stores;
    },
    /** The same with the stores of the platform API, which are loaded with the first request. */
    open: async (): Promise<Repositories> => {
      await waitForFirst();
      const current = getConnection();
      repositories ??= loadOnce(async () =>
        (await import('./create-repositories.ts')).createRepositories(current, onFailure, deps.secretKeys),
      );
      return repositories.get();
    },
    isUp: (): boolean => up === true,
    stop: async (): Promise<void> => {
      stopping.abort();
      clearTimeout(timer);
      if (checking !== undefined) await settleWithin(CLOSE_WITHIN_MS, checking);
      await drop();
    },
  };
}
