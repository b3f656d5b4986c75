import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChainObservation, MissedRounds } from '../../../src/model/chain.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Epoch, Masternode, SubnetState } from '../../../src/model/snapshot.ts';
import { countBlocks } from '../../../src/watch/diagnosis/find-epoch.ts';
import {
  addressOf,
  diagnosed,
  diagnosedNode,
  type Given,
  NOW,
  STOPPED,
  withoutBlocks,
} from '../../support/diagnosed.ts';
import { recordedChain } from '../../support/recorded-chain.ts';
import { stateOf } from '../../support/snapshots.ts';

const [A80D, A8A8, D92F, F9B4] = [
  '0xa80d9a3332910fc227b2202a3113a756275afd53',
  '0xa8a8bca9b91504f61dc3636e2cb6873e9cf5967e',
  '0xd92f9d7c36e0d3ce848b719e4c17f376721e3cc8',
  '0xf9b4dd08d61017002474f53f8218f748e1a9db7c',
] as const;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const CONSENSUS = { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 };
const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;

/** The epoch of a subnet of these nodes, of which the first one said this. */
const epochOf = (chain: Partial<ChainObservation>, names = NAMES): Epoch | undefined =>
  stateOf(names.map((name) => diagnosedNode(name, NAMES, { chain: { address: addressOf(name), ...chain } }))).epoch;

const find = (epoch: Epoch | undefined, name: string): Masternode | undefined =>
  epoch?.masternodes.find(({ address }) => address === addressOf(name));

/** The subnet of the recorded network, with the nodes that the inventory has. */
function recordedEpoch(recording: string, given: readonly (readonly [name: string, address: string])[]) {
  const { genesis, chainId, ...said } = recordedChain(recording);
  const names = given.map(([name]) => name);
  return stateOf(
    given.map(([name, address]) => {
      const isDown = recording === 'one-down' && address === A8A8;
      return diagnosedNode(name, names, { ...(isDown && down), chain: { ...said, address } });
    }),
  ).epoch;
}

const ALL = [
  ['n1', A80D],
  ['n2', A8A8],
  ['n3', D92F],
  ['n4', F9B4],
] as const;

test('a key that no node has may be that of one which has just started, and was asked before that with another', () => {
  const voteOf = (startedMs: number) => {
    const nodes = NAMES.map((name): KnownTarget => {
      const started = { startedAt: NOW - startedMs };
      const one = diagnosedNode(
        name,
        NAMES,
        name === 'n4' ? { container: started, chain: { address: '0xother' } } : {},
      );
      const { node } = one.facts;
      const chain = node?.chain && { ...node.chain, keyBefore: { address: addressOf('n4'), at: NOW - 3_600_000 } };
      return name === 'n4'
        ? withoutBlocks({ ...one, facts: { ...one.facts, node: { ...node, chain } } } as KnownTarget, startedMs)
        : one;
    });
    const { epoch, quorum } = stateOf(nodes);
    return [find(epoch, 'n4')?.vote, quorum?.starting];
  };
  expect(voteOf(5_000)).toEqual(['unknown', 1]);
  expect(voteOf(61_000)).toEqual(['votes', undefined]);
});

test('a node whose height no chain can have does not say which epoch it is', () => {
  const masternodesAt = (number: number) => ({
    number,
    round: number,
    active: NAMES.map(addressOf),
    standby: [],
    penalised: [],
  });
  const [liar, ...others] = NAMES.map((name, index) => {
    const number = index === 0 ? 1_000_000 : 1_000;
    return diagnosedNode(name, NAMES, {
      height: number,
      chain: { address: addressOf(name), consensus: CONSENSUS, masternodes: masternodesAt(number) },
    });
  });
  const all = [liar, ...others].filter((one) => one !== undefined);
  expect(stateOf(all).epoch).toMatchObject({ number: 1, block: 1_000 });
  // Alone it may be right.
  expect(stateOf(all.slice(0, 1)).epoch).toMatchObject({ block: 1_000_000 });
});

