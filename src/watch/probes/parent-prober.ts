import { loadOnce } from '../../lib/promises.ts';
import { isRecord } from '../../lib/values.ts';
import {
  type ContractReading,
  type NextBlock,
  type ParentChain,
  type ParentObservation,
  type ParentResult,
  toAddress,
} from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { createSubnetFinder, type SubnetFinder } from './find-on-subnet.ts';
import { createParentClient, readAnswer, readQuantity, toBalanceCall } from './parent-client.ts';

/** How long a parent chain may take for each answer. */
const WITHIN_MS = 5_000;

/** Probes the parent chain of one subnet repeatedly. */
export type ParentProber = ReturnType<typeof createParentProber>;

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

/** A node that has only its genesis block gives the id 0, which is that of no chain. */
const readChainId = (value: unknown): number | undefined => readNumber(value) || undefined;

/** The pace is that of so many blocks, or of fewer on a young chain, and is asked for again after a while. */
const PACE = { blocks: 100, least: 10, everyMs: 300_000 };

/** A chain that is slower makes blocks only when there is something to put into them. */
const SLOWEST_PACE_MS = 60_000;

type Head = NonNullable<ReturnType<typeof readHead>>;

/** The number of a block whose age shows the pace of a chain; undefined when there are too few. Nobody knows the time of block 0. */
function findEarlier({ number }: Head): number | undefined {
  const earlier = Math.max(number - PACE.blocks, 1);
  return number - earlier < PACE.least ? undefined : earlier;
}

/** The usual time between two blocks; undefined for what cannot be one. */
function toPace(head: Head, earlier: Head): number | undefined {
  const paceMs = ((head.timestamp - earlier.timestamp) * 1000) / (head.number - earlier.number);
  return paceMs > 0 && paceMs <= SLOWEST_PACE_MS ? paceMs : undefined;
}

/** A contract is asked this often what it would do with its next block, and at each reading while it would refuse that. */
const NEXT_EVERY_MS = 55_000;

/** A relayer that fails tries again and again. */
const DOUBTED_EVERY_MS = 10_000;

const newestOf = (reading: ParentResult<ContractReading>): string | undefined =>
  reading.ok && reading.value.kind === 'checkpoint' ? reading.value.checkpoint.latest.hash : undefined;

/** Creates a prober of what the parent chain of a subnet says. viem is loaded when a contract is first read. */
export function createParentProber(
  { rpc, contract, wallet }: ParentChain,
  subnet: Subnet,
  { withinMs = WITHIN_MS, keepsAlive = () => true }: ParentProberOptions = {},
) {
  const client = createParentClient(rpc, withinMs, keepsAlive);
  const calls = [...HEAD_CALLS, ...(wallet ? [toBalanceCall(toAddress(wallet))] : [])];
  // A node that hangs when it runs a contract still gives its newest block.
  const contractClient = createParentClient(rpc, withinMs, keepsAlive);
  const finder = createSubnetFinder(subnet, keepsAlive);
  let pace: { readonly ms: number | undefined; readonly askedAt: number } | undefined;
  const readPace = async (head: ParentObservation['head'], signal: AbortSignal) => {
    const number = head.ok ? findEarlier(head.value) : undefined;
    const isKnown = pace !== undefined && performance.now() - pace.askedAt < PACE.everyMs;
    if (!head.ok || number === undefined || isKnown) return pace?.ms;
    const askedAt = performance.now();
    const ask = { method: 'eth_getBlockByNumber', params: [`0x${number.toString(16)}`, false] };
    const [answer] = await client.ask([ask], signal);
    const earlier = readAnswer(answer, readHead);
    const isAsked = earlier.ok && earlier.value.number === number;
    pace = { ms: isAsked ? toPace(head.value, earlier.value) : undefined, askedAt };
    return pace.ms;
  };
  const readChain = async (signal: AbortSignal) => {
    const [newest, chainId, balance] = await client.ask(calls, signal);
    const head = readAnswer(newest, readHead);
    return { head, chainId, balance, paceMs: await readPace(head, signal) };
  };
  const readers = loadOnce(() => Promise.all([import('./read-contract.ts'), import('./ask-next-block.ts')]));
  let asked: { readonly at: number; readonly next: NextBlock | undefined } | undefined;
  let isDoubted = false;
  const askedMs = () => performance.now() - (asked?.at ?? Number.NEGATIVE_INFINITY);
  const readContract = async (address: string, signal: AbortSignal): Promise<ParentResult<ContractReading>> => {
    const [{ readContract: read }, { askNextBlock }] = await readers.get();
    const [to, from] = [toAddress(address), wallet && toAddress(wallet)];
    const reading = await compare(await read(contractClient, to, signal), finder, signal);
    if (!reading.ok || reading.value.kind !== 'checkpoint') return reading;
    const { checkpoint } = reading.value;
    if (isDoubted || asked?.next?.refusal !== undefined || askedMs() >= NEXT_EVERY_MS) {
      isDoubted = false;
      const next = await askNextBlock(contractClient, finder, { to, from }, checkpoint, signal);
      const after = next?.refusal === undefined ? reading : await read(contractClient, to, signal);
      // A block that has come in meanwhile is no refusal.
      asked = { at: performance.now(), next: newestOf(after) === checkpoint.latest.hash ? next : undefined };
    }
    const next = asked?.next;
    return { ok: true, value: { kind: 'checkpoint', checkpoint: { ...checkpoint, ...(next && { next }) } } };
  };
  return {
    /** Never rejects, and ends when the signal aborts. */
    probe: async (signal: AbortSignal): Promise<ParentObservation> => {
      const [{ head, chainId, balance, paceMs }, reading] = await Promise.all([
        readChain(signal),
        contract && readContract(contract, signal),
      ]);
      return {
        head,
        chainId: readAnswer(chainId, readChainId),
        ...(paceMs !== undefined && { paceMs }),
        ...(reading && { contract: reading }),
        ...(wallet && { balance: readAnswer(balance, readQuantity) }),
      };
    },
    /** A submission has failed. In how many milliseconds a probe is worth it; undefined where no contract is read. */
    doubt: (): number | undefined => {
      isDoubted = contract !== undefined;
      return isDoubted ? Math.max(DOUBTED_EVERY_MS - askedMs(), 0) : undefined;
    },
    close: (): void => {
      client.close();
      contractClient.close();
      finder.close();
    },
  };
}
