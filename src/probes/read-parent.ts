import type { Client } from 'viem';
import {
  type ContractReading,
  type ParentChain,
  type ParentObservation,
  type ParentResult,
  toAddress,
} from '../model/parent-chain.ts';
import type { Subnet } from '../model/target.ts';
import { callParent } from './call-parent.ts';
import { findOnSubnet } from './find-on-subnet.ts';
import { askBalance, toQuantity } from './read-balance.ts';
import { readContract } from './read-contract.ts';

/** How long a parent chain may take for each answer. They are asked for together, as single calls: public nodes refuse batches. */
const WITHIN_MS = 5_000;

/** Adds whether the subnet has the block that the contract counts as committed. */
async function compare(
  reading: ParentResult<ContractReading>,
  subnet: Subnet,
  signal: AbortSignal,
): Promise<ParentResult<ContractReading>> {
  if (!reading.ok || reading.value.kind !== 'checkpoint') return reading;
  const { checkpoint } = reading.value;
  const onSubnet = await findOnSubnet(subnet, checkpoint.committed, signal);
  return onSubnet ? { ok: true, value: { kind: 'checkpoint', checkpoint: { ...checkpoint, onSubnet } } } : reading;
}

/** A height, a time or an id. Throws for what is none, as 2^53 and more. */
function toNumber(value: unknown): number {
  const number = Number(toQuantity(value));
  if (!Number.isSafeInteger(number)) throw new Error('no chain has such a number');
  return number;
}

async function askHead(client: Client) {
  const block = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  if (block === null) throw new Error('there is no newest block');
  return { number: toNumber(block.number), timestamp: toNumber(block.timestamp) };
}

const askChainId = async (client: Client): Promise<number> => toNumber(await client.request({ method: 'eth_chainId' }));

/** Reads what the parent chain of a subnet says. viem is loaded at the first use. */
export async function readParent(
  { rpc, contract, wallet }: ParentChain,
  subnet: Subnet,
  signal: AbortSignal,
): Promise<ParentObservation> {
  const limits = { withinMs: WITHIN_MS, signal };
  const [head, chainId, reading, balance] = await Promise.all([
    callParent(rpc, limits, askHead),
    callParent(rpc, limits, askChainId),
    contract && callParent(rpc, limits, (client) => readContract(client, toAddress(contract))),
    wallet && callParent(rpc, limits, (client) => askBalance(client, toAddress(wallet))),
  ]);
  return {
    head,
    chainId,
    ...(reading && { contract: await compare(reading, subnet, signal) }),
    ...(balance && { balance }),
  };
}
