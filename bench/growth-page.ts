import { readFileSync } from 'node:fs';
import { drawChart, type Line } from './draw-chart.ts';

/** CPU time and clock time of a request, in milliseconds. */
export interface Cost {
  readonly cpuMillis: number;
  readonly wallMillis: number;
}

/** The cost of watching `nodes` nodes. CPU is in percent of one core. */
export interface SizeCosts {
  readonly nodes: number;
  readonly series: number;
  /** Of nodes that are probed every 10 s; fewer when the machine has too much to do. */
  readonly probesPerSecond: number;
  readonly failing: number;
  readonly cpuPercent: number;
  readonly residentMegabytes: number;
  readonly scrape: Cost & { readonly kilobytes: number };
  readonly page: Cost & { readonly kilobytes: number };
  readonly blackbox: { readonly cpuPercent: number; readonly residentMegabytes: number };
  readonly promClient: { readonly scrape: Cost; readonly residentMegabytes: number };
}

/** The cost of nodes in one subnet. */
export type FlatCosts = Omit<SizeCosts, 'blackbox'>;

/** All that `bench/growth.ts` measures in a run. */
export interface Growth {
  readonly date: string;
  readonly commit: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly nodeVersion: string;
  /** How many threads of other programs wanted a core before it began. */
  readonly otherLoad: number;
  readonly start: { readonly bareHttpServerMillis: number; readonly livezMillis: number; readonly timesBare: number };
  readonly resident: {
    readonly bareNodeMegabytes: number;
    readonly daemonMegabytes: number;
    readonly timesBare: number;
  };
  readonly sizes: readonly SizeCosts[];
  readonly flat: FlatCosts;
}

const formatCount = (value: number): string => value.toLocaleString('en');
/** With three digits, as more of them are not repeated by another run. */
const formatValue = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** The peers of each node in one large subnet: as many as in a subnet of 25. */
export const FLAT_PEERS = 24;

const IMAGES = 'docs/images';

/** The pictures, by file. */
function drawCharts({ sizes }: Growth): Readonly<Record<string, string>> {
  const line = (name: string, kind: Line['kind'], read: (size: SizeCosts) => number): Line => ({
    name,
    kind,
    // A cost that is lost beside that of the probes has no place on an axis of powers of ten.
    points: sizes.map((size) => ({ x: size.nodes, y: read(size) })).filter(({ y }) => y > 0),
  });
  const chart = (title: string, unit: string, lines: readonly Line[]) =>
    drawChart({ title, unit, xName: 'nodes, each probed every 10 s', lines });
  return {
    [`${IMAGES}/growth-cpu.svg`]: chart('CPU by the number of nodes', 'percent of one core', [
      line('subnetd', 'own', ({ cpuPercent }) => cpuPercent),
      line('blackbox_exporter', 'other', ({ blackbox }) => blackbox.cpuPercent),
    ]),
    [`${IMAGES}/growth-memory.svg`]: chart('Resident memory by the number of nodes', 'megabytes', [
      line('subnetd', 'own', ({ residentMegabytes }) => residentMegabytes),
      line('blackbox_exporter', 'other', ({ blackbox }) => blackbox.residentMegabytes),
      line('prom-client', 'third', ({ promClient }) => promClient.residentMegabytes),
    ]),
    [`${IMAGES}/growth-scrape.svg`]: chart('CPU of a scrape by the number of nodes', 'milliseconds of CPU', [
      line('subnetd', 'own', ({ scrape }) => scrape.cpuMillis),
      line('prom-client', 'third', ({ promClient }) => promClient.scrape.cpuMillis),
    ]),
    [`${IMAGES}/growth-page.svg`]: chart('Time of the status page by the number of nodes', 'milliseconds', [
      line('until it is there', 'own', ({ page }) => page.wallMillis),
      line('CPU', 'other', ({ page }) => page.cpuMillis),
    ]),
  };
}

