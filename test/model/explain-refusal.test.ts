import { expect, test } from 'vitest';
import { explainRefusal, nameRefusal } from '../../src/model/explain-refusal.ts';

/** Why FullCheckpoint of XDC-CSC refuses a header in receiveHeader, with what subnetd says of it. */
const REFUSALS: Readonly<Record<string, readonly [cause: string, fix: string]>> = {
  'Repeated Genesis': ['the node of the subnet gave its genesis block in place of this one', 'compare the block'],
  'Old Block': ['it already has a block of this height', 'let one relayer alone submit'],
  'Parent Missing': ['it lacks the block before this one, as there is a gap', 'restart the relayer'],
  'Invalid N': ['the number of the block does not follow', 'compare the block'],
  'Invalid RN': ['the round of the block is not above', 'compare the block'],
  'Invalid PRN': ['the block certifies its parent in another round', 'compare the block'],
  'Repeated Header': ['it already has a block of this height', 'let one relayer alone submit'],
  'Invalid Validator': ['somebody signed the block who is no masternode to it', 'deploy a new contract, set'],
  'Repeated Validator': ['the block names a masternode twice', 'compare the block'],
  'Insufficient Signatures': ['fewer than two thirds of the masternodes', 'deploy a new contract, set'],
  'Malformed Block': ['the block names the masternodes of its epoch and of the next one', 'compare the block'],
  'Mismatched Validators': ['the masternodes of the new epoch are not those', 'deploy a new contract, set'],
  'Missing Current Validators': [
    'it was given no masternodes for the new epoch',
    'deploy a new contract with the epoch',
  ],
  'Invalid Current Block': [
    'the block begins an epoch where the contract expects none',
    'deploy a new contract with the epoch',
  ],
  'Invalid Next Block': ['the block names the next masternodes where', 'deploy a new contract with the epoch'],
};

test('each of the fifteen refusals of the contract has its cause and what to do', () => {
  expect(Object.keys(REFUSALS)).toHaveLength(15);
  for (const [said, [cause, fix]] of Object.entries(REFUSALS)) {
    const told = explainRefusal(said);
    expect([said, told.cause.slice(0, cause.length), told.fix.slice(0, fix.length)]).toEqual([said, cause, fix]);
    expect(nameRefusal(said)).toBe(said);
  }
});

test('a contract that says something else is not one of them', () => {
  for (const said of ['', 'old block', 'constructor']) {
    expect(explainRefusal(said).cause).toContain('of a version that subnetd does not know');
    expect(nameRefusal(said)).toBe('other');
  }
});
