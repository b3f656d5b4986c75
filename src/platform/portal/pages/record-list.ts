import { html } from 'hono/html';
import { withArticle } from '../../../lib/words.ts';
import { badge, type Html } from '../../../web/frame/marks.ts';
import { ago, count } from '../../../web/frame/times.ts';
import type { Body } from '../../api/check-value.ts';
import { importColumns } from '../../api/import-records.ts';
import { type Outcome, succeed } from '../../api/outcome.ts';
import { addOnce } from '../../api/write-record.ts';
import type { FoundRecords, RecordQuery } from '../../model/records.ts';
import type { ApiRecord, Member, Resource } from '../../model/resource.ts';
import { answerCsv } from '../csv.ts';
import { doneNote, type Field } from '../form.ts';
import { labelOf } from '../member-words.ts';
import type { RecordPanel } from '../panels.ts';
import { cell, option, row, rowsTable } from '../rows.ts';
import { type PortalAnswer, seeOther, type Visit } from '../visit.ts';
import { imageOf } from './record-image.ts';
import { findUserNames } from './record-trail.ts';

/** As many records are on one page. */
const RECORDS_ON_A_PAGE = 50;
const MOST_PAGES = 100_000;

/** What a list of records shows, as its address says it. */
export interface ListView {
  readonly search: string;
  /** Records in use, out of use, or all. */
  readonly state: 'all' | 'used' | 'unused';
  /** The member to sort by, with `-` before it from high to low. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

/** Adds a record; resolves to its id. */
export async function addRecord(resource: Resource, { actor, services }: Visit, body: Body): Promise<Outcome<number>> {
  const added = await addOnce(actor, resource, body, null, services);
  return added.ok ? succeed(added.value.id) : added;
}

/** A resource with the place of its pages. */
export interface ListedResource {
  readonly resource: Resource;
  readonly path: string;
  readonly name: string;
  /** What its records are for, in a sentence. */
  readonly purpose: string;
  /** Whether it is exported and imported as CSV. */
  readonly hasCsv?: boolean;
  /** The pages of the resource that each record belongs to, where there is one. */
  readonly pathOfOwner?: string;
  /** Adds a record by another way than that of the API's add. */
  readonly add?: typeof addRecord;
  /** Changes a field of the form that adds a record. */
  readonly adapt?: (field: Field, visit: Visit) => Field;
  /** Beside the form of each record. */
  readonly panel?: RecordPanel;
}

/** The members with a column of their own; the flag is the column of the state. */
const columnsOf = ({ members, naturalKey }: Resource): readonly Member[] => {
  const shown = members.filter(({ kind }) => kind !== 'password' && kind !== 'boolean');
  const isKey = ({ name }: Member) => name === naturalKey[0];
  return [...shown.filter(isKey), ...shown.filter((member) => !isKey(member))];
};

const sortable = (resource: Resource): readonly string[] => [
  ...columnsOf(resource).map(({ name }) => name),
  resource.flag.member,
  'UpdateDate',
  resource.idMember,
];

/** The words for a record that is in use, and for one that is not. */
const stateWords = ({ flag }: Resource): readonly [used: string, unused: string] =>
  flag.outOfUse ? ['in use', 'deleted'] : ['active', 'inactive'];

/** Reads the address of a list. What makes no sense is the default. */
function parseView(resource: Resource, query: URLSearchParams): ListView {
  const state = query.get('state');
  const sort = query.get('sort') ?? '';
  const page = Number(query.get('page'));
  return {
    // PostgreSQL takes no text with a NUL.
    search: (query.get('search') ?? '').replaceAll('\0', '').slice(0, 200),
    state: state === 'used' || state === 'unused' ? state : 'all',
    sort: sortable(resource).includes(sort.replace(/^-/, '')) ? sort : (resource.naturalKey[0] ?? resource.idMember),
    page: Number.isInteger(page) && page > 0 && page <= MOST_PAGES ? page : 1,
  };
}

/** The same as a query of the store. */
function toQuery({ flag }: Resource, { search, state, sort, page }: ListView): RecordQuery {
  const isOutOfUse = state === 'unused' ? flag.outOfUse : !flag.outOfUse;
  return {
    search,
    ...(state !== 'all' && { where: { [flag.member]: isOutOfUse } }),
    sort: { member: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') },
    offset: (page - 1) * RECORDS_ON_A_PAGE,
    limit: RECORDS_ON_A_PAGE,
  };
}

/** The address of a view of a list. */
const addressOf = (path: string, { search, state, sort, page }: ListView): string => {
  const query = { ...(search && { search }), ...(state !== 'all' && { state }), sort, ...(page > 1 && { page }) };
  return `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
};

const labelIn = (resource: Resource, name: string): string =>
  name === resource.flag.member
    ? 'State'
    : labelOf(name, resource.members.find((member) => member.name === name)?.kind);

function filter({ resource, path }: ListedResource, { search, state, sort }: ListView): Html {
  const [used, unused] = stateWords(resource);
  const orders = sortable(resource).flatMap((name) => {
    const label = name === resource.idMember ? 'ID' : labelIn(resource, name);
    const [up, down] = name.endsWith('Date') ? ['oldest first', 'newest first'] : ['up', 'down'];
    return [option(name, `${label}, ${up}`, sort), option(`-${name}`, `${label}, ${down}`, sort)];
  });
  return html`<form class="bar" method="get" action="${path}" role="search"><label for="search">Search</label><input id="search" type="search" name="search" value="${search}"><span class="pair"><label for="state">State</label> <select id="state" name="state">${option('all', 'all', state)}${option('used', used, state)}${option('unused', unused, state)}</select></span><span class="pair"><label for="sort">Sort by</label> <select id="sort" name="sort">${orders}</select></span><button type="submit">Show</button></form>`;
}

function heading(listed: ListedResource, view: ListView, name: string): Html {
  const isUp = view.sort === name;
  const isDown = view.sort === `-${name}`;
  const order = isUp ? html` aria-sort="ascending"` : isDown ? html` aria-sort="descending"` : '';
  const next = { ...view, sort: isUp ? `-${name}` : name, page: 1 };
  const arrow = isUp ? ' ↑' : isDown ? ' ↓' : '';
  return html`<th scope="col" role="columnheader"${order}><a href="${addressOf(listed.path, next)}">${labelIn(listed.resource, name)}${arrow && html`<span aria-hidden="true">${arrow}</span>`}</a></th>`;
}

function recordRow(
  { resource, path }: ListedResource,
  record: ApiRecord,
  names: ReadonlyMap<number, string>,
  now: number,
): Html {
  const [key, ...others] = columnsOf(resource);
  const [used, unused] = stateWords(resource);
  const isOut = record[resource.flag.member] === resource.flag.outOfUse;
  const changed = String(record.UpdateDate ?? record.CreateDate ?? '');
  const changedBy = names.get(Number(record.UpdateBy ?? record.CreateBy));
  return row(html`<a href="${path}/${record[resource.idMember]}">${record[key?.name ?? '']}</a>`, [
    cell(isOut ? badge('off', unused) : badge('ok', used)),
    ...others.map(({ name, kind }) => cell(imageOf(String(record[name] ?? '')), labelOf(name, kind))),
    cell(
      changed === '' ? '' : html`<span>${ago(Date.parse(changed), now)}${changedBy && ` by ${changedBy}`}</span>`,
      'Changed',
    ),
  ]);
}

function pager({ path }: ListedResource, view: ListView, total: number): Html | string {
  const first = (view.page - 1) * RECORDS_ON_A_PAGE;
  const last = Math.min(total, first + RECORDS_ON_A_PAGE);
  if (total <= RECORDS_ON_A_PAGE) return '';
  const link = (page: number, text: string) => html`<a href="${addressOf(path, { ...view, page })}">${text}</a>`;
  return html`<nav class="line" aria-label="Pages"><span>${count(first + 1)} to ${count(last)} of ${count(total)}</span>${
    view.page > 1 ? link(view.page - 1, 'Previous') : ''
  }${last < total ? link(view.page + 1, 'Next') : ''}</nav>`;
}

async function table(listed: ListedResource, view: ListView, { items }: FoundRecords, visit: Visit): Promise<Html> {
  const { resource } = listed;
  const names = await findUserNames(
    visit.store,
    items.map(({ UpdateBy, CreateBy }) => Number(UpdateBy ?? CreateBy ?? 0) || null),
  );
  const [key, ...others] = columnsOf(resource).map(({ name }) => name);
  const headings = [key ?? '', resource.flag.member, ...others, 'UpdateDate'];
  return rowsTable(
    headings.map((name) => heading(listed, view, name)),
    items.map((record) => recordRow(listed, record, names, visit.now)),
  );
}

/** The list of a resource's records: search, filter, sort, pages. */
export async function showList(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { store, query } = visit;
  const { resource, path, name, purpose } = listed;
  const view = parseView(resource, query);
  const found = await store.search(resource, toQuery(resource, view));
  const lastPage = Math.max(1, Math.ceil(found.total / RECORDS_ON_A_PAGE));
  if (view.page > lastPage) return seeOther(addressOf(path, { ...view, page: lastPage }));
  const isFiltered = view.search !== '' || view.state !== 'all';
  const none = isFiltered
    ? html`<p class="empty">No matching ${resource.plural}. <a href="${path}">Show all</a>.</p>`
    : html`<p class="empty">No ${resource.plural} yet. ${purpose} <a href="${path}/add">Add one</a>.</p>`;
  const summary = `${count(found.total)} ${found.total === 1 ? resource.noun : resource.plural}`;
  const files = listed.hasCsv
    ? html`<a href="${addressOf(`${path}/csv`, { ...view, page: 1 })}">Download as CSV</a> <a href="${path}/import">Import CSV</a> `
    : '';
  return {
    title: name,
    content: html`<div class="head"><h1>${name}</h1><p class="bar"><a href="/portal/audit-log?Resource=${resource.name}">Who changed what</a> ${files}<a class="btn primary" href="${path}/add">Add ${withArticle(resource.noun)}</a></p></div>
${query.get('done') === 'added' ? doneNote(`The ${resource.noun} was added.`) : ''}
${filter(listed, view)}
<section class="panel" aria-labelledby="found"><h2 id="found">${summary}</h2>${found.items.length === 0 ? none : await table(listed, view, found, visit)}${pager(listed, view, found.total)}</section>`,
  };
}

const PAGE = 1_000;

async function* readPages({ resource }: ListedResource, { store, query }: Visit): AsyncGenerator<readonly ApiRecord[]> {
  const asked = { ...toQuery(resource, parseView(resource, query)), offset: 0, limit: PAGE, isUncounted: true };
  for (let after: number | undefined; ; ) {
    const { items } = await store.search(resource, { ...asked, after });
    yield items;
    if (items.length < PAGE) return;
    after = Number(items.at(-1)?.[resource.idMember]);
  }
}

/** The records that the filters of a list leave, as a file that can be changed and imported again. */
export async function recordCsv(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { set, told } = importColumns(listed.resource);
  return answerCsv(visit, listed.resource.plural.replaceAll(' ', '-'), [...set, ...told], readPages(listed, visit));
}
