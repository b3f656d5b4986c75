import { MAX_INTEGER } from '../model/resource.ts';
import type { CallMember, Json } from './call.ts';
import { checkLookup } from './check-text.ts';
import { checkDate, checkDigits, requireMember } from './check-value.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { BOOLEAN_PARAMETER, DATE_TEXT } from './published-patterns.ts';

/** What a parameter of the query may be. */
export type ParameterKind = 'text' | 'boolean' | 'integer' | 'date';

/** The parameters of a query by their names. */
export type ParameterKinds = ReadonlyMap<string, ParameterKind>;

/** The values of the parameters that were sent; a date is ISO 8601. */
export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** The longest text of a parameter, in characters. */
const MAX_TEXT = 500;

function checkBoolean(text: string, name: string): Outcome<boolean> {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? succeed(word === 'true') : fail(1003, `${name} must be true or false`);
}

function checkParameter(kind: ParameterKind, text: string, name: string): Outcome<string | number | boolean> {
  if (kind === 'boolean') return checkBoolean(text, name);
  if (kind === 'integer') return checkDigits(text.trim(), name, 1, MAX_INTEGER);
  return kind === 'date' ? checkDate(text, name) : checkLookup(text, name, { kind: 'text', most: MAX_TEXT });
}

/** Reads the parameters that a list knows, the first of each name; others are ignored. */
export function readParameters(query: URLSearchParams | undefined, kinds: ParameterKinds): Outcome<Parameters> {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, text] of query ?? []) {
    const kind = kinds.get(name);
    if (kind === undefined || Object.hasOwn(values, name)) continue;
    const present = requireMember({ [name]: text }, name);
    if (!present.ok) return present;
    const value = checkParameter(kind, text, name);
    if (!value.ok) return value;
    values[name] = value.value;
  }
  return succeed(values);
}

const SCHEMAS: Readonly<Record<ParameterKind, Json>> = {
  text: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
  boolean: { type: 'string', pattern: BOOLEAN_PARAMETER },
  integer: { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
  date: { type: 'string', pattern: DATE_TEXT, examples: ['2026-01-31'] },
};

/** A parameter as the reference describes it. */
export const describeParameter = (name: string, kind: ParameterKind, description: string): CallMember => ({
  name,
  schema: { ...SCHEMAS[kind], description },
});

/** The order that a text names: a member of the list, after a `-` for the other direction. */
export function checkSort(
  text: string,
  members: readonly string[],
): Outcome<{ readonly member: string; readonly isDescending: boolean }> {
  const isDescending = text.startsWith('-');
  const member = isDescending ? text.slice(1) : text;
  return members.includes(member)
    ? succeed({ member, isDescending })
    : fail(1012, `sort must be one of ${members.join(', ')}, after a - for the other direction`);
}

/** The parameter `sort` as the reference describes it. */
export const describeSort = (members: readonly string[], description: string): CallMember => ({
  name: 'sort',
  schema: { type: 'string', enum: members.flatMap((name) => [name, `-${name}`]), description },
});
