import { cpus, totalmem } from 'node:os';
import { drawChart, type Line } from '../draw-chart.ts';
import { median } from '../measure.ts';
import { LATE_MS, SEND_PAUSE_MS } from './demand.ts';
import { FAULT_NAMES } from './faults.ts';
import { INTERVAL_MS, SHARDS, STALL_MS, TIMEOUT_MS } from './fleet.ts';
import type { AlertOutcome } from './judge-alerts.ts';
import { OPEN_LIMIT_MS, VERDICT_LIMIT_MS } from './judge-samples.ts';
import type { Pattern } from './plan.ts';
import type { ProcessSample, TableSample, Trend } from './resources.ts';
import { KEPT_TABLES, processorShareOf, type Run, tableNames, trendOfTable, trendsOfShard } from './soak-run.ts';
import { gapsOf, type Span } from './truth.ts';

const PATTERNS: readonly Pattern[] = ['long', 'flapping', 'removed', 'short'];
const MOST_LISTED = 30;

const toSeconds = (ms: number, digits = 0) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(digits) : '-');
const toRow = (...cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const toTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [toRow(...head), toRow(...head.map(() => '---')), ...rows.map((row) => toRow(...row))].join('\n');
const lengthOf = (spans: readonly Span[]) =>
  spans.reduce((sum, { from, to }) => sum + (Number.isFinite(to - from) ? to - from : 0), 0);

function renderFaults({ truth }: Run): string {
  const count = (fault: string, pattern: Pattern) =>
    [...truth.episodes.keys()].filter((one) => one.fault === fault && one.pattern === pattern).length;
  return toTable(
    ['fault', ...PATTERNS],
    FAULT_NAMES.map((fault) => [fault, ...PATTERNS.map((pattern) => count(fault, pattern))]),
  );
}

function renderDisturbances({ steps, truth }: Run): string {
  const of = (what: string) => steps.filter((step) => step.do === what).length;
  const longest = (spans: readonly Span[]) => toSeconds(Math.max(0, ...spans.map(({ from, to }) => to - from)));
  return toTable(
    ['what', 'times', 'longest, s'],
    [
      ...truth.lives.map((lives, shard) => {
        const gaps = gapsOf(lives).filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to));
        return [`shard ${shard} killed by SIGKILL, until it was ready again`, gaps.length, longest(gaps)];
      }),
      ['PostgreSQL stopped, every second time without a checkpoint', of('postgres'), longest(truth.postgresDown)],
      ['Alertmanager stopped', of('alertmanager'), longest(truth.alertmanagerDown)],
      ['nodes or subnets left the inventory', of('unlist'), ''],
      ['nodes or subnets came back into it', of('list'), ''],
    ],
  );
}

const renderSamples = ({ samples: { worst } }: Run): string =>
  toTable(
    ['compared', 'wrong for at most, s', 'what it was', 'what was reported', 'what was true'],
    [...worst.values()].map(({ compared, forMs, subject, reported, truth }) => [
      compared,
      toSeconds(forMs, 1),
      subject,
      reported,
      truth,
    ]),
  );

function renderAlerts({ alerts: { outcomes, missed, doubled, unwanted, withoutEnd, own } }: Run): string {
  const of = (demand: AlertOutcome['demand']) => outcomes.filter((one) => one.demand === demand);
  const fired = (all: readonly AlertOutcome[]) => all.filter(({ firing }) => firing > 0).length;
  const delays = (all: readonly AlertOutcome[]) => all.flatMap(({ delayMs }) => delayMs ?? []);
  const ends = outcomes.flatMap(({ firing, endedAfterMs }) => (firing > 0 ? (endedAfterMs ?? []) : []));
  const quiet = delays(outcomes.filter(({ downMs }) => downMs === 0));
  const disturbed = delays(outcomes.filter(({ downMs }) => downMs > 0));
  const spread = (values: readonly number[]) =>
    `${toSeconds(median(values))} and ${toSeconds(Math.max(...values))} of ${values.length}`;
  return toTable(
    ['what', 'count'],
    [
      ['faults that had to be notified of', of('must').length],
      ['of them notified', fired(of('must'))],
      [
        'faults whose alert nobody could take, because Alertmanager was down while it fired',
        of('undeliverable').length,
      ],
      ['of them notified', fired(of('undeliverable'))],
      ['faults that might be, because they were there for about the time to confirm', of('may').length],
      ['of them notified', fired(of('may'))],
      ['faults that had not to be, because they were shorter', of('must not').length],
      ['of them notified', fired(of('must not'))],
      ['missed', missed.length],
      ['doubled: more than one notification of a fault, or of its end', doubled.length],
      ['without a fault, or of a short one', unwanted.length],
      ['without end', withoutEnd.length],
      ['notified after the problem was due, median and longest in seconds', spread(quiet)],
      ['the same when Alertmanager was down meanwhile', disturbed.length === 0 ? 'none' : spread(disturbed)],
      ['notified of the end after the fault was over, median and longest in seconds', spread(ends)],
      ...[...own].map(([name, times]) => [`\`${name}\``, times] as const),
    ],
  );
}

