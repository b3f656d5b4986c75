import type { Author, KeyValues, PlatformStore, Values, Written } from '../model/platform-store.ts';
import { PASSWORD_MASK, type Resource, toNameKey } from '../model/resource.ts';
import type { CheckedWrite } from './check-write.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

const passwordOf = ({ members }: Resource) => members.find(({ kind }) => kind === 'password')?.name;

async function sayDuplicate(store: PlatformStore, resource: Resource, member: string, values: Values) {
  const { noun, idMember, codes, flag } = resource;
  const declared = resource.members.find(({ name }) => name === member);
  const textKey = declared?.kind === 'text' ? declared.key : undefined;
  const within = resource.members.find((other) => other.kind === 'reference' && other.column === textKey?.within);
  const key: Record<string, string | number> = { [member]: toNameKey(String(values[member]), textKey?.ignoresCase) };
  if (within !== undefined) key[within.name] = Number(values[within.name]);
  const there = await store.findByKey(resource, key);
  const hint =
    there === undefined || there.isInUse
      ? `choose another, or update that record`
      : `it is out of use: to take it back, update it (${idMember} ${there.id}) with ${flag.member} ${!flag.outOfUse}`;
  return fail(
    codes.duplicate,
    `${member}: there is such ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} already; ${hint}`,
  );
}

async function toOutcome(
  store: PlatformStore,
  resource: Resource,
  values: Values,
  written: Written,
): Promise<Outcome<number>> {
  if (written.ok) return succeed(written.id);
  const { noun, idMember, codes, naturalKey, flag } = resource;
  if (written.why === 'duplicate') return sayDuplicate(store, resource, written.member, values);
  if (written.why === 'last-active')
    return fail(1012, `${flag.member}: this is the last active ${noun}; activate another one first`);
  return fail(
    codes.missing,
    `there is no ${noun} with that ${naturalKey.join(' and ')}; to change a name, send ${idMember} in the body too`,
  );
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
  return toOutcome(store, resource, values, await store.add(resource, values, author));
}

/** Updates the record with the given id or natural key; resolves to its id. */
export async function updateRecord(
  store: PlatformStore,
  resource: Resource,
  checked: CheckedWrite,
  author: Author,
): Promise<Outcome<number>> {
  const id = checked.id ?? (await store.findByKey(resource, checked.key))?.id;
  if (id === undefined) return toOutcome(store, resource, checked.values, { ok: false, why: 'missing' });
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
  return toOutcome(store, resource, values, await store.update(resource, id, values, author, key));
}
