import { html } from 'hono/html';
import { withArticle } from '../../../lib/words.ts';
import type { Html } from '../../../web/frame/marks.ts';
import { checkDigits } from '../../api/check-value.ts';
import { imageMembersOf } from '../../api/images.ts';
import type { Failure } from '../../api/outcome.ts';
import { recordTag } from '../../api/record-tag.ts';
import { updateKnown } from '../../api/write-record.ts';
import type { ApiRecord, Resource } from '../../model/resource.ts';
import { doneNote, type Field, form } from '../form.ts';
import { failurePage, formPage } from '../layout.ts';
import { labelOf } from '../member-words.ts';
import type { RecordAction } from '../panels.ts';
import {
  type PortalAnswer,
  type PortalPage,
  type PortalSection,
  type SignedInRoute,
  seeOther,
  type Visit,
} from '../visit.ts';
import { findMissing, recordFields, toBody } from './record-form.ts';
import { takeImage } from './record-image.ts';
import { checkImport, runImport, showImport } from './record-import.ts';
import { addRecord, type ListedResource, recordCsv, showList } from './record-list.ts';
import { recordTrail } from './record-trail.ts';

/** What was done, by the value of `done` in the address, which anybody may have written. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ['added', 'was added'],
  ['saved', 'was saved'],
]);

const missing = ({ codes, noun }: Resource): PortalPage =>
  failurePage({ code: codes.missing, message: `there is no ${noun} with that id` }, 404);

const same = (field: Field): Field => field;

/** The member of the form with the tag of the record as it was when the form was opened. */
const SEEN = 'seen';

/** A refusal that has the current tag: somebody else was faster. */
const isStale = ({ headers }: Failure): boolean => headers?.etag !== undefined;

const toStale = (failure: Failure): Failure => ({
  ...failure,
  message: 'this record has changed since you opened it; these are its current values, so make your change again',
});

/** What was refused on the page of a record: its form, or an action of its panel. */
interface Refused {
  readonly isForm: boolean;
  readonly failure: Failure;
}

/** Instead of a form that nobody could complete: what must be added first. */
const addFirst = ({ resource, pathOfOwner }: ListedResource, owner: Resource): Html =>
  html`<p class="empty">Each ${resource.noun} belongs to ${withArticle(owner.noun)}, and there is none in use. <a href="${pathOfOwner}/add">Add ${withArticle(owner.noun)}</a> first.</p>`;

async function showAdd(listed: ListedResource, visit: Visit, failure?: Failure): Promise<PortalPage> {
  const { resource, path, adapt = same } = listed;
  const title = `Add ${withArticle(resource.noun)}`;
  const owner = await findMissing(visit.store, resource);
  if (owner !== undefined) return { title, content: html`<h1>${title}</h1>${addFirst(listed, owner)}` };
  const sent = failure && visit.form;
  const fields = (await recordFields(visit.store, resource, undefined, sent)).map((field) => adapt(field, visit));
  const content = html`<h1>${title}</h1>
<div class="panel record">${form({ id: 'record', action: `${path}/add`, csrf: visit.csrf, fields, submit: 'Add', failure })}</div>`;
  return formPage(title, content, failure);
}

/** The members that the form has no field for, as no request to the API sets them. */
const setElsewhere = ({ members }: Resource, record: ApiRecord): readonly Html[] =>
  members
    .filter(({ kind }) => kind === 'unset')
    .map(
      ({ name }) =>
        html`<p class="hint">${labelOf(name)} <code>${name}</code>: ${record[name] ?? 'none'}. Users set their own, under Your account.</p>`,
    );

/** The page of a record. `refused` is its form, or an action of its panel, with why. */
async function showRecord(
  { resource, path, panel }: ListedResource,
  visit: Visit,
  record: ApiRecord,
  refused?: Refused,
): Promise<PortalPage> {
  const failure = refused?.isForm ? refused.failure : undefined;
  const { store, query, csrf, now } = visit;
  const sent = failure === undefined || isStale(failure) ? undefined : visit.form;
  const id = Number(record[resource.idMember]);
  const name = String(record[resource.naturalKey[0] ?? '']);
  const seen: Field = { name: SEEN, label: '', kind: 'hidden', value: sent?.[SEEN] ?? recordTag(record) };
  const fields = [...(await recordFields(store, resource, record, sent)), seen];
  const key = query.get('done') ?? '';
  const noted = NOTES.get(key);
  const done =
    noted === undefined ? panel?.actions.find((action) => action.name === key)?.done : `The ${resource.noun} ${noted}.`;
  const panelFailure = refused?.isForm === false ? refused.failure : undefined;
  const content = html`<div class="head"><h1>${name}</h1><p class="dim">${resource.noun} ${id}</p></div>
${done === undefined || refused !== undefined ? '' : doneNote(done)}
<div class="panel record">${form({ id: 'record', action: `${path}/${id}`, csrf, fields, submit: 'Save', failure })}${setElsewhere(resource, record)}</div>
${panel && (await panel.show(visit, record, `${path}/${id}`, panelFailure))}
${await recordTrail(store, resource, id, now)}`;
  return formPage(name, content, refused?.failure);
}

