import { decodeFunctionData, encodeAbiParameters, encodeErrorResult, parseAbi, toFunctionSelector } from 'viem';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { NextBlock } from '../../../src/model/parent-chain.ts';
import { createParentProber } from '../../../src/watch/probes/parent-prober.ts';
import { createSubnetProber, type SubnetProberTools } from '../../../src/watch/probes/subnet-probers.ts';
import { type Methods, startNode } from '../../support/fake-node.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const ABI = parseAbi(['function receiveHeader(bytes[] headers)', 'error Error(string)']);
const CONTRACT = `0x${'c0'.repeat(20)}`;
const WALLET = `0x${'0a'.repeat(20)}`;
const hashOf = (number: number): `0x${string}` => `0x${number.toString(16).padStart(64, '0')}`;
const headerOf = (number: number) => `0x${Buffer.from(`header ${number}`).toString('hex')}`;
const signal = new AbortController().signal;

/** What a contract reverts with, as its data. */
const dataOf = (text: string) => encodeErrorResult({ abi: ABI, errorName: 'Error', args: [text] });

/** What a node of the subnet says of its blocks, which it has committed up to a height. */
const toBlocks = (committed: number, more: object = {}): Methods => ({
  XDPoS_getV2BlockByNumber: ({ params: [tag] }) => {
    const number = Number(tag);
    const encoded = Buffer.from(headerOf(number).slice(2), 'hex').toString('base64');
    return {
      Hash: hashOf(number),
      Number: number,
      Committed: number <= committed,
      EncodedRLP: encoded,
      Error: '',
      ...more,
    };
  },
});

interface Contract {
  mode: string;
  latest: number;
  committed: number;
  /** What the parent chain answers to a call of receiveHeader. */
  receive: () => unknown;
}

/** A parent chain and nodes of a subnet at the wire, and a prober of them. */
async function use(given: Partial<Contract> = {}, nodes: readonly Methods[] = [toBlocks(120)]) {
  const contract: Contract = { mode: 'full', latest: 100, committed: 97, receive: () => '0x', ...given };
  const asked: { readonly from: unknown; readonly headers: readonly string[] }[] = [];
  const block = (number: number) => [hashOf(number), BigInt(number)] as const;
  const contractMethods: Readonly<Record<string, () => unknown>> = {
    [toFunctionSelector('getLatestBlocks()')]: () =>
      encodeAbiParameters(
        ['bytes32', 'int256', 'bytes32', 'int256'].map((type) => ({ type })),
        [...block(contract.latest), ...block(contract.committed)],
      ),
    [toFunctionSelector('MODE()')]: () => encodeAbiParameters([{ type: 'string' }], [contract.mode]),
    [toFunctionSelector('INIT_EPOCH()')]: () => `0x${(900).toString(16).padStart(64, '0')}`,
    [toFunctionSelector('INIT_GAP()')]: () => `0x${(450).toString(16).padStart(64, '0')}`,
  };
  const parent = await startNode({
    eth_getBlockByNumber: () => ({ number: '0x5', timestamp: '0x6a000000' }),
    eth_chainId: () => '0x33',
    eth_getBalance: () => '0x1',
    eth_call: ({ params }) => {
      const { data, from } = params[0] as { readonly data: `0x${string}`; readonly from?: unknown };
      const method = contractMethods[data];
      if (method !== undefined) return method();
      asked.push({ from, headers: decodeFunctionData({ abi: ABI, data }).args[0] as readonly string[] });
      return contract.receive();
    },
  });
  onTestFinished(parent.stop);
  const started = await Promise.all(nodes.map((methods) => startNode(methods)));
  for (const { stop } of started) onTestFinished(stop);
  const targets = started.map(({ url }, index) => nodeTarget(`n${index + 1}`, { rpc: url }));
  const subnet = { name: 'd', consensus: 'XDPoS', targets, settings };
  const prober = createParentProber({ rpc: parent.url, contract: CONTRACT, wallet: WALLET }, subnet);
  onTestFinished(prober.close);
  const next = async (): Promise<NextBlock | undefined> => {
    const { contract: reading } = await prober.probe(signal);
    expect(reading).toMatchObject({ ok: true, value: { kind: 'checkpoint' } });
    return reading?.ok && reading.value.kind === 'checkpoint' ? reading.value.checkpoint.next : undefined;
  };
  return { contract, asked, next, prober };
}

const refuse = (text: string) => ({ error: { code: 3, message: `execution reverted: ${text}`, data: dataOf(text) } });

test('a contract is asked about the block after its newest one, with its header, from the wallet of the relayer', async () => {
  const { next, asked } = await use();
  expect(await next()).toEqual({ number: 101 });
  expect(asked).toEqual([{ from: WALLET, headers: [headerOf(101)] }]);
});

test('a contract in lite mode is asked about the next gap or epoch block, with three more, if they are there', async () => {
  const lite = { mode: 'lite', latest: 451, committed: 451 };
  const { next, asked } = await use(lite, [toBlocks(1_000)]);
  expect(await next()).toEqual({ number: 900 });
  expect(asked[0]?.headers).toEqual([900, 901, 902, 903].map(headerOf));
  const short = (number: number, committed: number): Methods => ({
    XDPoS_getV2BlockByNumber: (call) => {
      const block = toBlocks(committed).XDPoS_getV2BlockByNumber?.(call);
      return Number(call.params[0]) <= number ? block : { Number: 1, Error: 'can not find block from this number' };
    },
  });
  const early = await use({ ...lite, latest: 900, committed: 900 }, [short(1_352, 1_351)]);
  expect(await early.next()).toEqual({ number: 1_351 });
  expect(early.asked[0]?.headers).toEqual([1_351, 1_352].map(headerOf));
  const none = await use({ ...lite, committed: 0 });
  expect([await none.next(), none.asked]).toEqual([undefined, []]);
});

