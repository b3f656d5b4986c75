import { isRecord, parseJson } from '../../lib/values.ts';
import type { Method } from '../../model/client.ts';
import type { Fault, KnownRpcError, Result } from '../../model/observation.ts';
import type { Exchange, TransportResponse } from './transport.ts';

/** One call; its id is its position in the request, from 1. */
export type Call = Method;

/** The outcome of a call: its unparsed `result`, or the fault. */
export type CallResult = Result<unknown>;

const toMessage = ({ method, params }: Call, index: number) => ({ jsonrpc: '2.0', id: index + 1, method, params });

/** Serializes calls: one as a single message, several as a batch. */
export const toBody = (calls: readonly Call[]): string =>
  JSON.stringify(calls.length === 1 && calls[0] ? toMessage(calls[0], 0) : calls.map(toMessage));

const failed = (fault: Fault): Result<never> => ({ ok: false, fault });
const badEnvelope = (what: string): Result<never> => failed({ kind: 'envelope', what });

/** Whether the node will not serve the method until it is started in another way. */
export const isMethodMissing = (result: Result<unknown> | undefined): boolean =>
  result?.ok === false &&
  result.fault.kind === 'rpc-error' &&
  (result.fault.known === 'method-not-found' || result.fault.known === 'module-off');

const MODULE_OFF = /^The method '\w+' is found but the namespace '\w+' is disabled/;

/**
 * Classifies error objects as the sources of nodes define them: XDC-Subnet rpc/errors.go, rpc/service.go, node/errors.go, and
 * Nethermind's JsonRpcService, which refuses methods of a namespace that is off with -32600. Providers limit the rate with -32005
 * (EIP-1474), with the status of HTTP in place of a code, or with a code of their own and words.
 */
const LIMITED =
  /^(?!.*batch).*(?:rate.?limit|too many requests|(?:requests?|capacity|quota|compute units)[a-z ]{0,30}(?:limit|exceeded|reached))/i;
const UNAUTHORISED = /unauthori[sz]ed|authenticat|\bapi ?key\b|project id\b/i;

function toKnownError(code: number, message: unknown): KnownRpcError {
  if (code === -32601) return 'method-not-found';
  if (code === -32600 && typeof message === 'string' && MODULE_OFF.test(message)) return 'module-off';
  if (code === -32005 || code === 429) return 'rate-limit';
  if (message === 'method handler crashed') return 'crashed';
  if (message === 'not supported in the v1 consensus') return 'v1-block';
  if (message === 'node not started') return 'not-started';
  if (typeof message !== 'string') return 'other';
  if (LIMITED.test(message)) return 'rate-limit';
  if (UNAUTHORISED.test(message)) return 'unauthorised';
  return 'other';
}

/** What nodes say when a contract itself fails: its code ends, or has no such method. By geth, 3 is an end of the code by `revert`. */
const FAILS_ITSELF = /revert|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas/i;

const isRevert = (code: number, message: unknown): boolean =>
  code === 3 || (typeof message === 'string' && FAILS_ITSELF.test(message));

/** A reason of a contract is a few words, and some nodes write words before its data. */
const MOST_SAID = 1_000;

function toCallResult(message: Record<string, unknown>): CallResult {
  if (message.jsonrpc !== '2.0') return badEnvelope('its member jsonrpc is not "2.0"');
  const { error } = message;
  if (error !== undefined && error !== null) {
    const code = isRecord(error) ? Number.parseInt(String(error.code), 10) : Number.NaN;
    if (!isRecord(error) || Number.isNaN(code)) return badEnvelope('its error has no code');
    const { message: text, data } = error;
    const known = toKnownError(code, text);
    const said = typeof data === 'string' && data.length > '0x'.length ? data : String(text);
    const reverted = isRevert(code, text) || isRevert(code, said) ? { reverted: said.slice(0, MOST_SAID) } : {};
    return failed({ kind: 'rpc-error', code, known, ...reverted });
  }
  return Object.hasOwn(message, 'result')
    ? { ok: true, value: message.result }
    : badEnvelope('it has neither result nor error');
}

/** Faults that show before the JSON is parsed. */
function judgeHttp({ status, body }: TransportResponse): Fault | undefined {
  if (status >= 300 && status < 400) return { kind: 'redirect', status };
  // Of geth and its heirs (rpc/http.go); any other 403 is that of a proxy.
  if (status === 403 && body.includes('invalid host specified')) return { kind: 'status', status, refusesHost: true };
  if (status !== 200) return { kind: 'status', status };
  if (body.length === 0) return { kind: 'not-json', looksLike: 'empty' };
  return undefined;
}

const QUOTE = 0x22;
/** A comma, and the end of an object. */
const AFTER_ID = [0x2c, 0x7d];
const [FIRST_PEER, NEXT_PEER, AFTER_PEERS, RLP] = ['"result":[{"id":"', '},{"id":"', '}]}', '"EncodedRLP":"'].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer, Buffer];

/** The digits of an enode id, and as many of them as anybody reads. */
const [ID_DIGITS, READ_DIGITS] = [128, 16];

/** What is kept of an answer is put together here, before it is a text: garbage costs more than all else that is done with it. */
const KEPT = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * An answer with `admin_peers` as Go writes it, with the id of each peer alone, and without the RLP of blocks before them; undefined for
 * any other. The rest is nine tenths of an answer, which nobody reads there, and to parse it takes half of the time of a probe. What
 * begins a peer or the RLP has quotes, so it stands in no string. What comes after the last peer may be in its name, and RLP with quotes
 * in it is none: then the answer is no JSON, and is parsed as it came.
 */
