import { isRecord, parseJson } from '../../../lib/values.ts';
import type { RpcExposure } from '../../../model/exposure.ts';
import type { SetupResult } from '../../../model/setup.ts';
import type { NodeTarget } from '../../../model/target.ts';
import { type AnonymousAnswer, type AnonymousRequest, askAnonymously } from './ask-anonymously.ts';
import { findEndpoints, listOwnAddresses, OWN_WITHIN_MS } from './own-addresses.ts';

/** Names that nobody has (RFC 2606). */
const FOREIGN_HOST = 'subnetd-exposure.invalid';
const FOREIGN_ORIGIN = `https://${FOREIGN_HOST}`;

const WITHIN_MS = 5_000;

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407]);

const toResult = (answer: AnonymousAnswer | undefined): unknown => {
  const message = answer?.status === 200 ? parseJson(answer.body) : undefined;
  return isRecord(message) ? message.result : undefined;
};

/** The namespaces in an answer to `rpc_modules`; undefined when it is none. */
function toModules(answer: AnonymousAnswer | undefined): readonly string[] | undefined {
  const result = toResult(answer);
  if (!isRecord(result)) return undefined;
  const names = Object.keys(result).filter((name) => /^\w{1,32}$/.test(name));
  // A collator of the language would cost the daemon some megabytes.
  return names.slice(0, 50).sort();
}

/** The state in an answer to `personal_listWallets`. Nothing else of it is kept. */
function toWallet(answer: AnonymousAnswer | undefined): RpcExposure['wallet'] {
  const result = toResult(answer);
  if (!Array.isArray(result)) return undefined;
  return result.some((wallet) => isRecord(wallet) && wallet.status === 'Unlocked') ? 'unlocked' : 'locked';
}

/**
 * Asks the RPC of a node what it does for anyone: without a password, under another host name, and for a web page of
 * another origin. `rpc_modules` is asked for all of that: every node serves it, so none logs an error. Undefined without an
 * RPC address. A node at 127.0.0.1 is also looked for at `ownAddresses`, those of this machine. Never rejects.
 */
export async function readExposure(
  { rpc, listWallets = false }: NodeTarget,
  signal: AbortSignal,
  ownAddresses = listOwnAddresses,
): Promise<SetupResult<RpcExposure> | undefined> {
  if (rpc === undefined) return undefined;
  const url = new URL(rpc);
  const ask = (method: string, more: Partial<AnonymousRequest> = {}) =>
    askAnonymously(
      {
        method: 'POST',
        url,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
        withinMs: WITHIN_MS,
        ...more,
        headers: { 'content-type': 'application/json', ...more.headers },
      },
      signal,
    );

  const first = await ask('rpc_modules', { headers: { origin: FOREIGN_ORIGIN } });
  if (first === undefined) return { ok: false, why: 'it does not answer' };
  // Some servers refuse a foreign origin altogether.
  const answer = first.status === 200 ? first : await ask('rpc_modules');
  if (answer === undefined) return { ok: false, why: 'it does not answer' };
  if (REFUSALS.has(answer.status)) return { ok: true, value: { servedAt: [], modules: [], anyOrigin: false } };
  const modules = toModules(answer);
  if (modules === undefined) return { ok: false, why: 'it does not list its namespaces by rpc_modules' };

  const asOther = await ask('rpc_modules', { headers: { host: FOREIGN_HOST } });
  const anyHost = asOther && toModules(asOther) !== undefined;
  const wallet = listWallets && modules.includes('personal') ? toWallet(await ask('personal_listWallets')) : undefined;
  const isThere = async (ip: string) =>
    toModules(await ask('rpc_modules', { ip, withinMs: OWN_WITHIN_MS })) !== undefined;
  return {
    ok: true,
    value: {
      servedAt: await findEndpoints(answer.endpoint, ownAddresses, isThere),
      modules,
      ...(anyHost !== undefined && { anyHost }),
      anyOrigin: first.allowOrigin === '*' || first.allowOrigin === FOREIGN_ORIGIN,
      ...(wallet && { wallet }),
    },
  };
}
