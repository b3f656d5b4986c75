import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { createClock } from './rpc.ts';

const clock = createClock();
let simulation: Simulation;

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 4, faults: [], now: clock.now });
});
afterAll(() => simulation.stop());

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
};

describe('the relayer', () => {
  test('shows its five queues; only FULL works', async () => {
    const { status, type, text } = await get(`${simulation.relayer}/api/queues`);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    const { queues } = JSON.parse(text) as {
      queues: { name: string; counts: Record<string, number>; jobs: unknown[] }[];
    };
    expect(queues.map(({ name }) => name)).toEqual(['LITE', 'FULL', 'REVERSE_FULL', 'ZERO', 'REVERSE_ZERO']);
    expect(queues[1]).toMatchObject({
      counts: { delayed: 1, failed: 0 },
      jobs: [],
      readOnlyMode: true,
      isPaused: false,
    });
    expect(Object.values(queues[0]?.counts ?? { none: 1 })).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('has a page, and no /health', async () => {
    expect((await get(`${simulation.relayer}/`)).text).toContain('<title>Relayer Status</title>');
    const health = await get(`${simulation.relayer}/health`);
    expect(health).toMatchObject({ status: 404, type: 'text/html; charset=utf-8' });
    expect(health.text).toContain('Cannot GET /health');
  });
});

describe('the stats server', () => {
  test('says OK at /health, as HTML', async () => {
    expect(await get(`${simulation.stats}/health`)).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
      text: 'OK',
    });
  });

  test('knows the heights of the subnet and of the checkpoint', async () => {
    const { text } = await get(`${simulation.stats}/information/blocks`);
    const { subnet, checkpoint, health } = JSON.parse(text) as Record<string, Record<string, { number: number }>>;
    expect(health).toEqual({ status: 'UP' });
    const [mined = 0, committed = 0] = [subnet?.latestMinedBlock?.number, subnet?.latestCommittedBlock?.number];
    expect(mined).toBeGreaterThan(committed);
    expect(committed).toBeGreaterThanOrEqual(checkpoint?.latestCommittedSubnetBlock?.number ?? committed + 1);
  });

  test('describes the network as JSON', async () => {
    const { status, type, text } = await get(`${simulation.stats}/information/network`);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({
      subnet: { block: { averageBlockTime: 1.96, txThroughput: 0 } },
      parentChain: { url: expect.any(String), name: 'Devnet' },
      health: { status: 'UP' },
    });
  });

  test('knows the backlog and the balance of the relayer', async () => {
    expect(JSON.parse((await get(`${simulation.stats}/information/relayer`)).text)).toMatchObject({
      account: { balance: '2000' },
      backlog: expect.any(Number),
      health: { status: 'UP' },
      mode: 'full',
    });
  });

  test.each(['/', '/healthcheck', '/information', '/no/such'])('answers %s with 200 and a page', async (path) => {
    const page = await get(`${simulation.stats}${path}`);
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(page.text).toContain('Swagger UI');
  });
});

test.each(['/', '/home', '/no/such?x=1'])('the frontend answers %s with its page', async (path) => {
  const page = await get(`${simulation.frontend}${path}`);
  expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  expect(page.text).toContain('<div id="root">');
});
