import type { ClientName } from '../../model/target.ts';
import { commandToRecreate, commandToReplace } from '../clients/commands-to-type.ts';
import { afterBlocksInLoop, afterSilence, type KnownFailure } from './failure-signs.ts';

/** A failure that lines of these patterns show, all of one cause: of a node, unless it says of what. */
export interface LogFailure
  extends Pick<KnownFailure, 'name' | 'summary' | 'leavesRunning' | 'cause' | 'advise'>,
    Partial<Pick<KnownFailure, 'symptom' | 'fix' | 'of' | 'endsProgram' | 'isOver'>>,
    Required<Pick<KnownFailure, 'signs'>> {
  /** It lasts until the next start. Others are remembered from their last line on. */
  readonly untilRestart?: true;
  /** It is none while the node answers. */
  readonly whileSilent?: true;
  /** The patterns of another failure that explain a line of this one near them. */
  readonly unless?: readonly string[];
  /** The client whose words the list of known failures has. */
  readonly client?: ClientName;
}

/** What a node shows that does not come along with the others. */
const LEFT_BEHIND = ['node_stalled', 'node_behind', 'node_not_voting', 'node_partitioned', 'peers_missing'] as const;

const LOST_SNAPSHOT: readonly string[] = ['bad_block_state', 'snapshot_recovery_failed'];

