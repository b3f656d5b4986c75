import type { Body } from '../../api/check-value.ts';
import { imageMembersOf } from '../../api/images.ts';
import type { PlatformStore } from '../../model/platform-store.ts';
import {
  type ApiRecord,
  PASSWORD_MASK,
  type Parameter,
  parametersOf,
  type ReferenceMember,
  type Resource,
} from '../../model/resource.ts';
import type { Field } from '../form.ts';
import { labelOf } from '../member-words.ts';
import { imageField } from './record-image.ts';

/** The resource without whose records there is none of this one, if no record of it is in use. */
export async function findMissing(store: PlatformStore, resource: Resource): Promise<Resource | undefined> {
  for (const member of resource.members) {
    if (member.kind !== 'reference') continue;
    const { flag } = member.to;
    const used = await store.search(member.to, { where: { [flag.member]: !flag.outOfUse }, offset: 0, limit: 1 });
    if (used.total === 0) return member.to;
  }
  return undefined;
}

/** A list to choose from is no longer than this; else the name is typed. */
const MOST_CHOICES = 500;

const HINTS: Readonly<Record<string, string>> = {
  ImagePath: 'Filled in by the image that you choose. Or a relative path of your own, such as images/a.png.',
  IsActive: 'Inactive users cannot sign in. Their sessions, tokens and API keys end for good.',
  IsDeleted: 'A deleted record stays in the list and keeps its name.',
  UserName: 'Case-sensitive.',
};

const AUTOCOMPLETE: Readonly<Record<string, string>> = { Password: 'new-password' };

/** The names that a reference may have: of the records in use, and the one it has now. Undefined if there are too many. */
async function findChoices(
  store: PlatformStore,
  { to }: ReferenceMember,
  current: string,
): Promise<Field['options'] | undefined> {
  const [name = ''] = to.naturalKey;
  const sort = { member: name, isDescending: false };
  const where = { [to.flag.member]: !to.flag.outOfUse };
  const { items, total } = await store.search(to, { where, sort, offset: 0, limit: MOST_CHOICES });
  if (total > MOST_CHOICES) return undefined;
  const names = items.map((record) => String(record[name]));
  const all = current === '' || names.includes(current) ? names : [current, ...names];
  return [['', 'Choose one'], ...all.map((one) => [one, one] as const)];
}

async function toField(store: PlatformStore, member: Parameter, value: string): Promise<Field> {
  const { name, kind } = member;
  const about = { label: labelOf(name, kind), hint: HINTS[name], autocomplete: AUTOCOMPLETE[name] };
  const field: Field = { name, isMember: true, value, ...about };
  if (kind === 'boolean') return { ...field, kind: 'checkbox' };
  if (kind === 'password') return { ...field, kind: 'password', hint: `At least ${member.minLength} characters.` };
  if (kind === 'text' && member.format === 'email') return { ...field, kind: 'email', inputMode: 'email' };
  if (kind !== 'reference') return field;
  const options = await findChoices(store, member, value);
  return options === undefined ? field : { ...field, kind: 'select', options };
}

/** The members that the form of a record has. Nobody chooses the password of somebody else who has one already. */
const membersOf = (resource: Resource, isNew: boolean): readonly Parameter[] =>
  parametersOf(resource).filter(({ kind }) => isNew || kind !== 'password');

/** The fields of a record: with the values that were sent, else with those that it has; a new one is in use. */
export async function recordFields(
  store: PlatformStore,
  resource: Resource,
  record: ApiRecord | undefined,
  sent: Readonly<Record<string, string>> | undefined,
): Promise<readonly Field[]> {
  const { flag } = resource;
  const toValue = (name: string): string => {
    if (sent !== undefined) return sent[name] ?? '';
    if (record === undefined) return name === flag.member ? String(!flag.outOfUse) : '';
    return String(record[name] ?? '');
  };
  const fields: Field[] = [];
  const images = imageMembersOf(resource);
  for (const member of membersOf(resource, record === undefined)) {
    if (images.some(({ name }) => name === member.name)) fields.push(imageField(toValue(member.name)));
    fields.push(await toField(store, member, toValue(member.name)));
  }
  return fields;
}

/** The body that a form is to the API: a box that is not checked is false, and a password without a field stays. */
export function toBody(resource: Resource, isNew: boolean, form: Readonly<Record<string, string>>): Body {
  const body: Record<string, unknown> = {};
  for (const { name, kind } of parametersOf(resource)) {
    if (kind === 'boolean') body[name] = form[name] === 'true';
    else if (kind === 'password' && !isNew) body[name] = PASSWORD_MASK;
    else body[name] = form[name] ?? '';
  }
  return body;
}
