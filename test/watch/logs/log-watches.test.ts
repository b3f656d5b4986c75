import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClock } from '../../../src/lib/clock.ts';
import type { Inventory, Target } from '../../../src/model/target.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import type { LogWatch } from '../../../src/watch/logs/create-log-watches.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { useLogWatches } from '../../support/log-watches.ts';
import { startLogWriter } from '../../support/log-writer.ts';
import { useFolder } from '../../support/recordings.ts';

const LONG = { timeout: 30_000, interval: 20 };
const HOUR_MS = 3_600_000;

/** A node and a bootnode that are known by their log files alone; `own` counts every line of the node. */
function inventoryOf(folder: string, own: string, window = '1h'): Inventory {
  const parsed = parseInventory(
    `
subnets:
  - name: devnet
    nodes:
      - name: subnet1
        rpc: 'http://127.0.0.1:1'
        logFiles: ['${join(folder, 'node.log')}']
        patterns: [{ name: ${own}, match: '^line', means: progress }]
    bootnode: { logFiles: ['${join(folder, 'bootnode.log')}'] }
    checks: { rpc: { enabled: false, stallAfter: 3s, schedule: 'every 1s', timeout: 1s }, logs: { errorWindow: ${window}, bootnodeWindow: 1h } }
`,
    {},
  );
  if (!parsed.ok) throw new Error(`a bad inventory: ${parsed.errors.join('; ')}`);
  return parsed.inventory;
}

const targetOf = (inventory: Inventory, component: string): Target =>
  inventory.subnets[0]?.targets.find((target) => target.component === component) as Target;

async function useLogs(): Promise<string> {
  const folder = useFolder();
  for (const name of ['node.log', 'bootnode.log']) await writeFile(join(folder, name), '');
  return folder;
}

test('a reload of the inventory loses no line and counts none twice, whether the target has changed or not', async () => {
  const folder = await useLogs();
  const watches = useLogWatches();
  const use = (inventory: Inventory) => {
    const plan = watches.prepare();
    const used = (['node', 'bootnode'] as const).map((component) => {
      const { logs } = (inventory.subnets[0] as Inventory['subnets'][number]).settings;
      return plan.watchOf(targetOf(inventory, component), logs);
    });
    plan.commit(inventory.subnets[0]?.targets ?? []);
    return used;
  };
  const linesOf = (watch: LogWatch) => watch.facts().sources.file?.lines ?? 0;

  const [first, bootnode] = use(inventoryOf(folder, 'first')) as [never, never];
  const seen = new Set([first]);
  const nodeLines = () => [...seen].reduce((sum, watch) => sum + linesOf(watch), 0);
  await vi.waitFor(() => expect([first, bootnode].map((watch: never) => linesOf(watch))).toEqual([0, 0]), LONG);
  await vi.waitFor(() => expect((first as LogWatch).facts().sources.file?.up).toBe(true), LONG);
  const writers = ['node.log', 'bootnode.log'].map((name) => startLogWriter(join(folder, name)));
  for (const own of ['second', 'third', 'fourth']) {
    const before = nodeLines();
    await vi.waitFor(() => expect(nodeLines()).toBeGreaterThan(before + 500), LONG);
    const [node, same] = use(inventoryOf(folder, own)) as [never, never];
    expect(seen).not.toContain(node);
    expect(same).toBe(bootnode);
    seen.add(node);
  }
  const [ofNode, ofBootnode] = await Promise.all(writers.map((writer) => writer.stop()));
  await vi.waitFor(() => expect(nodeLines()).toBeGreaterThanOrEqual(ofNode as number), LONG);
  await vi.waitFor(() => expect(linesOf(bootnode)).toBeGreaterThanOrEqual(ofBootnode as number), LONG);
  expect([nodeLines(), linesOf(bootnode)]).toEqual([ofNode, ofBootnode]);
}, 120_000);

/** A line that a node printed so long ago. */
const lineOf = (secondsAgo: number, text: string) => {
  const [date = '', time = ''] = new Date(Date.now() - secondsAgo * 1_000).toISOString().split('T');
  return `INFO [${date.slice(5)}|${time.slice(0, 12)}] ${text}\n`;
};
const blockLine = (secondsAgo: number, height: number) =>
  lineOf(secondsAgo, `Imported new chain segment               number=${height} hash=0x1f22 blocks=1 elapsed=2ms`);

/** The watch of the node alone. */
function watchNode(folder: string): LogWatch {
  const plan = useLogWatches().prepare();
  const inventory = inventoryOf(folder, 'mine');
  const [subnet] = inventory.subnets;
  const watch = plan.watchOf(targetOf(inventory, 'node'), (subnet as Inventory['subnets'][number]).settings.logs);
  plan.commit(subnet?.targets ?? []);
  return watch;
}