/** The failures of nodes that their logs name by themselves. */
export const nodeLogFailures: readonly LogFailure[] = [
  {
    name: 'wrong_genesis',
    summary: (name) => `${name} cannot start with the genesis it was given`,
    endsProgram: true,
    signs: ['other_genesis', 'genesis_differs', 'genesis_unexpected'],
    unless: ['database_corrupt'],
    cause: 'Its data folder holds the chain of another genesis than the one that it is started with.',
    advise: ({ advice }, node) => `${advice.giveGenesis(node)}; if it has that, ${advice.resync(node.name)}`,
  },
  {
    name: 'folder_in_use',
    summary: (name) => `another process has the data folder of ${name} open`,
    endsProgram: true,
    signs: ['folder_in_use', 'database_locked', 'folder_locked'],
    cause: 'Another process, often a second node, has its data folder open.',
    advise: () => 'end the other process, or give each node a data folder of its own',
  },
  {
    name: 'unknown_flag',
    summary: (name) => `${name} was started with a flag that it does not know`,
    endsProgram: true,
    signs: ['unknown_flag'],
    cause: 'Its command has a flag that its image does not know, as after a change of the image.',
    advise: () => 'correct its command, or take the image that its start script was written for',
  },
  {
    name: 'unlock_failed',
    summary: (name) => `${name} cannot read or unlock its key`,
    endsProgram: true,
    signs: ['unlock_failed', 'key_unreadable'],
    cause:
      'It cannot read or unlock the key with which it signs. One start script writes it twice if the data folder is emptied and the container only started again.',
    advise: ({ advice }, node) =>
      `${advice.checkKey(node)}; if the folder was emptied, ${commandToReplace(node.container)}`,
  },
  {
    name: 'disk_unwritable',
    summary: (name) => `${name} cannot write to its data folder`,
    endsProgram: true,
    signs: ['disk_read_only', 'disk_broken'],
    cause: 'The file system of its data folder is mounted read-only, or its disk fails.',
    advise: (_, { container }) =>
      `see that its data folder is not mounted read-only in docker-compose.yml (\`:ro\`), and find what is wrong with the disk in \`dmesg -T\`; then ${commandToRecreate(container)}`,
  },
  {
    name: 'too_many_open_files',
    summary: (name) => `${name} has run out of file descriptors`,
    // It may end at a gap block, at which it opens its own socket.
    leavesRunning: {
      explains: ['latest_block', 'peers', 'log_block'],
      brings: [
        'container_down',
        'container_restarting',
        'node_down',
        'rpc_closed',
        'silent_restart_loop',
        'head_regression',
        'node_hanging',
        ...LEFT_BEHIND,
      ],
    },
    isOver: afterBlocksInLoop,
    signs: ['too_many_open_files'],
    cause: 'It has as many files open as its limit of file descriptors allows.',
    advise: () =>
      'raise its limit of file descriptors: write `ulimits: { nofile: 65536 }` below its service in docker-compose.yml and recreate it, or `LimitNOFILE=65536` into its systemd unit and restart it',
  },
  {
    name: 'stats_refused',
    summary: (name) => `the stats server refuses ${name}`,
    leavesRunning: { explains: [], brings: [] },
    isOver: afterSilence,
    signs: ['stats_unauthorized'],
    cause: 'Its STATS_SECRET differs from that of the stats server.',
    advise: ({ advice }, node) =>
      `compare STATS_SECRET in common.env with that of ${advice.envFile(node)} and of the stats server, and recreate what runs with another one`,
  },
  {
    name: 'rpc_not_bound',
    summary: (name) => `${name} runs without RPC`,
    leavesRunning: { explains: ['latest_block', 'peers', 'log_block'], brings: ['node_down', 'rpc_closed'] },
    signs: ['rpc_not_bound'],
    cause:
      'It could not open the port of its RPC, often because another program has taken it, and runs on without RPC.',
    untilRestart: true,
    whileSilent: true,
    advise: ({ advice, deployment }, node) =>
      `end the program that has that port, or give the node another one by ${deployment.rpcPort[0]} in ${advice.envFile(node)}, then restart it`,
    client: 'nethermind',
  },
  {
    name: 'cannot_sign',
    summary: (name) => `${name} cannot sign`,
    leavesRunning: { explains: ['log_block'], brings: ['node_not_voting'] },
    signs: ['cannot_sign'],
    cause: 'The key with which it signs is missing or locked, so it does not vote.',
    advise: ({ advice }, node) => `${advice.checkKey(node)}, and recreate ${node.name}`,
    client: 'nethermind',
  },
  {
    name: 'processing_dead',
    summary: (name) => `${name} no longer processes blocks`,
    leavesRunning: { explains: ['latest_block', 'log_block'], brings: ['node_stalled', 'node_behind'] },
    signs: ['processing_dead'],
    cause: 'An error has ended the loop in which it processes blocks, and the rest of the node runs on.',
    untilRestart: true,
    advise: () => 'free its disk if that is full, and restart it',
    client: 'nethermind',
  },
  {
    name: 'database_corrupt',
    summary: (name) => `the database of ${name} is corrupt`,
    signs: ['database_corrupt', 'database_incomplete', 'database_marked', 'parent_corrupt'],
    cause: 'Its database is damaged, as by a full or failing disk or by a kill.',
    advise: ({ advice }, { name }) => advice.repairDatabase(name),
  },
  {
    name: 'disk_nearly_full',
    summary: (name) => `the disk of ${name} is nearly full`,
    leavesRunning: { explains: [], brings: ['disk_filling'] },
    signs: ['disk_nearly_full'],
    cause: 'The disk of its data folder is nearly full.',
    advise: () => 'free space on it before the node ends itself, which it does below 1 %',
    client: 'nethermind',
  },
  {
    name: 'bad_block',
    summary: (name) => `${name} refuses a block`,
    leavesRunning: { explains: ['latest_block', 'log_block'], brings: ['node_stalled', 'node_behind'] },
    signs: ['bad_block', 'bad_block_differs', 'block_failed', 'processing_failed'],
    cause: 'It refuses a block that another node made.',
    unless: LOST_SNAPSHOT,
    advise: ({ deployment }, _, shows) =>
      shows('bad_block_differs')
        ? `compare the versions and the ${deployment.chainFile} of all nodes, as it computes another result for that block`
        : 'read the error that its log gives with that line, which names the reason',
  },
  {
    name: 'snapshot_lost',
    summary: (name) => `${name} has lost a snapshot or state that it needs`,
    // It drops the peers that send it a block which it refuses.
    leavesRunning: { explains: ['latest_block', 'peers', 'log_block'], brings: LEFT_BEHIND },
    signs: LOST_SNAPSHOT,
    cause: 'A kill has cost it the snapshot of a gap block or the state of a block, so it refuses the blocks after it.',
    advise: ({ advice }, { name }) => `restore a backup of its data folder from before that, or ${advice.resync(name)}`,
  },
];
