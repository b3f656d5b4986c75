import { CHAIN_ID } from './chain.ts';
import { VERSIONS } from './demo-client.ts';
import {
  healthOf,
  nethermindMethods,
  nethermindModules,
  nethermindNamespaceOf,
  refuseInNethermind,
} from './nethermind-methods.ts';
import { BOOTNODE } from './node-identity.ts';
import type { NodeShape, Printed } from './node-shape.ts';

const short = (hash: string): string => `${hash.slice(0, 8)}...${hash.slice(-6)}`;

type Event = readonly [level: 'INFO' | 'WARN' | 'DEBUG', message: string];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The console has no level and no year, and the file has both (Nethermind.Runner/NLog.config). A message may have many lines. */
const print = (ms: number, events: readonly Event[]): Printed => {
  const iso = new Date(ms).toISOString();
  const console = `${iso.slice(8, 10)} ${MONTHS[Number(iso.slice(5, 7)) - 1]} ${iso.slice(11, 19)}`;
  const file = `${iso.slice(0, 10)} ${iso.slice(11, 23)}0`;
  return {
    console: events.flatMap(([, message]) => `${console} | ${message} `.split('\n')),
    file: events.flatMap(([level, message], index) => `${file}|${level}|${7 + index}|${message} `.split('\n')),
  };
};

/** Nethermind as the last nodes of a generated subnet run it, by its sources of 2026; nothing of it was recorded. */
export const nethermindShape: NodeShape = {
  methods: nethermindMethods,
  modules: nethermindModules,
  namespaceOf: nethermindNamespaceOf,
  refuse: refuseInNethermind,
  answerPlainly: (view, { method, path }) => {
    if (method !== 'GET' || path !== '/health') return undefined;
    const health = healthOf(view);
    const status = health.status === 'Healthy' ? 200 : 503;
    return { status, type: 'application/json', body: JSON.stringify(health) };
  },
  printStart: ({ id, ip, p2pPort, address }, _level, { ms, head, genesis }) =>
    print(ms, [
      ['INFO', 'Nethermind is starting up'],
      ['INFO', `Version: ${VERSIONS.nethermind.split('/')[1]?.slice(1)}`],
      ['WARN', '--datadir option is deprecated. Use --data-dir instead.'],
      ['INFO', 'Loading configuration from /work/xdc-nmc.json'],
      ['INFO', 'Configuration complete'],
      [
        'INFO',
        `Block tree initialized, last processed is ${head}, best queued is ${head}, best known is ${head}, lowest inserted header , lowest sync inserted block number `,
      ],
      ['INFO', 'Loading fork choice info'],
      ['INFO', 'BlockchainProcessor started.'],
      ['INFO', 'XdcHotStuff consensus runner started'],
      [
        'INFO',
        [
          '',
          '======================== Nethermind initialization completed ========================',
          `This node    : enode://${id}@${ip}:${p2pPort}`,
          'RPC modules  : Eth, Health, Net, Parity, Proof, Rpc, Subscribe, Trace, TxPool, Web3, Xdc',
          `Node address : ${address} (do not use as an account)`,
          `Genesis hash : ${genesis}`,
          `Client id    : ${VERSIONS.nethermind}`,
          `Chain head   : ${head}`,
          `Chain ID     : ${CHAIN_ID}`,
          '=====================================================================================',
        ].join('\n'),
      ],
    ]),
  printBlock: ({ address }, { ms, number, round, hash, committed, masternodes }) => {
    const leader = masternodes[(round + 1) % masternodes.length] ?? address;
    const done = committed && `#${committed.number} round=${committed.round} (${short(committed.hash)})`;
    return print(ms, [
      ['INFO', `Processed          ${String(number).padStart(10)}         |        3.1 ms  | slot          2,004 ms |`],
      ['INFO', ' Block      0.000 ETH     0.00 MGas    |        0   txs | calls          0 (  0) | sload       0'],
      ['DEBUG', `Round ${round}: Voting for block #${number}, hash=${hash}`],
      ...(committed === undefined
        ? []
        : [
            [
              'INFO',
              `Committed new block ${committed.number} (${short(committed.hash)}) round=${committed.round}`,
            ] as const,
          ]),
      [
        'INFO',
        `Round ${round + 1}, prev=${round} in 2.01s: head=#${number} round=${round} (${short(hash)}) | Committed=${done ?? 'none'} | Leader=${short(leader)}, MyTurn=${leader === address}, Committee=${masternodes.length} nodes`,
      ],
    ]);
  },
  printStop: (ms) =>
    print(ms, [
      ['INFO', 'Nethermind is shutting down... Please wait until all activities are stopped.'],
      ['INFO', 'XdcHotStuff consensus runner stopped'],
      ['INFO', 'Nethermind is shut down'],
    ]),
  readOnlyFatal: "Unhandled exception. System.IO.IOException: Read-only file system : '/work/xdcchain/logs'",
  stoppedWith: 143,
  image: 'nethermindeth/nethermind:master-d4ef4fd',
  args: ['--config=/work/xdc-nmc.json', '--datadir=/work/xdcchain', '--log=debug'],
  env: ({ ip, p2pPort }) => [
    'NETHERMIND_JSONRPCCONFIG_ENABLED=true',
    `NETHERMIND_NETWORKCONFIG_P2PPORT=${p2pPort}`,
    `NETHERMIND_NETWORKCONFIG_DISCOVERYPORT=${p2pPort}`,
    `NETHERMIND_NETWORKCONFIG_EXTERNALIP=${ip}`,
    `NETHERMIND_NETWORKCONFIG_BOOTNODES=${BOOTNODE}`,
    'NETHERMIND_HEALTHCHECKSCONFIG_ENABLED=true',
    'NO_COLOR=1',
  ],
  logFile: 'logs/xdc.log',
  quietAtLowLevel: false,
  reportsStats: false,
};
