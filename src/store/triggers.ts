import type { DatabaseConnection } from './database-connection.ts';

/** How many rows hold the version of a list on PostgreSQL, so that its writers rarely wait for each other. */
const SHARDS = 16;

/**
 * Gives each list a version that every committed change replaces, whoever makes it. It is random, so it never comes back:
 * not after a restore of an older backup either.
 */
export function addListVersions(kind: DatabaseConnection['kind'], tables: readonly string[]): string {
  const isSqlite = kind === 'sqlite';
  const random = isSqlite
    ? 'hex(randomblob(16))'
    : 'md5(random()::text || clock_timestamp()::text || pg_backend_pid())';
  const shards = Array.from({ length: isSqlite ? 1 : SHARDS }, (_, shard) => shard);
  const rows = tables.flatMap((table) => shards.map((shard) => `('${table}', ${shard}, ${random})`));
  const renew = `update list_version set version = ${random}`;
  const onSqlite = (table: string) =>
    ['insert', 'update', 'delete'].map(
      (change) => `create trigger ${table}_${change} after ${change} on ${table}
        begin ${renew} where list = '${table}'; end;`,
    );
  const onPostgres = (table: string) =>
    `create trigger ${table}_change after insert or update or delete or truncate on ${table}
      for each statement execute procedure renew_list_version();`;
  return `
    create table list_version (
      list text not null, shard integer not null, version text not null, primary key (list, shard)
    );
    insert into list_version (list, shard, version) values ${rows.join(', ')};
    ${
      isSqlite
        ? ''
        : `create function renew_list_version() returns trigger language plpgsql as $$ begin
            ${renew} where list = tg_table_name and shard = pg_backend_pid() % ${SHARDS};
            return null;
          end $$;`
    }
    ${tables.flatMap(isSqlite ? onSqlite : onPostgres).join('\n')}`;
}

/** Notes where a chain of the audit trail ends whenever a row is added to it, in the same transaction. */
export function noteAuditEnd(kind: DatabaseConnection['kind']): string {
  const note = `update audit_chain set last_id = new.id, hash = new.hash
    where name = case new.is_security when 1 then 'security' else 'changes' end`;
  return kind === 'sqlite'
    ? `create trigger audit_event_end after insert on audit_event when new.hash is not null begin ${note}; end;`
    : `
      create function note_audit_end() returns trigger language plpgsql as $$ begin ${note}; return null; end $$;
      create trigger audit_event_end after insert on audit_event for each row when (new.hash is not null)
        execute procedure note_audit_end();`;
}
