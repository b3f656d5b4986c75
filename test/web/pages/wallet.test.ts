import { expect, test } from 'vitest';
import type { WalletFacts } from '../../../src/model/parent-chain.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { walletItem } from '../../../src/web/pages/wallet-item.ts';
import { words } from '../../support/page-words.ts';

const NOW = 1e12;
const COIN = 10n ** 18n;

/** It has paid 60 coins in an hour, or nothing. */
const wallet = (payments: number, readAt = NOW): WalletFacts => ({
  balance: 9_000n * COIN,
  readAt,
  richSince: readAt,
  changedAt: readAt,
  parts: [{ from: NOW, watchedMs: 3_600_000, spent: BigInt(payments) * COIN, payments }],
  recent: [],
});

function item(facts: WalletFacts | undefined, problems: readonly Problem[] = [], isRead = true): string {
  const head = isRead ? ({ ok: true, value: { number: 9, timestamp: 0 } } as const) : ({ ok: false, why: '' } as const);
  const state: SubnetState = {
    subnet: { name: 'd', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets: [] },
    targets: [],
    problems,
    facts: { parent: { observation: { head }, at: NOW, ...(facts && { wallet: facts }) } },
  };
  return String(walletItem(state, { toWall: (at) => at, nowWall: NOW }));
}

const textOf = (markup: string): string => words(markup).trim().replace(' ,', ',');

test('the wallet of the relayer stands beside the services, with its balance, spend and days left', () => {
  expect(textOf(item(wallet(60)))).toBe('Wallet 9,000 coins, spends 1,440 a day, 6.2 days left');
});

test('a spend that is not known is not invented, and a balance that is not known shows nothing', () => {
  expect(textOf(item(wallet(0)))).toBe('Wallet 9,000 coins, no spend measured yet');
  expect(textOf(item({ ...wallet(0), recent: [COIN] }))).toBe('Wallet 9,000 coins, daily spend not known yet');
  const minutes = { from: NOW, watchedMs: 1_200_000, spent: 20n * COIN, payments: 20 };
  const young = { ...wallet(0), parts: [minutes] };
  expect(textOf(item(young))).toBe('Wallet 9,000 coins, spends about 1,500 a day, 6.2 days left');
  // It has less than any of its payments took.
  const poor = { ...wallet(0), balance: COIN / 2n, recent: [COIN] };
  expect(item(poor)).not.toContain(item(wallet(0)).slice(0, item(wallet(0)).indexOf('<b>')));
  expect(item(undefined)).toBe('');
});

test('a balance that was not just read says how old it is: it may have been filled since', () => {
  expect(textOf(item({ ...wallet(0, NOW - 25_000), balance: 0n }))).toBe(
    'Wallet 0 coins, read 25 s ago, no spend measured yet',
  );
  expect(textOf(item(wallet(60, NOW - 600_000)))).toBe(
    'Wallet 9,000 coins, read 10 min ago, spends 1,440 a day, 6.2 days left',
  );
});

test('a problem of the wallet that is confirmed shows at it', () => {
  const problem: Problem = {
    ...{ problem: 'wallet_low', summary: '', evidence: '', fix: '', explains: [], causes: [] },
    ...{ severity: 'warning', alert: 'SubnetRelayerWalletLow', since: NOW, seenAt: NOW },
    state: 'open',
  };
  expect(item(wallet(60), [problem])).not.toBe(item(wallet(60)));
  for (const state of ['suspected', 'clearing'] as const)
    expect(item(wallet(60), [{ ...problem, state }])).toBe(item(wallet(60)));
  // What would page if it is confirmed is being checked.
  const suspected = { ...problem, severity: 'critical', state: 'suspected' } as const;
  expect(item(wallet(60), [suspected])).toBe(item(wallet(60), [problem]));
});

test('only a balance that was just read and is not empty has a green mark', () => {
  const markOf = (markup: string) => /class="shape (\w+)"/.exec(markup)?.[1];
  expect(markOf(item(wallet(60)))).toBe('ok');
  expect(markOf(item(wallet(60, NOW - 89_999)))).toBe('ok');
  expect(markOf(item(wallet(60, NOW - 90_000)))).toBe('off');
  expect(markOf(item(wallet(60), [], false))).toBe('off');
  expect(markOf(item({ ...wallet(0), balance: 0n }))).toBe('warn');
  const usedUp = item({ ...wallet(60), balance: COIN / 10_000n });
  expect(markOf(usedUp)).toBe('warn');
  expect(textOf(usedUp)).toBe('Wallet 0.0001 coins, spends 1,440 a day, nothing left');
});