async function findRecord({ resource }: ListedResource, { store, params }: Visit): Promise<ApiRecord | undefined> {
  const id = checkDigits(params.id ?? '', resource.idMember);
  return id.ok ? store.find(resource, id.value) : undefined;
}

async function add(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource, path } = listed;
  const sent = await takeImage(visit, resource);
  if (!sent.ok) return showAdd(listed, visit, sent.failure);
  const body = { ...toBody(resource, true, sent.value), CreateBy: visit.session.userId };
  const added = await (listed.add ?? addRecord)(resource, visit, body);
  if (added.ok) return seeOther(`${path}/${added.value}?done=added`);
  return showAdd(listed, { ...visit, form: sent.value }, added.failure);
}

async function save(listed: ListedResource, visit: Visit): Promise<PortalAnswer> {
  const { resource, path } = listed;
  const record = await findRecord(listed, visit);
  if (record === undefined) return missing(resource);
  const { userId } = visit.session;
  const sent = await takeImage(visit, resource);
  if (!sent.ok) return showRecord(listed, visit, record, { isForm: true, failure: sent.failure });
  const id = Number(record[resource.idMember]);
  const body = { [resource.idMember]: id, ...toBody(resource, false, sent.value), UpdateBy: userId };
  // Only if the record is still the one that the form was opened with.
  const seen = sent.value[SEEN] ?? '';
  const ifMatch = /^"[\w-]+"$/.test(seen) ? seen : '""';
  const update = { updatedBy: String(userId), body, ifMatch };
  const saved = await updateKnown(visit.actor, resource, update, visit.services);
  if (saved.ok) return seeOther(`${path}/${id}?done=saved`);
  const { failure } = saved;
  if (!isStale(failure)) return showRecord(listed, { ...visit, form: sent.value }, record, { isForm: true, failure });
  const current = (await findRecord(listed, visit)) ?? record;
  return showRecord(listed, visit, current, { isForm: true, failure: toStale(failure) });
}

async function act(listed: ListedResource, visit: Visit, { name, run }: RecordAction): Promise<PortalAnswer> {
  const record = await findRecord(listed, visit);
  if (record === undefined) return missing(listed.resource);
  const done = await run(visit, record);
  if (!done.ok) return showRecord(listed, visit, record, { isForm: false, failure: done.failure });
  return seeOther(`${listed.path}/${record[listed.resource.idMember]}?done=${name}`);
}

const page = { kind: 'signed in', method: 'GET' } as const;

/** A list as a file, and a file into the list. */
const csvRoutes = (listed: ListedResource): readonly SignedInRoute[] => {
  const { path } = listed;
  const change = { kind: 'signed in', method: 'POST', takesFile: 'text' } as const;
  return [
    { ...page, path: `${path}/csv`, answer: (visit) => recordCsv(listed, visit) },
    { ...page, path: `${path}/import`, answer: async (visit) => showImport(listed, visit) },
    { ...change, path: `${path}/import/check`, answer: (visit) => checkImport(listed, visit) },
    { ...change, path: `${path}/import`, answer: (visit) => runImport(listed, visit) },
  ];
};

/** The pages of a resource: its list, a form to add a record, and a page for each with its form and its trail. */
export function createRecordSection(listed: ListedResource, isSensitive = false): PortalSection {
  const { resource, path, name, panel } = listed;
  const show = async (visit: Visit) => {
    const record = await findRecord(listed, visit);
    return record === undefined ? missing(resource) : showRecord(listed, visit, record);
  };
  const one = `${path}/:id{[0-9]+}`;
  const change = { kind: 'signed in', method: 'POST', isSensitive } as const;
  const write = imageMembersOf(resource).length > 0 ? ({ ...change, takesFile: 'image' } as const) : change;
  return {
    path,
    name,
    routes: [
      { ...page, path, answer: (visit: Visit) => showList(listed, visit) },
      { ...page, path: `${path}/add`, answer: (visit: Visit) => showAdd(listed, visit) },
      { ...write, path: `${path}/add`, answer: (visit: Visit) => add(listed, visit) },
      ...(listed.hasCsv ? csvRoutes(listed) : []),
      { ...page, path: one, answer: show },
      { ...write, path: one, answer: (visit: Visit) => save(listed, visit) },
      ...(panel?.actions ?? []).map((action) => ({
        ...change,
        path: `${one}/${action.name}`,
        answer: (visit: Visit) => act(listed, visit, action),
      })),
    ],
  };
}
