import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
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
  test('shows its five queues, of which FULL works', async () => {
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

  test('tells of its finished runs, the newest first, when asked for them', async () => {
    const { text } = await get(
      `${simulation.relayer}/api/queues?activeQueue=FULL&status=completed&page=1&jobsPerPage=2`,
    );
    const jobs = (JSON.parse(text) as { queues: { jobs: { returnValue: string; finishedOn: number }[] }[] }).queues[1]
      ?.jobs;
    expect(jobs?.map(({ returnValue }) => returnValue)).toEqual([
      expect.stringMatching(/^Completed sync from \d+ to \d+$/),
      expect.stringMatching(/^Completed sync from \d+ to \d+$/),
    ]);
    expect(jobs?.[0]?.finishedOn).toBeGreaterThan(jobs?.[1]?.finishedOn ?? Number.POSITIVE_INFINITY);
    expect(jobs?.[0]?.finishedOn).toBeLessThanOrEqual(clock.now());
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

  test('tells of the network as JSON', async () => {
    const { status, type, text } = await get(`${simulation.stats}/information/network`);
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({
      subnet: { block: { averageBlockTime: 1.96, txThroughput: 0 } },
      parentChain: { url: expect.any(String), name: 'Devnet' },
      health: { status: 'UP' },
    });
  });

  test('lists the blocks below the newest, oldest first', async () => {
    const answer = JSON.parse((await get(`${simulation.stats}/information/blocks`)).text) as {
      blocks: { number: number; hash: string; parentHash: string }[];
    };
    expect(answer).toMatchObject({
      subnet: { latestMinedBlock: { number: START_HEIGHT }, latestCommittedBlock: { number: START_HEIGHT - 3 } },
      health: { status: 'UP' },
    });
    expect(answer.blocks.map(({ number }) => number)).toEqual(
      Array.from({ length: 50 }, (_, index) => START_HEIGHT - 50 + index),
    );
    for (const [index, { parentHash }] of answer.blocks.entries()) {
      if (index > 0) expect(parentHash).toBe(answer.blocks[index - 1]?.hash);
    }
  });

  test('knows the relayer, the masternodes and the chain', async () => {
    expect(JSON.parse((await get(`${simulation.stats}/information/relayer`)).text)).toMatchObject({
      backlog: expect.any(Number),
      health: { status: 'UP' },
      mode: 'full',
    });
    expect(JSON.parse((await get(`${simulation.stats}/information/masternodes`)).text)).toMatchObject({
      summary: { committee: 4, activeNodes: 4, inActiveNodes: 0 },
    });
    expect(JSON.parse((await get(`${simulation.stats}/information/chainsetting`)).text)).toMatchObject({
      networkId: 28656,
    });
    expect(JSON.parse((await get(`${simulation.stats}/information/candidates`)).text)).toHaveLength(4);
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
