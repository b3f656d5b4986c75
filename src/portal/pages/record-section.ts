import { html } from 'hono/html';
import type { ApiRecord, Resource } from '../../model/resource.ts';
import { checkDigits } from '../../platform/check-value.ts';
import { ERROR_CODES } from '../../platform/error-codes.ts';
import type { Failure } from '../../platform/outcome.ts';
import { writeRecord } from '../../platform/write-record.ts';
import { failurePage } from '../failure-page.ts';
import { doneNote, type Field, form } from '../form.ts';
import type { RecordAction } from '../record-panel.ts';
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

/** The page of a record. `refused` is its form, or an action of its panel, with why. */
async function showRecord(
  { resource, path, panel }: ListedResource,
  visit: Visit,
  record: ApiRecord,
  refused?: { readonly isForm: boolean; readonly failure: Failure },
): Promise<PortalPage> {
  const failure = refused?.isForm ? refused.failure : undefined;
  const { store, query, csrf, now } = visit;
  const id = Number(record[resource.idMember]);
  const name = String(record[resource.naturalKey[0] ?? '']);
  const seen: Field = { name: 'seen', label: '', kind: 'hidden', value: stampOf(record) };
  const fields = [
    ...(await recordFields(store, resource, record, failure && failure !== STALE ? visit.form : undefined)),
    seen,
  ];
  const key = query.get('done') ?? '';
  const noted = NOTES[key] && `The ${resource.noun} ${NOTES[key]}.`;
  const done = noted ?? panel?.actions.find((action) => action.name === key)?.done;
  const panelFailure = refused?.isForm === false ? refused.failure : undefined;
  return {
    title: refused === undefined ? name : `Error: ${name}`,
    ...(refused && { status: ERROR_CODES[refused.failure.code][0] }),
    content: html`<div class="head"><h1>${name}</h1><p class="dim">${resource.noun} ${id}</p></div>
${done === undefined || refused !== undefined ? '' : doneNote(done)}
<div class="panel record">${form({ id: 'record', action: `${path}/${id}`, csrf, fields, submit: 'Save', failure })}</div>
${panel && (await panel.show(visit, record, `${path}/${id}`, panelFailure))}
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
  if (visit.form.seen !== stampOf(record)) return showRecord(listed, visit, record, { isForm: true, failure: STALE });
  const { userId } = visit.session;
  const id = Number(record[resource.idMember]);
  const body = { [resource.idMember]: id, ...toBody(resource, false, visit.form), UpdateBy: userId };
  const saved = await writeRecord(visit.request(body), resource, String(userId), visit.now);
  return saved.ok
    ? seeOther(`${path}/${id}?done=saved`)
    : showRecord(listed, visit, record, { isForm: true, failure: saved.failure });
}

async function act(listed: ListedResource, visit: Visit, { name, run }: RecordAction): Promise<PortalAnswer> {
  const record = await findRecord(listed, visit);
  if (record === undefined) return missing(listed.resource);
  const done = await run(visit, record);
  if (!done.ok) return showRecord(listed, visit, record, { isForm: false, failure: done.failure });
  return seeOther(`${listed.path}/${record[listed.resource.idMember]}?done=${name}`);
}

/** The pages of a resource: its list, a form to add a record, and a page for each with its form and its trail. */
export function createRecordSection(listed: ListedResource, isSensitive = false): PortalSection {
  const { resource, path, name, panel } = listed;
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
      ...(panel?.actions ?? []).map((action) => ({
        ...change,
        path: `${one}/${action.name}`,
        answer: (visit: Visit) => act(listed, visit, action),
      })),
    ],
  };
}
