const SET_ADDRESS =
  'set CHECKPOINT_CONTRACT in common.env and parentChain.contract of the inventory to its address, and recreate the relayer; the old one takes no further block';
const REPLACE = `deploy a new contract, ${SET_ADDRESS}`;

/** By what to do: what a contract means that reverts with a text. First XDC-CSC FullCheckpoint, then what LiteCheckpoint and HeaderReader add. */
const CAUSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [REPLACE]: {
    'Mismatched Validators':
      'the masternodes of the new epoch are not those that it was given at the gap block, so it misses an epoch change',
    'Invalid Validator':
      'somebody signed the block who is no masternode to it, as it misses an epoch change or began with other masternodes',
    'Insufficient Signatures':
      'fewer than two thirds of the masternodes that it knows signed the block, as it misses an epoch change or the certificateThreshold of the subnet is lower',
  },
  [`deploy a new contract with the epoch and gap of XDPoS_networkInformation, ${SET_ADDRESS}`]: {
    'Missing Current Validators': 'it was given no masternodes for the new epoch, so it misses the gap block',
    'Invalid Current Block': 'the block begins an epoch where the contract expects none',
    'Invalid Next Block': 'the block names the next masternodes where the contract expects no gap block',
    'Malformed Block blockhash empty': 'the block names no masternodes where the contract expects them',
  },
  [`restart the relayer, which looks for the last common block; if the contract refuses that too, ${REPLACE}`]: {
    'Parent Missing': 'it lacks the block before this one, as there is a gap or its newest block is of another branch',
  },
  'let one relayer alone submit to this contract, and name a node of the parent chain that keeps up in PARENTNET_URL and parentChain.rpc':
    Object.fromEntries(
      ['Old Block', 'Repeated Header', 'Repeated Block blockhash'].map((said) => [
        said,
        'it already has a block of this height, as the nodes of the parent chain disagree about its newest one or a second relayer submits',
      ]),
    ),
  'compare the block on the other nodes (XDPoS_getV2BlockByNumber): if theirs differs, name one of them in SUBNET_URL and let the bad one sync again; if all agree, the contract needs an upgrade':
    {
      'Repeated Genesis': 'the node of the subnet gave its genesis block in place of this one',
      'Invalid N': 'the number of the block does not follow that of its parent',
      'Invalid RN': 'the round of the block is not above that of its parent',
      'Invalid PRN': 'the block certifies its parent in another round than the contract has',
      'Repeated Validator': 'the block names a masternode twice, among its signatures or the next masternodes',
      'Malformed Block':
        'the block names the masternodes of its epoch and of the next one, and may name only one of them',
      'Malformed Block blockhash': 'the block names the masternodes of its epoch and of the next one at once',
      'Invalid Block Num Sequence': 'the blocks after this one do not follow it',
      'Verification Failed': 'the block certifies another one than its parent',
      'Invalid Signature Length': 'a signature of the block is not 65 bytes long',
      'ECDSA: invalid signature': 'a signature of the block is invalid',
    },
};

const REFUSALS = new Map(
  Object.entries(CAUSES).flatMap(([fix, causes]) =>
    Object.entries(causes).map(([said, cause]) => [said, { cause, fix }] as const),
  ),
);

/** The words of a refusal if they are known, else `other`: a contract may say anything. */
export const nameRefusal = (said: string): string => (REFUSALS.has(said) ? said : 'other');

/** Why a contract refuses a block with these words, as a sentence about "it", and what to do. */
export const explainRefusal = (said: string): { readonly cause: string; readonly fix: string } =>
  REFUSALS.get(said) ?? {
    cause: 'it cannot read the header, or is of a version that subnetd does not know',
    fix: `compare the version of the contract with the client of the nodes; if they do not fit, ${REPLACE}`,
  };
