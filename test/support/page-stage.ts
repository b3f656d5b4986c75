import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { HistoryChange, StepHistory, Steps, Uptime } from '../../src/model/history.ts';
import type { Snapshot, SubnetState } from '../../src/model/snapshot.ts';
import { RANGES, type RangeName } from '../../src/model/time-range.ts';
import { requiredVotes } from '../../src/watch/diagnosis/quorum.ts';
import { createPages } from '../../src/web/pages/create-pages.ts';
import { assets } from '../../src/web/pages/paths.ts';
import { diagnosedNode, diagnosedService, type Given, NOW, STOPPED } from './diagnosed.ts';
import { NO_INCIDENTS } from './no-incidents.ts';
import { stateOf } from './snapshots.ts';

/** So many names, each with a number. */
export const many = (count: number, name = 'subnet') =>
  Array.from({ length: count }, (_, place) => `${name}${place + 1}`);

/** A subnet of so many nodes with their services, of which some nodes are stopped. With too few left it has halted. */
export function subnetOf(count: number, gone: readonly string[] = [], name = 'devnet', height = 184_220): SubnetState {
  const names = many(count);
  const isHalted = count - gone.length < requiredVotes(count);
  const stopped: Given = { container: STOPPED, fault: { kind: 'refused', address: 'http://192.0.2.1:8545' } };
  const nodes = names.map((one) =>
    diagnosedNode(one, names, {
      ...{ height, stalledMs: gone.includes(one) || isHalted ? 600_000 : 2_000, passedMs: undefined },
      ...(gone.includes(one) && stopped),
    }),
  );
  const [stats, frontend, relayer] = [
    diagnosedService('stats'),
    diagnosedService('frontend'),
    diagnosedService('relayer'),
  ];
  const bootnode = { target: { ...relayer.target, component: 'bootnode', name: 'bootnode' } as const, facts: {} };
  return stateOf([...nodes, stats, frontend, ...(gone.length === 0 ? [] : [relayer, bootnode])], name);
}

const NAMES = many(4);

/** A subnet of four nodes with their services, of which the second node, or the stats server, differs. */
function subnetWith(second: Given, stats: Parameters<typeof diagnosedService>[1] = {}): SubnetState {
  const nodes = NAMES.map((one) => diagnosedNode(one, NAMES, one === 'subnet2' ? second : { height: 184_220 }));
  return stateOf([...nodes, diagnosedService('stats', stats), diagnosedService('frontend')]);
}

/** A subnet in each of six faults. */
export const FAULTY = {
  'a node behind': subnetWith({ height: 184_100, passedMs: 120_000 }),
  'a stalled node': subnetWith({ height: 184_000, stalledMs: 600_000 }),
  'a node down': subnetOf(4, ['subnet2']),
  'a node without peers': subnetWith({ height: 184_220, peers: ['subnet1'] }),
  'a service down': subnetWith({ height: 184_220 }, { container: STOPPED }),
  'a halt': subnetOf(4, ['subnet2', 'subnet3']),
} satisfies Readonly<Record<string, SubnetState>>;

/** A value for each step, as if the newest were `latest` and the others went up and down a little. */
const wave = (range: RangeName, latest: number): Steps =>
  Array.from({ length: RANGES[range].steps }, (_, step) => latest + (step % 5)).toReversed();

/** Charts that are full. */
const FULL_STEPS: StepHistory = {
  stepsOf: (_, range) => ({ blocks: wave(range, 26), gap: wave(range, 1), coins: wave(range, 80) }),
  targetStepsOf: ({ name }, range) => ({
    ...{ p50: wave(range, 2 + name.length), p95: wave(range, 9), lag: wave(range, 0) },
    missed: wave(range, name.endsWith('7') ? 1 : 0),
  }),
  strangersOf: (_, range) => [{ name: '0xdb803a23d2fbf13a6bf6a4a2d6c8c4ae0ed53c19', missed: wave(range, 1) }],
};

const HOUR_MS = 3_600_000;
const uptimes = (count: number): readonly Uptime[] =>
  Array.from({ length: count }, (_, place) => ({
    ok: HOUR_MS,
    fail: place % 9 === 5 ? 60_000 : 0,
    unseen: 0,
    planned: 0,
  }));

const changesOf = (subnet: string, at: number): readonly HistoryChange[] =>
  Array.from(
    { length: 20 },
    (_, place): HistoryChange => ({
      ...{ at: at - (19 - place) * 60_000, subnet, kind: 'container', what: 'c', was: 'running', is: 'started' },
      ...{ component: 'node', name: 'subnet2', reason: 'somebody started it, and this sentence is a long one' },
    }),
  );

/** Serves the pages of a snapshot that can be replaced, with their assets and streams, and charts that are full. */
export async function startPageStage(first: Snapshot) {
  let snapshot = first;
  let startedAt = 0;
  /** Whether the server is as a proxy whose upstream is gone. */
  let isOut = false;
  const pages = createPages({
    own: () => ({
      ...{ version: '0.0.0', startedAt, reload: { successful: true, successAt: 0 } },
      ...{ engines: new Map(), isDatabaseUp: true },
    }),
    snapshot: () => snapshot,
    history: {
      ...{ ...FULL_STEPS, changesOf, isPastRead: () => true },
      stepsOf: (name, range, at) => {
        const steps = FULL_STEPS.stepsOf(name, range, at);
        const halted = snapshot
          .find(({ subnet }) => subnet.name === name)
          ?.problems.find(({ problem }) => problem === 'subnet_halted');
        return halted === undefined
          ? steps
          : { ...steps, blocks: [...steps.blocks.slice(0, -10), ...Array(10).fill(0)] };
      },
      historyOf: () => ({ hours: uptimes(24), days: uptimes(30) }),
      checkHistoryOf: () => ({ halfHours: Array(48).fill('up'), probes: Array(24).fill('up') }),
    },
    incidents: NO_INCIDENTS,
    ...{ matchingLines: () => [], mayRestart: () => undefined, outside: {}, mayProbe: false },
    now: () => NOW,
    toWall: (at) => Date.now() + at - NOW,
    onBug: (error) => {
      throw error;
    },
  });
  const app = new Hono();
  for (const { path, type, read } of assets)
    app.get(path, async (c) => c.body(await read(), 200, { 'content-type': type }));
  app.get('/', async (c) => c.html(await pages.status(c.req.query())));
  app.get('/targets/:subnet/:name', async (c) => {
    const { subnet, name } = c.req.param();
    return c.html((await pages.target(subnet, name, c.req.query())) ?? '');
  });
  app.get('/alerts', async (c) => c.html(await pages.runbooks()));
  app.get('/events', (c) => (isOut ? undefined : pages.events(c.req.query())) ?? c.text('bad gateway', 502));
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (next: Snapshot) => {
      snapshot = next;
    },
    /** Ends every stream, and lets none begin until it is mended. */
    fail: () => {
      isOut = true;
      pages.stop();
    },
    mend: () => {
      isOut = false;
    },
    /** Comes back as another process. */
    restart: () => {
      startedAt += 1;
      pages.stop();
    },
    stop: () => {
      pages.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}
