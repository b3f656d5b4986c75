import { createNodeProber } from '../src/watch/probes/node-prober.ts';

/**
 * A child process that probes nodes: `node bench/probe-loop.ts MODE SECONDS` with the URLs as JSON on stdin. Prints
 * what it did and the CPU time that it took, as JSON.
 */
const IN_FLIGHT = 64;
const WARM_UP_SECONDS = 2;

const cpuMicros = (since?: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

let input = '';
for await (const chunk of process.stdin) input += chunk;
const urls = JSON.parse(input) as readonly string[];
const [mode, seconds = '5'] = process.argv.slice(2);
/** A clock on which every probe of the mode `chain` is a minute after the one before it. */
const ownClock = () => {
  let at = 0;
  return () => {
    at += 30_000;
    return at;
  };
};
const probes = urls.map((url) => createNodeProber(url, 'XDPoS', mode === 'chain' ? ownClock() : Date.now));
let asked = 0;
let good = 0;
let bad = 0;

async function probe(index: number): Promise<void> {
  const observation = await probes[index % probes.length]?.probe(5000);
  if (observation?.latest.ok && observation.peers?.ok) good += 1;
  else bad += 1;
  if (observation?.chain) asked += 1;
}

/** Always 64 probes at a time, over all nodes in turn. */
async function closedLoop(forSeconds: number): Promise<void> {
  const end = performance.now() + forSeconds * 1000;
  let next = 0;
  const worker = async () => {
    while (performance.now() < end) {
      next += 1;
      await probe(next);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Every node once, all at once. */
const burst = () => Promise.all(probes.map((_, index) => probe(index)));

/** Every node once within the time given, evenly. */
async function spread(forSeconds: number): Promise<void> {
  const started = performance.now();
  const running: Promise<void>[] = [];
  for (const index of probes.keys()) {
    const wait = started + (index * forSeconds * 1000) / probes.length - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    running.push(probe(index));
  }
  await Promise.all(running);
}

const runs = {
  closed: () => closedLoop(Number(seconds)),
  chain: () => closedLoop(Number(seconds)),
  burst,
  spread: () => spread(Number(seconds)),
};
const run = runs[mode as keyof typeof runs];

// Connections are open and the code is warm before anything is counted.
await closedLoop(WARM_UP_SECONDS);
if (mode === 'burst') for (let i = 0; i < 5; i += 1) await burst();
good = 0;
bad = 0;
asked = 0;
const started = performance.now();
const cpu = process.cpuUsage();
await run();
process.stdout.write(
  `${JSON.stringify({
    checks: good,
    failed: bad,
    askedAboutChain: asked,
    cpuMicrosPerCheck: cpuMicros(cpu) / Math.max(good, 1),
    cpuMillis: cpuMicros(cpu) / 1000,
    wallMillis: performance.now() - started,
    residentMegabytes: process.memoryUsage.rss() / 1e6,
  })}\n`,
);
process.exit();
