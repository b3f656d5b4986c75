import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Container, ContainerObservation, RelayerMode } from '../../../src/model/observation.ts';
import type { NextBlock } from '../../../src/model/parent-chain.ts';
import type { Inventory, Target } from '../../../src/model/target.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { renderPage } from '../../support/render-page.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const pattern = { means: 'error', count: 4, at: 0, order: 0, what: '', own: false } as const;
const T0 = 1_795_255_000_000;
const container = { name: 'generated-subnet1-1' };
const first = nodeTarget('subnet1', { expectedPeers: 1, container });
const second = nodeTarget('subnet2', { expectedPeers: 1 });
const stats = serviceTarget('stats');
const inventory = (targets: readonly Target[]): Inventory => ({
  subnets: [{ name: 'd', consensus: 'XDPoS', targets, settings }],
  engines: { default: { socketPath: '/var/run/docker.sock' } },
  alertmanager: { urls: [] },
});
const interval = () => 10;

/** The parent chain with a checkpoint at this block of the subnet. */
const parentWith = (number: number, balance = 10n ** 21n, next?: NextBlock) => {
  const block = { hash: `0x${'a'.repeat(64)}`, number };
  const onSubnet = { found: 'same', timestamp: T0 / 1000 - 40 } as const;
  const value = {
    kind: 'checkpoint',
    checkpoint: { mode: 'full', latest: block, committed: block, onSubnet, ...(next && { next }) },
  } as const;
  return {
    kind: 'parent',
    seen: {
      head: { ok: true, value: { number: 77_000_000, timestamp: T0 / 1000 - 2 } },
      chainId: { ok: true, value: 551 },
      contract: { ok: true, value },
      balance: { ok: true, value: balance },
    },
  } as const;
};

