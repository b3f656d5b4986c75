import { expect, test } from 'vitest';
import type { PoolVotes } from '../../../src/model/chain.ts';
import { findCheckpointLag, findCommitted } from '../../../src/model/checkpoint-lag.ts';
import type { Facts, LogFacts } from '../../../src/model/facts.ts';
import type { Container, ContainerObservation, NodeObservation } from '../../../src/model/observation.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { SubnetObservation } from '../../../src/model/subnet-facts.ts';
import type { BootnodeTarget, Inventory, Subnet, Target } from '../../../src/model/target.ts';
import { type CheckName, formatReason } from '../../../src/model/verdict.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { hashOf, votesFor } from '../../support/double-votes.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const toInventory = (targets: readonly Target[]): Inventory => ({
  subnets: [{ name: 'd', consensus: 'XDPoS', targets, settings }],
  engines: { default: { socketPath: '/s' } },
  alertmanager: { urls: [] },
});

const refused: NodeObservation = {
  answered: false,
  latest: { ok: false, fault: { kind: 'refused', address: '127.0.0.1:1' } },
};

const answered: NodeObservation = { answered: true, latest: { ok: true, value: { number: 7 } } };

test('each node is judged by the last observations of its neighbours, not by earlier ones', () => {
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  const board = createBoard();
  board.load(toInventory([a, b]), 0);
  const look = (target: typeof a, number: number | undefined, at: number): string | undefined => {
    const latest: NodeObservation['latest'] =
      number === undefined ? { ok: false, fault: { kind: 'result-error' } } : { ok: true, value: { number } };
    const observation = {
      answered: number !== undefined,
      latest,
      peers: { ok: true, value: { count: 2, via: 'admin_peers' } },
    } as const;
    board.recordRun(target, 'rpc', { kind: 'node', seen: observation }, 0, at);
    board.diagnose('d', at);
    return board.checksOf(target).map(formatReason).join(' | ');
  };
  expect(look(b, 100, 1_000)).toContain('b is at block 100, and has time to rise');
  expect(look(a, 80, 2_000)).toContain('a is at block 80, 20 behind the other nodes (limit 10)');
  expect(look(b, undefined, 3_000)).toContain('b did not return its latest block');
  expect(look(a, 81, 4_000)).toContain(
    'a is at block 81, last seen to rise just now | a has 2 peers instead of 3; check the bootnode',
  );
  expect(look(b, 101, 5_000)).toMatch(/^b is at block 101, last seen to rise just now \| /);
  expect(look(a, 81, 64_000)).toContain('the block 81 of a has not risen for 1m (limit 1m)');
  expect(look(a, 81, 64_000)).toContain('check the bootnode and the firewall');
});

test('a block that came while a node was not reached is as old as its own time says', () => {
  const board = createBoard((at) => at + 5_000_000);
  const node = nodeTarget('a');
  board.load(toInventory([node]), 0);
  const look = (at: number, seen: NodeObservation) => {
    board.recordRun(node, 'rpc', { kind: 'node', seen }, 0, at);
    return board.checksOf(node).find(({ check }) => check === 'latest_block')?.seen;
  };
  const read = (number: number, timestamp: number) =>
    ({ answered: true, latest: { ok: true, value: { number, timestamp } } }) as const;
  look(100_000, read(5, 5_099));
  look(110_000, refused);
  expect(look(120_000, read(6, 5_104))).toBe('a is at block 6, last seen to rise 16s ago');
});