/** Rows of a table in Markdown. */
const toTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...rest] = rows;
  return [head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

/** A goal, and whether it is reached: a value at most, or a ratio at least. */
function goalRow(what: string, measured: number | undefined, goal: number, unit: string, isLeast = false) {
  if (measured === undefined) return [];
  const isMet = isLeast ? measured >= goal : measured <= goal;
  const words = `${isLeast ? 'at least' : 'at most'} ${formatCount(goal)}${unit}`;
  return [[what, words, `${formatValue(measured)}${unit}`, isMet ? 'yes' : '**no**']];
}

const sizeTable = ({ sizes }: Growth, name: string, read: (size: SizeCosts) => readonly string[], head: string[]) =>
  toTable([[name, ...head], ...sizes.map((size) => [formatCount(size.nodes), ...read(size)])]);

function goalsTable({ sizes, flat, start, resident }: Growth): string {
  const at = (nodes: number) => sizes.find((size) => size.nodes === nodes);
  const large = at(10_000);
  return toTable([
    ['what', 'goal', 'measured', 'reached'],
    ...goalRow('CPU with 10,000 nodes', large?.cpuPercent, 20, ' % of a core'),
    ...goalRow('CPU with 10,000 nodes in one subnet', flat.cpuPercent, 20, ' % of a core'),
    ...goalRow('resident memory with 10,000 nodes', large?.residentMegabytes, 350, ' MB'),
    ...goalRow('resident memory with 10,000 nodes in one subnet', flat.residentMegabytes, 350, ' MB'),
    ...goalRow('resident memory with 1,000 nodes', at(1_000)?.residentMegabytes, 140, ' MB'),
    ...goalRow(
      'CPU of a scrape of 10,000 nodes, prom-client beside subnetd',
      large && large.promClient.scrape.cpuMillis / large.scrape.cpuMillis,
      10,
      ' times',
      true,
    ),
    ...goalRow('start until `/livez` answers, beside bare Node.js', start.timesBare, 2.5, ' times'),
    ...goalRow('resident memory with four nodes, beside bare Node.js', resident.timesBare, 2.3, ' times'),
  ]);
}

const describeLoad = (load: number): string =>
  `\n  **It was busy**: before the run, ${load} threads of other programs wanted a core. That makes all of this slower, most of all 10,000 nodes.`;

/** The page and its pictures, by file. */
export function writeGrowth(growth: Growth): Readonly<Record<string, string>> {
  const { date, commit, cores, memoryGigabytes, nodeVersion, otherLoad, flat, start, resident } = growth;
  const failing = [...growth.sizes, flat].reduce((sum, size) => sum + size.failing, 0);
  const page = `# Cost as it grows

What does it cost to watch 10, 100, 1,000 or 10,000 nodes? \`npm run bench\` measures this page with everything else that it measures,
\`node bench/growth.ts\` this page alone, in a quarter of an hour. The numbers are in [performance.json](performance.json).

- **When**: ${date}, commit ${commit}.
- **Machine**: ${cores} cores and ${memoryGigabytes} GiB of memory, Linux, Node.js ${nodeVersion}. Another machine has other numbers, so compare
  those that are side by side.${otherLoad < 0.5 ? '' : describeLoad(otherLoad)}
- **Nodes**: simulated, in a process of their own on the same machine, healthy, in subnets of 25 where each is
  connected to all others. The network costs nothing. Two goals are of one flat subnet of
  ${formatCount(flat.nodes)} nodes: each is connected to ${FLAT_PEERS} others of all, and expects as many peers.
- **subnetd**: \`subnetd run\` with its defaults and no container or log. It probes each node every 10 s and judges, diagnoses and records
  all of them. At the end, ${failing === 0 ? 'no check failed' : `${formatCount(failing)} checks failed`}.
- **Beside it**, in the same run: blackbox_exporter probes each node once in 10 s with the same request. It opens a connection for each
  probe, reads nothing of the answer, and remembers nothing. prom-client serves the same series as subnetd.

All axes have powers of ten: a line that rises like the diagonal costs twice as much for twice the nodes.

## Goals

${goalsTable(growth)}

## CPU

![CPU of subnetd and blackbox_exporter by the number of nodes](images/growth-cpu.svg)

In percent of one core over a minute, without the scrapes and pages below. The probes a second are those that subnetd has made.

${sizeTable(
  growth,
  'nodes',
  ({ probesPerSecond, cpuPercent, blackbox }) => [
    formatValue(probesPerSecond),
    formatValue(cpuPercent),
    formatValue(blackbox.cpuPercent),
    `${formatValue(blackbox.cpuPercent / cpuPercent)} times`,
  ],
  ['probes a second', 'subnetd', 'blackbox_exporter', 'beside subnetd'],
)}

${formatCount(flat.nodes)} nodes in one subnet took ${formatValue(flat.cpuPercent)} % of a core with ${formatValue(flat.probesPerSecond)} probes a second. A scrape of them took
${formatValue(flat.scrape.cpuMillis)} ms of CPU, and the status page, which shows each of them, ${formatValue(flat.page.cpuMillis)} ms.

## Memory

![Resident memory of subnetd, blackbox_exporter and prom-client by the number of nodes](images/growth-memory.svg)

Resident, in megabytes, the most that was seen in that minute. blackbox_exporter keeps nothing of a node between two probes.

${sizeTable(
  growth,
  'nodes',
  ({ residentMegabytes, blackbox, promClient }) =>
    [residentMegabytes, blackbox.residentMegabytes, promClient.residentMegabytes].map(formatCount),
  ['subnetd', 'blackbox_exporter', 'prom-client'],
)}

## Scrape

![CPU of a scrape of subnetd and of prom-client by the number of nodes](images/growth-scrape.svg)

\`/metrics\` as Prometheus asks for it, packed, 10 s after the scrape before it, when each node has been probed again. The time of
the clock is what the scraper waits for. prom-client is scraped as often. Its values do not change, and its page is made from nothing
each time.

${sizeTable(
  growth,
  'nodes',
  ({ series, scrape, promClient }) => [
    formatCount(series),
    formatCount(scrape.kilobytes),
    formatValue(scrape.cpuMillis),
    formatValue(scrape.wallMillis),
    formatValue(promClient.scrape.cpuMillis),
    formatValue(promClient.scrape.wallMillis),
  ],
  ['series', 'packed kB', 'subnetd, CPU ms', 'clock ms', 'prom-client, CPU ms', 'clock ms'],
)}

## Status page

![Time of the status page by the number of nodes](images/growth-page.svg)

The page of all subnets at \`/\`, packed.

${sizeTable(
  growth,
  'nodes',
  ({ page }) => [formatCount(page.kilobytes), formatValue(page.cpuMillis), formatValue(page.wallMillis)],
  ['packed kB', 'CPU ms', 'clock ms'],
)}

## Start

${toTable([
  ['', 'bare Node.js', 'subnetd', 'times'],
  [
    'start until the first answer, ms',
    formatValue(start.bareHttpServerMillis),
    formatValue(start.livezMillis),
    formatValue(start.timesBare),
  ],
  [
    'resident memory with four nodes, MB',
    formatValue(resident.bareNodeMegabytes),
    formatValue(resident.daemonMegabytes),
    formatValue(resident.timesBare),
  ],
])}

The first answer is that of \`/livez\`, beside that of a server of one line in Node.js: the median of nine starts, in turn. Node.js at rest
does nothing but wait. subnetd has watched four nodes for a minute.
`;
  return { 'docs/performance.md': page, ...drawCharts(growth) };
}

/** The page and its pictures, from the numbers of the last run. */
export const readGrowth = (): Readonly<Record<string, string>> =>
  writeGrowth(JSON.parse(readFileSync(new URL('../docs/performance.json', import.meta.url), 'utf8')) as Growth);
