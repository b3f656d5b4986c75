import { withArticle } from '../../lib/words.ts';
import type { KeyValues, PlatformStore, RecordUpdate, Values, Written } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import { type ApiRecord, PASSWORD_MASK, type Resource, toNameKey } from '../model/resource.ts';
import { limitMails } from './accounts/confirm-password.ts';
import { proveCaller, proveUpdate } from './accounts/prove-caller.ts';
import { type Actor, authorOf } from './actor.ts';
import type { CallDeps } from './call.ts';
import type { Body } from './check-value.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { type Added, findAnswer, type RepeatableAdd, readIdempotencyKey } from './idempotent-add.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { isMatch, recordTag } from './record-tag.ts';

const passwordOf = ({ members }: Resource) => members.find(({ kind }) => kind === 'password')?.name;

async function describeDuplicate(store: PlatformStore, resource: Resource, member: string, values: Values) {
  const { noun, idMember, codes, flag } = resource;
  const declared = resource.members.find(({ name }) => name === member);
  const textKey = declared?.kind === 'text' ? declared.key : undefined;
  const within = resource.members.find((other) => other.kind === 'reference' && other.column === textKey?.within);
  const key: Record<string, string | number> = { [member]: toNameKey(String(values[member]), textKey?.ignoresCase) };
  if (within !== undefined) key[within.name] = Number(values[within.name]);
  const existing = await store.findByKey(resource, key);
  if (existing === undefined || existing.isInUse)
    return fail(codes.duplicate, `${member} is taken; choose another, or update that record`);
  const owner = withArticle(`${flag.outOfUse ? 'deleted' : 'inactive'} ${noun}`);
  const restore = `update it (${idMember} ${existing.id}) with ${flag.member} ${!flag.outOfUse}`;
  return fail(codes.duplicate, `${member} is taken by ${owner}; choose another, or to restore that one, ${restore}`);
}

/** Why a checked write would find its name taken; undefined if it would not. For a look ahead: the write finds out by itself. */
export async function refuseTaken(
  store: PlatformStore,
  resource: Resource,
  { values, key, id }: CheckedWrite,
): Promise<Outcome<never> | undefined> {
  const existing = await store.findByKey(resource, key);
  const [member = ''] = resource.naturalKey;
  return existing === undefined || existing.id === id ? undefined : describeDuplicate(store, resource, member, values);
}

const failMissing = ({ noun, idMember, codes, naturalKey }: Resource) =>
  fail(
    codes.missing,
    `there is no ${noun} with that ${naturalKey.join(' and ')}; to change a name, send ${idMember} in the body too`,
  );

const failChanged = ({ noun }: Resource, record: ApiRecord) =>
  fail(1012, `this ${noun} has changed since you read it; read it again and send its current ETag in If-Match`, {
    etag: recordTag(record),
  });

/** The id of a write, or why it failed. Reads the record that has the same key. */
async function describeOutcome(
  store: PlatformStore,
  resource: Resource,
  values: Values,
  written: Written,
): Promise<Outcome<number>> {
  if (written.ok) return succeed(written.id);
  const { noun, flag } = resource;
  if (written.why === 'duplicate') return describeDuplicate(store, resource, written.member, values);
  if (written.why === 'last-active')
    return fail(1012, `${flag.member}: this is the last active ${noun}; activate another one first`);
  if (written.why === 'changed') return failChanged(resource, written.record);
  return failMissing(resource);
}

/** Adds the record; resolves to its id. With `repeatable`, only if its key was not used before. */
export async function addRecord(
  store: PlatformStore,
  resource: Resource,
  checked: CheckedWrite,
  author: Author,
  repeatable?: RepeatableAdd,
): Promise<Outcome<Added>> {
  const password = passwordOf(resource);
  const values = { ...checked.values };
  if (password !== undefined) values[password] = await hashPassword(String(values[password]));
  const written = await store.add(resource, values, author, repeatable?.once);
  if (!written.ok && written.why === 'used-key' && repeatable !== undefined) return repeatable.answer(written.used);
  const outcome = await describeOutcome(store, resource, values, written);
  return outcome.ok ? succeed({ id: outcome.value }) : outcome;
}

/** Does the update of a user change the address or the password, of which the user gets a note? */
async function needsNote(store: PlatformStore, resource: Resource, id: number, values: Values): Promise<boolean> {
  const password = passwordOf(resource);
  if (password !== undefined && values[password] !== undefined) return true;
  const before = await store.find(resource, id);
  return resource.members.some(
    (member) => member.kind === 'text' && member.format === 'email' && values[member.name] !== before?.[member.name],
  );
}

