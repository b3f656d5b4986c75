import type { Method } from '../model/client.ts';
import type { Fault, KnownRpcError, Result } from '../model/observation.ts';
import { isRecord } from '../model/record.ts';
import type { TransportResponse } from './transport.ts';

/** One call; its id is its position in the request, from 1. */
export type Call = Method;

/** Statuses by which servers refuse batches; others are the node's own failures. */
export const REFUSES_BATCH: ReadonlySet<number> = new Set([400, 405, 406, 413, 422, 500, 501]);

/** The outcome of a call: its unparsed `result`, or the fault. */
export type CallResult = Result<unknown>;

const toMessage = ({ method, params }: Call, index: number) => ({ jsonrpc: '2.0', id: index + 1, method, params });

/** Serializes calls: one as a single message, several as a batch. */
export const toBody = (calls: readonly Call[]): string =>
  JSON.stringify(calls.length === 1 && calls[0] ? toMessage(calls[0], 0) : calls.map(toMessage));

const failed = (fault: Fault): Result<never> => ({ ok: false, fault });
const badEnvelope = (what: string): Result<never> => failed({ kind: 'envelope', what });

/** Whether the node will not serve the method until it is started in another way. */
export const isMissingMethod = (known: KnownRpcError): boolean =>
  known === 'method-not-found' || known === 'module-off';

const MODULE_OFF = /^The method '\w+' is found but the namespace '\w+' is disabled/;

/**
 * Classifies error objects as the sources of nodes define them: XDC-Subnet rpc/errors.go, rpc/service.go, node/errors.go, and
 * Nethermind's JsonRpcService, which refuses methods of a namespace that is off with -32600.
 */
function toKnownError(code: number, message: unknown): KnownRpcError {
  if (code === -32601) return 'method-not-found';
  if (code === -32600 && typeof message === 'string' && MODULE_OFF.test(message)) return 'module-off';
  if (message === 'method handler crashed') return 'crashed';
  if (message === 'not supported in the v1 consensus') return 'v1-block';
  if (message === 'node not started') return 'not-started';
  return 'other';
}

/** What nodes say when a contract itself fails: its code ends, or has no such method. By geth, 3 is an end of the code by `revert`. */
const FAILS_ITSELF = /revert|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas/i;

const isRevert = (code: number, message: unknown): boolean =>
  code === 3 || (typeof message === 'string' && FAILS_ITSELF.test(message));

function toCallResult(message: Record<string, unknown>): CallResult {
  if (message.jsonrpc !== '2.0') return badEnvelope('its member jsonrpc is not "2.0"');
  const { error } = message;
  if (error !== undefined && error !== null) {
    if (!isRecord(error) || typeof error.code !== 'number') return badEnvelope('its error has no code');
    const { code, message: text } = error;
    const known = toKnownError(code, text);
    return failed({ kind: 'rpc-error', code, known, ...(isRevert(code, text) && { isRevert: true }) });
  }
  return Object.hasOwn(message, 'result')
    ? { ok: true, value: message.result }
    : badEnvelope('it has neither result nor error');
}

/** Faults that show before the JSON is parsed. */
function judgeHttp({ status, contentType, body }: TransportResponse): Fault | undefined {
  if (status >= 300 && status < 400) return { kind: 'redirect', status };
  if (status !== 200) return { kind: 'status', status };
  if (body.length === 0) return { kind: 'not-json', looksLike: 'empty' };
  if (contentType.startsWith('text/html')) return { kind: 'not-json', looksLike: 'html' };
  return undefined;
}

function parseJson(text: string): Result<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    const start = text.trimStart().slice(0, 1);
    const looksLike = start === '<' ? 'html' : start === '{' || start === '[' ? 'cut' : 'other';
    return failed({ kind: 'not-json', looksLike });
  }
}

/**
 * Parses an HTTP response into one result per call, in the order of the calls. `refused` when the node answered a batch
 * with a single object: it accepts single calls only.
 */
export function parseAnswer(answer: TransportResponse, calls: number): readonly CallResult[] | 'refused' {
  const all = (result: CallResult) => Array.from({ length: calls }, () => result);
  const httpFault = judgeHttp(answer);
  if (httpFault) return all(failed(httpFault));
  const parsed = parseJson(answer.body.toString());
  if (!parsed.ok) return all(parsed);
  const { value } = parsed;
  if (calls > 1 && isRecord(value)) return 'refused';
  if (calls > 1 && !Array.isArray(value)) return all(badEnvelope('it is no list, although a list of calls was sent'));
  if (calls === 1 && !isRecord(value)) return all(badEnvelope('it is no object'));
  const results: CallResult[] = all(badEnvelope('no answer has the id of the call'));
  const seen = new Set<number>();
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!isRecord(message)) continue;
    // The node answers a message that it could not read with the id null.
    const id = message.id === null && calls === 1 && message.error ? 1 : message.id;
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > calls) continue;
    results[id - 1] = seen.has(id) ? badEnvelope('two answers have the id of the call') : toCallResult(message);
    seen.add(id);
  }
  return results;
}

/** The result of a single call, from its response. */
export function parseSingle(answer: TransportResponse): CallResult {
  const results = parseAnswer(answer, 1);
  return (results === 'refused' ? undefined : results[0]) ?? badEnvelope('it has no answer to the call');
}
