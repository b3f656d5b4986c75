import { ID_DIGITS, MOST_ID_DIGITS } from './chain-values.ts';
import { type CallResult, parseAnswer, parseSingle } from './json-rpc.ts';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  isAt,
  NONE,
  OPEN_LIST,
  OPEN_OBJECT,
  parseBetween,
  QUOTE,
  skipHex,
  skipName,
  skipValue,
} from './skim-json.ts';
import type { TransportResponse } from './transport.ts';

/** A place in a JSON text. It is `NONE` after something that was not recognised. */
interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** Reads the value at the cursor, or only what is asked of it, and moves the cursor to its end. */
export type SkimValue = (cursor: Cursor) => unknown;

/** Reads all of a value. */
export const skimWhole: SkimValue = (cursor) => {
  const start = cursor.at;
  cursor.at = skipValue(cursor.bytes, start);
  return cursor.at === NONE ? undefined : parseBetween(cursor.bytes, start, cursor.at);
};

/** Reads only the members of an object that have one of these names. */
export function skimMembers(...names: readonly string[]): SkimValue {
  const starts = names.map((name) => Buffer.from(`"${name}":`));
  const findName = (bytes: Buffer, at: number): number => {
    for (let index = 0; index < starts.length; index += 1) if (isAt(bytes, at, starts[index] as Buffer)) return index;
    return NONE;
  };
  return (cursor) => {
    const { bytes } = cursor;
    const first = cursor.at + 1;
    if (bytes[first - 1] !== OPEN_OBJECT || bytes[first] === CLOSE_OBJECT) return skimWhole(cursor);
    const members: Record<string, unknown> = {};
    for (cursor.at = first; ; cursor.at += 1) {
      const found = findName(bytes, cursor.at);
      if (found === NONE) {
        const start = skipName(bytes, cursor.at);
        cursor.at = start === NONE ? NONE : skipValue(bytes, start);
      } else {
        cursor.at += (starts[found] as Buffer).length;
        members[names[found] as string] = skimWhole(cursor);
      }
      if (cursor.at === NONE || bytes[cursor.at] !== COMMA) break;
    }
    cursor.at = cursor.at !== NONE && bytes[cursor.at] === CLOSE_OBJECT ? cursor.at + 1 : NONE;
    return members;
  };
}

const PEER = Buffer.from('{"id":"');
const ID = Buffer.from('"id"');

/** Where a peer ends that begins here. Its first member is its id, and no other one is called so. */
function skipPeer(bytes: Buffer, at: number): number {
  if (!isAt(bytes, at, PEER)) return NONE;
  const start = at + PEER.length;
  let next = skipHex(bytes, start);
  const digits = next - start;
  if (bytes[next] !== QUOTE || digits < ID_DIGITS || digits > MOST_ID_DIGITS) return NONE;
  next += 1;
  while (bytes[next] === COMMA) {
    if (isAt(bytes, next + 1, ID)) return NONE;
    next = skipName(bytes, next + 1);
    if (next !== NONE) next = skipValue(bytes, next);
    if (next === NONE) return NONE;
  }
  return bytes[next] === CLOSE_OBJECT ? next + 1 : NONE;
}

interface Peer {
  readonly id: string;
}

const COUNTED: Peer = { id: '' };

/**
 * Reads the first digits of the id of each peer; none of the id for 0. A list that is not as the node writes it (XDC-Subnet
 * p2p/peer.go, encoded by Go: compact, id first) is read whole.
 */
const skimPeers =
  (digits: number): SkimValue =>
  (cursor) => {
    const { bytes, at: start } = cursor;
    if (bytes[start] !== OPEN_LIST || bytes[start + 1] !== OPEN_OBJECT) return skimWhole(cursor);
    const peers: Peer[] = [];
    let at = start;
    do {
      const id = at + 1 + PEER.length;
      at = skipPeer(bytes, at + 1);
      if (at === NONE) return skimWhole(cursor);
      peers.push(digits === 0 ? COUNTED : { id: bytes.toString('latin1', id, id + digits) });
    } while (bytes[at] === COMMA);
    if (bytes[at] !== CLOSE_LIST) return skimWhole(cursor);
    cursor.at = at + 1;
    return peers;
  };

/** Reads no more of peers than how many there are. */
export const countPeers = skimPeers(0);

/** Reads as many digits of each id as are read elsewhere. */
export const namePeers = skimPeers(ID_DIGITS);

const MESSAGE = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT = Buffer.from(',"result":');
const NEWLINE = 0x0a;

/** Reads a message with a result at the cursor. */
function readMessage(cursor: Cursor, readers: readonly SkimValue[], results: CallResult[]): void {
  const { bytes } = cursor;
  const start = cursor.at + MESSAGE.length;
  const end = isAt(bytes, cursor.at, MESSAGE) ? skipValue(bytes, start) : NONE;
  const id = end === NONE ? undefined : parseBetween(bytes, start, end);
  const index = typeof id === 'number' ? id - 1 : NONE;
  const read = readers[index];
  cursor.at = NONE;
  if (read === undefined || results[index] !== undefined || !isAt(bytes, end, RESULT)) return;
  cursor.at = end + RESULT.length;
  results[index] = { ok: true, value: read(cursor) };
  if (cursor.at !== NONE) cursor.at = bytes[cursor.at] === CLOSE_OBJECT ? cursor.at + 1 : NONE;
}

/**
 * Reads the results of calls from the bytes of a response, by a reader for each call. What nobody reads is checked to be JSON, but
 * nothing is made of it: it is nine tenths of an answer, and garbage costs more than reading. Undefined for an answer with an error
 * or of another form than nodes write (Go: compact, the id before the result); the parser of JSON-RPC says what that is.
 */
export function skimAnswer(
  { status, body }: TransportResponse,
  readers: readonly SkimValue[],
): readonly CallResult[] | undefined {
  if (status !== 200) return undefined;
  const isBatch = readers.length > 1;
  if (isBatch && body[0] !== OPEN_LIST) return undefined;
  const cursor: Cursor = { bytes: body, at: isBatch ? 1 : 0 };
  const results: CallResult[] = [];
  for (let left = readers.length; left > 0; left -= 1) {
    readMessage(cursor, readers, results);
    if (cursor.at === NONE) return undefined;
    if (!isBatch) break;
    if (body[cursor.at] !== (left > 1 ? COMMA : CLOSE_LIST)) return undefined;
    cursor.at += 1;
  }
  const rest = body.length - cursor.at;
  return rest === 0 || (rest === 1 && body[cursor.at] === NEWLINE) ? results : undefined;
}

/** Reads the results of calls, by a reader for each. */
export const skimOrParse = (response: TransportResponse, readers: readonly SkimValue[]): readonly CallResult[] =>
  skimAnswer(response, readers) ?? parseAnswer(response, readers.length);

/** Reads the result of a single call. */
export const skimOrParseSingle = (response: TransportResponse, read: SkimValue): CallResult =>
  skimAnswer(response, [read])?.[0] ?? parseSingle(response);
