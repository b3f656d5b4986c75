import type { PlatformStore, RateLimits } from '../platform/model/platform-store.ts';
import { createAdminUsers, createPasswordChanges } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { beginTrail, saveTrail, toTrailKey } from './audit-chain.ts';
import { createSecurityEvents, searchAuditEvents } from './audit-events.ts';
import { checkTrail, readTrailHeads } from './check-trail.ts';
import { createGuard, createStores, type Stores } from './create-stores.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { createErasures } from './erase-user.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { createImages } from './images.ts';
import type { InTransaction } from './in-transaction.ts';
import { createKeyUses } from './key-uses.ts';
import { createAccountLinks } from './mail-tables.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { createRateLimits } from './rate-limits.ts';
import { createRecordSearch } from './record-search.ts';
import { createResourceTables } from './resource-table.ts';
import { createPlainSql } from './run-sql.ts';
import { createSessions } from './sessions.ts';
import { createSignInAddresses, createSignInFailures } from './sign-ins.ts';
import { type ReadPrepared, type Run, sql, toText, withCells } from './sql.ts';

/** Values that are generated once and then stored, the same for every replica. */
const createGeneratedValues = (run: Run): Pick<PlatformStore, 'getOrCreate'> => ({
  getOrCreate: async (name, make) => {
    const read = async () =>
      (await run<{ value: string }>(sql`select value from kept_value where name = ${name}`))[0]?.value;
    const known = await read();
    if (known !== undefined) return known;
    await run(sql`insert into kept_value (name, value) values (${name}, ${make()}) on conflict (name) do nothing`);
    // Another replica may have been faster: the value in the table counts.
    return (await read()) ?? make();
  },
});

/** The stores of an open database, with those of the platform API. */
export interface Repositories extends Stores {
  /** What the platform API stores. */
  readonly platform: PlatformStore;
  /** The limits that replicas share; only with PostgreSQL. */
  readonly rateLimits?: RateLimits;
}

/** Creates the repositories of an open database. The first of the `secrets` keys the audit trail. */
export async function createRepositories(
  connection: DatabaseConnection,
  onFailure: (error: unknown) => void = () => {},
  secrets: readonly string[] = [],
): Promise<Repositories> {
  const { kind } = connection;
  const { run, scan, inTransaction } = createPlainSql(connection, saveTrail);
  const trailKeys = secrets.map(toTrailKey);
  /** The transactions of changes, whose audit events follow each other in one chain. */
  const inTrail: InTransaction = (work) =>
    inTransaction((transaction) => {
      beginTrail(transaction, kind, trailKeys[0]);
      return work(transaction);
    });
  const readAtOnce = await connection.openReader?.();
  const read: ReadPrepared = <Row>(...[statement, cells]: Parameters<ReadPrepared>) =>
    readAtOnce === undefined
      ? run<Row>(withCells(statement, cells))
      : (readAtOnce(toText(statement, kind), cells) as readonly Row[]);
  const platform: PlatformStore = {
    ...createResourceTables(run, kind, inTrail, read),
    ...createRecordSearch(scan, kind),
    ...createAdminUsers(read),
    ...createApiKeys(run, kind, inTrail, read),
    ...createKeyUses(run),
    ...createPasswordChanges(inTrail),
    ...createAccountLinks(run),
    ...createIdempotencyKeys(run),
    ...createGeneratedValues(run),
    ...createImages(run),
    ...createSignInAddresses(run, inTransaction),
    ...createOneTimeCodes(run, inTrail),
    ...createSignInFailures(inTransaction),
    ...createSessions(run, inTransaction),
    ...createSecurityEvents(inTrail),
    ...createErasures(kind, inTrail),
    checkTrail: (kept) => checkTrail(scan, trailKeys, kept),
    trailHeads: () => readTrailHeads(run),
    searchAudit: (query) => searchAuditEvents(scan, query),
  };
  const guard = createGuard(connection.retry, onFailure);
  return {
    ...createStores(connection, onFailure),
    platform: guard(platform),
    ...(kind === 'postgres' && { rateLimits: guard(createRateLimits(run)) }),
  };
}
