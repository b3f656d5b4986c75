import type { ClientSetup, SetupResult } from '../../../model/setup.ts';
import type { NodeTarget } from '../../../model/target.ts';
import { createHttpTransport } from '../http-transport.ts';
import { createIpcTransport } from '../ipc-transport.ts';
import { type CallResult, parseSingle, toBody } from '../json-rpc.ts';
import { toVersion } from '../node-calls.ts';
import { exchangeWithRetry } from '../transport.ts';

const BODY = toBody([{ method: 'web3_clientVersion', params: [] }]);

/** One slow answer may be chance. */
const REQUESTS = 3;

const WITHIN_MS = 5_000;

const failed = (why: string) => ({ ok: false, why }) as const;

function readVersion(result: CallResult): SetupResult<string> {
  if (!result.ok) {
    const isMissing = result.fault.kind === 'rpc-error' && result.fault.known === 'method-not-found';
    return failed(isMissing ? 'it does not serve web3' : 'it answers web3_clientVersion with an error');
  }
  const version = toVersion(result.value);
  return version.ok ? version : failed('its answer to web3_clientVersion is not a version');
}

/**
 * How long an answer takes, in milliseconds: the time in which this process had nothing else to do. While it is busy, as at its
 * start, an answer that has arrived waits to be read, and the node did not take that time.
 */
function startWait(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).idle;
}

/** Asks a node for its version, some times in a row over one connection. Undefined when it has neither RPC nor IPC. */
export async function readClient(
  { rpc, login, ipc }: NodeTarget,
  signal: AbortSignal,
): Promise<SetupResult<ClientSetup> | undefined> {
  if (rpc === undefined && ipc === undefined) return undefined;
  const transport = rpc === undefined ? createIpcTransport(ipc ?? '') : createHttpTransport(rpc, undefined, login);
  const tookMs: number[] = [];
  let version: SetupResult<string> = failed('it does not answer');
  try {
    while (tookMs.length < REQUESTS) {
      const started = performance.now();
      const waited = startWait();
      const ask = { method: 'POST', contentType: 'application/json', body: BODY } as const;
      const exchange = await exchangeWithRetry(transport, ask, parseSingle, started + WITHIN_MS, signal);
      if (!exchange.ok) return failed('it does not answer');
      tookMs.push(waited());
      version = readVersion(exchange.value);
    }
    // It is kept for hours, and an array that was filled by and by keeps room for 17 numbers.
    return { ok: true, value: { version, tookMs: tookMs.slice() } };
  } finally {
    transport.close();
  }
}
