import { type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { LentConnection } from './database-connection.ts';

const refuse = () => Promise.reject(new Error('transactions begin with a statement'));

/** Kysely over lent connections, so that its transactions and those of plain SQL wait for each other. */
export function createSqliteDialect(lend: () => Promise<LentConnection>): Dialect {
  const lent = new WeakMap<object, LentConnection>();
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => {
      const own = await lend();
      const connection = {
        executeQuery: async <Row>({
          sql,
          parameters,
        }: {
          readonly sql: string;
          readonly parameters: readonly unknown[];
        }) => ({
          rows: (await own.query(sql, parameters)).rows as Row[],
        }),
        streamQuery: () => {
          throw new Error('long lists are read in pages');
        },
      };
      lent.set(connection, own);
      return connection;
    },
    releaseConnection: async (connection) => lent.get(connection)?.release(),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
