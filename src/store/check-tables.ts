import type { DatabaseConnection } from './database-connection.ts';
import { migrations } from './migrations.ts';

const NAMES: Readonly<Record<DatabaseConnection['kind'], string>> = {
  sqlite: "select name from sqlite_schema where type = 'table'",
  postgres: 'select tablename from pg_tables where schemaname = any (current_schemas(false))',
};

/** The tables that the steps of the schema make, which no step removes. */
export const tablesOf = (kind: DatabaseConnection['kind']): readonly string[] =>
  migrations.flatMap(({ sql }) => [...sql(kind).matchAll(/\bcreate table (\w+)/g)].map(([, name = '']) => name));

/** Rejects if a table of the schema is gone. While tables cannot be listed, nothing is said of them. */
export async function checkTables(connection: DatabaseConnection): Promise<void> {
  const names = await connection.column(NAMES[connection.kind]).catch(() => undefined);
  const missing = names && tablesOf(connection.kind).filter((name) => !names.includes(name));
  if (missing === undefined || missing.length === 0) return;
  const error = new Error(`the database has no table ${missing.join(', ')}`);
  throw Object.assign(error, { code: 'DATABASE_TABLE_LOST' });
}
