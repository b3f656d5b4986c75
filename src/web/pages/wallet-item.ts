import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import {
  cannotPay,
  findSpend,
  formatCoins,
  formatDays,
  isRough,
  roundUp,
  toCoins,
  type WalletFacts,
} from '../../model/parent-chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { type Html, shape, standingOfProblems } from '../frame/marks.ts';
import { count, readAgo } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import type { Figure } from './figures.ts';

/** A balance that was read longer ago says nothing of now. */
const OLD_BALANCE_MS = 90_000;

const PROBLEMS: readonly ProblemName[] = ['wallet_low', 'wallet_nearly_empty', 'wallet_without_funds'];

/** An amount as it is read. What is to be sent is typed without commas. */
const coins = (amount: bigint): string =>
  toCoins(amount) < 1_000 ? formatCoins(amount) : count(Math.round(toCoins(amount)));

function describeSpend(wallet: WalletFacts): string {
  const spend = findSpend(wallet);
  if (spend === undefined) return wallet.recent.length === 0 ? 'no spend measured yet' : 'daily spend not known yet';
  return isRough(spend) ? `spends about ${coins(roundUp(spend.perDay))} a day` : `spends ${coins(spend.perDay)} a day`;
}

function describeLeft(wallet: WalletFacts): string {
  const spend = findSpend(wallet);
  if (spend === undefined) return '';
  return `, ${spend.daysLeft === 0 ? 'nothing' : formatDays(spend.daysLeft)} left`;
}

const isUsedUp = (wallet: WalletFacts): boolean => cannotPay(wallet) || findSpend(wallet)?.daysLeft === 0;

const describeAge = ({ readAt }: WalletFacts, { toWall, nowWall }: Moment) => readAgo(toWall(readAt), nowWall);

/** What a wallet has and spends. */
const describeWallet = (wallet: WalletFacts, moment: Moment): Html =>
  html`${coins(wallet.balance)} coins${describeAge(wallet, moment)}, ${describeSpend(wallet)}`;

/** The same, and how long that lasts. */
export const describeSpent = (wallet: WalletFacts, moment: Moment): Html =>
  html`${describeWallet(wallet, moment)}${describeLeft(wallet)}`;

/** What the wallet of the relayer has, spends, and how long it lasts, as text; nothing before its balance was read. */
export function walletText({ facts }: SubnetState): string | undefined {
  const wallet = facts?.parent?.wallet;
  return wallet && `${coins(wallet.balance)} coins, ${describeSpend(wallet)}${describeLeft(wallet)}`;
}

/** The same, with how old that is. */
export function walletWords({ facts }: SubnetState, moment: Moment): Html | undefined {
  const wallet = facts?.parent?.wallet;
  return wallet && describeSpent(wallet, moment);
}

function standingOfWallet({ problems, facts }: SubnetState, { toWall, nowWall }: Moment): Standing {
  const { wallet, observation } = facts?.parent ?? {};
  const isKnown = observation?.head.ok === true && nowWall - toWall(wallet?.readAt ?? 0) < OLD_BALANCE_MS;
  const known: Standing = !isKnown || wallet === undefined ? 'off' : isUsedUp(wallet) ? 'warn' : 'ok';
  return standingOfProblems(problems, PROBLEMS) ?? known;
}

/** The wallet as an item beside the services; nothing before its balance was read. */
export function walletItem(state: SubnetState, moment: Moment): Html {
  const words = walletWords(state, moment);
  return words === undefined
    ? html``
    : html`<li>${shape(standingOfWallet(state, moment))}<b>Wallet</b><span>${words}</span></li>`;
}

/** The same as a figure: how long it lasts, or what is in it. */
export function walletFigure(state: SubnetState, moment: Moment): readonly Figure[] {
  const wallet = state.facts?.parent?.wallet;
  if (wallet === undefined) return [];
  const standing = standingOfWallet(state, moment);
  const spend = findSpend(wallet);
  if (spend === undefined && !isUsedUp(wallet)) {
    const beside = html`${describeSpend(wallet)}${describeAge(wallet, moment)}`;
    return [{ name: 'Wallet', value: `${coins(wallet.balance)} coins`, beside, standing }];
  }
  const value = spend === undefined || isUsedUp(wallet) ? 'empty' : formatDays(spend.daysLeft);
  return [{ name: 'Wallet', value, beside: describeWallet(wallet, moment), standing }];
}