const toTrendCells = ({ second, last, times }: Trend, digits = 0) => [
  second.toFixed(digits),
  last.toFixed(digits),
  Number.isFinite(times) ? times.toFixed(2) : '-',
];

function renderProcesses(run: Run): string {
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const row = (what: string, shard: number, value: (sample: ProcessSample) => number) => [
    `shard ${shard}: ${what}`,
    ...toTrendCells(trendsOfShard(run, shard, value)),
  ];
  return toTable(
    ['what', 'median of the second quarter', 'median of the last quarter', 'times'],
    [
      ...shards.map((shard) => row('resident memory, MB', shard, (one) => one.residentMegabytes)),
      ...shards.map((shard) => row('descriptors', shard, (one) => one.descriptors)),
    ],
  );
}

const renderTables = (run: Run): string =>
  toTable(
    ['table', 'kB, second quarter', 'kB, last quarter', 'times', 'rows at the end', 'keeps the past'],
    tableNames(run)
      .filter((table) => trendOfTable(run, table).last > 0)
      .slice(0, 12)
      .map((table) => {
        const { second, last, times } = trendOfTable(run, table);
        const rows = run.tables.at(-1)?.tables[table]?.rows ?? 0;
        const trend = toTrendCells({ second: second / 1_024, last: last / 1_024, times });
        return [`\`${table}\``, ...trend, rows, KEPT_TABLES.includes(table) ? 'yes' : 'no'];
      }),
  );

function renderFailures(failures: readonly string[]): string {
  if (failures.length === 0) return 'All of it held.';
  const left = failures.length - MOST_LISTED;
  const listed = failures.slice(0, MOST_LISTED).map((one) => `- \`${one}\``);
  return [
    `${failures.length} statements did not hold:`,
    '',
    ...listed,
    ...(left > 0 ? [`- and ${left} more`] : []),
  ].join('\n');
}

const IMAGES = {
  memory: 'images/soak-memory.svg',
  descriptors: 'images/soak-descriptors.svg',
  tables: 'images/soak-tables.svg',
};
/** A process that does not run leaves a hole in its line. */
const HOLE_MINUTES = 70 / 60;
const SHARD_KINDS = ['own', 'other', 'third'] as const;

/** Memory and descriptors of the shards, and the size of the database, over the time of a run: SVG by file below docs/. */
export function drawResources({ processes, tables }: Run): Readonly<Record<string, string>> {
  const toPoint = (at: number, y: number) => ({ x: at / 60_000, y });
  const ofShards = (value: (sample: ProcessSample) => number): readonly Line[] =>
    SHARD_KINDS.map((kind, shard) => ({
      name: `shard ${shard}`,
      kind,
      points: processes.flatMap((samples) => {
        const one = samples[shard];
        return one === undefined ? [] : [toPoint(one.at, value(one))];
      }),
    }));
  const bytesOf = (sample: TableSample) => Object.values(sample.tables).reduce((sum, { bytes }) => sum + bytes, 0);
  const size: Line = {
    name: 'all tables',
    kind: 'own',
    points: tables.map((sample) => toPoint(sample.at, bytesOf(sample) / 1024 ** 2)),
  };
  const draw = (title: string, unit: string, lines: readonly Line[]) =>
    drawChart({ title, unit, xName: 'minutes since the start', lines, hole: HOLE_MINUTES });
  return {
    [IMAGES.memory]: draw(
      'resident memory of the shards',
      'MB',
      ofShards((one) => one.residentMegabytes),
    ),
    [IMAGES.descriptors]: draw(
      'descriptors of the shards',
      'descriptors',
      ofShards((one) => one.descriptors),
    ),
    [IMAGES.tables]: draw('size of the database', 'MB', [size]),
  };
}