/**
 * Updates the record with the given id or natural key; resolves to its id. With `isKnown`, only if that is true of the record
 * as it is now. `otp` is the code of the caller, as it
 * was sent. With a mail server, a user gets a note of a new address or password.
 */
export async function updateRecord(
  actor: Actor,
  resource: Resource,
  checked: CheckedWrite,
  otp: unknown,
  deps: CallDeps,
  isKnown?: RecordUpdate['isKnown'],
): Promise<Outcome<number>> {
  const { store } = actor;
  const author = authorOf(actor, checked.statedBy, deps.now());
  const id = checked.id ?? (await store.findByKey(resource, checked.key))?.id;
  if (id === undefined) return failMissing(resource);
  // Before anything is compared or counted. The store looks again.
  const record = isKnown && (await store.find(resource, id));
  if (record && !isKnown(record)) return failChanged(resource, record);
  const password = passwordOf(resource);
  const values = { ...checked.values };
  const proved = await proveUpdate(actor, { resource, id, values, isKnown }, otp, deps);
  if (!proved.ok) return proved;
  if (password !== undefined && values[password] === PASSWORD_MASK) delete values[password];
  // A record found by its name is changed only while it still has that name.
  const key: KeyValues | undefined = checked.id === undefined ? checked.key : undefined;
  const hasNotes = password !== undefined && deps.mails !== undefined;
  if (hasNotes && (await needsNote(store, resource, id, values))) {
    const limited = await limitMails(actor, deps);
    if (!limited.ok) return limited;
  }
  if (password !== undefined && values[password] !== undefined) {
    const sent = String(values[password]);
    const isSame = await verifyPassword((await store.findUser({ id }))?.passwordHash, sent);
    // Made in any case: whoever is refused below learns by no time whether it was the present one.
    values[password] = await hashPassword(sent);
    // The same password is no change: the user's tokens stay valid.
    if (isSame) delete values[password];
  }
  const written = await store.update({ resource, id, values, author, key, isKnown: proved.value, hasNotes });
  return describeOutcome(store, resource, values, written);
}

/** Adds the record of a body. `idempotencyKey` is the one that was sent, or null. */
export async function addOnce(
  actor: Actor,
  resource: Resource,
  body: Body,
  idempotencyKey: string | null,
  deps: CallDeps,
): Promise<Outcome<Added>> {
  const { store, caller } = actor;
  const now = deps.now();
  const sent = { text: idempotencyKey, body, owner: caller?.owner ?? 0 };
  const repeatable = readIdempotencyKey(sent, store, resource, now);
  if (!repeatable.ok) return repeatable;
  const before = await findAnswer(store, repeatable.value);
  if (before !== undefined) return before;
  const checked = await checkWrite(store, resource, body);
  if (!checked.ok) return checked;
  const proved = passwordOf(resource) === undefined ? checked : await proveCaller(actor, body.Otp, deps);
  if (!proved.ok) return proved;
  const author = authorOf(actor, checked.value.statedBy, now);
  return addRecord(store, resource, checked.value, author, repeatable.value);
}

/** An update as it was sent. */
export interface SentUpdate {
  /** The end of the path: the id of who updates the record. */
  readonly updatedBy: string;
  readonly body: Body;
  /** The tags of the record as the client has read it, as in `If-Match`; null if it does not matter. */
  readonly ifMatch: string | null;
}

/** Updates the record of a body. `tag` is the new one of the record, if the update named the old one. */
export async function updateKnown(
  actor: Actor,
  resource: Resource,
  { updatedBy, body, ifMatch }: SentUpdate,
  deps: CallDeps,
): Promise<Outcome<{ readonly id: number; readonly tag?: string | undefined }>> {
  const { store } = actor;
  const checked = await checkWrite(store, resource, body, updatedBy);
  if (!checked.ok) return checked;
  const isKnown = ifMatch === null ? undefined : (record: ApiRecord) => isMatch(ifMatch, recordTag(record));
  const updated = await updateRecord(actor, resource, checked.value, body.Otp, deps, isKnown);
  if (!updated.ok) return updated;
  const id = updated.value;
  const record = isKnown && (await store.find(resource, id));
  return succeed({ id, tag: record && recordTag(record) });
}