test('a halt begins with the last block before all nodes were restarted, not when they were back', () => {
  const names = ['a', 'b', 'c', 'd'];
  const nodes = names.map((name) => nodeTarget(name));
  const board = createBoard();
  board.load(toInventory(nodes), 0);
  const look = (at: number, number: number, timestamp: number) => {
    const latest = { ok: true, value: { number, timestamp } } as const;
    const peers = { ok: true, value: { count: 3, via: 'admin_peers' } } as const;
    for (const node of nodes)
      board.recordRun(node, 'rpc', { kind: 'node', seen: { answered: true, latest, peers } }, 0, at);
    board.diagnose('d', at);
    const halt = board.snapshot()[0]?.problems.find(({ problem }) => problem === 'subnet_halted');
    return halt?.evidence.split(';')[0];
  };
  look(1_000_000, 40, 1_000);
  look(1_010_000, 45, 1_010);
  // The last block came before they ended, and was not seen then.
  look(1_040_000, 46, 1_012);
  expect(look(1_071_000, 46, 1_012)).toBeUndefined();
  expect(look(1_072_000, 46, 1_012)).toBe('no block after 46 for 1m');
});

test('a container that has started is not missing any more, however long Docker takes to say how it runs', () => {
  const board = createBoard();
  const node = nodeTarget('a', { container: { name: 'a' } });
  board.load(toInventory([node]), 0);
  const see = (seen: ContainerObservation) =>
    board.recordRun(node, 'containers', { kind: 'container', seen }, 0, 1_000);
  const saidOf = () => board.checksOf(node).find(({ check }) => check === 'container');
  const missing = { verdict: 'fail', seen: 'Docker has no container for the container a' };
  const waits = 'the container a has just started, and Docker has not said yet how it runs';
  see({ kind: 'missing' });
  board.foldEvent(node, { action: 'create', id: 'i', at: 2_000 });
  expect(saidOf()).toMatchObject(missing);
  board.foldEvent(node, { action: 'start', id: 'i', at: 2_000 });
  expect(saidOf()).toMatchObject({ verdict: 'unknown', seen: waits });
  board.diagnoseChanged(2_500);
  expect(board.snapshot()[0]?.problems.map(({ problem }) => problem)).not.toContain('container_down');
  // It was removed again.
  see({ kind: 'missing' });
  expect(saidOf()).toMatchObject(missing);
});

test('whoever waits for it hears once that a problem has opened', () => {
  let opened = 0;
  const board = createBoard(undefined, undefined, undefined, undefined, () => {
    opened += 1;
  });
  const node = nodeTarget('a');
  board.load(toInventory([node]), 0);
  const openedBy = (at: number) => {
    board.recordRun(node, 'rpc', { kind: 'node', seen: at < 10_000 ? answered : refused }, 0, at);
    board.diagnose('d', at);
    return opened;
  };
  expect([5_000, 10_000, 25_000, 35_000, 40_000].map(openedBy)).toEqual([0, 0, 0, 1, 1]);
});

test('who governs a subnet, and what comes of the next election, waits for its next round', () => {
  const board = createBoard();
  board.load(toInventory([nodeTarget('a')]), 0);
  board.diagnose('d', 0);
  let now = 0;
  const isDiagnosedBy = (observation: SubnetObservation): boolean => {
    now += 1_000;
    const before = board.snapshot()[0]?.members;
    board.foldSubnet('d', observation, now);
    board.diagnoseChanged(now);
    return board.snapshot()[0]?.members !== before;
  };
  const election = (block: number): SubnetObservation => ({
    kind: 'election',
    seen: { block, candidates: [], sent: new Map(), againMs: 60_000 },
  });
  expect(isDiagnosedBy({ kind: 'governance', seen: { candidates: [] } })).toBe(false);
  expect(isDiagnosedBy(election(1))).toBe(true);
  expect(isDiagnosedBy(election(2))).toBe(false);
  expect(isDiagnosedBy({ kind: 'disks', seen: { disks: [] } })).toBe(true);
  expect(board.snapshot()[0]?.facts).toMatchObject({ governance: { candidates: [] }, election: { block: 2 } });
});

