import type { ParentResult } from '../../model/parent-chain.ts';
import type { Call } from './json-rpc.ts';
import { createParentClient, readAnswer } from './parent-client.ts';

/** How long a parent chain may take to answer. */
const WITHIN_MS = 5_000;

/** A quantity as nodes write it, of at most 256 bits. Undefined for anything else. */
export const readQuantity = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[\da-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;

/** Asks for the balance of an address at the latest block, in the smallest unit. */
export const toBalanceCall = (address: string): Call => ({ method: 'eth_getBalance', params: [address, 'latest'] });

/** Reads the balance of an address of 40 hexadecimal digits after `0x`, at the latest block, in the smallest unit. */
export async function readBalance(rpc: string, address: string, withinMs = WITHIN_MS): Promise<ParentResult<bigint>> {
  const client = createParentClient(rpc, withinMs);
  const [balance] = await client.ask([toBalanceCall(address)]);
  client.close();
  return readAnswer(balance, readQuantity);
}