test.each([
  ['geth', refuse('Mismatched Validators'), 'Mismatched Validators'],
  ['a text alone', { error: { code: -32000, message: 'execution reverted: Parent Missing' } }, 'Parent Missing'],
  ['a result, as older nodes give it', dataOf('Old Block'), 'Old Block'],
  [
    'OpenEthereum',
    { error: { code: -32015, message: 'VM execution error.', data: `Reverted ${dataOf('Invalid N')}` } },
    'Invalid N',
  ],
  ['no words', { error: { code: 3, message: 'execution reverted', data: '0x' } }, ''],
  [
    'a check of the compiler',
    { error: { code: 3, message: 'execution reverted', data: `0x4e487b71${hashOf(50).slice(2)}` } },
    'Panic',
  ],
  [
    'data that is cut',
    { error: { code: 3, message: 'execution reverted: x', data: dataOf('Old Block').slice(0, 90) } },
    '',
  ],
  ['words that would break a message', refuse(`<b>*no*</b>\n${'x'.repeat(90)}`), `bnob${'x'.repeat(56)}`],
])('a refusal by %s has its words', async (_, answer, refusal) => {
  const { next } = await use({ receive: () => answer });
  expect(await next()).toEqual({ number: 101, refusal });
});

test.each([
  ['does not run the contract to its end', { error: { code: -32000, message: 'out of gas' } }],
  ['limits subnetd', { error: { code: -32005, message: 'rate limit' } }],
  ['has no such method', { error: { code: -32601, message: 'the method eth_call does not exist/is not available' } }],
  ['gives something else', hashOf(1)],
])('a node that %s says nothing about the next block, and the contract stays read', async (_, answer) => {
  const { next, asked } = await use({ receive: () => answer });
  expect(await next()).toBeUndefined();
  expect(asked).toHaveLength(1);
});

test('without a committed block that waits, and of a contract of another mode, nothing is asked', async () => {
  for (const [contract, nodes] of [
    [{}, [toBlocks(100)]],
    [{}, [toBlocks(120, { EncodedRLP: '' })]],
    [{}, [toBlocks(120, { Number: null })]],
    [{}, []],
    [{ mode: 'reverse full' }, [toBlocks(120)]],
    [{ mode: 'another' }, [toBlocks(120)]],
  ] as const) {
    const { next, asked } = await use(contract, nodes);
    expect([await next(), asked]).toEqual([undefined, []]);
  }
});

test('a node that is behind, or hides its headers, is passed over', async () => {
  const { next } = await use({}, [toBlocks(99), toBlocks(120, { EncodedRLP: '' }), toBlocks(120)]);
  expect(await next()).toEqual({ number: 101 });
});

test('is asked once a minute, and sooner while it refuses or when a submission has failed', async () => {
  let time = 1e6;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => clock.mockRestore());
  const { next, asked, contract, prober } = await use();
  const after = async (ms: number) => {
    time += ms;
    return [await next(), asked.length];
  };
  expect(await after(0)).toEqual([{ number: 101 }, 1]);
  contract.latest = 110;
  expect(await after(30_000)).toEqual([{ number: 101 }, 1]);
  expect(await after(30_000)).toEqual([{ number: 111 }, 2]);
  contract.receive = () => refuse('Parent Missing');
  expect(await after(4_000)).toEqual([{ number: 111 }, 2]);
  expect(prober.doubt()).toBe(6_000);
  time += 6_000;
  expect(prober.doubt()).toBe(0);
  const refused = { number: 111, refusal: 'Parent Missing' };
  expect(await after(0)).toEqual([refused, 3]);
  expect(await after(10_000)).toEqual([refused, 4]);
  contract.receive = () => '0x';
  expect(await after(10_000)).toEqual([{ number: 111 }, 5]);
  expect(await after(10_000)).toEqual([{ number: 111 }, 5]);
});

test('only a failure of the relayer makes it doubtful, where the inventory names a contract', () => {
  const doubtedAfter = (component: 'relayer' | 'stats', contract?: string) => {
    const parentChain = { rpc: 'http://127.0.0.1:9', ...(contract && { contract }) };
    const subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings, parentChain };
    const tools = { keepsConnections: () => true, wall: Date.now } as unknown as SubnetProberTools;
    const prober = createSubnetProber('parent', subnet, tools);
    onTestFinished(() => prober?.close?.());
    return prober?.doubtedAfterMs?.(serviceTarget(component));
  };
  expect([doubtedAfter('relayer', CONTRACT), doubtedAfter('stats', CONTRACT), doubtedAfter('relayer')]).toEqual([
    0,
    undefined,
    undefined,
  ]);
});

test('refuses nothing when the block came into the contract while it was asked', async () => {
  const { next, contract } = await use();
  contract.receive = () => {
    contract.latest = 101;
    return refuse('Repeated Header');
  };
  expect(await next()).toBeUndefined();
});
