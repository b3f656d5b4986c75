import type { Hex } from 'viem';
import { getAddress, numberToHex } from 'viem/utils';
import { CHAIN_ID, type ChainBlock, ZERO_HASH } from './chain.ts';
import { nodeMethods, toCommonHeader, toModules } from './node-methods.ts';
import { epochOfRound, epochStartByRound, gapNumberOf, missedRoundsUpTo, poolOf } from './pool-status.ts';
import {
  CRASHED,
  optionalBlockTag,
  optionalFlag,
  plain,
  type RpcMethod,
  type RpcOutcome,
  rpcMethod,
} from './rpc-method.ts';
import type { NodeView } from './simulated-subnet.ts';
import { blockByTag, consensusConfigs, xdposMethods } from './xdpos-methods.ts';

/** Namespaces that the stock start script serves over HTTP. */
const STOCK_MODULES = ['XDPoS', 'debug', 'eth', 'net', 'personal', 'rpc', 'txpool', 'web3'];

export const xdposchainModules = ({ servesAdmin }: NodeView): readonly string[] =>
  servesAdmin ? ['admin', ...STOCK_MODULES] : STOCK_MODULES;

const CRASHED_HERE: RpcOutcome = { error: { code: -32603, message: 'method handler crashed' } };
const V1: RpcOutcome = { error: { code: -32000, message: 'not supported in the v1 consensus' } };

/** A call of XDC-Subnet, which has another code for a crash, and `change` makes its result that of XDPoSChain. */
const changed =
  (method: RpcMethod | undefined, change: (result: object) => object = (result) => result): RpcMethod =>
  (view, params) => {
    const outcome = method?.(view, params) ?? CRASHED;
    if (outcome === CRASHED) return CRASHED_HERE;
    return 'result' in outcome ? { result: change(outcome.result as object) } : outcome;
  };

/** Settings of a round that a subnet does not have, all off as `puppeth` writes them. */
const MORE_SETTINGS = {
  masternodeReward: 0,
  protectorReward: 0,
  observerReward: 0,
  minimumMinerBlockPerEpoch: 0,
  limitPenaltyEpoch: 0,
  minimumSigningTx: 0,
  expTimeoutConfig: { base: 0, maxExponent: 0 },
};

const toNetworkInformation = ({ chain }: NodeView) => {
  const { networkName: _, denom: __, v2, ...configs } = consensusConfigs(chain);
  const config = { maxMasternodes: 108, maxProtectorNodes: 0, maxObserverNodes: 0, ...v2.config, ...MORE_SETTINGS };
  return {
    NetworkId: CHAIN_ID,
    XDCValidatorAddress: '0x0000000000000000000000000000000000000088',
    RelayerRegistrationAddress: '0x16c63b79f9c8784168103c0b74e6a59ec2de4a02',
    XDCXListingAddress: '0xde34dd0f536170993e8cff639ddffcf1a85d3e53',
    XDCZAddress: '0x8c0faeb5c6bed2129b8674f262fd45c4e9468bee',
    LendingAddress: '0x7d761afd7ff65a79e4173897594a194e3c506e57',
    ConsensusConfigs: { ...configs, v2: { SwitchEpoch: 0, ...v2, config, allConfigs: { 0: config } } },
  };
};

/** A header lists addresses as one text. */
const join = (addresses: readonly Hex[]): Hex => `0x${addresses.map((address) => address.slice(2)).join('')}`;

const isEpochSwitch = ({ chain }: NodeView, { number, round }: ChainBlock): boolean =>
  number > 0 && epochOfRound(chain.block(number - 1).round) < epochOfRound(round);

/** A header: the first one of an epoch lists its masternodes, and none lists those of the next. */
const toHeader = (view: NodeView, block: ChainBlock) => {
  const { masternodes, penalised } = view.chain.officeAt(view.head);
  const lists = isEpochSwitch(view, block);
  return {
    ...toCommonHeader(block),
    validator: ZERO_HASH,
    validators: join(lists ? masternodes : []),
    penalties: join(lists ? penalised : []),
  };
};

/** The stake of a candidate: ten million coins, more digits than a number of JavaScript has. */
const CAPACITY: unknown = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(`1${'0'.repeat(25)}`);

const toCandidates = ({ chain, head }: NodeView) => {
  const { masternodes, penalised } = chain.officeAt(head);
  const entries = [...masternodes, ...penalised].toSorted().map((address) => {
    const status = penalised.includes(address) ? 'SLASHED' : 'MASTERNODE';
    return [getAddress(address).replace('0x', 'xdc'), { capacity: CAPACITY, status }] as const;
  });
  return { candidates: Object.fromEntries(entries), epoch: epochOfRound(chain.block(head).round), success: true };
};

/** Every method that a node of XDPoSChain 2.7 knows and subnetd may ask, by its recorded answers. */
export const xdposchainMethods: Readonly<Record<string, RpcMethod>> = {
  ...nodeMethods,

  XDPoS_getV2BlockByNumber: changed(xdposMethods.XDPoS_getV2BlockByNumber),

  XDPoS_getMasternodesByNumber: changed(xdposMethods.XDPoS_getMasternodesByNumber, (result) => ({
    Epoch: epochOfRound((result as { readonly Round: number }).Round),
    ...result,
  })),

  XDPoS_getMissedRoundsInEpochByBlockNum: rpcMethod([optionalBlockTag], (view, tag) => {
    const block = blockByTag(view, tag);
    if (block === undefined) return CRASHED_HERE;
    if (block.number === 0) return V1;
    return { result: missedRoundsUpTo(view.chain, block.number, epochStartByRound(view.chain, block.number)) };
  }),

  XDPoS_getLatestPoolStatus: plain((view) =>
    // A node signs its own timeout by its address.
    poolOf(view, {
      gapOf: (number) => gapNumberOf(epochStartByRound(view.chain, number)),
      own: view.identity.address,
    }),
  ),

  XDPoS_networkInformation: plain(toNetworkInformation),

  eth_chainId: plain(() => numberToHex(CHAIN_ID)),
  eth_getCandidates: rpcMethod([optionalBlockTag], (view, _tag) => ({ result: toCandidates(view) })),
  eth_getBlockByNumber: rpcMethod([optionalBlockTag, optionalFlag], (view, tag, _isWhole) => {
    const block = blockByTag(view, tag);
    return { result: block === undefined ? null : toHeader(view, block) };
  }),

  rpc_modules: plain((view) => toModules(xdposchainModules(view))),
};
