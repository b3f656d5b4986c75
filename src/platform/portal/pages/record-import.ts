import { hash } from 'node:crypto';
import { html } from 'hono/html';
import Papa from 'papaparse';
import { joinAnd } from '../../../lib/words.ts';
import { badge, type Html } from '../../../web/frame/marks.ts';
import { count } from '../../../web/frame/times.ts';
import { type ImportRow, importColumns, importRecords, type RowOutcome } from '../../api/import-records.ts';
import { type Failure, fail, type Outcome, succeed } from '../../api/outcome.ts';
import type { Resource } from '../../model/resource.ts';
import { fromCell } from '../csv.ts';
import { codeLink, doneNote, form, sentence, warnNote } from '../form.ts';
import { formPage } from '../layout.ts';
import { labelOf, valueText } from '../member-words.ts';
import { cell, column, row, rowsTable } from '../rows.ts';
import type { PortalAnswer, PortalPage, Visit } from '../visit.ts';
import type { ListedResource } from './record-list.ts';

/** The most rows of a file, and its largest size: the form that confirms it is a little larger. */
const MOST_ROWS = 1_000;
const MOST_BYTES = 480 * 1024;

/** The member of the form with the file, or with its text. */
const FILE = 'csv';
/** The member with the digest of the dry run that was shown. */
const SHOWN = 'shown';

/** Reads the text of a file: the rows below its headings. */
function parseRows(resource: Resource, text: string): Outcome<readonly ImportRow[]> {
  const { set, told } = importColumns(resource);
  const { data, meta, errors } = Papa.parse<Record<string, unknown>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (heading) => heading.trim(),
    transform: (value) => fromCell(value.trim()),
  });
  const unknown = meta.fields?.find((name) => !set.includes(name) && !told.includes(name));
  const [error] = errors.filter(({ type }) => type !== 'Delimiter');
  if (data.length === 0)
    return fail(1002, 'the file has no rows; it needs a line of headings, and a row for each record');
  if (unknown !== undefined)
    return fail(1012, `the file has an unknown column ${JSON.stringify(unknown)}; the columns are ${joinAnd(set)}`);
  if (error !== undefined) {
    // Papa Parse counts the headings as a row only where a quote is wrong.
    const number = (error.row ?? 0) + (error.type === 'Quotes' ? 1 : 2);
    return fail(1012, `row ${number} of the file is malformed: ${error.message}`);
  }
  if (Buffer.byteLength(text) > MOST_BYTES)
    return fail(1005, `the file exceeds the maximum of ${MOST_BYTES} bytes; split it`);
  if (data.length > MOST_ROWS) return fail(1005, `the file exceeds the maximum of ${MOST_ROWS} rows; split it`);
  return succeed(data as readonly ImportRow[]);
}

const digestOf = (outcomes: readonly RowOutcome[]): string => hash('sha256', JSON.stringify(outcomes), 'base64url');

const isWrite = ({ kind }: RowOutcome): boolean => kind === 'add' || kind === 'change';

/** The words for an outcome in a dry run, and after it. */
const WORDS = {
  add: ['ok', 'to add', 'added'],
  change: ['ok', 'to change', 'changed'],
  same: ['off', 'unchanged', 'unchanged'],
  refused: ['bad', 'refused', 'refused'],
} as const;

function whatOf(resource: Resource, outcome: RowOutcome): Html | string {
  if (outcome.kind === 'same') return '';
  if (outcome.kind === 'refused') return html`${sentence(outcome.failure.message)} ${codeLink(outcome.failure.code)}`;
  return html`<ul>${Object.entries(outcome.changes).map(([name, { from, to }]) => {
    const label = labelOf(name, resource.members.find((member) => member.name === name)?.kind);
    const before = from === null ? '' : html`<del>${valueText(from)}</del> → `;
    return html`<li>${label}: ${before}${from === null ? valueText(to) : html`<ins>${valueText(to)}</ins>`}</li>`;
  })}</ul>`;
}

function outcomeTable(
  resource: Resource,
  rows: readonly ImportRow[],
  outcomes: readonly RowOutcome[],
  isDone: boolean,
): Html {
  const [key = ''] = resource.naturalKey;
  return rowsTable(
    ['Row', 'Outcome', labelOf(key), 'What'].map(column),
    outcomes.map((outcome, index) => {
      const [standing, planned, done] = WORDS[outcome.kind];
      const words = badge(standing, isDone ? done : planned);
      // The headings are row 1 of a spreadsheet.
      return row(String(index + 2), [
        cell(words),
        cell(rows[index]?.[key] ?? '', labelOf(key)),
        cell(whatOf(resource, outcome), 'What', true),
      ]);
    }),
  );
}