test('a checkpoint contract is as far behind as the subnet was ahead of it when it was read', () => {
  const node = nodeTarget('a');
  const board = createBoard();
  board.load(toInventory([node]), 0);
  const reach = (number: number, now: number) => {
    const at = (each: number) => ({ ok: true, value: { number: each } }) as const;
    const seen: NodeObservation = { answered: true, latest: at(number), committed: at(number - 3) };
    board.recordRun(node, 'rpc', { kind: 'node', seen }, 0, now);
    board.diagnose('d', now);
    const [state] = board.snapshot();
    return state && findCheckpointLag(state.targets, state.facts?.parent)?.blocks;
  };
  const block = { hash: '0xaa', number: 90 };
  const checkpoint = { latest: block, committed: block };
  const head = { ok: true, value: { number: 7, timestamp: 0 } } as const;
  const contract = { ok: true, value: { kind: 'checkpoint', checkpoint } } as const;
  expect(reach(100, 1_000)).toBeUndefined();
  board.foldSubnet('d', { kind: 'parent', seen: { head, contract } }, 2_000);
  expect([reach(100, 3_000), reach(110, 23_000)]).toEqual([7, 7]);
});

test.each([
  [[764, 764, 763, 755], 764],
  [[764, 763, 762, 999_999, 0], 763],
  [[764, 0], 764],
  [[764], 764],
  [[], undefined],
])('of nodes with the committed blocks %j half have passed %s', (numbers, expected) => {
  const at = (number: number) => ({ number, advancedAt: 0, risen: true, riseDueSince: 0, lastGoodAt: 0 });
  const targets = numbers.map((number, index) => ({
    target: nodeTarget(`n${index}`),
    facts: { node: { observation: answered, committed: at(number) } } as Facts,
  }));
  expect(findCommitted(targets)?.number).toBe(expected);
});

test('a large subnet whose verdicts change one by one rests between its diagnoses; a small one is diagnosed at once', () => {
  /** The problems after one more node fails at each of these moments. */
  const followFailures = (count: number, moments: readonly number[]) => {
    const nodes = Array.from({ length: count }, (_, index) => nodeTarget(`n${index}`));
    const board = createBoard();
    board.load(toInventory(nodes), 0);
    // One of them was reached.
    const last = nodes.at(-1);
    if (last !== undefined) board.recordRun(last, 'rpc', { kind: 'node', seen: answered }, 0, 0);
    return moments.map((at, index) => {
      const target = nodes[index];
      if (target === undefined) throw new Error('too few nodes');
      board.recordRun(target, 'rpc', { kind: 'node', seen: refused }, 0, at);
      board.diagnoseChanged(at);
      return board.snapshot()[0]?.problems.filter(({ problem }) => problem === 'node_down').length;
    });
  };
  expect(followFailures(2_000, [0, 1, 500, 999, 1_000])).toEqual([1, 1, 1, 1, 5]);
  expect(followFailures(4, [0, 2, 4])).toEqual([1, 2, 3]);
});

test('a container that was started again is not told to be started, although its check still fails', () => {
  const node = nodeTarget('a', { container: { name: 'a-1' } });
  const board = createBoard();
  board.load(toInventory([node]), 0);
  const see = (at: number, more: Pick<Container, 'running' | 'status' | 'startedAt'> & Partial<Container>) => {
    const container = { id: 'x', name: 'a-1', oomKilled: false, restartCount: 0, ...more };
    board.recordRun(node, 'containers', { kind: 'container', seen: { kind: 'found', container } }, 0, at);
    board.diagnoseChanged(at);
    const check = board.snapshot()[0]?.targets[0]?.checks.find(({ check }) => check === 'container');
    return [check?.verdict, check?.fix];
  };
  see(1_000, { running: true, status: 'running', startedAt: 500 });
  const at = 100_000;
  expect(see(at, { running: false, status: 'exited', startedAt: 500, finishedAt: at, exitCode: 137 })).toEqual([
    'fail',
    expect.stringContaining('docker start a-1'),
  ]);
  expect(see(at + 1_000, { running: true, status: 'running', startedAt: at + 900 })).toEqual([
    'fail',
    expect.not.stringContaining('docker start a-1'),
  ]);
});

