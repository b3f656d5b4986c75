import { CHAIN_ID, type ChainBlock, LOST_ROUNDS } from './chain.ts';
import { BOOTNODE, type NodeIdentity } from './node-identity.ts';

/** `2026-11-21T09:00:00` cut from an ISO time, in UTC as in the images. */
const iso = (ms: number): string => new Date(ms).toISOString();
const nodeTime = (ms: number): string => iso(ms).slice(5, 19).replace('T', '|');
const statsTime = (ms: number): string => iso(ms).slice(0, 19).replace('T', ' ');
const short = (hash: string): string => `${hash.slice(2, 8)}…${hash.slice(-6)}`;

/** What start.sh prints; the level is LOG_LEVEL (XDC-Subnet docker/start.sh). */
export const nodeStartLines = ({ p2pPort }: NodeIdentity, level: number): readonly string[] => [
  `Network Id set to ${CHAIN_ID}`,
  `Set PORT to ${p2pPort}`,
  `Set the log level to ${level}`,
  `Wallet already exist, re-use the same one`,
  `Starting nodes with bootnodes of: ${BOOTNODE}`,
];

/** The end of a node whose socket has too long a path (XDC-Subnet cmd/utils/cmd.go). */
export const nodeFatalLine = `Fatal: Error starting protocol stack: listen unix /work/xdcchain/${'deep/'.repeat(20)}XDC.ipc: bind: invalid argument`;

/** A node that may open no more files prints this again and again, as recorded. */
export const nodeOutOfFilesLine = (ms: number): string =>
  `ERROR[${nodeTime(ms)}] IPC accept failed                        err="accept unix /work/xdcchain/XDC.ipc: accept4: too many open files"`;

/** What a node prints of a block at level 4; `committed` is the one that is committed with it. */
export const nodeBlockLines = (
  ms: number,
  number: number,
  committed: number | undefined,
  hash: string,
): readonly string[] => [
  `INFO [${nodeTime(ms)}] Imported new chain segment               blocks=1 txs=0 mgas=0.000 elapsed=1.204ms mgasps=0.000 number=${number} hash=${short(hash)} cache=12.31kB`,
  `DEBUG[${nodeTime(ms)}] [voteHandler] collect votes              number=3`,
  `DEBUG[${nodeTime(ms)}] [processQC] update x.highestQuorumCert   blockNum=${number} round=${number + LOST_ROUNDS} hash=${short(hash)}`,
  ...(committed === undefined
    ? []
    : [
        `INFO [${nodeTime(ms)}] Successfully commit and confirm block from continuous 3 blocks num=${committed} round=${committed + LOST_ROUNDS} hash=${short(hash)}`,
      ]),
];

/** What the bootnode prints of a node that speaks to it (XDC-Subnet p2p/discover/udp.go). */
export const bootnodeLine = (ms: number, { ip, p2pPort }: NodeIdentity): readonly string[] => [
  `TRACE[${nodeTime(ms)}] << PING XDC/v4                           addr=${ip}:${p2pPort} err=nil`,
  `TRACE[${nodeTime(ms)}] >> PONG/v4                               addr=${ip}:${p2pPort} err=nil`,
];

/** A line of the relayer's logger; `level` is 30 for what is normal and 50 for errors. */
export const relayerLine = (ms: number, message: string, level = 30): string =>
  `[1] ${JSON.stringify({ name: 'xdc-relayer', hostname: 'demo', pid: 45, level, msg: message, time: iso(ms), v: 0 })}`;

/** What web3 says when the parent chain cannot be read, as recorded. */
const WHY_UNREAD = {
  'no-contract':
    "Returned values aren't valid, did it run Out of Gas? You might also see this error if you are not using the correct ABI for the contract you are retrieving data from, requesting data from a block number that does not exist, or querying a node which is not fully synced.",
  'no-parent': "CONNECTION ERROR: Couldn't connect to node http://192.168.25.200:8602.",
} as const;

/** What the relayer prints of a cycle when the contract is gone from the parent chain, or that does not answer. */
export const relayerUnreadLines = (ms: number, why: keyof typeof WHY_UNREAD): readonly string[] => [
  relayerLine(
    ms,
    `Error while trying to fetch the last audited subnet's block in XDC PARENTNET {\n  message: "${WHY_UNREAD[why]}"\n}`,
    50,
  ),
  relayerLine(ms, `Fail to process full relayer job {\n  message: "${WHY_UNREAD[why]}"\n}`, 50),
];