test('an address that a node on another chain gives too is that of the node on the chain, whichever comes first', () => {
  const given = (name: string, genesis?: string) =>
    diagnosedNode(name, NAMES, {
      chain: { address: addressOf(name === 'n0' ? 'n1' : name), ...(genesis && { genesis }) },
    });
  const foreign = given('n0', '0xother');
  const on = NAMES.map((name) => given(name));
  for (const nodes of [
    [foreign, ...on],
    [...on, foreign],
  ])
    expect(find(stateOf(nodes).epoch, 'n1')).toMatchObject({ name: 'n1', vote: 'votes' });
  expect(find(stateOf([foreign, ...on.slice(1)]).epoch, 'n1')).toMatchObject({ name: 'n0' });
});

test('an address that two nodes have is that of the one that runs, whichever comes first', () => {
  const given = (name: string, isDown = false) =>
    diagnosedNode(name, NAMES, { chain: { address: addressOf(name === 'n0' ? 'n1' : name) }, ...(isDown && down) });
  const others = NAMES.slice(1).map((name) => given(name));
  for (const nodes of [
    [given('n0', true), given('n1'), ...others],
    [given('n1'), given('n0', true), ...others],
  ])
    expect(find(stateOf(nodes).epoch, 'n1')).toMatchObject({ name: 'n1', vote: 'votes' });
});

describe('the masternodes of the recorded network', () => {
  test('have made every block of the epoch between them, each its turns without those it missed', () => {
    expect(recordedEpoch('healthy', ALL)).toEqual({
      ...{ number: 0, firstBlock: 0, choiceBlock: 450, nextFirstBlock: 900, block: 103, round: 109 },
      isNextKnown: false,
      masternodes: [
        { address: A80D, name: 'n1', vote: 'votes', blocksMade: 27, missedRounds: 0, votesMissing: 0 },
        { address: A8A8, name: 'n2', vote: 'votes', blocksMade: 22, missedRounds: 6, votesMissing: 0 },
        { address: D92F, name: 'n3', vote: 'votes', blocksMade: 27, missedRounds: 0, votesMissing: 0 },
        { address: F9B4, name: 'n4', vote: 'votes', blocksMade: 27, missedRounds: 0, votesMissing: 0 },
      ],
    });
  });

  test('show the one that is down: it misses its rounds, and its votes in all rounds of the pools', () => {
    expect(recordedEpoch('one-down', ALL)?.masternodes).toEqual([
      { address: A80D, name: 'n1', vote: 'votes', blocksMade: 20, missedRounds: 0, votesMissing: 0 },
      { address: A8A8, name: 'n2', vote: 'silent', blocksMade: 16, missedRounds: 4, votesMissing: 6 },
      { address: D92F, name: 'n3', vote: 'votes', blocksMade: 20, missedRounds: 0, votesMissing: 0 },
      { address: F9B4, name: 'n4', vote: 'votes', blocksMade: 20, missedRounds: 0, votesMissing: 0 },
    ]);
  });

  test('are all there when the inventory lacks a node, which is silent when nobody has its votes', () => {
    const others = ALL.filter(([, address]) => address !== A8A8);
    const unlisted = (recording: string) =>
      recordedEpoch(recording, others)?.masternodes.filter(({ name }) => name === undefined);
    expect(unlisted('healthy')).toMatchObject([{ address: A8A8, vote: 'votes', votesMissing: 0 }]);
    expect(unlisted('one-down')).toMatchObject([{ address: A8A8, vote: 'silent', votesMissing: 6 }]);
  });
});

