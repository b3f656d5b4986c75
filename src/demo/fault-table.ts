import type { DemoClient } from './demo-client.ts';
import type { Effects } from './effects.ts';

/** A fault of the demo. */
export interface FaultEntry {
  readonly what: string;
  /** The fewest nodes with which the fault can exist, if one is not enough, and why. */
  readonly least?: number;
  readonly because?: string;
  /** The clients that subnet2 cannot run, with the end of the sentence that says why. */
  readonly notIn?: Readonly<Partial<Record<DemoClient, string>>>;
  readonly effects: Partial<Effects>;
}

const needsFour = { least: 4, because: 'with fewer the chain halts when one node does not vote' } as const;
const UNRECORDED = 'of which nobody has recorded what it prints then';
const needsSecond = { least: 2, because: 'it happens to subnet2' } as const;

/** One entry per fault. What the checks make of it is not written here: it follows from the effects. */
export const FAULTS = {
  'node-stalled': {
    what: 'subnet2 keeps its peers and answers, but its height is stalled.',
    ...needsSecond,
    effects: { frozen: ['subnet2'] },
  },
  'node-down': {
    what: 'The container of subnet2 is stopped, and every other node has lost it as a peer.',
    ...needsSecond,
    effects: { down: ['subnet2'], fates: { subnet2: 'stopped' } },
  },
  'node-behind': {
    what: 'subnet2 follows the chain, but 25 blocks below the others.',
    ...needsFour,
    effects: { behind: ['subnet2'] },
  },
  'peer-missing': {
    what: 'subnet2 and subnet3 are not connected to each other, so each has one peer less.',
    least: 3,
    because: 'with fewer no node is left that connects them',
    effects: { cut: [['subnet2', 'subnet3']] },
  },
  'admin-not-exposed': {
    what: 'No node serves admin over HTTP, as in a new subnet, so subnetd can only count peers.',
    effects: { adminHidden: true },
  },
  'rpc-error-inside-result': {
    what: 'subnet2 answers without a JSON-RPC error, but its result holds a text in Error and no number.',
    ...needsSecond,
    notIn: {
      nethermind: 'which is asked for no result of that form',
      xdposchain: 'whose header is read where its engine gives no block',
    },
    effects: { uncommitted: ['subnet2'] },
  },
  'rpc-garbage': {
    what: 'A web page with status 200 answers at the address of subnet2.',
    ...needsSecond,
    effects: { garbled: ['subnet2'] },
  },
  'subnet-halted': {
    what: 'Every node runs and has its peers, but the chain is stalled.',
    effects: { halted: true },
  },
  'service-down': {
    what: 'The container of the stats server is stopped.',
    effects: { closed: ['stats'], fates: { stats: 'stopped' } },
  },
  'relayer-silent': {
    what: 'The relayer starts a cycle and prints nothing more, as when the parent chain accepts its connection and never answers.',
    effects: { relayer: 'silent' },
  },
  'relayer-dead-container-up': {
    what: 'The process of the relayer was killed, and its redis keeps the container up.',
    effects: { relayer: 'dead', closed: ['relayer'] },
  },
  'relayer-forking': {
    what: 'The relayer finds other blocks in the subnet than in the checkpoint contract.',
    effects: { relayer: 'forking' },
  },
  'bootnode-misses-a-node': {
    what: 'A firewall blocks the p2p port of subnet2, so the bootnode receives nothing from it.',
    ...needsSecond,
    effects: { unheard: ['subnet2'] },
  },
  'stats-stale': {
    what: 'The stats server runs and answers, but no node is connected to it.',
    effects: { statsStale: true },
  },
  'frontend-error': {
    what: 'The frontend cannot serve its pages and logs this.',
    effects: { frontendError: true },
  },
  'console-error': {
    what: 'The page of the frontend has errors on its console, which only a browser sees.',
    effects: { consoleError: true },
  },
  'log-level-low': {
    what: 'Every node runs with log level 2, as in a new subnet, and prints no block.',
    effects: { logLevelLow: true },
  },
  'log-unreadable': {
    what: 'The socket proxy refuses the log of the stats server, so nobody would see there why it ends.',
    effects: { unreadable: ['stats'] },
  },
  'oom-kill': {
    what: 'The frontend runs out of memory at each build of its page, and Docker restarts it in a loop.',
    effects: { closed: ['frontend'], fates: { frontend: 'out-of-memory' } },
  },
  'ipc-path-too-long': {
    what: 'subnet2 cannot bind its IPC socket because the path is too long, and Docker restarts it in a loop.',
    ...needsSecond,
    notIn: { nethermind: 'which has no socket' },
    effects: { down: ['subnet2'], fates: { subnet2: 'ipc-path-too-long' } },
  },
  fork: {
    what: 'subnet2 follows another branch: its heights are those of the others, and its newer blocks are not.',
    ...needsFour,
    effects: { forked: ['subnet2'] },
  },
  'mesh-hole': {
    what: 'subnet2 and subnet3 are not connected, and neither are subnet1 and subnet4, so each node has one peer less.',
    least: 4,
    because: 'with fewer no node is left that connects them',
    effects: {
      cut: [
        ['subnet2', 'subnet3'],
        ['subnet1', 'subnet4'],
      ],
    },
  },
  'node-partitioned': {
    what: 'A firewall cuts off subnet2 from the other nodes: it runs and answers with 0 peers, and its height is stalled.',
    ...needsFour,
    effects: { frozen: ['subnet2'], isolated: ['subnet2'] },
  },
  'other-genesis': {
    what: 'subnet2 was started with the genesis of another chain, so it stays at block 0 and has no peer.',
    ...needsFour,
    effects: { foreign: ['subnet2'], isolated: ['subnet2'] },
  },
  liar: {
    what: 'subnet2 answers with a height that is a million blocks above every other, and it rises.',
    ...needsSecond,
    effects: { boasting: ['subnet2'] },
  },
  'non-voting': {
    what: 'subnet2 runs, follows the chain and answers, but it neither votes nor makes its blocks.',
    ...needsFour,
    effects: { mute: ['subnet2'] },
  },
  'turns-missed': {
    what: 'subnet2 votes, but misses every eighth of its turns, as on a slow machine. subnetd says so when it has counted more than a hundred turns of each, with four nodes in about twenty minutes.',
    ...needsSecond,
    effects: { lagging: ['subnet2'] },
  },
  penalty: {
    what: 'subnet2 follows the chain, but is in Penalty and no masternode, as it missed its rounds in the epoch before.',
    ...needsSecond,
    effects: { penalised: ['subnet2'] },
  },
  'masternode-resigned': {
    what: 'subnet2 has resigned as a candidate, so it loses its turns with the next masternode set, which the chain chooses 22 minutes after the demo starts. subnetd says so ten minutes before that.',
    ...needsSecond,
    notIn: { xdposchain: 'whose elections the demo does not simulate' },
    effects: { resigned: ['subnet2'] },
  },
  'finality-stalled': {
    what: 'Blocks are made, but none is committed, so the relayer has nothing to submit.',
    effects: { finalityStalled: true },
  },
  'clock-wrong': {
    what: 'The clock of the machine of subnet2 is 90 seconds behind, as the times in its log show.',
    ...needsSecond,
    effects: { skewed: ['subnet2'] },
  },
  'contract-gone': {
    what: 'The parent chain answers, but has no contract at the address of the checkpoint contract.',
    effects: { contractGone: true, relayer: 'no-contract' },
  },
  'contract-refuses': {
    what: 'The checkpoint contract misses an epoch change, so it refuses each block that the relayer submits.',
    effects: { contractRefuses: true, relayer: 'refused' },
  },
  'parent-down': {
    what: 'The node of the parent chain does not answer, neither the relayer nor subnetd.',
    effects: { parentDown: true, relayer: 'no-parent' },
  },
  'parent-halted': {
    what: 'The parent chain makes no more blocks, though its node answers, and the relayer waits for its transaction.',
    least: 1,
    effects: { parentHalted: true, relayer: 'silent' },
  },
  'parent-restarted': {
    what: 'The node of the parent chain is restarted, is away for ten seconds, and all is well afterwards.',
    effects: { parentRestarts: true },
  },
  'parent-reorganised': {
    what: 'The parent chain takes back the last checkpoint in a reorganisation, and has it again with the next cycle of the relayer.',
    effects: { parentReorganised: true },
  },
  'checkpoint-behind': {
    what: 'The relayer says that it submits, but the checkpoint contract of the inventory does not move.',
    effects: { checkpointLost: true },
  },
  'wallet-low': {
    what: 'The wallet of the relayer has coins for three more days. subnetd says so when it has seen it pay for ten minutes.',
    effects: { walletLow: true },
  },
  'wallet-empty': {
    what: 'The wallet of the relayer has no coins left, so the parent chain refuses its transactions.',
    effects: { walletEmpty: true, relayer: 'no-funds' },
  },
  'no-gas-price': {
    what: 'The parent chain demands a higher minimum gas price than the relayer pays, so it refuses the transactions.',
    effects: { relayer: 'low-gas-price' },
  },
  'packets-stuck': {
    what: 'A contract of the subnet sends packets by XDC-Zero, and the relayer, which runs only in full mode, delivers none. subnetd says so when the oldest has waited for ten minutes.',
    effects: { packetsWait: true },
  },
  'key-replaced': {
    what: 'subnet2 was recreated with another key, so it follows the chain, and nobody signs with the key of its masternode.',
    ...needsFour,
    effects: { keys: { subnet2: 'a stranger' } },
  },
  'two-keys-one': {
    what: 'subnet2 was recreated with the key of subnet3, so both sign as one masternode, and nobody signs as the other.',
    ...needsFour,
    effects: { keys: { subnet2: 'subnet3' } },
  },
  'double-vote': {
    what: 'subnet2 signs two blocks in some rounds, as when its key is used twice; the pools of the others have both votes.',
    ...needsFour,
    effects: { doubleVoters: ['subnet2'] },
  },
  'rpc-moved': {
    what: 'subnet2 runs, votes and prints, but nothing listens at its RPC address any more.',
    ...needsSecond,
    effects: { rpcMoved: ['subnet2'] },
  },
  'fd-limit': {
    what: 'subnet2 has as many files open as its limit allows, so it accepts no connection and opens no file of its database.',
    ...needsSecond,
    notIn: { nethermind: UNRECORDED },
    effects: { frozen: ['subnet2'], outOfFiles: ['subnet2'] },
  },
  'unlisted-node': {
    what: 'A node that the inventory does not name runs beside the others and is connected to all of them.',
    effects: { unlisted: true },
  },
  'ordered-then-killed': {
    what: 'subnet2 is restarted on request, and a minute later its process is killed; Docker starts it again, and all is well.',
    ...needsFour,
    effects: { killed: ['subnet2'] },
  },
  'nodes-killed': {
    what: 'The processes of all nodes are killed at the same moment; Docker starts them again, and all is well.',
    least: 2,
    because: 'one alone does not crash together with another',
    effects: { allKilled: true },
  },
  'container-renamed': {
    what: 'subnet2 runs in another compose project than the inventory says, so no container is found for it, while it votes.',
    ...needsSecond,
    effects: { projects: { subnet2: 'renamed' } },
  },
  'never-reached': {
    what: 'The inventory has wrong addresses for all nodes, so that none has answered since subnetd started.',
    effects: { misaddressed: true },
  },
  'rate-limited': {
    what: 'A proxy in front of subnet2 answers 429 to every request, while the node runs.',
    ...needsSecond,
    effects: { limited: ['subnet2'] },
  },
  'read-only-data': {
    what: 'The data folder of subnet2 is mounted read-only, so it cannot start, and Docker restarts it in a loop.',
    ...needsSecond,
    notIn: { nethermind: UNRECORDED },
    effects: { down: ['subnet2'], fates: { subnet2: 'read-only' } },
  },
  'monitor-offline': {
    what: 'From 15 seconds after the demo starts, subnetd has no network: no node, no service and no Docker Engine answers it, while the subnet is well.',
    effects: { unreachable: true },
  },
  'clock-step': {
    what: 'The clock of the machine of subnetd is set forward by two minutes, while the subnet is well.',
    effects: { clockStepped: true },
  },
  'rolling-restart': {
    what: 'Somebody restarts all nodes, one after the other; each is down for ten seconds, and all is well afterwards.',
    ...needsFour,
    effects: { rolling: true },
  },
} as const satisfies Readonly<Record<string, FaultEntry>>;
