import { type Methods, startNode } from './fake-node.ts';

export const ADDRESS = `0x${'4'.repeat(40)}`;
const OTHERS = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`);
const GENESIS = `0x${'9'.repeat(64)}`;
const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '5')}`;
const toHex = (height: number): string => `0x${height.toString(16)}`;

/** What a method of a namespace that is off is answered. */
export const moduleOff = (method: string, module: string) => ({
  error: {
    code: -32_600,
    message: `The method '${method}' is found but the namespace '${module}' is disabled for http://0.0.0.0:8548. Consider adding the namespace '${module}' to JsonRpc.AdditionalRpcUrls for an additional URL, or to JsonRpc.EnabledModules for the default URL.`,
    data: null,
  },
});

const blockAt = (height: number) => ({
  hash: height === 0 ? GENESIS : hashAt(height),
  number: toHex(height),
  timestamp: toHex(1_767_000_000 + 2 * height),
  miner: ADDRESS,
});

/** A node of Nethermind at a height, by its sources: camelCase and hexadecimal, nothing by the tag `committed`. */
export function nethermindMethods(height: number, changed: Methods = {}): Methods {
  const tags: Readonly<Record<string, number>> = { latest: height, finalized: height - 2 };
  return {
    web3_clientVersion: () => 'Nethermind/v1.40.0-unstable+d4ef4fd0/linux-x64/dotnet10.0.1',
    rpc_modules: () => ({ xdc: '1.0', eth: '1.0', txPool: '1.0', web3: '1.0', net: '1.0', parity: '1.0', rpc: '1.0' }),
    eth_getBlockByNumber: ({ params: [tag] }) => blockAt(tags[String(tag)] ?? Number(tag)),
    eth_chainId: () => '0xf7f1',
    eth_syncing: () => false,
    eth_coinbase: () => `0x${'0'.repeat(40)}`,
    net_localAddress: () => ADDRESS,
    net_localEnode: () => `enode://${'ab'.repeat(64)}@192.168.25.14:20306`,
    net_peerCount: () => '0x3',
    parity_netPeers: () => ({
      active: '0x3',
      connected: '0x3',
      max: '0x32',
      peers: ['cd', 'ce', 'cf'].map((id) => ({ id: id.repeat(64), name: 'XDC/v0.3.2-stable/linux-amd64/go1.23.4' })),
    }),
    admin_peers: () => moduleOff('admin_peers', 'Admin'),
    admin_nodeInfo: () => moduleOff('admin_nodeInfo', 'Admin'),
    XDPoS_getV2BlockByNumber: ({ params: [tag] }) =>
      tag === 'latest'
        ? { ...blockAt(height), round: toHex(height + 3), committed: false, encodedRLP: '+QJ6' }
        : { error: { code: -32_602, message: 'Invalid params', data: null } },
    XDPoS_networkInformation: () => ({
      networkId: '0xf7f1',
      consensusConfigs: {
        ...{ epoch: '0x384', gap: '0x1c2', period: '0x2', switchBlock: '0x0' },
        v2Configs: [
          {
            ...{ switchRound: '0x0', maxMasternodes: 108, certificateThreshold: 0.667 },
            ...{ timeoutSyncThreshold: 3, timeoutPeriod: 10, minePeriod: '0x2' },
          },
        ],
      },
    }),
    XDPoS_getMasternodesByNumber: () => ({
      ...{ epoch: '0x1', number: toHex(height), round: toHex(height + 3), masternodesLen: 4 },
      ...{ masternodes: [...OTHERS, ADDRESS], penaltyLen: 0, penalty: [], standbynodesLen: 0, standbynodes: [] },
    }),
    XDPoS_getMissedRoundsInEpochByBlockNum: () => ({
      epochRound: '0x385',
      epochBlockNumber: '0x384',
      missedRounds: [{ round: '0x3a1', miner: OTHERS[1], currentBlockNum: '0x39f' }],
    }),
    XDPoS_getLatestPoolStatus: () => ({ error: { code: -32_603, message: 'Internal error', data: null } }),
    ...changed,
  };
}

/** The same as a server. */
export const startNethermind = (height: number, changed?: Methods) => startNode(nethermindMethods(height, changed));
