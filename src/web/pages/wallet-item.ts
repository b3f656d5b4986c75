import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import { findSpend, formatCoins, formatDays, OLD_BALANCE_MS, type WalletFacts } from '../../model/parent-chain.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { type Html, shape, standingOfProblems } from '../frame/marks.ts';
import { ago } from '../frame/times.ts';
import type { Moment } from './banner.ts';

const PROBLEMS: readonly ProblemName[] = ['wallet_low', 'wallet_nearly_empty', 'wallet_without_funds'];

function describeSpend(wallet: WalletFacts): string {
  const spend = findSpend(wallet);
  if (spend === undefined) return 'no spend measured yet';
  const left = spend.daysLeft === 0 ? 'nothing' : formatDays(spend.daysLeft);
  return `spends ${formatCoins(spend.perDay)} a day, ${left} left`;
}

const isUsedUp = (wallet: WalletFacts): boolean => wallet.balance === 0n || findSpend(wallet)?.daysLeft === 0;

/** What the wallet of the relayer has, spends, and how long it lasts; nothing before its balance was read. */
export function walletWords({ facts }: SubnetState, { toWall, nowWall }: Moment): Html | undefined {
  const wallet = facts?.parent?.wallet;
  if (wallet === undefined) return undefined;
  const readAt = toWall(wallet.readAt);
  const read = nowWall - readAt < OLD_BALANCE_MS ? '' : html`, read ${ago(readAt, nowWall)}`;
  return html`${formatCoins(wallet.balance)} coins${read}, ${describeSpend(wallet)}`;
}

/** The wallet as an item beside the services; nothing before its balance was read. */
export function walletItem(state: SubnetState, moment: Moment): Html {
  const words = walletWords(state, moment);
  if (words === undefined) return html``;
  const { wallet, observation } = state.facts?.parent ?? {};
  const isKnown = observation?.head.ok === true && moment.nowWall - moment.toWall(wallet?.readAt ?? 0) < OLD_BALANCE_MS;
  const known: Standing = !isKnown || wallet === undefined ? 'off' : isUsedUp(wallet) ? 'warn' : 'ok';
  const standing = standingOfProblems(state.problems, PROBLEMS) ?? known;
  return html`<li>${shape(standing)}<b>Wallet</b><span>${words}</span></li>`;
}
