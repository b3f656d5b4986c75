import { CHAIN_ID, type Chain, type ChainBlock, ZERO_HASH } from './chain.ts';
import { GAP } from './elections.ts';
import { missedRoundsUpTo, poolStatusOf } from './pool-status.ts';
import {
  type BlockTag,
  CRASHED,
  optionalBlockTag,
  plain,
  type RpcMethod,
  type RpcOutcome,
  rpcMethod,
} from './rpc-method.ts';
import type { NodeView } from './simulated-subnet.ts';
import { BLOCK_PERIOD_MS, EPOCH } from './timeline.ts';

/** The hash of a header that is not there is always this one. */
const NO_HEADER =
  '[getEpochSwitchInfo] can not find header from db hash 0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const NO_COMMITTED = 'can not find latest committed block from consensus';

/** The members of `V2BlockInfo` as Go leaves them when nobody set them (XDC-Subnet consensus/XDPoS/api.go). */
const EMPTY_BLOCK = {
  Hash: ZERO_HASH,
  Round: 0,
  Number: null,
  ParentHash: ZERO_HASH,
  Committed: false,
  Miner: ZERO_HASH,
  Timestamp: null,
  EncodedRLP: '',
  Error: '',
};

/** The block that a tag means on this node; undefined for one that it does not have. */
export const blockByTag = (view: NodeView, tag: BlockTag): ChainBlock | undefined => {
  if (tag === 'latest') return view.chain.block(view.head);
  if (tag === 'earliest') return view.chain.block(0);
  if (tag === 'committed') return view.committed === undefined ? undefined : view.chain.block(view.committed);
  return tag >= 0 && tag <= view.head ? view.chain.block(tag) : undefined;
};

const toBlockInfo = (view: NodeView, block: ChainBlock): RpcOutcome => ({
  result:
    view.committed === undefined
      ? { ...EMPTY_BLOCK, Hash: block.hash, Error: NO_COMMITTED }
      : {
          Hash: block.hash,
          Round: block.round,
          Number: block.number,
          ParentHash: block.parentHash,
          Committed: block.number <= view.committed,
          Miner: `0x${block.miner.slice(2).padStart(64, '0')}`,
          Timestamp: block.timestamp,
          EncodedRLP: Buffer.from(block.encoded).toString('base64'),
          Error: '',
        },
});

/** The consensus settings as `XDPoS_networkInformation` and the configuration of a chain have them. */
export const consensusConfigs = ({ roundTimeoutMs, contract: { most } }: Chain) => {
  const config = {
    switchRound: 0,
    minePeriod: BLOCK_PERIOD_MS / 1000,
    timeoutSyncThreshold: 3,
    timeoutPeriod: roundTimeoutMs / 1000,
    certificateThreshold: 0.667,
    ...(most !== undefined && { maxMasternodes: most }),
  };
  return {
    networkName: 'demo',
    denom: 'sdc',
    period: BLOCK_PERIOD_MS / 1000,
    epoch: EPOCH,
    reward: 2,
    rewardCheckpoint: EPOCH,
    gap: GAP,
    foudationWalletAddr: '0x0000000000000000000000000000000000000068',
    SkipV1Validation: false,
    v2: { switchBlock: 0, config, allConfigs: { 0: config }, SkipV2Validation: false },
  };
};

const toNetworkInformation = ({ chain }: NodeView) => ({
  NetworkId: CHAIN_ID,
  XDCValidatorAddress: '0x0000000000000000000000000000000000000088',
  RelayerRegistrationAddress: '0x0000000000000000000000000000000000000000',
  Denom: 'sdc',
  NetworkName: 'demo',
  ConsensusConfigs: consensusConfigs(chain),
});

/** The consensus methods, as XDC-Subnet consensus/XDPoS/api.go answers them: Go names, and errors inside results. */
export const xdposMethods: Readonly<Record<string, RpcMethod>> = {
  XDPoS_getV2BlockByNumber: rpcMethod([optionalBlockTag], (view, tag) => {
    if (tag === 'committed' && view.committed === undefined) return CRASHED;
    const block = blockByTag(view, tag);
    if (block !== undefined) return toBlockInfo(view, block);
    return { result: { ...EMPTY_BLOCK, Number: tag, Error: 'can not find block from this number' } };
  }),

  XDPoS_getMasternodesByNumber: rpcMethod([optionalBlockTag], (view, tag) => {
    const block = blockByTag(view, tag);
    if (block === undefined) return CRASHED;
    const { masternodes, penalised, standby } = view.chain.officeAt(block.number);
    return {
      result: {
        Number: block.number,
        Round: block.round,
        MasternodesLen: masternodes.length,
        Masternodes: masternodes,
        PenaltyLen: penalised.length,
        Penalty: penalised,
        StandbynodesLen: standby.length,
        Standbynodes: standby,
        Error: null,
      },
    };
  }),

  XDPoS_getMissedRoundsInEpochByBlockNum: rpcMethod([optionalBlockTag], (view, tag) => {
    if (tag === 'committed' && view.committed === undefined) return CRASHED;
    const block = blockByTag(view, tag);
    if (block === undefined) return { error: { code: -32000, message: NO_HEADER } };
    return { result: missedRoundsUpTo(view.chain, block.number) };
  }),

  XDPoS_getLatestPoolStatus: plain(poolStatusOf),

  XDPoS_networkInformation: plain(toNetworkInformation),
};
