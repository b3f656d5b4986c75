import type { LogPattern } from '../../../model/log.ts';
import { error, fatal, NUMBER, note, progress, state, toPack } from './pattern-rows.ts';

const RESYNC = 'remove nethermind_db in its data folder and let it sync again from the others; its key is not in there';

/**
 * Nethermind as a node of a subnet, at level INFO and DEBUG, the wording of spring 2026 and that of the summer after.
 * Its console tells no level, so no pattern asks for one.
 */
export const nethermindPack: readonly LogPattern[] = toPack({
  round: progress('Round ', 'the chain advances', {
    match: new RegExp(`^Round [\\d,]+[^|]*?(?:: head=#|: Block #|: Checking header #)${NUMBER}`),
  }),
  processed: progress('Processed ', 'the chain advances', {
    match: new RegExp(`^Processed +(?:x\\d+ +)?(?:[\\d,]+ *\\.{2,3} *)?${NUMBER}(?: |$)`),
  }),
  committed: progress('Committed new block ', 'the chain advances', {
    match: new RegExp(`^Committed new block ${NUMBER}`),
  }),
  nethermind_started: state('Nethermind is starting up', 'the node was started'),
  loaded_tree: state('Block tree initialized, last processed is ', 'the head at the start', {
    match: new RegExp(`last processed is ${NUMBER}, best`),
  }),
  nethermind_stopped: state('Nethermind is shutting down', 'the node was told to stop'),
  config_misspelt: note('Invalid configuration settings:', 'its configuration names an option that it lacks', {
    fix: 'correct the names that the next lines list in xdc-nmc-subnet.json or its env file',
  }),
  vote_failed: note('Round ', 'the node could not vote', { match: /^Round \d+: Failed to cast vote/ }),
  build_failed: note('Failed to build block in round ', 'the node could not make a block'),
  state_unavailable: note('Round ', 'the node lacks what it needs to propose a block', {
    match: /^Round \d+: HighestQC block #\d+ body not available|^Round \d+: .{0,80}state still unavailable/,
  }),
  snapshot_lacking: note('Cannot recover snapshot for block ', 'the node lacks a snapshot', {
    fix: 'wait while it syncs; if it lasts, let it sync again from the others',
  }),
  snapshot_recovery_failed: error('Snapshot recovery failed for block ', 'the node lacks a snapshot', {
    fix: RESYNC,
  }),
  parent_corrupt: error('Parent header ', 'the database of the node has a gap', {
    match: /^Parent header \S+ (?:is missing|does not have required consensus data)/,
    fix: RESYNC,
  }),
  cannot_sign: error('XDC signer ', 'the node cannot sign', {
    match: /^XDC signer \S+ could not sign /,
    fix: 'check NETHERMIND_KEYSTORECONFIG_TESTNODEKEY in its env file',
  }),
  block_failed: error('Issue processing block ', 'the node refused a block', {
    fix: 'read the exception that its log gives with that line, which names the reason',
  }),
  processing_failed: error('Processing block failed. Block: ', 'the node refused a block', {
    fix: 'read the exception that its log gives with that line, which names the reason',
  }),
  processing_dead: fatal('BlockchainProcessor encountered an exception.', 'the node no longer processes blocks', {
    fix: 'free its disk if that is full, and restart it',
  }),
  genesis_unexpected: fatal('Unexpected genesis hash, expected ', 'its genesis is not the expected one', {
    fix: 'run scripts/check-chainspec.sh in the folder of the deployment, then remove only nethermind_db from its data folder',
  }),
  rpc_not_bound: error('Error during jsonRpc runner start', 'the node runs without RPC', {
    fix: 'free the port of its RPC, then restart it',
  }),
  port_in_use: fatal('Port ', 'a port is taken by another program', {
    match: /^Port \d{1,5} is in use\./,
    fix: 'end that program, then restart the node',
  }),
  peer_port_in_use: fatal('A critical error has occurred', 'a port is taken by another program', {
    match: /^A critical error has occurred\.? (?:\w+\.)*PortInUseException/,
    fix: 'end that program, then restart the node',
  }),
  folder_locked: fatal('If your database did not close properly', 'another node runs on its data folder', {
    fix: 'end that one, or give each a folder of its own',
  }),
  database_marked: error('Corrupted DB detected on path ', 'its database is corrupt', {
    fix: 'restart it: it repairs the database as it starts',
  }),
  database_repairs: state('Corrupted DB marker detected for db ', 'the node repairs its database'),
  database_repaired: state('Repair completed. Some data may be lost.', 'the node has repaired its database'),
  disk_nearly_full: note('Running out of free disk space - only ', 'the disk of the node is nearly full', {
    fix: 'free space before it ends itself, which it does below 1 %',
  }),
  disk_below_limit: fatal('Free disk space is below ', 'the node ended itself, as its disk is nearly full', {
    fix: 'free space on it',
  }),
  critical_error: fatal('A critical error has occurred', 'the node ended itself'),
  crashed: fatal('Unhandled exception. ', 'the node crashed', { ends: true }),
  runtime_failed: fatal('Fatal error. ', 'the runtime of the node crashed', { ends: true }),
  memory_used_up: fatal('Out of memory.', 'the node ran out of memory', {
    ends: true,
    fix: 'give the container or its machine more memory',
  }),
});
