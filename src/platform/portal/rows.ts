import { html } from 'hono/html';
import type { Html } from '../../web/frame/marks.ts';

/** The heading of a column. */
export const column = (name: Html | string): Html => html`<th scope="col" role="columnheader">${name}</th>`;

/** A cell. The `label` stands before it where there is no room for columns, in a line of its own if it is `full`. */
export const cell = (content: unknown, label?: string, isFull = false): Html =>
  html`<td role="cell"${isFull ? html` class="full"` : ''}${label === undefined ? '' : html` data-l="${label}"`}>${content}</td>`;

/** A row: what it is about, and its cells. */
export const row = (about: Html | string, cells: readonly Html[]): Html =>
  html`<tr role="row"><th scope="row" role="rowheader">${about}</th>${cells}</tr>`;

/** A table of rows. The roles hold where its style makes it another thing than a table. */
export const rowsTable = (columns: readonly Html[], rows: readonly Html[]): Html =>
  html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${columns}</tr></thead><tbody role="rowgroup">
${rows}
</tbody></table>`;

/** A choice of a select. */
export const option = (value: string, text: string, chosen: string | undefined): Html =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`;
