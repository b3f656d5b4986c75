import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { formatCount } from '../../lib/words.ts';
import {
  cannotPay,
  countPaymentsLeft,
  findLeastPayment,
  findSpend,
  formatCoins,
  formatDays,
  formatSpend,
  isRough,
  OLD_READING_MS,
  roundUp,
  toAddress,
  type WalletFacts,
} from '../../model/parent-chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import { describeBalance, describePayee, listWallets, type RelayerWallet } from '../../model/relay.ts';
import { commandToRecreate } from '../clients/commands-to-type.ts';
import { hasFallen, suspectParent } from './find-parent-problems.ts';
import type { SubnetView } from './subnet-view.ts';
import { type Found, refsTo, suspect } from './suspect.ts';

/** For how long the coins last that are to be sent; the second while their spend is not yet known well. */
const TOP_UP_DAYS = [30n, 14n] as const;

/** A coin, in the smallest unit: 30 blocks cost about a tenth of it at the gas price of a stock relayer, 12.5 gwei. */
const COIN = 10n ** 18n;

/** Below what such a relayer pays for one block, 0.0056 coins. */
const LEAST_SUBMISSION = COIN / 200n;

/** Whether a balance pays for more than any submission: ten times the dearest of the last. */
const isEnough = ({ balance, recent }: WalletFacts): boolean =>
  balance >= COIN && recent.every((payment) => balance >= payment * 10n);

/** Whether a wallet was filled after the relayer could not pay. */
const isRefilled = (wallet: WalletFacts, failedAt: number): boolean => isEnough(wallet) && wallet.richSince > failedAt;

/**
 * The failure of a wallet that cannot pay, with the address and the balance of the wallet that the inventory names. Only a balance
 * that was read since the failure began says anything about it. When the wallet was filled after the last line in the log, it is over.
 */
export function withWallet(found: Suspicion, view: SubnetView): Found {
  const { subnet, facts, before, now } = view;
  const named = subnet.parentChain?.wallet;
  if (found.problem !== 'wallet_without_funds' || named === undefined) return found;
  // Its balance may have shown it before the relayer tried to pay.
  const { since = now } = before.get({ ...found, problem: 'wallet_nearly_empty' }) ?? {};
  // What was foretold has come true.
  const causes = [...found.causes, ...refsTo(found, 'wallet_low', 'wallet_nearly_empty')];
  const address = toAddress(named);
  const { service: relayer } = view.relayer;
  const { wallet } = facts.parent ?? {};
  const failedAt = relayer?.state.facts.logs?.patterns.no_funds?.at ?? now;
  const one = { ...found, causes, lastedMs: now - since, readAt: Math.max(wallet?.readAt ?? 0, failedAt) };
  if (wallet !== undefined && isRefilled(wallet, failedAt)) return undefined;
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
    fix: `put the key of ${address} into PARENTNET_WALLET_PK of common.env and ${commandToRecreate(relayer?.state.target.container)}, or send coins to the wallet of the key that is there`,
  };
}

/** What is seen and what to do when the check of the relayer still fails because it could not pay, though its wallet was filled since. */
export function findRefill(failure: string, view: SubnetView) {
  const { service, errors } = view.relayer;
  const { what } = service?.state.facts.logs?.patterns.no_funds ?? {};
  const [one] = listWallets(view.subnet.parentChain, view.facts).filter(({ role }) => role === 'parent');
  const [error] = errors;
  if (one === undefined || what === undefined || !failure.endsWith(what) || error?.pattern !== 'no_funds')
    return undefined;
  if (!isRefilled(one.wallet, error.at)) return undefined;
  const { balance, richSince } = one.wallet;
  return {
    seen: `${failure}; ${one.address} was seen to be filled ${formatMoment(richSince, view)} and has ${formatCoins(balance)} coins`,
    fix: 'wait for its next try: its wallet was empty when it failed, and has been filled since',
  };
}

const readBalance = (one: RelayerWallet, view: SubnetView): string => {
  const { readAt } = one.wallet;
  return describeBalance(one, view.now - readAt < OLD_READING_MS ? '' : `, read ${formatMoment(readAt, view)}`);
};

