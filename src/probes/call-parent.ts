import type { Client } from 'viem';
import type { ParentResult } from '../model/parent-chain.ts';

/** The address without user info, and the header that user info stands for. */
function splitUserInfo(address: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address);
  const { username, password } = url;
  if (`${username}${password}` === '') return { url: address, headers: {} };
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

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
    timeout: withinMs,
    fetchOptions: { headers, redirect: 'manual', ...(signal && { signal }) },
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
