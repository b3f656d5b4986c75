import { execFileSync } from 'node:child_process';
import { deserialize, serialize } from 'node:v8';
import { createProcessClock } from '../src/lib/clock.ts';
import type { Inventory, Target } from '../src/model/target.ts';
import { createScrapes } from '../src/tell/metrics/create-scrapes.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { createUnscheduledMonitor } from '../test/support/unscheduled-monitor.ts';
import { cpuMillisOf, median, node, pathOf, round } from './measure.ts';

const NODES = 10_000;
const RELOADS = 7;
const WARM_UPS = 2;

/** An inventory of all nodes in subnets of `group`. */
function read(group: number): Inventory {
  const subnets = Array.from({ length: NODES / group }, (_, subnet) => ({
    name: `s${subnet}`,
    nodes: Array.from({ length: group }, (_, place) => ({
      name: `n${place}`,
      rpc: `http://10.0.0.1:${20_000 + place}`,
    })),
  }));
  // JSON is YAML.
  const parsed = parseInventory(JSON.stringify({ subnets }), {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.inventory;
}

/** The inventory with another address of one node in the middle. */
function withOtherAddress({ subnets, ...rest }: Inventory, port: number): Inventory {
  const middle = Math.floor(subnets.length / 2);
  return {
    ...rest,
    subnets: subnets.map((subnet, index) =>
      index === middle
        ? {
            ...subnet,
            targets: subnet.targets.with(0, { ...subnet.targets[0], rpc: `http://10.0.0.1:${port}` } as Target),
          }
        : subnet,
    ),
  };
}

/** CPU milliseconds of one reload after another, by its steps, and of the scrapes before and after it. */
async function measure(group: number) {
  const clock = createProcessClock();
  const monitor = createUnscheduledMonitor({ clock });
  const scrapes = createScrapes({
    snapshot: monitor.unexplained,
    intervalMs: () => 10_000,
    clock,
    renderOwn: async () => '',
  });
  const scrape = () => scrapes.answer({ format: 'text', isGzip: true, subnets: [] });
  const first = read(group);
  monitor.load(first);
  const firstScrape = await cpuMillisOf(scrape);
  const rows: { take: number; load: number; scrape: number; unchanged: number }[] = [];
  for (let time = 0; time < RELOADS; time += 1) {
    // As the thread that reads an inventory sends it.
    const message = serialize(withOtherAddress(first, 1 + time));
    let inventory: Inventory | undefined;
    const unchanged = await cpuMillisOf(scrape);
    const take = await cpuMillisOf(() => {
      inventory = deserialize(message) as Inventory;
    });
    const load = await cpuMillisOf(() => monitor.load(inventory as Inventory));
    rows.push({ take, load, scrape: await cpuMillisOf(scrape), unchanged });
  }
  await monitor.stop();
  const of = (key: keyof (typeof rows)[number]) => round(median(rows.slice(WARM_UPS).map((row) => row[key])), 1);
  return {
    subnets: NODES / group,
    takeMillis: of('take'),
    loadMillis: of('load'),
    scrapeMillis: of('scrape'),
    unchangedScrapeMillis: of('unchanged'),
    firstScrapeMillis: round(firstScrape, 1),
  };
}

/**
 * CPU milliseconds of a reload in which one of 10,000 nodes has another address. The event loop waits while the inventory is taken from
 * the thread that has read it, and while it is loaded. Then those of the next scrape, beside one where nothing has changed.
 */
export function benchReload() {
  const run = (group: number): unknown =>
    JSON.parse(execFileSync(node, [pathOf('./reload.ts'), String(group)], { encoding: 'utf8' }));
  return { nodes: NODES, rows: [run(25), run(NODES)], goalInOnePieceMillis: 50 };
}

if (process.argv[1] === pathOf('./reload.ts')) {
  const [group] = process.argv.slice(2).map(Number);
  process.stdout.write(`${JSON.stringify(group === undefined ? benchReload() : await measure(group), null, 2)}\n`);
}
