import { html } from 'hono/html';
import { DAY_MS } from '../../../lib/duration.ts';
import { type Html, shape } from '../../../web/frame/marks.ts';
import { addKey, endKey, type KeyItem, listKeys, replaceKey, restrictKey } from '../../api/calls/api-keys.ts';
import type { Body } from '../../api/check-value.ts';
import type { Failure, Outcome } from '../../api/outcome.ts';
import { SCOPES } from '../../model/platform-store.ts';
import { doneNote, type Field, form } from '../form.ts';
import { failurePage, formPage } from '../layout.ts';
import { type PortalAnswer, type PortalPage, type PortalSection, seeOther, type Visit } from '../visit.ts';
import {
  callsLeft,
  endedTable,
  endWarnings,
  isValid,
  KEYS_PATH,
  keyBadge,
  keyEnd,
  keyTable,
  lastUse,
} from './api-key-list.ts';
import { keyUses } from './api-key-uses.ts';
import { findUserNames, recordTrail } from './record-trail.ts';

/** After how many days a key ends, and the words for it. */
const ENDS: readonly (readonly [string, string])[] = [
  ['182', 'in 6 months'],
  ['365', 'in a year'],
  ['30', 'in 30 days'],
  ['never', 'never'],
];

const SCOPE_WORDS: Readonly<Record<(typeof SCOPES)[number], string>> = {
  read: 'List every record. Changes nothing.',
  lists: 'The same, and add and change project types, sectors and industries.',
  write: 'The same, and add and change admin users and set their passwords: as powerful as admin.',
  admin: 'Manage API keys, read the audit log, unlock users.',
  operate: 'Reload the inventory, probe a target now, add notes to incidents.',
};

const KEEPS: readonly (readonly [string, string])[] = [
  ['24', 'for 24 hours'],
  ['8', 'for 8 hours'],
  ['1', 'for 1 hour'],
  ['0', 'not at all'],
];

const endsField = (value: string | undefined, options = ENDS): Field => ({
  name: 'Ends',
  label: 'Ends',
  kind: 'select',
  options,
  value,
});

/** The date of an end that was chosen as a number of days; undefined for never. */
const dateOf = (days: string | undefined, now: number): string | undefined =>
  /^\d{1,4}$/.test(days ?? '') ? new Date(now + Number(days) * DAY_MS).toISOString() : undefined;

/** Every key: the portal shows a table without pages. */
async function readKeys({ actor, services }: Visit): Promise<readonly KeyItem[]> {
  const items: KeyItem[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const query = new URLSearchParams({ after: `${after}` });
    const page: Awaited<ReturnType<typeof listKeys.answer>> = await listKeys.answer(
      { segment: '0', query },
      actor,
      services,
    );
    if (!page.ok) break;
    items.push(...page.value.items);
    after = page.value.next;
  }
  return items;
}

/** A key that was made just now, which is shown this once. */
const madeNote = (title: string, key: string, about: string): Html =>
  html`<section class="notice ok" aria-labelledby="made">${shape('ok')}<div class="stack"><h2 id="made">${title} Copy it now: it is shown only once.</h2><div class="cmd"><code>${key}</code><button type="button" hidden data-copy="${key}"><span aria-live="polite">Copy</span><span class="sr"> key</span></button></div><p class="small">${about} Send it in the header <code>x-api-key</code>, or as <code>apiKey</code> in the query or the body.</p></div></section>`;

/** From where a key may be used. `own` is the address of who fills it in. */
const addressesField = (own: string, value: string | undefined): Field => ({
  name: 'AllowedIPs',
  label: 'Allowed addresses',
  isOptional: true,
  value,
  hint: `Addresses and networks from which it may be used, such as 192.0.2.7 or 2001:db8::/32, separated by blanks. Empty allows any.${own === '' ? '' : ` Yours is ${own}.`}`,
});

const toAddresses = (text = ''): readonly string[] => text.split(/[\s,]+/).filter(Boolean);

function newKeyForm(visit: Visit, failure: Failure | undefined): Html {
  const { csrf, form: sent } = visit;
  const value = (name: string) => (failure === undefined ? undefined : (sent[name] ?? ''));
  const scopes: Field = {
    name: 'Scopes',
    label: 'Scopes',
    kind: 'choices',
    options: SCOPES.map((scope) => [scope, SCOPE_WORDS[scope]]),
    chosen: SCOPES.filter((scope) => value(scope) === 'true'),
  };
  const fields: readonly Field[] = [
    { name: 'Name', label: 'Name', value: value('Name'), hint: 'What uses it, such as “billing” or “nightly export”.' },
    scopes,
    endsField(value('Ends')),
    addressesField(visit.context.address, value('AllowedIPs')),
  ];
  return html`<section class="panel" aria-labelledby="new-title"><h2 id="new-title">New key</h2>
${form({ id: 'new', action: `${KEYS_PATH}/add`, csrf, fields, submit: 'Create key', failure })}</section>`;
}

