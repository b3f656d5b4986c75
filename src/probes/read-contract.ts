import type { Client } from 'viem';
import {
  CHECKPOINT_MODES,
  type Checkpoint,
  type CheckpointBlock,
  type CheckpointMode,
  type ContractReading,
} from '../model/parent-chain.ts';

type Address = `0x${string}`;

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

/** What nodes say when the contract itself fails: its code ends, or has no such method. */
const FAILS_ITSELF = /revert|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas/i;

/** The text of an error and of its causes. */
const textOf = (error: unknown): string => (error instanceof Error ? `${error.message} ${textOf(error.cause)}` : '');

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (('code' in error ? error.code : undefined) ?? codeOf(error.cause)) : undefined;

/** By geth, 3 is an end of the code by `revert`. */
const isOwnError = (error: unknown): boolean => codeOf(error) === 3 || FAILS_ITSELF.test(textOf(error));

const toBlock = ({ hash, number }: { readonly hash: string; readonly number: bigint }): CheckpointBlock => ({
  hash: hash.toLowerCase(),
  number: Number(number),
});

const isBlock = ({ number }: CheckpointBlock): boolean => Number.isSafeInteger(number) && number >= 0;

const toMode = (text: string): CheckpointMode | undefined =>
  CHECKPOINT_MODES.find((mode) => mode === text.trim().toLowerCase().replace(/[ -]/g, '_'));

/** Calls a method without arguments; undefined when the contract fails or answers with something else. */
async function callMethod<T>(ask: () => Promise<Address>, decode: (data: Address) => T): Promise<T | undefined> {
  let data: Address;
  try {
    data = await ask();
  } catch (error) {
    if (isOwnError(error)) return undefined;
    throw error;
  }
  try {
    return decode(data);
  } catch {
    return undefined;
  }
}

/** Reads the contract at an address, `0x` and lower case. Rejects when the node does not say what is there. */
export async function readContract(client: Client, to: Address): Promise<ContractReading> {
  const { decodeFunctionResult, encodeFunctionData } = await import('viem/utils');
  const call = (functionName: 'getLatestBlocks' | 'MODE') => () =>
    client.request({
      method: 'eth_call',
      params: [{ to, data: encodeFunctionData({ abi: ABI, functionName }) }, 'latest'],
    });
  const [blocks, mode] = await Promise.all([
    callMethod(call('getLatestBlocks'), (data) =>
      decodeFunctionResult({ abi: ABI, functionName: 'getLatestBlocks', data }).map(toBlock),
    ),
    callMethod(call('MODE'), (data) => toMode(decodeFunctionResult({ abi: ABI, functionName: 'MODE', data }))),
  ]);
  const [latest, committed] = blocks ?? [];
  if (latest !== undefined && committed !== undefined && isBlock(latest) && isBlock(committed)) {
    const checkpoint: Checkpoint = { ...(mode && { mode }), latest, committed };
    return { kind: 'checkpoint', checkpoint };
  }
  const code = await client.request({ method: 'eth_getCode', params: [to, 'latest'] });
  return { kind: /^0x0?$/.test(code) ? 'missing' : 'other' };
}
