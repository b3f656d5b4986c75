import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { viewChain } from '../../../src/watch/diagnosis/chain-view.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findStallMs } from '../../../src/watch/diagnosis/quorum.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { addressOf, diagnosed, diagnosedNode, NOW, named, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const healthy = (name: string) => diagnosedNode(name, NAMES);

describe('another chain', () => {
  test('is one with another chain id, whatever its genesis, or with another genesis', () => {
    const only = (chain: object) => [
      ...['n1', 'n3', 'n4'].map(healthy),
      diagnosedNode('n2', NAMES, { height: 7, stalledMs: 90_000, chain }),
    ];
    const [byId] = diagnosed(only({ chainId: 551 })).filter(({ problem }) => problem === 'other_chain');
    expect(byId).toMatchObject({
      name: 'n2',
      evidence: 'n2 has the chain id 551, the other nodes have 28656',
      fix: 'correct the address of n2 in the inventory if another network answers there; else give n2 the genesis file of the subnet, then stop n2, move only XDC/chaindata out of its data folder, and start it to sync again',
    });
    const [byGenesis] = diagnosed(only({ genesis: '0x1234567890' })).filter(({ problem }) => problem === 'other_chain');
    expect(byGenesis?.evidence).toBe('n2 has the genesis block 0x12345678…, the other nodes have 0xgenesis…');
  });

  test('is said of nobody by what it answered before its container was started', () => {
    const found = (startedAgoMs: number) =>
      named([
        ...['n1', 'n3', 'n4'].map(healthy),
        // It was asked about its chain 30 seconds ago.
        diagnosedNode('n2', NAMES, { chain: { genesis: '0x12' }, container: { startedAt: NOW - startedAgoMs } }),
      ]);
    expect(found(31_000)).toContain('other_chain n2');
    expect(found(29_000)).toEqual([]);
  });

  test('is said of nobody where all were made again with another chain, and few have answered since', () => {
    const made = (n2: number) =>
      NAMES.map((name) => {
        const genesis = name === 'n1' || name === 'n2' ? '0xnew' : '0xold';
        const startedAt = NOW - (name === 'n2' ? n2 : genesis === '0xnew' ? 31_000 : 29_000);
        return diagnosedNode(name, NAMES, { chain: { genesis }, container: { startedAt } });
      });
    const foreign = (n2: number) => named(made(n2)).filter((one) => one.startsWith('other_chain'));
    expect(foreign(31_000)).toEqual([]);
    expect(viewChain(judgeTargets(made(31_000), NOW)).chain?.genesis).toBe('0xnew');
    expect(viewChain(judgeTargets(made(29_000), NOW)).chain?.genesis).toBe('0xnew');
  });

  test('is not known of a member that has been started again, until it has said on which one it is', () => {
    const [, n2] = NAMES.map((name) => diagnosedNode(name, NAMES));
    const members = (startedMs: number) =>
      stateOf(
        NAMES.map((name) =>
          diagnosedNode(name, NAMES, name === 'n2' ? { container: { startedAt: NOW - startedMs } } : {}),
        ),
      ).members?.map(({ isOnChain }) => isOnChain);
    const saidMs = NOW - (n2?.facts.node?.chain?.at ?? 0);
    expect(members(saidMs)).toEqual([true, true, true, true]);
    expect(members(saidMs - 1)).toEqual([true, undefined, true, true]);
  });

  test('is said of nobody when no chain has more than half of the nodes', () => {
    const split = NAMES.map((name, index) =>
      diagnosedNode(name, NAMES, { chain: { genesis: index < 2 ? '0xone' : '0xother' } }),
    );
    expect(named(split)).toEqual([]);
    expect(viewChain(judgeTargets(split, 10_000_000)).chain).toBeUndefined();
  });
});

describe('the stall limit', () => {
  const limitOf = (count: number, timeoutPeriodMs = 10_000) => {
    const names = Array.from({ length: count }, (_, index) => `n${index}`);
    const consensus = { minePeriodMs: 2_000, timeoutPeriodMs, certificateThreshold: 0.667, epoch: 900, gap: 450 };
    return findStallMs(
      viewChain(
        judgeTargets(
          names.map((name) => diagnosedNode(name, names, { chain: { consensus } })),
          1e7,
        ),
      ),
    );
  };

  test('allows a timeout for each masternode that may be down in turn, one more, and four blocks', () => {
    expect(limitOf(3)).toBe(18_000);
    expect(limitOf(4)).toBe(28_000);
    expect(limitOf(7)).toBe(38_000);
    expect(limitOf(4, 5_000)).toBe(18_000);
  });

  test('grows with no more than four that follow each other', () => {
    expect(limitOf(13)).toBe(58_000);
    expect(limitOf(40)).toBe(58_000);
  });

  test('is unknown until the chain has given its periods', () => {
    expect(findStallMs(viewChain([]))).toBeUndefined();
  });
});

describe('a hole in the mesh', () => {
  const without = (name: string, ...lost: readonly string[]) =>
    diagnosedNode(name, NAMES, { peers: NAMES.filter((other) => other !== name && !lost.includes(other)) });

  test('is one problem that names both ends', () => {
    const [hole, ...rest] = diagnosed([healthy('n1'), without('n2', 'n3'), without('n3', 'n2'), healthy('n4')]);
    expect(rest).toEqual([]);
    expect(hole).toMatchObject({
      problem: 'peers_missing',
      name: 'n2',
      evidence: 'n2 has 2 of 3 peers: it is not connected to n3',
      fix: 'open the p2p ports between n2 and n3 (TCP and UDP)',
    });
    expect(hole?.explains.map(({ name, check }) => `${name} ${check}`)).toEqual(['n2 peers', 'n3 peers']);
  });

  test('is not between two of which one says that it has the other: its answer is only older', () => {
    const one = diagnosedNode('n2', NAMES, { peers: ['n1', 'n4'] });
    const other = diagnosedNode('n3', NAMES, { peers: ['n1', 'n2'] });
    const found = diagnosed([healthy('n1'), one, other, healthy('n4')]);
    expect(found.filter(({ summary }) => summary.includes('is not connected to n3'))).toEqual([]);
  });

  test('that is one only by one of both is no matter of the ports', () => {
    const lost = diagnosed([healthy('n1'), healthy('n2'), without('n3', 'n2'), healthy('n4')]);
    expect(lost.map(({ problem, name, summary, evidence, fix }) => [problem, name, summary, evidence, fix])).toEqual([
      [
        'peers_missing',
        'n3',
        'n3 has lost its side of the connection with n2',
        'n3 has 2 of 3 peers: it does not list n2, which lists it',
        'the p2p ports are open; restart it with `docker restart generated-n3-1` while no other node is down',
      ],
    ]);
    const two = diagnosed([healthy('n1'), healthy('n2'), without('n3', 'n1', 'n2'), healthy('n4')]);
    expect(two.map(({ evidence }) => evidence)).toEqual([
      'n3 has 1 of 3 peers: it does not list n1, n2, which list it',
    ]);
    // Where more are missing than list it, something else is wrong too.
    const more = diagnosed([healthy('n1'), healthy('n2'), without('n3', 'n2', 'n4'), without('n4', 'n3')]);
    expect(more.map(({ summary }) => summary)).toEqual(['n3 is not connected to n4']);
    const { facts, ...n2 } = healthy('n2');
    const asked = facts.node as NonNullable<typeof facts.node>;
    const before = { ...n2, facts: { ...facts, node: { ...asked, chain: asked.chain && { ...asked.chain, at: -1 } } } };
    const late = diagnosed([healthy('n1'), before as KnownTarget, without('n3', 'n2'), healthy('n4')]);
    expect(late.map(({ summary }) => summary)).toEqual(['n3 lacks peers']);
    const mute = diagnosedNode('n4', NAMES, { chain: { nodeId: undefined, peerIds: undefined } });
    const unknown = diagnosed([healthy('n1'), healthy('n2'), without('n3', 'n2', 'n4'), mute]);
    expect(unknown.map(({ summary }) => summary)).toEqual(['n3 lacks peers']);
  });

  test('that is one only by one of both is said once both were asked half a minute after either list had changed', () => {
    const askedAt = healthy('n2').facts.node?.chain?.at ?? 0;
    const listing = (known: KnownTarget, listsSince: number): KnownTarget => {
      const { node } = known.facts;
      return {
        ...known,
        facts: { ...known.facts, node: { ...node, chain: { ...node?.chain, listsSince } } },
      } as KnownTarget;
    };
    const lost = 'n3 has lost its side of the connection with n2';
    const notYet = 'n3 lacks peers';
    const said = (own: number, others: number) =>
      diagnosed([
        ...[healthy('n1'), listing(healthy('n2'), askedAt - others)],
        ...[listing(without('n3', 'n2'), askedAt - own), healthy('n4')],
      ]).map(({ summary }) => summary);
    expect([said(30_000, 60_000), said(29_999, 60_000)]).toEqual([[lost], [notYet]]);
    expect([said(60_000, 30_000), said(60_000, 29_999)]).toEqual([[lost], [notYet]]);
  });

  test('is none by what a node said before its container was seen to run', () => {
    const mute = diagnosedNode('n4', NAMES, { chain: { nodeId: undefined, peerIds: undefined } });
    const found = (runsSince: number) => {
      const { facts, ...n3 } = without('n3', 'n2', 'n4');
      const resumed = { ...n3, facts: { ...facts, container: { ...facts.container, runsSince } } } as KnownTarget;
      return diagnosed([healthy('n1'), healthy('n2'), resumed, mute]).map(({ problem }) => problem);
    };
    expect(found(NOW)).toEqual(['peers_missing']);
    expect(found(NOW + 1)).toEqual([]);
  });

  test('is none while a node that was paused has its peers to find again', () => {
    const found = (returned: { at: number; silentSince: number }) => {
      const { facts, ...n2 } = without('n2', 'n3');
      const node = facts.node && { ...facts.node, returned };
      const other = without('n3', 'n2');
      return diagnosed([healthy('n1'), { ...n2, facts: { ...facts, node } } as KnownTarget, other, healthy('n4')]).map(
        ({ problem }) => problem,
      );
    };
    const at = NOW - 59_999;
    expect(found({ at, silentSince: at - 10_000 })).toEqual([]);
    expect(found({ at, silentSince: at - 9_999 })).toEqual(['peers_missing']);
    expect(found({ at: NOW - 60_000, silentSince: at - 20_000 })).toEqual(['peers_missing']);
  });

  test('is none where two nodes give one id, as behind one address: who lists it is connected to both', () => {
    const holesOf = (nodeId: string) => {
      const twin = diagnosedNode('n4', NAMES, { peers: ['n1', 'n3'], chain: { nodeId } });
      return diagnosed([healthy('n1'), without('n2', 'n4'), healthy('n3'), twin])
        .map(({ summary }) => summary)
        .filter((summary) => summary.includes('not connected'));
    };
    expect(holesOf('id-n4')).toEqual(['n2 is not connected to n4']);
    expect(holesOf('id-n3')).toEqual([]);
  });

  test('is half closed for a node that only those list which it does not list', () => {
    const [one, other] = [without('n1', 'n3'), diagnosedNode('n3', NAMES, { peers: ['n1'] })];
    const found = diagnosed([one, healthy('n2'), other, healthy('n4')]);
    expect(found.map(({ evidence }) => evidence)).toContain(
      'n3 has 1 of 3 peers: it does not list n2, n4, which list it',
    );
  });

  test('is said of each pair that is not connected by one of both, of none that is, and no node is in two of them', () => {
    const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
    const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));
    fc.assert(
      fc.property(fc.subarray(pairs, { minLength: 1, maxLength: 8 }), (lost) => {
        const isLost = (one: string, other: string) => lost.some((pair) => pair.includes(one) && pair.includes(other));
        const peersOf = (name: string) => names.filter((other) => other !== name && !isLost(name, other));
        fc.pre(names.every((name) => peersOf(name).length > 0));
        const holes = diagnosed(names.map((name) => diagnosedNode(name, names, { peers: peersOf(name) }))).filter(
          ({ summary }) => summary.includes(' is not connected to '),
        );
        const said = holes.map(({ name, summary }) => [name, summary.split(' is not connected to ')[1]?.split(', ')]);
        const inHoles = said.flat(2);
        expect(inHoles).toEqual([...new Set(inHoles)]);
        for (const [one, other] of lost) expect(inHoles.includes(one) || inHoles.includes(other)).toBe(true);
        for (const [name, others] of said)
          for (const other of others ?? []) expect(isLost(String(name), other)).toBe(true);
        for (const [index, { name, explains }] of holes.entries()) {
          const ends = [name, ...(said[index]?.[1] ?? [])];
          expect(explains.map((each) => each.name)).toEqual(ends);
        }
      }),
    );
  });
});