async function showKeys(visit: Visit, note: Html | string = '', failure?: Failure): Promise<PortalPage> {
  const { now, query } = visit;
  const items = await readKeys(visit);
  const valid = items.filter(isValid);
  const done = failure === undefined && query.get('done') === 'revoked' ? doneNote('The key was revoked.') : note;
  const content = html`<div class="head"><h1>API keys</h1><p class="bar"><a href="/docs">API reference</a> <a class="btn primary" href="#new-Name">Create a key</a></p></div>
${done}
${endWarnings(valid, now)}
${keyTable(valid, now)}
<div class="grid two">${newKeyForm(visit, failure)}
${await endedTable(
  visit,
  items.filter((item) => !isValid(item)),
)}</div>`;
  return formPage('API keys', content, failure);
}

async function add(visit: Visit): Promise<PortalAnswer> {
  const { form: sent, actor, services, now } = visit;
  const scopes = SCOPES.filter((scope) => sent[scope] === 'true');
  const end = dateOf(sent.Ends, now);
  const allowed = toAddresses(sent.AllowedIPs);
  const body: Body = {
    ...{ Name: sent.Name ?? '', Scopes: scopes },
    ...(end !== undefined && { ExpiryDate: end }),
    ...(allowed.length > 0 && { AllowedIPs: allowed }),
  };
  const made = await addKey.answer({ body }, actor, services);
  if (!made.ok) return showKeys(visit, '', made.failure);
  const ends = keyEnd(made.value, now);
  const title = `Key “${sent.Name?.trim()}” was created.`;
  const about = `Scope ${scopes.join(', ')}, ends ${typeof ends === 'string' ? ends : made.value.ExpiryDate?.slice(0, 10)}.`;
  return showKeys(visit, madeNote(title, made.value.ApiKey, about));
}

async function findKey({ actor, services, params }: Visit): Promise<Outcome<KeyItem | undefined>> {
  const found = await listKeys.answer({ segment: params.id ?? '' }, actor, services);
  return found.ok ? { ok: true, value: found.value.items[0] } : found;
}

