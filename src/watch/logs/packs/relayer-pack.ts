import type { LogPattern, Meaning, PatternPack } from '../../../model/log.ts';
import { inOrder, requestCauses, transactionCauses } from '../known-causes.ts';
import { programEnds, redisFaults } from './program-ends.ts';

type More = Pick<LogPattern, 'fix' | 'match'>;

/** A message of the relayer's logger, by its first words; the text is as JSON escapes it. */
const message = (name: string, means: Meaning, begins: string, what: string, more?: More): LogPattern => ({
  name,
  means,
  what,
  literal: begins,
  ...more,
});

const SUBMIT = 'Fail to submit transactions into ';
const LAST_AUDITED = "Error while trying to fetch the last audited subnet's block";
const BLOCK_HASH = 'Fail to get block hash by number from ';
/** What web3 prints when there is no code at an address; some lines escape the apostrophe of "aren't". */
const NO_CONTRACT = 'Returned values aren';

/** What web3 prints when the parent chain does not answer; recorded with its node stopped. */
const NO_CONNECTION = 'CONNECTION (?:ERROR|TIMEOUT)|Failed to check for transaction receipt';

/** Why a transaction failed, in order; the last one is any other reason. */
const submitCauses = inOrder(`${SUBMIT}(PARENTNET|SUBNET) (?![^]{0,1500}?${NO_CONTRACT})`, [
  ...transactionCauses,
  ...requestCauses('the parent chain', 'PARENTNET_URL').map((cause) => ({ ...cause, name: `submit_${cause.name}` })),
  {
    name: 'submit_unconnected',
    says: `${NO_CONNECTION}|Invalid JSON RPC response|could not detect network|NETWORK_ERROR|fetch failed|HTTP request failed`,
    what: 'the parent chain does not answer',
    fix: 'check PARENTNET_URL and that node',
  },
  { name: 'submit_failed', says: '', what: 'a transaction failed', fix: 'read the lines of the relayer' },
]);

