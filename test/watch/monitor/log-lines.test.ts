import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { eventually } from '../../support/cli.ts';
import { useFolder } from '../../support/recordings.ts';
import { createUnscheduledMonitor } from '../../support/unscheduled-monitor.ts';

test('lines of a log are shown without what the inventory keeps secret, of any target of the subnet', async () => {
  const path = join(useFolder(), 'n1.log');
  await appendFile(path, '');
  const monitor = createUnscheduledMonitor({ clock: createProcessClock() });
  onTestFinished(monitor.stop);
  const load = (password: string) => {
    const nodes = `{ name: n1, rpc: 'http://127.0.0.1:1', logFiles: ['${path}'] }, { name: n2, rpc: 'http://me:${password}@127.0.0.1:2' }`;
    const parsed = parseInventory(`subnets: [{ name: d, nodes: [${nodes}] }]`, {});
    if (!parsed.ok) throw new Error('the inventory is bad');
    monitor.load(parsed.inventory);
  };
  load('hunter2');
  const [n1, n2] = monitor.snapshot()[0]?.subnet.targets ?? [];
  if (n1 === undefined || n2 === undefined) throw new Error('two nodes are needed');
  await eventually(async () => {
    await appendFile(path, 'ERROR[11-21|07:42:00] ########## BAD BLOCK ######### hunter2 swordfish\n');
    expect(monitor.matchingLines(n1)).not.toEqual([]);
  });
  const [first] = monitor.matchingLines(n1);
  expect(first).toMatchObject({
    means: 'error',
    text: expect.stringMatching(/^ERROR.* BAD BLOCK ######### \[redacted\] swordfish$/),
  });
  const read = await monitor.readLastLines(n1, 1);
  expect(read).toEqual({ ok: true, source: 'file', lines: [{ text: first?.text }] });
  expect(monitor.matchingLines(n2)).toEqual([]);
  load('swordfish');
  expect(monitor.matchingLines(n1)[0]?.text).toMatch(/ hunter2 \[redacted\]$/);
});