test('a verdict that has changed is shown with the diagnosis that explains it, and judged at once', () => {
  const board = createBoard();
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  board.load(toInventory([a, b]), 0);
  const shown = () => {
    const check = board.snapshot()[0]?.targets[0]?.checks.find((one) => one.check === 'latest_block');
    return [check?.verdict, check?.because?.problem];
  };
  const see = (seen: NodeObservation, at: number) => board.recordRun(a, 'rpc', { kind: 'node', seen }, 0, at);
  see(answered, 1_000);
  // Nothing is explained before the first diagnosis.
  expect(shown()).toEqual(['pass', undefined]);
  board.recordRun(b, 'rpc', { kind: 'node', seen: answered }, 0, 1_000);
  board.diagnose('d', 1_000);
  see(refused, 11_000);
  see({ answered: false, latest: { ok: false, fault: { kind: 'closed', address: 'x' } } }, 11_500);
  expect(shown()).toEqual(['pass', undefined]);
  expect(board.checksOf(a).find((one) => one.check === 'latest_block')?.verdict).toBe('fail');
  expect(board.unexplained()[0]?.targets[0]?.checks[0]?.verdict).toBe('fail');
  board.diagnoseChanged(12_000);
  expect(shown()).toEqual(['fail', 'node_down']);
  see(answered, 20_000);
  expect(shown()).toEqual(['fail', 'node_down']);
  board.diagnoseChanged(21_000);
  expect(shown()).toEqual(['pass', undefined]);
});

test('what did not answer before its container was started is told to wait as soon as that is seen', () => {
  const node = nodeTarget('a', { container: { name: 'a-1' } });
  const stats = { ...serviceTarget('stats'), container: { name: 'stats-1' } };
  const board = createBoard();
  board.load(toInventory([node, stats]), 0);
  const see = (at: number, id: string, target: Target = node, name: CheckName = 'latest_block') => {
    const about = { id, name: 'a-1', running: true, status: 'running', startedAt: at - 500 };
    const container = { ...about, oomKilled: false, restartCount: 0 };
    board.recordRun(target, 'containers', { kind: 'container', seen: { kind: 'found', container } }, 0, at);
    const check = board.checksOf(target).find((one) => one.check === name);
    return check && [formatReason(check), check.lastRun, check.runs, check.failures];
  };
  const silent = 'a did not return its latest block: nothing listens at 127.0.0.1:1';
  see(1_000, 'x');
  board.recordRun(node, 'rpc', { kind: 'node', seen: refused }, 0, 100_000);
  expect(board.checksOf(node).map(formatReason).join()).toContain(
    `${silent}; start it if it does not run, or correct the address`,
  );
  const told = [`${silent}; wait up to a minute: it has just started`, 100_000, 1, 1];
  expect(see(101_000, 'y')).toEqual(told);
  board.recordRun(node, 'rpc', { kind: 'node', seen: refused }, 0, 200_000);
  // The same container was started again.
  expect(see(201_000, 'y')).toEqual([told[0], 200_000, 2, 2]);
  const fault = { kind: 'refused', address: '127.0.0.1:2' } as const;
  board.recordRun(stats, 'services', { kind: 'service', seen: { ok: false, fault } }, 0, 300_000);
  expect(board.checksOf(stats).map(formatReason).join()).toContain('the stats server is unhealthy: nothing listens');
  expect(see(301_000, 'z', stats, 'http')?.[0]).toBe(
    'the stats server was started just now and does not answer as it should yet',
  );
});

