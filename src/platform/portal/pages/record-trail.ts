import { html } from 'hono/html';
import type { Html } from '../../../web/frame/marks.ts';
import { ago } from '../../../web/frame/times.ts';
import { adminUser } from '../../api/resources.ts';
import type { AuditEvent, PlatformStore } from '../../model/platform-store.ts';
import type { Resource } from '../../model/resource.ts';
import { labelOf, valueText } from '../member-words.ts';
import { cell, column, row, rowsTable } from '../rows.ts';
import { imageOf } from './record-image.ts';

/** What has a trail: a resource, or something else with an id, without members that need words of their own. */
type Changed = Pick<Resource, 'name' | 'members'>;

/** As many changes are shown with a record. */
const CHANGES = 50;

/** The member of a key that holds the id of an admin user. */
const OWNER = 'Owner';

/** The user names of admin users by id: of those with these ids, and of those whom these changes name. */
export async function findUserNames(
  store: PlatformStore,
  ids: readonly (number | null)[],
  changes: readonly AuditEvent['changes'][] = [],
): Promise<ReadonlyMap<number, string>> {
  const owners = changes.flatMap(({ [OWNER]: owner }) => (owner === undefined ? [] : [owner.from, owner.to]));
  const known = [...ids, ...owners].filter((id) => typeof id === 'number');
  const names = await store.findNames(adminUser, known);
  return new Map(known.map((id) => [id, names.get(id) ?? `user ${id}`]));
}

/** What changed of one member. `changed` is undefined for what has no members with words of their own. */
function changeItem(
  changed: Changed | undefined,
  name: string,
  { from, to }: AuditEvent['changes'][string],
  users: ReadonlyMap<number, string>,
): Html {
  const kind = changed?.members.find((one) => one.name === name)?.kind;
  const label = labelOf(name, kind);
  if (kind === 'password') return html`<li>${label}: ${from === null ? 'set' : 'changed'}</li>`;
  // The path of an uploaded image is long, and says nothing to people.
  const textOf = (value: typeof from) =>
    (name === OWNER && typeof value === 'number' && users.get(value)) || valueText(value);
  const [before, after] = [from, to].map((value) => imageOf(textOf(value)));
  if (from === null) return html`<li>${label}: ${after}</li>`;
  return html`<li>${label}: <del>${before}</del> → <ins>${after}</ins></li>`;
}

/** What changed, without the id of another record beside its name; empty if nothing did. */
export function changeList(
  changed: Changed | undefined,
  changes: AuditEvent['changes'],
  users: ReadonlyMap<number, string>,
): Html | string {
  const isId = (name: string) =>
    changed?.members.some((member) => member.kind === 'reference' && member.to.idMember === name) === true;
  const shown = Object.entries(changes).filter(([name]) => !isId(name));
  return shown.length === 0 ? '' : html`<ul>${shown.map(([name, of]) => changeItem(changed, name, of, users))}</ul>`;
}

function changeRow(resource: Changed, event: AuditEvent, names: ReadonlyMap<number, string>, now: number): Html {
  const { at, action, owner, statedBy, credential, ip, changes } = event;
  const who = owner === null ? credential : `${names.get(owner)}, ${credential}`;
  const stated = statedBy !== null && statedBy !== owner ? ` on behalf of ${names.get(statedBy)}` : '';
  return row(ago(Date.parse(at), now), [
    cell(action),
    cell(`${who}${stated}`, 'Who'),
    cell(ip ?? '', 'From'),
    cell(changeList(resource, changes, names) || 'nothing', 'What', true),
  ]);
}

/** Who changed what of a record, the newest first. */
export async function recordTrail(
  store: PlatformStore,
  resource: Changed,
  recordId: number,
  now: number,
): Promise<Html> {
  const ofRecord = { resource: resource.name, recordId, isSecurity: false };
  const events = await store.searchAudit({ ...ofRecord, isDescending: true, limit: CHANGES + 1 });
  const shown = events.slice(0, CHANGES);
  const names = await findUserNames(
    store,
    shown.flatMap(({ owner, statedBy }) => [owner, statedBy]),
    shown.map(({ changes }) => changes),
  );
  const older =
    events.length > CHANGES
      ? html`<p class="hint">Older changes are in the <a href="/portal/audit-log?Resource=${resource.name}&amp;RecordID=${recordId}">audit log</a>.</p>`
      : '';
  const rows = rowsTable(
    ['When', 'Action', 'Who', 'From', 'What'].map(column),
    shown.map((event) => changeRow(resource, event, names, now)),
  );
  return html`<section class="panel" aria-labelledby="trail"><h2 id="trail">Who changed what</h2>${
    shown.length === 0 ? html`<p class="empty">Nothing is known of changes.</p>` : rows
  }${older}</section>`;
}
