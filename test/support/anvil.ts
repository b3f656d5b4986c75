import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { vi } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/** The creation code of checkpoint.sol. */
export const CHECKPOINT_CODE = readFileSync(new URL('./parent-node/checkpoint.hex', import.meta.url), 'utf8').replace(
  /\s/g,
  '',
);

const ABI = parseAbi([
  'function submit((bytes32 hash, int256 number) newest, (bytes32 hash, int256 number) finalized)',
  'function refuse(string words)',
]);

/** The first account of anvil, which may send transactions without a signature: the relayer pays from it. */
export const RELAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** Another account of anvil. */
export const FRIEND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** What every transaction pays for a unit of gas, in the smallest unit: the chain itself asks for nothing. */
const GAS_PRICE = 250_000_000n;
const TRANSFER_GAS = 21_000n;

const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;

/** The hash of a block of the subnet of the tests. */
export const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;

interface Receipt {
  readonly status: string;
  readonly contractAddress: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
}

/** A real chain of its own that a test has started. */
export interface Anvil {
  readonly url: string;
  /** Its answer to a call; rejects with its error. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Deploys a checkpoint contract, and gives its address. */
  deploy(mode: string): Promise<Hex>;
  /** Lets the contract hold a newest block, and the one three below as committed. Gives what that has cost. */
  submit(contract: Hex, number: number): Promise<bigint>;
  /** Lets the contract refuse every header with these words; without words it takes all. */
  refuse(contract: Hex, words: string): Promise<void>;
  /** Sends coins from one account of anvil to another, in the smallest unit. */
  transfer(from: Hex, to: Hex, value: bigint): Promise<void>;
  /** What such a transfer costs the one who sends. */
  readonly transferFee: bigint;
  /** Ends the process; what it had is kept. */
  stop(): Promise<void>;
  /** Starts the process again, at the same address. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

const PROGRAM = new URL('node_modules/.bin/anvil', ROOT).pathname;

/** Starts anvil on a free port of the loopback address. */
export async function startAnvil(): Promise<Anvil> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing; npm ci installs it, on Linux on x64 only`);
  const folder = await mkdtemp(join(tmpdir(), 'anvil-'));
  let port = 0;
  let end = async () => {};

  const start = async () => {
    const args = ['--port', `${port}`, '--chain-id', '551', '--base-fee', '0', '--state', join(folder, 'state.json')];
    const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    const endWithRun = () => void child.kill('SIGKILL');
    process.once('exit', endWithRun);
    end = async () => {
      child.kill('SIGINT');
      await ended;
      process.off('exit', endWithRun);
    };
    const listening = (async () => {
      for await (const line of createInterface(child.stdout)) {
        const [, found] = /Listening on 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
        if (found !== undefined) return Number(found);
      }
      throw new Error('anvil ended before it listened');
    })();
    port = await listening;
    child.stdout.resume();
  };
  const call: Anvil['call'] = async (method, ...params) => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const send = async (transaction: object) => {
    const paid = { from: RELAYER, gas: '0x200000', gasPrice: toHex(GAS_PRICE), ...transaction };
    const hash = await call('eth_sendTransaction', paid);
    const receipt = await vi.waitUntil(async () => (await call('eth_getTransactionReceipt', hash)) as Receipt | null, {
      timeout: 10_000,
      interval: 5,
    });
    if (receipt.status !== '0x1') throw new Error('the transaction failed');
    return receipt;
  };
  await start();
  return {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    call,
    deploy: async (mode) => {
      const data = `0x${CHECKPOINT_CODE}${encodeAbiParameters([{ type: 'string' }], [mode]).slice(2)}`;
      return (await send({ data })).contractAddress;
    },
    submit: async (contract, number) => {
      const block = (at: number) => ({ hash: hashOf(at), number: BigInt(at) });
      const args = [block(number), block(number - 3)] as const;
      const data = encodeFunctionData({ abi: ABI, functionName: 'submit', args });
      const { gasUsed, effectiveGasPrice } = await send({ to: contract, data });
      return BigInt(gasUsed) * BigInt(effectiveGasPrice);
    },
    refuse: async (contract, words) => {
      await send({ to: contract, data: encodeFunctionData({ abi: ABI, functionName: 'refuse', args: [words] }) });
    },
    transfer: async (from, to, value) => {
      await send({ from, to, value: toHex(value) });
    },
    transferFee: TRANSFER_GAS * GAS_PRICE,
    stop: () => end(),
    start,
    remove: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
