import type { ParentResult } from '../model/parent-chain.ts';
import { callParent } from './call-parent.ts';

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

/** The balance of an address of 40 hexadecimal digits after `0x`, at the latest block, in the smallest unit. */
export async function readBalance(rpc: string, address: string, withinMs = WITHIN_MS): Promise<ParentResult<bigint>> {
  const { getBalance } = await import('viem/actions');
  return callParent(rpc, { withinMs }, (client) => getBalance(client, { address: address as `0x${string}` }));
}
