import { expect, test } from 'vitest';
import { START_HEIGHT } from '../../src/demo/chain.ts';
import { block, call } from './rpc.ts';
import { shapeOf } from './shape-of.ts';
import { start } from './simulation.ts';

const config = {
  switchRound: 'number',
  minePeriod: 'number',
  timeoutSyncThreshold: 'number',
  timeoutPeriod: 'number',
  certificateThreshold: 'number',
};

const consensus = {
  networkName: 'text',
  denom: 'text',
  period: 'number',
  epoch: 'number',
  reward: 'number',
  rewardCheckpoint: 'number',
  gap: 'number',
  foudationWalletAddr: 'address',
  SkipV1Validation: 'boolean',
  v2: { switchBlock: 'number', config, allConfigs: { '0': config }, SkipV2Validation: 'boolean' },
};

const v2Block = {
  Hash: 'hash',
  Round: 'number',
  Number: 'number',
  ParentHash: 'hash',
  Committed: 'boolean',
  Miner: 'hash',
  Timestamp: 'number',
  EncodedRLP: 'text',
  Error: 'empty',
};
const noBlock = { ...v2Block, Timestamp: null, EncodedRLP: 'empty', Error: 'text' };

const missedRound = {
  Round: 'number',
  Miner: 'address',
  CurrentBlockHash: 'hash',
  CurrentBlockNum: 'number',
  ParentBlockHash: 'hash',
  ParentBlockNum: 'number',
};

const masternodes = {
  Number: 'number',
  Round: 'number',
  MasternodesLen: 'number',
  Masternodes: ['address'],
  PenaltyLen: 'number',
  Penalty: [],
  StandbynodesLen: 'number',
  Standbynodes: [],
  Error: null,
};

const entry = { CurrentNumber: 'number', CurrentSigners: ['address'], MissingSigners: ['address'] };
const unavailable = (method: string) => ({
  error: { code: -32601, message: `the method ${method} does not exist/is not available` },
});
const CRASHED = { error: { code: -32000, message: 'method handler crashed' } };

/** What four real nodes of XDC-Subnet v0.3.2 answered, in shape; of a node that serves admin. */
const RECORDED: readonly (readonly [string, readonly unknown[], unknown])[] = [
  ['eth_chainId', [], 'hex'],
  ['eth_coinbase', [], 'address'],
  ['eth_blockNumber', [], 'hex'],
  ['eth_syncing', [], 'boolean'],
  ['net_peerCount', [], 'hex'],
  ['net_version', [], 'text'],
  ['web3_clientVersion', [], 'text'],
  ['XDPoS_getV2BlockByNumber', ['latest'], v2Block],
  ['XDPoS_getV2BlockByNumber', ['committed'], v2Block],
  ['XDPoS_getV2BlockByNumber', ['earliest'], v2Block],
  ['XDPoS_getV2BlockByNumber', ['0x4d2'], v2Block],
  ['XDPoS_getV2BlockByNumber', ['0xffffff'], noBlock],
  ['XDPoS_getV2BlockByNumber', ['pending'], noBlock],
  ['XDPoS_getMasternodesByNumber', ['latest'], masternodes],
  ['XDPoS_getMasternodesByNumber', ['committed'], masternodes],
  ['XDPoS_getLatestPoolStatus', [], { timeout: {}, vote: { 'round and block': entry } }],
  [
    'XDPoS_networkInformation',
    [],
    {
      NetworkId: 'number',
      XDCValidatorAddress: 'address',
      RelayerRegistrationAddress: 'address',
      Denom: 'text',
      NetworkName: 'text',
      ConsensusConfigs: consensus,
    },
  ],
  [
    'admin_nodeInfo',
    [],
    {
      id: 'node id',
      name: 'text',
      enode: 'text',
      ip: 'text',
      ports: { discovery: 'number', listener: 'number' },
      listenAddr: 'text',
      protocols: {
        eth: {
          network: 'number',
          difficulty: 'number',
          genesis: 'hash',
          config: {
            chainId: 'number',
            homesteadBlock: 'number',
            eip150Block: 'number',
            eip150Hash: 'hash',
            eip155Block: 'number',
            eip158Block: 'number',
            byzantiumBlock: 'number',
            XDPoS: consensus,
          },
          head: 'hash',
        },
      },
    },
  ],
  [
    'admin_peers',
    [],
    [
      {
        id: 'node id',
        name: 'text',
        caps: ['text'],
        network: {
          localAddress: 'text',
          remoteAddress: 'text',
          inbound: 'boolean',
          trusted: 'boolean',
          static: 'boolean',
        },
        protocols: { eth: { version: 'number', difficulty: 'number', head: 'hash' } },
      },
    ],
  ],
];

