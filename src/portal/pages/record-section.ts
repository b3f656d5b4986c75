import { html } from 'hono/html';
import type { ApiRecord, Resource } from '../../model/resource.ts';
import { checkDigits } from '../../platform/check-value.ts';
import { ERROR_CODES } from '../../platform/error-codes.ts';
import type { Failure } from '../../platform/outcome.ts';
import { writeRecord } from '../../platform/write-record.ts';
import { failurePage } from '../failure-page.ts';
import { doneNote, type Field, form } from '../form.ts';
import { type PortalAnswer, type PortalPage, type PortalSection, seeOther, type Visit } from '../visit.ts';
import { recordFields, toBody } from './record-form.ts';
import { type ListedResource, showList } from './record-list.ts';
import { recordTrail } from './record-trail.ts';

const NOTES: Readonly<Record<string, string>> = { added: 'was added', saved: 'was saved' };

const missing = ({ codes, noun }: Resource): PortalPage =>
  failurePage({ code: codes.missing, message: `there is no ${noun} with that id` }, 404);

const STALE: Failure = {
  code: 1012,
  message: 'somebody has changed this record since you opened it, and these are its values now; change it again',
};

/** When a record was last changed: a form that was opened before that is stale. */
const stampOf = ({ UpdateDate, CreateDate }: ApiRecord): string => String(UpdateDate ?? CreateDate ?? '');

async function showAdd({ resource, path }: ListedResource, visit: Visit, failure?: Failure): Promise<PortalPage> {
  const title = `Add ${/^[aeiou]/.test(resource.noun) ? 'an' : 'a'} ${resource.noun}`;
  const sent = failure && visit.form;
  const fields = await recordFields(visit.store, resource, undefined, sent);
  return {
    title: failure === undefined ? title : `Error: ${title}`,
    ...(failure && { status: ERROR_CODES[failure.code][0] }),
    content: html`<h1>${title}</h1>
<div class="panel record">${form({ id: 'record', action: `${path}/add`, csrf: visit.csrf, fields, submit: 'Add', failure })}</div>`,
  };
}

async function showRecord(
  { resource, path }: ListedResource,
  visit: Visit,
  record: ApiRecord,
  failure?: Failure,
): Promise<PortalPage> {
  const { store, query, csrf, now } = visit;
  const id = Number(record[resource.idMember]);
  const name = String(record[resource.naturalKey[0] ?? '']);
  const seen: Field = { name: 'seen', label: '', kind: 'hidden', value: stampOf(record) };
  const fields = [
    ...(await recordFields(store, resource, record, failure && failure !== STALE ? visit.form : undefined)),
    seen,
  ];
  const done = NOTES[query.get('done') ?? ''];
  return {
    title: failure === undefined ? name : `Error: ${name}`,
    ...(failure && { status: ERROR_CODES[failure.code][0] }),
    content: html`<div class="head"><h1>${name}</h1><p class="dim">${resource.noun} ${id}</p></div>
${done === undefined || failure !== undefined ? '' : doneNote(`The ${resource.noun} ${done}.`)}
<div class="panel record">${form({ id: 'record', action: `${path}/${id}`, csrf, fields, submit: 'Save', failure })}</div>
${await recordTrail(store, resource, id, now)}`,
  };
}

async function findRecord({ resource }: ListedResource, { store, params }: Visit): Promise<ApiRecord | undefined> {
  const id = checkDigits(params.id ?? '', resource.idMember);
  return id.ok ? store.find(resource, id.value) : undefined;
}

async function add(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource, path } = listed;
  const body = { ...toBody(resource, true, visit.form), CreateBy: visit.session.userId };
  const added = await writeRecord(visit.request(body), resource, undefined, visit.now);
  return added.ok ? seeOther(`${path}/${added.value}?done=added`) : showAdd(listed, visit, added.failure);
}

async function save(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource, path } = listed;
  const record = await findRecord(listed, visit);
  if (record === undefined) return missing(resource);
  if (visit.form.seen !== stampOf(record)) return showRecord(listed, visit, record, STALE);
  const { userId } = visit.session;
  const id = Number(record[resource.idMember]);
  const body = { [resource.idMember]: id, ...toBody(resource, false, visit.form), UpdateBy: userId };
  const saved = await writeRecord(visit.request(body), resource, String(userId), visit.now);
  return saved.ok ? seeOther(`${path}/${id}?done=saved`) : showRecord(listed, visit, record, saved.failure);
}

/** The pages of a resource: its list, a form to add a record, and a page for each with its form and its trail. */
export function createRecordSection(listed: ListedResource, isSensitive = false): PortalSection {
  const { resource, path, name } = listed;
  const show = async (visit: Visit) => {
    const record = await findRecord(listed, visit);
    return record === undefined ? missing(resource) : showRecord(listed, visit, record);
  };
  const one = `${path}/:id{[0-9]+}`;
  const page = { kind: 'signed in', method: 'GET' } as const;
  const change = { kind: 'signed in', method: 'POST', isSensitive } as const;
  return {
    path,
    name,
    routes: [
      { ...page, path, answer: (visit: Visit) => showList(listed, visit) },
      { ...page, path: `${path}/add`, answer: (visit: Visit) => showAdd(listed, visit) },
      { ...change, path: `${path}/add`, answer: (visit: Visit) => add(listed, visit) },
      { ...page, path: one, answer: show },
      { ...change, path: one, answer: (visit: Visit) => save(listed, visit) },
    ],
  };
}
