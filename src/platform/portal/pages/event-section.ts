import { html } from 'hono/html';
import { badge, type Html } from '../../../web/frame/marks.ts';
import { ago, count } from '../../../web/frame/times.ts';
import type { EventItem } from '../../api/calls/list-audit.ts';
import { adminUser, resources } from '../../api/resources.ts';
import type { PlatformStore } from '../../model/platform-store.ts';
import { SECURITY_ACTIONS, SECURITY_EVENTS, type SecurityAction } from '../../model/security-event.ts';
import { failureNote } from '../form.ts';
import { formPage } from '../layout.ts';
import { cell, column, option, row, rowsTable } from '../rows.ts';
import type { PortalPage, PortalSection, Visit } from '../visit.ts';
import { eventCsv, MOST_IN_CSV } from './event-csv.ts';
import { type EventPage, filtersOf, readEvents } from './read-events.ts';
import { changeList, findUserNames } from './record-trail.ts';

/** One of the two logs. */
interface EventLog {
  readonly path: string;
  readonly name: string;
  readonly isSecurity: boolean;
  readonly hint: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

const ON_A_PAGE = 50;
/** The pages of the records. */
const PAGES: Readonly<Record<string, string>> = {
  AdminUser: '/portal/users',
  ProjectType: '/portal/project-types',
  Sector: '/portal/sectors',
  Industry: '/portal/industries',
  ApiKey: '/portal/keys',
  OneTimeCodes: '/portal/users',
};
/** The words for what is not a resource. */
const NOUNS: Readonly<Record<string, string>> = {
  ApiKey: 'API key',
  OneTimeCodes: 'one-time codes',
  Request: 'request',
};

const nounOf = (name: string): string => resources.find((one) => one.name === name)?.noun ?? NOUNS[name] ?? name;

function filter(log: EventLog, filters: Readonly<Record<string, string>>): Html {
  const input = (name: string, label: string, type: string) =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${filters[name] ?? ''}" autocomplete="off"></div>`;
  const select = (name: string, label: string, choices: readonly (readonly [string, string])[]) =>
    html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${option('', 'all', undefined)}${choices.map(([value, text]) => option(value, text, filters[name]))}</select></div>`;
  return html`<form class="panel filters" method="get" action="${log.path}" role="search" aria-label="Filters">
${input('since', 'Since', 'date')}${input('until', 'Before', 'date')}
${select(
  'Action',
  'Action',
  log.actions.map((action) => [action, action]),
)}${select(
  'Resource',
  'About',
  log.resources.map((name) => [name, nounOf(name)]),
)}
${input('RecordID', 'ID of the record', 'text')}${input('UserID', 'ID of the user', 'text')}${input('IP', 'Address', 'text')}${input('RequestID', 'Request', 'text')}
<div class="bar"><button class="primary" type="submit">Show</button>${Object.keys(filters).length > 0 ? html` <a href="${log.path}">Show all</a>` : ''}</div></form>`;
}

const addressOf = (path: string, query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** What the events of a page mention, by name. */
interface Names {
  /** Of users by their id. */
  readonly users: ReadonlyMap<number, string>;
  /** Of what the events are about, see `keyOf`. */
  readonly subjects: ReadonlyMap<string, string>;
}

const keyOf = ({ Resource: name, RecordID: id }: EventItem): string => `${name} ${id}`;

function subjectOf(event: EventItem, { subjects }: Names): Html {
  const { Resource: name, RecordID: id } = event;
  const page = PAGES[name];
  if (page === undefined) return id === 0 ? html`${nounOf(name)}` : html`${nounOf(name)} ${id}`;
  return html`<a href="${page}/${id}">${nounOf(name)} ${subjects.get(keyOf(event)) ?? id}</a>`;
}

function eventRow(log: EventLog, event: EventItem, names: Names, now: number): Html {
  const { Date: at, Action, UserID, StatedBy, Credential, IP, RequestID, Changes } = event;
  const filterBy = (name: string, value: string | number, text: string) =>
    html`<a href="${addressOf(log.path, { [name]: String(value) })}">${text}</a>`;
  const user =
    UserID === null ? '' : html`${filterBy('UserID', UserID, names.users.get(UserID) ?? `user ${UserID}`)}, `;
  const stated = StatedBy !== null && StatedBy !== UserID ? ` on behalf of ${names.users.get(StatedBy)}` : '';
  const resource = resources.find(({ name }) => name === event.Resource);
  const action = log.isSecurity
    ? badge(SECURITY_EVENTS[Action as SecurityAction]?.[0] === 'info' ? 'ok' : 'warn', Action)
    : Action;
  const request =
    RequestID === null ? '' : html`<small class="dim">Request ${filterBy('RequestID', RequestID, RequestID)}</small>`;
  return row(ago(Date.parse(at), now), [
    cell(action),
    cell(subjectOf(event, names), 'About'),
    cell(html`${user}${Credential === 'none' ? 'nobody' : Credential}${stated}`, 'Who'),
    cell(IP === null ? '' : filterBy('IP', IP, IP), 'From'),
    cell(html`${changeList(resource, Changes, names.users)}${request}`, 'What', true),
  ]);
}

const HEADINGS = ['When', 'Action', 'About', 'Who', 'From', 'What'];

const table = (log: EventLog, { items }: EventPage, names: Names, now: number): Html =>
  rowsTable(
    HEADINGS.map(column),
    items.map((event) => eventRow(log, event, names, now)),
  );

/** The names that records of one kind have now, by id. */
async function findNames(
  store: PlatformStore,
  name: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  // A key and the one that replaced it have the same name.
  if (name === 'ApiKey') return new Map((await store.listKeys()).map((key) => [key.id, `${key.name} (${key.id})`]));
  const resource = name === 'OneTimeCodes' ? adminUser : resources.find((one) => one.name === name);
  return resource === undefined ? new Map() : store.findNames(resource, ids);
}

async function namesOf({ store }: Visit, { items }: EventPage): Promise<Names> {
  const users = await findUserNames(
    store,
    items.flatMap(({ UserID, StatedBy }) => [UserID, StatedBy]),
    items.map(({ Changes }) => Changes),
  );
  const subjects = new Map<string, string>();
  for (const [resource, events] of Map.groupBy(items, (item) => item.Resource)) {
    const ids = events.map(({ RecordID }) => RecordID);
    for (const [id, name] of await findNames(store, resource, ids)) subjects.set(`${resource} ${id}`, name);
  }
  return { users, subjects };
}

async function showLog(log: EventLog, visit: Visit): Promise<PortalPage> {
  const { query, now } = visit;
  const { path, name, isSecurity, hint } = log;
  const filters = filtersOf(query);
  const after = query.get('after') ?? undefined;
  const read = await readEvents(visit, isSecurity, { limit: ON_A_PAGE, after });
  const head = html`<div class="head"><h1>${name}</h1><p><a href="${addressOf(`${path}/csv`, filters)}">Download as CSV</a></p></div>
<p class="dim">${hint} A file holds at most the newest ${count(MOST_IN_CSV)} matching events.</p>`;
  if (!read.ok) return formPage(name, html`${head}${failureNote(read.failure)}${filter(log, filters)}`, read.failure);
  const { items, next } = read.value;
  const older = next === undefined ? undefined : addressOf(path, { ...filters, after: String(next) });
  const pages =
    older === undefined && after === undefined
      ? ''
      : html`<nav class="line" aria-label="Pages">${after === undefined ? '' : html`<a href="${addressOf(path, filters)}">Newest</a>`}${older === undefined ? '' : html`<a href="${older}">Older</a>`}</nav>`;
  const events =
    items.length === 0
      ? html`<p class="empty">No matching events.</p>`
      : table(log, read.value, await namesOf(visit, read.value), now);
  return {
    title: name,
    content: html`${head}${filter(log, filters)}<section class="panel" aria-labelledby="events"><h2 id="events">Events, newest first</h2>${events}${pages}</section>`,
  };
}

function createEventSection(log: EventLog): PortalSection {
  const { path, name, isSecurity } = log;
  const page = { kind: 'signed in', method: 'GET' } as const;
  return {
    path,
    name,
    routes: [
      { ...page, path, answer: (visit: Visit) => showLog(log, visit) },
      { ...page, path: `${path}/csv`, answer: (visit: Visit) => eventCsv(visit, isSecurity) },
    ],
  };
}

/** Who changed what. */
export const auditLog: PortalSection = createEventSection({
  path: '/portal/audit-log',
  name: 'Audit log',
  isSecurity: false,
  hint: 'Who changed what. Kept forever.',
  actions: ['add', 'update', 'rotate', 'revoke', 'enrol', 'renew', 'remove'],
  resources: [...resources.map(({ name }) => name), 'ApiKey', 'OneTimeCodes'],
});

/** Who signed in, and who was refused. */
export const securityLog: PortalSection = createEventSection({
  path: '/portal/security-log',
  name: 'Security log',
  isSecurity: true,
  hint: 'Who signed in, and who was refused. Kept for 90 days.',
  actions: SECURITY_ACTIONS,
  resources: ['AdminUser', 'ApiKey', 'Request'],
});
