import { loadOnce } from '../../lib/promises.ts';
import { isRecord } from '../../lib/values.ts';
import {
  type ContractReading,
  type ParentChain,
  type ParentObservation,
  type ParentResult,
  toAddress,
} from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { createSubnetFinder, type SubnetFinder } from './find-on-subnet.ts';
import { createParentClient, readAnswer } from './parent-client.ts';
import { readQuantity, toBalanceCall } from './read-balance.ts';

/** How long a parent chain may take for each answer. */
const WITHIN_MS = 5_000;

/** Probes the parent chain of one subnet repeatedly. */
export interface ParentProber {
  /** Never rejects, and ends when the signal aborts. */
  probe(signal: AbortSignal): Promise<ParentObservation>;
  close(): void;
}

/** Settings of a prober. */
export interface ParentProberOptions {
  /** How long the parent chain may take for each answer; default: five seconds. */
  readonly withinMs?: number;
  /** Whether connections are kept between two probes; default: yes. */
  readonly keepsAlive?: () => boolean;
}

/** Adds whether the subnet has the block that the contract counts as committed. */
async function compare(
  reading: ParentResult<ContractReading>,
  finder: SubnetFinder,
  signal: AbortSignal,
): Promise<ParentResult<ContractReading>> {
  if (!reading.ok || reading.value.kind !== 'checkpoint') return reading;
  const { checkpoint } = reading.value;
  const onSubnet = await finder.find(checkpoint.committed, signal);
  return onSubnet ? { ok: true, value: { kind: 'checkpoint', checkpoint: { ...checkpoint, onSubnet } } } : reading;
}

/** A height, a time or an id. Undefined for what is none, as 2^53 and more. */
function readNumber(value: unknown): number | undefined {
  const number = Number(readQuantity(value));
  return Number.isSafeInteger(number) ? number : undefined;
}

function readHead(block: unknown) {
  if (!isRecord(block)) return undefined;
  const [number, timestamp] = [readNumber(block.number), readNumber(block.timestamp)];
  return number === undefined || timestamp === undefined ? undefined : { number, timestamp };
}

const HEAD_CALLS = [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_chainId', params: [] },
] as const;

/** Creates a prober of what the parent chain of a subnet says. viem is loaded when a contract is first read. */
export function createParentProber(
  { rpc, contract, wallet }: ParentChain,
  subnet: Subnet,
  { withinMs = WITHIN_MS, keepsAlive = () => true }: ParentProberOptions = {},
): ParentProber {
  const client = createParentClient(rpc, withinMs, keepsAlive);
  const calls = [...HEAD_CALLS, ...(wallet ? [toBalanceCall(toAddress(wallet))] : [])];
  // A node that hangs when it runs a contract still gives its newest block.
  const contractClient = createParentClient(rpc, withinMs, keepsAlive);
  const finder = createSubnetFinder(subnet, keepsAlive);
  const readers = loadOnce(() => import('./read-contract.ts'));
  const readContract = async (address: string, signal: AbortSignal) => {
    const { readContract: read } = await readers.get();
    return compare(await read(contractClient, toAddress(address), signal), finder, signal);
  };
  return {
    probe: async (signal) => {
      const [[head, chainId, balance], reading] = await Promise.all([
        client.ask(calls, signal),
        contract && readContract(contract, signal),
      ]);
      return {
        head: readAnswer(head, readHead),
        chainId: readAnswer(chainId, readNumber),
        ...(reading && { contract: reading }),
        ...(wallet && { balance: readAnswer(balance, readQuantity) }),
      };
    },
    close: () => {
      client.close();
      contractClient.close();
      finder.close();
    },
  };
}