test('the row of a check that fails for another reason than before says what to do about that one', () => {
  const relayer = { ...serviceTarget('relayer'), logFiles: [{ path: '/relayer.log', timezone: 'UTC' }] };
  const board = createBoard();
  board.load(toInventory([relayer]), 0);
  const rowAfter = (pattern: string, what: string, fix: string, at: number) => {
    const facts: LogFacts = {
      sources: { file: { up: true, lines: 9, since: 0 } },
      patterns: { [pattern]: { means: 'error', count: 1, at, order: at, what, fix, own: false } },
      relayer: {
        submissions: 0,
        byMode: { full: { phase: 'failed', phaseAt: at, attempted: true, error: { pattern, at } } },
      },
    };
    board.recordRun(relayer, 'logs', { kind: 'logs', seen: facts }, 0, at);
    board.diagnoseChanged(at);
    const check = board.snapshot()[0]?.targets[0]?.checks.find((one) => one.check === 'submissions');
    return check && formatReason(check);
  };
  const failing = 'the relayer (FULL) has been failing since its last submission';
  expect(rowAfter('gas_price_low', 'the gas price is too low', 'raise it', 1_000)).toContain(
    `${failing}: the gas price is too low; raise it`,
  );
  expect(rowAfter('parent_head_unreadable', 'the parent chain does not answer', 'start its node', 3_000)).toContain(
    `${failing}: the parent chain does not answer; start its node`,
  );
});

test('a container that was removed, or replaced by one that does not run either, is diagnosed again at once', () => {
  const node = nodeTarget('a', { container: { name: 'a-1' } });
  const board = createBoard();
  board.load(toInventory([node]), 0);
  const see = (at: number, seen: ContainerObservation) => {
    board.recordRun(node, 'containers', { kind: 'container', seen }, 0, at);
    board.diagnoseChanged(at);
    const [down] = board.snapshot()[0]?.problems.filter(({ problem }) => problem === 'container_down') ?? [];
    return [down?.seenAt, down?.evidence];
  };
  const stopped = (id: string, exitCode: number): ContainerObservation => {
    const about = { id, name: 'a-1', running: false, status: 'exited', exitCode, startedAt: 500, finishedAt: 1_000 };
    return { kind: 'found', container: { ...about, oomKilled: false, restartCount: 0 } };
  };
  const ended = (code: number) => `a-1 exited at 1970-01-01T00:00:01Z with code ${code} (an error)`;
  expect(see(2_000, stopped('x', 1))).toEqual([2_000, ended(1)]);
  expect(see(3_000, stopped('y', 2))).toEqual([3_000, ended(2)]);
  expect(see(4_000, { kind: 'missing' })).toEqual([4_000, 'Docker has no container for the container a-1']);
  expect(see(5_000, stopped('y', 2))).toEqual([5_000, ended(2)]);
  // The same is left to the next round.
  expect(see(6_000, stopped('y', 2))).toEqual([5_000, ended(2)]);
});

test('the nodes that a bootnode has heard are still counted after a reload that adds a node', () => {
  const bootnode: BootnodeTarget = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };
  const [a, b] = [nodeTarget('a', { p2p: '10.0.0.1:1' }), nodeTarget('b', { p2p: '10.0.0.2:2' })];
  const board = createBoard();
  const heardNodes = () => board.snapshot()[0]?.targets.find(({ target }) => target === bootnode)?.heardNodes?.length;
  board.load(toInventory([a, bootnode]), 0);
  expect(heardNodes()).toBeUndefined();
  const source = { up: true, since: 0, lines: 1 };
  const logs = { sources: { file: source }, patterns: {}, heard: new Map([['10.0.0.1:1', 500]]) };
  board.recordRun(bootnode, 'logs', { kind: 'logs', seen: logs }, 0, 1_000);
  expect(heardNodes()).toBe(1);
  board.load(toInventory([a, b, bootnode]), 2_000);
  expect(heardNodes()).toBe(1);
  board.load(toInventory([b, bootnode]), 3_000);
  expect(heardNodes()).toBe(0);
});

