import { expect, test } from 'vitest';
import { indexProblems, type Problem } from '../../../src/model/problem.ts';
import { findEpoch } from '../../../src/watch/diagnosis/find-epoch.ts';
import { countNextVotes } from '../../../src/watch/diagnosis/quorum.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { addressOf, diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const active = NAMES.map(addressOf);

/** n2 follows another chain, as is known, and is ahead of the others. */
function viewFork(state: Problem['state']) {
  const nodes = NAMES.map((name) => {
    const masternodes = { number: name === 'n2' ? 1_003 : 1_000, round: 2_000, active, standby: [], penalised: [] };
    // Its own pool has its votes, which no other one has.
    const neverSigned = name === 'n2' ? [] : [addressOf('n2')];
    const pool = { voteRounds: 8, neverSigned, timeouts: 0, timeoutRound: 0 };
    return diagnosedNode(name, NAMES, { chain: { masternodes, pool } });
  });
  const fork: Problem = {
    ...{ problem: 'chain_forked', severity: 'critical', alert: 'SubnetChainForked', state, nodes: ['n2'] },
    ...{ since: NOW, seenAt: NOW, summary: '', evidence: '', fix: '', explains: [], causes: [] },
  };
  const { subnet, targets } = stateOf(nodes);
  return viewSubnet(subnet, targets, NOW, {}, indexProblems([fork]));
}

test('a node that follows another chain gives no vote to the next set either', () => {
  const votesIn = (state: Problem['state']) =>
    countNextVotes(viewFork(state), { active, isChosen: true, fates: new Map() }).voting;
  expect([votesIn('open'), votesIn('clearing')]).toEqual([3, 4]);
});

test('blocks and missed rounds are counted by a node of the chain that most follow', () => {
  const blockOf = (state: Problem['state']) => viewFork(state).chain.counted?.masternodes.number;
  expect([blockOf('open'), blockOf('clearing')]).toEqual([1_000, 1_003]);
});

test('the row of a node that follows another chain says how many of its votes the others lack', () => {
  const missingIn = (state: Problem['state']) =>
    findEpoch(viewFork(state), [], false)?.masternodes.map(({ votesMissing }) => votesMissing);
  expect(missingIn('open')).toEqual([0, 8, 0, 0]);
  expect(missingIn('clearing')).toEqual([0, 0, 0, 0]);
});