test('a healthy node answers each method in the recorded shape', async () => {
  const { node } = await start([]);
  for (const [method, params, shape] of RECORDED) {
    const { result } = await call(node(2), method, params);
    expect(JSON.stringify(shapeOf(result)), `${method} ${params}`).toBe(JSON.stringify(shape));
  }
  expect(await block(node(2), 'pending')).toMatchObject({ Number: -2, Error: 'can not find block from this number' });
});

test('what a node does not know it refuses in the recorded words', async () => {
  const { simulation, node } = await start([]);
  for (const method of ['XDPoS_getEpochNumbersBetween', 'XDPoS_getBlockInfoByEpochNum'])
    expect(await call(node(1), method, ['0x0'])).toMatchObject(unavailable(method));
  expect(await call(node(1), 'XDPoS_getMasternodesByNumber', ['0xffffff'])).toMatchObject(CRASHED);
  expect(await call(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', ['0xffffff'])).toMatchObject({
    error: {
      code: -32000,
      message:
        '[getEpochSwitchInfo] can not find header from db hash 0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    },
  });
  await simulation.restartNode('subnet2');
  for (const method of ['V2BlockByNumber', 'MasternodesByNumber', 'MissedRoundsInEpochByBlockNum'])
    expect(await call(node(2), `XDPoS_get${method}`, ['committed']), method).toMatchObject(CRASHED);
});

test('a fresh node knows its genesis, its masternodes and its missed rounds before it knows of a committed block', async () => {
  const { simulation, node } = await start([]);
  const genesis = (await block(node(1), 'earliest')).Hash;
  await simulation.restartNode('subnet2');
  const { Hash, Number: height, Error: error } = await block(node(2), 'earliest');
  expect({ Hash, height, error }).toEqual({
    Hash: genesis,
    height: null,
    error: 'can not find latest committed block from consensus',
  });
  expect((await call(node(2), 'XDPoS_getMasternodesByNumber', ['latest'])).result).toMatchObject({
    Number: START_HEIGHT,
    Error: null,
  });
  expect((await call(node(2), 'XDPoS_getMissedRoundsInEpochByBlockNum', ['latest'])).result).toEqual({
    EpochRound: 1817,
    EpochBlockNumber: 1800,
    MissedRounds: null,
  });
});

test('rounds that brought no block have their miner, newest first, in the recorded shape', async () => {
  const { clock, node } = await start(['node-down']);
  clock.pass(60);
  const { result } = await call(node(1), 'XDPoS_getMissedRoundsInEpochByBlockNum', ['latest']);
  expect(shapeOf(result)).toEqual({ EpochRound: 'number', EpochBlockNumber: 'number', MissedRounds: [missedRound] });
});

test('the genesis has the recorded members of no miner, no parent and a commit', async () => {
  const { node } = await start([]);
  expect(await block(node(1), 'earliest')).toMatchObject({
    Round: 0,
    Number: 0,
    ParentHash: `0x${'0'.repeat(64)}`,
    Committed: true,
    Miner: `0x${'0'.repeat(64)}`,
    Error: '',
  });
});
