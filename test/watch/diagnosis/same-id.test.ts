import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { diagnosed, diagnosedNode, listCauses, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5'];

/** A node of these names, with the id of another one. */
const twinOf = (other: string, name: string, peers: readonly string[]): KnownTarget =>
  diagnosedNode(name, NAMES, { peers, chain: { nodeId: `id-${other}` } });

/** A node that expects four peers. */
const withPeers = (name: string, ...peers: readonly string[]): KnownTarget => diagnosedNode(name, NAMES, { peers });

const textsOf = (targets: readonly KnownTarget[]) =>
  diagnosed(targets).map(({ problem, name, evidence, fix, explains }) => ({
    problem,
    name,
    evidence,
    fix,
    explains: explains.map((each) => `${each.name} ${each.check}`),
  }));

const FULL = ['n1', 'n2', 'n3', 'n4'];

describe('two nodes that give the same id', () => {
  test('are one node, whose hole in the mesh is said once, with the checks of both', () => {
    const targets = [
      withPeers('n1', ...FULL),
      withPeers('n2', ...FULL),
      withPeers('n3', 'n1', 'n2'),
      withPeers('n4', 'n1', 'n2'),
      twinOf('n4', 'n5', ['n1', 'n2']),
    ];
    expect(textsOf(targets)).toEqual([
      {
        problem: 'peers_missing',
        name: 'n3',
        evidence: 'n3 has 2 of 4 peers: it is not connected to n4, n5',
        fix: 'open the p2p ports between n3 and n4, n5 (TCP and UDP)',
        explains: ['n3 peers', 'n4 peers', 'n5 peers'],
      },
    ]);
    expect(textsOf(targets.toReversed())).toEqual([
      {
        problem: 'peers_missing',
        name: 'n5',
        evidence: 'n5 has 2 of 4 peers: it is not connected to n3',
        fix: 'open the p2p ports between n5 and n3 (TCP and UDP)',
        explains: ['n5 peers', 'n4 peers', 'n3 peers'],
      },
    ]);
  });

  test('are connected to whom either of them lists, and to each other', () => {
    const targets = [
      withPeers('n1', ...FULL),
      withPeers('n2', ...FULL),
      withPeers('n3', 'n1', 'n2'),
      withPeers('n4', 'n1', 'n2'),
      twinOf('n4', 'n5', ['n1', 'n2', 'n3']),
    ];
    expect(textsOf(targets).map(({ evidence }) => evidence)).toEqual([
      'n3 has 2 of 4 peers: it does not list n4, which lists it',
      'n4 has 2 peers instead of 4',
      'n5 has 3 peers instead of 4',
    ]);
  });

  test('are named in a hole where they are short of peers themselves', () => {
    const targets = [
      withPeers('n1', ...FULL),
      withPeers('n2', ...FULL),
      withPeers('n3', 'n1', 'n2'),
      withPeers('n4', 'n1', 'n2', 'n1', 'n2'),
      twinOf('n4', 'n5', ['n1', 'n2']),
    ];
    expect(textsOf(targets).map(({ evidence }) => evidence)).toEqual([
      'n3 has 2 of 4 peers: it is not connected to n5',
    ]);
  });

  test('have lost their side of a connection once', () => {
    const targets = [
      withPeers('n1', ...FULL),
      withPeers('n2', ...FULL),
      withPeers('n3', ...FULL),
      twinOf('n4', 'n4', ['n1', 'n3', 'n3']),
      twinOf('n4', 'n5', ['n1', 'n3', 'n3']),
    ];
    expect(textsOf(targets)).toEqual([
      {
        problem: 'peers_missing',
        name: 'n4',
        evidence: 'n4 has 3 of 4 peers: it does not list n2, which lists it',
        fix: 'the p2p ports are open; restart it with `docker restart generated-n4-1` while no other node is down',
        explains: ['n4 peers', 'n5 peers'],
      },
    ]);
  });

  test('are two of the peers that a node lacks when it has lost its side of their connection', () => {
    const targets = [
      withPeers('n1', ...FULL),
      withPeers('n2', ...FULL),
      withPeers('n3', 'n1', 'n2'),
      twinOf('n4', 'n4', FULL),
      twinOf('n4', 'n5', FULL),
    ];
    expect(textsOf(targets)).toEqual([
      {
        problem: 'peers_missing',
        name: 'n3',
        evidence: 'n3 has 2 of 4 peers: it does not list n4, which lists it',
        fix: 'the p2p ports are open; restart it with `docker restart generated-n3-1` while no other node is down',
        explains: ['n3 peers'],
      },
    ]);
  });
});

describe('twelve thousand nodes', () => {
  const COUNT = 12_000;
  const PEERS = 24;

  /** What is found in nodes that are short of peers and give these ids and peers. */
  const diagnoseMany = (idOf: (place: number) => string, peersOf: (place: number) => readonly string[]) => {
    const [state] = judgeTargets([diagnosedNode('n1', NAMES, { peers: ['n2'] })], NOW);
    if (state?.target.component !== 'node') throw new Error('a node is expected');
    const { target, facts } = state;
    const chain = facts.node?.chain;
    if (chain === undefined) throw new Error('what it says about its chain is expected');
    const states = Array.from({ length: COUNT }, (_, place) => {
      const observation = {
        ...chain.observation,
        address: `0xn${place}`,
        nodeId: idOf(place),
        peerIds: peersOf(place),
        missing: {},
      };
      return {
        ...state,
        target: { ...target, name: `n${place}` },
        facts: { ...facts, ...(facts.node && { node: { ...facts.node, chain: { ...chain, observation } } }) },
      };
    });
    const targets = states.map((one) => one.target);
    return listCauses(
      viewSubnet({ name: 'devnet', consensus: 'XDPoS', targets, settings: DEFAULT_SETTINGS }, states, NOW),
    );
  };
  const repeat = (id: string): readonly string[] => Array.from({ length: PEERS }, () => id);

  test('that give one id and list it are connected to each other: each only says how many peers it has', () => {
    const found = diagnoseMany(
      () => 'same',
      () => repeat('same'),
    );
    expect(found).toHaveLength(COUNT);
    expect(new Set(found.map(({ summary }) => summary.replace(/^n\d+ /, '')))).toEqual(new Set(['lacks peers']));
  });

  test('of which half give one id that the others do not list are one hole in the mesh', () => {
    const isFirst = (place: number) => place < COUNT / 2;
    const found = diagnoseMany(
      (place) => (isFirst(place) ? 'one' : 'other'),
      (place) => repeat(isFirst(place) ? 'one' : 'other'),
    );
    expect(found[0]?.summary).toBe('n0 lacks 6000 peers');
    expect(found.map(({ evidence }) => evidence)).toEqual([
      'n0 has 1 of 4 peers: it is not connected to n6000, n6001, n6002, n6003, n6004 and 5995 others',
    ]);
    expect(found[0]?.explains).toHaveLength(COUNT);
  });

  test('of which half give the id that all others list have no hole between the two halves', () => {
    const found = diagnoseMany(
      (place) => (place < COUNT / 2 ? 'same' : `id-${place}`),
      () => repeat('same'),
    );
    // The others do not list each other. The hole is between them.
    expect(found.filter(({ summary }) => / lacks \d+ peers$/.test(summary))).toHaveLength(1);
    expect(found[0]?.name).toBe('n6000');
    expect(found[0]?.explains).toHaveLength(COUNT / 2);
  });
});

test('a node with the key of another one, which the others refuse for that, is not blamed on the network', () => {
  const targets = [
    withPeers('n1', 'n2', 'n3'),
    twinOf('n1', 'n4', []),
    withPeers('n2', 'n1', 'n3'),
    withPeers('n3', 'n1', 'n2'),
  ];
  const found = diagnosed(targets).filter(({ problem }) => problem === 'node_partitioned');
  expect(found.map(({ name, summary, evidence, fix }) => ({ name, summary, evidence, fix }))).toEqual([
    {
      name: 'n4',
      summary: 'n4 is cut off from the other nodes',
      evidence:
        'n4 answers and has 0 of 4 peers, while others are connected: n1, n2, n3; it gives the same enode id as n1, so the others refuse it',
      fix: 'remove the file XDC/nodekey from the data folder of n4, so that it makes a key of its own, and restart it with `docker restart generated-n4-1`',
    },
  ]);
});
