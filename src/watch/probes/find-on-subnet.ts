import { isRecord } from '../../lib/values.ts';
import type { Checkpoint, CheckpointBlock, FoundOnSubnet } from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { toGethChainCalls } from '../clients/geth-calls.ts';
import { memberOf, readHash, toCount } from './chain-values.ts';
import { createHttpTransport } from './http-transport.ts';
import { askCalls, type BatchMemory, type Call, isMethodMissing, parseAnswer, toBody } from './json-rpc.ts';
import { exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

/** How long all nodes together may take to say whether they know a block. */
const WITHIN_MS = 3_000;

/** A method that a node lacks is not called again for as long. */
const ABSENT_MS = 3_600_000;

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

/** What a node answers to these calls; undefined in place of each that fails. */
async function askNode(
  { transport, memory, absent }: Asked,
  calls: readonly Call[],
  deadline: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const isServed = ({ method }: Call) => (absent.get(method) ?? 0) < performance.now();
  const served = calls.filter(isServed);
  if (served.length === 0) return [];
  const results = await askCalls(served, memory, async (some) => {
    const ask = { method: 'POST', contentType: 'application/json', body: toBody(some) } as const;
    const read = (response: TransportResponse) => parseAnswer(response, some.length);
    const exchange = await exchangeWithRetry(transport, ask, read, deadline, signal);
    return exchange.ok ? exchange.value : some.map(() => exchange);
  });
  const answers = new Map(served.map((call, index) => [call, results[index]]));
  for (const [{ method }, one] of answers) if (isMethodMissing(one)) absent.set(method, performance.now() + ABSENT_MS);
  return calls.map((call) => {
    const one = answers.get(call);
    return one?.ok ? one.value : undefined;
  });
}

/** A node that may be asked, with what is remembered of its batches. */
interface Asked {
  readonly transport: RpcTransport;
  readonly memory: BatchMemory;
  /** The methods that it lacks, and until when they are not called again: it would log a warning for each call. */
  readonly absent: Map<string, number>;
}

/** The first nodes of a subnet; while `keepsAlive` is false, each is asked over a new connection. */
const toAsked = ({ targets }: Pick<Subnet, 'targets'>, keepsAlive: () => boolean): readonly Asked[] =>
  targets
    .flatMap((target) => (target.component === 'node' && target.rpc ? [{ rpc: target.rpc, login: target.login }] : []))
    .slice(0, MOST_NODES)
    .map(({ rpc, login }) => ({
      transport: createHttpTransport(rpc, keepsAlive, login),
      memory: { singly: false },
      absent: new Map(),
    }));

/** Asks one node several questions, one after another. */
export type Ask = (calls: readonly Call[]) => Promise<readonly unknown[]>;

/** Asks the first nodes of a subnet, one after another, until one gives what is read. */
export function createNodeAsker(subnet: Pick<Subnet, 'targets'>, keepsAlive: () => boolean) {
  const asked = toAsked(subnet, keepsAlive);
  return {
    /** The first of the nodes that gives it; undefined when none does. Never rejects. */
    askEach: async <T>(read: (ask: Ask) => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> => {
      for (const one of asked) {
        const deadline = performance.now() + WITHIN_MS;
        const known = await read((calls) => askNode(one, calls, deadline, signal));
        if (known !== undefined || signal.aborted) return known;
      }
      return undefined;
    },
    /** Closes the connections. */
    close: (): void => {
      for (const { transport } of asked) transport.close();
    },
  };
}

const ORDER: readonly FoundOnSubnet[] = ['same', 'other', 'absent'];

/** Finds blocks of the contract on a subnet. */
export type SubnetFinder = ReturnType<typeof createSubnetFinder>;

/** Asks the first nodes of a subnet; while `keepsAlive` is false, over a new connection each time. */
export function createSubnetFinder({ consensus, targets }: Subnet, keepsAlive: () => boolean) {
  const asked = toAsked({ targets }, keepsAlive);
  const toBlocks = (numbers: readonly number[]) => numbers.map((mark) => toGethChainCalls(consensus, { mark }).block);
  return {
    /** Whether the nodes have a block. One that has it is enough; undefined when none says. Never rejects. */
    find: async (block: CheckpointBlock, signal: AbortSignal): Promise<Found | undefined> => {
      // A contract that has taken no block yet names one of zeros.
      if (readHash(block.hash) === undefined) return undefined;
      const deadline = performance.now() + WITHIN_MS;
      const said: Found[] = [];
      for (const one of asked) {
        const [answer] = await askNode(one, toBlocks([block.number]), deadline, signal);
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
      for (const one of asked) {
        const answers = await askNode(one, toBlocks(numbers), deadline, signal);
        const headers = answers.map((answer, index) => readHeader(answer, numbers[index]));
        if (headers[0]?.isCommitted) return headers.flatMap((header) => header?.rlp ?? []);
        if (signal.aborted || performance.now() >= deadline) break;
      }
      return [];
    },
    /** Closes the connections. */
    close: (): void => {
      for (const { transport } of asked) transport.close();
    },
  };
}
