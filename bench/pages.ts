import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { createHistory } from '../src/tell/history/create-history.ts';
import { createSteps } from '../src/tell/history/create-steps.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { createBoard } from '../src/watch/monitor/board.ts';
import { createPages, type PageQuery } from '../src/web/pages/create-pages.ts';
import { cpuMillisSince, median, pathOf, round } from './measure.ts';

const NODES = 50;
const PAGES = 200;
const STREAMS = 1_000;
const STREAM_SECONDS = 20;
const BLOCK_MS = 2_000;

/** Pages over a subnet of 50 nodes whose heights rise each two seconds of the clock that is given. */
function pagesOf(now: () => number) {
  const nodes = Array.from({ length: NODES }, (_, i) => `{ name: node${i}, rpc: 'http://10.0.0.1:${i + 1}' }`);
  const parsed = parseInventory(`subnets: [{ name: bench, nodes: [${nodes.join()}] }]`, {});
  if (!parsed.ok) throw new Error(parsed.errors[0]?.what);
  const targets = parsed.inventory.subnets[0]?.targets ?? [];
  const board = createBoard();
  board.load(parsed.inventory, now());
  const steps = createSteps();
  const history = createHistory({
    keeps: () => false,
    times: { add: () => {} },
    addMinute: steps.addMinute,
  });
  const rise = () => {
    const at = now();
    const number = Math.floor(at / BLOCK_MS);
    for (const target of targets) {
      const seen = {
        answered: true,
        latest: { ok: true, value: { number } },
        peers: { ok: true, value: { count: NODES - 1, via: 'admin_peers' } },
      } as const;
      board.recordRun(target, 'rpc', { kind: 'node', seen }, 0.01, at);
    }
    board.diagnose('bench', at);
    history.record(board.snapshot(), at, at);
    steps.record(board.snapshot(), at);
  };
  const pages = createPages({
    own: () => ({
      version: '0',
      startedAt: 0,
      reload: { successful: true, successAt: 0 },
      engines: new Map(),
      isDatabaseUp: true,
    }),
    snapshot: board.snapshot,
    history: {
      ...history,
      ...steps,
      checkHistoryOf: () => ({ halfHours: [], probes: [] }),
      changesOf: () => [],
      isPastRead: () => true,
    },
    matchingLines: () => [],
    mayRestart: () => undefined,
    outside: {},
    mayProbe: false,
    incidents: {
      list: async () => ({ incidents: [], isWhole: true }),
      read: async () => undefined,
      addNote: async () => 'unknown',
      acknowledge: async () => 'unknown',
      isGenuine: async () => false,
      idOf: () => undefined,
      isNotifying: () => false,
    },
    now,
    toWall: (at) => at,
    onBug: (error) => {
      throw error;
    },
  });
  return { pages, rise };
}

/** CPU time of one status page of 50 nodes with an hour behind it, or of its kiosk, and its size on the wire. */
async function measurePage(query: PageQuery) {
  let at = Date.UTC(2026, 0, 1);
  const { pages, rise } = pagesOf(() => at);
  for (let turn = 0; turn < 360; turn += 1) {
    at += 10_000;
    rise();
  }
  const times: number[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const before = process.cpuUsage();
    String(await pages.status(query));
    times.push(cpuMillisSince(before));
  }
  const text = String(await pages.status(query));
  return { bytes: text.length, gzipBytes: gzipSync(text).length, cpuMillis: round(median(times)) };
}

/** Serves the pages of rising nodes, and answers each message with the CPU time since the last one. */
async function serve() {
  const { pages, rise } = pagesOf(Date.now);
  const server = createServer(getRequestListener(() => pages.events({}) ?? new Response(null, { status: 503 })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  rise();
  setInterval(rise, BLOCK_MS);
  process.send?.({ port: (server.address() as AddressInfo).port });
  let before = process.cpuUsage();
  process.on('message', () => {
    const cpuSeconds = cpuMillisSince(before) / 1_000;
    before = process.cpuUsage();
    process.send?.({ cpuSeconds, residentMegabytes: process.memoryUsage.rss() / 1e6 });
  });
  process.once('disconnect', () => process.exit(0));
}

/** The cost of many streams of one page while blocks come, beside that of one. */
async function measureStreams() {
  const child = fork(pathOf('./pages.ts'), ['serve']);
  const ask = async (): Promise<{ readonly cpuSeconds: number; readonly residentMegabytes: number }> => {
    child.send('usage');
    const [answer] = await once(child, 'message');
    return answer;
  };
  const [{ port }] = await once(child, 'message');
  let events = 0;
  const open = () =>
    new Promise<void>((resolve, reject) =>
      get({ host: '127.0.0.1', port, path: '/events', agent: false }, (answer) => {
        answer.setEncoding('latin1').on('data', (text: string) => {
          events += text.split('\nevent: ').length - 1;
        });
        resolve();
      }).on('error', reject),
    );
  const during = async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await ask();
    events = 0;
    await new Promise((resolve) => setTimeout(resolve, STREAM_SECONDS * 1_000));
    return ask();
  };
  await open();
  const one = await during();
  for (let count = 1; count < STREAMS; count += 1) await open();
  const all = await during();
  child.disconnect();
  return {
    streams: STREAMS,
    eventsPerStream: round(events / STREAMS, 1),
    percentOfACore: round((all.cpuSeconds / STREAM_SECONDS) * 100, 1),
    percentWithOne: round((one.cpuSeconds / STREAM_SECONDS) * 100, 1),
    residentMegabytes: round(all.residentMegabytes, 0),
    residentMegabytesWithOne: round(one.residentMegabytes, 0),
    goalPercent: 10,
  };
}

/** Measures the status page and its streams. */
export const benchPages = async () => ({
  nodes: NODES,
  page: { ...(await measurePage({})), goalMillis: 10, goalGzipBytes: 40_000 },
  kiosk: { ...(await measurePage({ kiosk: '' })), goalMillis: 10, goalGzipBytes: 40_000 },
  streams: await measureStreams(),
});

if (process.argv[2] === 'serve') await serve();
else if (process.argv[1] === pathOf('./pages.ts'))
  process.stdout.write(`${JSON.stringify(await benchPages(), null, 2)}\n`);
