import { html } from 'hono/html';
import { formatCount, formatRange } from '../../lib/words.ts';
import type { Standing } from '../../model/headline.ts';
import { describeReason } from '../../model/next-set.ts';
import { type Epoch, hasTurns, type Masternode, type Quorum, type Vote } from '../../model/snapshot.ts';
import type { RangeName } from '../../model/time-range.ts';
import { describeUpgrade } from '../../model/upgrade.ts';
import { badge, type Html, shape } from '../frame/marks.ts';
import { count } from '../frame/times.ts';
import { targetPath } from './paths.ts';

/** More seats than these are drawn only for who does not vote. */
const MAX_SEATS = 12;

/** How each vote is shown. */
const LOOK_OF_VOTE: Readonly<Record<Vote, { readonly standing: Standing; readonly word: string }>> = {
  votes: { standing: 'ok', word: 'votes' },
  silent: { standing: 'bad', word: 'silent' },
  penalised: { standing: 'warn', word: 'penalised' },
  standby: { standing: 'off', word: 'standby' },
  unknown: { standing: 'off', word: 'unknown' },
};

/** What is shown of the vote of a masternode. */
export const shownVote = ({ vote, isDoubtful }: Masternode): Vote => (isDoubtful ? 'unknown' : vote);

const ORDER: readonly Vote[] = ['votes', 'silent', 'unknown', 'penalised', 'standby'];

function describeSpare({ voting, required, starting = 0, doubtful = 0, together }: Quorum, isHalted: boolean): string {
  const spare = voting - required;
  if (spare < 0) return `${formatCount(-spare, 'more vote is', 'more votes are')} needed for a block.`;
  if (isHalted && spare < starting)
    return `${formatCount(starting - spare, 'masternode that has just started', 'masternodes that have just started')} must take part for a block.`;
  if (isHalted && together) return `At most ${together} of those that can vote see each other.`;
  if (isHalted) return 'Enough masternodes can vote, yet no blocks are being made.';
  if (spare === 0) return 'Every remaining vote is needed.';
  if (spare <= starting) return 'There is no spare vote until those that have just started take part.';
  const sure = spare - starting;
  return `${formatRange(sure - doubtful, sure)} ${sure === 1 ? 'spare vote' : 'spare votes'}.`;
}

/** Many masternodes as one bar: those who vote first, with a line after as many as a block needs. */
function voteBar(votes: readonly Vote[], quorum: Quorum | undefined): Html {
  const percent = (count: number) => `${((count / votes.length) * 100).toFixed(1)}%`;
  const parts = ORDER.flatMap((vote) => {
    const start = votes.indexOf(vote);
    return start < 0 ? [] : [{ ...LOOK_OF_VOTE[vote], start, count: votes.lastIndexOf(vote) + 1 - start }];
  });
  const need = quorum && percent(quorum.required);
  return html`<svg class="votes" width="100%" height="20" role="img" aria-label="${parts.map(({ count, word }) => `${count} ${word}`).join(', ')}">${parts.map(
    ({ standing, start, count }) =>
      html`<rect class="${standing}" x="${percent(start)}" width="${percent(count)}" height="100%"/>`,
  )}${need && html`<line x1="${need}" x2="${need}" y2="100%" stroke="currentColor" stroke-width="3"/>`}</svg>`;
}

/** A masternode as it is drawn. */
export interface Seat {
  readonly name: string | Html;
  readonly vote: Vote;
}

/** One seat for each masternode: those who vote first, with a bar after as many as a block needs. */
export function quorumSeats(
  seats: readonly Seat[],
  quorum: Quorum | undefined,
  { isHalted, areAsked }: { readonly isHalted: boolean; readonly areAsked: boolean },
): Html {
  if (seats.length === 0)
    return html`<p class="empty">The masternodes are not known yet. subnetd asks the chain once a minute.</p>`;
  const sorted = seats.toSorted((one, other) => ORDER.indexOf(one.vote) - ORDER.indexOf(other.vote));
  const isLong = sorted.length > MAX_SEATS;
  const shown = isLong ? sorted.filter(({ vote }) => vote !== 'votes').slice(0, MAX_SEATS) : sorted;
  const unknown = areAsked ? 'Votes are not visible from here.' : 'Not all nodes have been asked yet.';
  const words = quorum === undefined ? unknown : describeSpare(quorum, isHalted);
  return html`${
    isLong
      ? voteBar(
          sorted.map(({ vote }) => vote),
          quorum,
        )
      : ''
  }${
    shown.length === 0
      ? html`<p>All ${sorted.length} nodes vote.</p>`
      : html`<ul class="seats">${shown.map(({ name, vote }, index) => {
          const { standing, word } = LOOK_OF_VOTE[vote];
          const need = !isLong && index + 1 === quorum?.required ? ' need' : '';
          return html`<li class="${standing}${need}">${shape(standing)}<b>${name}</b>${word}</li>`;
        })}</ul>`
  }<p class="hint">${words}</p>`;
}

