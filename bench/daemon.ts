import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { cpuMicrosOf, get, pathOf, residentMegabytesOf, round, startFakeNodes } from './measure.ts';
import { startDaemon, startMillis } from './start-daemon.ts';

const SECONDS = 60;
const SCRAPE_SECONDS = 15;

/** The daemon on nodes in subnets of `group`, each connected to all others of its subnet, at most 25. */
async function measure(nodes: number, group: number) {
  const peers = Math.min(group - 1, 25);
  const fake = await startFakeNodes(nodes, peers, group);
  const daemon = await startDaemon(fake.urls, group, peers);
  const { child } = daemon;
  const scrape = async () => gunzipSync((await get(daemon.port, '/metrics', { 'Accept-Encoding': 'gzip' })).body);
  const scrapeFor = async (seconds: number) => {
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      await sleep(SCRAPE_SECONDS * 1_000);
      await scrape();
    }
  };
  await scrapeFor(startMillis(nodes) / 1000);
  const [cpu, started] = [cpuMicrosOf(child), performance.now()];
  await scrapeFor(SECONDS);
  const cpuShare = (cpuMicrosOf(child) - cpu) / (performance.now() - started) / 1_000;
  const page = (await scrape()).toString();
  const passing = page.match(/^subnet_check_success\{.*check="latest_block".*\} 1$/gm)?.length ?? 0;
  const resident = residentMegabytesOf(child);
  await daemon.stop();
  await fake.stop();
  if (passing !== nodes) throw new Error(`${passing} of ${nodes} nodes are well`);
  return { nodes, subnets: nodes / group, cpuShareOfACore: round(cpuShare, 3), residentMegabytes: round(resident, 0) };
}

/** The daemon on many nodes at the default interval of 10 s, with a scrape each 15 s. */
export async function benchDaemon() {
  return {
    note: 'default settings, 25 peers a node or all others of its subnet, scraped each 15 s',
    rows: [
      await measure(1_000, 1_000),
      await measure(1_000, 25),
      await measure(10_000, 10_000),
      await measure(10_000, 25),
    ],
    goals: { cpuShareOfACore: 0.2, residentMegabytesOf1000: 140, residentMegabytesOf10000: 350 },
  };
}

if (process.argv[1] === pathOf('./daemon.ts')) {
  const [nodes, group] = process.argv.slice(2).map(Number);
  const result = nodes === undefined ? await benchDaemon() : await measure(nodes, group ?? nodes);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
