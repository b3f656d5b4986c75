import type { LogPattern } from '../../../model/log.ts';
import { nodeEnds } from './node-ends.ts';
import { error, fatal, NUMBER, note, progress, state, toPack } from './pattern-rows.ts';

const toField = (key: string): RegExp => new RegExp(`\\s${key}=${NUMBER}`);

/**
 * A height in a node's log, at level 3 (INFO) or 4 (DEBUG). Chosen by message and key, as `number=` is often a vote
 * count.
 */
const height = (literal: string, key: string) => progress(literal, 'the chain advances', { match: toField(key) });

/** XDC-Subnet v0.3.2 and XDPoSChain 2.x, log levels 2 to 4. */
export const nodePack: readonly LogPattern[] = toPack({
  imported_segment: height('Imported new chain segment ', 'number'),
  commit_block: height('Successfully commit and confirm block from continuous 3 blocks', 'num'),
  committing_new_block: height('Committing new block ', 'number'),
  sealed_block: height('Successfully sealed new block ', 'number'),
  produced_qc: height('Successfully processed the vote and produced QC!', 'QcNumber'),
  process_qc: height('[processQC] update x.highestQuorumCert', 'blockNum'),
  inserted_block: height('Inserted new block from ', 'number'),
  chain_head: height('New ChainHeadEvent ', 'number'),
  your_turn: progress('[yourturn] Masternode:', 'the chain advances, as xdc.log shows at any level', {
    match: new RegExp(`parentBlockNum[ =]${NUMBER}`),
  }),
  log_level: state('Set the log level to ', 'the level that the node was started with', {
    match: /^Set the log level to (\d)/,
  }),
  log_level_found: state('Log level found, set to ', 'the level that the node was started with', {
    match: /^Log level found, set to (\d)/,
  }),
  started: state('Starting nodes with ', 'the node was started'),
  node_started: state('Starting peer-to-peer node', 'the program of the node has started'),
  // At each log level, and once for each start.
  engine_started: state('[initial] initial v2 related parameters', 'the consensus of the node has started'),
  stopped: state('Got interrupt, shutting down...', 'the node was told to stop'),
  genesis_written: state('Writing custom genesis block', 'the node began with an empty data folder', {
    containerOnly: true,
  }),
  loaded_genesis: state('Loaded most recent local ', 'the node began with an empty data folder', {
    match: /local (?:header|block)"?\s+number=0\s/,
  }),
  loaded_head: state('Loaded most recent local full block', 'the head at the start', {
    match: toField('number'),
  }),
  round_timeout: note('[sendTimeout] Timeout message generated', 'a round brought no block within 10s'),
  timeout_sync: note('[OnCountdownTimeout] timeout sync threadhold reached', 'three timeouts in one round'),
  round_skipped: note('[commitBlocks] Rounds not continuous', 'a round was skipped, so nothing was committed'),
  repaired_head: note('Head state missing, repairing chain', 'the node was killed and has lost recent state'),
  state_missing: note(
    'Failed to create mining context',
    'a kill has cost the node the state of its newest blocks; it makes none until it has fetched it from other nodes',
    { match: /missing trie [Nn]ode/ },
  ),
  database_empty: error('Empty database, resetting chain', 'the chain database was lost', {
    fix: 'check the disk',
  }),
  head_block_missing: error('Head block missing, resetting chain', 'the chain database is corrupt', {
    fix: 'check the disk',
  }),
  rewound: note('Rewinding blockchain', 'the head was set back'),
  reorg: note('Chain split detected', 'uncommitted blocks were replaced'),
  chain_reorg: note('Chain reorg detected', 'uncommitted blocks were replaced'),
  side_fork: note('⑂ block  became a side fork', 'a block of this node was lost'),
  refused_reorg: fatal(
    'Stop reorg, blockchain is under forking attack',
    'a reorganisation below a committed block was refused',
    { fix: 'compare the committed hashes of all nodes' },
  ),
  impossible_reorg: error('Impossible reorg, please file an issue', 'the chain of the node is inconsistent'),
  bad_block: error('########## BAD BLOCK #########', 'the node refused a block', {
    fix: 'read the line "Error:" that follows it',
  }),
  snapshot_missing: note('Cannot find snapshot from last gap block', 'the node lacks a snapshot', {
    fix: 'wait while the node is young or syncs; if it lasts, let it sync again from the others',
  }),
  vote_too_late: note(
    'Failed to pass the voting rule verification, blockRound is not equal currentRound',
    'a vote came too late',
    { fix: 'see whether it comes at each first block of an epoch: then the disk of the node is too slow' },
  ),
  bad_hash: error('Found bad hash, rewinding chain', 'the node has a block that is known to be bad'),
  sync_failed: note('Synchronisation failed', 'synchronising with a peer failed'),
  invalid_votes: note(
    '[onVotePoolThresholdReached] Not enough valid signatures to generate QC',
    'votes carry wrong signatures',
    { fix: 'look for a node with a wrong key or genesis' },
  ),
  foreign_signer: note(
    '[verifyMsgSignature] signer is not part of masternode list',
    'a message was signed by a node that is not a masternode',
    { fix: 'look for a node with a wrong key or genesis' },
  ),
  miner_stopped: error('Coinbase address not in snapshot signers.', 'the miner of the node has stopped', {
    fix: 'restart the node',
  }),
  vote_proof: note(
    'Forensics proof report generated',
    'the node has both signatures of a masternode that voted for two blocks which exclude each other',
    {
      match: /^Forensics proof report generated.*?(forensicsProof=.*)/,
      fix: 'find what else signs with the key of that masternode, and stop it',
    },
  ),
  seal_failed: note('Block sealing failed', 'a block could not be proposed'),
  penalised: note('[HookPenalty] Final penalty ', 'a node is penalised for making no block'),
  clock_drift: note('System clock seems off by', 'the clock of the machine is off', {
    fix: 'set it by NTP',
  }),
  stats_unreachable: note('Stats server unreachable', 'the stats server does not answer'),
  stats_unauthorized: note('Stats login failed', 'STATS_SECRET differs between node and stats server', {
    match: /^Stats login failed\s+err=unauthorized\b/,
  }),
  rpc_refused: note('Served ', 'a caller asked for what the node does not serve', {
    match: /^Served \S+ .*\berr=/,
  }),
  rpc_crashed: note('RPC method ', 'a call crashed inside the node', { match: /^RPC method \S+ crashed:/ }),
  ipc_path_long: note('The ipc endpoint is longer than', 'the path of the IPC socket is too long'),
  masternode_update_failed: fatal(
    'Error when update masternodes set. Stopping node',
    'the node ends at a gap block, as it cannot read its masternodes',
    { fix: 'start it again; if it ends once more, check its socket, its disk and its data' },
  ),
  no_masternode: fatal('No masternode found. Stopping node', 'the node stops because its set of masternodes is empty', {
    fix: 'check the genesis',
  }),
  ...nodeEnds,
});
