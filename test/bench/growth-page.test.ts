import { describe, expect, it } from 'vitest';
import { type FlatCosts, type Growth, type SizeCosts, writeGrowth } from '../../bench/growth-page.ts';

const size = (nodes: number, changes: Partial<SizeCosts> = {}): SizeCosts => ({
  nodes,
  series: nodes * 20,
  probesPerSecond: nodes / 10,
  failing: 0,
  cpuPercent: 20,
  residentMegabytes: 140,
  scrape: { cpuMillis: 10, wallMillis: 20, kilobytes: 30 },
  page: { cpuMillis: 4, wallMillis: 5, kilobytes: 6 },
  blackbox: { cpuPercent: 40, residentMegabytes: 30 },
  promClient: { scrape: { cpuMillis: 100, wallMillis: 110 }, residentMegabytes: 90 },
  ...changes,
});

const write = (sizes: readonly SizeCosts[], otherLoad = 0.1, changes: Partial<FlatCosts> = {}): string => {
  const growth: Growth = {
    ...{ date: '2026-01-02', commit: 'abc', cores: 2, memoryGigabytes: 24, nodeVersion: '26.0.0', otherLoad, sizes },
    start: { bareHttpServerMillis: 50, livezMillis: 100, timesBare: 2 },
    flat: { ...size(10_000), ...changes },
    resident: { bareNodeMegabytes: 40, daemonMegabytes: 92, timesBare: 2.3 },
  };
  return writeGrowth(growth)['docs/performance.md'] ?? '';
};

describe('the page of the cost as it grows', () => {
  it('says of each goal whether it is reached, also where nothing is to spare', () => {
    const page = write([size(1_000), size(10_000, { residentMegabytes: 350 })], 0.1, { residentMegabytes: 350 });
    expect(page.match(/ \| yes \|$/gm)).toHaveLength(8);
    expect(page).not.toContain('**no**');
  });

  it.each<[string, Partial<SizeCosts>]>([
    ['CPU with 10,000 nodes', { cpuPercent: 20.1 }],
    ['resident memory with 10,000 nodes', { residentMegabytes: 351 }],
    ['CPU of a scrape of 10,000 nodes', { scrape: { cpuMillis: 10.1, wallMillis: 20, kilobytes: 30 } }],
  ])('says that a goal is missed: %s', (goal, changes) => {
    const missed = write([size(10_000, changes)]).match(/^.*\*\*no\*\*.*$/gm);
    expect(missed).toHaveLength(1);
    expect(missed?.[0]).toContain(goal);
  });

  it.each<[string, Partial<FlatCosts>]>([
    ['CPU with 10,000 nodes in one subnet | at most 20 % of a core | 20.1 % of a core |', { cpuPercent: 20.1 }],
    ['resident memory with 10,000 nodes in one subnet | at most 350 MB | 351 MB |', { residentMegabytes: 351 }],
  ])('says that a goal is missed: %s', (row, changes) => {
    const missed = write([size(10_000)], 0.1, changes).match(/^.*\*\*no\*\*.*$/gm);
    expect(missed).toEqual([`| ${row} **no** |`]);
  });

  it('says what one subnet costs, and that each node is connected to few others of it', () => {
    const page = write([size(10)], 0.1, { cpuPercent: 17, probesPerSecond: 999 });
    expect(page).toContain('10,000 nodes: each is connected to 24 others of all, and expects as many peers.');
    expect(page).toContain('10,000 nodes in one subnet took 17 % of a core with 999 probes a second.');
  });

  it('has no goal for a size that was not measured, and says how many checks failed', () => {
    const page = write([size(10, { failing: 3 }), size(100, { failing: 4 })], 0.1, { failing: 2 });
    expect(page).not.toContain('with 10,000 nodes |');
    expect(page).toContain('9 checks failed');
  });
});

describe('the page of a machine with other work', () => {
  it('says so', () => {
    expect(write([size(10)], 4.2)).toContain('4.2 threads of other programs wanted a core');
    expect(write([size(10)], 0.4)).not.toContain('busy');
  });

  it('draws no cost that is lost beside others', () => {
    const page = { cpuMillis: 0, wallMillis: 5, kilobytes: 6 };
    expect(write([size(10), size(100, { page })])).toContain('| 100 | 6 | 0 | 5 |');
  });
});