describe('the blocks of an epoch', () => {
  /** An epoch as the rules of the chain have it: in each round one makes a block, or misses its turn. */
  const anEpoch = fc.record({
    masternodes: fc.integer({ min: 1, max: 11 }),
    epoch: fc.integer({ min: 5, max: 40 }),
    epochRound: fc.integer({ min: 0, max: 500 }),
    isFirst: fc.boolean(),
    made: fc.array(fc.boolean(), { maxLength: 120 }),
  });

  function live({
    masternodes,
    epoch,
    epochRound,
    isFirst,
    made,
  }: typeof anEpoch extends fc.Arbitrary<infer T> ? T : never) {
    const active = Array.from({ length: masternodes }, (_, place) => `0x${place}`);
    const first = isFirst ? 0 : epochRound;
    const leaderOf = (round: number) => active[(round % epoch) % masternodes] ?? '';
    const blocks = new Map(active.map((address) => [address, 0]));
    const add = (address: string) => blocks.set(address, (blocks.get(address) ?? 0) + 1);
    if (!isFirst) add(leaderOf(first));
    const rounds: { round: number; miner: string }[] = [];
    let number = isFirst ? 0 : 3 * epoch;
    let [round, skipped] = [first, [] as typeof rounds];
    for (const [index, isMade] of made.entries()) {
      const next = first + index + 1;
      if (!isMade) {
        skipped.push({ round: next, miner: leaderOf(next) });
        continue;
      }
      rounds.push(...skipped);
      skipped = [];
      number += 1;
      round = next;
      add(leaderOf(next));
    }
    const byMiner: Record<string, number> = {};
    for (const { miner } of rounds) byMiner[miner] = (byMiner[miner] ?? 0) + 1;
    const missedRounds: MissedRounds = { epochBlock: isFirst ? 0 : 3 * epoch, epochRound: first, rounds, byMiner };
    return { counted: { masternodes: { number, round, active, standby: [], penalised: [] }, missedRounds }, blocks };
  }

  test('are counted by the turns and the missed rounds as the chain made them', () => {
    fc.assert(
      fc.property(anEpoch, (given) => {
        const { counted, blocks } = live(given);
        const turns = countBlocks(counted, given);
        expect(turns && new Map([...turns].map(([address, { made }]) => [address, made]))).toEqual(blocks);
      }),
    );
  });

  const healthy = () => {
    const { masternodes, missedRounds } = recordedChain('healthy');
    if (masternodes === undefined || missedRounds === undefined) throw new Error('not recorded');
    return { masternodes, missedRounds };
  };

  test('are unknown where turns are taken by another rule, or a block came between the two answers', () => {
    const { masternodes, missedRounds } = healthy();
    expect(countBlocks({ masternodes, missedRounds }, CONSENSUS)?.size).toBe(4);
    const shuffled = { ...masternodes, active: masternodes.active.toReversed() };
    expect(countBlocks({ masternodes: shuffled, missedRounds }, CONSENSUS)).toBeUndefined();
    const later = { ...masternodes, number: masternodes.number + 1 };
    expect(countBlocks({ masternodes: later, missedRounds }, CONSENSUS)).toBeUndefined();
    // Between the two answers, the epoch has ended.
    expect(countBlocks({ masternodes, missedRounds: { ...missedRounds, epochBlock: 900 } }, CONSENSUS)).toBeUndefined();
  });

  test('do not count a round that was missed after the block at which the masternodes were read', () => {
    const { masternodes, missedRounds } = healthy();
    const late = {
      ...missedRounds,
      rounds: [{ round: 113, miner: A8A8 }, ...missedRounds.rounds],
      byMiner: { [A8A8]: 7 },
    };
    expect(countBlocks({ masternodes, missedRounds: late }, CONSENSUS)?.get(A8A8)).toEqual({ made: 22, missed: 6 });
  });

  test('are those of the newest epoch, whatever a node that is down said in an older one', () => {
    const missedIn = (epochBlock: number, byMiner: Record<string, number>) => ({
      masternodes: {
        number: epochBlock + 9,
        round: epochBlock + 9,
        active: NAMES.map(addressOf),
        standby: [],
        penalised: [],
      },
      missedRounds: { epochBlock, epochRound: epochBlock, rounds: [], byMiner },
    });
    const old = diagnosedNode('n1', NAMES, { ...down, chain: missedIn(900, { [addressOf('n1')]: 70 }) });
    const others = NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, { chain: missedIn(1_800, {}) }));
    for (const nodes of [
      [old, ...others],
      [...others, old],
    ]) {
      const { epoch } = stateOf(nodes);
      expect(epoch).toMatchObject({ number: 2, firstBlock: 1_800, block: 1_809 });
      expect(find(epoch, 'n1')).toMatchObject({ missedRounds: 0 });
    }
  });
});

