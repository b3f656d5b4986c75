import type { AlertResult } from './judge-alerts.ts';
import type { SampleResult, Wrong } from './judge-samples.ts';
import type { Step } from './plan.ts';
import { type ProcessSample, type TableSample, type Trend, toTrend } from './resources.ts';
import type { Truth } from './truth.ts';

/** A soak that is over. Times are milliseconds. */
export interface Run {
  readonly seed: number;
  readonly seconds: number;
  readonly lastedMs: number;
  /** From the end of the last fault until Alertmanager showed no alert. */
  readonly settledAfterMs: number;
  readonly steps: readonly Step[];
  readonly truth: Truth;
  /** At each moment those of the shards, then that which plays the nodes. */
  readonly processes: readonly (readonly (ProcessSample | undefined)[])[];
  readonly tables: readonly TableSample[];
  readonly samples: SampleResult;
  /** Shards that ran and did not answer for a sample. */
  readonly unanswered: readonly string[];
  readonly slowestAnswerMs: number;
  /** How many threads of the whole machine ran or waited for a processor, as a mean over a minute; over time. */
  readonly loads: readonly number[];
  readonly alerts: AlertResult;
  readonly stillFiring: readonly string[];
  readonly scrapes: { readonly count: number; readonly seconds: number; readonly series: number };
}

/** Growth needs time to show; a shorter run judges none. */
const LEAST_S_FOR_TRENDS = 20 * 60;
const MOST_RESIDENT = 1.15;
const MOST_DESCRIPTORS = 1.1;
const MOST_TABLE = 1.3;
/** A table that is as small as some pages grows in steps. */
const SMALL_TABLE = 2 * 1024 ** 2;

/** Tables that keep what happened, for as long as the settings say: they grow until then. */
export const KEPT_TABLES: readonly string[] = [
  'uptime',
  'pace',
  'steps',
  'history_change',
  'incident',
  'incident_part',
  'incident_note',
];

const toResident = ({ residentMegabytes }: ProcessSample): number => residentMegabytes;

/** The trend of each shard. A process that was killed begins again, so its samples are those of all its lives. */
export const trendsOfShard = (run: Run, shard: number, value: (sample: ProcessSample) => number): Trend =>
  toTrend(
    run.processes.flatMap((samples) => {
      const one = samples[shard];
      return one === undefined ? [] : [{ at: one.at, value: value(one) }];
    }),
    run.seconds * 1_000,
  );

/** The share of a processor that the lives of a shard took, without the start of each. */
export function processorShareOf(run: Run, shard: number): number {
  let cpuSeconds = 0;
  let seconds = 0;
  let before: ProcessSample | undefined;
  for (const samples of run.processes) {
    const one = samples[shard];
    if (one !== undefined && one.pid === before?.pid) {
      cpuSeconds += one.cpuSeconds - before.cpuSeconds;
      seconds += (one.at - before.at) / 1_000;
    }
    before = one;
  }
  return cpuSeconds / seconds;
}

/** The names of all tables, the largest first. */
export const tableNames = ({ tables }: Run): readonly string[] => {
  const last = tables.at(-1)?.tables ?? {};
  return Object.keys(last).toSorted((one, other) => (last[other]?.bytes ?? 0) - (last[one]?.bytes ?? 0));
};

export const trendOfTable = (run: Run, table: string): Trend =>
  toTrend(
    run.tables.map(({ at, tables }) => ({ at, value: tables[table]?.bytes ?? 0 })),
    run.seconds * 1_000,
  );

export const describeWrong = ({ compared, subject, reported, truth, at, forMs }: Wrong): string =>
  `${compared} of ${subject} was ${reported} and had to be ${truth} for up to ${(forMs / 1_000).toFixed(1)} s, at ${Math.round(at / 1_000)} s`;

/** What does not hold of the alerts. */
export const describeAlerts = (alerts: AlertResult): readonly string[] =>
  (['missed', 'doubled', 'unwanted', 'withoutEnd', 'late'] as const).flatMap((name) =>
    alerts[name].map((one) => `${name === 'withoutEnd' ? 'without end' : name}: ${one}`),
  );

/** All that does not hold, in sentences; none when all does. */
export function findFailures(run: Run): readonly string[] {
  const { samples, alerts, unanswered, stillFiring, seconds } = run;
  const isLong = seconds >= LEAST_S_FOR_TRENDS;
  const grown = (what: string, { second, last, times }: Trend, most: number) =>
    times > most ? [`${what} grew ${times.toFixed(2)} times, from ${second.toFixed(0)} to ${last.toFixed(0)}`] : [];
  return [
    ...samples.tooLong.map(describeWrong),
    ...unanswered.map((one) => `no answer for a sample: ${one}`),
    ...describeAlerts(alerts),
    ...stillFiring.map((one) => `still firing at the end: ${one}`),
    ...(isLong
      ? run.truth.lives.flatMap((_, shard) => [
          // One that was killed begins again, so its memory depends on when that was.
          ...(shard === run.truth.lives.length - 1
            ? grown(`the memory of shard ${shard}`, trendsOfShard(run, shard, toResident), MOST_RESIDENT)
            : []),
          ...grown(
            `the descriptors of shard ${shard}`,
            trendsOfShard(run, shard, (one) => one.descriptors),
            MOST_DESCRIPTORS,
          ),
        ])
      : []),
    ...(isLong
      ? tableNames(run)
          .filter((table) => !KEPT_TABLES.includes(table))
          .map((table) => [table, trendOfTable(run, table)] as const)
          .filter(([, { last }]) => last > SMALL_TABLE)
          .flatMap(([table, trend]) => grown(`the table ${table}`, trend, MOST_TABLE))
      : []),
  ];
}
