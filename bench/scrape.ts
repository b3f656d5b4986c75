import { parseInventory } from '../src/inventory/parse-inventory.ts';
import { renderFamilies } from '../src/metrics/render-families.ts';
import type { Target } from '../src/model/target.ts';
import { createBoard } from '../src/monitor/board.ts';
import { median, round } from './measure.ts';

const NODES = 1000;
const SCRAPES = 20;

/** One page of 1,000 nodes, warm, as the bytes of an answer, each after a whole round of new readings. */
export async function benchScrape() {
  const nodes = Array.from({ length: NODES }, (_, i) => `{ name: node${i}, rpc: 'http://10.0.0.1:${i + 1}' }`);
  const parsed = parseInventory(`subnets: [{ name: bench, nodes: [${nodes.join()}] }]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const board = createBoard();
  board.load(parsed.inventory, Date.now());
  const targets: readonly Target[] = parsed.inventory.subnets[0]?.targets ?? [];
  const observe = (number: number, at: number) => {
    for (const target of targets)
      board.recordRun(
        target,
        'rpc',
        {
          kind: 'node',
          seen: {
            answered: true,
            latest: { ok: true, value: { number, timestamp: 1_732_174_920 } },
            committed: { ok: true, value: { number: number - 3, timestamp: 1_732_174_914 } },
            peers: { ok: true, value: { count: NODES - 1, via: 'admin_peers' } },
          },
        },
        0.0123,
        at,
      );
  };
  const millis: number[] = [];
  const foldMillis: number[] = [];
  let page = Buffer.alloc(0);
  for (let i = 0; i < SCRAPES; i += 1) {
    const folding = process.cpuUsage();
    observe(1000 + i * 5, Date.now() + i * 10_000);
    const folded = process.cpuUsage(folding);
    foldMillis.push((folded.user + folded.system) / 1000);
    const started = process.cpuUsage();
    page = Buffer.from(renderFamilies(board.snapshot(), () => 10));
    const { user, system } = process.cpuUsage(started);
    millis.push((user + system) / 1000);
  }
  return {
    nodes: NODES,
    series: page.toString().match(/^[^#]/gm)?.length,
    bytes: page.length,
    cpuMillisWarm: round(median(millis.slice(SCRAPES / 2))),
    goal: 30,
    foldAndJudgeRoundCpuMillis: round(median(foldMillis.slice(SCRAPES / 2))),
  };
}