/** The same when the wallet cannot pay for the first block that is due. */
export const relayerNoFundsLines = (ms: number, block: number): readonly string[] => [
  relayerLine(ms, `submitDynamic startblock ${block} pushing 1 blocks, 1 remaining(inclusive) into PARENTNET`),
  relayerLine(
    ms,
    "Fail to submit transactions into PARENTNET {\n  message: 'Returned error: Insufficient funds for gas * price + value'\n}",
    50,
  ),
];

/** What it prints when it begins to submit blocks. */
const relayerSyncLines = (ms: number, from: number, to: number): readonly string[] => {
  const count = to - from + 1;
  return [
    `Start syncing with smart contract from block ${from} to ${to}`,
    `Fetch subnet node data from ${from} to ${to}`,
    `submitDynamic startblock ${from} pushing ${count} blocks, ${count} remaining(inclusive) into PARENTNET`,
  ].map((message) => relayerLine(ms, message));
};

/** The same when the parent chain answers with an error, as recorded with a minimum gas price. */
export const relayerRefusedLines = (ms: number, from: number, to: number, error: string): readonly string[] => [
  ...relayerSyncLines(ms, from, to),
  relayerLine(ms, `Fail to submit transactions into PARENTNET { message: 'Returned error: ${error}' }`, 50),
];

/** The same when all is well. */
export const relayerSubmittedLines = (ms: number, from: number, to: number): readonly string[] => [
  ...relayerSyncLines(ms, from, to),
  relayerLine(ms, 'Full CSC Sync completed!'),
];

/** What the relayer prints at its start, as recorded. */
export const relayerStartLines = (ms: number): readonly string[] => [
  `[0] 7:C ${new Date(ms).toUTCString().slice(5, 25)}.000 # oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo`,
  '[1] ',
  '[1] > xdc-relayer@1.8.0 start',
  '[1] > npm run serve',
  relayerLine(ms, 'Relayer running on port 5215'),
  relayerLine(ms, 'Redis is connected! PING response: PONG'),
  relayerLine(ms, "Running modes:  [ 'FULL' ]"),
];

/** The process was killed; redis and the container live on. */
export const relayerExitLine = '[1] sleep 5s; npm run start exited with code SIGKILL';

/** What the stats server writes to its debug file at its start. */
export const statsStartLines = (ms: number): readonly string[] => [
  `${statsTime(ms)} info: 🎬 Subnet websocket event handler initilised!`,
  `${statsTime(ms)} info: 🚀 Subnet Stats Service listening on the port 5213`,
];

const idOf = ({ name, address }: NodeIdentity): string => `${name}-${address.slice(2)}`;

const toBlock = ({ number, hash, parentHash, timestamp, miner }: ChainBlock) => ({
  number,
  hash,
  parentHash,
  timestamp,
  miner,
  transactions: [],
});

/** A node sent a block. */
export const statsBlockLine = (ms: number, node: NodeIdentity, block: ChainBlock): string =>
  `${statsTime(ms)} debug: RECEIVER: block, data: ${JSON.stringify({ block: toBlock(block), id: idOf(node) })}`;

/** A node sent its history, after it connected. */
export const statsHistoryLine = (ms: number, node: NodeIdentity, block: ChainBlock): string =>
  `${statsTime(ms)} debug: RECEIVER: history, data: ${JSON.stringify({ history: [toBlock(block)], id: idOf(node) })}`;

/** What the stats server's container prints at its start, as recorded: it builds itself at every start. */
export const statsStdoutLines = (ms: number): readonly string[] => [
  '> subnet-stats-service@1.0.0 start',
  '> npm run build && cross-env NODE_ENV=production node dist/server.js',
  'Successfully compiled: 33 files with swc (30.39ms)',
  ...statsStartLines(ms),
];

/** What the frontend's container prints while it builds its page. */
export const frontendBuildLines: readonly string[] = ['yarn run v1.22.22', '$ vite build'];

/** The kernel has killed the build, as recorded. */
export const frontendKilledLines: readonly string[] = [
  'Killed',
  'error Command failed with exit code 137.',
  'info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.',
];

/** What the frontend's container prints until its page is served. */
export const frontendStartLines: readonly string[] = [
  ...frontendBuildLines,
  '✓ built in 11.71s',
  'Done in 12.16s.',
  ' INFO  Accepting connections at http://localhost:5214',
];

/** A page that could not be delivered. */
export const frontendErrorLine = (ms: number): string => {
  const time = new Date(ms).toLocaleTimeString('en-US', { timeZone: 'UTC' });
  const date = new Date(ms).toLocaleDateString('en-US', { timeZone: 'UTC' });
  return ` HTTP  ${date} ${time} 192.168.25.1 Returned 500 in 2 ms`;
};
