import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { median } from '../measure.ts';

/** What one process uses at a moment. */
export interface ProcessSample {
  readonly at: number;
  readonly pid: number;
  readonly residentMegabytes: number;
  readonly descriptors: number;
  /** Processor seconds since its start. */
  readonly cpuSeconds: number;
}

const TICKS_A_SECOND = 100;

/** Undefined when the process is gone. */
export function sampleProcess(pid: number | undefined, at: number): ProcessSample | undefined {
  if (pid === undefined) return undefined;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return {
      ...{ at, pid },
      residentMegabytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    };
  } catch {
    return undefined;
  }
}

/** The tables of the database at a moment, with their indexes and what is stored beside them: bytes, and rows. */
export interface TableSample {
  readonly at: number;
  readonly tables: Readonly<Record<string, { readonly bytes: number; readonly rows: number }>>;
}

/** Undefined while PostgreSQL is down. */
export async function sampleTables(url: string, at: number): Promise<TableSample | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; bytes: string; rows: string }>(
      'select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as rows from pg_stat_user_tables',
    );
    return {
      at,
      tables: Object.fromEntries(rows.map((row) => [row.name, { bytes: Number(row.bytes), rows: Number(row.rows) }])),
    };
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The medians of the second and of the last quarter of a run, and how many times the one the other is. */
export interface Trend {
  readonly second: number;
  readonly last: number;
  readonly times: number;
}

/** What begins takes a while to settle, so the first quarter is left out. */
export function toTrend(samples: readonly { readonly at: number; readonly value: number }[], endMs: number): Trend {
  const within = (from: number, to: number) =>
    median(samples.filter(({ at }) => at >= from * endMs && at < to * endMs).map(({ value }) => value));
  const second = within(0.25, 0.5);
  const last = within(0.75, 1);
  return { second, last, times: last / second };
}
