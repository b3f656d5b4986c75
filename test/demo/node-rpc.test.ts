import { keccak256 } from 'viem/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { block, call, createClock, post } from './rpc.ts';

const clock = createClock();
const zeroHash = `0x${'0'.repeat(64)}`;
let simulation: Simulation;
let url: string;

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 4, faults: [], now: clock.now });
  url = simulation.nodes[1]?.rpc ?? '';
});
afterAll(() => simulation.stop());

const text = async (body: unknown): Promise<string> => (await post(url, body)).text;

describe('messages', () => {
  test('a call is answered with its id, of any scalar type', async () => {
    for (const id of [7, 'a', null, true]) {
      expect(JSON.parse(await text({ jsonrpc: '2.0', id, method: 'net_version' }))).toEqual({
        jsonrpc: '2.0',
        id,
        result: '28656',
      });
    }
  });

  test('the version of JSON-RPC is ignored', async () => {
    expect(JSON.parse(await text({ id: 1, method: 'net_version' }))).toHaveProperty('result', '28656');
  });

  test('a notification is carried out and not answered', async () => {
    expect(await post(url, { method: 'net_version' })).toEqual({ status: 200, type: 'application/json', text: '' });
  });

  test('a message with the form of an answer is not answered', async () => {
    expect(await text({ id: 1, result: 5 })).toBe('');
  });

  test.each([
    ['no method', { id: 5 }, 5],
    ['a method that is not a text', { id: 5, method: 1 }, 5],
    ['an id that is an object', { id: {}, method: 'net_version' }, null],
    ['a number', 5, null],
    ['null', null, null],
  ])('%s is an invalid request', async (_, body, id) => {
    expect(JSON.parse(await text(JSON.stringify(body)))).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32600, message: 'invalid request' },
    });
  });

  test.each(['{', 'hello', '{"id":1,"method":"net_ver'])('%s is a parse error', async (body) => {
    expect(await text(body)).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}\n');
  });

  test('an empty body gets an empty answer', async () => {
    expect(await post(url, '')).toEqual({ status: 200, type: 'application/json', text: '' });
  });
});

describe('batches', () => {
  test('calls are answered in order, even with the same id, and notifications are left out', async () => {
    const answer = await text([
      { id: 1, method: 'eth_blockNumber' },
      { method: 'net_version' },
      { id: 1, method: 'nope_nope' },
      { id: 1, method: 'net_peerCount' },
    ]);
    expect(JSON.parse(answer)).toEqual([
      { jsonrpc: '2.0', id: 1, result: `0x${START_HEIGHT.toString(16)}` },
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32601, message: 'the method nope_nope does not exist/is not available' },
      },
      { jsonrpc: '2.0', id: 1, result: '0x3' },
    ]);
  });

  test('an empty batch is one error, not a list', async () => {
    expect(JSON.parse(await text([]))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'empty batch' },
    });
  });

  test('a batch of notifications gets an empty answer', async () => {
    expect(await text([{ method: 'net_version' }, { method: 'net_version' }])).toBe('');
  });
});

describe('refusals', () => {
  test.each(['xdpos_getV2BlockByNumber', 'shh_version', 'toString', 'eth_', ''])(
    'the method %j is unknown',
    async (method) => {
      const { error } = await call(url, method || 'x');
      expect(error).toEqual({
        code: -32601,
        message: `the method ${method || 'x'} does not exist/is not available`,
      });
    },
  );

  test.each([
    ['XDPoS_getV2BlockByNumber', {}, 'non-array args'],
    ['XDPoS_getV2BlockByNumber', ['latest', 1], 'too many arguments, want at most 1'],
    ['XDPoS_getV2BlockByNumber', ['finalized'], 'invalid argument 0: hex string without 0x prefix'],
    ['XDPoS_getV2BlockByNumber', ['confirmed'], 'invalid argument 0: hex string without 0x prefix'],
    ['XDPoS_getV2BlockByNumber', [1234], 'invalid argument 0: hex string without 0x prefix'],
    ['XDPoS_getV2BlockByNumber', ['1234'], 'invalid argument 0: hex string without 0x prefix'],
    ['XDPoS_getV2BlockByNumber', ['0xzz'], 'invalid argument 0: invalid hex string'],
    ['net_peerCount', [1], 'too many arguments, want at most 0'],
  ])('%s %j is refused', async (method, params, message) => {
    expect(await call(url, method, params)).toHaveProperty('error', { code: -32602, message });
  });
});