test('a penalised masternode is said with its address, and the quorum is that of the others', () => {
  const masternodes = {
    ...{ number: 1_000, round: 2_000, standby: [] },
    ...{ active: ['n1', 'n3', 'n4'].map(addressOf), penalised: [addressOf('n2')] },
  };
  const found = diagnosed(NAMES.map((name) => diagnosedNode(name, NAMES, { chain: { masternodes } })));
  const [penalised, ...rest] = found;
  expect(rest).toMatchObject([
    { problem: 'quorum_at_risk', summary: 'no node may fail, because n2 is penalised', nodes: ['n2'] },
  ]);
  expect(penalised).toMatchObject({
    problem: 'masternode_penalised',
    name: 'n2',
    evidence: 'the chain lists 0xn2 of n2 among the penalised masternodes at block 1000',
  });
});

test('a penalised masternode that has not said its address since subnetd started is known by being the only one', () => {
  const masternodes = {
    ...{ number: 1_000, round: 2_000, standby: [] },
    ...{ active: ['n1', 'n3', 'n4'].map(addressOf), penalised: [addressOf('n2')] },
  };
  const found = (...silent: readonly string[]) =>
    diagnosed(
      NAMES.map((name) => {
        const one = diagnosedNode(name, NAMES, {
          chain: { masternodes },
          ...(silent.includes(name) && {
            container: STOPPED,
            fault: { kind: 'refused', address: 'http://n' } as const,
          }),
        });
        const { node, ...facts } = one.facts;
        const { chain: _, ...unasked } = node ?? {};
        return silent.includes(name) ? ({ ...one, facts: { ...facts, node: unasked } } as KnownTarget) : one;
      }),
    ).find(({ problem }) => problem === 'masternode_penalised');
  expect(found('n2')).toMatchObject({
    name: 'n2',
    summary: 'n2 is penalised and does not vote',
    evidence: 'the chain lists 0xn2, which no other node has, among the penalised masternodes at block 1000',
  });
  expect(found('n2', 'n3')).toBeUndefined();
});

