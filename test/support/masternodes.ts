import type { SubnetState } from '../../src/model/snapshot.ts';
import { diagnosedNode, STOPPED } from './diagnosed.ts';
import { stateOf } from './snapshots.ts';

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const [A, B, C, D] = [address('a'), address('b'), address('c'), address('d')];
const NAMES = ['subnet1', 'subnet2', 'subnet3'];

/**
 * Four masternodes after the gap block of an epoch. One is stopped and is left out of the next epoch, and one votes. One is not
 * in the inventory. One is penalised until the next epoch.
 */
export function penalisedSubnet(): SubnetState {
  const active = [A, B, C];
  const said = {
    masternodes: { number: 1_697, round: 1_720, active, standby: [], penalised: [D] },
    missedRounds: {
      ...{ epochBlock: 900, epochRound: 920, byMiner: { [A]: 3 } },
      rounds: [1_719, 1_716, 1_713].map((round) => ({ round, miner: A })),
    },
    nextEpoch: { block: 1_351, candidates: [...active, D], penalised: [A] },
    pool: { voteRounds: 11, neverSigned: [A], timeouts: 0, timeoutRound: 0 },
  };
  const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;
  const node = (name: string, own: string, more = {}) =>
    diagnosedNode(name, NAMES, { height: 1_697, chain: { ...said, address: own }, ...more });
  return stateOf([node('subnet1', A, down), node('subnet2', B), node('subnet3', D)]);
}

/** A subnet whose chain has not named its masternodes. */
export const youngSubnet = (): SubnetState =>
  stateOf([diagnosedNode('n1', ['n1'], { chain: { masternodes: undefined } })], 'young');