async function facts({ store, now }: Visit, item: KeyItem): Promise<Html> {
  const names = await findUserNames(store, [item.UserID]);
  const next = item.ReplacedBy;
  const all: readonly (readonly [string, Html | string])[] = [
    ['State', keyBadge(item)],
    ['Starts with', item.Hint === null ? 'unknown' : html`<code>${item.Hint}</code>`],
    ['Scopes', item.Scopes.join(', ')],
    ['Owner', names.get(item.UserID) ?? ''],
    ['Allowed from', item.AllowedIPs.length === 0 ? 'any address' : item.AllowedIPs.join(', ')],
    ['Calls left', callsLeft(item)],
    ['Last used', lastUse(item, now)],
    ['Ends', isValid(item) ? keyEnd(item, now) : 'has ended'],
    ...(next === null ? [] : [['Rotated to', html`<a href="${KEYS_PATH}/${next}">key ${next}</a>`] as const]),
  ];
  return html`<dl class="pairs">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function actions({ csrf, form: sent, context }: Visit, item: KeyItem, failure: Failure | undefined): Html | string {
  if (!isValid(item)) return html`<p class="empty">An ended key cannot be restored. Create a new one.</p>`;
  const path = `${KEYS_PATH}/${item.ApiKeyID}`;
  const isRestriction = failure?.message.startsWith('AllowedIPs') ?? false;
  const fields: readonly Field[] = [
    { name: 'KeepHours', label: 'The old key stays valid', kind: 'select', options: KEEPS, value: sent.KeepHours },
    endsField(sent.Ends ?? 'same', [['same', 'after the same lifetime as the old one'], ...ENDS.slice(0, 3)]),
  ];
  const rotate = html`<section class="panel" id="rotate" aria-labelledby="rotate-title"><h2 id="rotate-title">Rotate</h2>
<p>A new key with the same name and scopes replaces it.</p>
${form({ id: 'rotation', action: `${path}/rotate`, csrf, fields, submit: 'Rotate key', failure: isRestriction ? undefined : failure })}</section>`;
  const allowed = isRestriction ? sent.AllowedIPs : item.AllowedIPs.join(' ');
  const restriction = html`<section class="panel" id="restrict" aria-labelledby="restrict-title"><h2 id="restrict-title">Addresses</h2>
<p>From any other address the key and the tokens made with it are refused.</p>
${form({ id: 'restriction', action: `${path}/restrict`, csrf, fields: [addressesField(context.address, allowed)], submit: 'Save addresses', failure: isRestriction ? failure : undefined })}</section>`;
  return html`<div class="grid two">${item.State === 'rotated' ? '' : rotate}
${restriction}
<section class="panel" id="revoke" aria-labelledby="revoke-title"><h2 id="revoke-title">Revoke</h2>
<p>The key and the tokens made with it end at once. This cannot be undone. A key that it replaced stays valid until it ends.</p>
${form({ id: 'revocation', action: `${path}/revoke`, csrf, fields: [], submit: 'Revoke key', isDanger: true })}</section></div>`;
}

async function showKey(visit: Visit, failure?: Failure): Promise<PortalPage> {
  const found = await findKey(visit);
  if (!found.ok || found.value === undefined)
    return failurePage(found.ok ? { code: 1004, message: 'there is no such API key' } : found.failure, 404);
  const item = found.value;
  const trail = await recordTrail(visit.store, { name: 'ApiKey', members: [] }, item.ApiKeyID, visit.now);
  const done = failure === undefined && visit.query.get('done') === 'restricted';
  const content = html`<div class="head"><h1>${item.Name}</h1><p class="dim">API key ${item.ApiKeyID}</p></div>
${done ? doneNote('The allowed addresses were saved.') : ''}
<section class="panel" aria-labelledby="about"><h2 id="about">About</h2>${await facts(visit, item)}</section>
${await keyUses(visit, item.ApiKeyID)}
${actions(visit, item, failure)}
${trail}`;
  return formPage(item.Name, content, failure);
}

async function rotate(visit: Visit): Promise<PortalAnswer> {
  const { form: sent, actor, services, now, params } = visit;
  const end = dateOf(sent.Ends, now);
  const keep = /^\d{1,9}$/.test(sent.KeepHours ?? '') ? Number(sent.KeepHours) : sent.KeepHours;
  const body: Body = { ...(keep !== undefined && { KeepHours: keep }), ...(end !== undefined && { ExpiryDate: end }) };
  const made = await replaceKey.answer({ segment: params.id ?? '', body }, actor, services);
  if (!made.ok) return showKey(visit, made.failure);
  const { ApiKeyID, ApiKey, OldExpiryDate } = made.value;
  const old = sent.KeepHours === '0' ? 'The old one has ended.' : `The old one is valid until ${OldExpiryDate}.`;
  return showKeys(visit, madeNote(`Key ${ApiKeyID} replaces key ${params.id}.`, ApiKey, old));
}

async function restrict(visit: Visit): Promise<PortalAnswer> {
  const { actor, services, params } = visit;
  const sent = { segment: params.id ?? '', body: { AllowedIPs: toAddresses(visit.form.AllowedIPs) } };
  const restricted = await restrictKey.answer(sent, actor, services);
  return restricted.ok ? seeOther(`${KEYS_PATH}/${params.id}?done=restricted`) : showKey(visit, restricted.failure);
}

async function revoke(visit: Visit): Promise<PortalAnswer> {
  const ended = await endKey.answer({ segment: visit.params.id ?? '' }, visit.actor, visit.services);
  return ended.ok ? seeOther(`${KEYS_PATH}?done=revoked`) : failurePage(ended.failure, 404);
}

const one = `${KEYS_PATH}/:id{[0-9]+}`;
const page = { kind: 'signed in', method: 'GET' } as const;
const change = { kind: 'signed in', method: 'POST', isSensitive: true } as const;

/** The API keys: a list, a form for a new one, and a page for each to rotate or revoke it. */
export const apiKeys: PortalSection = {
  path: KEYS_PATH,
  name: 'API keys',
  routes: [
    { ...page, path: KEYS_PATH, answer: (visit: Visit) => showKeys(visit) },
    { ...change, path: `${KEYS_PATH}/add`, answer: add },
    { ...page, path: one, answer: (visit: Visit) => showKey(visit) },
    { ...change, path: `${one}/rotate`, answer: rotate },
    { ...change, path: `${one}/restrict`, answer: restrict },
    { ...change, path: `${one}/revoke`, answer: revoke },
  ],
};
