import type { ClientBase } from 'pg';

/** Settings of a session in PostgreSQL, with values in its units. */
export type SessionSettings = Readonly<Record<string, number>>;

const WITHIN_MS = 3_000;

/** Applies the settings to the session of a connection. Those that the server does not know, as older ones, are left out. */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const query = {
    text: `select set_config(name, value, false) from unnest($1::text[], $2::text[]) as wanted (name, value)
      where exists (select from pg_settings where pg_settings.name = wanted.name)`,
    values: [Object.keys(settings), Object.values(settings).map(String)],
    query_timeout: WITHIN_MS,
  };
  await client.query(query);
}