/** The page docs/soak.md. `commit`: what ran. */
export function renderReport(run: Run, failures: readonly string[], commit: string): string {
  const { seed, seconds, samples, settledAfterMs, truth, scrapes, unanswered, loads } = run;
  const unseen = truth.lives.map((lives) => {
    const [first] = lives;
    const gaps = gapsOf(lives).filter(({ from }) => Number.isFinite(from));
    return first === undefined ? 0 : lengthOf(gaps);
  });
  const toPercent = (place: number) => `${(processorShareOf(run, place) * 100).toFixed(0)} %`;
  const shares = truth.lives.map((_, shard) => `shard ${shard} took ${toPercent(shard)}`);
  return `# Soak of a fleet

This page is written by the run that it reports:

\`\`\`sh
npm run soak:fleet -- --minutes ${seconds / 60} --seed ${seed}
\`\`\`

It ran commit \`${commit}\` on ${cpus().length} processors with ${Math.round(totalmem() / 1024 ** 3)} GiB, which other programs used too:
the load of the machine was ${median(loads).toFixed(1)} in the middle, and ${Math.max(...loads).toFixed(1)} at most.
${SHARDS} shards watched ${truth.nodes.length} simulated nodes in ${truth.subnets.length} subnets, each node every ${INTERVAL_MS / 1_000} s.
PostgreSQL, Alertmanager and Prometheus were real. The same seed gives the same plan.

${renderFailures(failures)}

## What happened

A *long* fault lasts for minutes. A *flapping* one pauses for 15 to 50 s, and each time returns for 30 to 60 s. A stall returns for
${STALL_MS / 1_000} s more, as it is not seen before. The nodes of a *removed* one leave the inventory during the fault. A *short* one is over before
it is confirmed, so nobody may be notified of it.

${renderFaults(run)}

${renderDisturbances(run)}

## What the shards reported

Every 4 s \`/status.json\` of each shard was compared with the simulation: ${samples.samples} samples with ${samples.verdicts} verdicts. A verdict
is wrong from when the truth changes until a sample shows it right.

- \`latest_block\` of a node that refuses or hangs must fail, and pass when it is well again. A node is stalled ${STALL_MS / 1_000} s after its last
  block, or after its shard was ready. A node that left the inventory must be absent.
- \`peers\` of a node that answers must fail while another node of its subnet refuses connections.
- A problem must be open once its fault is as old as the time to confirm in the [list of problems](problems.md). It must be clearing when
  the fault is over, and have cleared two minutes later.

Allowed are an interval, the timeout of a probe, and a second for the sample: ${VERDICT_LIMIT_MS / 1_000} s. For a problem that must be
open it is an interval more, ${OPEN_LIMIT_MS / 1_000} s: one round finds it, and the round after its time to confirm opens it. The same holds for one
that must have cleared: one round does not find it any more, and the round after its time to clear ends it.

Of all verdicts ${samples.wrong} were not what was true at that moment, each for as long as this at most:

${renderSamples(run)}

While a shard did not run, its subnets were unseen and not compared: ${unseen.map((ms, shard) => `shard ${shard} for ${toSeconds(ms)} s`).join(', ')}.
Shards that ran gave no answer to ${unanswered.length} samples within 5 s. The slowest answer took ${toSeconds(run.slowestAnswerMs, 1)} s.

## Alerts

Alertmanager notified a webhook of each alert by itself. ${toSeconds(settledAfterMs)} s after the last fault it showed ${run.stillFiring.length} alerts.

${renderAlerts(run)}

A fault must be notified of when it was seen without a break for its time to confirm and ${LATE_MS / 1_000} s. In these its problem opens, all
alerts are judged, and Alertmanager waits for a group. Its alert then fires for two minutes after the fault, unless the node
leaves the inventory or the shard is killed.

An alert that begins and ends while Alertmanager is down cannot be delivered: Alertmanager says nothing of an alert that it
learns of when that has ended. A shard tries again within ${SEND_PAUSE_MS / 1_000} s after Alertmanager is back, so that time counts too.

## What it used

Prometheus scraped all shards every 15 s: ${scrapes.count} scrapes of ${scrapes.series} series in all, of which the slowest took ${scrapes.seconds.toFixed(1)} s.
Of one processor ${shares.join(', ')}, and the simulated nodes
${toPercent(SHARDS)}. A shard that was killed begins again, so only shard ${SHARDS - 1} shows one process over most of the time.

![Resident memory of each shard over time](${IMAGES.memory})
![Descriptors of each shard over time](${IMAGES.descriptors})

${renderProcesses(run)}

![The size of the database over time](${IMAGES.tables})

${renderTables(run)}

A probe may take ${TIMEOUT_MS / 1_000} s. See [several shards](scale.md) for what a fleet is.
`;
}