test('what a node said about its chain stays over a reload, until the inventory gives it another address', () => {
  const a = nodeTarget('a', { rpc: 'http://10.0.0.1:8545' });
  const board = createBoard();
  board.load(toInventory([a]), 0);
  const genesis = `0x${'1'.repeat(64)}`;
  const seen: NodeObservation = {
    answered: true,
    latest: { ok: true, value: { number: 1 } },
    chain: { genesis, missing: {} },
  };
  board.recordRun(a, 'rpc', { kind: 'node', seen }, 0, 1_000);
  const chain = () => board.snapshot()[0]?.targets[0]?.facts.node?.chain;
  board.load(toInventory([{ ...a, expectedPeers: 9 }]), 2_000);
  expect(chain()).toMatchObject({ observation: { genesis }, at: 1_000 });
  board.load(toInventory([{ ...a, rpc: 'http://10.0.0.2:8545' }]), 3_000);
  expect(chain()).toBeUndefined();
});

test('a reload leaves what it does not change as it is: other subnets, and the other nodes of a subnet', () => {
  const [a, b, c] = [nodeTarget('a'), nodeTarget('b'), nodeTarget('c', { subnet: 'e' })];
  const first = toInventory([a, b]).subnets[0] as Subnet;
  const other: Subnet = { ...first, name: 'e', targets: [c] };
  const board = createBoard();
  const load = (...subnets: readonly Subnet[]) => board.load({ ...toInventory([]), subnets }, 0);
  const states = () => new Map(board.unexplained().flatMap(({ targets }) => targets.map((one) => [one.target, one])));
  load(first, other);
  board.diagnose('d', 1_000);
  const before = states();
  const changed = { ...a, expectedPeers: 9 };
  load({ ...first, targets: [changed, b] }, other);
  const after = states();
  expect([b, c].map((target) => after.get(target) === before.get(target))).toEqual([true, true]);
  expect(after.get(changed)).not.toBe(before.get(a));
  // Other settings may skip a check, of any of its nodes.
  load({ ...first, targets: [changed, b], settings: { ...settings, rpc: { ...settings.rpc, enabled: false } } }, other);
  const skipped = board.checksOf(b).filter(({ verdict }) => verdict === 'skipped');
  expect(skipped.map(({ check }) => check)).toContain('latest_block');
  expect(states().get(c)).toBe(before.get(c));
});

test('work that begins and ends between two rounds marks problems at once, also after a reload', () => {
  const node = nodeTarget('a');
  const work = { subnet: 'd', name: 'a', from: 20_000, until: 40_000, reason: 'upgrade', by: 'ann' };
  let works = [work];
  const board = createBoard(
    (at) => at,
    () => ({}),
    () => works,
  );
  board.load(toInventory([node]), 0);
  board.recordRun(node, 'rpc', { kind: 'node', seen: answered }, 0, 0);
  board.recordRun(node, 'rpc', { kind: 'node', seen: refused }, 0, 10_000);
  const look = (at: number) => {
    board.diagnoseChanged(at);
    const [state] = board.snapshot();
    const down = state?.problems.filter(({ problem }) => problem === 'node_down');
    return [state?.plannedWork?.length, down?.map(({ planned }) => planned?.until ?? 'as usual')];
  };
  expect(look(19_999)).toEqual([0, ['as usual']]);
  expect(look(20_000)).toEqual([1, [40_000]]);
  board.load(toInventory([node]), 30_000);
  expect(look(39_999)).toEqual([1, [40_000]]);
  expect(look(40_000)).toEqual([0, ['as usual']]);
  works = [{ ...work, until: 50_000 }];
  expect(look(40_001)).toEqual([1, [50_000]]);
  works = [];
  expect(look(40_002)).toEqual([0, ['as usual']]);
});

