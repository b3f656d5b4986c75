import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderFamilies } from '../../src/metrics/render-families.ts';
import type { Inventory, Target } from '../../src/model/target.ts';
import { createBoard } from '../../src/monitor/board.ts';
import { foldContainer } from '../../src/rules/fold-container.ts';
import { foldNode } from '../../src/rules/fold-node.ts';
import { nodeTarget, serviceTarget, settings } from '../support/views.ts';

const T0 = 1_795_255_000_000;
const container = { name: 'generated-subnet1-1' };
const first = nodeTarget('subnet1', { expectedPeers: 1, container });
const second = nodeTarget('subnet2', { expectedPeers: 1 });
const stats = serviceTarget('stats');
const inventory = (targets: readonly Target[]): Inventory => ({
  subnets: [{ name: 'd', consensus: 'XDPoS', targets, checks: settings }],
  docker: { socketPath: '/var/run/docker.sock' },
  alertmanager: { urls: [] },
});
const interval = () => 10;

/** A known round: subnet1 is well, subnet2 is down, the stats server answers, Docker tells of one container. */
function knownRound() {
  const board = createBoard();
  board.load(inventory([first, second, stats]), T0);
  const node = (number: number, at: number) =>
    board.record(
      first,
      'rpc',
      (facts) => ({
        ...facts,
        node: foldNode(
          facts.node,
          {
            answered: true,
            latest: { ok: true, value: { number, timestamp: T0 / 1000 } },
            committed: { ok: true, value: { number: number - 3 } },
            peers: { ok: true, value: { count: 1, via: 'net_peerCount' } },
          },
          at,
          60_000,
        ),
      }),
      0.25,
      at,
    );
  node(1234, T0 + 1000);
  node(1239, T0 + 11_000);
  const refused = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:8546' } } as const;
  board.record(
    second,
    'rpc',
    (facts) => ({
      ...facts,
      node: foldNode(facts.node, { answered: false, latest: refused, peers: refused }, T0, 60_000),
    }),
    0.5,
    T0 + 12_000,
  );
  board.record(
    stats,
    'services',
    (facts) => ({ ...facts, service: { observation: { ok: true, value: {} } } }),
    0.125,
    T0,
  );
  board.record(
    first,
    'containers',
    (facts) => ({
      ...facts,
      container: foldContainer(
        facts.container,
        {
          kind: 'found',
          container: {
            id: 'abc',
            name: 'generated-subnet1-1',
            running: true,
            status: 'running',
            startedAt: T0 - 3_600_000,
            oomKilled: false,
            restartCount: 0,
            memoryBytes: 1_000_000,
            memoryLimitBytes: 2_000_000,
          },
        },
        T0,
      ),
    }),
    0.0625,
    T0,
  );
  return board;
}

describe('the page of metrics', () => {
  it('of a known round is the golden file, to the letter', () => {
    const page = renderFamilies(knownRound().snapshot(), interval);
    expect(page).toBe(readFileSync(new URL('./known-round.prom', import.meta.url), 'utf8'));
  });

  it('holds no series of a removed target', () => {
    const board = knownRound();
    board.load(inventory([first]), T0);
    const page = renderFamilies(board.snapshot(), interval);
    expect(page).toContain('name="subnet1"');
    expect(page).not.toMatch(/subnet2|stats/);
  });

  it('keeps the counters of an unchanged target over a reload, and begins anew for a changed one', () => {
    const board = knownRound();
    const moved = { ...second, rpc: 'http://127.0.0.1:9999' };
    board.load(inventory([{ ...first }, moved, stats]), T0);
    const page = renderFamilies(board.snapshot(), interval);
    expect(page).toContain('subnet_check_runs_total{subnet="d",component="node",name="subnet1",check="peers"} 2');
    expect(page).toContain('subnet_check_runs_total{subnet="d",component="node",name="subnet2",check="peers"} 0');
  });

  it('escapes what a name may hold', () => {
    const board = createBoard();
    board.load(inventory([nodeTarget('a"b\\c')]), T0);
    expect(renderFamilies(board.snapshot(), interval)).toContain('name="a\\"b\\\\c"');
  });

  it('drops a fact that the last look did not obtain, and keeps when the height last rose', () => {
    const board = knownRound();
    const refused = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:8545' } } as const;
    const gone = { answered: false, latest: refused, peers: refused };
    board.record(first, 'rpc', (f) => ({ ...f, node: foldNode(f.node, gone, T0 + 20_000, 60_000) }), 0.1, T0 + 20_000);
    const page = renderFamilies(board.snapshot(), interval);
    expect(page).not.toMatch(/subnet_node_(block_number|block_timestamp_seconds|peers)\{subnet="d",name="subnet1"/);
    expect(page).toContain(
      'subnet_node_block_advanced_timestamp_seconds{subnet="d",name="subnet1",block="latest"} 1795255011',
    );
    expect(page).toContain('subnet_node_up{subnet="d",name="subnet1"} 0');
  });
});
