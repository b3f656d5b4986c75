import { execFileSync } from 'node:child_process';
import type { ChainObservation } from '../src/model/chain.ts';
import type { LogFacts, LogState } from '../src/model/facts.ts';
import type { NodeObservation } from '../src/model/observation.ts';
import type { Inventory, Target } from '../src/model/target.ts';
import { createScrapes } from '../src/tell/metrics/create-scrapes.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { createBoard } from '../src/watch/monitor/board.ts';
import { foldLogHit } from '../src/watch/rules/fold-logs.ts';
import { cpuMillisOf, median, pathOf, round } from './measure.ts';

const NODES = 10_000;
const SMALL = 25;
const ROUNDS = 6;
/** A daemon has diagnosed for hours: what is compiled in its first minute is not the cost of a round. */
const WARM_UPS = 20;

const WAYS = ['rising', 'halted', 'alone', 'refusing', 'troubled'] as const;

/**
 * What the nodes do: `alone` have no peers, `refusing` accept no connection, so that each has a problem of its own. Of
 * `troubled` ones half are behind, each is connected to few others, and a third of the masternodes do not vote.
 */
type Way = (typeof WAYS)[number];

/** An inventory of subnets with as many nodes, and with a bootnode. */
function build(subnets: number, nodes: number): Inventory {
  const texts = Array.from({ length: subnets }, (_, s) => {
    const rows = Array.from(
      { length: nodes },
      (_, n) => `{ name: n${n}, rpc: 'http://10.0.0.1:${n + 1}', p2p: '10.${s >> 8}.${s & 255}.1:${n + 1}' }`,
    );
    return `{ name: s${s}, nodes: [${rows.join()}], bootnode: { container: { name: b${s} } } }`;
  });
  const parsed = parseInventory(`subnets: [${texts.join()}]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.inventory;
}

const addressOf = (index: number): string => `0x${String(index).padStart(40, '0')}`;
const idOf = (index: number): string => String(index).padStart(16, '0');

/** A node is connected to this many nodes before it in the list and after it. */
const reachOf = (way: Way): number => (way === 'troubled' ? 11 : 12);

/** What a node says about its chain, with 108 masternodes at most. Like an answer, it shares no string with another one. */
function chainOf(index: number, nodes: number, way: Way): ChainObservation {
  const active = Array.from({ length: Math.min(nodes, 108) }, (_, place) => addressOf(place));
  const silent = way === 'troubled' ? active.slice(0, active.length / 3) : [];
  const rounds = silent.flatMap((miner, place) =>
    [1, 2, 3, 4, 5].map((turn) => ({ round: turn * 108 + place, miner })),
  );
  const reach = reachOf(way);
  const around = Array.from(
    { length: Math.min(nodes, 2 * reach + 1) },
    (_, step) => (index + nodes - reach + step) % nodes,
  );
  const observation: ChainObservation = {
    chainId: 1,
    genesis: `0x${'0'.repeat(64)}`,
    address: addressOf(index),
    nodeId: idOf(index),
    peerIds: way === 'alone' ? [] : around.filter((other) => other !== index).map(idOf),
    consensus: { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 },
    masternodes: { number: 600, round: 648, active, standby: [], penalised: [] },
    missedRounds: {
      epochBlock: 0,
      epochRound: 0,
      rounds,
      byMiner: Object.fromEntries(silent.map((miner) => [miner, 5])),
    },
    pool: { voteRounds: 8, neverSigned: silent, timeouts: 0, timeoutRound: 0 },
    block: { number: 64, hash: `0x64${'0'.repeat(62)}` },
    missing: {},
  };
  return JSON.parse(JSON.stringify(observation));
}

/** What a node answers in a turn. */
function answerOf(index: number, nodes: number, way: Way, turn: number): NodeObservation {
  const chain = turn === 0 ? { chain: chainOf(index, nodes, way) } : {};
  if (way === 'refusing')
    return { answered: false, latest: { ok: false, fault: { kind: 'refused', address: '10.0.0.1:1' } }, ...chain };
  const rises = way === 'rising' || way === 'troubled';
  const number = 200 + (rises ? turn : 0) - (way === 'troubled' && index % 2 === 1 ? 50 : 0);
  const counts = { rising: nodes - 1, halted: nodes - 1, alone: 0, troubled: Math.min(nodes - 1, 2 * reachOf(way)) };
  return {
    answered: true,
    latest: { ok: true, value: { number } },
    peers: { ok: true, value: { count: counts[way], via: 'admin_peers' } },
    ...chain,
  };
}

/** A probe of the log of a bootnode that received pings of all nodes of its subnet but one. */
function probeBootnode(target: Target, nodes: number, at: number): LogFacts {
  const place = Number(target.subnet.slice(1));
  let state: LogState = {};
  for (let n = 1; n < nodes; n += 1)
    state = foldLogHit('bootnode', state, {
      ...{ pattern: 'received', means: 'progress', what: '', own: false, counted: true, at },
      value: `10.${place >> 8}.${place & 255}.1:${n}`,
    });
  const sources = { container: { up: true, lines: nodes, since: at } };
  return { ...state, sources, patterns: {} };
}

/** CPU milliseconds of a round, a diagnosis of every subnet, a probe of each bootnode's log, and a page of metrics. */
async function measure(subnets: number, nodes: number, way: Way) {
  const inventory = build(subnets, nodes);
  const board = createBoard();
  const t0 = 1e12;
  board.load(inventory, t0);
  const targets: readonly Target[] = inventory.subnets.flatMap((subnet) => subnet.targets);
  const scrapes = createScrapes({
    snapshot: board.unexplained,
    intervalMs: () => 10_000,
    clock: { now: () => t0, toWall: (at) => at },
    renderOwn: async () => '',
  });
  const scrape = async () => {
    const answer = await scrapes.answer({ format: 'text', isGzip: false, subnets: [] });
    if (answer.kind !== 'page') throw new Error(answer.error);
    return answer.chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
  };
  const rounds: number[] = [];
  const diagnoses: number[] = [];
  const bootnodes: number[] = [];
  const pages: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const at = t0 + turn * 100_000;
    const answers = targets
      .filter(({ component }) => component === 'node')
      .map((target) => [target, answerOf(Number(target.name.slice(1)), nodes, way, turn)] as const);
    rounds.push(
      await cpuMillisOf(() => {
        for (const [target, seen] of answers) board.recordRun(target, 'rpc', { kind: 'node', seen }, 0.01, at);
      }),
    );
    bootnodes.push(
      await cpuMillisOf(() => {
        for (const target of targets)
          if (target.component === 'bootnode')
            board.recordRun(target, 'logs', { kind: 'logs', seen: probeBootnode(target, nodes, at) }, 0, at);
      }),
    );
    if (turn === 1)
      for (let time = 0; time < WARM_UPS; time += 1) for (const { name } of inventory.subnets) board.diagnose(name, at);
    diagnoses.push(
      await cpuMillisOf(() => {
        for (const { name } of inventory.subnets) board.diagnose(name, at);
      }),
    );
    pages.push(await cpuMillisOf(scrape));
  }
  const heard = board
    .snapshot()
    .reduce((sum, { targets }) => sum + targets.reduce((s, { heardNodes = [] }) => s + heardNodes.length, 0), 0);
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
  const results = WAYS.map((way) => {
    const run = (subnets: number, nodes: number): Awaited<ReturnType<typeof measure>> =>
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
  const [subnets, nodes, word] = process.argv.slice(2);
  const way = WAYS.find((one) => one === word) ?? 'rising';
  process.stdout.write(
    subnets === undefined
      ? `${JSON.stringify(benchFleet(), null, 2)}\n`
      : JSON.stringify(await measure(Number(subnets), Number(nodes), way)),
  );
}