function withPeerIdsAlone(body: Buffer): string | undefined {
  const begin = body.length > KEPT.length ? -1 : body.indexOf(FIRST_PEER);
  const end = begin === -1 ? -1 : body.indexOf(AFTER_PEERS, begin);
  if (end === -1) return undefined;
  const blocks = body.subarray(0, begin);
  let kept = 0;
  let rest = 0;
  for (let rlp = blocks.indexOf(RLP); rlp !== -1; rlp = blocks.indexOf(RLP, rest)) {
    kept += body.copy(KEPT, kept, rest, rlp + RLP.length);
    rest = body.indexOf(QUOTE, rlp + RLP.length);
    if (rest === -1) return undefined;
  }
  for (let from = rest, id = begin + FIRST_PEER.length; from !== -1 && from <= end; id = from + NEXT_PEER.length) {
    const isWhole = body[id + ID_DIGITS] === QUOTE;
    const digitsEnd = isWhole ? id + READ_DIGITS : body.indexOf(QUOTE, id);
    const next = body.indexOf(NEXT_PEER, id);
    // After another quote than that of the id stands neither a comma nor the end of the peer.
    if (digitsEnd === -1 || (next !== -1 && next < digitsEnd)) return undefined;
    if (!isWhole && !AFTER_ID.includes(body[digitsEnd + 1] ?? 0)) return undefined;
    kept += body.copy(KEPT, kept, from, digitsEnd);
    kept = KEPT.writeUInt8(QUOTE, kept);
    from = next;
  }
  kept += body.copy(KEPT, kept, end);
  return KEPT.toString('utf8', 0, kept);
}

/** The type of the content counts only for what is no JSON: some proxies name it wrong, or begin it with a byte order mark. */
function readJson({ contentType, body }: TransportResponse): Result<unknown> {
  const shortened = withPeerIdsAlone(body)?.trim();
  const known = shortened === undefined ? undefined : parseJson(shortened);
  const text = known === undefined ? body.toString().trim() : '';
  const value = known ?? parseJson(text);
  if (value !== undefined) return { ok: true, value };
  const start = text.slice(0, 1);
  const isHtml = start === '<' || contentType.startsWith('text/html');
  const looksLike = isHtml ? 'html' : start === '{' || start === '[' ? 'cut' : 'other';
  return failed({ kind: 'not-json', looksLike });
}

/** Parses an HTTP response into one result per call, in the order of the calls. */
export function parseAnswer(answer: TransportResponse, calls: number): readonly CallResult[] {
  const all = (result: CallResult) => Array.from({ length: calls }, () => result);
  const httpFault = judgeHttp(answer);
  if (httpFault) return all(failed(httpFault));
  const parsed = readJson(answer);
  if (!parsed.ok) return all(parsed);
  const { value } = parsed;
  if (calls > 1 && isRecord(value) && value.error) return all(toCallResult(value));
  if (!isRecord(value) && !Array.isArray(value)) return all(badEnvelope('it is neither an object nor a list'));
  const results: CallResult[] = [];
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!isRecord(message)) continue;
    // The node answers a message that it could not read with the id null.
    const id = message.id === null && calls === 1 && message.error ? 1 : message.id;
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > calls) continue;
    results[id - 1] =
      results[id - 1] === undefined ? toCallResult(message) : badEnvelope('two answers have the id of the call');
  }
  return Array.from({ length: calls }, (_, index) => results[index] ?? badEnvelope('no answer has the id of the call'));
}

/** The result of a single call, from its response. */
export const parseSingle = (answer: TransportResponse): CallResult => parseAnswer(answer, 1)[0] as CallResult;

/** The faults that may concern only a batch, so that each of its calls is worth a request of its own. */
const OF_BATCH: ReadonlySet<Fault['kind']> = new Set([
  'status',
  'closed',
  'too-large',
  'not-json',
  'envelope',
  'rpc-error',
]);

/** The faults after which the next call is not worth a request: the other side is not reached, or has no time left. */
const isLost = ({ kind }: Fault): boolean => kind === 'closed' || !OF_BATCH.has(kind);

/** A dead connection says nothing of what was sent over it. */
const mayBeRefused = (result: Exchange<unknown>): boolean =>
  !result.ok &&
  !result.stale &&
  OF_BATCH.has(result.fault.kind) &&
  !(result.fault.kind === 'rpc-error' && result.fault.reverted !== undefined);

/** Whether each call goes alone to an endpoint, because it takes no batches, or none that large. */
export interface BatchMemory {
  singly: boolean;
}

/**
 * Asks for all calls together, and for each by itself where that brings no result at all. Servers and proxies refuse batches in any
 * way, from an error for the first call to a closed connection. If the first call alone fares no better, it was not the batch.
 * `send` gives one result for each call.
 */
export async function askCalls<C, R extends Exchange<unknown>>(
  calls: readonly C[],
  memory: BatchMemory,
  send: (calls: readonly C[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const together = memory.singly || calls.length === 1 ? undefined : await send(calls);
  if (together?.every(mayBeRefused) === false) return together;
  const results: R[] = [];
  let lost: R | undefined;
  for (const call of calls) {
    const result = lost ?? ((await send([call]))[0] as R);
    const before = results.length === 0 ? together?.[0] : undefined;
    if (before && !before.ok && !result.ok && before.fault.kind === result.fault.kind) return together as readonly R[];
    if (!result.ok && isLost(result.fault)) lost = result;
    results.push(result);
  }
  memory.singly ||= together !== undefined && results.some(({ ok }) => ok);
  return results;
}
