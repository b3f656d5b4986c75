import type { Result } from '../../model/observation.ts';

/** Limit of a response body. A full `admin_peers` of a hundred nodes has 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP response, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly contentType: string;
  /** In memory that the next response is read into, so nobody may keep it. */
  readonly body: Buffer;
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

/** What was read from a response, or the fault; `stale` when a reused connection turned out to be dead. */
export type Exchange<T> = Result<T> & { readonly stale?: boolean };

/**
 * Reads a response as soon as it is whole, and must not throw. What it gives stays in memory for long after the exchange, because the
 * exchange began long before: that should be little, and nothing of the body.
 */
export type ReadResponse<T> = (response: TransportResponse) => T;

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
  exchange<T>(
    ask: TransportRequest,
    read: ReadResponse<T>,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<Exchange<T>>;
  /** Closes the connection for good: an exchange in progress and each later one fail as `closed`, and nothing connects again. */
  close(): void;
}

/**
 * Sends one request, and once more if the reused connection was dead: closed by the other side before it sent anything.
 * Any other fault is the answer.
 */
export async function exchangeWithRetry<T>(
  transport: RpcTransport,
  ask: TransportRequest,
  read: ReadResponse<T>,
  deadline: number,
  signal?: AbortSignal,
): Promise<Exchange<T>> {
  const exchange = await transport.exchange(ask, read, deadline, signal);
  return !exchange.ok && exchange.stale ? transport.exchange(ask, read, deadline, signal) : exchange;
}
