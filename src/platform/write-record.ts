import type { Author } from '../model/author.ts';
import type { KeyValues, PlatformStore, Values, Written } from '../model/platform-store.ts';
import { PASSWORD_MASK, type Resource, toNameKey } from '../model/resource.ts';
import { authorOf } from './author-of.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { IdentifiedRequest } from './request-context.ts';

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
  return fail(
    codes.duplicate,
    `${member}: there is such ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} already; ${hint}`,
  );
}

const failMissing = ({ noun, idMember, codes, naturalKey }: Resource) =>
  fail(
    codes.missing,
    `there is no ${noun} with that ${naturalKey.join(' and ')}; to change a name, send ${idMember} in the body too`,
  );

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
  return failMissing(resource);
}

/** Adds the record; resolves to its id. */
export async function addRecord(
  store: PlatformStore,
  resource: Resource,
  checked: CheckedWrite,
  author: Author,
): Promise<Outcome<number>> {
  const password = passwordOf(resource);
  const values = { ...checked.values };
  if (password !== undefined) values[password] = await hashPassword(String(values[password]));
  return describeOutcome(store, resource, values, await store.add(resource, values, author));
}

/** Updates the record with the given id or natural key; resolves to its id. */
export async function updateRecord(
  store: PlatformStore,
  resource: Resource,
  checked: CheckedWrite,
  author: Author,
): Promise<Outcome<number>> {
  const id = checked.id ?? (await store.findByKey(resource, checked.key))?.id;
  if (id === undefined) return failMissing(resource);
  const password = passwordOf(resource);
  const values = { ...checked.values };
  if (password !== undefined) {
    const sent = String(values[password]);
    // The same password is no change: the user's tokens stay valid.
    const isKept = sent === PASSWORD_MASK || (await verifyPassword((await store.findUser({ id }))?.passwordHash, sent));
    if (isKept) delete values[password];
    else values[password] = await hashPassword(sent);
  }
  // A record found by its name is changed only while it still has that name.
  const key: KeyValues | undefined = checked.id === undefined ? checked.key : undefined;
  return describeOutcome(store, resource, values, await store.update({ resource, id, values, author, key }));
}

/**
 * Adds the record of a request, or updates it if `segment` (the end of its path) is given; resolves to its id. `now` is
 * in Unix milliseconds.
 */
export async function writeRecord(
  { context, store, body, caller }: IdentifiedRequest,
  resource: Resource,
  segment: string | undefined,
  now: number,
): Promise<Outcome<number>> {
  const checked = await checkWrite(store, resource, body, segment);
  if (!checked.ok) return checked;
  const author = authorOf({ context, caller }, checked.value.statedBy, now);
  const write = segment === undefined ? addRecord : updateRecord;
  return write(store, resource, checked.value, author);
}