describe('nodes that are down in a halt, and have not said their addresses since subnetd started', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
  const masternodes = {
    ...{ number: 1_000, round: 2_000, standby: [] },
    ...{ active: names.slice(0, 6).map(addressOf), penalised: [addressOf('n7')] },
  };
  const targets = names.map((name) => {
    const isDown = name > 'n4';
    const fault = { kind: 'refused', address: 'http://n' } as const;
    const down = isDown && { container: STOPPED, fault };
    const one = diagnosedNode(name, names, { chain: { masternodes }, stalledMs: 90_000, ...down });
    const { node, ...facts } = one.facts;
    const { chain: _, ...unasked } = node ?? {};
    return isDown ? ({ ...one, facts: { ...facts, node: unasked } } as KnownTarget) : one;
  });
  const diagnoseAll = (known: readonly KnownTarget[]) => {
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: known.map(({ target }) => target),
    };
    return diagnoseSubnet(subnet, judgeTargets(known, NOW), NO_PROBLEMS, NOW).problems;
  };
  const haltOf = (problems: readonly Problem[]) => problems.find(({ problem }) => problem === 'subnet_halted');

  test('are asked for, and how many of them can vote at most', () => {
    expect(haltOf(diagnoseAll(targets))?.fix).toBe(
      'bring back n5, n6, n7: 1 more must vote, and at most 2 of n5, n6, n7 are masternodes; restart no other node; for n5, n6 and n7: start them with `docker start generated-n5-1 generated-n6-1 generated-n7-1`',
    );
  });

  test('are told apart by the addresses that they had before', () => {
    const problems = diagnoseAll(
      targets.map((one) => ({ ...one, facts: { ...one.facts, addressBefore: addressOf(one.target.name) } })),
    );
    expect(haltOf(problems)?.fix).toBe(
      'bring back n5, n6: 1 more must vote; restart no other node; for n5 and n6: start them with `docker start generated-n5-1 generated-n6-1`',
    );
    expect(problems.find(({ problem }) => problem === 'masternode_penalised')?.evidence).toBe(
      'the chain lists 0xn7 of n7 among the penalised masternodes at block 1000',
    );
  });
});

