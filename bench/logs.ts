import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogReader } from '../src/logs/create-log-reader.ts';
import { createMemoryPositions } from '../src/logs/create-memory-positions.ts';
import { createTail } from '../src/logs/create-tail.ts';
import { followFiles } from '../src/logs/follow-files.ts';
import { packs } from '../src/logs/packs.ts';
import type { LogPattern } from '../src/model/log.ts';
import { median, round } from './measure.ts';

const MB = 1_000_000;
const SIZE = 500 * MB;
const REPEATS = 3;

const stamp = (line: number): string => {
  const second = Math.floor(line / 50) % 86_400;
  const part = (value: number) => String(value).padStart(2, '0');
  return `11-21|${part(Math.floor(second / 3600))}:${part(Math.floor(second / 60) % 60)}:${part(second % 60)}`;
};

/** Ten lines of a node at level 4, as they come between two blocks: one in ten tells the height by processQC. */
const block = (number: number, line: number): string => {
  const at = stamp(line);
  return [
    `DEBUG[${at}] [processQC] update x.highestQuorumCert   blockNum=${number} round=${number + 17} hash=1a2b3c…9f8e7d`,
    `INFO [${at}] Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=1.204ms mgasps=0.000 number=${number} hash=1a2b3c…9f8e7d cache=12.31kB`,
    `INFO [${at}] Successfully commit and confirm block from continuous 3 blocks num=${number - 3} round=${number + 14} hash=aa11bb…cc22dd`,
    `DEBUG[${at}] [voteHandler] collect votes              number=3 hash=1a2b3c…9f8e7d round=${number + 17}`,
    `DEBUG[${at}] Queued propagated block                  peer=0f1e2d3c4b5a6978 number=${number} hash=1a2b3c…9f8e7d queued=1`,
    `DEBUG[${at}] [getEpochSwitchInfo] cache hit           number=900 hash=1a2b3c…9f8e7d`,
    `INFO [${at}] [setNewRound] new round and reset pools and workers round=${number + 18}`,
    `DEBUG[${at}] Recalculated downloader QoS values       rtt=20s confidence=1.000 ttl=1m0s`,
    `DEBUG[${at}] Importing propagated block               peer=0f1e2d3c4b5a6978 number=${number} hash=1a2b3c…9f8e7d`,
    `DEBUG[${at}] Generated next block snapshot for masternode 0xAbCdEf0123456789AbCdEf0123456789AbCdEf01 in the pool of the round`,
  ]
    .map((text) => `${text}\n`)
    .join('');
};

function writeNodeLog(path: string): number {
  const file = openSync(path, 'w');
  let bytes = 0;
  let number = 1_000;
  while (bytes < SIZE) {
    let chunk = '';
    for (let index = 0; index < 1_000; index++) chunk += block(number, number++ * 10);
    bytes += writeSync(file, chunk);
  }
  closeSync(file);
  return bytes;
}

/** CPU seconds of this process for reading the file with these patterns, and how many matches it found. */
async function readWith(path: string, patterns: readonly LogPattern[]) {
  let matches = 0;
  const reader = createLogReader({
    pack: patterns,
    own: [],
    timezone: 'UTC',
    now: Date.now,
    onHit: () => void matches++,
  });
  const tail = await createTail(path, '', 0);
  const before = process.cpuUsage();
  await tail.drain((line) => reader.read(line));
  const { user, system } = process.cpuUsage(before);
  await tail.close();
  return { seconds: (user + system) / 1e6, matches };
}

const quote = (text: string): string => text.replaceAll(/[\\/^$.*+?()[\]{}|]/g, '\\$&');

/** An equivalent program for mtail: a counter for each pattern, by its text, and the height where there is one. */
const toMtail = (patterns: readonly LogPattern[]): string =>
  patterns
    .map(({ name, literal, match }) => {
      const key = /\\s(\w+)=\(/.exec(match?.source ?? '')?.[1];
      const value = key === undefined ? '' : `.*\\s${key}=(\\d+)`;
      const height = value === '' ? '' : `  height_${name} = $1\n`;
      return `counter matches_${name}\n${value === '' ? '' : `gauge height_${name}\n`}/${quote(literal)}${value}/ {\n  matches_${name}++\n${height}}\n`;
    })
    .join('');

/** CPU seconds of mtail on one core for the same file and an equivalent program. */
function readWithMtail(folder: string, log: string, patterns: readonly LogPattern[]): number {
  const program = join(folder, 'bench.mtail');
  writeFileSync(program, toMtail(patterns));
  const words = ['-p', 'mtail', '--one_shot', '--progs', program, '--logs', log];
  const script =
    'import resource,subprocess,sys,os\nos.environ["GOMAXPROCS"]="1"\nsubprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL,check=True)\nu=resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(u.ru_utime+u.ru_stime)';
  return Number(execFileSync('python3', ['-c', script, ...words.slice(1)], { encoding: 'utf8' }));
}

/** Milliseconds from the write of a line to its being told, which is before it is in /metrics by 5 ms at most. */
async function lineLatency(folder: string): Promise<number> {
  const path = join(folder, 'latency.log');
  writeFileSync(path, '');
  const waits: number[] = [];
  let told = () => {};
  const stop = followFiles({
    path,
    source: 'bench',
    positions: createMemoryPositions(),
    lookBackBytes: 0,
    onLine: () => told(),
    onState: () => told(),
  });
  await new Promise<void>((resolve) => {
    told = resolve;
  });
  for (let index = 0; index < 100; index++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { promise, resolve } = Promise.withResolvers<void>();
    told = resolve;
    const begun = performance.now();
    const writer = spawn('sh', ['-c', `echo line >> ${path}`]);
    await once(writer, 'exit');
    await promise;
    waits.push(performance.now() - begun);
  }
  await stop();
  return median(waits);
}

/** Logs: throughput per core beside mtail's in the same run, and the time until a line is told. */
export async function benchLogs(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  try {
    const path = join(folder, 'node.log');
    const bytes = writeNodeLog(path);
    const one = packs.node.filter(({ name }) => name === 'process_qc');
    const measure = async (patterns: readonly LogPattern[]) => {
      const ours: number[] = [];
      const theirs: number[] = [];
      let matches = 0;
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        const read = await readWith(path, patterns);
        ours.push(read.seconds);
        matches = read.matches;
        theirs.push(readWithMtail(folder, path, patterns));
      }
      const speed = (seconds: readonly number[]) => round(bytes / MB / median(seconds), 1);
      return {
        patterns: patterns.length,
        matches,
        mbPerCpuSecond: speed(ours),
        mtailMbPerCpuSecond: speed(theirs),
        timesMtail: round(median(theirs) / median(ours), 1),
      };
    };
    return {
      mb: round(bytes / MB),
      onePattern: await measure(one),
      wholeNodePack: await measure(packs.node),
      lineToldMedianMs: round(await lineLatency(folder), 2),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
