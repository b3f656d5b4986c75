import type { Result } from '../model/observation.ts';

/** Limit of a response body. A full `admin_peers` of a hundred nodes has 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP response, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly contentType: string;
  /** The body. Bytes that are no UTF-8 are replaced. */
  readonly text: string;
}

/** A request; without `path` it goes to the path of the address. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  readonly contentType?: string;
  /** Further ones, in lower case. They are sent as they are. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response or the fault; `stale` when a reused connection turned out to be dead. */
export type Exchange = Result<TransportResponse> & { readonly stale?: boolean };

/**
 * How the next exchange connects.
 * `reused`: over the connection of the previous one.
 * `reconnected`: over a new one, because the old one was closed in order.
 * `new`: over a new one, at first or after a failure; another process may answer.
 */
export type Connection = 'reused' | 'reconnected' | 'new';

/** A transport to one address, which reuses its connection while that lasts. */
export interface RpcTransport {
  connection(): Connection;
  /**
   * Sends one request at a time. Never rejects. Ends at the deadline, in milliseconds of `performance.now()`, or when
   * the signal aborts; afterwards nothing of it continues.
   */
  exchange(ask: TransportRequest, deadline: number, signal?: AbortSignal): Promise<Exchange>;
  /** Closes the connection; an exchange in progress fails. */
  close(): void;
}

/**
 * Sends one request, and once more if the reused connection was dead: closed by the other side before it sent anything.
 * Any other fault is the answer.
 */
export async function exchangeWithRetry(
  transport: RpcTransport,
  ask: TransportRequest,
  deadline: number,
  signal?: AbortSignal,
): Promise<Exchange> {
  const exchange = await transport.exchange(ask, deadline, signal);
  return !exchange.ok && exchange.stale ? transport.exchange(ask, deadline, signal) : exchange;
}
