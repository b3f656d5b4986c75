import type { ParentChain, ParentObservation } from '../model/parent-chain.ts';
import { callParent } from './call-parent.ts';

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

/** Reads what the parent chain says. viem is loaded at the first use. */
export async function readParent({ rpc }: ParentChain, signal: AbortSignal): Promise<ParentObservation> {
  const { getBlock } = await import('viem/actions');
  const head = await callParent(rpc, { withinMs: WITHIN_MS, signal }, async (client) => {
    const { number, timestamp } = await getBlock(client, { blockTag: 'latest', includeTransactions: false });
    return { number: Number(number), timestamp: Number(timestamp) };
  });
  return { head };
}
