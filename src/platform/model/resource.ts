import { toNfc } from './to-nfc.ts';

/** What one JSON value of a record may be. */
export type Value = string | number | boolean | null;

/** A record as the API lists it: members by their names in the API. */
export type ApiRecord = Readonly<Record<string, Value>>;

/** How a text is compared: through a stored column that holds its key (see `toNameKey`), unique by the database. */
export interface TextKey {
  readonly column: string;
  readonly ignoresCase?: boolean;
  /** The column of a reference of the same resource within which alone the key is unique. */
  readonly within?: string;
}

/** A string. Its length is counted in Unicode characters. */
export interface TextMember {
  readonly kind: 'text';
  readonly name: string;
  readonly column: string;
  readonly maxLength: number;
  readonly format?: 'email' | 'path';
  readonly key?: TextKey;
  readonly example: string;
}

/** A password: stored as a hash, listed as a mask. */
export interface PasswordMember {
  readonly kind: 'password';
  readonly name: string;
  readonly column: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** The member before it with the name of the user, which is not a password. */
  readonly unlike: string;
  readonly example: string;
}

/** A boolean. `true` or `false` is what the flag `kind` of the record's life means, see `Resource.flag`. */
export interface BooleanMember {
  readonly kind: 'boolean';
  readonly name: string;
  readonly column: string;
  readonly example: boolean;
}

/** Another record, named by the first member of its natural key; stored as a foreign key and listed with its id. */
export interface ReferenceMember {
  readonly kind: 'reference';
  readonly name: string;
  readonly column: string;
  readonly to: Resource;
  readonly example: string;
}

/** A member that is listed and that no request sets; null. */
export interface UnsetMember {
  readonly kind: 'unset';
  readonly name: string;
  readonly column: string;
}

/** One member of a resource besides its id and its stamps. */
export type Member = TextMember | PasswordMember | BooleanMember | ReferenceMember | UnsetMember;

/** A member that a request sends. */
export type Parameter = Exclude<Member, UnsetMember>;

/** A kind of record: routes, validation, storage, lists and OpenAPI come from this declaration. */
export interface Resource {
  /** The segment of the path. */
  readonly name: string;
  readonly noun: string;
  readonly plural: string;
  readonly table: string;
  readonly idMember: string;
  readonly operations: { readonly list: string; readonly add: string; readonly update: string };
  /** Where the specification calls the list by another name: that name, and how the list serves it. */
  readonly listInSpecification?: { readonly title: string; readonly about: string };
  /** In the order of the specification, which is the order of the checks. */
  readonly members: readonly Member[];
  /** The members that find a record when an update sends no id. */
  readonly naturalKey: readonly string[];
  /** The boolean that takes a record out of use, and the value that does. */
  readonly flag: { readonly member: string; readonly outOfUse: boolean };
  /** The scope that adds and updates need; `write` when absent. */
  readonly writeScope?: 'lists' | 'write';
  /** The codes for a record that does not exist, and for one that is there already. */
  readonly codes: { readonly missing: 1004 | 1121; readonly duplicate: 1012 | 1103 };
}

/** The members that every record carries besides its own, with their columns. */
export const STAMPS = [
  ['CreateBy', 'create_by'],
  ['CreateDate', 'create_date'],
  ['CreateIP', 'create_ip'],
  ['UpdateBy', 'update_by'],
  ['UpdateDate', 'update_date'],
  ['UpdateIP', 'update_ip'],
] as const;

/** Shown in a list instead of a password, and may be sent back. */
export const PASSWORD_MASK = '********';

/** The largest id and the largest integer that the API takes. */
export const MAX_INTEGER = 2 ** 31 - 1;

/** The members of a resource that a request sends. */
export const parametersOf = ({ members }: Resource): readonly Parameter[] =>
  members.filter((member) => member.kind !== 'unset');

/** No name is longer, nor a text that is searched for. */
const LONGEST_NAME = 1_000;

const toNormal = (text: string): string => toNfc(text, LONGEST_NAME) ?? text;

/** The key of a name: equal for names that are the same after NFC and trimming, and without case where that is asked. */
export function toNameKey(text: string, ignoresCase = false): string {
  const key = toNormal(text.trim());
  return ignoresCase ? toNormal(key.toLowerCase()) : key;
}
