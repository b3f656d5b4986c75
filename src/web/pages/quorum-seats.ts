import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import type { Member, Quorum, Vote } from '../../model/snapshot.ts';
import { type Html, shape } from '../frame/marks.ts';

/** More seats than these are drawn only for who does not vote. */
const MAX_SEATS = 12;

/** How each vote is shown. */
export const LOOK_OF_VOTE: Readonly<Record<Vote, { readonly standing: Standing; readonly word: string }>> = {
  votes: { standing: 'ok', word: 'votes' },
  silent: { standing: 'bad', word: 'silent' },
  penalised: { standing: 'warn', word: 'penalised' },
  standby: { standing: 'off', word: 'standby' },
  unknown: { standing: 'off', word: 'unknown' },
};

const ORDER: readonly Vote[] = ['votes', 'silent', 'unknown', 'penalised', 'standby'];

function describeSpare({ voting, required }: Quorum, isHalted: boolean): string {
  const spare = voting - required;
  if (spare < 0) return `${-spare} more must vote before a block can be made.`;
  if (isHalted) return 'Enough masternodes can vote, and no block comes all the same.';
  if (spare === 0) return 'A block needs every vote that there is: none is to spare.';
  return `${spare === 1 ? 'One vote is' : `${spare} votes are`} to spare.`;
}

/** One seat for each masternode: those who vote first, with a bar after as many as a block needs. */
export function quorumSeats(members: readonly Member[], quorum: Quorum | undefined, isHalted: boolean): Html {
  const seats = members.flatMap(({ name, vote }) => (vote === undefined ? [] : [{ name, vote }]));
  if (seats.length === 0)
    return html`<p class="empty">The chain has not named its masternodes yet. It is asked once a minute.</p>`;
  const sorted = seats.toSorted((one, other) => ORDER.indexOf(one.vote) - ORDER.indexOf(other.vote));
  const isLong = sorted.length > MAX_SEATS;
  const shown = isLong ? sorted.filter(({ vote }) => vote !== 'votes').slice(0, MAX_SEATS) : sorted;
  const words = quorum === undefined ? 'Who votes cannot be seen from here.' : describeSpare(quorum, isHalted);
  return html`${
    shown.length === 0
      ? html`<p>All ${sorted.length} nodes vote.</p>`
      : html`<ul class="seats">${shown.map(({ name, vote }, index) => {
          const { standing, word } = LOOK_OF_VOTE[vote];
          const need = !isLong && index + 1 === quorum?.required ? ' need' : '';
          return html`<li class="${standing}${need}">${shape(standing)}<b>${name}</b>${word}</li>`;
        })}</ul>`
  }<p class="hint">${words}</p>`;
}
