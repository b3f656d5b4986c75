import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LONG_START_HEIGHT, LOST_ROUNDS, START_HEIGHT } from '../../src/demo/chain.ts';
import type { DemoClient } from '../../src/demo/demo-client.ts';
import type { FaultName } from '../../src/demo/faults.ts';
import { toNodeIdentity } from '../../src/demo/node-identity.ts';
import { shapeOf as shapeOfNode } from '../../src/demo/node-shapes.ts';
import { EPOCH } from '../../src/demo/timeline.ts';
import { block, call, post } from './rpc.ts';
import { shapeOf } from './shape-of.ts';
import { start } from './simulation.ts';

const MIXED = ['go', 'go', 'go', 'nethermind'] as const;
const ALL_XDPOSCHAIN: readonly DemoClient[] = Array(4).fill('xdposchain');

const mixed = (faults: readonly FaultName[] = []) => start(faults, 4, 0, MIXED);
const xdposchain = (faults: readonly FaultName[] = []) => start(faults, 4, 0, ALL_XDPOSCHAIN);

describe('a node of Nethermind', () => {
  const v2Block = {
    hash: 'hash',
    round: 'hex',
    number: 'hex',
    parentHash: 'hash',
    committed: 'boolean',
    miner: 'address',
    timestamp: 'hex',
    encodedRLP: 'text',
  };

  /** Put together from its sources; nothing of it was recorded. */
  const SHAPES: readonly (readonly [string, readonly unknown[], unknown])[] = [
    ['XDPoS_getV2BlockByNumber', ['latest'], v2Block],
    ['XDPoS_getV2BlockByNumber', ['0x500'], v2Block],
    [
      'XDPoS_getMasternodesByNumber',
      ['latest'],
      {
        epoch: 'hex',
        number: 'hex',
        round: 'hex',
        masternodesLen: 'number',
        masternodes: ['address'],
        penaltyLen: 'number',
        penalty: [],
        standbynodesLen: 'number',
        standbynodes: [],
      },
    ],
    [
      'XDPoS_getMissedRoundsInEpochByBlockNum',
      ['latest'],
      { epochRound: 'hex', epochBlockNumber: 'hex', missedRounds: [] },
    ],
    ['net_localAddress', [], 'address'],
    ['net_localEnode', [], 'text'],
    ['net_peerCount', [], 'hex'],
    ['eth_chainId', [], 'hex'],
    ['eth_syncing', [], 'boolean'],
    [
      'parity_netPeers',
      [],
      {
        active: 'hex',
        connected: 'hex',
        max: 'hex',
        peers: [
          {
            id: 'node id',
            name: 'text',
            caps: ['text'],
            network: { remoteAddress: 'text' },
            protocols: { eth: { version: 'hex', difficulty: 'hex', headHash: 'hash' } },
          },
        ],
      },
    ],
  ];

  test('answers in camelCase and hexadecimal', async () => {
    const { node } = await mixed();
    for (const [method, params, shape] of SHAPES) {
      const { result } = await call(node(4), method, params);
      expect(JSON.stringify(shapeOf(result)), method).toBe(JSON.stringify(shape));
    }
    expect((await call(node(4), 'eth_coinbase')).result).toBe(`0x${'0'.repeat(40)}`);
    expect((await call(node(4), 'rpc_modules')).result).toMatchObject({ xdc: '1.0', eth: '1.0', parity: '1.0' });
  });

  test('has the blocks, the address and the peers of the others', async () => {
    const { node, clock } = await mixed();
    clock.pass(60);
    const height = `0x${(START_HEIGHT + 30).toString(16)}`;
    const { Hash } = await block(node(1), height);
    expect((await call(node(4), 'eth_getBlockByNumber', [height, false])).result).toMatchObject({ hash: Hash });
    const finalized = (await call(node(4), 'eth_getBlockByNumber', ['finalized', false])).result;
    expect(finalized).toMatchObject({ number: `0x${(START_HEIGHT + 28).toString(16)}` });
    const { Masternodes } = (await call(node(1), 'XDPoS_getMasternodesByNumber', ['latest'])).result as {
      readonly Masternodes: readonly string[];
    };
    expect(Masternodes).toContain((await call(node(4), 'net_localAddress')).result);
    const peers = (await call(node(1), 'admin_peers')).result as readonly { readonly name: string }[];
    expect(peers.map(({ name }) => name.split('/')[0]).toSorted()).toEqual(['Nethermind', 'XDC', 'XDC']);
  });

  test.each([
    ['XDPoS_getV2BlockByNumber', ['committed'], -32602, 'Invalid params'],
    ['XDPoS_getV2BlockByNumber', ['earliest'], -32603, 'Block number is required.'],
    ['XDPoS_getV2BlockByNumber', ['finalized'], -32603, 'Block number is required.'],
    ['XDPoS_getV2BlockByNumber', ['0xffffff'], -32603, 'Unknown block'],
    ['XDPoS_getV2BlockByNumber', ['0x0'], -32603, 'does not contain consensus data (round information)'],
    ['XDPoS_getLatestPoolStatus', [], -32603, 'Internal error'],
    ['admin_peers', [], -32600, "the namespace 'Admin' is disabled for"],
    ['eth_foo', [], -32601, 'Method eth_foo is not supported'],
  ])('refuses %s%j by %i', async (method, params, code, message) => {
    const { node } = await mixed();
    expect((await call(node(4), method, params)).error).toEqual({
      code,
      message: expect.stringContaining(message),
      data: null,
    });
  });

  test('is healthy while the chain is halted, and not without peers', async () => {
    const healthOf = async (faults: readonly FaultName[], number: number) => {
      const { node } = await start(faults, 4, 0, ['go', 'nethermind', 'go', 'nethermind']);
      const response = await fetch(`${node(number)}/health`);
      return { status: response.status, body: await response.json() };
    };
    expect(await healthOf(['subnet-halted'], 4)).toMatchObject({
      status: 200,
      body: { status: 'Healthy', entries: { 'node-health': { data: { IsSyncing: false, Errors: [] } } } },
    });
    expect(await healthOf(['node-partitioned'], 2)).toMatchObject({
      status: 503,
      body: { status: 'Unhealthy', entries: { 'node-health': { data: { Errors: ['NoPeers'] } } } },
    });
  });

  test('prints to a console without years and levels, and into a file with both', () => {
    const node = toNodeIdentity('subnet4', 3, 'nethermind');
    const ms = Date.UTC(2026, 10, 25, 12, 0, 12, 340);
    const printed = {
      ms,
      number: 1241,
      round: 1243,
      hash: `0x${'fa'.repeat(32)}`,
      miner: node.address,
      committed: { number: 1239, round: 1241, hash: `0x${'be'.repeat(32)}` },
      masternodes: [node.address],
    };
    const { console: lines, file } = shapeOfNode(node).printBlock(node, printed);
    expect(lines).toContain('25 Nov 12:00:12 | Committed new block 1239 (0xbebebe...bebebe) round=1241 ');
    expect(lines.at(-1)).toMatch(
      /^25 Nov 12:00:12 \| Round 1244, prev=1243 in 2\.01s: head=#1241 round=1243 \(0xfafafa\.\.\.fafafa\) \| Committed=#1239 round=1241 \(0xbebebe\.\.\.bebebe\) \| Leader=0x\w{6}\.\.\.\w{6}, MyTurn=true, Committee=1 nodes $/,
    );
    expect(file).toContain('2026-11-25 12:00:12.3400|INFO|10|Committed new block 1239 (0xbebebe...bebebe) round=1241 ');
    expect(shapeOfNode(node).printStop(ms).console.at(-1)).toBe('25 Nov 12:00:12 | Nethermind is shut down ');
  });
});

