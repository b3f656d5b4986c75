import type { DatabaseConnection } from './database-connection.ts';
import { type Migration, migrations } from './migrations.ts';

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

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Updates the schema to this version: all missing steps, or none. Safe to run in several processes at once. Rejects
 * if the database is of a newer version.
 */
export async function migrate(connection: DatabaseConnection, steps: readonly Migration[] = migrations): Promise<void> {
  // If nothing is missing, it waits for nobody: a locked database can be read.
  const before = await connection.column('select name from schema_migration').catch((): readonly string[] => []);
  if (before.length === steps.length && steps.every(({ name }) => before.includes(name))) return;
  await connection.exclusively(async ({ run, column }) => {
    await run('create table if not exists schema_migration (name text primary key, at text not null)');
    const done = await column('select name from schema_migration');
    const unknown = done.find((name) => !steps.some((step) => step.name === name));
    if (unknown !== undefined)
      throw Object.assign(new Error(`the database was made by a newer subnetd (${unknown})`), {
        code: 'DATABASE_IS_NEWER',
      });
    for (const { name, sql } of steps.filter((step) => !done.includes(step.name))) {
      await run(sql(connection.kind));
      await run(`insert into schema_migration (name, at) values (${quote(name)}, ${quote(new Date().toISOString())})`);
    }
  });
}
