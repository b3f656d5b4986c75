import { withArticle } from '../../lib/words.ts';
import type { KeyValues, PlatformStore, RecordUpdate, Values, Written } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import { type ApiRecord, PASSWORD_MASK, type Resource, toNameKey } from '../model/resource.ts';
import { limitMails } from './accounts/limit-mails.ts';
import { type ProofDeps, proveCaller, proveUpdate } from './accounts/prove-caller.ts';
import type { CallDeps } from './call.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { findAnswer, type RepeatableAdd, readIdempotencyKey } from './idempotent-add.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { isMatch, recordTag } from './record-tag.ts';
import { authorOf, type IdentifiedRequest } from './request-context.ts';

const passwordOf = ({ members }: Resource) => members.find(({ kind }) => kind === 'password')?.name;

async function describeDuplicate(store: PlatformStore, resource: Resource, member: string, values: Values) {
  const { noun, idMember, codes, flag } = resource;
  const declared = resource.members.find(({ name }) => name === member);
  const textKey = declared?.kind === 'text' ? declared.key : undefined;
  const within = resource.members.find((other) => other.kind === 'reference' && other.column === textKey?.within);
  const key: Record<string, string | number> = { [member]: toNameKey(String(values[member]), textKey?.ignoresCase) };
  if (within !== undefined) key[within.name] = Number(values[within.name]);
  const existing = await store.findByKey(resource, key);
  const hint =
    existing === undefined || existing.isInUse
      ? `choose another, or update that record`
      : `it is out of use: to take it back, update it (${idMember} ${existing.id}) with ${flag.member} ${!flag.outOfUse}`;
  return fail(codes.duplicate, `${member}: there is such ${withArticle(noun)} already; ${hint}`);
}

const failMissing = ({ noun, idMember, codes, naturalKey }: Resource) =>
  fail(
    codes.missing,
    `there is no ${noun} with that ${naturalKey.join(' and ')}; to change a name, send ${idMember} in the body too`,
  );

const failChanged = ({ noun }: Resource, record: ApiRecord) =>
  fail(1012, `this ${noun} has changed since; read it again, and send its current ETag in If-Match`, {
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
): Promise<Outcome<number>> {
  const password = passwordOf(resource);
  const values = { ...checked.values };
  if (password !== undefined) values[password] = await hashPassword(String(values[password]));
  const written = await store.add(resource, values, author, repeatable?.once);
  if (!written.ok && written.why === 'used-key' && repeatable !== undefined) return repeatable.answer(written.used);
  return describeOutcome(store, resource, values, written);
}

/** What a write needs besides its request. */
export type WriteDeps = Pick<CallDeps, 'mails'> & ProofDeps;

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
 * as it is now. With a mail server, a user gets a note of a new address or password.
 */
export async function updateRecord(
  request: IdentifiedRequest,
  resource: Resource,
  checked: CheckedWrite,
  deps: WriteDeps,
  isKnown?: RecordUpdate['isKnown'],
): Promise<Outcome<number>> {
  const { store } = request;
  const author = authorOf(request, checked.statedBy, deps.now());
  const id = checked.id ?? (await store.findByKey(resource, checked.key))?.id;
  if (id === undefined) return failMissing(resource);
  // Before anything is compared or counted. The store looks again.
  const record = isKnown && (await store.find(resource, id));
  if (record && !isKnown(record)) return failChanged(resource, record);
  const password = passwordOf(resource);
  const values = { ...checked.values };
  const proved = await proveUpdate(request, { resource, id, values, isKnown }, deps);
  if (!proved.ok) return proved;
  if (password !== undefined && values[password] === PASSWORD_MASK) delete values[password];
  // A record found by its name is changed only while it still has that name.
  const key: KeyValues | undefined = checked.id === undefined ? checked.key : undefined;
  const hasNotes = password !== undefined && deps.mails !== undefined;
  if (hasNotes && (await needsNote(store, resource, id, values))) {
    const limited = await limitMails(request, deps);
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

async function addOnRequest(request: IdentifiedRequest, resource: Resource, deps: WriteDeps): Promise<Outcome<number>> {
  const { store, body } = request;
  const now = deps.now();
  const repeatable = readIdempotencyKey(request, resource, now);
  if (!repeatable.ok) return repeatable;
  const before = await findAnswer(store, repeatable.value);
  if (before !== undefined) return before;
  const checked = await checkWrite(store, resource, body);
  if (!checked.ok) return checked;
  const proved = passwordOf(resource) === undefined ? checked : await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const author = authorOf(request, checked.value.statedBy, now);
  return addRecord(store, resource, checked.value, author, repeatable.value);
}

/** With `If-Match`, the update needs the record that the client has read, and its answer has the new tag. */
async function updateOnRequest(
  request: IdentifiedRequest,
  resource: Resource,
  segment: string,
  deps: WriteDeps,
): Promise<Outcome<number>> {
  const { context, store, body } = request;
  const checked = await checkWrite(store, resource, body, segment);
  if (!checked.ok) return checked;
  const known = context.request.headers.get('if-match');
  if (known === null) return updateRecord(request, resource, checked.value, deps);
  const isKnown = (record: ApiRecord) => isMatch(known, recordTag(record));
  const updated = await updateRecord(request, resource, checked.value, deps, isKnown);
  const record = updated.ok ? await store.find(resource, updated.value) : undefined;
  if (record !== undefined) context.headers = { ...context.headers, etag: recordTag(record) };
  return updated;
}

/**
 * Adds the record of a request, or updates it if `segment` (the end of its path) is given; resolves to its id.
 */
export const writeRecord = (
  request: IdentifiedRequest,
  resource: Resource,
  segment: string | undefined,
  deps: WriteDeps,
): Promise<Outcome<number>> =>
  segment === undefined ? addOnRequest(request, resource, deps) : updateOnRequest(request, resource, segment, deps);
