import type { Methods } from './fake-node.ts';

/** The addresses of four masternodes, in the order of their turns. */
export const MASTERS = [
  '0xc55f37a1c0139e339e633ede30f47b6a72eec470',
  '0x9ba2b8f2a6dcbd5da8be3f5f03e362ddbfc4e351',
  '0x6adc974eeb1ba91427884e6bd799af9bc2c000f5',
  '0x2ed76c8c4e4034ac9ed94b97f68a85cf7468e59c',
] as const;
const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '7')}`;

/** The settings of a round, in the form of the client. */
export const aConfig = (switchRound: number, over: object = {}) => ({
  ...{ maxMasternodes: 108, switchRound, minePeriod: 2, timeoutSyncThreshold: 3, timeoutPeriod: 10 },
  ...{ certificateThreshold: 0.667, expTimeoutConfig: { base: 0, maxExponent: 0 } },
  ...over,
});

/** A node of XDPoSChain in the epoch 5, whose fourth masternode is penalised; as recorded from 2.7.0-beta. */
export const xdposchainMethods = (changed: Methods = {}): Methods => ({
  web3_clientVersion: () => 'XDC/v2.7.0-beta/linux-amd64/go1.26.8',
  rpc_modules: () => ({ XDPoS: '1.0', debug: '1.0', eth: '1.0', net: '1.0', personal: '1.0', rpc: '1.0', web3: '1.0' }),
  net_peerCount: () => '0x3',
  eth_chainId: () => '0x15b0',
  eth_coinbase: () => MASTERS[0],
  eth_syncing: () => false,
  XDPoS_getV2BlockByNumber: ({ params: [tag] }) => {
    const number = { latest: 426, committed: 424, earliest: 0 }[String(tag)] ?? Number(tag);
    return {
      Hash: hashAt(number),
      Round: number + 50,
      Number: number,
      Committed: true,
      Timestamp: 1_795_611_000,
      Error: '',
    };
  },
  XDPoS_networkInformation: () => ({
    NetworkId: 5552,
    ConsensusConfigs: {
      ...{ period: 2, epoch: 90, reward: 20, rewardCheckpoint: 90, gap: 45 },
      v2: { SwitchEpoch: 0, switchBlock: 0, config: aConfig(0), allConfigs: { 0: aConfig(0) } },
    },
  }),
  XDPoS_getMasternodesByNumber: () => ({
    ...{ Epoch: 5, Number: 426, Round: 476, MasternodesLen: 3, Masternodes: MASTERS.slice(0, 3) },
    ...{ PenaltyLen: 1, Penalty: MASTERS.slice(3), StandbynodesLen: 0, Standbynodes: [], Error: null },
  }),
  XDPoS_getMissedRoundsInEpochByBlockNum: () => ({ EpochRound: 450, EpochBlockNumber: 400, MissedRounds: null }),
  XDPoS_getLatestPoolStatus: () => ({ timeout: {}, vote: {} }),
  eth_getCandidates: () => ({
    candidates: Object.fromEntries(
      MASTERS.map((address, place) => [
        `xdc${address.slice(2)}`,
        { capacity: 1e25, status: place === 3 ? 'SLASHED' : 'MASTERNODE' },
      ]),
    ),
    ...{ epoch: 5, success: true },
  }),
  ...changed,
});
