import { isRecord } from '../../lib/values.ts';
import type { Checkpoint, CheckpointBlock, FoundOnSubnet } from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { toGethChainCalls } from '../clients/geth-calls.ts';
import { memberOf, readHash, toCount } from './chain-values.ts';
import { createHttpTransport } from './http-transport.ts';
import { parseSingle, toBody } from './json-rpc.ts';
import { exchangeWithRetry, type RpcTransport } from './transport.ts';

/** How long all nodes together may take to say whether they know a block. */
const WITHIN_MS = 3_000;

/** As many nodes are asked until one knows the block. */
const MOST_NODES = 5;

type Found = NonNullable<Checkpoint['onSubnet']>;

/** Reads what a node says about its block at the height of another one (`XDPoS_getV2BlockByNumber`, which every client serves). */
function readFound(result: unknown, { hash }: CheckpointBlock): Found | undefined {
  if (!isRecord(result)) return undefined;
  const own = readHash(memberOf(result, 'Hash'));
  if (own === undefined)
    return result.Error === 'can not find block from this number' ? { found: 'absent' } : undefined;
  const timestamp = toCount(memberOf(result, 'Timestamp'));
  return { found: own === hash ? 'same' : 'other', ...(timestamp !== undefined && { timestamp }) };
}

async function askNode(
  transport: RpcTransport,
  consensus: string,
  block: CheckpointBlock,
  deadline: number,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { block: call } = toGethChainCalls(consensus, { mark: block.number });
  const ask = { method: 'POST', contentType: 'application/json', body: toBody([call]) } as const;
  const exchange = await exchangeWithRetry(transport, ask, parseSingle, deadline, signal);
  return exchange.ok && exchange.value.ok ? readFound(exchange.value.value, block) : undefined;
}

const ORDER: readonly FoundOnSubnet[] = ['same', 'other', 'absent'];

/** Finds blocks of the contract on a subnet. */
export type SubnetFinder = ReturnType<typeof createSubnetFinder>;

/** Asks the first nodes of a subnet; while `keepsAlive` is false, over a new connection each time. */
export function createSubnetFinder({ consensus, targets }: Subnet, keepsAlive: () => boolean) {
  const transports = targets
    .flatMap((target) => (target.component === 'node' && target.rpc ? [{ rpc: target.rpc, login: target.login }] : []))
    .slice(0, MOST_NODES)
    .map(({ rpc, login }) => createHttpTransport(rpc, keepsAlive, login));
  return {
    /** Whether the nodes have a block. One that has it is enough; undefined when none says. Never rejects. */
    find: async (block: CheckpointBlock, signal: AbortSignal): Promise<Found | undefined> => {
      // A contract that has taken no block yet names one of zeros.
      if (readHash(block.hash) === undefined) return undefined;
      const deadline = performance.now() + WITHIN_MS;
      const said: Found[] = [];
      for (const transport of transports) {
        const found = await askNode(transport, consensus, block, deadline, signal);
        if (found?.found === 'same') return found;
        if (found !== undefined) said.push(found);
        if (signal.aborted || performance.now() >= deadline) break;
      }
      return said.toSorted((one, other) => ORDER.indexOf(one.found) - ORDER.indexOf(other.found))[0];
    },
    /** Closes the connections. */
    close: (): void => {
      for (const transport of transports) transport.close();
    },
  };
}
