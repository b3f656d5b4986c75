import { INTEGER, type Json, type Member } from './call.ts';
import { checkLookup } from './check-text.ts';
import { checkDate, checkDigits, requireMember } from './check-value.ts';
import type { ErrorCode } from './error-codes.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { BOOLEAN_PARAMETER, DATE_TEXT } from './published-patterns.ts';

/** What a parameter of the query may be; a date is read as ISO 8601. */
interface ParameterKinds {
  readonly text: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly date: string;
}

/** The name of a kind. */
export type ParameterKind = keyof ParameterKinds;

/** The longest text of a parameter, in characters. */
const MAX_TEXT = 500;

function checkBoolean(text: string, name: string): Outcome<boolean> {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? succeed(word === 'true') : fail(1003, `${name} must be true or false`);
}

interface Kind<T> {
  readonly schema: Json;
  readonly codes: readonly ErrorCode[];
  readonly check: (text: string, name: string) => Outcome<T>;
}

const KINDS: { readonly [K in ParameterKind]: Kind<ParameterKinds[K]> } = {
  text: {
    schema: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
    codes: [1005, 1012],
    check: (text, name) => checkLookup(text, name, { kind: 'text', most: MAX_TEXT }),
  },
  boolean: { schema: { type: 'string', pattern: BOOLEAN_PARAMETER }, codes: [1003], check: checkBoolean },
  integer: {
    schema: INTEGER,
    codes: [1003, 1011],
    check: (text, name) => checkDigits(text.trim(), name),
  },
  date: {
    schema: { type: 'string', pattern: DATE_TEXT, examples: ['2026-01-31'] },
    codes: [1009],
    check: checkDate,
  },
};

/** A parameter of a query, which is refused when it is empty. */
export function parameter<K extends ParameterKind>(kind: K, description: string): Member<ParameterKinds[K]> {
  const { schema, codes, check } = KINDS[kind];
  return {
    schema: { ...schema, description },
    codes: [1002, ...codes],
    read: (text, name) => {
      const present = requireMember({ [name]: text }, name);
      return present.ok ? check(String(text), name) : present;
    },
  };
}

/** The order of a list. */
export interface Sort {
  readonly member: string;
  readonly isDescending: boolean;
}

/** The parameter `sort`: a member of the list, after a `-` for the other direction. */
export function sortParameter(members: readonly string[], description: string): Member<Sort> {
  const text = parameter('text', description);
  return {
    schema: { type: 'string', enum: members.flatMap((name) => [name, `-${name}`]), description },
    codes: text.codes,
    read: (value, name) => {
      const read = text.read(value, name);
      if (!read.ok) return read;
      const isDescending = read.value.startsWith('-');
      const member = isDescending ? read.value.slice(1) : read.value;
      return members.includes(member)
        ? succeed({ member, isDescending })
        : fail(1012, `sort must be one of ${members.join(', ')}, with a - in front for descending order`);
    },
  };
}