/** How many rows have each outcome: `3 to add, 1 refused`. */
const summaryOf = (outcomes: readonly RowOutcome[], isDone: boolean): string =>
  Object.entries(WORDS)
    .map(
      ([kind, [, planned, done]]) =>
        [outcomes.filter((one) => one.kind === kind).length, isDone ? done : planned] as const,
    )
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${count(number)} ${words}`)
    .join(', ');

/** The page that takes a file. */
export function showImport({ resource, path, name }: ListedResource, { csrf }: Visit, failure?: Failure): PortalPage {
  const { set } = importColumns(resource);
  const fields = [
    { name: FILE, label: 'CSV file', kind: 'file', hint: `UTF-8, at most ${count(MOST_ROWS)} rows.` },
  ] as const;
  const content = html`<h1>Import ${resource.plural}</h1>
<div class="panel record stack"><p>The first line of the file names its columns: ${set.map((column, index) => html`${index === 0 ? '' : ', '}<code>${column}</code>`)}. The <a href="${path}/csv">CSV file of this list</a> has them.</p>
<p>A row with ${set[0]} changes that ${resource.noun}; columns that the file does not have stay as they are. A row without it adds one. Nothing is written before you have seen what each row will do.</p>
${form({ id: 'import', action: `${path}/import/check`, csrf, fields, submit: 'Check the file', failure })}</div>
<p><a href="${path}">${name}</a></p>`;
  return formPage(`Import ${resource.plural}`, content, failure);
}

/** A page with what each row does, or did. */
function showOutcomes(
  { resource, path, name }: ListedResource,
  rows: readonly ImportRow[],
  outcomes: readonly RowOutcome[],
  isDone: boolean,
  notes: Html | string,
): PortalPage {
  const title = isDone ? `Imported ${resource.plural}` : `Check of the import of ${resource.plural}`;
  return {
    title,
    content: html`<h1>${title}</h1>
${notes}
<section class="panel" aria-labelledby="outcomes"><h2 id="outcomes">${summaryOf(outcomes, isDone)}</h2>${outcomeTable(resource, rows, outcomes, isDone)}</section>
<p><a href="${path}/import">${isDone ? 'Import another file' : 'Choose another file'}</a> · <a href="${path}">${name}</a></p>`,
  };
}

function showCheck(
  listed: ListedResource,
  { csrf }: Visit,
  text: string,
  rows: readonly ImportRow[],
  outcomes: readonly RowOutcome[],
  isAgain: boolean,
): PortalPage {
  const writes = outcomes.filter(isWrite).length;
  const hidden = [
    { name: FILE, label: '', kind: 'hidden', value: text },
    { name: SHOWN, label: '', kind: 'hidden', value: digestOf(outcomes) },
  ] as const;
  const submit = `Import ${count(writes)} ${writes === 1 ? 'row' : 'rows'}`;
  const again = isAgain
    ? warnNote(
        'The list has changed since you checked the file. Nothing was written; this is what the rows would do now.',
      )
    : '';
  const notes =
    writes === 0
      ? html`${again}<p class="empty">There is nothing to import.</p>`
      : html`${again}<div class="panel record stack"><p>Nothing has been written yet. Refused and unchanged rows are left out.</p>${form({ id: 'import', action: `${listed.path}/import`, csrf, fields: hidden, submit, takesFile: true })}</div>`;
  return showOutcomes(listed, rows, outcomes, false, notes);
}

/** Shows what each row of a file would do, and changes nothing. */
export async function checkImport(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource } = listed;
  const text = visit.form[FILE] ?? '';
  const rows = parseRows(resource, text);
  if (!rows.ok) return showImport(listed, visit, rows.failure);
  const outcomes = await importRecords(visit.actor, { resource, rows: rows.value, isDryRun: true }, visit.services);
  return showCheck(listed, visit, text, rows.value, outcomes, false);
}

/** Carries out what was shown; if the list has changed in the meantime, it shows that and changes nothing. */
export async function runImport(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource } = listed;
  const { actor, services, form: sent } = visit;
  const text = sent[FILE] ?? '';
  const rows = parseRows(resource, text);
  if (!rows.ok) return showImport(listed, visit, rows.failure);
  const planned = await importRecords(actor, { resource, rows: rows.value, isDryRun: true }, services);
  if (digestOf(planned) !== sent[SHOWN]) return showCheck(listed, visit, text, rows.value, planned, true);
  const outcomes = await importRecords(actor, { resource, rows: rows.value, isDryRun: false }, services);
  const note = doneNote(`${summaryOf(outcomes, true)}.`);
  return showOutcomes(listed, rows.value, outcomes, true, note);
}
