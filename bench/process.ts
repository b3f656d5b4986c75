import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, get, median, node, pathOf, residentMegabytesOf, round, startFakeNodes, stop } from './measure.ts';

const STARTS = 9;
const REST_SECONDS = 60;

const isAlive = async (port: number): Promise<boolean> => (await get(port, '/livez')).status === 200;

/** Milliseconds from the start of a process until it answers. */
async function untilAlive(program: string, words: readonly string[], port: number, cwd?: string) {
  const started = performance.now();
  const child = spawn(program, words, { stdio: 'ignore', cwd });
  while (!(await isAlive(port))) await new Promise((resolve) => setTimeout(resolve, 1));
  return { millis: performance.now() - started, child };
}

const BARE_SERVER = (port: number) =>
  `require('node:http').createServer((q, r) => r.end('ok')).listen(${port}, '127.0.0.1')`;

/** The daemon as a process of its own on four nodes, beside bare Node in the same run: start and resident memory. */
export async function benchProcess() {
  const { urls, stop: stopNodes } = await startFakeNodes(4, 3);
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  const config = join(folder, 'subnetd.yaml');
  const nodes = urls.map((url, i) => `{ name: n${i}, rpc: '${url}' }`).join();
  writeFileSync(config, `subnets: [{ name: d, nodes: [${nodes}] }]\n`);
  const daemonWords = (port: number) => ['run', '--config', config, '--listen', `127.0.0.1:${port}`];
  const daemon = (port: number) => untilAlive(pathOf('../bin/subnetd'), daemonWords(port), port, folder);
  const server = (port: number) => untilAlive(node, ['-e', BARE_SERVER(port)], port);

  const port = await freePort();
  const warm = await daemon(port);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await stop(warm.child);
  const starts: { server: number; daemon: number }[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const served = await server(port);
    await stop(served.child);
    const ran = await daemon(port);
    await stop(ran.child);
    starts.push({ server: served.millis, daemon: ran.millis });
  }
  const idle: ChildProcess = spawn(node, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  const { child } = await daemon(port);
  await new Promise((resolve) => setTimeout(resolve, REST_SECONDS * 1000));
  const memory = { bare: residentMegabytesOf(idle), daemon: residentMegabytesOf(child) };
  await stop(child);
  await stop(idle);
  await stopNodes();
  rmSync(folder, { recursive: true });
  const pick = (key: keyof (typeof starts)[number]) => round(median(starts.map((start) => start[key])), 1);
  return {
    start: {
      bareHttpServerMillis: pick('server'),
      livezMillis: pick('daemon'),
      timesBare: round(median(starts.map((start) => start.daemon / start.server))),
    },
    resident: {
      bareNodeMegabytes: round(memory.bare, 1),
      daemonMegabytes: round(memory.daemon, 1),
      timesBare: round(memory.daemon / memory.bare),
    },
  };
}
