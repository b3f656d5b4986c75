import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { type ParentChain, type ParentResult, toAddress } from '../../model/parent-chain.ts';
import {
  type Direction,
  findLiteHeights,
  type LiteReading,
  type PacketReading,
  type RelayObservation,
  type Route,
  WALLETS,
  type WalletRole,
} from '../../model/relay.ts';
import type { Subnet } from '../../model/target.ts';
import { createPacketFinder, createSenderFinder, TOPICS } from './find-events.ts';
import { createParentClient, type ParentAnswer, readAnswer, readQuantity, toBalanceCall } from './parent-client.ts';
import { readContract } from './read-contract.ts';
import { createSubnetClient } from './subnet-client.ts';

/** What is asked of the endpoints (XDC-Zero Endpoint.sol) and of a checkpoint contract in lite mode (XDC-CSC LiteCheckpoint.sol). */
const ABI = parseAbi([
  'function getReceiveChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChainLastIndex(uint256 chainId) view returns (uint256)',
  'function getSendChain(uint256 chainId) view returns ((address csc, address endpoint))',
  'function INIT_EPOCH() view returns (uint64)',
  'function INIT_GAP() view returns (uint64)',
  'function getHeaderByNumber(uint256 number) view returns ((bytes32 parentHash, uint64 number, uint64 roundNum, int64 mainnetNum, bool finalized))',
]);

/** How long each answer may take. */
const WITHIN_MS = 3_000;

/** As many of the newest blocks of a lite contract are read. */
const LITE_BLOCKS = 10;

type Address = `0x${string}`;

const toCall = (to: Address, data: string) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] });

const readNumber = (answer: ParentAnswer | undefined): ParentResult<number> =>
  readAnswer(answer, (value) => {
    const number = Number(readQuantity(value) ?? Number.NaN);
    return Number.isSafeInteger(number) ? number : undefined;
  });

/** What a method returned; an error of the node when it cannot be that. */
const readResult = <T>(answer: ParentAnswer | undefined, toValue: (data: Address) => T): ParentResult<T> =>
  readAnswer(answer, (value) => {
    try {
      return toValue(value as Address);
    } catch {
      return undefined;
    }
  });

const decodeRoute = (data: Address) => decodeFunctionResult({ abi: ABI, functionName: 'getSendChain', data });
const decodeHeader = (data: Address) => decodeFunctionResult({ abi: ABI, functionName: 'getHeaderByNumber', data });

type Place = 'parent' | 'subnet';

/** Each way between the chains. */
const ROADS = [
  { direction: 'to_parent', from: 'subnet', to: 'parent' },
  { direction: 'to_subnet', from: 'parent', to: 'subnet' },
] as const;

/** The wallets that pay on each chain. That of the submissions to the parent chain is read with its contract. */
const ROLES: Readonly<Record<Place, readonly WalletRole[]>> = {
  parent: ['parent_zero'],
  subnet: ['subnet', 'subnet_zero'],
};

