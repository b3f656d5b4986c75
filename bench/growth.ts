import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { startBlackbox } from './blackbox.ts';
import { type Cost, FLAT_PEERS, type FlatCosts, type Growth, type SizeCosts, writeGrowth } from './growth-page.ts';
import {
  cpuMicrosOf,
  freePort,
  get,
  median,
  node,
  pathOf,
  residentMegabytesOf,
  round,
  startFakeNodes,
  stop,
} from './measure.ts';
import { benchProcess } from './process.ts';
import { startDaemon, startMillis } from './start-daemon.ts';

const SUBNET_NODES = 25;
/** Small ones are measured at the same time. */
const SIZES = [[10, 100], [1_000], [10_000]];
/** In one subnet. */
const FLAT = 10_000;

const INTERVAL_MS = 10_000;
/** Nodes are asked about their chain once in a minute, so that a window of a minute holds every kind of probe. */
const TURNS = 6;
/** Scrapes before those that count, as a daemon has been scraped for hours. */
const WARM_UPS = 5;
const READY_WITHIN_MS = 120_000;
/** The CPU of garbage collection is counted for this long after a request. */
const AFTER_MS = 100;

const PACKED = { 'Accept-Encoding': 'gzip' };

type Child = ReturnType<typeof spawn>;

/** CPU time and clock time of work that a process does, in milliseconds, and what the work returns. */
async function timed<T>(child: Child, work: () => Promise<T>) {
  const [before, started] = [cpuMicrosOf(child), performance.now()];
  const result = await work();
  const wallMillis = performance.now() - started;
  await setTimeout(AFTER_MS);
  return {
    result,
    wallMillis,
    cpuMillis: (cpuMicrosOf(child) - before) / 1000,
    passedMillis: performance.now() - started,
  };
}

type Timed<T> = Awaited<ReturnType<typeof timed<T>>>;

/** The cost of requests in the middle, without what the process does beside them all the time. */
const costOf = (requests: readonly Timed<unknown>[], share = 0): Cost => ({
  cpuMillis: round(Math.max(0, median(requests.map((one) => one.cpuMillis - share * one.passedMillis))), 2),
  wallMillis: round(median(requests.map(({ wallMillis }) => wallMillis)), 2),
});

async function ask(port: number, path: string): Promise<Buffer> {
  const { status, body } = await get(port, path, PACKED);
  if (status !== 200) throw new Error(`${path} answered with ${status}: ${body.subarray(0, 100)}`);
  return body;
}

async function untilReady(port: number): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  while ((await get(port, '/readyz')).status !== 200) {
    if (performance.now() > end) throw new Error('the daemon is not ready');
    await setTimeout(200);
  }
}

