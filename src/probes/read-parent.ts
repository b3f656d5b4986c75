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

/** Reads what the parent chain of a subnet says. viem is loaded at the first use. */
export async function readParent(
  { rpc, contract, wallet }: ParentChain,
  subnet: Subnet,
  signal: AbortSignal,
): Promise<ParentObservation> {
  const { getBalance, getBlock, getChainId } = await import('viem/actions');
  const limits = { withinMs: WITHIN_MS, signal };
  const [head, chainId, reading, balance] = await Promise.all([
    callParent(rpc, limits, async (client) => {
      const { number, timestamp } = await getBlock(client, { blockTag: 'latest', includeTransactions: false });
      return { number: Number(number), timestamp: Number(timestamp) };
    }),
    callParent(rpc, limits, getChainId),
    contract && callParent(rpc, limits, (client) => readContract(client, toAddress(contract))),
    wallet && callParent(rpc, limits, (client) => getBalance(client, { address: toAddress(wallet) })),
  ]);
  return {
    head,
    chainId,
    ...(reading && { contract: await compare(reading, subnet, signal) }),
    ...(balance && { balance }),
  };
}