/** Creates a prober of the packets, the lite checkpoints and the other wallets of a relayer. Ask it once a minute. */
export function createRelayProber(chain: ParentChain, subnet: Subnet) {
  const addressOf = (member: Exclude<keyof ParentChain, 'rpc'>): Address | undefined => {
    const address = chain[member];
    return address === undefined ? undefined : toAddress(address);
  };
  const sides = {
    parent: {
      client: createParentClient(chain.rpc, WITHIN_MS, () => false),
      endpoint: addressOf('zeroContract'),
      contract: addressOf('contract'),
    },
    subnet: {
      client: createSubnetClient(subnet, WITHIN_MS),
      endpoint: addressOf('subnetZeroContract'),
      contract: addressOf('reverseContract'),
    },
  };
  const places: readonly Place[] = ['parent', 'subnet'];
  const roads = ROADS.filter(({ from, to }) => sides[from].endpoint && sides[to].endpoint && sides[to].contract);
  const ids: { [Each in Place]?: number } = {};
  const finders = new Map<Direction, ReturnType<typeof createPacketFinder>>();
  const senders = new Map<WalletRole, ReturnType<typeof createSenderFinder>>();
  const learned = new Map<WalletRole, Address>();
  const walletOf = (role: WalletRole) => addressOf(WALLETS[role].inventory) ?? learned.get(role);
  const hasWallets = ({ contract }: (typeof sides)[Place], place: Place) =>
    ROLES[place].some(walletOf) || (place === 'subnet' && contract !== undefined);
  let isFull = false;
  let epochs: Pick<LiteReading, 'epoch' | 'gap'> | undefined;

  const readId = async (place: Place, signal: AbortSignal) => {
    if (ids[place] !== undefined) return;
    const [answer] = await sides[place].client.ask([{ method: 'eth_chainId', params: [] }], signal);
    const id = readNumber(answer);
    if (id.ok && id.value > 0) ids[place] = id.value;
  };

  /** The height of a chain, the balances on it and the two indexes of its endpoint, by one request. */
  const readSide = async (place: Place, signal: AbortSignal) => {
    const { client, endpoint } = sides[place];
    const other = ids[place === 'parent' ? 'subnet' : 'parent'];
    const wallets = ROLES[place].flatMap((role) => {
      const address = walletOf(role);
      return address === undefined ? [] : [{ role, address }];
    });
    const names = ['getReceiveChainLastIndex', 'getSendChainLastIndex'] as const;
    const indexes = endpoint !== undefined && other !== undefined && roads.length > 0 ? names : [];
    const answers = await client.ask(
      [
        { method: 'eth_blockNumber', params: [] },
        ...wallets.map(({ address }) => toBalanceCall(address)),
        ...indexes.map((functionName) =>
          toCall(endpoint ?? '0x', encodeFunctionData({ abi: ABI, functionName, args: [BigInt(other ?? 0)] })),
        ),
      ],
      signal,
    );
    const [sent, received] = answers.slice(1 + wallets.length).map(readNumber);
    const unread: ParentResult<number> = { ok: false, why: 'was not asked, as the other chain does not give its id' };
    return {
      head: readNumber(answers[0]),
      wallets: wallets.map(({ role, address }, at) => ({
        role,
        seen: { address, balance: readAnswer(answers[at + 1], readQuantity) },
      })),
      sent: sent ?? unread,
      received: received ?? unread,
    };
  };
  type Seen = Readonly<Record<Place, Awaited<ReturnType<typeof readSide>>>>;

  /** What the endpoint that receives accepts of the other one. */
  const readRoute = async (from: Place, to: Place, signal: AbortSignal): Promise<Route | undefined> => {
    const { client, endpoint = '0x', contract } = sides[to];
    const args = [BigInt(ids[from] ?? 0)] as const;
    const [answer] = await client.ask(
      [toCall(endpoint, encodeFunctionData({ abi: ABI, functionName: 'getSendChain', args }))],
      signal,
    );
    const route = readResult(answer, decodeRoute);
    if (!route.ok) return undefined;
    const csc = toAddress(route.value.csc);
    if (BigInt(csc) === 0n) return { isRegistered: false, isEndpoint: false, isContract: false };
    const reading = await readContract(client, csc, signal);
    return {
      isRegistered: true,
      isEndpoint: toAddress(route.value.endpoint) === sides[from].endpoint,
      isContract: csc === contract,
      ...(reading.ok && { contract: reading.value }),
    };
  };

  const readPackets = async (
    { direction, from, to }: (typeof ROADS)[number],
    seen: Seen,
    signal: AbortSignal,
  ): Promise<ParentResult<PacketReading>> => {
    const [{ sent, head }, { received }] = [seen[from], seen[to]];
    if (!sent.ok) return { ...sent, why: `${from === 'parent' ? 'the parent chain' : 'the subnet'} ${sent.why}` };
    if (!received.ok)
      return { ...received, why: `${to === 'parent' ? 'the parent chain' : 'the subnet'} ${received.why}` };
    const reading = { sent: sent.value, received: received.value };
    const { client, endpoint = '0x' } = sides[from];
    const finder = finders.get(direction) ?? createPacketFinder(client, endpoint, ids[to] ?? 0);
    finders.set(direction, finder);
    if (reading.sent <= reading.received || !head.ok) {
      finder.forget();
      return { ok: true, value: reading };
    }
    const found = await finder.find(reading.received, reading.sent, head.value, signal);
    const route = await readRoute(from, to, signal);
    return { ok: true, value: { ...reading, ...found, ...(route && { route }) } };
  };

  /** Looks for a wallet that the inventory does not name, where there is a transaction of it. */
  const learn = async (role: WalletRole, place: Place, { head, received }: Seen[Place], signal: AbortSignal) => {
    const { client, endpoint, contract } = sides[place];
    const [address, topic] = role === 'subnet' ? [contract, TOPICS.accepted] : [endpoint, TOPICS.received];
    const delivers = role === 'subnet' || (received.ok && received.value > 0);
    if (walletOf(role) !== undefined || address === undefined || !head.ok || !delivers) return;
    const find = senders.get(role) ?? createSenderFinder(client, address, topic);
    senders.set(role, find);
    const sender = await find(head.value, signal);
    if (sender !== undefined) learned.set(role, toAddress(sender));
  };

  const readEpochs = async (to: Address, signal: AbortSignal) => {
    const names = ['INIT_EPOCH', 'INIT_GAP'] as const;
    const calls = names.map((functionName) => toCall(to, encodeFunctionData({ abi: ABI, functionName })));
    const [epoch, gap] = (await sides.parent.client.ask(calls, signal)).map(readNumber);
    return epoch?.ok && gap?.ok && epoch.value > gap.value ? { epoch: epoch.value, gap: gap.value } : undefined;
  };

  /** Undefined for a contract that is not in lite mode. */
  const readLite = async (signal: AbortSignal): Promise<LiteReading | undefined> => {
    const { client, contract: to } = sides.parent;
    if (to === undefined || isFull) return undefined;
    const reading = await readContract(client, to, signal);
    const checkpoint = reading.ok && reading.value.kind === 'checkpoint' ? reading.value.checkpoint : undefined;
    isFull = checkpoint !== undefined && checkpoint.mode !== 'lite';
    if (checkpoint === undefined || isFull) return undefined;
    epochs ??= await readEpochs(to, signal);
    if (epochs === undefined) return undefined;
    const latest = checkpoint.latest.number;
    const heights = findLiteHeights(epochs, latest, LITE_BLOCKS);
    const calls = heights.map((height) =>
      toCall(to, encodeFunctionData({ abi: ABI, functionName: 'getHeaderByNumber', args: [BigInt(height)] })),
    );
    const answers = calls.length === 0 ? [] : await client.ask(calls, signal);
    const headers = answers.map((answer) => readResult(answer, decodeHeader));
    if (!headers.every((one) => one.ok)) return undefined;
    const isBuffered = ({ number, finalized }: { number: bigint; finalized: boolean }, at: number) =>
      Number(number) === heights[at] && !finalized;
    return { ...epochs, latest, buffered: headers.filter((one, at) => one.ok && isBuffered(one.value, at)).length };
  };

  return {
    /** Never rejects, and ends when the signal aborts. A full contract without XDC-Zero is asked for its mode once. */
    probe: async (signal: AbortSignal): Promise<RelayObservation> => {
      const lite = await readLite(signal);
      if (roads.length > 0) await Promise.all(places.map((place) => readId(place, signal)));
      const read = async (place: Place) =>
        roads.length > 0 || hasWallets(sides[place], place) ? await readSide(place, signal) : undefined;
      const [parent, own] = await Promise.all([read('parent'), read('subnet')]);
      const packets: { [Each in Direction]?: ParentResult<PacketReading> } = {};
      if (parent && own)
        for (const road of roads) packets[road.direction] = await readPackets(road, { parent, subnet: own }, signal);
      for (const [place, seen] of [['parent', parent] as const, ['subnet', own] as const])
        for (const role of ROLES[place]) if (seen) await learn(role, place, seen, signal);
      const wallets = [...(parent?.wallets ?? []), ...(own?.wallets ?? [])].map(({ role, seen }) => [role, seen]);
      return { packets, wallets: Object.fromEntries(wallets), ...(lite && { lite }) };
    },
    close: (): void => {
      for (const place of places) sides[place].client.close();
    },
  };
}
