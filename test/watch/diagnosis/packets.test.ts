import { describe, expect, test } from 'vitest';
import type { KnownTarget, LogFacts, RelayerLogFacts, RelayerModeFacts } from '../../../src/model/facts.ts';
import type { Checkpoint, ContractReading, WalletFacts } from '../../../src/model/parent-chain.ts';
import type { Direction, PacketFacts, RelayFacts, Route } from '../../../src/model/relay.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { findPacketProblem } from '../../../src/watch/diagnosis/find-packet-problem.ts';
import { findWalletProblem } from '../../../src/watch/diagnosis/find-wallet-problem.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { foldRelay } from '../../../src/watch/rules/fold-subnet.ts';
import { diagnosedNode, diagnosedService, listCauses, NOW, walletOf } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const MINUTE = 60_000;
const ADDRESS = `0x${'a1'.repeat(20)}`;

const CYCLE = { cycleAt: NOW, phase: 'done', phaseAt: NOW, submittedAt: NOW, attempted: false } as const;

/** A relayer whose cycles of these modes have begun just now. */
function relayer(
  more: Partial<RelayerModeFacts> = {},
  log: Partial<RelayerLogFacts> = {},
  logs: Partial<LogFacts> = {},
) {
  const { target, facts } = diagnosedService('relayer');
  const modes: RelayerLogFacts = {
    submissions: 9,
    submittedAt: NOW,
    modes: ['full', 'zero', 'reverse_full', 'reverse_zero'],
    byMode: { full: CYCLE, zero: { ...CYCLE, ...more }, reverse_full: CYCLE, reverse_zero: CYCLE },
    ...log,
  };
  return { target, facts: { ...facts, logs: { ...(facts.logs as LogFacts), relayer: modes, ...logs } } } as KnownTarget;
}

const checkpoint = (more: Partial<Checkpoint> = {}): ContractReading => ({
  kind: 'checkpoint',
  checkpoint: {
    mode: 'full',
    latest: { hash: '0xaa', number: 990 },
    committed: { hash: '0xaa', number: 988 },
    ...more,
  },
});

const route = (more: Partial<Route> = {}): Route => ({
  isRegistered: true,
  isEndpoint: true,
  isContract: true,
  contract: checkpoint(),
  ...more,
});

/** Packets that have waited for half an hour, of which none has arrived. */
const stuck = (more: Partial<Route> = {}, newestBlock = 980, facts: Partial<PacketFacts> = {}): PacketFacts => ({
  reading: { sent: 5, received: 2, oldestAt: 1, newestBlock, route: route(more) },
  pending: 3,
  movedAt: NOW - 20 * MINUTE,
  oldestAt: NOW - 30 * MINUTE,
  ...facts,
});

function find(
  packets: Partial<Record<Direction, PacketFacts>>,
  target = relayer(),
  wallets: Partial<Record<'parent_zero' | 'subnet_zero', WalletFacts>> = {},
) {
  const seen = Object.keys(wallets).map((role) => [role, { address: ADDRESS, balance: { ok: true, value: 0n } }]);
  const relay: RelayFacts = {
    observation: { packets: {}, wallets: Object.fromEntries(seen) },
    packets,
    wallets,
  };
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };
  return findPacketProblem(viewSubnet(subnet, judgeTargets([target], NOW), NOW, { relay }));
}

test('packets that wait for ten minutes and do not move are a problem', () => {
  expect(find({ to_parent: stuck({}, 1_000) })).toMatchObject({
    problem: 'packets_stuck',
    component: 'relayer',
    summary: 'packets of XDC-Zero do not arrive on the parent chain',
    evidence:
      '3 packets to the parent chain are pending, the oldest for 30m, and none has arrived for 20m: the checkpoint contract is at block 988, and the relayer waits for block 1000, that of the newest packet',
    fix: 'see in the log of the relayer that its mode FULL submits blocks; while new packets keep coming, it waits for the newest one each time',
  });
});

test.each([
  ['none is pending', stuck({}, 980, { pending: 0 })],
  ['the oldest is young', stuck({}, 980, { oldestAt: NOW - 9 * MINUTE })],
  ['one has just arrived', stuck({}, 980, { movedAt: NOW - MINUTE })],
])('there is no problem while %s', (_, packets) => {
  expect(find({ to_parent: packets })).toBeUndefined();
});

