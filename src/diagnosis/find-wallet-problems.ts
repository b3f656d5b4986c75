import { formatDuration } from '../model/duration.ts';
import { toAddress } from '../model/parent-chain.ts';
import type { Suspicion } from '../model/problem.ts';
import { findSpend, formatCoins, formatDays, OLD_BALANCE_MS, type WalletLevel } from '../model/wallet-spend.ts';
import { findRelayer, parentSubject } from './parent-view.ts';
import type { SubnetView } from './subnet-view.ts';

/** What a top-up should last. */
const TOP_UP_DAYS = 30n;

const PROBLEMS = {
  low: { problem: 'wallet_low', summary: 'the wallet of the relayer runs out in less than a week' },
  nearly_empty: { problem: 'wallet_nearly_empty', summary: 'the wallet of the relayer runs out in less than two days' },
} as const satisfies Record<WalletLevel, Pick<Suspicion, 'problem' | 'summary'>>;

/** The log of the relayer shows by itself that its wallet cannot pay: that is a problem of its own, and the worse one. */
const isEmpty = (view: SubnetView): boolean =>
  findRelayer(view)?.state.shownFailures.some(({ name }) => name === 'wallet_without_funds') === true;

/** The failure of a wallet that cannot pay, with the address and the balance of the wallet that the inventory names. */
export function withWallet(one: Suspicion, { subnet, facts }: SubnetView): Suspicion {
  const named = subnet.parentChain?.wallet;
  const balance = facts.parent?.wallet?.balance;
  if (one.problem !== 'wallet_without_funds' || named === undefined) return one;
  const address = toAddress(named);
  return {
    ...one,
    evidence: balance === undefined ? one.evidence : `${one.evidence}; ${address} has ${formatCoins(balance)} coins`,
    fix: `send coins to ${address} (PARENTNET_WALLET) on the parent chain`,
  };
}

/** The wallet that pays for the submissions has coins for some days only. */
export function findWalletProblems(view: SubnetView): readonly Suspicion[] {
  const { wallet } = view.facts.parent ?? {};
  const { wallet: named } = view.subnet.parentChain ?? {};
  if (!wallet?.level || named === undefined || isEmpty(view)) return [];
  const spend = findSpend(wallet);
  if (spend === undefined) return [];
  const { perDay, daysLeft, payments, overMs } = spend;
  const age = view.now - wallet.readAt;
  const read = age < OLD_BALANCE_MS ? '' : `, read ${formatDuration(age)} ago`;
  const missing = perDay * TOP_UP_DAYS - wallet.balance;
  return [
    {
      ...PROBLEMS[wallet.level],
      ...parentSubject(view),
      evidence: `its balance is ${formatCoins(wallet.balance)} coins${read}, and it spends ${formatCoins(perDay)} a day (${payments} payments in ${formatDuration(overMs)}), so ${formatDays(daysLeft)} are left`,
      fix: `send ${formatCoins(missing)} coins to ${toAddress(named)} (PARENTNET_WALLET) on the parent chain, which lasts for ${TOP_UP_DAYS} days`,
      explains: [],
      causes: [],
    },
  ];
}