describe('the next epoch', () => {
  const members = (more: Partial<ChainObservation['masternodes']> = {}, number = 1_400) => ({
    number,
    round: 2_000,
    active: ['n1', 'n2', 'n3'].map(addressOf),
    standby: [],
    penalised: [addressOf('n4')],
    ...more,
  });
  const chosen = (candidates: readonly string[], penalised: readonly string[], block = 1_351) => ({
    ...{ block, candidates: candidates.map(addressOf), penalised: penalised.map(addressOf) },
  });

  test('brings back who was penalised, once the chain has chosen its masternodes without that penalty', () => {
    const before = epochOf({ masternodes: members({}, 1_349) });
    expect(before).toMatchObject({ number: 1, firstBlock: 900, choiceBlock: 1_350, nextFirstBlock: 1_800 });
    expect(find(before, 'n4')).toMatchObject({ vote: 'penalised', name: 'n4', blocksMade: 0 });
    expect(find(before, 'n4')?.backInEpoch).toBeUndefined();
    const after = epochOf({ masternodes: members(), nextEpoch: chosen(NAMES, []) });
    expect([before?.isNextKnown, after?.isNextKnown]).toEqual([false, true]);
    expect(find(after, 'n4')).toMatchObject({ vote: 'penalised', backInEpoch: 2 });
    expect(find(after, 'n1')?.leavesInEpoch).toBeUndefined();
  });

  test('brings nobody back who stays penalised or is not a candidate, and names who leaves', () => {
    const still = epochOf({ masternodes: members(), nextEpoch: chosen(NAMES, ['n4', 'n2']) });
    expect(find(still, 'n4')?.backInEpoch).toBeUndefined();
    expect(find(still, 'n2')).toMatchObject({ vote: 'votes', leavesInEpoch: 2 });
    const resigned = epochOf({ masternodes: members(), nextEpoch: chosen(['n1', 'n2', 'n3'], []) });
    expect(find(resigned, 'n4')?.backInEpoch).toBeUndefined();
  });

  test('is in the advice on a penalised masternode, as far as it is known', () => {
    const adviceOn = (chain: Partial<ChainObservation>, isDown = false, height = 1_000): string | undefined => {
      const known = NAMES.map((name) =>
        diagnosedNode(name, NAMES, {
          height,
          chain: { address: addressOf(name), ...chain },
          ...(name === 'n4' &&
            isDown && { container: STOPPED, fault: { kind: 'refused', address: 'http://n4' } as const }),
        }),
      );
      const found = diagnosed(known).find(({ problem }) => problem === 'masternode_penalised');
      return found?.fix.replace('find out why n4 missed its rounds: its log, its clock and its peers; ', '');
    };
    expect(adviceOn({ masternodes: members({}, 1_349) })).toBe(
      'keep it running: at block 1350 the chain chooses who takes part in epoch 2',
    );
    expect(adviceOn({ masternodes: members({}, 1_349) }, true)).toBe(
      'bring it back and keep it running: at block 1350 the chain chooses who takes part in epoch 2',
    );
    expect(adviceOn({ masternodes: members({}, 1_349) }, false, 1_360)).toBe(
      'keep it running: at block 1350 the chain has chosen who takes part in epoch 2, and no node says whom yet',
    );
    expect(adviceOn({ masternodes: members(), nextEpoch: chosen(NAMES, []) })).toBe(
      'keep it running: it takes part again in epoch 2, from block 1800 on',
    );
    expect(adviceOn({ masternodes: members(), nextEpoch: chosen(NAMES, ['n4']) })).toBe(
      'keep it running: it has no turn in epoch 2 either, and the chain chooses again at block 2250',
    );
    expect(adviceOn({ masternodes: members(), consensus: undefined })).toBe('it may take part again in a later epoch');
  });

  test('is not what the chain chose for the current one', () => {
    const old = epochOf({ masternodes: members(), nextEpoch: chosen(NAMES, [], 451) });
    expect(find(old, 'n4')?.backInEpoch).toBeUndefined();
    expect(find(old, 'n1')?.leavesInEpoch).toBeUndefined();
  });

  test('has as many masternodes as now where some wait, the first of the candidates', () => {
    const waiting = { active: ['n1', 'n2'].map(addressOf), standby: [addressOf('n3')], penalised: [addressOf('n4')] };
    const epoch = epochOf({ masternodes: members(waiting), nextEpoch: chosen(['n4', 'n2', 'n1', 'n3'], ['n2']) });
    expect(
      epoch?.masternodes.map(({ name, vote, backInEpoch, leavesInEpoch }) => [name, vote, backInEpoch, leavesInEpoch]),
    ).toEqual([
      ['n1', 'votes', undefined, undefined],
      ['n2', 'votes', undefined, 2],
      ['n4', 'penalised', 2, undefined],
      ['n3', 'standby', undefined, undefined],
    ]);
  });

  test('is unknown without the settings of the chain, as is the current one', () => {
    const epoch = epochOf({ consensus: undefined, masternodes: members(), nextEpoch: chosen(NAMES, []) });
    expect(epoch).toMatchObject({ block: 1_400, round: 2_000 });
    expect(epoch).not.toHaveProperty('number');
    expect(find(epoch, 'n4')?.backInEpoch).toBeUndefined();
  });
});

