import type { KeyValues, PlatformStore } from '../model/platform-store.ts';
import { parametersOf, type ReferenceMember, type Resource, toNameKey, type Value } from '../model/resource.ts';
import { type Body, checkDigits, checkInteger, checkValue, requireMember } from './check-value.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** A write with valid members. */
export interface CheckedWrite {
  /** Values by member: a password in the clear, a reference as its id. */
  readonly values: Readonly<Record<string, Value>>;
  readonly statedBy: number;
  /** The id in the body of an update. */
  readonly id?: number;
  readonly key: KeyValues;
}

async function checkReference(
  store: PlatformStore,
  { name, to }: ReferenceMember,
  text: string,
): Promise<Outcome<number>> {
  const found = await store.findByKey(to, { [to.naturalKey[0] ?? '']: toNameKey(text) });
  if (found === undefined)
    return fail(to.codes.missing, `${name}: there is no such ${to.noun}; ${to.operations.list} lists them`);
  if (!found.isInUse) return fail(1012, `${name}: that ${to.noun} is deleted; choose another, or restore it first`);
  return succeed(found.id);
}

/** `CreateBy` and `UpdateBy`: an existing, active admin user. */
async function checkAuthor(
  store: PlatformStore,
  body: Body,
  name: string,
  inPath: number | undefined,
): Promise<Outcome<number>> {
  const present = requireMember(body, name);
  if (!present.ok) return present;
  const id = checkInteger(present.value, name);
  if (!id.ok) return id;
  if (inPath !== undefined && id.value !== inPath)
    return fail(1012, `${name} differs from the number at the end of the path; send the same`);
  const user = await store.findUser({ id: id.value });
  if (user === undefined) return fail(1121, `${name}: there is no admin user with that id`);
  return user.isActive ? id : fail(1012, `${name}: that admin user is not active; name an active one`);
}

async function checkId(store: PlatformStore, resource: Resource, body: Body): Promise<Outcome<number>> {
  const { idMember, noun, codes } = resource;
  const present = requireMember(body, idMember);
  if (!present.ok) return present;
  const id = checkInteger(present.value, idMember);
  if (!id.ok || (await store.find(resource, id.value)) !== undefined) return id;
  return fail(codes.missing, `${idMember}: there is no ${noun} with that id`);
}

/**
 * Checks the members of an add, or of an update if `segment` (the end of its path) is given. The order is that of the
 * specification: one member after the other, each with all its checks.
 */
export async function checkWrite(
  store: PlatformStore,
  resource: Resource,
  body: Body,
  segment?: string,
): Promise<Outcome<CheckedWrite>> {
  const inPath = segment === undefined ? succeed(undefined) : checkDigits(segment, '<updatedby>');
  if (!inPath.ok) return inPath;
  let id: number | undefined;
  if (segment !== undefined && Object.hasOwn(body, resource.idMember)) {
    const checked = await checkId(store, resource, body);
    if (!checked.ok) return checked;
    id = checked.value;
  }
  const values: Record<string, Value> = {};
  for (const member of parametersOf(resource)) {
    const present = requireMember(body, member.name);
    if (!present.ok) return present;
    const checked = checkValue(member, present.value, segment === undefined);
    if (!checked.ok) return checked;
    const value = member.kind === 'reference' ? await checkReference(store, member, String(checked.value)) : checked;
    if (!value.ok) return value;
    values[member.name] = value.value;
  }
  const author = segment === undefined ? 'CreateBy' : 'UpdateBy';
  const statedBy = await checkAuthor(store, body, author, inPath.value);
  if (!statedBy.ok) return statedBy;
  const key: Record<string, string | number> = {};
  for (const name of resource.naturalKey) {
    const value = values[name];
    key[name] = typeof value === 'number' ? value : toNameKey(String(value));
  }
  return succeed({ values, statedBy: statedBy.value, key, id });
}
