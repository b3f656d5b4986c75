import type { Balance } from '../model/parent-chain.ts';

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

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

/** The balance of an address of 40 hexadecimal digits after `0x`, at the latest block. viem is loaded at the first use. */
export async function readBalance(rpc: string, address: string, withinMs = WITHIN_MS): Promise<Balance> {
  const [{ createClient, http }, { getBalance }] = await Promise.all([import('viem'), import('viem/actions')]);
  const { url, headers } = splitUserInfo(rpc);
  const fetchOptions = { headers, redirect: 'manual' } as const;
  let status: number | undefined;
  const onFetchResponse = (response: Response) => {
    status = response.status;
  };
  const transport = http(url, { retryCount: 0, timeout: withinMs, fetchOptions, onFetchResponse });
  try {
    return { ok: true, wei: await getBalance(createClient({ transport }), { address: address as `0x${string}` }) };
  } catch (error) {
    return { ok: false, why: describeFailure(error, status) };
  }
}