test('a diagnosis that breaks leaves its subnet as it was last known, and other subnets are diagnosed', () => {
  let breaks = 0;
  const bugs: string[] = [];
  const readDisturbances = () => {
    if (breaks-- > 0) throw new RangeError('Invalid array length');
    return {};
  };
  const board = createBoard(undefined, readDisturbances, undefined, (error, subnet) =>
    bugs.push(`${subnet}: ${error}`),
  );
  const subnets = ['d', 'e'].map((name): Subnet => {
    const targets = ['a', 'b'].map((node) => ({ ...nodeTarget(node), subnet: name }));
    return { name, consensus: 'XDPoS', targets, settings };
  });
  board.load({ ...toInventory([]), subnets }, 0);
  const problems = () => board.snapshot().map((subnet) => subnet.problems.map(({ problem }) => problem));
  const failAll = (at: number) => {
    for (const { targets } of subnets)
      for (const target of targets) board.recordRun(target, 'rpc', { kind: 'node', seen: refused }, 0, at);
  };

  const shown = () => board.snapshot().map(({ headline, brokenDiagnosis }) => [headline, brokenDiagnosis]);
  const halted = {
    standing: 'bad',
    sentence: expect.stringMatching(/^[de] is halted: 2 of 4 masternodes do not vote$/),
    detail: expect.any(String),
    since: 1_000,
  };
  const unknown = (found: string, since?: number) => ({
    standing: 'off',
    sentence: 'd is in an unknown state',
    detail: `Its diagnosis crashes, which is a bug in subnetd: please report the error in its log. ${found}`,
    ...(since !== undefined && { since }),
  });

  for (const { targets } of subnets)
    for (const target of targets) board.recordRun(target, 'rpc', { kind: 'node', seen: answered }, 0, 0);
  const down = ['subnet_halted', 'node_down', 'node_down'];
  failAll(1_000);
  breaks = 1;
  board.diagnoseChanged(1_000);
  expect(bugs).toEqual(['d: RangeError: Invalid array length']);
  expect(problems()).toEqual([[], down]);
  expect(shown()).toEqual([
    [unknown('Nothing was known before.'), { foundAt: undefined }],
    [halted, undefined],
  ]);
  board.diagnose('d', 2_000);
  expect(problems()).toEqual([down, down]);
  expect(shown()[0]).toEqual([{ ...halted, since: 2_000 }, undefined]);
  const last = unknown('Last known state: d is halted: 2 of 4 masternodes do not vote.', 2_000);
  for (const at of [3_000, 4_000]) {
    breaks = 1;
    board.diagnose('d', at);
    expect(problems()).toEqual([down, down]);
    expect(shown()[0]).toEqual([last, { foundAt: 2_000 }]);
  }
  // A new inventory does not make it known.
  const [d, e] = subnets;
  board.load({ ...toInventory([]), subnets: [{ ...d, consensus: 'XDPoS2' }, e] as Subnet[] }, 5_000);
  expect(shown()[0]).toEqual([last, { foundAt: 2_000 }]);
  board.diagnose('d', 6_000);
  expect(shown()[0]).toEqual([{ ...halted, since: 2_000 }, undefined]);
  expect(bugs).toHaveLength(3);
});

test('a stored problem is taken over within two minutes after its subnet is first watched, and not later', () => {
  const after = (ms: number) => {
    const board = createBoard();
    const node = nodeTarget('a');
    board.load(toInventory([node]), 0);
    board.recordRun(node, 'rpc', { kind: 'node', seen: answered }, 0, ms - 1);
    board.diagnose('d', ms - 1);
    // A reload does not make it new.
    board.load(toInventory([node]), ms - 1);
    const stored: Problem = {
      ...{ problem: 'quorum_at_risk', severity: 'critical', alert: 'SubnetQuorumAtRisk', state: 'open' },
      ...{ summary: 's', evidence: 'e', fix: 'f', explains: [], causes: [] },
      ...{ since: -9_000, openedAt: -8_000, seenAt: ms, restoredAt: ms },
    };
    board.restoreProblems('d', [stored], ms);
    board.restoreProblems('another', [stored], ms);
    return board.snapshot()[0]?.problems.map(({ problem, state, since }) => [problem, state, since]);
  };
  expect(after(119_999)).toEqual([['quorum_at_risk', 'clearing', -9_000]]);
  expect(after(120_000)).toEqual([]);
});

