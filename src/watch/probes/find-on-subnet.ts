import { isRecord } from '../../lib/values.ts';
import type { Checkpoint, CheckpointBlock, FoundOnSubnet } from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { toGethChainCalls } from '../clients/geth-calls.ts';
import { memberOf, readHash, toCount } from './chain-values.ts';
import { createHttpTransport } from './http-transport.ts';
import { parseAnswer, toBody } from './json-rpc.ts';
import { exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

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

/** The header of a block in RLP, as the relayer submits it; undefined where the node does not have it. */
function readHeader(result: unknown, number: number | undefined) {
  if (!isRecord(result) || toCount(memberOf(result, 'Number')) !== number) return undefined;
  const encoded = memberOf(result, 'EncodedRLP');
  if (typeof encoded !== 'string' || encoded === '') return undefined;
  const rlp = `0x${Buffer.from(encoded, 'base64').toString('hex')}` as const;
  return { rlp, isCommitted: memberOf(result, 'Committed') === true };
}

/** What a node answers about its blocks at these heights; empty where it does not answer. */
async function askNode(
  transport: RpcTransport,
  consensus: string,
  numbers: readonly number[],
  deadline: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const calls = numbers.map((mark) => toGethChainCalls(consensus, { mark }).block);
  const ask = { method: 'POST', contentType: 'application/json', body: toBody(calls) } as const;
  const read = (response: TransportResponse) => parseAnswer(response, calls.length);
  const exchange = await exchangeWithRetry(transport, ask, read, deadline, signal);
  return exchange.ok ? exchange.value.map((one) => (one.ok ? one.value : undefined)) : [];
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
        const [answer] = await askNode(transport, consensus, [block.number], deadline, signal);
        const found = readFound(answer, block);
        if (found?.found === 'same') return found;
        if (found !== undefined) said.push(found);
        if (signal.aborted || performance.now() >= deadline) break;
      }
      return said.toSorted((one, other) => ORDER.indexOf(one.found) - ORDER.indexOf(other.found))[0];
    },
    /** The headers of blocks in a row that the first node has which has committed the first of them; none without such. Never rejects. */
    readHeaders: async (numbers: readonly number[], signal: AbortSignal): Promise<readonly `0x${string}`[]> => {
      const deadline = performance.now() + WITHIN_MS;
      for (const transport of transports) {
        const answers = await askNode(transport, consensus, numbers, deadline, signal);
        const headers = answers.map((answer, index) => readHeader(answer, numbers[index]));
        if (headers[0]?.isCommitted) return headers.flatMap((header) => header?.rlp ?? []);
        if (signal.aborted || performance.now() >= deadline) break;
      }
      return [];
    },
    /** Closes the connections. */
    close: (): void => {
      for (const transport of transports) transport.close();
    },
  };
}
