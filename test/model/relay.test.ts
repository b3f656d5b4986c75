import { expect, test } from 'vitest';
import { countMissed, findLiteHeights, listWallets, type RelayFacts } from '../../src/model/relay.ts';

const DEVNET = { epoch: 900, gap: 450 };

test('a lite contract takes the block after each gap and each epoch block', () => {
  expect(findLiteHeights(DEVNET, 1_800, 10)).toEqual([1_800, 1_351, 900, 451]);
  expect(findLiteHeights(DEVNET, 1_799, 2)).toEqual([1_351, 900]);
  expect(findLiteHeights(DEVNET, 450, 10)).toEqual([]);
  expect(findLiteHeights({ epoch: 300, gap: 150 }, 310, 3)).toEqual([300, 151]);
});

test.each([
  [451, 900, 0],
  // Five minutes at two seconds a block.
  [451, 1_049, 0],
  [451, 1_050, 1],
  [451, 1_500, 1],
  [451, 1_501, 2],
  [900, 1_501, 1],
  [0, 10_000, 21],
  [1_351, 900, 0],
])('a lite contract at block %i, with the subnet at %i, misses %i blocks', (latest, height, missed) => {
  expect(countMissed({ ...DEVNET, latest, buffered: 0 }, height)).toBe(missed);
});

test('the wallets of a relayer are those that were read, and one that pays twice on a chain is one', () => {
  const [one, two] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];
  const wallet = { balance: 1n, readAt: 0, richSince: 0, changedAt: 0, parts: [], recent: [] };
  const balance = { ok: true, value: 1n } as const;
  const failed = { ok: false, why: 'cannot be reached' } as const;
  const relay: RelayFacts = {
    observation: {
      packets: {},
      wallets: {
        parent_zero: { address: one, balance },
        subnet: { address: one, balance: failed },
        subnet_zero: { address: two, balance },
      },
    },
    packets: {},
    wallets: { parent_zero: wallet, subnet: wallet },
  };
  const parent = { observation: { head: failed, balance }, at: 0, wallet };
  const named = { rpc: 'http://127.0.0.1:1', wallet: `xdc${'01'.repeat(20)}` };
  expect(listWallets(named, { parent, relay })).toEqual([
    { role: 'parent', address: one, wallet, isRead: true },
    // The same key on the other chain, as it was before; that of the packets has not been read yet.
    { role: 'subnet', address: one, wallet, isRead: false },
  ]);
  expect(listWallets({ rpc: named.rpc }, { relay }).map(({ role }) => role)).toEqual(['parent_zero', 'subnet']);
  expect(listWallets(undefined)).toEqual([]);
});
