import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Effects } from './effects.ts';
import { callEndpoint, PARENT_ENDPOINT, SUBNET_ENDPOINT } from './zero-endpoint.ts';

/** The relayer runs at second 0, 20 and 40 of each minute (XDC-Relayer src/config.ts). */
export const RELAY_PERIOD_MS = 20_000;

/** The checkpoint contract and the wallet of the relayer on the parent chain of the demo. */
export const CONTRACT = '0x0c8e79f3534b00d9a3d4a856b665bf4ebc22f2ba';
export const WALLET = '0xcd0340a2214058390d204a826de05312deadbeef';

const COIN = 10n ** 18n;

/** What the wallet has at first, and pays for each submission: it lasts for some weeks. */
const BALANCE = 2_000n * COIN;
const FEE = COIN / 100n;

/** What the wallet has at the start, and spends a day, in coins. */
export const WALLET_AT_START = {
  coins: Number(BALANCE / COIN),
  perDay: (Number(FEE) / 1e18) * (86_400_000 / RELAY_PERIOD_MS),
};

/** A wallet that is low can pay for three days of submissions. */
const LOW_BALANCE = 3n * FEE * BigInt(86_400_000 / RELAY_PERIOD_MS);

/** The development network of XDC. */
export const PARENT_CHAIN_ID = 551;

/** It makes a block in this time. */
export const BLOCK_MS = 2_000;
const FIRST_BLOCK_MS = Date.UTC(2023, 0, 1);

/** The contract counts a block as committed when it has these after it. */
const CONFIRMED_BY = 3;

/** A restart begins when a cycle of the relayer is over, and lasts this long. */
const RESTART_AFTER_MS = 2_000;
const RESTART_MS = 10_000;

const GET_LATEST_BLOCKS = '0x66dcb0ba';
const MODE = '0x1fcbc407';
const RECEIVE_HEADER = '0xa20140c3';

/** What the contract says when it misses an epoch change. */
export const REFUSAL = 'Mismatched Validators';

/** Programs that a node of the parent chain answers calls of, and what the relayer does there. */
export interface SimulatedParent {
  readonly handler: RequestListener;
  /** The relayer has submitted the blocks up to this one. */
  submit(number: number): void;
}

const toHex = (value: bigint | number): string => `0x${value.toString(16)}`;
const toWord = (value: bigint | number): string => value.toString(16).padStart(64, '0');

/** The text of a short string, as a contract returns it. */
const toText = (text: string): string =>
  `0x${toWord(32)}${toWord(text.length)}${Buffer.from(text).toString('hex').padEnd(64, '0')}`;

