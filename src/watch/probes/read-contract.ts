import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import {
  CHECKPOINT_MODES,
  type Checkpoint,
  type CheckpointBlock,
  type ContractReading,
  type ParentResult,
} from '../../model/parent-chain.ts';
import { type ParentAnswer, type ParentClient, readAnswer } from './parent-client.ts';

type Hex = `0x${string}`;

/** The same in all kinds of the contract; the number is int256 or uint64, of one encoding (XDC-CSC FullCheckpoint, LiteCheckpoint). */
const BLOCK = {
  type: 'tuple',
  components: [
    { name: 'hash', type: 'bytes32' },
    { name: 'number', type: 'int256' },
  ],
} as const;

const ABI = [
  { type: 'function', name: 'getLatestBlocks', stateMutability: 'view', inputs: [], outputs: [BLOCK, BLOCK] },
  { type: 'function', name: 'MODE', stateMutability: 'view', inputs: [], outputs: [{ type: 'string' }] },
] as const;

const toBlock = ({ hash, number }: { readonly hash: string; readonly number: bigint }): CheckpointBlock => ({
  hash: hash.toLowerCase(),
  number: Number(number),
});

const isBlock = ({ number }: CheckpointBlock): boolean => Number.isSafeInteger(number) && number >= 0;

const decodeBlocks = (data: Hex): readonly CheckpointBlock[] =>
  decodeFunctionResult({ abi: ABI, functionName: 'getLatestBlocks', data }).map(toBlock);

function decodeMode(data: Hex): Pick<Checkpoint, 'mode'> {
  const text = decodeFunctionResult({ abi: ABI, functionName: 'MODE', data });
  const mode = CHECKPOINT_MODES.find((one) => one === text.trim().toLowerCase().replace(/[ -]/g, '_'));
  return mode === undefined ? {} : { mode };
}

/** What the code at an address shows that is not a checkpoint contract. */
const readCode = (code: unknown): ContractReading | undefined =>
  typeof code === 'string' ? { kind: /^0x0?$/.test(code) ? 'missing' : 'other' } : undefined;

/** Decodes what a method returned; undefined when the contract failed, or returned something else. */
function decode<T>(answer: ParentAnswer | undefined, toValue: (data: Hex) => T): T | undefined {
  if (!answer?.ok) return undefined;
  try {
    return toValue(answer.value as Hex);
  } catch {
    return undefined;
  }
}

const toCall = (functionName: 'getLatestBlocks' | 'MODE') => encodeFunctionData({ abi: ABI, functionName });
const [GET_LATEST_BLOCKS, MODE] = [toCall('getLatestBlocks'), toCall('MODE')];

/** Reads the contract at an address, `0x` and lower case. Never rejects. Not ok when the node does not say what is there. */
export async function readContract(
  client: ParentClient,
  to: string,
  signal: AbortSignal,
): Promise<ParentResult<ContractReading>> {
  const answers = await client.ask(
    [GET_LATEST_BLOCKS, MODE].map((data) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })),
    signal,
  );
  for (const answer of answers) if (!answer.ok && answer.reverted === undefined) return readAnswer(answer, readCode);
  const [blocks, mode] = answers;
  const [latest, committed] = decode(blocks, decodeBlocks) ?? [];
  if (latest !== undefined && committed !== undefined && isBlock(latest) && isBlock(committed)) {
    const checkpoint: Checkpoint = { ...decode(mode, decodeMode), latest, committed };
    return { ok: true, value: { kind: 'checkpoint', checkpoint } };
  }
  const [code] = await client.ask([{ method: 'eth_getCode', params: [to, 'latest'] }], signal);
  return readAnswer(code, readCode);
}
