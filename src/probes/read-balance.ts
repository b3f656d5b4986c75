import type { Client } from 'viem';
import type { ParentResult } from '../model/parent-chain.ts';
import { callParent } from './call-parent.ts';

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

/** A quantity as nodes write it, of at most 256 bits. Throws for anything else, which viem may take for a number. */
export function toQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[\da-f]{1,64}$/i.test(value)) throw new Error('this is no quantity');
  return BigInt(value);
}

/** Asks a node for the balance of an address at the latest block, in the smallest unit. */
export const askBalance = async (client: Client, address: `0x${string}`): Promise<bigint> =>
  toQuantity(await client.request({ method: 'eth_getBalance', params: [address, 'latest'] }));

/** Reads the balance of an address of 40 hexadecimal digits after `0x`, at the latest block, in the smallest unit. */
export const readBalance = (rpc: string, address: string, withinMs = WITHIN_MS): Promise<ParentResult<bigint>> =>
  callParent(rpc, { withinMs }, (client) => askBalance(client, address as `0x${string}`));
