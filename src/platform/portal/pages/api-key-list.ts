import { html } from 'hono/html';
import { DAY_MS, formatSecond } from '../../../lib/duration.ts';
import { ascending } from '../../../lib/numbers.ts';
import type { Standing } from '../../../model/headline.ts';
import { badge, type Html } from '../../../web/frame/marks.ts';
import { ago, count, lasting } from '../../../web/frame/times.ts';
import type { KeyItem } from '../../api/calls/api-keys.ts';
import { warnNote } from '../form.ts';
import { cell, column, row, rowsTable } from '../rows.ts';
import type { Visit } from '../visit.ts';
import { findUserNames } from './record-trail.ts';

/** The path of the section. */
export const KEYS_PATH = '/portal/keys';

/** A key that has ended stays on the page for so long. */
const SHOWN_MS = 90 * DAY_MS;
/** An end within this time is shown as how far it is. */
const NEAR_MS = 14 * DAY_MS;

const STANDINGS: Readonly<Record<KeyItem['State'], Standing>> = {
  active: 'ok',
  'ends soon': 'warn',
  rotated: 'off',
  expired: 'off',
  revoked: 'off',
};

/** The state of a key, as a shape with its word. */
export const keyBadge = ({ State }: KeyItem): Html => badge(STANDINGS[State], State);

/** When a key ends: `never`, `in 5 days`, or a day. */
export function keyEnd({ ExpiryDate }: Pick<KeyItem, 'ExpiryDate'>, now: number): Html | string {
  if (ExpiryDate === null) return 'never';
  const end = Date.parse(ExpiryDate);
  const text = end - now < NEAR_MS ? `in ${lasting(end - now)}` : ExpiryDate.slice(0, 10);
  return html`<time datetime="${ExpiryDate}" title="${formatSecond(end)}">${text}</time>`;
}

const endOf = ({ RevokeDate, ExpiryDate }: KeyItem): string => RevokeDate ?? ExpiryDate ?? '';

/** Is a key still valid? */
export const isValid = ({ State }: KeyItem): boolean => State !== 'expired' && State !== 'revoked';

const linkTo = ({ ApiKeyID, Name }: KeyItem): Html => html`<a href="${KEYS_PATH}/${ApiKeyID}">${Name}</a>`;

const hintOf = ({ Hint }: KeyItem): Html | string =>
  Hint === null ? '' : html`<br><code class="small dim">${Hint}…</code>`;

/** When and from where a key was used last. */
export const lastUse = ({ LastUsedDate, LastUsedIP }: KeyItem, now: number): Html | string =>
  LastUsedDate === null
    ? 'never'
    : html`${ago(Date.parse(LastUsedDate), now)}${LastUsedIP === null ? '' : html`<br><span class="dim">${LastUsedIP}</span>`}`;

/** How many calls a key may send at once now: `187 of 200`. */
export const callsLeft = ({ CallsLeft, CallsOf }: KeyItem): string =>
  CallsLeft === null || CallsOf === null ? 'no limit' : `${count(CallsLeft)} of ${count(CallsOf)}`;

function keyRow(item: KeyItem, now: number): Html {
  const { ApiKeyID, Name, Scopes, State } = item;
  const link = (action: string) =>
    html`<a class="btn" href="${KEYS_PATH}/${ApiKeyID}#${action.toLowerCase()}">${action}<span class="sr"> ${Name}</span></a>`;
  return row(html`${linkTo(item)}${hintOf(item)}`, [
    cell(keyBadge(item)),
    cell(Scopes.join(', '), 'Scopes'),
    cell(html`<span>${lastUse(item, now)}</span>`, 'Last used'),
    cell(callsLeft(item), 'Calls left'),
    cell(keyEnd(item, now), 'Ends'),
    cell(html`<span class="bar">${State === 'rotated' ? '' : link('Rotate')}${link('Revoke')}</span>`, undefined, true),
  ]);
}

function endedRow(item: KeyItem, names: ReadonlyMap<number, string>, now: number): Html {
  const { RevokeDate, RevokeBy } = item;
  const who = RevokeDate === null ? 'its date' : RevokeBy === null ? 'the command line' : names.get(RevokeBy);
  return row(html`${linkTo(item)}${hintOf(item)}`, [
    cell(keyBadge(item)),
    cell(ago(Date.parse(endOf(item)), now), 'Ended'),
    cell(who, 'By'),
  ]);
}

/** The keys that end soon, each with what to do. */
export const endWarnings = (items: readonly KeyItem[], now: number): readonly Html[] =>
  items
    .filter(({ State }) => State === 'ends soon')
    .map((item) =>
      warnNote(
        html`Key “${item.Name}” ends ${keyEnd(item, now)}. <a href="${KEYS_PATH}/${item.ApiKeyID}#rotate">Rotate it</a>: the old key stays valid for as long as you choose.`,
      ),
    );

/** The table of the keys that are valid. */
export function keyTable(items: readonly KeyItem[], now: number): Html {
  const [first] = items;
  const limit = first?.CallsOf == null ? 'no call limit' : `bursts of ${count(first.CallsOf)} calls each`;
  const title = `${count(items.length)} ${items.length === 1 ? 'key' : 'keys'}`;
  const names = ['Key', 'State', 'Scopes', 'Last used', 'Calls left', 'Ends', html`<span class="sr">Actions</span>`];
  const table = rowsTable(
    names.map(column),
    items.map((item) => keyRow(item, now)),
  );
  return html`<section class="panel" aria-labelledby="list"><div class="head"><h2 id="list">${title}</h2>${items.length === 0 ? '' : html`<p class="small dim">${limit}</p>`}</div>
${items.length === 0 ? html`<p class="empty">No valid keys. A program needs one to call the API: create it below.</p>` : table}</section>`;
}

/** The keys that have ended within 90 days, the last one first. */
export async function endedTable({ store, now }: Visit, items: readonly KeyItem[]): Promise<Html> {
  const recent = items.filter((item) => now - Date.parse(endOf(item)) < SHOWN_MS);
  const ended = recent.toSorted((a, b) => ascending(endOf(b), endOf(a)));
  const names = await findUserNames(
    store,
    ended.map(({ RevokeBy }) => RevokeBy),
  );
  const table = rowsTable(
    ['Key', 'State', 'Ended', 'By'].map(column),
    ended.map((item) => endedRow(item, names, now)),
  );
  const none = html`<p class="empty small">None in the last 90 days. Revoked and expired keys are listed here for 90 days, with who ended them.</p>`;
  return html`<section class="panel" aria-labelledby="ended"><h2 id="ended">Ended keys</h2>${ended.length === 0 ? none : table}</section>`;
}
