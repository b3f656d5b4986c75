import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { type ParentResult, toAddress } from '../../model/parent-chain.ts';
import type { PacketReading, Route } from '../../model/relay.ts';
import { type Address, readNumber, readResult, toCall } from './ask-contract.ts';
import { createPacketFinder } from './find-events.ts';
import type { ParentAnswer, ParentClient } from './parent-client.ts';
import { readContract } from './read-contract.ts';

/** What is asked of the endpoints (XDC-Zero Endpoint.sol). */
const ABI = parseAbi([
  'function getReceiveChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChain(uint256 chainId) view returns ((address csc, address endpoint))',
]);

/** One of the two chains between which packets go. */
export interface Side {
  /** As people call it: `the subnet`. */
  readonly called: string;
  readonly client: ParentClient;
  /** The contract that sends and receives packets. */
  readonly endpoint: Address | undefined;
  /** The contract that knows the blocks of the other chain. */
  readonly contract: Address | undefined;
}

/** The two indexes of an endpoint, of the last packet that it has sent to the other chain and received from there. */
export interface Indexes {
  readonly sent: ParentResult<number>;
  readonly received: ParentResult<number>;
}

/** The calls for the indexes of an endpoint, in the order of `readIndexes`. */
export const toIndexCalls = (endpoint: Address, otherId: number) =>
  (['getReceiveChainLastIndex', 'getSendChainLastIndex'] as const).map((functionName) =>
    toCall(endpoint, encodeFunctionData({ abi: ABI, functionName, args: [BigInt(otherId)] })),
  );

/** The indexes by the answers to `toIndexCalls`; without answers they were not asked for. */
export function readIndexes([sent, received]: readonly ParentAnswer[]): Indexes {
  const unread: ParentResult<number> = { ok: false, why: 'was not asked, as the other chain does not give its id' };
  return { sent: sent ? readNumber(sent) : unread, received: received ? readNumber(received) : unread };
}

const decodeRoute = (data: Address) => decodeFunctionResult({ abi: ABI, functionName: 'getSendChain', data });

/** What the endpoint that receives accepts of the other one. */
async function readRoute(from: Side, to: Side, fromId: number, signal: AbortSignal): Promise<Route | undefined> {
  const { client, endpoint = '0x', contract } = to;
  const args = [BigInt(fromId)] as const;
  const [answer] = await client.ask(
    [toCall(endpoint, encodeFunctionData({ abi: ABI, functionName: 'getSendChain', args }))],
    signal,
  );
  const route = readResult(answer, decodeRoute);
  if (!route.ok) return undefined;
  const csc = toAddress(route.value.csc);
  if (BigInt(csc) === 0n) return { isRegistered: false, isEndpoint: false, isContract: false };
  const reading = await readContract(client, csc, signal);
  return {
    isRegistered: true,
    isEndpoint: toAddress(route.value.endpoint) === from.endpoint,
    isContract: csc === contract,
    ...(reading.ok && { contract: reading.value }),
  };
}

/** Reads what is on its way from one chain to the other. */
export function createPacketReader(from: Side, to: Side) {
  let finder: ReturnType<typeof createPacketFinder> | undefined;
  /** `ids` are the ids of both chains, where they are known. Never rejects. */
  return async (
    ids: { readonly from?: number | undefined; readonly to?: number | undefined },
    sender: Pick<Indexes, 'sent'> & { readonly head: ParentResult<number> },
    { received }: Pick<Indexes, 'received'>,
    signal: AbortSignal,
  ): Promise<ParentResult<PacketReading>> => {
    const { sent, head } = sender;
    if (!sent.ok) return { ...sent, why: `${from.called} ${sent.why}` };
    if (!received.ok) return { ...received, why: `${to.called} ${received.why}` };
    const reading = { sent: sent.value, received: received.value };
    finder ??= createPacketFinder(from.client, from.endpoint ?? '0x', ids.to ?? 0);
    if (reading.sent <= reading.received || !head.ok) {
      finder.forget();
      return { ok: true, value: reading };
    }
    const found = await finder.find(reading.received, reading.sent, head.value, signal);
    const route = await readRoute(from, to, ids.from ?? 0, signal);
    return { ok: true, value: { ...reading, ...found, ...(route && { route }) } };
  };
}
