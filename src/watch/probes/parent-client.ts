import type { HttpLogin } from '../../model/http-login.ts';
import { explainAddress } from '../../model/name-fault.ts';
import type { Fault } from '../../model/observation.ts';
import type { ParentResult } from '../../model/parent-chain.ts';
import { createHttpTransport } from './http-transport.ts';
import { askCalls, type Call, type CallResult, parseAnswer, parseSingle, toBody } from './json-rpc.ts';
import { exchangeWithRetry, type TransportResponse } from './transport.ts';

/** What a node of the parent chain answered to a call: the unparsed result, or why there is none. */
export type ParentAnswer =
  | { readonly ok: true; readonly value: unknown }
  /** `reverted`: the node ran the contract, and that failed by itself. What the node said of it. */
  | { readonly ok: false; readonly why: string; readonly fix?: string; readonly reverted?: string };

/** A client of one node of the parent chain. */
export interface ParentClient {
  /** The answers in the order of the calls. Never rejects, and never tries again. One question at a time. */
  ask(calls: readonly Call[], signal?: AbortSignal): Promise<readonly ParentAnswer[]>;
  /** Closes the connection. */
  close(): void;
}

const NO_SENSE = 'answers with an error';

/** Without the address: that may hold a token. */
function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'timeout':
      return 'does not answer in time';
    case 'redirect':
    case 'status':
      return `answers HTTP ${fault.status}`;
    case 'too-large':
      return NO_SENSE;
    case 'encoding':
      return 'compresses its answer';
    case 'not-json':
      return fault.looksLike === 'html' ? 'answers with a web page' : NO_SENSE;
    case 'rpc-error':
      if (fault.known === 'unauthorised') return 'wants a key';
      return fault.known === 'rate-limit' ? 'takes no more requests for now' : NO_SENSE;
    case 'envelope':
      return NO_SENSE;
    case 'unresolved':
      return 'has a host name that cannot be resolved';
    case 'tls':
      return 'cannot be reached by TLS';
    default:
      return 'cannot be reached';
  }
}

const revertOf = (fault: Fault): string | undefined => (fault.kind === 'rpc-error' ? fault.reverted : undefined);

/** The faults of an address at which nothing is known to answer. */
const GONE: ReadonlySet<Fault['kind']> = new Set(['refused', 'unreachable', 'closed', 'timeout', 'no-descriptor']);

const SEE_WHAT_ANSWERS = 'see what answers at its address, or name another node';

function toAnswer(result: CallResult): ParentAnswer {
  if (result.ok) return result;
  const { fault } = result;
  const fix = explainAddress(fault)?.fix ?? (GONE.has(fault.kind) ? undefined : SEE_WHAT_ANSWERS);
  const reverted = revertOf(fault);
  return { ok: false, why: describeFault(fault), ...(fix && { fix }), ...(reverted !== undefined && { reverted }) };
}

/** Some servers give the errors of a call a status of their own. */
function readOne(response: TransportResponse): CallResult {
  const bare = parseSingle({ ...response, status: 200 });
  return response.status === 200 || (!bare.ok && revertOf(bare.fault) !== undefined) ? bare : parseSingle(response);
}

/**
 * Creates a client for a JSON-RPC address; user info in it is sent as basic authentication. Each request may take `withinMs`,
 * with the whole answer. Several calls go in one request. A node that refuses that is asked for each by itself from then on.
 * While `keepsAlive` is false, each request has a connection of its own.
 */
export function createParentClient(
  rpc: string,
  withinMs: number,
  keepsAlive?: () => boolean,
  login?: HttpLogin,
): ParentClient {
  const transport = createHttpTransport(rpc, keepsAlive, login);
  const memory = { singly: false };
  // Some public nodes refuse a client that does not say what it is.
  const headers = { accept: 'application/json', 'user-agent': 'subnetd' };
  const send = async (calls: readonly Call[], signal?: AbortSignal): Promise<readonly CallResult[]> => {
    const ask = { method: 'POST', contentType: 'application/json', headers, body: toBody(calls) } as const;
    const read = (response: TransportResponse) =>
      calls.length === 1 ? [readOne(response)] : parseAnswer(response, calls.length);
    const exchange = await exchangeWithRetry(transport, ask, read, performance.now() + withinMs, signal);
    return exchange.ok ? exchange.value : calls.map(() => exchange);
  };
  return {
    ask: async (calls, signal) => (await askCalls(calls, memory, (some) => send(some, signal))).map(toAnswer),
    close: transport.close,
  };
}

/** Reads the result of an answer; a value that cannot be, for which `read` gives undefined, is an error of the node. */
export function readAnswer<T>(
  answer: ParentAnswer | undefined,
  read: (value: unknown) => T | undefined,
): ParentResult<T> {
  if (answer?.ok === false) {
    const { reverted: _, ...failure } = answer;
    return failure;
  }
  const value = answer && read(answer.value);
  return value === undefined ? { ok: false, why: NO_SENSE, fix: SEE_WHAT_ANSWERS } : { ok: true, value };
}

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

/** A quantity as nodes write it, of at most 256 bits. Undefined for anything else. */
export const readQuantity = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[\da-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;

/** Asks for the balance of an address at the latest block, in the smallest unit. */
export const toBalanceCall = (address: string): Call => ({ method: 'eth_getBalance', params: [address, 'latest'] });

/** Reads the balance of an address of 40 hexadecimal digits after `0x`, at the latest block, in the smallest unit. */
export async function readBalance(rpc: string, address: string, withinMs = WITHIN_MS): Promise<ParentResult<bigint>> {
  const client = createParentClient(rpc, withinMs);
  const [balance] = await client.ask([toBalanceCall(address)]);
  client.close();
  return readAnswer(balance, readQuantity);
}
