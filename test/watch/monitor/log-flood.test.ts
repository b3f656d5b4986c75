import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, startDaemon, temporaryFolder } from '../../support/cli.ts';

const MIB = 1024 * 1024;
const LONG_MS = 120_000;
const LINES_A_CHUNK = 4_000;
const CHUNKS = 500;

/** Writes chunks of lines as a node at log level 4 prints them, as fast as the disk takes them. */
const WRITER = `
const fs = require('node:fs');
const [path, lines, chunks] = process.argv.slice(1);
const fd = fs.openSync(path, 'a');
for (let chunk = 0; chunk < chunks; chunk++) {
  let text = '';
  for (let line = 0; line < lines; line++)
    text += line % 4 === 0
      ? 'INFO [11-21|07:00:00] Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=1.204ms mgasps=0.000 number=' + (chunk + 1) + ' hash=1a2b3c…9f8e7d cache=12.31kB\\n'
      : 'DEBUG[11-21|07:00:00] [voteHandler] collect votes              number=3 votePool=3 hash=1a2b3c…9f8e7d\\n';
  fs.writeSync(fd, text);
}
`;

async function useDaemon() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const log = folder.path('xdc.log');
  writeFileSync(log, '');
  const config = folder.path('subnetd.yaml');
  writeFileSync(
    config,
    `subnets:
  - name: d
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1', logFiles: ['${log}'] }]
    checks: { rpc: { schedule: every 1s, timeout: 1s }, logs: { schedule: every 1s } }
`,
  );
  const daemon = await startDaemon(config);
  onTestFinished(() => void daemon.child.kill('SIGKILL'));
  const page = async () => (await fetch(`${daemon.url}/metrics`)).text();
  const read = async (series: string) => Number(new RegExp(`^${series} (\\S+)$`, 'm').exec(await page())?.[1] ?? 0);
  await eventually(async () => expect(await page()).toMatch(/^subnet_log_source_up\{.*\} 1$/m));
  return {
    log,
    url: daemon.url,
    lines: () => read('subnet_log_lines_total\\{.*\\}'),
    height: () => read('subnet_node_log_block_number\\{.*\\}'),
    bytes: () => read('subnet_log_file_bytes\\{.*\\}'),
    runs: () => read('subnet_check_runs_total\\{.*check="latest_block"\\}'),
    end: async () => {
      daemon.child.kill('SIGTERM');
      return (await daemon.finished).code;
    },
    /** The most memory that it has held until now, in bytes. */
    peak: () =>
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))?.[1]) * 1024,
  };
}

test('a log at more than 100 MB/s is counted to the last line, while rounds and scrapes go on and memory stays flat', async () => {
  const { log, url, lines, height, bytes, runs, peak, end } = await useDaemon();
  const [peakBefore, runsBefore] = [peak(), await runs()];
  const args = ['-e', WRITER, log, String(LINES_A_CHUNK), String(CHUNKS)];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const written = once(writer, 'exit');
  onTestFinished(() => void writer.kill('SIGKILL'));
  const all = LINES_A_CHUNK * CHUNKS;
  const parts = new Set<number>();
  await eventually(async () => {
    const now = await lines();
    if (now > 0 && now < all) parts.add(now);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(now).toBeGreaterThanOrEqual(all);
  }, LONG_MS);
  expect(await written).toEqual([0, null]);
  expect(await lines()).toBe(all);
  expect(await height()).toBe(CHUNKS);
  expect(statSync(log).size).toBeGreaterThan(200 * MIB);
  await eventually(async () => expect(await bytes()).toBe(statSync(log).size));
  // It was seen on its way more than once, so nothing waited for its end.
  expect(parts.size).toBeGreaterThan(2);
  expect(await runs()).toBeGreaterThan(runsBefore);
  expect(peak() - peakBefore).toBeLessThan(80 * MIB);
  expect(await end()).toBe(0);
}, 240_000);

test('a line of 100 MB and binary output are lines like others to the daemon, in flat memory', async () => {
  const { log, lines, height, peak, end } = await useDaemon();
  const peakBefore = peak();
  const piece = Buffer.alloc(MIB, 'x');
  for (let index = 0; index < 100; index++) appendFileSync(log, piece);
  appendFileSync(log, '\n');
  await eventually(async () => expect(await lines()).toBe(1), LONG_MS);
  const binary = Buffer.alloc(MIB);
  for (let index = 0; index < binary.length; index++) binary[index] = (index * 2_654_435_761) >>> 24;
  appendFileSync(log, binary);
  appendFileSync(log, Buffer.from([0xc3, 0x28, 0xff, 0x0a]));
  const breaks = binary.reduce((sum, byte) => sum + Number(byte === 0x0a), 0);
  appendFileSync(log, 'INFO [11-21|07:00:00] Imported new chain segment               blocks=1 number=7 hash=1a2b3c\n');
  await eventually(async () => expect(await lines()).toBe(breaks + 3), LONG_MS);
  expect(await height()).toBe(7);
  expect(peak() - peakBefore).toBeLessThan(80 * MIB);
  expect(await end()).toBe(0);
}, 240_000);
