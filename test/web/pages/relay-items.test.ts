import { expect, test } from 'vitest';
import type { PacketFacts, RelayFacts } from '../../../src/model/relay.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { checkpointItem } from '../../../src/web/pages/checkpoint-item.ts';
import { otherWalletItems, packetsItem } from '../../../src/web/pages/relay-items.ts';
import { toStatus } from '../../../src/web/to-status.ts';
import { diagnosedNode, NOW, walletOf } from '../../support/diagnosed.ts';
import { words } from '../../support/page-words.ts';
import { renderPage } from '../../support/render-page.ts';
import { stateOf } from '../../support/snapshots.ts';

const MINUTE = 60_000;
const ADDRESS = `0x${'a1'.repeat(20)}`;
const moment = { toWall: (at: number) => at, nowWall: NOW };

const reading = { sent: 9, received: 6 };
const packets = (pending: number, oldestAt?: number): PacketFacts => ({
  reading,
  pending,
  movedAt: NOW,
  ...(oldestAt !== undefined && { oldestAt }),
});
const relay: RelayFacts = {
  observation: {
    packets: { to_parent: { ok: true, value: reading }, to_subnet: { ok: true, value: reading } },
    wallets: {
      parent_zero: { address: ADDRESS, balance: { ok: true, value: 0n } },
      subnet_zero: { address: ADDRESS, balance: { ok: true, value: 0n } },
    },
    lite: { epoch: 300, gap: 150, latest: 451, buffered: 2 },
  },
  packets: { to_parent: packets(1_234, NOW - 12 * MINUTE), to_subnet: packets(0) },
  wallets: { parent_zero: walletOf(3n * 10n ** 18n), subnet_zero: walletOf(0n) },
};

/** A subnet at block 1000, whose relayer is known to do this. */
const known = (more: Partial<RelayFacts> = {}): SubnetState => ({
  ...stateOf([diagnosedNode('n1', ['n1'])]),
  reference: 1_000,
  facts: { relay: { ...relay, ...more } },
});

const look = (item: unknown) => ({ text: words(String(item)).trim(), standing: /shape (\w+)/.exec(String(item))?.[1] });

test('the packets of each direction stand beside the services', () => {
  expect(look(packetsItem(known(), moment))).toEqual({
    text: 'Packets to the parent chain 1,234 pending, the oldest 12 min ago ; to the subnet none pending',
    standing: 'ok',
  });
  expect(String(packetsItem(stateOf([]), moment))).toBe('');
  const stuck = { problem: 'packets_stuck', severity: 'warning', state: 'open' } as SubnetState['problems'][number];
  expect(look(packetsItem({ ...known(), problems: [stuck] }, moment)).standing).toBe('warn');
});

test('packets that cannot be read say why', () => {
  const unread = { ok: false, why: 'the subnet cannot be reached' } as const;
  const observation = { ...relay.observation, packets: { to_parent: unread } };
  expect(look(packetsItem(known({ observation, packets: {} }), moment))).toEqual({
    text: 'Packets to the parent chain unknown, as the subnet cannot be reached',
    standing: 'off',
  });
});

test('each other wallet has an item, and an empty one stands out', () => {
  expect(otherWalletItems(known(), moment).map(look)).toEqual([
    { text: 'Wallet PARENTNET_ZERO: 3 coins, no spend measured yet', standing: 'ok' },
    { text: 'Wallet SUBNET_ZERO: 0 coins, no spend measured yet', standing: 'warn' },
  ]);
});

test('the checkpoint of a lite contract says what it misses and what it buffers', () => {
  const contract = { ok: true, value: { kind: 'other' } } as const;
  const checkpoint = { latest: { hash: '0xaa', number: 451 }, committed: { hash: '0xaa', number: 300 } };
  const value = { kind: 'checkpoint', checkpoint: { ...checkpoint, mode: 'lite' as const } } as const;
  const parent = {
    observation: { head: { ok: true, value: { number: 7, timestamp: 1 } }, contract: { ...contract, value } },
    at: NOW,
    progress: { checkpoint: value.checkpoint, readAt: NOW, advancedAt: NOW, hasAdvanced: false, recent: [] },
  } as const;
  const item = checkpointItem({ ...known(), facts: { relay, parent } }, moment);
  expect(look(item).text).toBe('Checkpoint block 300, lite mode, 2 missed, 2 buffered');
});

test('the metrics and /status.json say the same', () => {
  const page = renderPage([known()], () => 10);
  const lines = page.split('\n').filter((line) => /^subnet_(?:relayer|checkpoint)_/.test(line));
  expect(lines).toEqual([
    'subnet_checkpoint_missed{subnet="devnet"} 2',
    'subnet_checkpoint_buffered{subnet="devnet"} 2',
    'subnet_relayer_packets_pending{subnet="devnet",direction="to_parent"} 1234',
    'subnet_relayer_packets_pending{subnet="devnet",direction="to_subnet"} 0',
    `subnet_relayer_packets_oldest_timestamp_seconds{subnet="devnet",direction="to_parent"} ${(NOW - 12 * MINUTE) / 1000}`,
    'subnet_relayer_wallet_balance{subnet="devnet",wallet="parent_zero"} 3',
    'subnet_relayer_wallet_balance{subnet="devnet",wallet="subnet_zero"} 0',
  ]);
  const [status] = toStatus([known()], moment.toWall).subnets;
  expect(status?.relay).toEqual({
    packets: {
      to_parent: { pending: 1_234, oldest: new Date(NOW - 12 * MINUTE).toISOString() },
      to_subnet: { pending: 0, oldest: null },
    },
    checkpoints: { missed: 2, buffered: 2 },
    wallets: { parent_zero: { address: ADDRESS, balance: 3 }, subnet_zero: { address: ADDRESS, balance: 0 } },
  });
  expect(toStatus([stateOf([])], moment.toWall).subnets[0]).not.toHaveProperty('relay');
});