test('what is in a log that comes back with a restored data folder is not news, and nothing of the clock', async () => {
  const folder = await useLogs();
  const path = join(folder, 'node.log');
  const watch = watchNode(folder);
  await vi.waitFor(() => expect(watch.facts().sources.file?.up).toBe(true), LONG);
  // Lines that are read at once say of the clock what one does.
  for (const height of [2_501, 2_502, 2_503, 2_504]) {
    await appendFile(path, blockLine(0, height));
    await setTimeout(600);
  }
  await vi.waitFor(() => expect(watch.facts().clockAheadMs).toBeDefined(), LONG);
  const full = 'Fatal: Failed to write block: write 1.log: no space left on device\n';
  const begun = lineOf(10_800, 'Loaded most recent local header          number=0 hash=92b870..680244 td=1 age=1m');
  await writeFile(join(folder, 'restored'), [begun, blockLine(10_800, 900), full, blockLine(10_700, 930)].join(''));
  await rename(join(folder, 'restored'), path);
  await vi.waitFor(() => expect(watch.facts().sources.file?.lines).toBe(8), LONG);
  const { patterns, node, clockAheadMs = 0 } = watch.facts();
  expect([patterns.disk_full?.count ?? 0, node?.height]).toEqual([0, 2_504]);
  expect(Math.abs(clockAheadMs)).toBeLessThan(60_000);
  const hoursAgo = ((node?.advancedAt ?? 0) - (patterns.loaded_genesis?.at ?? 0)) / 3_600_000;
  expect(Math.round(hoursAgo)).toBe(3);
  await appendFile(path, `${blockLine(0, 2_505)}${full}`);
  await vi.waitFor(() => expect(watch.facts().patterns.disk_full?.count).toBe(1), LONG);
  expect(watch.facts().node?.height).toBe(2_505);
});

test('the height in the log is the last one from before the start, not that of a start before it', async () => {
  const folder = await useLogs();
  const started = (secondsAgo: number, height: number) =>
    lineOf(secondsAgo, `Loaded most recent local full block      number=${height} hash=ca09e0..76abb1 td=${height}`);
  const log = [started(7_800, 1_054), started(3_480, 2_471), blockLine(60, 2_508)];
  await writeFile(join(folder, 'node.log'), log.join(''));
  const watch = watchNode(folder);
  await vi.waitFor(() => expect(watch.facts().sources.file?.up).toBe(true), LONG);
  const { node, sources, patterns } = watch.facts();
  expect(node?.height).toBe(2_508);
  const ageMs = (sources.file?.since ?? 0) - (node?.advancedAt ?? 0);
  expect(Math.round(ageMs / 30_000)).toBe(2);
  // What was printed before is no new line, and is not counted.
  expect(sources.file?.lines).toBe(0);
  expect(patterns.imported_segment?.count).toBe(0);
});

/** The monitor on the logs alone, with a clock that can be set. */
async function watchWithClock(window: string) {
  const folder = await useLogs();
  let ahead = 0;
  const inventory = inventoryOf(folder, 'mine', window);
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createClock({ monotonic: () => performance.now(), wall: () => Date.now() + ahead }),
    scheduled: false,
    onBug: (error) => bugs.push(error),
  });
  onTestFinished(monitor.stop);
  monitor.load(inventory);
  const look = async () => {
    await monitor.probeNow((_target, round) => round === 'logs');
    expect(bugs).toEqual([]);
    return monitor.snapshot()[0]?.targets.find(({ target }) => target.component === 'node');
  };
  const verdict = async () => (await look())?.checks.find(({ check }) => check === 'log_block')?.verdict;
  await vi.waitFor(async () => expect((await look())?.facts.logs?.sources.file?.up).toBe(true), LONG);
  let height = 100;
  return {
    setClock: (hours: number) => {
      ahead = hours * HOUR_MS;
    },
    verdict,
    becomes: (wanted: string) => vi.waitFor(async () => expect(await verdict()).toBe(wanted), LONG),
    lines: async () => (await look())?.facts.logs?.sources.file?.lines,
    print: (line: string) => appendFile(join(folder, 'node.log'), `${line}\n`),
    printBlock: () => {
      height += 1;
      return appendFile(
        join(folder, 'node.log'),
        `[yourturn] Masternode: index 0 address 0xA parentBlockNum ${height}\n`,
      );
    },
  };
}

test.each([5, -5])('setting the clock by %d hours changes no verdict', async (hours) => {
  const { setClock, verdict, becomes, printBlock, lines } = await watchWithClock('1h');
  await printBlock();
  await becomes('pass');
  await printBlock();
  setClock(hours);
  expect(await verdict()).toBe('pass');
  // A stalled node is found all the same.
  await becomes('fail');
  await printBlock();
  await becomes('pass');
  setClock(0);
  expect(await verdict()).toBe('pass');
  await becomes('fail');
  expect(await lines()).toBe(3);
});

test('an error does not count for longer when the clock is set back', async () => {
  const { setClock, verdict, becomes, print, printBlock } = await watchWithClock('3s');
  await print('########## BAD BLOCK #########');
  await becomes('fail');
  setClock(-5);
  // Blocks keep coming, because the height must not stall when the error no longer counts.
  await vi.waitFor(async () => {
    await printBlock();
    expect(await verdict()).toBe('pass');
  }, LONG);
});
