import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { KeptTable } from '../../../src/model/kept.ts';
import type { LogPosition } from '../../../src/model/log.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createHandClock } from '../../support/hand-clock.ts';
import { useFolder } from '../../support/recordings.ts';
import { renderPage } from '../../support/render-page.ts';
import { createUnscheduledMonitor } from '../../support/unscheduled-monitor.ts';
import { asRead } from '../../support/views.ts';

const LONG = { timeout: 30_000, interval: 50 };

/** A time as a node prints it. */
const stamp = (wallMs: number): string => {
  const [date = '', time = ''] = new Date(wallMs).toISOString().split('T');
  return `${date.slice(5)}|${time.slice(0, 8)}`;
};

/** A node that is known by its log file alone, whose clock is ahead of ours by so much. */
async function watchNode(aheadMs: number, positions?: KeptTable<LogPosition>) {
  const file = join(useFolder(), 'xdc.log');
  await writeFile(file, '');
  const parsed = parseInventory(
    `
subnets:
  - name: devnet
    nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1', logFiles: ['${file}'] }]
    checks: { rpc: { enabled: false, stallAfter: 2s, schedule: every 1s, timeout: 900ms } }
`,
    {},
  );
  if (!parsed.ok) throw new Error(`a bad inventory: ${parsed.errors.join('; ')}`);
  const { clock, wall, run } = createHandClock();
  let height = 100;
  const printBlock = async () => {
    height += 1;
    const line = `INFO [${stamp(wall() + aheadMs)}] Imported new chain segment               number=${height} hash=1a2b3c…9f8e7d\n`;
    await appendFile(file, line);
    return height;
  };
  const start = () => {
    const monitor = createUnscheduledMonitor({ clock, ...(positions && { positions: async () => positions }) });
    onTestFinished(monitor.stop);
    monitor.load(parsed.inventory);
    const look = async () => {
      await monitor.probeNow((_target, round) => round === 'logs');
      return monitor.snapshot()[0]?.targets.find(({ target }) => target.component === 'node');
    };
    return {
      stop: monitor.stop,
      isUp: async () => expect((await look())?.facts.logs?.sources.file?.up).toBe(true),
      check: async () => (await look())?.checks.filter(({ check }) => check === 'log_block').map(asRead)[0],
      skew: () =>
        /^subnet_node_clock_skew_seconds\{subnet="devnet",name="subnet1"\} (\S+)$/m.exec(
          renderPage(monitor.snapshot(), () => 10, clock.toWall),
        )?.[1],
    };
  };
  return { printBlock, start, pass: run };
}

test.each([
  [-90_000, ', and its clock is 1m 30s behind ours; set its clock with chrony'],
  [
    2 * 3_600_000,
    ', and the times in its log are 2h ahead of ours; correct timezone of its logFiles, or set its clock',
  ],
])(
  'a node whose clock is ahead by %d ms passes as long as it makes blocks, and its skew is reported',
  async (aheadMs, words) => {
    const { printBlock, start, pass } = await watchNode(aheadMs);
    const { isUp, check, skew } = start();
    await vi.waitFor(isUp, LONG);
    // Longer than a stall takes.
    for (let passed = 0; passed <= 3_000; passed += 500) {
      pass(500);
      const printed = await printBlock();
      await vi.waitFor(async () => expect((await check())?.reason).toContain(`at block ${printed},`), LONG);
      expect((await check())?.verdict).toBe('pass');
    }
    await vi.waitFor(async () => {
      await printBlock();
      const reason = (await check())?.reason.replace(
        /at block \d+, which it reached (?:just now|\d+s ago)/,
        'at block N',
      );
      expect(reason).toBe(`the log of subnet1 is at block N${words}`);
    }, LONG);
    expect(Math.abs(Number(skew()) - aheadMs / 1_000)).toBeLessThanOrEqual(1.5);
    // It has stalled when it prints no more.
    pass(2_500);
    await vi.waitFor(async () => expect((await check())?.verdict).toBe('fail'), LONG);
  },
);

test('a line printed while subnetd did not run has the time that it carries', async () => {
  const table = new Map<string, LogPosition>();
  const { printBlock, start, pass } = await watchNode(-90_000, {
    read: async () => table,
    write: async (changed) => {
      for (const [source, position] of changed) table.set(source, position);
    },
  });
  const first = start();
  await vi.waitFor(first.isUp, LONG);
  await printBlock();
  await vi.waitFor(async () => expect((await first.check())?.verdict).toBe('pass'), LONG);
  await first.stop();
  pass(1_000);
  await printBlock();
  pass(1_000);
  const second = start();
  await vi.waitFor(async () => {
    const check = await second.check();
    expect(check?.reason).toMatch(/^the height in the log of subnet1 has been 102 for 1m 3\ds/);
    expect(check?.verdict).toBe('fail');
  }, LONG);
  expect(second.skew()).toBeUndefined();
  await printBlock();
  await vi.waitFor(async () => expect((await second.check())?.verdict).toBe('pass'), LONG);
});