test('a node that has just started votes once it rises with the chain, as the quorum says', () => {
  const state = (startedAgoMs: number) =>
    stateOf(
      NAMES.map((name) =>
        diagnosedNode(name, NAMES, name === 'n2' ? { container: { startedAt: NOW - startedAgoMs } } : {}),
      ),
    );
  // It rose 2 seconds ago.
  const votesOf = ({ epoch, quorum }: ReturnType<typeof stateOf>) => [
    epoch?.masternodes.find(({ name }) => name === 'n2')?.vote,
    quorum?.starting,
  ];
  expect(votesOf(state(1_000))).toEqual(['unknown', 1]);
  expect(votesOf(state(3_000))).toEqual(['votes', undefined]);
});

test('nobody is known to vote while subnetd reaches no node', () => {
  const unreachable = {
    fault: { kind: 'timeout', address: 'x', afterMs: 5_000, received: false },
    stalledMs: 120_000,
  } as const;
  const state = stateOf(NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, unreachable)));
  expect(state.problems.map(({ problem }) => problem)).toContain('monitor_offline');
  expect(state.epoch?.masternodes.map(({ name, vote }) => [name, vote])).toEqual([
    [undefined, 'unknown'],
    ...['n2', 'n3', 'n4'].map((name) => [name, 'unknown']),
  ]);
});

test('a subnet whose masternodes nobody has named has no epoch', () => {
  expect(epochOf({ masternodes: undefined })).toBeUndefined();
});

test('an address that a node lists twice is one masternode', () => {
  const twice = {
    number: 1_400,
    round: 2_000,
    active: NAMES.map(addressOf),
    standby: [addressOf('n2')],
    penalised: [addressOf('n1')],
  };
  expect(epochOf({ masternodes: twice })?.masternodes.map(({ address }) => address)).toEqual(NAMES.map(addressOf));
});

test('the masternode whose key two nodes have is that of both, the one that counts first', () => {
  const twins = (more: object = {}) =>
    NAMES.map((name) =>
      diagnosedNode(name, NAMES, name === 'n3' ? { chain: { address: addressOf('n2') }, ...more } : {}),
    );
  const told = (targets: readonly KnownTarget[]) => {
    const { name, alsoOf } = find(stateOf(targets).epoch, 'n2') ?? {};
    return [name, alsoOf];
  };
  expect(told(twins())).toEqual(['n2', ['n3']]);
  expect(told(twins(down))).toEqual(['n2', undefined]);
});

