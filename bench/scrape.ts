import { execFileSync } from 'node:child_process';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Target } from '../src/model/target.ts';
import type { ScrapeRequest } from '../src/tell/metrics/create-scrapes.ts';
import { createScrapes } from '../src/tell/metrics/create-scrapes.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { createBoard } from '../src/watch/monitor/board.ts';
import { cpuMillisOf, median, pathOf, round } from './measure.ts';
import { toRegistry } from './prom-client.ts';

/** Series of a node without logs and container. */
const SERIES_OF_NODE = 24;
const SIZES = [1_000, 100_000, 200_000];
const SCRAPES = 11;
const WARM_UPS = 20;
/** Within this time the garbage collector ends its work on other threads. */
const REST_MS = 50;

const pack = promisify(gzip);

/** A board with one subnet of `nodes` nodes. `observe` records a round of new readings for a share of them, and diagnoses it. */
function createFleet(nodes: number) {
  const texts = Array.from(
    { length: nodes },
    (_, i) => `{ name: node${i}, rpc: 'http://10.0.0.1:${(i % 60_000) + 1}/${i}' }`,
  );
  const parsed = parseInventory(`subnets: [{ name: bench, nodes: [${texts.join()}] }]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const board = createBoard();
  const start = Date.now();
  board.load(parsed.inventory, start);
  const targets: readonly Target[] = parsed.inventory.subnets[0]?.targets ?? [];
  let rounds = 0;
  const observe = (share = 1) => {
    rounds += 1;
    const number = 1000 + rounds * 5;
    const last = Math.round(targets.length * share);
    for (const [index, target] of targets.slice(0, last).entries())
      board.recordRun(
        target,
        'rpc',
        {
          kind: 'node',
          seen: {
            answered: true,
            latest: { ok: true, value: { number, timestamp: 1_732_174_920 + rounds } },
            committed: { ok: true, value: { number: number - 3, timestamp: 1_732_174_914 + rounds } },
            peers: { ok: true, value: { count: nodes - 1, via: 'admin_peers' } },
          },
        },
        // Like a clock's, it has more digits than anybody needs.
        (2 + Math.sin(rounds * 7919 + index)) / 1000,
        // The probes of a round are spread.
        start + rounds * 10_000 + (index * 10_000) / targets.length,
      );
    board.diagnose('bench', start + (rounds + 1) * 10_000);
  };
  const scrapes = createScrapes({
    snapshot: board.unexplained,
    intervalMs: () => 10_000,
    clock: { now: Date.now, toWall: Math.round },
    renderOwn: async () => '',
  });
  return { board, observe, scrapes };
}

type Fleet = ReturnType<typeof createFleet>;

/** Scrapes once, as a client that takes every chunk at once. */
async function scrape({ scrapes }: Fleet, request: Partial<ScrapeRequest> = {}): Promise<readonly Uint8Array[]> {
  const answer = await scrapes.answer({ format: 'text', isGzip: false, subnets: [], ...request });
  if (answer.kind !== 'page') throw new Error(answer.error);
  return answer.chunks;
}

const read = async (fleet: Fleet, request?: Partial<ScrapeRequest>): Promise<Buffer> =>
  Buffer.concat(await scrape(fleet, request));

/** The median of warm runs, each after the same preparation, whose garbage is not part of it. */
async function warm(prepare: () => void, work: () => Promise<unknown>): Promise<number> {
  for (let time = 0; time < WARM_UPS; time += 1) {
    prepare();
    await work();
  }
  const millis: number[] = [];
  for (let time = 0; time < SCRAPES; time += 1) {
    prepare();
    globalThis.gc?.();
    await setTimeout(REST_MS);
    millis.push(await cpuMillisOf(work));
  }
  return round(median(millis), 3);
}

/** The longest time for which the event loop ran one thing: of the clock, and of this thread's CPU. */
async function longestBlock(work: () => Promise<unknown>) {
  let isOver = false;
  let [wall, cpu] = [0, 0];
  const watch = async () => {
    while (!isOver) {
      const [before, cpuBefore] = [performance.now(), process.threadCpuUsage()];
      await setImmediate();
      const { user, system } = process.threadCpuUsage(cpuBefore);
      wall = Math.max(wall, performance.now() - before);
      cpu = Math.max(cpu, (user + system) / 1000);
    }
  };
  const watching = watch();
  await setImmediate();
  await work();
  isOver = true;
  await watching;
  return { wall, cpu };
}

async function measureOurs(nodes: number) {
  const fleet = createFleet(nodes);
  const nothing = () => {};
  fleet.observe();
  const first = await cpuMillisOf(() => scrape(fleet));
  fleet.observe();
  const page = await read(fleet);
  const packed = { isGzip: true } as const;
  await scrape(fleet, packed);
  const blocks: Awaited<ReturnType<typeof longestBlock>>[] = [];
  const plain = await warm(fleet.observe, () => scrape(fleet));
  const gzipped = await warm(fleet.observe, () => scrape(fleet, packed));
  const two = await warm(fleet.observe, () => Promise.all([scrape(fleet, packed), scrape(fleet, packed)]));
  const tenth = await warm(
    () => fleet.observe(0.1),
    () => scrape(fleet, packed),
  );
  const unchanged = await warm(nothing, () => scrape(fleet));
  const unchangedGzipped = await warm(nothing, () => scrape(fleet, packed));
  for (let time = 0; time < SCRAPES; time += 1) {
    fleet.observe();
    blocks.push(await longestBlock(() => scrape(fleet, packed)));
  }
  return {
    series: page.toString().match(/^[^#]/gm)?.length ?? 0,
    bytes: page.length,
    gzipBytes: (await read(fleet, packed)).length,
    firstCpuMillis: round(first),
    cpuMillis: plain,
    gzipCpuMillis: gzipped,
    twoScrapersGzipCpuMillis: two,
    tenthChangedGzipCpuMillis: tenth,
    unchangedCpuMillis: unchanged,
    unchangedGzipCpuMillis: unchangedGzipped,
    longestBlockMillis: { wall: blocks.map(({ wall }) => round(wall)), cpu: blocks.map(({ cpu }) => round(cpu)) },
  };
}

/** The same series in prom-client. Setting them is not counted. */
async function measurePromClient(nodes: number) {
  const fleet = createFleet(nodes);
  fleet.observe();
  const registry = toRegistry((await read(fleet)).toString());
  const nothing = () => {};
  const toBytes = async () => Buffer.from(await registry.metrics());
  return {
    cpuMillis: await warm(nothing, toBytes),
    gzipCpuMillis: await warm(nothing, async () => pack(await toBytes(), { level: 1 })),
    longestBlockMillis: await longestBlock(toBytes),
  };
}

/** The same page by a loop over texts and numbers, into memory that is there. */
async function measureHandWritten(nodes: number) {
  const fleet = createFleet(nodes);
  fleet.observe();
  const page = await read(fleet);
  const lines = page
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const prefixes = lines.map((line) => line.slice(0, line.lastIndexOf(' ') + 1));
  const values = Float64Array.from(lines, (line) => Number(line.slice(line.lastIndexOf(' '))));
  const bytes = Buffer.alloc(2 * page.length);
  const write = async () => {
    let at = 0;
    for (let index = 0; index < prefixes.length; index += 1)
      at += bytes.write(`${prefixes[index]}${values[index]}\n`, at, 'latin1');
    return at;
  };
  return { cpuMillis: await warm(() => {}, write) };
}

const WAYS = { ours: measureOurs, promClient: measurePromClient, handWritten: measureHandWritten } as const;
type Way = keyof typeof WAYS;

/** How `bin/subnetd` starts a daemon. */
const AS_DAEMON = ['--max-semi-space-size=4', '--max-old-space-size=1536'];

/** In a process of its own, so that none pays for the memory of another one. */
function run<W extends Way>(way: W, nodes: number): Awaited<ReturnType<(typeof WAYS)[W]>> {
  const words = ['--expose-gc', ...(way === 'ours' ? AS_DAEMON : []), pathOf('./scrape.ts'), way, String(nodes)];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

/**
 * A scrape by the number of series, after a round of new readings of every node. Beside it, prom-client and a loop by hand
 * have the same series in the same run.
 */
export const benchScrape = () =>
  SIZES.map((series) => {
    const nodes = Math.round(series / SERIES_OF_NODE);
    const [ours, promClient, handWritten] = [run('ours', nodes), run('promClient', nodes), run('handWritten', nodes)];
    const ratio = (own: number, other: number) => round(other / own, 1);
    return {
      ours,
      promClient,
      handWritten,
      promClientToOurs: ratio(ours.cpuMillis, promClient.cpuMillis),
      promClientToOursGzip: ratio(ours.gzipCpuMillis, promClient.gzipCpuMillis),
      handWrittenToOurs: ratio(ours.cpuMillis, handWritten.cpuMillis),
      goal: 10,
      goalLongestBlockMillis: 10,
    };
  });

if (process.argv[1] === pathOf('./scrape.ts')) {
  const [way, nodes] = process.argv.slice(2);
  const found = (Object.keys(WAYS) as Way[]).find((one) => one === way);
  process.stdout.write(
    found === undefined
      ? `${JSON.stringify(benchScrape(), null, 2)}\n`
      : JSON.stringify(await WAYS[found](Number(nodes))),
  );
}
