import { type ParentChain, type ParentResult, toAddress } from '../../model/parent-chain.ts';
import {
  type Direction,
  type PacketReading,
  type RelayObservation,
  WALLETS,
  type WalletRole,
} from '../../model/relay.ts';
import type { Subnet } from '../../model/target.ts';
import { type Address, readNumber } from './ask-contract.ts';
import { createSenderFinder, TOPICS } from './find-events.ts';
import { createParentClient, readAnswer, readQuantity, toBalanceCall } from './parent-client.ts';
import { createLiteReader } from './read-lite.ts';
import { createPacketReader, type Indexes, readIndexes, type Side, toIndexCalls } from './read-packets.ts';
import { createSubnetClient } from './subnet-client.ts';

/** How long each answer may take. */
const WITHIN_MS = 3_000;

type Place = 'parent' | 'subnet';
const PLACES: readonly Place[] = ['parent', 'subnet'];

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

/** What one request to a chain has shown. */
interface Seen extends Indexes {
  readonly head: ParentResult<number>;
  readonly wallets: readonly (readonly [WalletRole, { address: Address; balance: ParentResult<bigint> }])[];
}

/** Creates a prober of the packets, the lite checkpoints and the other wallets of a relayer. Ask it once a minute. */
export function createRelayProber(chain: ParentChain, subnet: Subnet) {
  const addressOf = (member: Exclude<keyof ParentChain, 'rpc'>): Address | undefined => {
    const address = chain[member];
    return address === undefined ? undefined : toAddress(address);
  };
  const sides: Readonly<Record<Place, Side>> = {
    parent: {
      called: 'the parent chain',
      client: createParentClient(chain.rpc, WITHIN_MS, () => false),
      endpoint: addressOf('zeroContract'),
      contract: addressOf('contract'),
    },
    subnet: {
      called: 'the subnet',
      client: createSubnetClient(subnet, WITHIN_MS),
      endpoint: addressOf('subnetZeroContract'),
      contract: addressOf('reverseContract'),
    },
  };
  const roads = ROADS.filter(({ from, to }) => sides[from].endpoint && sides[to].endpoint && sides[to].contract).map(
    (road) => ({ ...road, read: createPacketReader(sides[road.from], sides[road.to]) }),
  );
  const readLite = createLiteReader(sides.parent.client, sides.parent.contract);
  const ids: { [Each in Place]?: number } = {};
  const senders = new Map<WalletRole, ReturnType<typeof createSenderFinder>>();
  const learned = new Map<WalletRole, Address>();
  const walletOf = (role: WalletRole) => addressOf(WALLETS[role].inventory) ?? learned.get(role);
  const hasWallets = (place: Place) =>
    ROLES[place].some(walletOf) || (place === 'subnet' && sides.subnet.contract !== undefined);

  const readId = async (place: Place, signal: AbortSignal) => {
    if (ids[place] !== undefined) return;
    const [answer] = await sides[place].client.ask([{ method: 'eth_chainId', params: [] }], signal);
    const id = readNumber(answer);
    if (id.ok && id.value > 0) ids[place] = id.value;
  };

  /** The height of a chain, the balances on it and the two indexes of its endpoint, by one request. */
  const readSide = async (place: Place, signal: AbortSignal): Promise<Seen> => {
    const { client, endpoint } = sides[place];
    const other = ids[place === 'parent' ? 'subnet' : 'parent'];
    const wallets = ROLES[place].flatMap((role) => {
      const address = walletOf(role);
      return address === undefined ? [] : [{ role, address }];
    });
    const hasIndexes = endpoint !== undefined && other !== undefined && roads.length > 0;
    const answers = await client.ask(
      [
        { method: 'eth_blockNumber', params: [] },
        ...wallets.map(({ address }) => toBalanceCall(address)),
        ...(hasIndexes ? toIndexCalls(endpoint, other) : []),
      ],
      signal,
    );
    return {
      head: readNumber(answers[0]),
      wallets: wallets.map(({ role, address }, at) => [
        role,
        { address, balance: readAnswer(answers[at + 1], readQuantity) },
      ]),
      ...readIndexes(answers.slice(1 + wallets.length)),
    };
  };

  /** Looks for a wallet that the inventory does not name, where there is a transaction of it. */
  const learn = async (role: WalletRole, place: Place, { head, received }: Seen, signal: AbortSignal) => {
    const { client, endpoint, contract } = sides[place];
    const [address, topic] = role === 'subnet' ? [contract, TOPICS.accepted] : [endpoint, TOPICS.received];
    const delivers = role === 'subnet' || (received.ok && received.value > 0);
    if (walletOf(role) !== undefined || address === undefined || !head.ok || !delivers) return;
    const find = senders.get(role) ?? createSenderFinder(client, address, topic);
    senders.set(role, find);
    const sender = await find(head.value, signal);
    if (sender !== undefined) learned.set(role, toAddress(sender));
  };

  return {
    /** Never rejects, and ends when the signal aborts. A full contract without XDC-Zero is asked for its mode once. */
    probe: async (signal: AbortSignal): Promise<RelayObservation> => {
      const lite = await readLite(signal);
      if (roads.length > 0) await Promise.all(PLACES.map((place) => readId(place, signal)));
      const read = async (place: Place) =>
        roads.length > 0 || hasWallets(place) ? await readSide(place, signal) : undefined;
      const [parent, own] = await Promise.all([read('parent'), read('subnet')]);
      const packets: { [Each in Direction]?: ParentResult<PacketReading> } = {};
      if (parent && own) {
        const seen = { parent, subnet: own };
        for (const { direction, from, to, read: readPackets } of roads)
          packets[direction] = await readPackets({ from: ids[from], to: ids[to] }, seen[from], seen[to], signal);
      }
      for (const [place, seen] of [['parent', parent] as const, ['subnet', own] as const])
        for (const role of ROLES[place]) if (seen) await learn(role, place, seen, signal);
      const wallets = [...(parent?.wallets ?? []), ...(own?.wallets ?? [])];
      return { packets, wallets: Object.fromEntries(wallets), ...(lite && { lite }) };
    },
    close: (): void => {
      for (const place of PLACES) sides[place].client.close();
    },
  };
}
