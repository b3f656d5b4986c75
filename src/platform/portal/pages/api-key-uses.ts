import { html } from 'hono/html';
import { badge, type Html } from '../../../web/frame/marks.ts';
import { ago, count } from '../../../web/frame/times.ts';
import { firstJournalDay, JOURNAL_DAYS } from '../../api/key-journal.ts';
import type { KeyUse } from '../../model/key-use.ts';
import { codeLink } from '../form.ts';
import { cell, column, row, rowsTable } from '../rows.ts';
import type { Visit } from '../visit.ts';

/** So many lines are shown; a key that does the same each day has seven. */
const MOST_SHOWN = 200;

const statusBadge = ({ status }: KeyUse): Html => badge(status < 400 ? 'ok' : 'warn', `HTTP ${status}`);

function useRow(use: KeyUse, now: number): Html {
  const { day, operation, code, lastAt, requestIds } = use;
  const ids = html`${requestIds.map((id) => html`<li><code>${id}</code></li>`)}`;
  return row(day, [
    cell(statusBadge(use)),
    cell(code === 0 ? '' : codeLink(code), 'Code'),
    cell(html`<code>${operation}</code>`, 'Operation'),
    cell(count(use.count), 'Requests'),
    cell(ago(Date.parse(lastAt), now), 'Last'),
    cell(requestIds.length === 0 ? '' : html`<ul>${ids}</ul>`, 'Latest request IDs', true),
  ]);
}

/** How many requests had each status: `12 with HTTP 200, 1 with HTTP 400`. */
const summaryOf = (uses: readonly KeyUse[]): string =>
  [...Map.groupBy(uses, ({ status }) => status)]
    .toSorted(([one], [other]) => one - other)
    .map(([status, own]) => `${count(own.reduce((sum, use) => sum + use.count, 0))} with HTTP ${status}`)
    .join(', ');

/** What a key did in the last seven days: each kind of answer of a day, with the ids of the latest such requests. */
export async function keyUses({ store, services, now }: Visit, keyId: number): Promise<Html> {
  await services.keyJournal.flush();
  const first = firstJournalDay(now);
  const known = (await store.listKeyUses(keyId, MOST_SHOWN + 1)).filter(({ day }) => day >= first);
  const uses = known.slice(0, MOST_SHOWN);
  const isCut = known.length > MOST_SHOWN;
  const table = rowsTable(
    ['Day', 'Status', 'Code', 'Operation', 'Requests', 'Last', 'Latest request IDs'].map(column),
    uses.map((use) => useRow(use, now)),
  );
  const about = `Requests to the API with this key, or with a token made with it, are counted for ${JOURNAL_DAYS} days. What they sent is not kept.`;
  const content =
    uses.length === 0
      ? html`<p class="empty">No requests in the last ${JOURNAL_DAYS} days. ${about}</p>`
      : html`<p class="dim small">${about} ${summaryOf(uses)}.${isCut ? ` Only the newest ${MOST_SHOWN} lines are shown and counted.` : ''}</p>${table}`;
  return html`<section class="panel" id="uses" aria-labelledby="uses-title"><h2 id="uses-title">What it did</h2>${content}</section>`;
}
