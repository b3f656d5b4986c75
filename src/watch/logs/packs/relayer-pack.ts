import type { LogPattern } from '../../../model/log.ts';
import { inOrder, requestCauses, transactionCauses, withPrefix } from '../known-causes.ts';
import { error, fatal, note, progress, state, toPack } from './pattern-rows.ts';
import { programEnds, redisFaults } from './program-ends.ts';

const SUBMIT = 'Fail to submit transactions into ';
const LAST_AUDITED = "Error while trying to fetch the last audited subnet's block";
const BLOCK_HASH = 'Fail to get block hash by number from ';
/** What web3 prints when there is no code at an address; some lines escape the apostrophe of "aren't". */
const NO_CONTRACT = 'Returned values aren';

/** What web3 prints when the parent chain does not answer; recorded with its node stopped. */
const NO_CONNECTION = 'CONNECTION (?:ERROR|TIMEOUT)|Failed to check for transaction receipt';

/** Why a transaction failed, in order; the last one is any other reason. */
const submitErrors = inOrder(SUBMIT, `${SUBMIT}(PARENTNET|SUBNET) (?![^]{0,1500}?${NO_CONTRACT})`, {
  ...transactionCauses,
  submit_unserved: {
    says: 'does not exist\\/is not available|method not (?:found|supported)|(?:the method|eth_\\w+)(?: is)? (?:not (?:whitelisted|allowed|supported|available)|disabled)|unsupported method|-32601\\b',
    what: 'the node of PARENTNET_URL does not serve a method that the relayer needs',
    fix: 'let it serve eth_sendRawTransaction and the others of eth, or set another address in PARENTNET_URL',
  },
  ...withPrefix('submit_', requestCauses('the parent chain', 'PARENTNET_URL')),
  submit_unconnected: {
    says: `${NO_CONNECTION}|(?:could not|failed to) detect network|NETWORK_ERROR|fetch failed`,
    what: 'the parent chain does not answer',
    fix: 'check PARENTNET_URL and that node',
  },
  // What came may be from the node or from what stands before it, and web3 says so too where nothing came.
  submit_garbled: {
    says: 'Invalid JSON RPC response|HTTP request failed',
    what: 'the parent chain does not answer properly',
    fix: 'see that the node that PARENTNET_URL names answers, and does not refuse the relayer',
  },
  submit_failed: { says: '', what: 'a transaction failed', fix: 'read the lines of the relayer' },
});

