import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import type { Inventory } from '../../../src/model/target.ts';
import type { ScrapeRequest } from '../../../src/tell/metrics/create-scrapes.ts';
import { createScrapes, type Scrapes } from '../../../src/tell/metrics/create-scrapes.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { renderPage } from '../../support/render-page.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const T0 = 1_795_255_000_000;
const OWN = '# HELP own Of subnetd itself.\n# TYPE own gauge\nown 1\n';

const toInventory = (sizes: Readonly<Record<string, number>>): Inventory => ({
  subnets: Object.entries(sizes).map(([subnet, nodes]) => ({
    name: subnet,
    consensus: 'XDPoS',
    targets: Array.from({ length: nodes }, (_, index) => ({ ...nodeTarget(`n${index}`), subnet })),
    settings,
  })),
  engines: {},
  alertmanager: { urls: [] },
});

/** Scrapes of subnets with so many nodes each. */
function start(sizes: Readonly<Record<string, number>>) {
  const board = createBoard();
  const inventory = toInventory(sizes);
  board.load(inventory, T0);
  const counts = { snapshots: 0 };
  let broken: Error | undefined;
  const snapshot = (): Snapshot => {
    counts.snapshots += 1;
    if (broken !== undefined) throw broken;
    return board.unexplained();
  };
  const scrapes = createScrapes({
    snapshot,
    intervalMs: () => 10_000,
    clock: { now: () => T0, toWall: (at) => at },
    renderOwn: async () => OWN,
  });
  const observe = (subnet: string, number: number) => {
    for (const target of inventory.subnets.find(({ name }) => name === subnet)?.targets ?? []) {
      const latest = { ok: true, value: { number } } as const;
      const peers = { ok: true, value: { count: 3, via: 'admin_peers' } } as const;
      board.recordRun(target, 'rpc', { kind: 'node', seen: { answered: true, latest, peers } }, 0.25, T0 + number);
    }
  };
  const fail = (error: Error | undefined) => {
    broken = error;
  };
  const plainly = (subnets: readonly string[] = Object.keys(sizes)) =>
    renderPage(
      board.unexplained().filter(({ subnet }) => subnets.includes(subnet.name)),
      () => 10,
    );
  return { board, scrapes, observe, counts, fail, plainly };
}

async function open(scrapes: Scrapes, request: Partial<ScrapeRequest> = {}) {
  const answer = await scrapes.answer({ format: 'text', isGzip: false, subnets: [], ...request });
  if (answer.kind !== 'page') throw new Error(answer.error);
  return answer.chunks;
}

async function read(scrapes: Scrapes, request: Partial<ScrapeRequest> = {}): Promise<string> {
  const bytes = Buffer.concat(await open(scrapes, request));
  return (request.isGzip ? gunzipSync(bytes) : bytes).toString();
}

describe('a scrape', () => {
  it('gives every series, with those of subnetd itself behind them', async () => {
    const { scrapes, observe, plainly } = start({ a: 3, b: 2 });
    expect(await read(scrapes)).toBe(plainly() + OWN);
    observe('b', 7);
    expect(await read(scrapes)).toBe(plainly() + OWN);
    expect(await read(scrapes, { isGzip: true })).toBe(plainly() + OWN);
  });

  it('of named subnets gives their series alone', async () => {
    const { scrapes, observe, plainly } = start({ a: 3, b: 2, empty: 0, large: 1_500 });
    observe('large', 9);
    expect(await read(scrapes, { subnets: ['a'] })).toBe(plainly(['a']));
    expect(await read(scrapes, { subnets: ['large', 'b'] })).toBe(plainly(['b', 'large']));
    expect(await read(scrapes, { subnets: ['large'], isGzip: true })).toBe(plainly(['large']));
    expect(await read(scrapes, { subnets: ['empty'] })).toBe(plainly(['empty']));
    expect(await read(scrapes)).toBe(plainly() + OWN);
  });

  it('of a subnet that is not watched says which ones are', async () => {
    const { scrapes } = start({ a: 1, b: 1 });
    expect(await scrapes.answer({ format: 'text', isGzip: false, subnets: ['a', 'c\n'] })).toEqual({
      kind: 'unknown',
      error: 'no subnet here is called "c\\n"; ask for one of: a, b',
    });
    expect(await start({}).scrapes.answer({ format: 'text', isGzip: false, subnets: ['a'] })).toEqual({
      kind: 'unknown',
      error: 'no subnet here is called "a"; none is watched here',
    });
  });

  it('ends with # EOF in OpenMetrics, also of named subnets', async () => {
    const { scrapes } = start({ a: 1 });
    expect(await read(scrapes, { format: 'openmetrics' })).toMatch(/own 1\n# EOF\n$/);
    expect(await read(scrapes, { format: 'openmetrics', subnets: ['a'] })).toMatch(/\n# EOF\n$/);
    expect(await read(scrapes)).not.toContain('# EOF');
  });

  it('lets others have their turn while it renders many targets', async () => {
    const { scrapes, plainly } = start({ a: 12_000 });
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const page = await read(scrapes);
    isOver = true;
    await others;
    expect(turns).toBeGreaterThan(3);
    expect(page).toBe(plainly() + OWN);
  });

  it('shares its page with whoever scrapes meanwhile, and shows the next one what has changed since', async () => {
    const { scrapes, observe, counts, plainly } = start({ a: 12_000 });
    const first = read(scrapes);
    const second = read(scrapes, { isGzip: true });
    await setImmediate();
    const third = read(scrapes, { format: 'openmetrics' });
    const before = plainly();
    observe('a', 5);
    expect(await first).toBe(before + OWN);
    expect(await second).toBe(before + OWN);
    expect(await third).not.toContain('subnet_node_block_number');
    expect(counts.snapshots).toBe(1);
    expect(await read(scrapes)).toBe(plainly() + OWN);
    expect(counts.snapshots).toBe(2);
  });

  it('is of one moment to a scraper that reads slowly', async () => {
    const { scrapes, observe, plainly } = start({ a: 4_000 });
    const before = plainly();
    const chunks = await open(scrapes);
    observe('a', 5);
    await read(scrapes);
    observe('a', 6);
    await read(scrapes, { isGzip: true });
    expect(Buffer.concat(chunks).toString()).toBe(before + OWN);
  });

  it('writes everything again after one that broke', async () => {
    const { scrapes, observe, fail, plainly } = start({ a: 3 });
    await read(scrapes);
    observe('a', 5);
    fail(new Error('broken'));
    await expect(read(scrapes)).rejects.toThrow('broken');
    fail(undefined);
    expect(await read(scrapes)).toBe(plainly() + OWN);
  });

  it('keeps nothing of a removed subnet', async () => {
    const { board, scrapes, plainly } = start({ a: 3, b: 2 });
    await read(scrapes);
    board.load(toInventory({ b: 2 }), T0);
    expect(await read(scrapes)).toBe(plainly() + OWN);
    expect(await read(scrapes)).not.toContain('subnet="a"');
  });
});
