import type { KeyValues, PlatformStore } from '../model/platform-store.ts';
import {
  type ApiRecord,
  parametersOf,
  type ReferenceMember,
  type Resource,
  toNameKey,
  type Value,
} from '../model/resource.ts';
import { checkNewPassword } from './accounts/new-password.ts';
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

const toKey = ({ naturalKey }: Resource, values: CheckedWrite['values']): KeyValues =>
  Object.fromEntries(
    naturalKey.map((name) => {
      const value = values[name];
      return [name, typeof value === 'number' ? value : toNameKey(String(value))];
    }),
  );

/** What a reference names, and whether that is in use. */
async function findReferenced(store: PlatformStore, { name, to }: ReferenceMember, text: string) {
  const found = await store.findByKey(to, { [to.naturalKey[0] ?? '']: toNameKey(text) });
  return found === undefined
    ? fail(to.codes.missing, `${name}: no ${to.noun} has that name; ${to.operations.list} lists them`)
    : succeed(found);
}

/** Does an update take the record back into use? */
function restores({ flag, members }: Resource, before: ApiRecord, body: Body): boolean {
  if (before[flag.member] !== flag.outOfUse) return false;
  const declared = members.find(({ name }) => name === flag.member);
  const sent = declared?.kind === 'boolean' ? checkValue(declared, body[flag.member]) : undefined;
  return sent?.ok === true && sent.value !== flag.outOfUse;
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
  return user.isActive ? id : fail(1012, `${name}: that admin user is inactive; name an active one`);
}

/** The record whose id an update sends. */
async function checkId(store: PlatformStore, resource: Resource, body: Body): Promise<Outcome<ApiRecord>> {
  const { idMember, noun, codes } = resource;
  const present = requireMember(body, idMember);
  if (!present.ok) return present;
  const id = checkInteger(present.value, idMember);
  if (!id.ok) return id;
  const record = await store.find(resource, id.value);
  return record ? succeed(record) : fail(codes.missing, `${idMember}: there is no ${noun} with that id`);
}

/** The values of the members of a write: of an add, or of an update of `findBefore`, which may know the record only in the end. */
export async function checkMembers(
  store: PlatformStore,
  resource: Resource,
  body: Body,
  findBefore?: (values: CheckedWrite['values']) => Promise<ApiRecord | undefined>,
): Promise<Outcome<CheckedWrite['values']>> {
  const values: Record<string, Value> = {};
  /** Only an update of a record that stays where it is, and is not restored, may name what is deleted. */
  const checkReference = async (member: ReferenceMember, text: string): Promise<Outcome<number>> => {
    const found = await findReferenced(store, member, text);
    if (!found.ok) return found;
    const { id, isInUse } = found.value;
    values[member.name] = id;
    const before = isInUse ? undefined : await findBefore?.(values);
    const stays = before !== undefined && before[member.to.idMember] === id && !restores(resource, before, body);
    if (isInUse || stays) return succeed(id);
    return fail(1012, `${member.name}: that ${member.to.noun} is deleted; choose another, or restore it first`);
  };
  for (const member of parametersOf(resource)) {
    const present = requireMember(body, member.name);
    if (!present.ok) return present;
    const checked = checkValue(member, present.value, findBefore === undefined);
    if (!checked.ok) return checked;
    const text = String(checked.value);
    let value: Outcome<Value> = checked;
    if (member.kind === 'reference') value = await checkReference(member, text);
    if (member.kind === 'password') value = await checkNewPassword(text, member.name, String(values[member.unlike]));
    if (!value.ok) return value;
    values[member.name] = value.value;
  }
  return succeed(values);
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
  const isUpdate = segment !== undefined;
  const inPath = isUpdate ? checkDigits(segment, '<updatedby>') : succeed(undefined);
  if (!inPath.ok) return inPath;
  const named = isUpdate && Object.hasOwn(body, resource.idMember) ? await checkId(store, resource, body) : undefined;
  if (named?.ok === false) return named;
  /** The record to update, as far as the members before tell. */
  const findBefore = async (values: CheckedWrite['values']): Promise<ApiRecord | undefined> => {
    if (named !== undefined) return named.value;
    if (!resource.naturalKey.every((name) => Object.hasOwn(values, name))) return undefined;
    const found = await store.findByKey(resource, toKey(resource, values));
    return found && store.find(resource, found.id);
  };
  const values = await checkMembers(store, resource, body, isUpdate ? findBefore : undefined);
  if (!values.ok) return values;
  const statedBy = await checkAuthor(store, body, isUpdate ? 'UpdateBy' : 'CreateBy', inPath.value);
  if (!statedBy.ok) return statedBy;
  const id = named && Number(named.value[resource.idMember]);
  return succeed({ values: values.value, statedBy: statedBy.value, key: toKey(resource, values.value), id });
}