/** More masternodes than these are folded. */
const MAX_OPEN = 20;
/** More are not on the page; a chain has 108 at most. */
const MAX_ROWS = 200;

const WORST_FIRST: readonly Vote[] = ['silent', 'penalised', 'unknown', 'standby', 'votes'];

/** Whether one that has turns now has none in the next epoch, as chosen or predicted. */
const leaves = ({ leavesInEpoch, next, vote }: Masternode): boolean =>
  leavesInEpoch !== undefined || (next !== undefined && next.state !== 'active' && hasTurns({ vote }));

/** Lower is worse. Of those that vote, who leaves comes first, then who misses the most rounds. */
function compare(one: Masternode, other: Masternode): number {
  const rank = (masternode: Masternode) => WORST_FIRST.indexOf(shownVote(masternode)) - (leaves(masternode) ? 0.5 : 0);
  return rank(one) - rank(other) || (other.missedRounds ?? 0) - (one.missedRounds ?? 0);
}

/** A page with any character beyond Latin-1 takes twice the memory, so the ellipsis is written as HTML. */
export const shorten = (address: string): Html => html`${address.slice(0, 6)}&hellip;${address.slice(-4)}`;

const number = (value: number | undefined): string => (value === undefined ? '' : count(value));

const share = (value: number | undefined): string => (value === undefined ? '' : `${(value * 100).toFixed(1)} %`);

/** What becomes of one that has no turns next, and up to when that can be changed. */
function describeFate({ next, vote }: Masternode, { next: set }: Epoch): string {
  if (next === undefined || set === undefined || set.isChosen) return '';
  if (next.state === 'active') return hasTurns({ vote }) ? '' : 'will be back';
  const why = describeReason(next);
  const unless =
    next.signBy !== undefined
      ? ` unless it is in sync before block ${count(next.signBy)}`
      : next.makeBy === undefined
        ? ''
        : ` unless it makes a block by round ${count(next.makeBy)}`;
  return `will have no turns${unless}${why === '' ? '' : `: ${why}`}`;
}

function describeNext(masternode: Masternode, epoch: Epoch): string {
  const { backInEpoch, leavesInEpoch } = masternode;
  const { number, isNextKnown } = epoch;
  if (backInEpoch !== undefined) return `back in epoch ${count(backInEpoch)}`;
  if (leavesInEpoch !== undefined) return `drops out in epoch ${count(leavesInEpoch)}`;
  const fate = describeFate(masternode, epoch);
  if (fate !== '') return fate;
  return !hasTurns(masternode) && isNextKnown && number !== undefined
    ? `not back before epoch ${count(number + 2)}`
    : '';
}

