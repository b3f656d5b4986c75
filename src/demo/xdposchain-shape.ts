import { CHAIN_ID } from './chain.ts';
import { VERSIONS } from './demo-client.ts';
import { BOOTNODE } from './node-identity.ts';
import { type NodeShape, prefixOf, refuseInGo, refuseOtherHosts } from './node-shape.ts';
import { xdposchainMethods, xdposchainModules } from './xdposchain-methods.ts';

/** `11-25|12:32:34.492`, in UTC as in the images. */
const toTime = (ms: number): string => new Date(ms).toISOString().slice(5, 23).replace('T', '|');
const short = (hash: string): string => `${hash.slice(2, 8)}..${hash.slice(-6)}`;

/** A whole number of a field has commas from 100,000 on. */
const toField = (value: number): string =>
  value < 100_000 ? `${value}` : `${value}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const line = (level: string, ms: number, message: string, fields: string): string =>
  `${level.padEnd(5)}[${toTime(ms)}] ${message.padEnd(40)} ${fields}`.trimEnd();

/** XDPoSChain 2.7.0-beta with the start script of its newer images, as recorded. */
export const xdposchainShape: NodeShape = {
  methods: xdposchainMethods,
  modules: xdposchainModules,
  namespaceOf: prefixOf,
  refuse: refuseInGo,
  // Other paths than its own are not found.
  answerPlainly: (_view, request) =>
    request.path === '/'
      ? refuseOtherHosts(request)
      : { status: 404, type: 'text/plain', body: '404 page not found\n' },
  printStart: ({ address, p2pPort }, level, { ms, head, genesis }) => ({
    console: [
      `PORT found, set to ${p2pPort}`,
      `Log level found, set to ${level}`,
      `Running a node with wallet: xdc${address.slice(2)}`,
      `Starting nodes with ${BOOTNODE} ...`,
      ...(level < 3
        ? []
        : [
            line('INFO', ms, 'Initialising Ethereum protocol', `versions="[100 63 62]" network=${CHAIN_ID}`),
            line(
              'INFO',
              ms,
              'Loaded most recent local full block',
              `number=${toField(head)} hash=${short(genesis)} td=${toField(head + 1)} age=2s`,
            ),
            line('INFO', ms, 'Starting peer-to-peer node', `instance=${VERSIONS.xdposchain}`),
          ]),
    ],
  }),
  printBlock: (_node, { ms, number, round, hash, committed }) => ({
    console: [
      line(
        'INFO',
        ms,
        'Imported new chain segment',
        `blocks=1 txs=0 mgas=0.000 elapsed="245.345µs" mgasps=0.000 number=${toField(number)} hash=${short(hash)} dirty=0.00B`,
      ),
      line('DEBUG', ms, '[voteHandler] collect votes', 'number=3'),
      line(
        'DEBUG',
        ms,
        '[processQC] update x.highestQuorumCert',
        `blockNum=${toField(number)} round=${toField(round)} hash=${short(hash)}`,
      ),
      ...(committed === undefined
        ? []
        : [
            line(
              'INFO',
              ms,
              'Successfully commit and confirm block from continuous 3 blocks',
              `num=${toField(committed.number)} round=${toField(committed.round)} hash=${short(committed.hash)}`,
            ),
          ]),
    ],
  }),
  printOutOfFiles: (ms) => ({
    console: [
      line('WARN', ms, 'RPC accept error', 'err="accept unix /work/xdcchain/XDC.ipc: accept4: too many open files"'),
    ],
  }),
  // Its start script does not pass on the signal.
  printStop: () => ({ console: [] }),
  socketFatal: `Fatal: Error starting protocol stack: listen unix /work/xdcchain/${'deep/'.repeat(20)}XDC.ipc: bind: invalid argument`,
  readOnlyFatal: 'tee: /work/xdcchain/xdc.log: Read-only file system',
  stoppedWith: 137,
  image: 'demo/xdposchain:v2.7.0',
  args: [],
  env: ({ name, p2pPort }, level) => [
    `NODE_NAME=${name}`,
    `PORT=${p2pPort}`,
    `LOG_LEVEL=${level}`,
    `BOOTNODES=${BOOTNODE}`,
  ],
  quietAtLowLevel: true,
  reportsStats: true,
};
