import type { Hex } from 'viem';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  numberToHex,
  parseAbi,
  toEventSelector,
} from 'viem/utils';

/** The endpoints of XDC-Zero, on the parent chain and on the subnet. */
export const PARENT_ENDPOINT = '0x6a0eb1d3f0e4f1c2b7a95d8c3e2f40516273849a';
export const SUBNET_ENDPOINT = '0x51b9e7a4c80d2f6315e4a7c9b8d0f2e4617389ac';

/** A contract that sends packets sends one each so many blocks. */
const PACKET_EVERY = 60;

/** What is asked of an endpoint (XDC-Zero Endpoint.sol). */
const ABI = parseAbi([
  'function getReceiveChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChain(uint256 chainId) view returns ((address csc, address endpoint))',
]);
const PACKET = toEventSelector('Packet(bytes)');
const PAYLOAD = ['uint256', 'uint256', 'address', 'uint256', 'address', 'bytes'].map((type) => ({ type }));
const APP: Hex = `0x${'5e'.repeat(20)}`;

/** What an endpoint has sent and received, and how it proves the packets of the other chain. */
interface EndpointState {
  readonly sent: number;
  readonly received: number;
  readonly route: { readonly csc: Hex; readonly endpoint: Hex };
}

/** What an endpoint returns of a call. */
export function callEndpoint(data: unknown, { sent, received, route }: EndpointState): Hex {
  try {
    const { functionName } = decodeFunctionData({ abi: ABI, data: data as Hex });
    if (functionName === 'getSendChain') return encodeFunctionResult({ abi: ABI, functionName, result: route });
    const result = BigInt(functionName === 'getReceiveChainLastIndex' ? sent : received);
    return encodeFunctionResult({ abi: ABI, functionName, result });
  } catch {
    return '0x';
  }
}

/** The packets that go from the subnet to the parent chain: in which blocks they were sent, and how many have arrived. */
export interface Packets {
  /** The block of each packet up to this one. */
  sentUpTo(block: number): readonly number[];
  received(): number;
  /** Lets the contract that sends begin or end; what is pending arrives at its end. */
  change(isSending: boolean, block: number): void;
}

/** Packets of a subnet; none at first. */
export function createPackets(): Packets {
  const blocks: number[] = [];
  let next: number | undefined;
  let received = 0;
  const sendUpTo = (block: number): void => {
    for (; next !== undefined && next <= block; next += PACKET_EVERY) blocks.push(next);
  };
  return {
    sentUpTo: (block) => {
      sendUpTo(block);
      return blocks.filter((one) => one <= block);
    },
    received: () => received,
    change: (isSending, block) => {
      sendUpTo(block);
      if (!isSending) received = blocks.length;
      next = isSending ? (next ?? block) : undefined;
    },
  };
}

/** The events of packets as a node lists them, by the blocks in which they were sent. */
export const packetLogs = (
  blocks: readonly number[],
  ids: { readonly from: number; readonly to: number },
  filter: {
    readonly address?: unknown;
    readonly topics?: unknown;
    readonly fromBlock?: unknown;
    readonly toBlock?: unknown;
  },
) => {
  const { address, topics, fromBlock, toBlock } = filter;
  const isAsked = String(address) === SUBNET_ENDPOINT && Array.isArray(topics) && topics[0] === PACKET;
  const last = toBlock === 'latest' ? Number.POSITIVE_INFINITY : Number(toBlock);
  return blocks.flatMap((block, at) => {
    if (!isAsked || block < Number(fromBlock) || block > last) return [];
    const values = [BigInt(at + 1), BigInt(ids.from), APP, BigInt(ids.to), APP, '0x1234'];
    const data = encodeAbiParameters([{ type: 'bytes' }], [encodeAbiParameters(PAYLOAD, values)]);
    const blockNumber = numberToHex(block);
    return [
      { address, topics: [PACKET], data, blockNumber, transactionHash: `0x${block.toString(16).padStart(64, '0')}` },
    ];
  });
};