test('double votes come from pools and from logs, count once, and stay with their nodes when the inventory is read again', () => {
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  const board = createBoard();
  board.load(toInventory([a, b]), 0);
  const at = { round: 7, gap: 0, number: 7 };
  const pool = { voteRounds: 1, neverSigned: [], timeouts: 0, timeoutRound: 0 };
  const seen = (address: string, votes: PoolVotes): NodeObservation => ({
    ...answered,
    chain: { address, genesis: '0xg', pool: { ...pool, votes }, missing: {} },
  });
  board.foldObservation(a, { kind: 'node', seen: seen('0xa', [votesFor(7, 'one', '0xb', '0xa')]) }, 1_000);
  board.foldObservation(b, { kind: 'node', seen: seen('0xb', [votesFor(7, 'two', '0xb')]) }, 2_000);
  const facts = () => board.snapshot()[0]?.facts?.doubleVotes;
  const votes = [
    { ...at, hash: hashOf('one'), seenBy: 'a' },
    { ...at, hash: hashOf('two'), seenBy: 'b' },
  ];
  expect(facts()).toEqual({ total: 1, recent: [{ signer: '0xb', source: 'pool', nodes: [], at: 2_000, votes }] });
  // The votes themselves are kept once, and not with each node.
  expect(board.snapshot()[0]?.targets[0]?.facts.node?.chain?.observation.pool).toEqual(pool);

  const proof = {
    signer: '0xb',
    at: 2_500,
    votes: [
      { ...at, hash: '0x1', signature: '0x3' },
      { ...at, hash: '0x2', signature: '0x4' },
    ],
  } as const;
  const logs: LogFacts = { sources: {}, patterns: {}, node: { proofs: [proof] } };
  board.foldObservation(a, { kind: 'logs', seen: logs }, 3_000);
  const signed = proof.votes.map((one) => ({ ...one, seenBy: 'a' }));
  const known = { total: 1, recent: [{ signer: '0xb', source: 'log', nodes: ['b'], at: 2_000, votes: signed }] };
  expect(facts()).toEqual(known);
  board.foldObservation(a, { kind: 'logs', seen: { ...logs } }, 4_000);
  board.load(toInventory([a, b]), 5_000);
  expect(facts()).toEqual(known);
  board.diagnoseChanged(6_000);
  expect(board.snapshot()[0]?.problems.map(({ problem }) => problem)).toContain('double_vote');
});

test('the pool of a node that claims an impossible height accuses nobody, and that of a node which leads by a little does', () => {
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  const accusedAt = (height: number) => {
    const board = createBoard();
    board.load(toInventory([a, b]), 0);
    const pool = { voteRounds: 1, neverSigned: [], timeouts: 0, timeoutRound: 0 };
    const see = (target: typeof a, number: number, at: number, ...votes: PoolVotes) => {
      const chain = { address: `0x${target.name}`, genesis: '0xg', pool: { ...pool, votes }, missing: {} };
      const latest = { ok: true, value: { number } } as const;
      board.recordRun(target, 'rpc', { kind: 'node', seen: { answered: true, latest, chain } }, 0, at);
      board.diagnose('d', at);
    };
    see(a, 100, 1_000);
    see(b, height, 2_000, votesFor(height, 'one', '0xa', '0xb'));
    see(b, height, 3_000, votesFor(height, 'two', '0xa', '0xb'));
    return board
      .snapshot()[0]
      ?.problems.flatMap(({ problem, summary }) => (problem === 'double_vote' ? [summary] : []));
  };
  expect(accusedAt(1_000_100)).toEqual([]);
  expect(accusedAt(1_100)).toEqual(['a, b signed two blocks each']);
});