test('masternodes that no node has named may be those of nodes that are out and have given no address', () => {
  /** The votes of the masternodes of n3 and n4, of which the first few nodes from the end are out. */
  const votesOf = (out: number) => {
    const { epoch, quorum } = stateOf(
      NAMES.map((name, place) =>
        diagnosedNode(name, NAMES, {
          ...(place >= NAMES.length - out && down),
          ...(place >= 2 && { chain: { address: undefined } }),
        }),
      ),
    );
    return [quorum?.voting, find(epoch, 'n3')?.vote, find(epoch, 'n4')?.vote];
  };
  expect(votesOf(0)).toEqual([4, 'votes', 'votes']);
  expect(votesOf(1)).toEqual([3, 'unknown', 'unknown']);
  expect(votesOf(2)).toEqual([2, 'silent', 'silent']);
});

test('a masternode is probably the only node that is out and has given no address', () => {
  /** The node that is presumed for the masternode of n4, where some have given no address and some are out. */
  const presumed = (mute: readonly string[], out: readonly string[]) => {
    const { epoch } = stateOf(
      NAMES.map((name) =>
        diagnosedNode(name, NAMES, {
          ...(out.includes(name) && down),
          ...(mute.includes(name) && { chain: { address: undefined } }),
        }),
      ),
    );
    expect(find(epoch, 'n1')?.presumed).toBeUndefined();
    return find(epoch, 'n4')?.presumed;
  };
  expect(presumed(['n4'], ['n4'])).toBe('n4');
  expect(presumed(['n4'], [])).toBeUndefined();
  expect(presumed([], ['n4'])).toBeUndefined();
  expect(presumed(['n3', 'n4'], ['n4'])).toBeUndefined();
  expect(presumed(['n3', 'n4'], ['n3', 'n4'])).toBeUndefined();
});

test('a masternode that no node has named may be that of a node that was not asked, unless its turns show who else', () => {
  const without = (given: Readonly<Record<string, Given>>, names: readonly string[], countedAt = NOW - 30_000) =>
    stateOf(
      NAMES.map((name) => {
        const one = diagnosedNode(name, NAMES, given[name]);
        const { chain, ...node } = one.facts.node ?? {};
        const known = names.includes(name) ? node : { ...node, chain: { ...chain, at: countedAt } };
        return { ...one, facts: { ...one.facts, node: known } } as KnownTarget;
      }),
    );
  const seats = ({ epoch, quorum }: SubnetState) => [
    find(epoch, 'n3')?.vote,
    find(epoch, 'n4')?.vote,
    quorum?.voting,
    quorum?.doubtful,
  ];
  expect(seats(without({}, []))).toEqual(['votes', 'votes', 4, undefined]);
  // It has taken its turns for longer than nobody with its key could.
  expect(seats(without({}, ['n4'], 36_000))).toEqual(['votes', 'votes', 4, undefined]);
  // Its turns were counted too soon after it was first asked.
  expect(seats(without({}, ['n4'], 35_999))).toEqual(['votes', 'unknown', 4, 1]);
  // So the masternode is probably its own.
  const presumed = (countedAt: number) => find(without({}, ['n4'], countedAt).epoch, 'n4')?.presumed;
  expect([presumed(36_000), presumed(35_999)]).toEqual(['n4', undefined]);
  // Nobody knows which of two has which key.
  expect(seats(without({}, ['n3', 'n4']))).toEqual(['unknown', 'unknown', 4, 1]);
  const missed = { epochBlock: 0, epochRound: 0, rounds: [{ round: 1_999, miner: addressOf('n4') }], byMiner: {} };
  const counted = Object.fromEntries(NAMES.map((name) => [name, { chain: { missedRounds: missed } }]));
  expect(seats(without(counted, ['n4']))).toEqual(['votes', 'unknown', 4, 1]);
});