/** A known round: subnet1 is well, subnet2 is down, the stats server answers, Docker tells of one container. */
function knownRound() {
  const board = createBoard();
  board.load(inventory([first, second, stats]), T0);
  const node = (number: number, at: number) =>
    board.recordRun(
      first,
      'rpc',
      {
        kind: 'node',
        seen: {
          answered: true,
          client: { name: 'xdposchain', version: 'XDC/v2.7.0-beta/linux-amd64/go1.26.8' },
          latest: { ok: true, value: { number, timestamp: T0 / 1000 } },
          committed: { ok: true, value: { number: number - 3, timestamp: T0 / 1000 - 6 } },
          peers: { ok: true, value: { count: 1, via: 'net_peerCount' } },
        },
      },
      0.25,
      at,
    );
  node(1234, T0 + 1000);
  node(1239, T0 + 11_000);
  const refused = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:8546' } } as const;
  board.recordRun(
    second,
    'rpc',
    { kind: 'node', seen: { answered: false, latest: refused, peers: refused } },
    0.5,
    T0 + 12_000,
  );
  board.recordRun(stats, 'services', { kind: 'service', seen: { ok: true, value: {} } }, 0.125, T0);
  board.recordRun(
    first,
    'containers',
    {
      kind: 'container',
      seen: {
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
    },
    0.0625,
    T0,
  );
  // A quarter of a coin every 5 minutes.
  for (const [index, paid] of [0n, 1n, 2n, 3n].entries())
    board.foldSubnet('d', parentWith(1200, 10n ** 21n - (paid * 10n ** 18n) / 4n), T0 - (4 - index) * 300_000);
  board.foldSubnet('d', parentWith(1200, 10n ** 21n - 10n ** 18n), T0 + 2_000);
  board.foldSubnet('d', parentWith(1216, 10n ** 21n - 10n ** 18n), T0 + 12_000);
  // A disk that takes a gigabyte an hour.
  for (let minutes = -240; minutes <= 0; minutes += 2) {
    const disk = { folder: '/srv/"a"', targets: ['subnet1'], free: 48e9 - (minutes / 60) * 1e9, total: 100e9 };
    board.foldSubnet('d', { kind: 'disks', seen: { disks: [disk] } }, T0 + minutes * 60_000);
  }
  board.diagnose('d', T0 + 12_000);
  return board;
}

describe('the page of metrics', () => {
  it('of a known round is the golden file, to the letter', () => {
    // A new check does not change how a check is shown.
    const shown = ['latest_block', 'peers', 'log_block', 'http', 'block_data', 'history_data', 'container'];
    const snapshot = knownRound()
      .snapshot()
      .map((subnet) => ({
        ...subnet,
        targets: subnet.targets.map((target) => ({
          ...target,
          checks: target.checks.filter(({ check }) => shown.includes(check)),
        })),
      }));
    const page = renderPage(snapshot, interval);
    expect(page).toBe(readFileSync(new URL('./known-round.prom', import.meta.url), 'utf8'));
  });

  it('says whether the contract would take the next block, and with which of the known words it refuses one', () => {
    const linesOf = (next?: NextBlock) => {
      const board = knownRound();
      board.foldSubnet('d', parentWith(1_200, 0n, next), T0 + 20_000);
      const page = renderPage(board.unexplained(), interval);
      return page.split('\n').filter((line) => line.startsWith('subnet_checkpoint_next_refused{'));
    };
    const line = (reason: string, value: number) => [
      `subnet_checkpoint_next_refused{subnet="d",reason="${reason}"} ${value}`,
    ];
    expect(linesOf()).toEqual([]);
    expect(linesOf({ number: 1_201 })).toEqual(line('none', 0));
    expect(linesOf({ number: 1_201, refusal: 'Parent Missing' })).toEqual(line('Parent Missing', 1));
    expect(linesOf({ number: 1_201, refusal: 'x" 7' })).toEqual(line('other', 1));
    expect(linesOf({ number: 1_201, refusal: '' })).toEqual(line('other', 1));
  });

  it('keeps of a checkpoint only when it last rose, while the contract does not answer', () => {
    const board = knownRound();
    board.foldSubnet('d', { kind: 'parent', seen: { head: { ok: false, why: 'cannot be reached' } } }, T0 + 42_000);
    const page = renderPage(board.unexplained(), interval);
    const lines = page
      .split('\n')
      .filter((line) => /^subnet_(parent|checkpoint|relayer_(balance|spend|days))_?/.test(line));
    expect(lines).toEqual([
      'subnet_parent_up{subnet="d"} 0',
      `subnet_checkpoint_advanced_timestamp_seconds{subnet="d"} ${(T0 + 12_000) / 1000}`,
    ]);
  });

  it('holds no series of a removed target', () => {
    const board = knownRound();
    board.load(inventory([first]), T0);
    const page = renderPage(board.unexplained(), interval);
    expect(page).toContain('name="subnet1"');
    expect(page).not.toMatch(/name="(?:subnet2|stats)"/);
  });

  it('keeps the counters of an unchanged target over a reload, and starts at 0 for a changed one', () => {
    const board = knownRound();
    const moved = { ...second, rpc: 'http://127.0.0.1:9999' };
    board.load(inventory([{ ...first }, moved, stats]), T0);
    const page = renderPage(board.unexplained(), interval);
    expect(page).toContain('subnet_check_runs_total{subnet="d",component="node",name="subnet1",check="peers"} 2');
    expect(page).toContain('subnet_check_runs_total{subnet="d",component="node",name="subnet2",check="peers"} 0');
  });

  it('keeps both counters of a check over a reload that skips it and one that runs it again', () => {
    const board = knownRound();
    const load = (enabled: boolean) => {
      const changed = { ...settings, rpc: { ...settings.rpc, enabled } };
      const { subnets, ...rest } = inventory([first, second, stats]);
      board.load({ ...rest, subnets: subnets.map((subnet) => ({ ...subnet, settings: changed })) }, T0 + 20_000);
      return (
        renderPage(board.unexplained(), interval).match(/subnet_check_\S+name="subnet2",check="peers"\} .*/g) ?? []
      );
    };
    const of = (name: string, value: string | number) =>
      `subnet_check_${name}{subnet="d",component="node",name="subnet2",check="peers"} ${value}`;
    const ran = of('last_run_timestamp_seconds', T0 / 1000 + 12);
    expect(load(true)).toEqual(expect.arrayContaining([ran, of('runs_total', 1), of('failures_total', 1)]));
    expect(load(false)).toEqual([]);
    expect(load(true)).toEqual([ran, of('interval_seconds', 10), of('runs_total', 1), of('failures_total', 1)]);
  });

  it('shows a missing container as not running, and has no series while Docker is unreachable', () => {
    const running = (observation: ContainerObservation) => {
      const board = knownRound();
      board.recordRun(first, 'containers', { kind: 'container', seen: observation }, 0.1, T0);
      return renderPage(board.unexplained(), interval).match(/^subnet_container_running\{.*/gm);
    };
    const of = (value: number) => [`subnet_container_running{subnet="d",component="node",name="subnet1"} ${value}`];
    const container: Container = {
      ...{ id: 'abc', name: 'generated-subnet1-1', oomKilled: false, restartCount: 0 },
      ...{ running: true, status: 'running', startedAt: T0 - 3_600_000 },
    };
    expect(running({ kind: 'found', container })).toEqual(of(1));
    expect(running({ kind: 'found', container: { ...container, running: false, status: 'exited' } })).toEqual(of(0));
    expect(running({ kind: 'missing' })).toEqual(of(0));
    expect(running({ kind: 'docker-unreachable', why: { address: 'unix:/s', code: 'timeout' } })).toBeNull();
  });

  it('exports what planned work covers, and which problems are muted by it', () => {
    const work = { subnet: 'd', from: T0 + 20_000, until: T0 + 60_000, reason: 'upgrade', by: 'ann' };
    const linesWith = (...subjects: readonly { readonly component?: string; readonly name?: string }[]) => {
      const works = subjects.map((subject) => ({ ...work, ...subject }));
      const board = createBoard(
        (at) => at,
        () => ({}),
        () => works,
      );
      board.load(inventory([first, second, stats]), T0);
      const refused = { ok: false, fault: { kind: 'refused', address: '127.0.0.1:1' } } as const;
      const seen = { answered: false, latest: refused } as const;
      const answered = { answered: true, latest: { ok: true, value: { number: 7 } } } as const;
      board.recordRun(first, 'rpc', { kind: 'node', seen: answered }, 0, T0 + 15_000);
      for (const at of [T0 + 15_000, T0 + 36_000]) {
        board.recordRun(second, 'rpc', { kind: 'node', seen }, 0, at);
        board.diagnoseChanged(at);
      }
      const page = renderPage(board.unexplained(), interval);
      return page.match(/^subnet_(problem_planned|planned_work)\{.*/gm);
    };
    const covered = (labels: string) => `subnet_planned_work{subnet="d",${labels}} 1`;
    const targets = ['component="node",name="subnet1"', 'component="node",name="subnet2"'];
    const muted = 'subnet_problem_planned{subnet="d",component="node",name="subnet2",problem="node_down"} 1';
    expect(linesWith()).toBeNull();
    expect(linesWith({ name: 'subnet1' })).toEqual([covered(targets[0] ?? '')]);
    expect(linesWith({ component: 'node' })).toEqual([muted, ...targets.map(covered)]);
    const all = ['component="",name=""', ...targets, 'component="stats",name="stats"'].map(covered);
    expect(linesWith({})).toEqual([muted, ...all]);
  });

  it('says of the last restart whether it was asked for, and nothing before the first', () => {
    const board = knownRound();
    const start = (at: number, restartCount: number) => {
      const seen: Container = {
        ...{ id: 'abc', name: 'generated-subnet1-1', oomKilled: false, restartCount },
        ...{ running: true, status: 'running', startedAt: at },
      };
      board.recordRun(first, 'containers', { kind: 'container', seen: { kind: 'found', container: seen } }, 0.1, at);
      return renderPage(board.unexplained(), interval).match(/^subnet_container_restart(s_total|_planned)\S+ .*/gm);
    };
    const of = (name: string, value: number) =>
      `subnet_container_${name}{subnet="d",component="node",name="subnet1"} ${value}`;
    expect(start(T0 - 3_600_000, 0)).toEqual([of('restarts_total', 0)]);
    expect(start(T0 + 1_000, 0)).toEqual([of('restarts_total', 1), of('restart_planned', 1)]);
    expect(start(T0 + 2_000, 1)).toEqual([of('restarts_total', 2), of('restart_planned', 0)]);
  });

  it("exports a relayer's limit by its modes until the inventory sets one, and no limit of a component that is absent", () => {
    const relayer = serviceTarget('relayer');
    const limits = (modes: readonly RelayerMode[] | undefined, submissionsWithinMs?: number) => {
      const board = createBoard();
      const logs = { ...settings.logs, ...(submissionsWithinMs !== undefined && { submissionsWithinMs }) };
      board.load(
        {
          ...inventory([]),
          subnets: [{ name: 'd', consensus: '', targets: [relayer], settings: { ...settings, logs } }],
        },
        T0,
      );
      const seen = { sources: {}, patterns: {}, relayer: { byMode: {}, submissions: 0, ...(modes && { modes }) } };
      board.foldObservation(relayer, { kind: 'logs', seen }, T0);
      return renderPage(board.unexplained(), interval).match(/(?<=^subnet_check_limit_)\w+\{.*/gm);
    };
    const of = (seconds: number) => [`seconds{subnet="d",check="submissions"} ${seconds}`];
    expect(limits(undefined)).toEqual(of(300));
    expect(limits([])).toEqual(of(300));
    expect(limits(['lite'])).toEqual(of(2700));
    expect(limits(['lite', 'zero'])).toEqual(of(60));
    expect(limits(['lite'], 90_000)).toEqual(of(90));
  });

  it('counts errors of the frontend in one family, from 0 on for a page that a browser is to visit', () => {
    const visited = { ...serviceTarget('frontend'), browser: { cdpUrl: 'http://y' } };
    const board = createBoard();
    const errors = () => renderPage(board.unexplained(), interval).match(/.*subnet_frontend_errors_total.*/g);
    board.load(inventory([serviceTarget('frontend')]), T0);
    expect(errors()).toBeNull();
    board.load(inventory([visited]), T0);
    expect(errors()?.at(-1)).toBe('subnet_frontend_errors_total{subnet="d",source="console"} 0');
    const observation = { kind: 'visited', consoleErrors: 1, exceptions: 2, failedRequests: 0 } as const;
    board.recordRun(visited, 'console', { kind: 'page', seen: observation }, 1, T0);
    board.foldObservation(visited, { kind: 'logs', seen: { sources: {}, patterns: { x: pattern } } }, T0);
    expect(errors()?.slice(1)).toEqual([
      '# TYPE subnet_frontend_errors_total counter',
      'subnet_frontend_errors_total{subnet="d",source="log"} 4',
      'subnet_frontend_errors_total{subnet="d",source="console"} 3',
    ]);
  });

  it('counts the nodes that the bootnode has heard, and none while its log cannot be read', () => {
    const bootnode: Target = {
      subnet: 'd',
      component: 'bootnode',
      name: 'bootnode',
      logFiles: [],
      patterns: [],
      container,
    };
    const board = createBoard();
    board.load(
      inventory([nodeTarget('a', { p2p: '10.0.0.1:1' }), nodeTarget('b', { p2p: '10.0.0.2:2' }), bootnode]),
      T0,
    );
    const look = (up: boolean, at: number) => {
      const heard = new Map([['10.0.0.1:1', T0]]);
      const logs = { sources: { container: { up, lines: 1, since: 0 } }, patterns: {}, heard };
      board.recordRun(bootnode, 'logs', { kind: 'logs', seen: logs }, 0, at);
      return renderPage(board.unexplained(), interval).match(/^subnet_bootnode_nodes_seen.*/gm);
    };
    const { bootnodeWindowMs } = settings.logs;
    expect(look(true, T0 + bootnodeWindowMs - 1)).toEqual(['subnet_bootnode_nodes_seen{subnet="d"} 1']);
    expect(look(true, T0 + bootnodeWindowMs)).toEqual(['subnet_bootnode_nodes_seen{subnet="d"} 0']);
    expect(look(false, T0 + bootnodeWindowMs)).toBeNull();
  });

  it('escapes what a name may hold', () => {
    const board = createBoard();
    board.load(inventory([nodeTarget('a"b\\c')]), T0);
    expect(renderPage(board.unexplained(), interval)).toContain('name="a\\"b\\\\c"');
  });

  it('drops a fact that the last probe did not obtain, and keeps when the height last rose', () => {
    const board = knownRound();
    const refused = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:8545' } } as const;
    const gone = { answered: false, latest: refused, peers: refused };
    board.recordRun(first, 'rpc', { kind: 'node', seen: gone }, 0.1, T0 + 20_000);
    const page = renderPage(board.unexplained(), interval);
    expect(page).not.toMatch(/subnet_node_(block_number|block_timestamp_seconds|peers)\{subnet="d",name="subnet1"/);
    expect(page).toContain(
      'subnet_node_block_advanced_timestamp_seconds{subnet="d",name="subnet1",block="latest"} 1795255001',
    );
    expect(page).toContain('subnet_node_up{subnet="d",name="subnet1"} 0');
  });
});