test('a masternode that has just started is not counted on, whether it has said its address since subnetd started or not', () => {
  const fault = { kind: 'refused', address: 'http://n' } as const;
  const withoutAddress = ({ target, facts: { node, ...facts } }: KnownTarget) => {
    const { chain: _, ...unasked } = node ?? {};
    return { target, facts: { ...facts, node: unasked } } as KnownTarget;
  };
  const starting = (name: string) => diagnosedNode(name, NAMES, { container: { startedAt: NOW - 5_000 }, fault });
  const quorumWith = (...more: readonly KnownTarget[]) => {
    const targets = [...NAMES.filter((name) => name !== 'n2').map((name) => healthy(name)), ...more];
    const subnet = {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: targets.map(({ target }) => target),
    };
    return viewSubnet(subnet, judgeTargets(targets, NOW), NOW).quorum;
  };
  for (const one of [starting('n2'), withoutAddress(starting('n2'))])
    expect(quorumWith(one)).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  // It last said the key of another node, which it shared.
  const shared = { address: addressOf('n1') };
  const again = { container: { startedAt: NOW - 5_000 }, fault, chain: shared };
  expect(quorumWith(diagnosedNode('n2', NAMES, again))).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  const gone = { container: { running: false, status: 'exited' }, fault, chain: shared } as const;
  expect(quorumWith(diagnosedNode('n2', NAMES, gone))).toMatchObject({ voting: 3, starting: undefined });
  // The only masternode without a name is that of the node that is out, so the other one is none.
  const out = withoutAddress(diagnosedNode('n2', NAMES, { container: { running: false, status: 'exited' }, fault }));
  expect(quorumWith(out, withoutAddress(starting('n5')))).toMatchObject({ voting: 3, starting: undefined });
});
