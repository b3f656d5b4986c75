import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toEventSelector,
} from 'viem';
import { onTestFinished } from 'vitest';

const ABI = parseAbi([
  'function getReceiveChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChain(uint256 chainId) view returns ((address csc, address endpoint))',
  'function getLatestBlocks() view returns ((bytes32 hash, int256 number), (bytes32 hash, int256 number))',
  'function getCandidates() view returns (address[])',
  'function MODE() view returns (string)',
  'function INIT_EPOCH() view returns (uint64)',
  'function INIT_GAP() view returns (uint64)',
  'function getHeaderByNumber(uint256 number) view returns ((bytes32 parentHash, uint64 number, uint64 roundNum, int64 mainnetNum, bool finalized))',
]);

const PACKET = toEventSelector('Packet(bytes)');
const SOMEBODY = `0x${'5e'.repeat(20)}`;
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;
const hex = (value: number): Hex => `0x${value.toString(16)}`;

/** The genesis of a chain whose block n was made at second n. */
export interface FakeChain {
  readonly url: string;
  height: number;
  /** Packets that were sent from here: where to, and in which block; the index counts those of one destination. */
  readonly sent: { readonly to: number; readonly block: number }[];
  /** How many packets have arrived here. */
  received: number;
  /** Who delivers them. */
  readonly sender: Hex;
  route: { readonly csc: Hex; readonly endpoint: Hex };
  /** What its checkpoint contract is at, and in which mode. */
  checkpoint: { readonly mode: string; readonly committed: number; readonly latest: number };
  /** Those of the contract at 0x…88, and the slot of a proxy. */
  candidates: readonly Hex[];
  slot: Hex;
  /** What every call of a contract returns instead. */
  raw: string | undefined;
  /** Heights that a lite contract holds, and whether they are committed. */
  readonly held: Map<number, boolean>;
  readonly balances: Map<string, number>;
  /** At most so many blocks are searched for events. */
  searches: number;
  /** What was asked, by method, and how often a request came. */
  readonly asked: Map<string, number>;
  requests: number;
}

/** A chain at the wire, with an endpoint of XDC-Zero and a checkpoint contract, each at any address. */
export async function useFakeChain(chainId: number): Promise<FakeChain> {
  const sent: FakeChain['sent'] = [];
  const indexOf = (at: number) => sent.slice(0, at + 1).filter(({ to }) => to === sent[at]?.to).length;
  const toLog = ({ to, block }: { to: number; block: number }, at: number) => {
    const payload = encodeAbiParameters(
      ['uint256', 'uint256', 'address', 'uint256', 'address', 'bytes'].map((type) => ({ type })),
      [BigInt(indexOf(at)), BigInt(chainId), SOMEBODY, BigInt(to), SOMEBODY, '0x1234'],
    );
    return {
      blockNumber: hex(block),
      transactionHash: ZERO_HASH,
      data: encodeAbiParameters([{ type: 'bytes' }], [payload]),
    };
  };
  const read = (data: Hex): Hex => {
    const { functionName, args = [] } = decodeFunctionData({ abi: ABI, data });
    const number = Number(args[0] ?? 0);
    const { committed, latest, mode } = chain.checkpoint;
    const block = (at: number) => ({ hash: ZERO_HASH, number: BigInt(at) });
    const header = { parentHash: ZERO_HASH, number: BigInt(chain.held.has(number) ? number : 0), roundNum: 0n };
    const answers = {
      getReceiveChainLastIndex: () => BigInt(sent.filter(({ to }) => to === number).length),
      getSendChainLastIndex: () => BigInt(chain.received),
      getSendChain: () => chain.route,
      getLatestBlocks: () => [block(latest), block(committed)],
      getCandidates: () => chain.candidates,
      MODE: () => mode,
      INIT_EPOCH: () => 900n,
      INIT_GAP: () => 450n,
      getHeaderByNumber: () => ({ ...header, mainnetNum: 0n, finalized: chain.held.get(number) ?? false }),
    };
    return encodeFunctionResult({ abi: ABI, functionName, result: answers[functionName]() } as never);
  };
  const getLogs = ({ topics, fromBlock, toBlock }: { topics: readonly string[]; fromBlock: Hex; toBlock: string }) => {
    const [from, to] = [Number(fromBlock), toBlock === 'latest' ? chain.height : Number(toBlock)];
    if (to - from > chain.searches) throw new Error('query exceeds max block range');
    if (topics[0] !== PACKET) return [{ blockNumber: hex(1), transactionHash: ZERO_HASH, data: '0x' }];
    return sent.map(toLog).filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
  };
  const answer = (method: string, [first]: readonly unknown[]): unknown => {
    switch (method) {
      case 'eth_chainId':
        return hex(chainId);
      case 'eth_blockNumber':
        return hex(chain.height);
      case 'eth_call':
        return chain.raw ?? read((first as { data: Hex }).data);
      case 'eth_getLogs':
        return getLogs(first as Parameters<typeof getLogs>[0]);
      case 'eth_getBlockByNumber':
        return { number: first, timestamp: first };
      case 'eth_getTransactionByHash':
        return { from: chain.sender };
      case 'eth_getStorageAt':
        return chain.slot;
      case 'eth_getBalance':
        return hex(chain.balances.get(first as string) ?? 0);
      default:
        throw new Error(`the method ${method} does not exist`);
    }
  };
  const toMessage = ({ id, method, params = [] }: { id: number; method: string; params?: readonly unknown[] }) => {
    chain.asked.set(method, (chain.asked.get(method) ?? 0) + 1);
    try {
      return { jsonrpc: '2.0', id, result: answer(method, params) };
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32000, message: String(error) } };
    }
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    chain.requests += 1;
    const calls = JSON.parse(body);
    const answers = Array.isArray(calls) ? calls.map(toMessage) : toMessage(calls);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const chain: FakeChain = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    height: 100_000,
    sent,
    received: 0,
    sender: `0x${chainId.toString(16).padStart(40, '0')}`,
    route: { csc: `0x${'cc'.repeat(20)}`, endpoint: `0x${'ee'.repeat(20)}` },
    checkpoint: { mode: 'full', committed: 0, latest: 0 },
    candidates: [],
    slot: ZERO_HASH,
    raw: undefined,
    held: new Map(),
    balances: new Map(),
    searches: Number.POSITIVE_INFINITY,
    asked: new Map(),
    requests: 0,
  };
  return chain;
}