/** XDC-Relayer v0.3.1 under concurrently: `[0] ` is redis, `[1] ` the relayer. The texts of its logger are as JSON escapes them. */
export const relayerPack: readonly LogPattern[] = toPack({
  started: state('[1] > xdc-relayer@', 'the relayer was started', {
    match: /^\[1\] > xdc-relayer@\S+ start/,
  }),
  redis_started: state('oO0OoO0OoO0Oo Redis is starting', 'redis was started'),
  killed: fatal('[1] sleep 5s; npm run start exited with code ', 'it was killed, as happens when memory runs out', {
    match: /^\[1\] sleep 5s; npm run start exited with code (?:137|SIGKILL)$/,
    fix: 'give its container or the machine more memory, and restart the container',
  }),
  exited: fatal('[1] sleep 5s; npm run start exited with code ', 'the relayer died in a container that lives on', {
    match: /^\[1\] sleep 5s; npm run start exited with code (?!SIGTERM|SIGINT|0\b)(\S{1,12})$/,
    fix: 'look at the lines before, and restart the container',
  }),
  stopped: state('[1] sleep 5s; npm run start exited with code ', 'the relayer was stopped', {
    match: /^\[1\] sleep 5s; npm run start exited with code (?:SIGTERM|SIGINT|0)$/,
  }),
  redis_exited: fatal('redis-server --bind ', 'redis died, and the relayer logs nothing after that', {
    anywhere: true,
    match: /^\[0\] \S*redis-server --bind \S+ exited with code (?!0$|SIGTERM|SIGINT)(\S{1,12})$/,
    fix: 'restart the container',
  }),
  ...redisFaults,
  ...programEnds('[1] '),
  modes: state('Running modes:  ', 'the modes that the relayer runs in', {
    match: /^Running modes: {2}\[([^\]]{0,200})\]"/,
  }),
  full_cycle: state('⏰ Full Relayer: Executing', 'a cycle begins (every 20s)'),
  lite_cycle: state('⏰ Executing lite flow', 'a cycle begins (every 2m)'),
  reverse_cycle: state('⏰ Reverse Relayer: Executing', 'a cycle begins (every 20s)'),
  zero_cycle: progress('⏰ Executing xdc-zero', 'the heartbeat of zero (every 10s)'),
  reverse_zero_cycle: progress('⏰ Executing reverse-xdc-zero', 'the heartbeat of reverse zero (every 10s)'),
  zero_waits: state('Wait for csc block ', 'packets wait for a block in the checkpoint contract', {
    match: /^Wait for csc block lastBlockNumber: (\d+, cscBlockNumber: \d+)/,
  }),
  zero_idle: state('Nothing to process in ', 'there is no packet', {
    match: /^Nothing to process in (xdc-zero|reverse-xdc-zero)/,
  }),
  zero_delivered: state('Completed the ', 'all packets are delivered', {
    match: /^Completed the (xdc-zero|reverse-xdc-zero) sync/,
  }),
  syncing: state('Start syncing with smart contract', 'the cycle has something to do'),
  fetching: state('Fetch ', 'the cycle reads blocks', {
    match: /^Fetch (?:subnet|parentnet) node data from (\d+)/,
  }),
  attempt: state('submitDynamic startblock ', 'a transaction is about to be sent', {
    match: /^submitDynamic startblock (\d+) .* into PARENTNET/,
  }),
  reverse_attempt: state('submitDynamic startblock ', 'a transaction is about to be sent', {
    match: /^submitDynamic startblock (\d+) .* into SUBNET/,
  }),
  lite_attempt: state('Submit the subnet block epoch ', 'a transaction is about to be sent'),
  full_submitted: progress('Full CSC Sync completed!', 'blocks were submitted'),
  reverse_submitted: progress('Reverse Full CSC Sync completed!', 'blocks were submitted'),
  lite_completed: progress(
    'Lite CSC Sync completed!',
    'the cycle is over, which is a submission only after an attempt',
  ),
  fork: fatal(
    '⛔️ WARNING: Forking detected',
    'the blocks of the node of SUBNET_URL are not those of the checkpoint contract',
    {
      fix: 'see that SUBNET_URL and CHECKPOINT_CONTRACT in common.env are of this subnet; if the subnet was wiped, deploy a new contract',
    },
  ),
  ...submitErrors,
  subnet_unreachable: error(
    'Error getLastCommittedBlockInfo while trying to fetch',
    'the subnet node of the relayer does not answer properly',
    { fix: 'check SUBNET_URL and that node', match: /^(?!.*Unable to get latest committed).*from subnet / },
  ),
  subnet_uncommitted: error(
    'Error getLastCommittedBlockInfo while trying to fetch',
    'the subnet node of the relayer knows of no committed block',
    {
      fix: 'check that the subnet makes blocks',
      match: /Unable to get latest committed block information on SUBNET/,
    },
  ),
  parent_head_unreadable: error(
    'Error getLastCommittedBlockInfo while trying to fetch',
    'the parent chain gave no committed block',
    {
      fix: 'see that the node that PARENTNET_URL names answers, has all blocks of its chain, and does not limit the relayer',
      match: new RegExp(`^(?!.*${NO_CONTRACT})[^"]* from PARENTNET `),
    },
  ),
  contract_missing: error(
    NO_CONTRACT,
    'there is no longer a contract at the address of CHECKPOINT_CONTRACT, or the chain behind it has changed',
    {
      anywhere: true,
      match: new RegExp(`^(?!\\[)(?=.*${NO_CONTRACT})(?:[^"{]*\\b(PARENTNET|SUBNET)\\b)?`),
      fix: 'correct it in common.env, or deploy the contract again',
    },
  ),
  parent_unreachable: error(LAST_AUDITED, 'the parent chain does not answer properly', {
    fix: 'see that the node that PARENTNET_URL names answers, has all blocks of its chain, and does not limit the relayer',
    match: new RegExp(`^${LAST_AUDITED} in XDC (PARENTNET|mainnet)(?!.*${NO_CONTRACT})`),
  }),
  reverse_contract_unreadable: error(LAST_AUDITED, 'the reverse checkpoint contract could not be read', {
    fix: 'check SUBNET_URL and that node',
    match: new RegExp(`^${LAST_AUDITED} in XDC SUBNET(?!.*${NO_CONTRACT})`),
  }),
  block_not_in_contract: error(
    BLOCK_HASH,
    'the checkpoint contract does not hold a block that it was asked for, or has not committed it yet',
    {
      fix: 'wait for the next cycle; if that fails too, compare the heights of both, and if the subnet was wiped, deploy a new one',
      match: new RegExp(`^${BLOCK_HASH}(PARENTNET|SUBNET)\\b.*execution reverted`),
    },
  ),
  contract_unreadable: error('Fail to get', 'the checkpoint contract could not be read', {
    fix: 'check the node that PARENTNET_URL names, or SUBNET_URL for the reverse relayer',
    match: new RegExp(
      `^(?:${BLOCK_HASH}|Fail to getGapAndEpoch from )(PARENTNET|SUBNET)\\b(?!.*(?:execution reverted|${NO_CONTRACT}))`,
    ),
  }),
  proof_unreadable: error(
    'Error while trying to fetch the transaction receipt proof on SUBNET',
    'the subnet node of the relayer gave no proof of a transaction to zero',
    {
      fix: 'check SUBNET_URL, and that its node serves eth_getTransactionAndReceiptProof',
      match: new RegExp(`^(?!.*${NO_CONTRACT})`),
    },
  ),
  block_unreadable: error('Error while trying to fetch blockInfo by ', 'a block could not be read from a chain', {
    fix: 'check the node that SUBNET_URL or PARENTNET_URL names',
  }),
  fetch_failed: error('Axios ', 'blocks could not be read within 10s', {
    fix: 'check the node that SUBNET_URL or PARENTNET_URL names',
    match: /^Axios \w+ Fetching Error/,
  }),
  commit_header_failed: error(
    'Fail to commitHeader',
    'the relayer cannot commit headers in lite mode (a defect of v0.3.1)',
    { fix: 'submit them by another tool, or use full mode' },
  ),
  sequence_wrong: error(
    'sequence >=3 or lastNum is 0',
    'the contract holds headers of an epoch that it does not commit: nothing forked, but lite mode cannot go on',
  ),
  mode_unreadable: error('Fail to get mode from ', 'CHECKPOINT_CONTRACT is empty', {
    fix: 'set CHECKPOINT_CONTRACT in common.env',
    match: /^Fail to get mode from (?:PARENTNET|mainnet)/,
  }),
  reverse_mode_unreadable: error('Fail to get mode from SUBNET', 'REVERSE_CHECKPOINT_CONTRACT is empty', {
    fix: 'set REVERSE_CHECKPOINT_CONTRACT in common.env',
  }),
  redis_unreachable: error('Make sure you have redis running', 'redis did not start', {
    fix: 'look at the lines that begin with [0]',
  }),
  job_failed: error('Fail to process ', 'a cycle failed', {
    fix: 'look at the lines of the relayer',
    match: /^Fail to process (full relayer|lite relayer|full reverse relayer|xdc-zero|reverse-xdc-zero) job/,
  }),
  unreachable_at_start: note(
    '[1] Error: CONNECTION ERROR',
    'a chain could not be reached at the start, and the relayer ended',
    { match: /^\[1\] Error: CONNECTION ERROR: Couldn't connect to node/, fix: 'check SUBNET_URL and PARENTNET_URL' },
  ),
  wrong_contract: note(
    "[1] Error: Returned values aren't valid",
    'there is no contract at CHECKPOINT_CONTRACT on the parent chain',
    { fix: 'correct CHECKPOINT_CONTRACT in common.env' },
  ),
  no_contract: note("[1] Error: This contract object doesn't have address", 'CHECKPOINT_CONTRACT is empty', {
    fix: 'set CHECKPOINT_CONTRACT in common.env',
  }),
});
