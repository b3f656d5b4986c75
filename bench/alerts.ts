import type { NodeObservation } from '../src/model/observation.ts';
import type { RoundName } from '../src/model/target.ts';
import { createJudge } from '../src/tell/alerts/create-judge.ts';
import type { TrackedAlerts } from '../src/tell/alerts/tracked-alert.ts';
import { foldAlerts } from '../src/tell/notify/tracked-alerts.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { createBoard } from '../src/watch/monitor/board.ts';
import { cpuMillisSince, median, round } from './measure.ts';

const NODES = 500;
const ROUNDS = 40;
const INTERVAL_MS = 10_000;
const SETTINGS = {
  instance: 'bench',
  intervalMs: (_: string, round: RoundName) => (round === 'rpc' ? INTERVAL_MS : undefined),
  lateRounds: () => 0,
  internalErrors: () => 0,
  notSent: () => 0,
  enginesUp: new Map(),
  isSettled: () => true,
  isDatabaseUp: true,
  lastReloadSuccessful: true,
};
const judge = createJudge({ publicUrl: 'http://127.0.0.1:10545', grafanaUrl: 'http://127.0.0.1:3000' });

const answer = (number: number, peers: number): NodeObservation => ({
  answered: true,
  latest: { ok: true, value: { number, timestamp: 1_732_174_920 } },
  committed: { ok: true, value: { number: number - 3, timestamp: 1_732_174_914 } },
  peers: { ok: true, value: { count: peers, via: 'admin_peers' } },
});
const silent: NodeObservation = {
  answered: false,
  latest: { ok: false, fault: { kind: 'refused', address: '10.0.0.1:1' } },
};

/** What a probe of a node observes in a round; undefined without a probe. */
type Observe = (node: number, turn: number) => NodeObservation | undefined;

const heightIn = (turn: number) => 1000 + turn * 5;
const scenes: Readonly<Record<string, Observe>> = {
  justStarted: () => undefined,
  allWell: (_, turn) => answer(heightIn(turn), NODES - 1),
  halfSilentOthersBehind: (node, turn) =>
    node % 2 === 1 ? silent : answer(heightIn(turn) - (node === 0 ? 0 : 50), NODES / 2 - 1),
};

/** CPU time of one judgement of all alerts, and of the round of rules and the diagnosis before it. */
function measure(observe: Observe) {
  const nodes = Array.from(
    { length: NODES },
    (_, i) =>
      `{ name: node${i}, rpc: 'http://10.0.0.1:${i + 1}', container: { name: node${i} }, logFiles: ['/l/${i}/xdc.log'] }`,
  );
  const parsed = parseInventory(`subnets: [{ name: bench, nodes: [${nodes.join()}] }]`, {});
  if (!parsed.ok) throw new Error(parsed.errors[0]?.what);
  const targets = parsed.inventory.subnets[0]?.targets ?? [];
  const board = createBoard();
  const start = Date.now();
  board.load(parsed.inventory, start);
  let trackedAlerts: TrackedAlerts = new Map();
  const timed = (into: number[], work: () => void) => {
    const before = process.cpuUsage();
    work();
    into.push(cpuMillisSince(before));
  };
  const rounds: number[] = [];
  const judgements: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const now = start + turn * INTERVAL_MS;
    timed(rounds, () => {
      for (const [index, target] of targets.entries()) {
        const seen = observe(index, turn);
        if (seen !== undefined) board.recordRun(target, 'rpc', { kind: 'node', seen }, 0.01, now);
      }
      board.diagnose('bench', now);
    });
    timed(judgements, () => {
      const findings = judge({ ...SETTINGS, snapshot: board.snapshot(), now }, trackedAlerts);
      trackedAlerts = foldAlerts(trackedAlerts, findings, now).trackedAlerts;
    });
  }
  const warm = (all: readonly number[]) => round(median(all.slice(ROUNDS / 2)));
  return { openAlerts: trackedAlerts.size, judgeCpuMillis: warm(judgements), roundCpuMillis: warm(rounds) };
}

/** One judgement of all alerts, which the push makes every five seconds, beside the round of the same nodes. */
export const benchAlerts = () => ({
  nodes: NODES,
  goal: 10,
  ...Object.fromEntries(Object.entries(scenes).map(([scene, observe]) => [scene, measure(observe)])),
});