/** XDC-Relayer v0.3.1 under concurrently: `[0] ` is redis, `[1] ` the relayer. */
export const relayerPack: PatternPack = {
  component: 'relayer',
  patterns: [
    {
      name: 'started',
      means: 'state',
      literal: '[1] > xdc-relayer@',
      match: /^\[1\] > xdc-relayer@\S+ start/,
      what: 'the relayer was started',
    },
    {
      name: 'redis_started',
      means: 'state',
      literal: 'oO0OoO0OoO0Oo Redis is starting',
      what: 'redis was started',
    },
    {
      name: 'exited',
      means: 'fatal',
      literal: '[1] sleep 5s; npm run start exited with code ',
      match: /^\[1\] sleep 5s; npm run start exited with code (?!SIGTERM|SIGINT|0\b)(\S{1,12})$/,
      what: 'the relayer died in a container that lives on',
      fix: 'look at the lines before, and restart the container',
    },
    {
      name: 'stopped',
      means: 'state',
      literal: '[1] sleep 5s; npm run start exited with code ',
      match: /^\[1\] sleep 5s; npm run start exited with code (?:SIGTERM|SIGINT|0)$/,
      what: 'the relayer was stopped',
    },
    {
      name: 'redis_exited',
      means: 'fatal',
      literal: 'redis-server --bind ',
      anywhere: true,
      match: /^\[0\] \S*redis-server --bind \S+ exited with code (?!0$|SIGTERM|SIGINT)(\S{1,12})$/,
      what: 'redis died, and the relayer says nothing any more',
      fix: 'restart the container',
    },
    ...redisFaults,
    ...programEnds('[1] '),
    message('modes', 'state', 'Running modes:  ', 'the modes that the relayer runs in', {
      match: /^Running modes: {2}\[([^\]]{0,200})\]"/,
    }),
    message('full_cycle', 'state', '⏰ Full Relayer: Executing', 'a cycle begins (every 20s)'),
    message('lite_cycle', 'state', '⏰ Executing lite flow', 'a cycle begins (every 2m)'),
    message('reverse_cycle', 'state', '⏰ Reverse Relayer: Executing', 'a cycle begins (every 20s)'),
    message('zero_cycle', 'progress', '⏰ Executing xdc-zero', 'the heartbeat of zero (every 10s)'),
    message(
      'reverse_zero_cycle',
      'progress',
      '⏰ Executing reverse-xdc-zero',
      'the heartbeat of reverse zero (every 10s)',
    ),
    message('syncing', 'state', 'Start syncing with smart contract', 'the cycle has something to do'),
    message('fetching', 'state', 'Fetch ', 'the cycle reads blocks', {
      match: /^Fetch (?:subnet|parentnet) node data from (\d+)/,
    }),
    message('attempt', 'state', 'submitDynamic startblock ', 'a transaction is about to be sent', {
      match: /^submitDynamic startblock (\d+) .* into PARENTNET/,
    }),
    message('reverse_attempt', 'state', 'submitDynamic startblock ', 'a transaction is about to be sent', {
      match: /^submitDynamic startblock (\d+) .* into SUBNET/,
    }),
    message('lite_attempt', 'state', 'Submit the subnet block epoch ', 'a transaction is about to be sent'),
    message('full_submitted', 'progress', 'Full CSC Sync completed!', 'blocks were submitted'),
    message('reverse_submitted', 'progress', 'Reverse Full CSC Sync completed!', 'blocks were submitted'),
    message(
      'lite_completed',
      'progress',
      'Lite CSC Sync completed!',
      'the cycle is over, which is a submission only after an attempt',
    ),
    message('fork', 'fatal', '⛔️ WARNING: Forking detected', 'the subnet and its checkpoint contract disagree', {
      fix: 'compare block hashes, and deploy a new contract if the subnet was wiped',
    }),
    ...submitCauses.map(({ name, what, ...more }) => message(name, 'error', SUBMIT, what, more)),
    message(
      'subnet_unreachable',
      'error',
      'Error getLastCommittedBlockInfo while trying to fetch',
      'the subnet node of the relayer does not answer well',
      { fix: 'check SUBNET_URL and that node', match: /^(?!.*Unable to get latest committed).*from subnet / },
    ),
    message(
      'subnet_uncommitted',
      'error',
      'Error getLastCommittedBlockInfo while trying to fetch',
      'the subnet node of the relayer knows of no committed block',
      {
        fix: 'check that the subnet makes blocks',
        match: /Unable to get latest committed block information on SUBNET/,
      },
    ),
    message(
      'parent_head_unreadable',
      'error',
      'Error getLastCommittedBlockInfo while trying to fetch',
      'the parent chain gave no committed block',
      {
        fix: 'check PARENTNET_URL and its limits',
        match: new RegExp(`^(?!.*${NO_CONTRACT})[^"]* from PARENTNET `),
      },
    ),
    {
      name: 'contract_missing',
      means: 'error',
      literal: NO_CONTRACT,
      anywhere: true,
      match: new RegExp(`^(?!\\[)(?=.*${NO_CONTRACT})(?:[^"{]*\\b(PARENTNET|SUBNET)\\b)?`),
      what: 'there is no contract at the address of CHECKPOINT_CONTRACT any more, or the chain behind it is another one',
      fix: 'correct it in common.env, or deploy the contract again',
    },
    message('parent_unreachable', 'error', LAST_AUDITED, 'the parent chain does not answer well', {
      fix: 'check PARENTNET_URL and its limits',
      match: new RegExp(`^${LAST_AUDITED} in XDC (PARENTNET|mainnet)(?!.*${NO_CONTRACT})`),
    }),
    message('reverse_contract_unreadable', 'error', LAST_AUDITED, 'the reverse checkpoint contract could not be read', {
      fix: 'check SUBNET_URL and that node',
      match: new RegExp(`^${LAST_AUDITED} in XDC SUBNET(?!.*${NO_CONTRACT})`),
    }),
    message(
      'block_not_in_contract',
      'error',
      BLOCK_HASH,
      'the checkpoint contract does not know a block of the subnet that it should hold',
      {
        fix: 'compare their heights, and if the subnet was wiped, deploy a new one',
        match: new RegExp(`^${BLOCK_HASH}(PARENTNET|SUBNET)\\b.*execution reverted`),
      },
    ),
    message('contract_unreadable', 'error', 'Fail to get', 'the checkpoint contract could not be read', {
      fix: 'check the node that PARENTNET_URL names, or SUBNET_URL for the reverse relayer',
      match: new RegExp(
        `^(?:${BLOCK_HASH}|Fail to getGapAndEpoch from )(PARENTNET|SUBNET)\\b(?!.*(?:execution reverted|${NO_CONTRACT}))`,
      ),
    }),
    message(
      'proof_unreadable',
      'error',
      'Error while trying to fetch the transaction receipt proof on SUBNET',
      'the subnet node of the relayer gave no proof of a transaction to zero',
      {
        fix: 'check SUBNET_URL, and that its node serves eth_getTransactionAndReceiptProof',
        match: new RegExp(`^(?!.*${NO_CONTRACT})`),
      },
    ),
    message(
      'block_unreadable',
      'error',
      'Error while trying to fetch blockInfo by ',
      'a block could not be read from a chain',
      { fix: 'check the node that SUBNET_URL or PARENTNET_URL names' },
    ),
    message('fetch_failed', 'error', 'Axios ', 'blocks could not be read within 10s', {
      fix: 'check the node that SUBNET_URL or PARENTNET_URL names',
      match: /^Axios \w+ Fetching Error/,
    }),
    message(
      'commit_header_failed',
      'error',
      'Fail to commitHeader',
      'the relayer cannot commit headers in lite mode (a defect of v0.3.1)',
      { fix: 'submit them by another tool, or use full mode' },
    ),
    message(
      'sequence_wrong',
      'error',
      'sequence >=3 or lastNum is 0',
      'the contract holds headers of an epoch that it does not commit: nothing forked, but lite mode cannot go on',
    ),
    message('mode_unreadable', 'error', 'Fail to get mode from ', 'CHECKPOINT_CONTRACT is empty', {
      fix: 'set CHECKPOINT_CONTRACT in common.env',
      match: /^Fail to get mode from (?:PARENTNET|mainnet)/,
    }),
    message(
      'reverse_mode_unreadable',
      'error',
      'Fail to get mode from SUBNET',
      'REVERSE_CHECKPOINT_CONTRACT is empty',
      { fix: 'set REVERSE_CHECKPOINT_CONTRACT in common.env' },
    ),
    message('redis_unreachable', 'error', 'Make sure you have redis running', 'redis did not start', {
      fix: 'look at the lines that begin with [0]',
    }),
    message('job_failed', 'error', 'Fail to process ', 'a cycle failed', {
      fix: 'look at the lines of the relayer',
      match: /^Fail to process (full relayer|lite relayer|full reverse relayer|xdc-zero|reverse-xdc-zero) job/,
    }),
    {
      name: 'unreachable_at_start',
      means: 'note',
      literal: '[1] Error: CONNECTION ERROR',
      match: /^\[1\] Error: CONNECTION ERROR: Couldn't connect to node/,
      what: 'a chain could not be reached at the start, and the relayer ended',
      fix: 'check SUBNET_URL and PARENTNET_URL',
    },
    {
      name: 'wrong_contract',
      means: 'note',
      literal: "[1] Error: Returned values aren't valid",
      what: 'there is no contract at CHECKPOINT_CONTRACT on the parent chain',
      fix: 'correct CHECKPOINT_CONTRACT in common.env',
    },
    {
      name: 'no_contract',
      means: 'note',
      literal: "[1] Error: This contract object doesn't have address",
      what: 'CHECKPOINT_CONTRACT is empty',
      fix: 'set CHECKPOINT_CONTRACT in common.env',
    },
  ],
};
