import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LogPattern } from '../src/model/log.ts';
import { packs } from '../src/watch/logs/packs.ts';
import { median, node, pathOf, round } from './measure.ts';

interface Read {
  /** User and system time of the whole process. */
  readonly cpuSeconds: number;
  readonly found: Readonly<Record<string, { count: number; height?: number }>>;
}

/** Runs a program to its end; the shell reports its CPU time. */
function run(program: string, words: readonly string[]): { cpuSeconds: number; output: string } {
  const script = '"$@" 2>/dev/null || exit; echo; times';
  const all = execFileSync('sh', ['-c', script, 'sh', program, ...words], {
    encoding: 'utf8',
    env: { ...process.env, GOMAXPROCS: '1' },
  });
  const [, output = '', times = ''] = /^(.*)\n[^\n]*\n([^\n]*)\n$/s.exec(all) ?? [];
  const [user = 0, system = 0] = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    (time) => Number(time[1]) * 60 + Number(time[2]),
  );
  return { cpuSeconds: user + system, output };
}

function readWithSubnetd(log: string, name: string | undefined): Read {
  const { cpuSeconds, output } = run(node, [pathOf('./read-log.ts'), log, ...(name === undefined ? [] : [name])]);
  return { cpuSeconds, found: JSON.parse(output).found };
}

const quote = (text: string): string => text.replaceAll(/[\\/^$.*+?()[\]{}|]/g, '\\$&');

/**
 * An equivalent program for mtail, in its fastest form: a counter for each pattern's literal without an anchor, or for
 * what marks its lines if it has none, and a gauge where the pattern has a height. Other conditions of a pattern are
 * left out, as they would only make it slower.
 */
const toMtail = (patterns: readonly LogPattern[]): string =>
  patterns
    .map(({ name, level = '', literal: begins, mark, match }) => {
      const literal = begins === '' ? (mark?.source ?? quote(level)) : quote(begins);
      const key = /(?:\\s)?([a-zA-Z]+)(?:=|\[ =\])\(\\d/.exec(match?.source ?? '')?.[1];
      const count = `counter matches_${name}\n`;
      if (key === undefined) return `${count}/${literal}/ {\n  matches_${name}++\n}\n`;
      const expression = `${literal}.*\\s${key}[ =](\\d+)`;
      return `${count}gauge height_${name}\n/${expression}/ {\n  matches_${name}++\n  height_${name} = $1\n}\n`;
    })
    .join('');

function readWithMtail(log: string, program: string): Read {
  const words = ['--one_shot', '--one_shot_format=prometheus', '--progs', program, '--logs', log];
  const { cpuSeconds, output } = run('mtail', words);
  const read = (metric: string) => Number(new RegExp(`^${metric}\\{.*\\} (.*)$`, 'm').exec(output)?.[1] ?? 0);
  const names = [...output.matchAll(/^matches_(\w+)\{/gm)].map(([, name = '']) => name);
  const found = names
    .map((name) => [name, { count: read(`matches_${name}`), height: read(`height_${name}`) }] as const)
    .filter(([, { count }]) => count > 0)
    .map(([name, { count, height }]) => [name, height === 0 ? { count } : { count, height }] as const);
  return { cpuSeconds, found: Object.fromEntries(found) };
}

/** Reads the log with these patterns, by turns with mtail. Throws when the two have not found the same. */
function compare(folder: string, log: string, bytes: number, name: string | undefined, runs: number, goal: number) {
  const patterns = packs.node.filter((pattern) => name === undefined || pattern.name === name);
  const program = join(folder, `${name ?? 'all'}.mtail`);
  writeFileSync(program, toMtail(patterns));
  const empty = join(folder, 'empty.log');
  writeFileSync(empty, '');
  // Both follow logs for months, so their start is not part of their throughput.
  const start = readWithSubnetd(empty, name).cpuSeconds;
  const mtailStart = readWithMtail(empty, program).cpuSeconds;
  const ours: Read[] = [];
  const theirs: Read[] = [];
  for (let index = 0; index < runs; index++) {
    ours.push(readWithSubnetd(log, name));
    theirs.push(readWithMtail(log, program));
  }
  const [mine, its] = [ours[0]?.found, theirs[0]?.found];
  if (!isDeepStrictEqual(mine, its))
    throw new Error(`mtail has found ${JSON.stringify(its)}, subnetd ${JSON.stringify(mine)}`);
  const seconds = (reads: readonly Read[]) => reads.map(({ cpuSeconds }) => round(cpuSeconds));
  const cost = median(seconds(ours)) - start;
  const mtailCost = median(seconds(theirs)) - mtailStart;
  const total = (read: Read | undefined) => Object.values(read?.found ?? {}).reduce((sum, { count }) => sum + count, 0);
  return {
    patterns: patterns.length,
    matches: total(ours[0]),
    mtailMatches: total(theirs[0]),
    cpuSeconds: seconds(ours),
    mtailCpuSeconds: seconds(theirs),
    startCpuSeconds: round(start),
    mtailStartCpuSeconds: round(mtailStart),
    megabytesPerCpuSecond: round(bytes / 1e6 / cost, 1),
    mtailMegabytesPerCpuSecond: round(bytes / 1e6 / mtailCost, 1),
    timesMtail: round(mtailCost / cost, 1),
    goal,
    loadAverage: round(loadavg()[0] ?? 0),
  };
}

/** The node pack, and one pattern of it, beside mtail with equivalent programs on the same log of a node. */
export const benchLogSpeed = (folder: string, log: string, bytes: number) => ({
  note: 'from the file to the hits, one core; the CPU time of reading an empty log is taken off on both sides; mtail runs --one_shot with GOMAXPROCS=1',
  megabytes: round(bytes / 1e6),
  onePattern: compare(folder, log, bytes, 'process_qc', 3, 10),
  // mtail takes a minute and more for this.
  wholeNodePack: compare(folder, log, bytes, undefined, 1, 7),
});
