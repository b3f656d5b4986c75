import { decodeAbiParameters, parseAbi, toEventSelector } from 'viem/utils';
import { isRecord } from '../../lib/values.ts';
import { type ParentClient, readAnswer, readQuantity } from './parent-client.ts';

/** The events of XDC-Zero (Endpoint.sol) and of the reverse checkpoint (ReverseFullCheckpoint.sol), as topics. */
export const TOPICS = {
  packet: toEventSelector('Packet(bytes)'),
  received: toEventSelector('PacketReceived(uint256,uint256,address,uint256,address,bytes)'),
  accepted: toEventSelector('SubnetBlockAccepted(bytes32,int256)'),
};

/** The beginning of the payload of a packet: its index, and the chains that it leaves and goes to. The rest is not read. */
const PAYLOAD = parseAbi(['function payload(uint256 index, uint256 sid, address sua, uint256 rid)'])[0].inputs;

/** So many blocks are searched first. Nodes that serve anyone often limit it to some thousands. */
const FIRST_SPAN = 1_000;

/** Who submits is looked for in at most so many blocks. */
const LONGEST_SPAN = 100_000;

interface Log {
  readonly block: number;
  readonly data: string;
  readonly transaction: string;
}

const toHex = (value: number) => `0x${value.toString(16)}`;

const readLogs = (value: unknown): readonly Log[] | undefined =>
  Array.isArray(value)
    ? value.flatMap((one) =>
        isRecord(one)
          ? [{ block: Number(one.blockNumber), data: `${one.data}`, transaction: `${one.transactionHash}` }]
          : [],
      )
    : undefined;

/** The events of a contract from one block to another; undefined when the node does not say. */
async function askLogs(
  client: ParentClient,
  filter: { readonly address: string; readonly topic: string; readonly from: number; readonly to?: number },
  signal: AbortSignal,
): Promise<readonly Log[] | undefined> {
  const { address, topic, from, to } = filter;
  const range = { fromBlock: toHex(from), toBlock: to === undefined ? 'latest' : toHex(to) };
  const [answer] = await client.ask(
    [{ method: 'eth_getLogs', params: [{ address, topics: [topic], ...range }] }],
    signal,
  );
  const logs = readAnswer(answer, readLogs);
  return logs.ok ? logs.value : undefined;
}

/** The index of a packet that goes to a chain; undefined for another packet. Its data is bytes: an offset and a length come first. */
function readIndex({ data }: Log, chainId: number): number | undefined {
  try {
    const [index, , , rid] = decodeAbiParameters(PAYLOAD, `0x${data.slice(130)}`);
    return Number(rid) === chainId ? Number(index) : undefined;
  } catch {
    return undefined;
  }
}

/** Finds when the packets that are pending were sent to a chain by an endpoint. */
export function createPacketFinder(client: ParentClient, address: string, chainId: number) {
  const blocks = new Map<number, number>();
  const filter = { address, topic: TOPICS.packet };
  /** The blocks that were searched. A node that refuses more is not asked for earlier ones. */
  let searched: { from: number; to: number; isRefused: boolean } | undefined;
  let time: { readonly index: number; readonly oldestAt: number | undefined } | undefined;
  const add = (logs: readonly Log[] = []) => {
    for (const log of logs) {
      const index = readIndex(log, chainId);
      if (index !== undefined) blocks.set(index, log.block);
    }
  };
  return {
    /** The time of the oldest packet after `received`, in Unix seconds, and the block of the packet `sent`, where they are found. */
    find: async (received: number, sent: number, head: number, signal: AbortSignal) => {
      const from = searched === undefined ? Math.max(head - FIRST_SPAN, 0) : searched.to + 1;
      const logs = await askLogs(client, { ...filter, from }, signal);
      if (logs !== undefined)
        searched = { from: searched?.from ?? from, to: head, isRefused: searched?.isRefused ?? false };
      add(logs);
      if (searched && !blocks.has(received + 1) && searched.from > 0 && !searched.isRefused) {
        const earlier = Math.max(searched.from - (head - searched.from + 1) * 8, 0);
        const before = await askLogs(client, { ...filter, from: earlier, to: searched.from - 1 }, signal);
        searched = before === undefined ? { ...searched, isRefused: true } : { ...searched, from: earlier };
        add(before);
      }
      for (const index of blocks.keys()) if (index <= received) blocks.delete(index);
      const oldest = blocks.get(received + 1);
      if (oldest !== undefined && (time?.index !== received + 1 || time.oldestAt === undefined)) {
        const [answer] = await client.ask([{ method: 'eth_getBlockByNumber', params: [toHex(oldest), false] }], signal);
        const block = readAnswer(answer, (value) => (isRecord(value) ? readQuantity(value.timestamp) : undefined));
        time = { index: received + 1, oldestAt: block.ok ? Number(block.value) : undefined };
      }
      return { oldestAt: oldest === undefined ? undefined : time?.oldestAt, newestBlock: blocks.get(sent) };
    },
    /** No packet is pending. */
    forget: (): void => {
      blocks.clear();
      searched = undefined;
    },
  };
}

/** Finds who sends the transactions that a contract takes, by its events. Once found, the address stays. */
export function createSenderFinder(client: ParentClient, address: string, topic: string) {
  let span = FIRST_SPAN;
  let sender: string | undefined;
  return async (head: number, signal: AbortSignal): Promise<string | undefined> => {
    if (sender !== undefined) return sender;
    const logs = await askLogs(client, { address, topic, from: Math.max(head - span, 0) }, signal);
    span = logs === undefined || span >= LONGEST_SPAN ? FIRST_SPAN : span * 10;
    const last = logs?.at(-1);
    if (last === undefined) return undefined;
    const [answer] = await client.ask([{ method: 'eth_getTransactionByHash', params: [last.transaction] }], signal);
    const from = readAnswer(answer, (value) => (isRecord(value) ? `${value.from}` : undefined));
    if (from.ok && /^0x[\da-f]{40}$/i.test(from.value)) sender = from.value.toLowerCase();
    return sender;
  };
}
