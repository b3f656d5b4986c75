import { sql } from 'kysely';
import type { RateLimits } from '../platform/model/platform-store.ts';
import type { Queries } from './tables.ts';

/** Limits in the table `rate_limit`. One statement takes a request, so two replicas never take the same one. */
export function createRateLimits(db: Queries): RateLimits {
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)`;
  return {
    take: async (key, everyMs, burst) => {
      const { rows } = await sql<{ full_in: number }>`
        insert into rate_limit as bucket (key, free_at) values (${key}, ${now} + ${everyMs}::float8)
        on conflict (key) do update set free_at = greatest(bucket.free_at, ${now}) + ${everyMs}::float8
          where greatest(bucket.free_at, ${now}) + ${everyMs}::float8 <= ${now} + ${everyMs * burst}::float8
        returning (free_at - ${now})::float8 as full_in`.execute(db);
      const [taken] = rows;
      if (taken !== undefined) return { ok: true, fullInMs: taken.full_in };
      const full = await sql<{ full_in: number }>`
        select (free_at - ${now})::float8 as full_in from rate_limit where key = ${key}`.execute(db);
      return { ok: false, fullInMs: full.rows[0]?.full_in ?? everyMs };
    },
    peek: async (keys) => {
      const { rows } = await sql<{ key: string; full_in: number }>`
        select key, (free_at - ${now})::float8 as full_in from rate_limit where key = any(${keys}::text[])`.execute(db);
      const fullIn = new Map(rows.map(({ key, full_in }) => [key, full_in]));
      return keys.map((key) => Math.max(0, fullIn.get(key) ?? 0));
    },
    clean: async () => void (await sql`delete from rate_limit where free_at < ${now}`.execute(db)),
  };
}