describe('a node of XDPoSChain', () => {
  test('counts epochs by rounds', async () => {
    const { node } = await xdposchain();
    const round = LONG_START_HEIGHT + LOST_ROUNDS;
    const epoch = Math.floor(round / EPOCH);
    expect((await call(node(1), 'XDPoS_getMasternodesByNumber', ['latest'])).result).toMatchObject({
      Epoch: epoch,
      Number: LONG_START_HEIGHT,
      Round: round,
    });
    expect((await call(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', ['latest'])).result).toEqual({
      EpochRound: epoch * EPOCH,
      EpochBlockNumber: epoch * EPOCH - LOST_ROUNDS,
      MissedRounds: null,
    });
    expect((await call(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', ['0x0'])).error).toEqual({
      code: -32000,
      message: 'not supported in the v1 consensus',
    });
  });

  test('has the settings of each round, and no list of the next masternodes', async () => {
    const { node } = await xdposchain();
    const settings = {
      maxMasternodes: 108,
      minePeriod: 2,
      certificateThreshold: 0.667,
      expTimeoutConfig: { base: 0, maxExponent: 0 },
    };
    expect((await call(node(1), 'XDPoS_networkInformation')).result).toMatchObject({
      ConsensusConfigs: { epoch: EPOCH, v2: { SwitchEpoch: 0, config: settings, allConfigs: { 0: settings } } },
    });
    const epochStart = Math.floor((LONG_START_HEIGHT + LOST_ROUNDS) / EPOCH) * EPOCH - LOST_ROUNDS;
    const header = (await call(node(1), 'eth_getBlockByNumber', [`0x${epochStart.toString(16)}`, false])).result;
    expect(header).toMatchObject({ penalties: '0x', validators: expect.stringMatching(/^0x[0-9a-f]{160}$/) });
    expect(header).not.toHaveProperty('nextValidators');
  });

  test('names candidates by addresses with xdc, and a penalised one as slashed', async () => {
    const { node } = await xdposchain(['penalty']);
    const text = (await post(node(1), { id: 1, method: 'eth_getCandidates', params: ['latest'] })).text;
    expect(text).toContain('"capacity":10000000000000000000000000,"status":"SLASHED"');
    const { result } = JSON.parse(text) as { readonly result: { readonly candidates: Record<string, unknown> } };
    for (const name of Object.keys(result.candidates)) expect(name).toMatch(/^xdc[0-9a-fA-F]{40}$/);
  });

  test('says that a call crashed by another code, has one path, and signs its own timeout', async () => {
    const { node } = await xdposchain(['subnet-halted']);
    expect((await call(node(1), 'XDPoS_getMasternodesByNumber', ['0xffffff'])).error).toEqual({
      code: -32603,
      message: 'method handler crashed',
    });
    expect((await post(`${node(1)}/foo`, { id: 1, method: 'net_version' })).status).toBe(404);
    const pool = (await call(node(1), 'XDPoS_getLatestPoolStatus')).result as {
      readonly timeout: Record<string, { readonly CurrentSigners: readonly string[] }>;
    };
    const [timeout] = Object.values(pool.timeout);
    expect(timeout?.CurrentSigners).toEqual([(await call(node(1), 'eth_coinbase')).result]);
  });

  test('prints milliseconds, and commas from 100,000 on', () => {
    const node = toNodeIdentity('subnet1', 0, 'xdposchain');
    const ms = Date.UTC(2026, 10, 25, 12, 32, 34, 492);
    const linesOf = (number: number) =>
      shapeOfNode(node).printBlock(node, {
        ms,
        number,
        round: number + 5,
        hash: `0x${'de'.repeat(32)}`,
        miner: node.address,
        committed: { number: number - 2, round: number + 3, hash: `0x${'ba'.repeat(32)}` },
        masternodes: [node.address],
      }).console;
    expect(linesOf(100_001)[0]).toMatch(
      /^INFO \[11-25\|12:32:34\.492\] Imported new chain segment {15}blocks=1 .* number=100,001 hash=dedede\.\.dedede /,
    );
    expect(linesOf(100_001)[3]).toContain(' num=99999 round=100,004 hash=bababa..bababa');
  });
});

test('a node of Nethermind writes a file beside its console, which the inventory names', async () => {
  const { simulation } = await mixed();
  const files = simulation.nodes.map(({ logFiles }) => logFiles?.[0]);
  expect(files.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  expect(files[3]).toMatch(/\/xdcchain4\/logs\/xdc\.log$/);
  expect(simulation.inventory()).toContain(files[3]);
  const lines = readFileSync(files[3] ?? '', 'utf8').split('\n');
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d [\d:.]{13}\|INFO\|\d+\|Nethermind is starting up $/);
  expect(lines.filter((line) => line.includes('Committed new block')).length).toBeGreaterThan(20);
});

test('containers have the image, the command and the variables of what they run', async () => {
  const { simulation } = await start([], 4, 0, ['go', 'xdposchain', 'go', 'nethermind']);
  const inspect = async (name: string) => {
    const answer = await fetch(`${simulation.docker}/containers/demo-${name}-1/json`);
    return (await answer.json()) as { readonly Args: string[]; readonly Config: { Image: string; Env: string[] } };
  };
  const images = await Promise.all([1, 2, 4].map(async (n) => (await inspect(`subnet${n}`)).Config.Image));
  expect(images).toEqual(['demo/xdcsubnets:v1', 'demo/xdposchain:v2.7.0', 'nethermindeth/nethermind:master-d4ef4fd']);
  const { Args, Config } = await inspect('subnet4');
  expect(Args).toContain('--log=debug');
  expect(Config.Env).toContain('NETHERMIND_NETWORKCONFIG_P2PPORT=20306');
  expect((await inspect('subnet2')).Config.Env).toContain('LOG_LEVEL=4');
});