/** Starts prom-client, which serves the series of a page. */
async function startPromClient(page: string) {
  const port = await freePort();
  const server = spawn(node, [pathOf('./prom-client.ts'), String(port)], {
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  server.stdin?.end(page);
  while ((await get(port, '/')).status === 0) await setTimeout(50);
  for (let time = 0; time < WARM_UPS; time += 1) await ask(port, '/');
  const scrapes: Timed<Buffer>[] = [];
  return {
    scrape: async () => {
      scrapes.push(await timed(server, () => ask(port, '/')));
    },
    end: async () => {
      const residentMegabytes = round(residentMegabytesOf(server), 0);
      await stop(server);
      return { scrape: costOf(scrapes), residentMegabytes };
    },
  };
}

/** How often nodes have been probed until a scrape. */
const countProbes = (page: Buffer): number =>
  [
    ...gunzipSync(page)
      .toString()
      .matchAll(/^subnet_check_runs_total\{.*check="latest_block"\} (\d+)$/gm),
  ].reduce((sum, [, runs]) => sum + Number(runs), 0);

/**
 * The daemon over a minute in which it is scraped and its page is opened every ten seconds. Beside it, prom-client serves the same
 * series, and is scraped as often: code and data that rest in between cost more than in a loop.
 */
async function measureDaemon(daemon: Child, port: number, nodes: number) {
  await untilReady(port);
  await setTimeout(startMillis(nodes));
  for (let time = 0; time < WARM_UPS; time += 1) {
    await ask(port, '/metrics');
    await ask(port, '/');
  }
  const promClient = await startPromClient(gunzipSync(await ask(port, '/metrics')).toString());
  const scrapes: Timed<Buffer>[] = [];
  const pages: Timed<Buffer>[] = [];
  let resident = 0;
  const [before, started] = [cpuMicrosOf(daemon), performance.now()];
  const until = (turn: number) => setTimeout(Math.max(0, started + turn * INTERVAL_MS - performance.now()));
  for (let turn = 0; turn < TURNS; turn += 1) {
    await until(turn + 0.5);
    scrapes.push(await timed(daemon, () => ask(port, '/metrics')));
    await until(turn + 0.8);
    pages.push(await timed(daemon, () => ask(port, '/')));
    resident = Math.max(resident, residentMegabytesOf(daemon));
    await promClient.scrape();
  }
  await until(TURNS);
  const cpuMillis = (cpuMicrosOf(daemon) - before) / 1000;
  const passedMillis = performance.now() - started;
  const requests = [...scrapes, ...pages];
  const sum = (pick: (one: Timed<Buffer>) => number) => requests.reduce((all, one) => all + pick(one), 0);
  const share = (cpuMillis - sum((one) => one.cpuMillis)) / (passedMillis - sum((one) => one.passedMillis));
  const [scraped, shown] = [scrapes.at(-1)?.result ?? Buffer.of(), pages.at(-1)?.result ?? Buffer.of()];
  const text = gunzipSync(scraped).toString();
  const probes = countProbes(scraped) - countProbes(scrapes[0]?.result ?? Buffer.of());
  return {
    probesPerSecond: round(probes / (((TURNS - 1) * INTERVAL_MS) / 1000), 1),
    failing: text.match(/^subnet_check_success\{.*\} 0$/gm)?.length ?? 0,
    series: text.match(/^[^#]/gm)?.length ?? 0,
    cpuPercent: round(share * 100, 3),
    residentMegabytes: round(resident, 0),
    scrape: { ...costOf(scrapes, share), kilobytes: round(scraped.length / 1000, 0) },
    page: { ...costOf(pages, share), kilobytes: round(shown.length / 1000, 0) },
    promClient: await promClient.end(),
  };
}

/** Measures a daemon that watches these nodes in subnets of `group`. */
async function runDaemon(urls: readonly string[], group: number, peers?: number) {
  const daemon = await startDaemon(urls, group, peers);
  try {
    return await measureDaemon(daemon.child, daemon.port, urls.length);
  } finally {
    await daemon.stop();
  }
}

/** The blackbox exporter, which probes each node once in ten seconds. */
async function measureBlackbox(urls: readonly string[]) {
  const blackbox = await startBlackbox();
  for (const url of urls.slice(0, 500)) await blackbox.probe(url);
  const [before, started] = [cpuMicrosOf(blackbox.exporter), performance.now()];
  const probes: Promise<boolean>[] = [];
  for (const [index, url] of urls.entries()) {
    const wait = started + (index * INTERVAL_MS) / urls.length - performance.now();
    if (wait > 1) await setTimeout(wait);
    probes.push(blackbox.probe(url));
  }
  const results = await Promise.all(probes);
  await setTimeout(Math.max(0, started + INTERVAL_MS - performance.now()));
  const cpuMillis = (cpuMicrosOf(blackbox.exporter) - before) / 1000;
  const passedMillis = performance.now() - started;
  const residentMegabytes = round(residentMegabytesOf(blackbox.exporter), 0);
  await blackbox.stop();
  const failed = results.filter((isGood) => !isGood).length;
  if (failed > 0) throw new Error(`${failed} probes of the blackbox exporter failed`);
  return { cpuPercent: round((cpuMillis / passedMillis) * 100, 3), residentMegabytes };
}

async function measureSize(nodes: number): Promise<SizeCosts> {
  const fake = await startFakeNodes(nodes, Math.min(nodes, SUBNET_NODES) - 1, SUBNET_NODES);
  try {
    const daemon = await runDaemon(fake.urls, SUBNET_NODES);
    return { nodes, ...daemon, blackbox: await measureBlackbox(fake.urls) };
  } finally {
    await fake.stop();
  }
}

/** Same for nodes in one subnet. Each expects the peers that it has: by default it would expect all others. */
async function measureFlat(nodes: number): Promise<FlatCosts> {
  const fake = await startFakeNodes(nodes, FLAT_PEERS, nodes);
  try {
    return { nodes, ...(await runDaemon(fake.urls, nodes, FLAT_PEERS)) };
  } finally {
    await fake.stop();
  }
}

/** Read before the first benchmark: what they take is not of others. */
const otherLoad = round(loadavg()[0] ?? 0, 1);

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: pathOf('..'), encoding: 'utf8' }).trim();

/** Costs by the number of nodes, those of one large subnet, and those of the start. Writes them and `docs/performance.md`, which shows them. */
export async function benchGrowth(): Promise<Growth> {
  const start = await benchProcess();
  const sizes: SizeCosts[] = [];
  for (const group of SIZES) sizes.push(...(await Promise.all(group.map(measureSize))));
  const flat = await measureFlat(FLAT);
  const isChanged = git('status', '--porcelain', '--', 'bin', 'src', 'package-lock.json') !== '';
  const growth: Growth = {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`,
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    nodeVersion: process.versions.node,
    otherLoad,
    ...start,
    sizes,
    flat,
  };
  writeFileSync(pathOf('../docs/performance.json'), `${JSON.stringify(growth, null, 2)}\n`);
  for (const [file, text] of Object.entries(writeGrowth(growth))) writeFileSync(pathOf(`../${file}`), text);
  return growth;
}

if (process.argv[1] === pathOf('./growth.ts'))
  process.stdout.write(`${JSON.stringify(await benchGrowth(), null, 2)}\n`);