/** The only header of a call of receiveHeader: four words are before it, of which the last one is its length. */
function readHeader(data: string): readonly unknown[] {
  const words = data.slice(RECEIVE_HEADER.length);
  const bytes = Buffer.from(words, 'hex');
  return JSON.parse(bytes.subarray(128, 128 + bytes.readUInt32BE(124)).toString());
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** What the parent chain knows of the subnet, its clock, what is broken, and since when. */
export interface ParentOptions {
  readonly hashOf: (number: number) => string;
  readonly now: () => number;
  readonly effects: () => Effects;
  readonly since: () => number;
  /** How many packets of XDC-Zero the relayer has delivered; none when absent. */
  readonly packetsReceived?: () => number;
}

/** A node of the parent chain with the checkpoint contract, in full mode. It knows only what a monitor asks. */
export function createParentChain({
  hashOf,
  now,
  effects,
  since,
  packetsReceived = () => 0,
}: ParentOptions): SimulatedParent {
  let submitted = 0;
  /** What was submitted before: a reorganisation of the chain takes the last transaction back. */
  let before = 0;
  let balance = BALANCE;
  let wasLow = false;

  const isDown = (): boolean => {
    const { parentDown, parentRestarts } = effects();
    const begins = Math.ceil(since() / RELAY_PERIOD_MS) * RELAY_PERIOD_MS + RESTART_AFTER_MS;
    return parentDown || (parentRestarts && now() >= begins && now() < begins + RESTART_MS);
  };
  const isReorganised = (): boolean => effects().parentReorganised && now() - since() < RELAY_PERIOD_MS;

  /** Somebody takes coins out when the wallet becomes low, and fills it up when that is over. */
  const moveCoins = (): void => {
    const { walletLow } = effects();
    if (walletLow !== wasLow) balance = walletLow ? LOW_BALANCE : BALANCE;
    wasLow = walletLow;
  };
  const pay = (): void => {
    moveCoins();
    balance = balance > FEE ? balance - FEE : 0n;
  };
  const readBalance = (): bigint => {
    moveCoins();
    return effects().walletEmpty ? 0n : balance;
  };

  const latestNow = () => (isReorganised() ? before : submitted);
  /** Why the contract would take no such header; undefined when it would. */
  const refuse = (data: string): string | undefined => {
    if (effects().contractRefuses) return REFUSAL;
    const [number, parentHash] = readHeader(data);
    return number === latestNow() + 1 && parentHash === hashOf(latestNow()) ? undefined : 'Parent Missing';
  };
  const readContract = (data: unknown): string => {
    if (data === MODE) return toText('full');
    if (data !== GET_LATEST_BLOCKS) return '0x';
    const latest = latestNow();
    const words = [latest, Math.max(latest - CONFIRMED_BY, 0)].map(
      (number) => `${hashOf(number).slice(2)}${toWord(number)}`,
    );
    return `0x${words.join('')}`;
  };
  const blockAt = (number: number) => ({
    number: toHex(number),
    timestamp: toHex(Math.floor((FIRST_BLOCK_MS + number * BLOCK_MS) / 1000)),
  });
  const answer = ({ method, params = [] }: Call): unknown => {
    const { contractGone, parentHalted } = effects();
    const height = Math.floor(((parentHalted ? Math.min(since(), now()) : now()) - FIRST_BLOCK_MS) / BLOCK_MS);
    switch (method) {
      case 'eth_chainId':
        return toHex(PARENT_CHAIN_ID);
      case 'eth_blockNumber':
        return toHex(height);
      case 'eth_getBlockByNumber':
        return blockAt(params[0] === 'latest' ? height : Number(params[0]));
      case 'eth_getBalance':
        return toHex(readBalance());
      case 'eth_getCode':
        return contractGone ? '0x' : '0x6000';
      case 'eth_call': {
        const { to, data } = (params[0] ?? {}) as { readonly to?: unknown; readonly data?: unknown };
        const route = { csc: CONTRACT, endpoint: SUBNET_ENDPOINT } as const;
        if (to === PARENT_ENDPOINT) return callEndpoint(data, { sent: 0, received: packetsReceived(), route });
        return contractGone ? '0x' : readContract(data);
      }
      default:
        return undefined;
    }
  };
  const toMessage = (call: Call) => {
    const { data } = (call.params?.[0] ?? {}) as { readonly data?: unknown };
    const isSubmission = typeof data === 'string' && data.startsWith(RECEIVE_HEADER) && !effects().contractGone;
    const refusal = isSubmission ? refuse(data) : undefined;
    if (refusal !== undefined) {
      const reverted = { message: `execution reverted: ${refusal}`, data: `0x08c379a0${toText(refusal).slice(2)}` };
      return { jsonrpc: '2.0', id: call.id, error: { code: 3, ...reverted } };
    }
    const result = answer(call);
    const error = { code: -32601, message: `the method ${call.method} does not exist/is not available` };
    return { jsonrpc: '2.0', id: call.id, ...(result === undefined ? { error } : { result }) };
  };

  return {
    submit: (number) => {
      // What is there at the start was paid before. Another contract takes its price too.
      if (submitted > 0 && number > submitted) pay();
      if (effects().checkpointLost && submitted > 0) return;
      before = submitted;
      submitted = number;
    },
    handler: async (request, response) => {
      if (isDown()) return void request.socket.destroy();
      try {
        const calls = (await json(request)) as Call | readonly Call[];
        const body = Array.isArray(calls) ? calls.map(toMessage) : toMessage(calls as Call);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      } catch {
        response.destroy();
      }
    },
  };
}
