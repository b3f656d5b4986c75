import { type BooleanMember, MAX_INTEGER, PASSWORD_MASK, type Parameter } from '../model/resource.ts';
import { checkText, type TextRule } from './check-text.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** Names of parameters by their small letters. */
export type Spellings = ReadonlyMap<string, string>;

export const toSpellings = (names: readonly string[]): Spellings =>
  new Map(names.map((name) => [name.toLowerCase(), name]));

/** Refuses a parameter that differs from a known one in its case only, which would ask for more than was meant. */
export function checkSpelling(query: URLSearchParams | undefined, known: Spellings): Outcome<undefined> {
  for (const name of query?.keys() ?? []) {
    const right = known.get(name.toLowerCase());
    if (right !== undefined && right !== name)
      return fail(1012, `${name} must be spelled ${right}: the names of parameters are case-sensitive`);
  }
  return succeed(undefined);
}

/** A day, or a time with its zone. */
const DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * A day (`2026-12-31`, from its start in UTC) or a time (`2026-12-31T18:00:00Z`), as ISO 8601; undefined if it is
 * neither.
 */
export function parseDate(text: string): string | undefined {
  const [, day = '', time] = DATE.exec(text) ?? [];
  const start = Date.parse(`${day}T00:00:00Z`);
  // Date.parse accepts the 31st of February as a day of March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) return undefined;
  const at = time === undefined ? start : Date.parse(text);
  const iso = Number.isNaN(at) ? '' : new Date(at).toISOString();
  // Times are compared as texts, which a year of more than four digits would break.
  return /^\d{4}-/.test(iso) ? iso : undefined;
}

/** A date of a body or a query, as ISO 8601 in UTC. */
export function checkDate(value: unknown, name: string): Outcome<string> {
  if (typeof value !== 'string') return fail(1003, `${name} must be a string`);
  const date = parseDate(value.trim());
  return date === undefined
    ? fail(1009, `${name} must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z`)
    : succeed(date);
}

/** The members of a request's JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** The longest name of a record that others refer to. */
const REFERENCE_MAX_LENGTH = 200;

/** A member's own value, never an inherited one. Refuses absent and empty ones. */
export function requireMember(body: Body, name: string): Outcome<unknown> {
  if (!Object.hasOwn(body, name)) return fail(1001, `${name} is missing; send it`);
  const value = body[name];
  if (value === null || (typeof value === 'string' && value.trim() === ''))
    return fail(1002, `${name} is empty; give it a value`);
  return succeed(value);
}

/** An integer within 1 and 2^31 − 1. */
export function checkInteger(value: unknown, name: string, least = 1, most = MAX_INTEGER): Outcome<number> {
  if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
    return fail(1003, `${name} must be an integer`);
  if (value < least || value > most) return fail(1011, `${name} must be from ${least} to ${most}`);
  return succeed(value);
}

/** An integer in a path or query, in decimal digits. */
export const checkDigits = (text: string, name: string, least?: number, most?: number): Outcome<number> =>
  /^-?\d+$/.test(text) ? checkInteger(Number(text), name, least, most) : fail(1003, `${name} must be an integer`);

/** A value of a fixed number of characters, such as the token of a link. */
export function checkSize(value: unknown, name: string, size: number): Outcome<string> {
  if (typeof value !== 'string') return fail(1003, `${name} must be a string`);
  const text = value.trim();
  return text.length === size
    ? succeed(text)
    : fail(1007, `${name} must have ${size} characters; send the whole value`);
}

/** The rule of a member whose value is a text. */
export function textRuleOf(member: Exclude<Parameter, BooleanMember>): TextRule {
  if (member.kind === 'password') return { kind: 'password', most: member.maxLength, least: member.minLength };
  if (member.kind === 'reference') return { kind: 'text', most: REFERENCE_MAX_LENGTH };
  return { kind: member.format ?? 'text', most: member.maxLength };
}

/**
 * Checks type, length and format of one present value and returns its stored form. The caller checks references. With
 * `isNew` the record is new, and has no password that the mask could keep.
 */
export function checkValue(member: Parameter, value: unknown, isNew = false): Outcome<string | boolean> {
  const { name } = member;
  if (member.kind === 'boolean') {
    if (typeof value === 'boolean') return succeed(value);
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    return text === 'true' || text === 'false' ? succeed(text === 'true') : fail(1003, `${name} must be true or false`);
  }
  if (member.kind === 'password' && isNew && value === PASSWORD_MASK)
    return fail(1012, `${name} is the mask shown in lists; send a password`);
  return checkText(value, name, textRuleOf(member));
}
