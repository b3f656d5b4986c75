import { expect, test } from 'vitest';
import { isSampled } from '../../../src/model/lag.ts';
import type { NodeObservation } from '../../../src/model/observation.ts';
import type { Inventory } from '../../../src/model/target.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { votesOf } from '../../support/lag-run.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const MINUTE = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const active = NAMES.map((name) => `0x${name.padStart(40, '0')}`);
const nodes = NAMES.map((name) => nodeTarget(name));
const subnet = { name: 'd', consensus: 'XDPoS', targets: nodes, settings };
const inventory: Inventory = { subnets: [subnet], engines: {}, alertmanager: { urls: [] } };

test('what probes and logs show of the masternodes is compared on the board, and stays over a reload', () => {
  const board = createBoard();
  board.load(inventory, 0);
  /** Ten minutes of a healthy chain whose second node votes late, and has each block 1.5 s after the others. */
  for (let number = 1; number <= 300; number++) {
    const at = number * 2_000;
    const latest = { ok: true, value: { number, round: number } } as const;
    for (const [place, target] of nodes.entries()) {
      if (isSampled(number)) {
        const imported = { number, at: at + (place === 1 ? 1_500 : 0), tookMs: 3 };
        const seen = { sources: {}, patterns: {}, node: { height: number, imported }, clockAheadMs: 0 };
        board.foldObservation(target, { kind: 'logs', seen }, at);
      }
      const chain: NodeObservation['chain'] = {
        ...{ chainId: 1, genesis: '0x1', address: active[place] as string, missing: {} },
        consensus: { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 },
        masternodes: { number, round: number, active, standby: [], penalised: [] },
        missedRounds: { epochBlock: 0, epochRound: 0, rounds: [], byMiner: {} },
        pool: {
          ...{ voteRounds: 8, neverSigned: [], timeouts: 0, timeoutRound: 0 },
          votes: votesOf(active, 30, [active[1] as string]),
        },
      };
      const seen: NodeObservation = {
        ...{ answered: true, latest },
        ...{ peers: { ok: true, value: { count: 3, via: 'admin_peers' } } },
        ...(number % 30 === 0 && { chain }),
      };
      board.recordRun(target, 'rpc', { kind: 'node', seen }, 0, at);
    }
    if (number % 5 === 0) board.diagnose('d', at);
  }
  const lagOf = (name: string) => board.snapshot()[0]?.epoch?.masternodes.find((one) => one.name === name)?.lag;
  expect(lagOf('n1')).toMatchObject({ missedShare: 0, votesLateShare: 0, delayMs: 0, importMs: 3 });
  expect(lagOf('n2')).toMatchObject({ missedShare: 0, votesLateShare: 1, delayMs: 1_500, delayP95Ms: 1_500 });
  const told = () =>
    board
      .snapshot()[0]
      ?.problems.flatMap(({ problem, name, state, summary }) =>
        problem === 'node_lags' ? [`${name} ${state}: ${summary}`] : [],
      );
  expect(told()).toEqual(['n2 open: n2 is later than the others']);
  board.load({ ...inventory, subnets: [{ ...subnet }] }, 10 * MINUTE);
  board.diagnose('d', 10 * MINUTE + 1_000);
  expect(lagOf('n2')).toMatchObject({ votesLateShare: 1, delayMs: 1_500 });
});
