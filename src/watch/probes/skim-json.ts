export const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LOWER_U = 0x75;

export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** No place: nothing begins there that is JSON as programs write it, without spaces. */
export const NONE = -1;

const [TRUE, FALSE, NULL] = ['true', 'false', 'null'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/** Whatever is deeper than that is no answer of a node, and would need more stack than there is. */
const DEPTH = 12;

const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');

/** By byte: whether it is a hexadecimal digit. */
const IS_HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/i.test(String.fromCharCode(byte)) ? 1 : 0));

/** By byte: whether it is itself within a string. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

export function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Where hexadecimal digits end that begin here. */
export function skipHex(bytes: Uint8Array, at: number): number {
  let next = at;
  while (IS_HEX[bytes[next] as number] === 1) next += 1;
  return next;
}

function skipEscape(bytes: Uint8Array, at: number): number {
  const byte = bytes[at + 1] as number;
  if (byte === LOWER_U) return skipHex(bytes, at + 2) >= at + 6 ? at + 6 : NONE;
  return SHORT_ESCAPES.includes(byte) ? at + 2 : NONE;
}

/** Where plain bytes of a string end that begin here. */
function skipPlain(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  let next = at;
  while (next < length && IS_PLAIN[bytes[next] as number] === 1) next += 1;
  return next;
}

function skipString(bytes: Uint8Array, at: number): number {
  let next = skipPlain(bytes, at + 1);
  while (bytes[next] === BACKSLASH) {
    next = skipEscape(bytes, next);
    if (next === NONE) return NONE;
    next = skipPlain(bytes, next);
  }
  return bytes[next] === QUOTE ? next + 1 : NONE;
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length && (bytes[next] as number) >= ZERO && (bytes[next] as number) <= NINE) next += 1;
  return next > at ? next : NONE;
}

function skipNumber(bytes: Uint8Array, at: number): number {
  const start = bytes[at] === MINUS ? at + 1 : at;
  let next = bytes[start] === ZERO ? start + 1 : skipDigits(bytes, start);
  if (next !== NONE && bytes[next] === DOT) next = skipDigits(bytes, next + 1);
  if (next === NONE || (bytes[next] !== LOWER_E && bytes[next] !== UPPER_E)) return next;
  const sign = bytes[next + 1];
  return skipDigits(bytes, sign === PLUS || sign === MINUS ? next + 2 : next + 1);
}

/** Where the name of a member, with its colon, ends that begins here. A name with an escape is none: it may be another one in disguise. */
export function skipName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NONE;
  const end = skipPlain(bytes, at + 1);
  return bytes[end] === QUOTE && bytes[end + 1] === COLON ? end + 2 : NONE;
}

/** Where the list or the object ends whose first item begins here. */
function skipItems(bytes: Uint8Array, at: number, close: number, depth: number): number {
  if (bytes[at] === close) return at + 1;
  for (let next = at; ; next += 1) {
    if (close === CLOSE_OBJECT) next = skipName(bytes, next);
    if (next !== NONE) next = skipValue(bytes, next, depth);
    if (next === NONE || bytes[next] !== COMMA) return next !== NONE && bytes[next] === close ? next + 1 : NONE;
  }
}

/** Where a value ends that begins here. `JSON.parse` takes every value that has an end, with the same end. */
export function skipValue(bytes: Uint8Array, at: number, depth = DEPTH): number {
  const byte = bytes[at];
  if (byte === QUOTE) return skipString(bytes, at);
  if (byte === OPEN_LIST || byte === OPEN_OBJECT)
    return depth === 0 ? NONE : skipItems(bytes, at + 1, byte === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT, depth - 1);
  // A list of the three would be garbage for each value.
  if (isAt(bytes, at, TRUE)) return at + TRUE.length;
  if (isAt(bytes, at, FALSE)) return at + FALSE.length;
  return isAt(bytes, at, NULL) ? at + NULL.length : skipNumber(bytes, at);
}

/** Digits that a number has at most so that adding them up is exact. */
const EXACT_DIGITS = 15;

/** The value whose text lies between two places. */
export function parseBetween(bytes: Buffer, start: number, end: number): unknown {
  if (end - start > EXACT_DIGITS) return JSON.parse(bytes.toString('utf8', start, end));
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return JSON.parse(bytes.toString('utf8', start, end));
    number = number * 10 + digit;
  }
  return number;
}