describe('XDPoS_getV2BlockByNumber', () => {
  test('latest is the head, also when nothing or null is said', async () => {
    const latest = await block(url, 'latest');
    expect(latest).toEqual({
      Hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      Round: START_HEIGHT + 17,
      Number: START_HEIGHT,
      ParentHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      Committed: false,
      Miner: expect.stringMatching(/^0x0{24}[0-9a-f]{40}$/),
      Timestamp: clock.now() / 1000,
      EncodedRLP: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      Error: '',
    });
    expect(keccak256(Buffer.from(latest.EncodedRLP, 'base64'))).toBe(latest.Hash);
    expect(await block(url)).toEqual(latest);
    expect(await block(url, null)).toEqual(latest);
    expect((await call(url, 'XDPoS_getV2BlockByNumber')).result).toEqual(latest);
  });

  test('committed is two blocks below, and all up to it are committed', async () => {
    expect(await block(url, 'committed')).toMatchObject({ Number: START_HEIGHT - 2, Committed: true, Error: '' });
    expect(await block(url, `0x${(START_HEIGHT - 1).toString(16)}`)).toMatchObject({ Committed: false, Error: '' });
  });

  test('a number and earliest find their block, with the same hash on every node', async () => {
    const found = await block(url, '0x4d2');
    expect(found).toMatchObject({ Number: 1234, Committed: true });
    expect(await block(simulation.nodes[3]?.rpc ?? '', '0x4d2')).toEqual(found);
    expect(await block(url, 'earliest')).toMatchObject({ Number: 0, ParentHash: zeroHash });
  });

  test('an unknown number is echoed with an error inside the result', async () => {
    expect(await block(url, '0xffffff')).toMatchObject({
      Hash: zeroHash,
      Number: 0xffffff,
      Timestamp: null,
      Error: 'can not find block from this number',
    });
  });
});

test('admin_peers lists the other nodes by id, without an enode', async () => {
  const { result } = await call(url, 'admin_peers');
  const peers = result as { id: string; network: { remoteAddress: string; inbound: boolean } }[];
  expect(peers).toHaveLength(3);
  expect(peers.map(({ id }) => id)).toEqual(peers.map(({ id }) => id).toSorted());
  for (const peer of peers) {
    expect(peer.id).toMatch(/^[0-9a-f]{128}$/);
    expect(Object.keys(peer)).toEqual(['id', 'name', 'caps', 'network', 'protocols']);
    expect(peer).toHaveProperty('protocols.eth.difficulty', START_HEIGHT + 1);
  }
  expect(peers.find(({ network }) => !network.inbound)?.network.remoteAddress).toBe('192.168.25.11:20303');
});

test('the two ends of a connection agree on who dialled', async () => {
  const ends = async (name: number) =>
    ((await call(simulation.nodes[name]?.rpc ?? '', 'admin_peers')).result as { network: object }[]).map(
      ({ network }) => network as { localAddress: string; remoteAddress: string; inbound: boolean },
    );
  const seen = (await ends(0)).find(({ remoteAddress }) => remoteAddress.startsWith('192.168.25.12:'));
  expect(await ends(1)).toContainEqual(
    expect.objectContaining({
      localAddress: seen?.remoteAddress,
      remoteAddress: seen?.localAddress,
      inbound: !seen?.inbound,
    }),
  );
});

test('rpc_modules names what is served', async () => {
  const { result } = await call(url, 'rpc_modules');
  expect(result).toMatchObject({ admin: '1.0', eth: '1.0', net: '1.0', rpc: '1.0', XDPoS: '1.0' });
});

test('the masternodes are the coinbases of the nodes', async () => {
  const coinbases = await Promise.all(
    simulation.nodes.map(async ({ rpc }) => (await call(rpc, 'eth_coinbase')).result),
  );
  expect((await call(url, 'XDPoS_getMasternodesByNumber', ['latest'])).result).toMatchObject({
    Number: START_HEIGHT,
    MasternodesLen: 4,
    Masternodes: coinbases,
    PenaltyLen: 0,
    Error: null,
  });
  expect(await call(url, 'XDPoS_getMasternodesByNumber', ['0xffffff'])).toHaveProperty('error.code', -32000);
});

test('networkInformation gives the consensus settings under the names that the node uses', async () => {
  expect((await call(url, 'XDPoS_networkInformation')).result).toMatchObject({
    NetworkId: 28656,
    ConsensusConfigs: {
      epoch: 900,
      gap: 450,
      v2: { config: { minePeriod: 2, timeoutPeriod: 10, certificateThreshold: 0.667 } },
    },
  });
});

test('a node that is at the head does not sync', async () => {
  expect((await call(url, 'eth_syncing')).result).toBe(false);
});
