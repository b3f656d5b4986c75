import { execFileSync } from 'node:child_process';
import { parseInventory } from '../src/inventory/parse-inventory.ts';
import { renderFamilies } from '../src/metrics/render-families.ts';
import type { ChainObservation } from '../src/model/chain.ts';
import type { LogState } from '../src/model/facts.ts';
import type { Inventory, Target } from '../src/model/target.ts';
import { createBoard } from '../src/monitor/board.ts';
import { foldLogHit } from '../src/rules/fold-logs.ts';
import { median, pathOf, round } from './measure.ts';

const NODES = 10_000;
const SMALL = 25;
const ROUNDS = 6;

type Way = 'rising' | 'halted' | 'alone';

/** Subnets with nodes and a bootnode each, which hears all but one node. */
function build(subnets: number, nodes: number): Inventory {
  const texts = Array.from({ length: subnets }, (_, s) => {
    const rows = Array.from(
      { length: nodes },
      (_, n) => `{ name: n${n}, rpc: 'http://10.0.0.1:1', p2p: '10.${s >> 8}.${s & 255}.1:${n + 1}' }`,
    );
    return `{ name: s${s}, nodes: [${rows.join()}], bootnode: { container: { name: b${s} } } }`;
  });
  const parsed = parseInventory(`subnets: [${texts.join()}]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.inventory;
}

/** What a node says about its chain, with 108 masternodes at most. */
const chainOf = (name: string, nodes: number): ChainObservation => {
  const active = Array.from({ length: Math.min(nodes, 108) }, (_, index) => `0xn${index}`);
  return {
    chainId: 1,
    genesis: '0x0',
    address: `0x${name}`,
    masternodes: { number: 100, round: 100, active, standby: [], penalised: [] },
    missedRounds: { epochBlock: 0, rounds: [], byMiner: {} },
    pool: { voteRounds: 8, neverSigned: [], timeouts: 0, timeoutMissing: [] },
    block: { number: 64, hash: '0x64' },
    missing: {},
  };
};

/**
 * CPU milliseconds of folding and judging one round, of one diagnosis of every subnet, of one probe of each bootnode's log,
 * and of one page of metrics.
 */
function measure(subnets: number, nodes: number, way: Way) {
  const inventory = build(subnets, nodes);
  const board = createBoard();
  const t0 = 1e12;
  board.load(inventory, t0);
  const targets: readonly Target[] = inventory.subnets.flatMap((subnet) => subnet.targets);
  const cpu = (work: () => void): number => {
    const started = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  const rounds: number[] = [];
  const diagnoses: number[] = [];
  const bootnodes: number[] = [];
  const pages: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const at = t0 + turn * 100_000;
    const number = way === 'rising' ? 100 + turn : 100;
    rounds.push(
      cpu(() => {
        for (const target of targets) {
          if (target.component !== 'node') continue;
          const seen = {
            answered: true,
            latest: { ok: true, value: { number } },
            peers: { ok: true, value: { count: way === 'alone' ? 0 : nodes - 1, via: 'admin_peers' } },
            ...(turn === 0 && { chain: chainOf(target.name, nodes) }),
          } as const;
          board.recordRun(target, 'rpc', { kind: 'node', seen }, 0.01, at);
        }
      }),
    );
    bootnodes.push(
      cpu(() => {
        for (const target of targets) {
          if (target.component !== 'bootnode') continue;
          const place = Number(target.subnet.slice(1));
          let state: LogState = {};
          for (let n = 1; n < nodes; n += 1)
            state = foldLogHit('bootnode', state, {
              ...{ pattern: 'received', means: 'progress', what: '', own: false, counted: true, at },
              value: `10.${place >> 8}.${place & 255}.1:${n}`,
            });
          const logs = {
            ...state,
            sources: { container: { up: true, lines: nodes, since: t0, caughtUp: true } },
            patterns: {},
          };
          board.recordRun(target, 'logs', { kind: 'logs', seen: logs }, 0, at);
        }
      }),
    );
    diagnoses.push(
      cpu(() => {
        for (const { name } of inventory.subnets) board.diagnose(name, at);
      }),
    );
    pages.push(cpu(() => void renderFamilies(board.snapshot(), () => 10)));
  }
  const heard = board
    .snapshot()
    .reduce((sum, { targets }) => sum + targets.reduce((s, { heardNodes = 0 }) => s + heardNodes, 0), 0);
  if (heard !== subnets * (nodes - 1)) throw new Error(`${heard} nodes heard`);
  const warm = (values: readonly number[]) => round(median(values.slice(2)));
  return {
    roundCpuMillis: warm(rounds),
    diagnosisCpuMillis: warm(diagnoses),
    bootnodeCpuMillis: warm(bootnodes),
    scrapeCpuMillis: warm(pages),
  };
}

/**
 * 10,000 nodes in one flat subnet, compared with the same in subnets of 25, one process after the other. The ratio
 * shows whether the work for a node grows with its subnet.
 */
export function benchFleet() {
  const ways: readonly Way[] = ['rising', 'halted', 'alone'];
  const results = ways.map((way) => {
    const run = (subnets: number, nodes: number): ReturnType<typeof measure> =>
      JSON.parse(
        execFileSync(process.execPath, [pathOf('./fleet.ts'), String(subnets), String(nodes), way], {
          encoding: 'utf8',
        }),
      );
    const small = run(NODES / SMALL, SMALL);
    const flat = run(1, NODES);
    return [
      way,
      {
        flat,
        small,
        roundRatio: round(flat.roundCpuMillis / small.roundCpuMillis),
        bootnodeRatio: round(flat.bootnodeCpuMillis / small.bootnodeCpuMillis),
        scrapeRatio: round(flat.scrapeCpuMillis / small.scrapeCpuMillis),
      },
    ] as const;
  });
  return { nodes: NODES, small: SMALL, ...Object.fromEntries(results) };
}

if (process.argv[1] === pathOf('./fleet.ts')) {
  const [subnets, nodes, way] = process.argv.slice(2);
  process.stdout.write(
    subnets === undefined
      ? `${JSON.stringify(benchFleet(), null, 2)}\n`
      : JSON.stringify(measure(Number(subnets), Number(nodes), way as Way)),
  );
}
