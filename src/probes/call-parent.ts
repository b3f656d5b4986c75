import type { Client } from 'viem';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import type { ParentResult } from '../model/parent-chain.ts';

/** The address without user info, and the header that user info stands for. */
function splitUserInfo(address: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address);
  const login = readCredentials(url);
  if (login === undefined) return { url: address, headers: {} };
  url.username = '';
  url.password = '';
  return { url: url.href, headers: { authorization: toBasicAuthorization(login.username, login.password) } };
}

/** A block with thousands of transactions has less. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** Was the failure, or one of its causes, a timeout? */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));

/** What a failure was, without the address: that may hold a token. `status` is that of HTTP, if there was an answer. */
function describeFailure(error: unknown, status: number | undefined): string {
  if (isTimeout(error)) return `does not answer in time`;
  if (status === undefined) return 'cannot be reached';
  return status === 200 ? 'answers with an error' : `answers HTTP ${status}`;
}

/** Limits of a call. */
export interface CallLimits {
  /** For each request, with the whole answer. */
  readonly withinMs: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks the parent chain at an address with viem, which is loaded at the first use. Never rejects, and never tries again. */
export async function callParent<T>(
  rpc: string,
  { withinMs, signal }: CallLimits,
  ask: (client: Client) => Promise<T>,
): Promise<ParentResult<T>> {
  const { createClient, http } = await import('viem');
  const { url, headers } = splitUserInfo(rpc);
  let status: number | undefined;
  const transport = http(url, {
    retryCount: 0,
    // viem's own timeout ends with the head of an answer, and is off with a signal. This one is for the body too.
    timeout: 0,
    fetchFn: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.any([AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]) }),
    maxResponseBodySize: MAX_ANSWER_BYTES,
    fetchOptions: { headers, redirect: 'manual' },
    onFetchResponse: (response) => {
      status = response.status;
    },
  });
  try {
    return { ok: true, value: await ask(createClient({ transport })) };
  } catch (error) {
    return { ok: false, why: describeFailure(error, status) };
  }
}
