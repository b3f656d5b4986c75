import { MAX_INTEGER, PASSWORD_MASK, type Parameter } from '../model/resource.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** What a request sent: the members of its JSON object. */
export type Body = Readonly<Record<string, unknown>>;

// One @, a dotted domain of letters, digits and hyphens, and no space or control character: what mail servers deliver to.
const EMAIL =
  /^(?!\.)(?!.*\.\.)(?!.*\.@)[^\s@"(),:;<>[\\\]\p{Cc}]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])$/u;

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** A member's own value, never an inherited one. Absent and empty are refused. */
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

function checkPath(text: string, name: string): Outcome<string> {
  const isBad =
    /^\s*[/\\]/.test(text) ||
    /^\s*[a-z][a-z0-9+.-]*:/i.test(text) ||
    /\p{Cc}/u.test(text) ||
    text.split(/[/\\]/).some((segment) => segment.trim() === '..');
  return isBad
    ? fail(1012, `${name} must be a relative path, as in images/a.png: no scheme, no leading slash, no .. segment`)
    : succeed(text);
}

function checkText(value: unknown, name: string, most: number, least = 0): Outcome<string> {
  if (typeof value !== 'string') return fail(1003, `${name} must be a string`);
  const length = lengthOf(value);
  if (length > most) return fail(1005, `${name} exceeds the maximum of ${most} characters`);
  if (length < least) return fail(1006, `${name} is below the minimum of ${least} characters`);
  // Neither can be kept: PostgreSQL refuses the one, and UTF-8 has no form for the other.
  if (value.includes('\0') || !value.isWellFormed())
    return fail(1012, `${name} holds a character that cannot be kept (NUL or half of a surrogate pair); leave it out`);
  return succeed(value);
}

/**
 * Checks type, length and format of one present value; references are the caller's. With `isNew` the record is added, and
 * has no password yet that the mask could keep.
 */
export function checkValue(member: Parameter, value: unknown, isNew = false): Outcome<string | boolean> {
  const { name } = member;
  if (member.kind === 'boolean') {
    if (typeof value === 'boolean') return succeed(value);
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    return text === 'true' || text === 'false' ? succeed(text === 'true') : fail(1003, `${name} must be true or false`);
  }
  if (member.kind === 'password')
    return isNew && value === PASSWORD_MASK
      ? fail(1012, `${name} is the mask that lists show; send a password`)
      : checkText(value, name, member.maxLength, member.minLength);
  if (member.kind === 'reference') return checkText(value, name, 200);
  const text = checkText(value, name, member.maxLength);
  if (!text.ok || member.format === undefined) return text;
  if (member.format === 'path') return checkPath(text.value, name);
  return EMAIL.test(text.value.normalize('NFC').trim())
    ? text
    : fail(1008, `${name} must be an e-mail address, as in a@example.com`);
}
