import { formatDuration, formatMoment } from '../../lib/duration.ts';
import {
  findSpend,
  formatCoins,
  formatDays,
  OLD_BALANCE_MS,
  toAddress,
  type WalletFacts,
  type WalletLevel,
} from '../../model/parent-chain.ts';
import type { Problem, ProblemIndex, Suspicion } from '../../model/problem.ts';
import { commandToRecreate } from '../clients/commands-to-type.ts';
import { findRelayer, parentSubject } from './parent-view.ts';
import type { SubnetView } from './subnet-view.ts';
import { suspect } from './suspect.ts';

/** What a top-up should last. */
const TOP_UP_DAYS = 30n;

const PROBLEMS = {
  low: { problem: 'wallet_low', summary: 'the wallet of the relayer runs out in less than a week' },
  nearly_empty: { problem: 'wallet_nearly_empty', summary: 'the wallet of the relayer runs out in less than two days' },
} as const satisfies Record<WalletLevel, Pick<Suspicion, 'problem' | 'summary'>>;

/** A coin, in the smallest unit: 30 blocks cost about a tenth of it at the gas price of a stock relayer, 12.5 gwei. */
const COIN = 10n ** 18n;

/** Whether a balance pays for more than any submission: ten times the dearest of the last. */
const isEnough = ({ balance, recent }: WalletFacts): boolean =>
  balance >= COIN && recent.every((payment) => balance >= payment * 10n);

/**
 * The failure of a wallet that cannot pay, with the address and the balance of the wallet that the inventory names. Only a balance
 * that was read since the failure began says anything about it. When the wallet was filled after the last line in the log, it is over.
 */
export function withWallet(one: Suspicion, view: SubnetView, before: ProblemIndex<Problem>): Suspicion | undefined {
  const { subnet, facts, now } = view;
  const named = subnet.parentChain?.wallet;
  if (one.problem !== 'wallet_without_funds' || named === undefined) return one;
  const address = toAddress(named);
  const relayer = findRelayer(view)?.state;
  const { wallet } = facts.parent ?? {};
  const failedAt = relayer?.facts.logs?.patterns.no_funds?.at ?? now;
  if (wallet !== undefined && isEnough(wallet) && wallet.richSince > failedAt) return undefined;
  if (wallet === undefined || wallet.readAt <= (before.get(one)?.since ?? now)) {
    const fix = `send coins to the wallet that it pays from; the inventory names ${address} (PARENTNET_WALLET)`;
    return { ...one, fix };
  }
  if (!isEnough(wallet)) {
    const evidence = `${one.evidence}; ${address} has ${formatCoins(wallet.balance)} coins`;
    return { ...one, evidence, fix: `send coins to ${address} (PARENTNET_WALLET) on the parent chain` };
  }
  return {
    ...one,
    summary: 'the relayer pays from a wallet that is out of funds, which is not the one in the inventory',
    evidence: `${one.evidence}; that is not ${address} (PARENTNET_WALLET), which has ${formatCoins(wallet.balance)} coins`,
    fix: `put the key of ${address} into PARENTNET_WALLET_PK of common.env and ${commandToRecreate(relayer?.target.container)}, or send coins to the wallet of the key that is there`,
  };
}

/** Whether the relayer has failed for another reason since it was last found unable to pay. */
export function failsOtherwise({ problem, seenAt }: Problem, view: SubnetView): boolean {
  if (problem !== 'wallet_without_funds') return false;
  const modes = Object.values(findRelayer(view)?.state.facts.logs?.relayer?.byMode ?? {});
  return modes.some(({ error }) => error !== undefined && error.pattern !== 'no_funds' && error.at > seenAt);
}

/** The wallet that pays for the submissions has coins for some days only. */
export function findWalletProblem(view: SubnetView): Suspicion | undefined {
  const { wallet } = view.facts.parent ?? {};
  const { wallet: named } = view.subnet.parentChain ?? {};
  const { shownFailures = [] } = findRelayer(view)?.state ?? {};
  // The log of the relayer shows by itself that its wallet cannot pay: that is a problem of its own, and the worse one.
  const isEmpty = shownFailures.some(({ name }) => name === 'wallet_without_funds');
  if (!wallet?.level || named === undefined || isEmpty) return undefined;
  const spend = findSpend(wallet);
  if (spend === undefined) return undefined;
  const { perDay, daysLeft, payments, overMs } = spend;
  const age = view.now - wallet.readAt;
  const read = age < OLD_BALANCE_MS ? '' : `, read ${formatMoment(wallet.readAt, view)}`;
  const missing = perDay * TOP_UP_DAYS - wallet.balance;
  const { problem, summary } = PROBLEMS[wallet.level];
  return suspect(problem, {
    summary,
    ...parentSubject(view),
    evidence: `its balance is ${formatCoins(wallet.balance)} coins${read}, and it spends ${formatCoins(perDay)} a day (${payments} payments in ${formatDuration(overMs)}), so ${daysLeft === 0 ? 'nothing is left' : `${formatDays(daysLeft)} are left`}`,
    fix: `send ${formatCoins(missing)} coins to ${toAddress(named)} (PARENTNET_WALLET) on the parent chain, which lasts for ${TOP_UP_DAYS} days`,
  });
}
