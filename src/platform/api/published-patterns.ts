import type { TextRule } from './check-text.ts';

/** Control characters, in a class; each rule refuses them all. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
const IN_ADDRESS = `[^${CONTROL}"(),:;<>@\\[\\]\\\\]`;
const IN_LABEL = `[^${CONTROL}"(),.:;<>@\\[\\]\\\\]`;

/**
 * The patterns that the OpenAPI document has. They compile in RE2, in Python, and in JavaScript with and without the flag `u`.
 * So they say less than the checks, in ASCII and without looking around: each takes all that the checks take, as it was sent.
 */
export const TEXT_PATTERNS: Readonly<Record<TextRule['kind'], string>> = {
  text: `^ *[^ ${CONTROL}][^${CONTROL}]*$`,
  email: `^${IN_ADDRESS}+@${IN_LABEL}+(?:\\.${IN_LABEL}+)+$`,
  path: `^ *[^ /\\\\${CONTROL}][^\\\\${CONTROL}]*$`,
  password: `^[^${CONTROL}]+$`,
};

const SHOWN =
  'Every character must show: no control or format characters, line separators, unassigned or private code points, and joiners and variation selectors only where they show.';
const STARTS = 'The first character must not be a combining mark.';

/** The exact rules, in words. */
export const TEXT_RULES: Readonly<Record<TextRule['kind'], string>> = {
  text: `${SHOWN} ${STARTS}`,
  email: `At most 64 characters before the @ and 63 in each label behind it, of which there are two or more, of letters, digits and inner hyphens; no two dots in a row. ${SHOWN}`,
  path: `A relative path: no scheme, no leading slash, no backslash, no .. segment, also not percent-encoded, and only printable ASCII but %, ., /, : and \\ may be percent-encoded. ${SHOWN} ${STARTS}`,
  password: `Not only blanks. ${SHOWN}`,
};

/** A date in a query or a body; blanks around it are taken. */
export const DATE_TEXT =
  '^\\W*[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,3})?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?\\W*$';

const BOOLEAN = '(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])';

/** A boolean as a string in a body. */
export const BOOLEAN_TEXT = `^${BOOLEAN}$`;

/** A boolean in a query; blanks around it are taken. */
export const BOOLEAN_PARAMETER = `^\\W*${BOOLEAN}\\W*$`;
