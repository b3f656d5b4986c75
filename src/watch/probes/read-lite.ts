import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { findLiteHeights, type LiteReading } from '../../model/relay.ts';
import { type Address, readNumber, readResult, toCall } from './ask-contract.ts';
import type { ParentClient } from './parent-client.ts';
import { readContract } from './read-contract.ts';

/** What is asked of a checkpoint contract in lite mode (XDC-CSC LiteCheckpoint.sol). */
const ABI = parseAbi([
  'function INIT_EPOCH() view returns (uint64)',
  'function INIT_GAP() view returns (uint64)',
  'function getHeaderByNumber(uint256 number) view returns ((bytes32 parentHash, uint64 number, uint64 roundNum, int64 mainnetNum, bool finalized))',
]);

/** As many of the newest blocks of a lite contract are read. */
const LITE_BLOCKS = 10;

const decodeHeader = (data: Address) => decodeFunctionResult({ abi: ABI, functionName: 'getHeaderByNumber', data });

/** Reads how far a checkpoint contract in lite mode is. A full one is asked for its mode once. */
export function createLiteReader(client: ParentClient, to: Address | undefined) {
  let isFull = false;
  let epochs: Pick<LiteReading, 'epoch' | 'gap'> | undefined;

  const readEpochs = async (contract: Address, signal: AbortSignal) => {
    const names = ['INIT_EPOCH', 'INIT_GAP'] as const;
    const calls = names.map((functionName) => toCall(contract, encodeFunctionData({ abi: ABI, functionName })));
    const [epoch, gap] = (await client.ask(calls, signal)).map(readNumber);
    return epoch?.ok && gap?.ok && epoch.value > gap.value ? { epoch: epoch.value, gap: gap.value } : undefined;
  };

  /** Undefined for a contract that is not in lite mode. Never rejects. */
  return async (signal: AbortSignal): Promise<LiteReading | undefined> => {
    if (to === undefined || isFull) return undefined;
    const reading = await readContract(client, to, signal);
    const checkpoint = reading.ok && reading.value.kind === 'checkpoint' ? reading.value.checkpoint : undefined;
    isFull = checkpoint !== undefined && checkpoint.mode !== 'lite';
    if (checkpoint === undefined || isFull) return undefined;
    epochs ??= await readEpochs(to, signal);
    if (epochs === undefined) return undefined;
    const latest = checkpoint.latest.number;
    const heights = findLiteHeights(epochs, latest, LITE_BLOCKS);
    const calls = heights.map((height) =>
      toCall(to, encodeFunctionData({ abi: ABI, functionName: 'getHeaderByNumber', args: [BigInt(height)] })),
    );
    const answers = calls.length === 0 ? [] : await client.ask(calls, signal);
    const headers = answers.map((answer) => readResult(answer, decodeHeader));
    if (!headers.every((one) => one.ok)) return undefined;
    const isBuffered = ({ number, finalized }: { number: bigint; finalized: boolean }, at: number) =>
      Number(number) === heights[at] && !finalized;
    return { ...epochs, latest, buffered: headers.filter((one, at) => one.ok && isBuffered(one.value, at)).length };
  };
}