const seconds = (ms: number | undefined): string =>
  ms === undefined ? '' : `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;

/** What is told of a masternode beside its state. */
const COLUMNS: readonly (readonly [title: string, tell: (one: Masternode, epoch: Epoch) => string])[] = [
  ['Blocks made', ({ blocksMade }) => number(blocksMade)],
  ['Rounds missed', ({ missedRounds }) => number(missedRounds)],
  ['Votes missing', ({ votesMissing }) => number(votesMissing)],
  ['Missed lately', ({ lag }) => share(lag?.missedShare)],
  ['Block delay', ({ lag }) => seconds(lag?.delayMs)],
  ['Next epoch', describeNext],
];

function rowHead(subnet: string, masternode: Masternode, range?: RangeName): Html {
  const { address, name, alsoOf = [], presumed } = masternode;
  const { standing, word } = LOOK_OF_VOTE[shownVote(masternode)];
  const short = shorten(address);
  const links = [name ?? [], alsoOf]
    .flat()
    .map((one, index) => html`${index === 0 ? '' : ' and '}<a href="${targetPath(subnet, one, range)}">${one}</a>`);
  const who =
    name === undefined
      ? html`<span title="${address}">${short}</span> <small class="dim">${presumed === undefined ? 'no known node' : `probably ${presumed}`}</small>`
      : html`${links}${links.length > 1 ? ', with one key' : ''} <small class="dim" title="${address}">${short}</small>`;
  return html`<th scope="row" role="rowheader">${who}</th><td role="cell">${badge(standing, word)}</td>`;
}

/** Only the columns in which something stands. */
function table(subnet: string, epoch: Epoch, masternodes: readonly Masternode[], range?: RangeName): Html {
  const columns = COLUMNS.filter(([, tell]) => masternodes.some((one) => tell(one, epoch) !== ''));
  const cells = (one: Masternode) =>
    columns.map(([title, tell]) => html`<td role="cell" data-l="${title}">${tell(one, epoch)}</td>`);
  return html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${['Masternode', 'State', ...columns.map(([title]) => title)].map((title) => html`<th scope="col" role="columnheader">${title}</th>`)}</tr></thead><tbody role="rowgroup">
${masternodes.map((one) => html`<tr role="row">${rowHead(subnet, one, range)}${cells(one)}</tr>`)}
</tbody></table>`;
}

/** Where the epoch is, and when the next one is decided. */
function describeEpoch(epoch: Epoch): string {
  const { number, firstBlock, block, round, choiceBlock, nextFirstBlock, isNextAtLatest, next } = epoch;
  const now = `As of block ${count(block)}, round ${count(round)}.`;
  if (number === undefined || nextFirstBlock === undefined) return now;
  const began =
    firstBlock === undefined ? ` is ${count(number)}` : ` ${count(number)} began at block ${count(firstBlock)}`;
  const choice =
    choiceBlock === undefined
      ? ''
      : `; its masternodes ${block < choiceBlock ? 'are chosen' : 'were chosen'} at block ${count(choiceBlock)}`;
  const at = `${count(nextFirstBlock)}${isNextAtLatest ? ' at the latest' : ''}`;
  const { total, required, voting, doubtful = 0 } = next ?? { total: 0, required: 0, voting: 0 };
  const votes =
    next === undefined
      ? ''
      : ` ${next.isChosen ? 'It has' : 'As things go it has'} ${formatCount(total, 'masternode', 'masternodes')}: ${formatRange(voting - doubtful, voting)} can vote, ${count(required)} are needed.`;
  return `${firstBlock === undefined ? 'The epoch' : 'Epoch'}${began}. ${now} The next one begins at block ${at}${choice}.${votes}`;
}

/** What each masternode does in the epoch, the worst first. */
export function masternodeRows(subnet: string, epoch: Epoch | undefined, range?: RangeName): Html {
  if (epoch === undefined)
    return html`<p class="empty">The masternodes are not known yet. subnetd asks the chain once a minute.</p>`;
  const sorted = epoch.masternodes.toSorted(compare);
  const change =
    epoch.upgrade && html`<p><strong>Settings will change:</strong> ${describeUpgrade(epoch.upgrade)}.</p>`;
  const words = html`${change ?? ''}<p class="hint">${describeEpoch(epoch)}</p>`;
  if (sorted.length <= MAX_OPEN) return html`${table(subnet, epoch, sorted, range)}${words}`;
  const isWell = (masternode: Masternode) => shownVote(masternode) === 'votes' && !leaves(masternode);
  const troubled = sorted.filter((one) => !isWell(one)).slice(0, MAX_OPEN);
  const folded = sorted.filter((one) => !troubled.includes(one)).slice(0, MAX_ROWS);
  const more = sorted.length - troubled.length - folded.length;
  return html`${troubled.length === 0 ? html`<p>All ${count(sorted.length)} masternodes vote.</p>` : table(subnet, epoch, troubled, range)}
<details><summary>${count(sorted.length - troubled.length)} ${troubled.length === 0 ? '' : 'other '}masternodes</summary>${table(subnet, epoch, folded, range)}</details>
${more > 0 ? html`<p class="empty">${count(more)} more are in <a href="/masternodes.json?${new URLSearchParams({ subnet })}">masternodes.json</a>.</p>` : ''}${words}`;
}
