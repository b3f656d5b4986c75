import { ID_DIGITS, MOST_ID_DIGITS } from './chain-values.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

const LIST = '"result":[';
const PEER = '{"id":';
const [ID, TRUE, FALSE, NULL] = ['"id"', 'true', 'false', 'null'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** By byte: whether it is a hexadecimal digit. */
const IS_HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/i.test(String.fromCharCode(byte)) ? 1 : 0));

/** Peers are three deep. Whatever is much deeper would need more stack than there is. */
const DEPTH = 4;

/** By byte: whether it is itself within a string. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** There is nothing that the node writes. */
const NONE = -1;

function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Where a string ends that begins here. It has no escapes. */
function skipString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NONE;
  const { length } = bytes;
  let next = at + 1;
  while (next < length && IS_PLAIN[bytes[next] as number] === 1) next += 1;
  return bytes[next] === QUOTE ? next + 1 : NONE;
}

/** Where the id of a peer ends that begins here. */
function skipId(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NONE;
  let next = at + 1;
  while (IS_HEX[bytes[next] as number] === 1) next += 1;
  const digits = next - at - 1;
  return bytes[next] === QUOTE && digits >= ID_DIGITS && digits <= MOST_ID_DIGITS ? next + 1 : NONE;
}

/** Where a number ends that begins here. It has no sign, fraction or exponent. */
function skipNumber(bytes: Uint8Array, at: number): number {
  if (bytes[at] === ZERO) return at + 1;
  let next = at;
  while (next < bytes.length && (bytes[next] as number) >= ZERO && (bytes[next] as number) <= NINE) next += 1;
  return next > at ? next : NONE;
}

/** Where the name of a member, with its colon, ends that begins here. */
function skipName(bytes: Uint8Array, at: number): number {
  const end = skipString(bytes, at);
  return end !== NONE && bytes[end] === COLON ? end + 1 : NONE;
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

function skipValue(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) return skipString(bytes, at);
  if (byte === OPEN_LIST || byte === OPEN_OBJECT)
    return depth === 0 ? NONE : skipItems(bytes, at + 1, byte === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT, depth - 1);
  // A list of the three would be garbage for each value.
  if (isAt(bytes, at, TRUE)) return at + TRUE.length;
  if (isAt(bytes, at, FALSE)) return at + FALSE.length;
  return isAt(bytes, at, NULL) ? at + NULL.length : skipNumber(bytes, at);
}

/** Where a peer ends that begins here. Its first member is its id, and no other one is called so. */
function skipPeer(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== OPEN_OBJECT || !isAt(bytes, at + 1, ID) || bytes[at + 1 + ID.length] !== COLON) return NONE;
  let next = skipId(bytes, at + PEER.length);
  while (next !== NONE && bytes[next] === COMMA) {
    if (isAt(bytes, next + 1, ID)) return NONE;
    next = skipName(bytes, next + 1);
    if (next !== NONE) next = skipValue(bytes, next, DEPTH - 1);
  }
  return next !== NONE && bytes[next] === CLOSE_OBJECT ? next + 1 : NONE;
}

/** Replaces each peer by the first digits of its id; no digit is read of it for an empty one. */
function skimPeers(bytes: Buffer, digits: number): string {
  const idAt = (at: number): string => (digits === 0 ? '' : bytes.toString('latin1', at, at + digits));
  const found = bytes.indexOf(`${LIST}${PEER}`);
  if (found === -1) return bytes.toString();
  const start = found + LIST.length;
  const ids: string[] = [];
  let end = start;
  do {
    const peer = ids.length === 0 ? start : end + 1;
    end = skipPeer(bytes, peer);
    if (end === NONE) return bytes.toString();
    ids.push(idAt(peer + PEER.length + 1));
  } while (bytes[end] === COMMA);
  return `${bytes.toString('utf8', 0, start)}${PEER}"${ids.join(`"},${PEER}"`)}"}${bytes.toString('utf8', end)}`;
}

/**
 * The text of a JSON-RPC answer in which each peer is replaced by an empty id, because nothing else of it is read. The peers are still
 * checked to be JSON, but no string is made of them: they are nine tenths of an answer, and garbage costs more than reading. Only the
 * node's own format is recognised (XDC-Subnet p2p/peer.go, encoded by Go: compact, id first, without escapes and fractions); other
 * lists stay as they are.
 */
export const countPeers = (bytes: Buffer): string => skimPeers(bytes, 0);

/** The same, with as many digits of each id as are read. */
export const namePeers = (bytes: Buffer): string => skimPeers(bytes, ID_DIGITS);
