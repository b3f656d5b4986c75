import type { RateLimits } from '../platform/model/platform-store.ts';
import { listSql, type Run, sql } from './sql.ts';

/** Limits in the table `rate_limit`. One statement takes a request, so two replicas never take the same one. */
export function createRateLimits(run: Run): RateLimits {
  const now = sql`(extract(epoch from clock_timestamp()) * 1000)`;
  return {
    take: async (key, everyMs, burst) => {
      const [taken] = await run<{ full_in: number }>(sql`
        insert into rate_limit as bucket (key, free_at) values (${key}, ${now} + ${everyMs}::float8)
        on conflict (key) do update set free_at = greatest(bucket.free_at, ${now}) + ${everyMs}::float8
          where greatest(bucket.free_at, ${now}) + ${everyMs}::float8 <= ${now} + ${everyMs * burst}::float8
        returning (free_at - ${now})::float8 as full_in`);
      if (taken !== undefined) return { ok: true, fullInMs: taken.full_in };
      const [full] = await run<{ full_in: number }>(sql`
        select (free_at - ${now})::float8 as full_in from rate_limit where key = ${key}`);
      return { ok: false, fullInMs: full?.full_in ?? everyMs };
    },
    peek: async (keys) => {
      if (keys.length === 0) return [];
      const rows = await run<{ key: string; full_in: number }>(sql`
        select key, (free_at - ${now})::float8 as full_in from rate_limit where key in (${listSql(keys)})`);
      const fullIn = new Map(rows.map(({ key, full_in }) => [key, full_in]));
      return keys.map((key) => Math.max(0, fullIn.get(key) ?? 0));
    },
    clean: async () => void (await run(sql`delete from rate_limit where free_at < ${now}`)),
  };
}
