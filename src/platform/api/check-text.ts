import { toNfc } from '../model/to-nfc.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/**
 * Characters that no text may contain: control and format characters, which include zero-width ones and marks of
 * direction. Also surrogates, private-use and unassigned characters, line separators, and everything else that is
 * invisible.
 */
const HIDDEN = '\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';

/** The signs of Indic scripts after which a joiner changes the shape of the letters. */
const VIRAMA = '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2';

/**
 * The letters of the Arabic script that join on both sides, and all that join. A non-joiner between two of them is
 * visible.
 */
const JOINS_ON =
  '\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u0678-\u0687\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1';
const JOINS = '\u0622-\u064a\u0671-\u0673\u0675-\u06d3\u06d5';

/** One character of a text. The two joiners count only where they are visible, by RFC 5892, appendix A. Emoji are checked apart. */
const SHOWN = `(?:[^${HIDDEN}]|(?<=[${VIRAMA}])[\\u200c\\u200d]|(?<=[${JOINS_ON}])\\u200c(?=[${JOINS}]))`;

const START = '^\\p{Zs}*(?!\\p{Zs})';
const TEXT = `(?!\\p{M})${SHOWN}+$`;

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?';
const LAST_LABEL = '[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}]';
const LOCAL = '(?!\\.)(?!.*\\.\\.)(?!.*\\.@)[^\\s@"(),:;<>\\[\\\\\\]]{1,64}';

const BLANK = '(?:\\p{Zs}|%20)*';
/** Harmless percent-encoding: printable ASCII without the characters that steer a path (`%`, `.`, `/`, `:`, `\`). */
const HARMLESS = '(?:2[0-46-9a-dA-D]|3[0-9b-fB-F]|[46][0-9a-fA-F]|5[0-9abABd-fD-F]|7[0-9a-eA-E])';
const RELATIVE = [
  `(?!${BLANK}/)`,
  `(?!${BLANK}[A-Za-z%][A-Za-z0-9+.%-]*:)`,
  `(?!(?:.*/)?${BLANK}\\.\\.${BLANK}(?:[/?#]|$))`,
  `(?!.*%(?!${HARMLESS}))`,
  '(?!.*\\\\)',
].join('');

/** The patterns of texts. Each allows blanks (`\p{Zs}`) around the text, which are trimmed. */
const PATTERNS = {
  text: `${START}${TEXT}`,
  email: `${START}(?=${TEXT})${LOCAL}@(?:${LABEL}\\.)+${LAST_LABEL}\\p{Zs}*$`,
  path: `${START}(?=${TEXT})${RELATIVE}`,
  password: `^(?=.*\\S)${SHOWN}+$`,
} as const;

const compile = (pattern: string) => new RegExp(pattern, 'u');
const EXPRESSIONS = {
  text: compile(PATTERNS.text),
  email: compile(PATTERNS.email),
  path: compile(PATTERNS.path),
  password: compile(PATTERNS.password),
};
/** An emoji as Unicode lists it, which may hold joiners, variation selectors and tags. */
const EMOJI = /\p{RGI_Emoji}/gv;
/** Stands for each of them in a check: one that holds nothing hidden. */
const PLAIN_EMOJI = '\u{1f600}';
const FIRST_HIDDEN = compile(`[${HIDDEN}]`);
const CANNOT_BE_KEPT = /[\0\p{Cs}]/u;

/** The rule of a text. Lengths are in Unicode characters of the stored form. */
export interface TextRule {
  readonly kind: keyof typeof PATTERNS;
  readonly most: number;
  readonly least?: number;
}

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

const refuse = {
  email: (name: string) => fail(1008, `${name} must be an e-mail address such as a@example.com`),
  path: (name: string) =>
    fail(
      1012,
      `${name} must be a relative path such as images/a.png: no scheme, no leading slash, no backslash, no .. segment, and only printable ASCII but %, ., /, : and \\ may be percent-encoded`,
    ),
  password: (name: string) =>
    fail(1012, `${name} contains an invisible character (a line break or a zero-width character); remove it`),
};

function refuseText(text: string, name: string): Outcome<never> {
  const hidden = FIRST_HIDDEN.exec(text)?.[0].codePointAt(0);
  if (hidden === undefined) return fail(1012, `${name} starts with a combining mark; put a letter before it`);
  const code = `U+${hidden.toString(16).toUpperCase().padStart(4, '0')}`;
  return fail(1012, `${name} contains an invisible or unsupported character (${code}); remove it`);
}

const trimmed = (text: string, { kind }: TextRule): string => (kind === 'password' ? text : text.trim());

/** The length after NFC, and after trimming except for passwords. */
function checkLength(value: unknown, name: string, rule: TextRule): Outcome<string> {
  if (typeof value !== 'string') return fail(1003, `${name} must be a string`);
  const { most, least = 0 } = rule;
  const text = toNfc(trimmed(value, rule), most);
  if (text === undefined) return fail(1005, `${name} exceeds the maximum of ${most} characters`);
  if (lengthOf(text) < least) return fail(1006, `${name} is below the minimum of ${least} characters`);
  return succeed(text);
}

/**
 * Checks a text and returns its stored form: NFC, trimmed (except a password). Every text of the API and of the command
 * line goes through here.
 */
export function checkText(value: unknown, name: string, rule: TextRule): Outcome<string> {
  const text = checkLength(value, name, rule);
  if (!text.ok) return text;
  // Before trimming: a line break at the end is not a blank.
  const sent = String(value).replace(trimmed(String(value), rule), () => text.value);
  const mayHoldEmoji = rule.kind === 'text' || rule.kind === 'password';
  const whole = mayHoldEmoji ? sent.replaceAll(EMOJI, PLAIN_EMOJI) : sent;
  if (EXPRESSIONS[rule.kind].test(whole)) return text;
  if (rule.kind === 'email') return refuse.email(name);
  if (rule.kind === 'password') return refuse.password(name);
  return rule.kind === 'path' && EXPRESSIONS.text.test(whole) ? refuse.path(name) : refuseText(whole, name);
}

/** Checks a text that is only compared with stored texts, which may be older than the current rules. */
export function checkLookup(value: unknown, name: string, rule: TextRule): Outcome<string> {
  const text = checkLength(value, name, rule);
  if (!text.ok || !CANNOT_BE_KEPT.test(text.value)) return text;
  return fail(1012, `${name} contains an unsupported character (NUL or half of a surrogate pair); remove it`);
}