test('a relayer that submits nothing has a problem of its own', () => {
  const error = { pattern: 'no_funds', at: NOW } as const;
  expect(find({ to_parent: stuck() }, relayer({ phase: 'failed', error }))).toBeUndefined();
});

test('both directions are one problem with the cause and the fix of each', () => {
  const found = find({ to_parent: stuck({}, 1_000), to_subnet: stuck({ isRegistered: false }, 980, { pending: 1 }) });
  expect(found?.summary).toBe('packets of XDC-Zero do not arrive');
  expect(found?.evidence).toContain(
    '; 1 packet to the subnet is pending, the oldest for 30m, and none has arrived for 20m: the endpoint on the subnet does not know the chain of the parent chain',
  );
  expect(found?.fix).toMatch(
    /^to the parent chain: see in the log .*; to the subnet: register the chain of the parent/,
  );
});

describe('the cause', () => {
  const cases: readonly [string, Partial<Route>, RegExp, RegExp][] = [
    ['another endpoint', { isEndpoint: false }, /takes packets of another endpoint than this one$/, /registerChain/],
    ['no contract', { contract: { kind: 'missing' } }, /an address that has no checkpoint contract$/, /registerChain/],
    [
      'lite',
      { contract: checkpoint({ mode: 'lite' }) },
      /in lite mode does not keep what proves/,
      /^deploy a .* full mode/,
    ],
    [
      'another contract',
      { isContract: false },
      /another checkpoint contract than that of the inventory$/,
      /registerChain/,
    ],
    ['nothing', {}, /has the blocks that prove them, as far as is known$/, /^read the log of the relayer/],
  ];
  test.each(cases)('is said: %s', (_, more, why, fix) => {
    const found = find({ to_parent: stuck(more) });
    expect(found?.evidence).toMatch(why);
    expect(found?.fix).toMatch(fix);
  });
  test('can be a mode that does not run', () => {
    const found = find({ to_parent: stuck() }, relayer({}, { modes: ['full'], byMode: { full: CYCLE } }));
    expect(found?.evidence).toMatch(/: the relayer does not run in the mode ZERO$/);
    expect(found?.fix).toMatch(/^set PARENTNET_ZERO_WALLET_PK in common\.env and /);
  });
  test('can be a key that the relayer does not use, or a wallet without coins', () => {
    const bare = relayer({}, {}, { created: { isZeroKeyBare: true } });
    expect(find({ to_subnet: stuck() }, bare)?.evidence).toMatch(/SUBNET_ZERO_WALLET_PK does not begin with 0x, so/);
    // It is not used in the other direction.
    expect(find({ to_parent: stuck() }, bare)?.evidence).toMatch(/as far as is known$/);
    const empty = find({ to_parent: stuck() }, relayer(), { parent_zero: walletOf(0n) });
    expect(empty?.evidence).toMatch(new RegExp(`the wallet that delivers them, ${ADDRESS}, has no coins$`));
    expect(empty?.fix).toBe(`send coins to ${ADDRESS} (the key of PARENTNET_ZERO_WALLET_PK) on the parent chain`);
    expect(find({ to_parent: stuck() }, relayer(), { parent_zero: walletOf(1n) })?.evidence).toMatch(
      /as far as is known$/,
    );
  });
});

test('without endpoints in the inventory, cycles that only wait for the checkpoint show it', () => {
  const waits = (minutes: number) => relayer({ waits: { since: NOW - minutes * MINUTE, wanted: 1_000, block: 988 } });
  expect(find({}, waits(9))).toBeUndefined();
  expect(find({}, waits(30))).toMatchObject({
    evidence:
      'the relayer (ZERO) has packets to the parent chain, and its log has shown nothing but "Wait for csc block" for 30m: the checkpoint contract has been at block 988 since, and it waits for block 1000',
    fix: 'see in the log of the relayer that its mode FULL submits blocks',
  });
  expect(find({ to_parent: stuck() }, waits(30))?.evidence).toContain(
    'none has arrived for 20m; its log has shown nothing but "Wait for csc block" for 30m: ',
  );
});