/** A wallet with less than each of its last payments took, or any would, before the relayer says that it cannot pay. */
function findUnpaying(view: SubnetView, wallets: readonly RelayerWallet[]): Found {
  const { service: relayer, submittedAt, subject } = view.relayer;
  if (relayer?.state.shownFailures.some(({ name }) => name === 'wallet_without_funds')) return undefined;
  // What has submitted since pays from another wallet, or this one has been filled.
  const isIdle = ({ role, wallet }: RelayerWallet) => role === 'parent' && submittedAt <= wallet.changedAt;
  const isPoor = ({ recent, balance }: WalletFacts) => recent.length === 0 && balance < LEAST_SUBMISSION;
  const one = wallets.find((each) => isIdle(each) && (cannotPay(each.wallet) || isPoor(each.wallet)));
  if (one === undefined) return undefined;
  const least = findLeastPayment(one.wallet);
  const count = one.wallet.recent.length;
  const paid =
    least === undefined
      ? `a submission costs more than ${formatCoins(LEAST_SUBMISSION)} coins at the gas price of a stock relayer`
      : `${count === 1 ? 'when it was last seen to fall, it fell by' : `each of the last ${count} times that it was seen to fall, it fell by at least`} ${formatCoins(least)}`;
  return suspectParent(view, 'wallet_without_funds', {
    summary: 'the wallet of the relayer is out of funds',
    readAt: one.wallet.readAt,
    evidence: `${readBalance(one, view)}, and ${paid}`,
    fix: `send coins to ${describePayee(one)}`,
    causes: refsTo(subject, 'wallet_low', 'wallet_nearly_empty', 'packets_stuck'),
  });
}

/** With one in a quarter of an hour, as a relayer in lite mode makes them, so many payments take a day. Those of a first hour may be dear. */
const FEW_PAYMENTS = 96;

/** A wallet that has coins for only a few more submissions, while nobody knows yet what it spends in a day. */
function findFewLeft(view: SubnetView, wallets: readonly RelayerWallet[]): Found {
  const leftOf = ({ wallet }: RelayerWallet) =>
    findSpend(wallet) === undefined ? (countPaymentsLeft(wallet) ?? FEW_PAYMENTS) : FEW_PAYMENTS;
  const one = wallets.find((each) => leftOf(each) < FEW_PAYMENTS);
  if (one === undefined) return undefined;
  const { recent, readAt } = one.wallet;
  return suspect('wallet_nearly_empty', {
    summary: 'the wallet of the relayer has coins for only a few more payments',
    ...view.relayer.subject,
    readAt,
    evidence: `${readBalance(one, view)}, which is enough for about ${formatCount(leftOf(one), 'more fall', 'more falls')} like its last ${recent.length}; what it spends a day is not known yet`,
    fix: `send coins to ${describePayee(one)}`,
  });
}

/** A wallet that pays for what the relayer does cannot pay, or has coins for some days only: the one that ends first. */
export function findWalletProblem(view: SubnetView): Found {
  const { parent } = view.facts;
  // A chain that has lost the contract, or its blocks, is another one: what the wallet had there, and what it has here, says nothing.
  if (parent && ((parent.progress && parent.contractSince === undefined) || hasFallen(parent))) return undefined;
  const wallets = listWallets(view.subnet.parentChain, view.facts);
  const unpaying = findUnpaying(view, wallets);
  if (unpaying !== undefined) return unpaying;
  const spends = wallets.flatMap((one) => {
    const spend = findSpend(one.wallet);
    return one.wallet.level && spend ? [{ ...one, level: one.wallet.level, spend }] : [];
  });
  const [worst] = spends.toSorted((one, other) => one.spend.daysLeft - other.spend.daysLeft);
  if (worst === undefined) return findFewLeft(view, wallets);
  const { wallet, level, spend } = worst;
  const { perDay, daysLeft, payments, overMs } = spend;
  // A wallet that has paid since it was read has been filled.
  if (daysLeft === 0 && view.relayer.submittedAt > wallet.readAt) return undefined;
  const days = TOP_UP_DAYS[isRough(spend) ? 1 : 0];
  const missing = perDay * days - wallet.balance;
  return suspect(`wallet_${level}`, {
    summary: `the wallet of the relayer runs out in less than ${level === 'low' ? 'a week' : 'two days'}`,
    ...view.relayer.subject,
    readAt: wallet.readAt,
    evidence: `${readBalance(worst, view)}, and it spends ${formatSpend(spend)} a day (seen to fall ${payments} times in ${formatDuration(overMs)}), so ${daysLeft === 0 ? 'less than 2m' : formatDays(daysLeft)} are left`,
    fix: `send ${formatCoins(isRough(spend) ? roundUp(missing) : missing)} coins to ${describePayee(worst)}, which lasts for ${days} days`,
  });
}
