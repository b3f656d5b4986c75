import { html } from 'hono/html';
import { DIRECTIONS, listWallets, WALLETS, WAYS } from '../../model/relay.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import { type Html, shape, standingOfProblems } from '../frame/marks.ts';
import { ago, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { describeSpent } from './wallet-item.ts';

/** The packets of one direction in words; undefined where they are not configured. */
function describePackets({ facts }: SubnetState, direction: (typeof DIRECTIONS)[number], { toWall, nowWall }: Moment) {
  const { observation, packets } = facts?.relay ?? {};
  const [seen, known] = [observation?.packets[direction], packets?.[direction]];
  const { words } = WAYS[direction];
  if (seen?.ok === false) return html`${words} unknown, as ${seen.why}`;
  if (known === undefined) return undefined;
  if (known.oldestAt === undefined) return html`${words} none pending`;
  return html`${words} ${count(known.pending)} pending, the oldest ${ago(toWall(known.oldestAt), nowWall)}`;
}

/** The packets of XDC-Zero as an item beside the services; nothing where none are configured. */
export function packetsItem(state: SubnetState, moment: Moment): Html {
  const words = DIRECTIONS.flatMap((direction) => describePackets(state, direction, moment) ?? []);
  if (words.length === 0) return html``;
  const isRead = Object.values(state.facts?.relay?.observation.packets ?? {}).some(({ ok }) => ok);
  const standing = standingOfProblems(state.problems, ['packets_stuck']) ?? (isRead ? 'ok' : 'off');
  return html`<li>${shape(standing)}<b>Packets</b><span>${words.map((one, at) => html`${at > 0 ? '; ' : ''}${one}`)}</span></li>`;
}

/** The other wallets of the relayer, an item each. */
export const otherWalletItems = ({ subnet, facts }: SubnetState, moment: Moment): readonly Html[] =>
  listWallets(subnet.parentChain, facts)
    .filter(({ role }) => role !== 'parent')
    .map(
      ({ role, wallet, isRead }) =>
        html`<li>${shape(!isRead ? 'off' : wallet.balance === 0n || wallet.level ? 'warn' : 'ok')}<b>Wallet</b><span>${WALLETS[role].setting.replace(/_WALLET_PK$/, '')}: ${describeSpent(wallet, moment)}</span></li>`,
    );