test('it is left out while another problem of the parent chain explains it', () => {
  const relay: RelayFacts = {
    observation: { packets: {}, wallets: {} },
    packets: { to_parent: stuck() },
    wallets: {},
  };
  const missing = {
    observation: {
      head: { ok: true, value: { number: 77, timestamp: 1 } },
      contract: { ok: true, value: checkpoint({ next: { number: 991, refusal: 'Parent Missing' } }) },
    },
    at: NOW,
    headAgeMs: 2_000,
    progress: {
      checkpoint: {
        latest: { hash: '0xaa', number: 990 },
        committed: { hash: '0xaa', number: 988 },
        next: { number: 991, refusal: 'Parent Missing' },
      },
      readAt: NOW,
      advancedAt: NOW,
      hasAdvanced: true,
      recent: [{ at: NOW, number: 988 }],
    },
  } as const;
  const known = [diagnosedNode('n1', ['n1']), relayer()];
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };
  const named = (facts: object) =>
    listCauses(viewSubnet(subnet, judgeTargets(known, NOW), NOW, facts)).map(({ problem }) => problem);
  expect(named({ relay })).toContain('packets_stuck');
  expect(named({ relay, parent: missing })).toEqual(['checkpoint_refused']);
});

test('of the four wallets, the one that ends first is low', () => {
  const part = (spent: bigint) => [{ from: NOW - 3_600_000, watchedMs: 3_600_000, spent, payments: 60 }];
  const low = (spent: bigint): WalletFacts => ({ ...walletOf(50n * 10n ** 18n), parts: part(spent), level: 'low' });
  const relay: RelayFacts = {
    observation: {
      packets: {},
      wallets: {
        subnet: { address: ADDRESS, balance: { ok: true, value: 1n } },
        subnet_zero: { address: `0x${'b2'.repeat(20)}`, balance: { ok: true, value: 1n } },
      },
    },
    packets: {},
    wallets: { subnet: low(10n ** 18n / 2n), subnet_zero: low(10n ** 18n) },
  };
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };
  expect(findWalletProblem(viewSubnet(subnet, [], NOW, { relay }))).toMatchObject({
    problem: 'wallet_low',
    evidence:
      'of SUBNET_ZERO_WALLET_PK the balance is 50 coins, and it spends 24 a day (seen to fall 60 times in 1h), so 2 days are left',
    fix: `send 670 coins to 0x${'b2'.repeat(20)} (the key of SUBNET_ZERO_WALLET_PK) on the subnet, which lasts for 30 days`,
  });
});

test('the age of the oldest packet is that of its block, else from when it was first seen', () => {
  const seen = (received: number, oldestAt?: number) => ({
    packets: {
      to_parent: { ok: true, value: { sent: 3, received, ...(oldestAt !== undefined && { oldestAt }) } } as const,
    },
    wallets: {},
  });
  // The watched time runs 500 ms behind.
  const fold = (before: RelayFacts | undefined, one: ReturnType<typeof seen>, at: number) =>
    foldRelay(before, one, { at, wallMs: at + 500 });
  const first = fold(undefined, seen(1), 100_000);
  expect(first.packets.to_parent).toMatchObject({ pending: 2, oldestAt: 100_000, movedAt: 100_000 });
  const again = fold(first, seen(1), 160_000);
  expect(again.packets.to_parent).toMatchObject({ oldestAt: 100_000, movedAt: 100_000 });
  const found = fold(again, seen(1, 40), 220_000);
  expect(found.packets.to_parent).toMatchObject({ oldestAt: 39_500, movedAt: 100_000 });
  const moved = fold(found, seen(2), 280_000);
  expect(moved.packets.to_parent).toMatchObject({ pending: 1, oldestAt: 280_000, movedAt: 280_000 });
  expect(fold(moved, seen(3), 340_000).packets.to_parent).toEqual({
    reading: { sent: 3, received: 3 },
    pending: 0,
    movedAt: 340_000,
  });
  const unread = { packets: { to_parent: { ok: false, why: 'it is away' } as const }, wallets: {} };
  expect(foldRelay(moved, unread, { at: 400_000, wallMs: 0 }).packets).toEqual(moved.packets);
});
