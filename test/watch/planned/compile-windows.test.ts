import { describe, expect, it } from 'vitest';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { compileWindows } from '../../../src/watch/planned/compile-windows.ts';

const inventory = (window: string) => {
  const parsed = parseInventory(
    `subnets: [{ name: devnet, nodes: [{ name: subnet1, rpc: 'http://x' }] }]
maintenance: [{ subnet: devnet, reason: upgrade, ${window} }]`,
    {},
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.inventory.maintenance ?? [];
};

/** From when until when the work is in force at each of these times; empty for none. */
const inForce = (window: string, ...times: readonly string[]) => {
  const worksAt = compileWindows(inventory(window));
  const short = (at: number) => new Date(at).toISOString().slice(0, 19);
  return times.map((time) =>
    worksAt(Date.parse(`${time}Z`))
      .map(({ from, until }) => `${short(from)} ${short(until)}`)
      .join(),
  );
};

describe('a maintenance window', () => {
  it('with dates has them', () => {
    const window = 'name: subnet1, from: 2026-12-01T22:00Z, until: 2026-12-01T23:00Z';
    expect(compileWindows(inventory(window))(0)).toEqual([
      {
        ...{ subnet: 'devnet', name: 'subnet1', reason: 'upgrade', by: 'the inventory' },
        ...{ from: Date.parse('2026-12-01T22:00Z'), until: Date.parse('2026-12-01T23:00Z') },
      },
    ]);
  });

  it('with a schedule is in force from each of its times, for as long as it says', () => {
    const window = "schedule: '0 0 22 * * *', for: 1h";
    const tuesday = '2026-12-01T22:00:00 2026-12-01T23:00:00';
    expect(
      inForce(window, '2026-12-01T21:59:59.999', '2026-12-01T22:00', '2026-12-01T22:59:59.999', '2026-12-01T23:00'),
    ).toEqual(['', tuesday, tuesday, '']);
  });

  it('goes on over midnight, and over the end of a year', () => {
    expect(inForce("schedule: '30 45 23 * * *', for: 2h", '2027-01-01T01:45:29', '2027-01-01T01:45:30')).toEqual([
      '2026-12-31T23:45:30 2027-01-01T01:45:30',
      '',
    ]);
  });

  it('lasts for days when it comes once a month', () => {
    const window = "schedule: '0 0 12 1 * *', for: 72h";
    const days = '2026-12-01T12:00:00 2026-12-04T12:00:00';
    expect(inForce(window, '2026-12-04T11:59:59', '2026-12-04T12:00', '2026-12-01T11:59')).toEqual([days, '', '']);
  });

  it('comes on its days alone', () => {
    // The 5th of December 2026 is a Saturday.
    const window = "schedule: '0 0 4,22 * * 6', for: 1h";
    expect(inForce(window, '2026-12-04T22:30', '2026-12-05T04:30', '2026-12-05T22:30', '2026-12-06T04:30')).toEqual([
      '',
      '2026-12-05T04:00:00 2026-12-05T05:00:00',
      '2026-12-05T22:00:00 2026-12-05T23:00:00',
      '',
    ]);
    const first = "schedule: '0 0 4 * * 2#1', for: 1h";
    expect(inForce(first, '2026-12-01T04:30', '2026-12-08T04:30')).toEqual([
      '2026-12-01T04:00:00 2026-12-01T05:00:00',
      '',
    ]);
  });

  it('begins at the last of its times, whatever it lists', () => {
    const window = "schedule: '10,40 5,50 3,9 * * *', for: 20s";
    const begins = (time: string) => inForce(window, `2026-12-01T${time}`)[0]?.slice(11, 19);
    expect(['03:05:10', '03:05:29', '03:05:30', '03:05:40', '03:50:59', '03:51:00', '09:05:12'].map(begins)).toEqual([
      '03:05:10',
      '03:05:10',
      '',
      '03:05:40',
      '03:50:40',
      '',
      '09:05:10',
    ]);
  });
});
