import { describe, expect, test } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { ContainerFacts, Facts, KnownTarget, NodeLogFacts, PatternFacts } from '../../../src/model/facts.ts';
import type { Fault } from '../../../src/model/observation.ts';
import type { Problem, Suspicion } from '../../../src/model/problem.ts';
import type { ProblemName } from '../../../src/model/problem-catalog.ts';
import type { TargetState } from '../../../src/model/snapshot.ts';
import type { SubnetFacts } from '../../../src/model/subnet-facts.ts';
import { DEFAULT_SETTINGS, type Subnet, targetKey } from '../../../src/model/target.ts';
import { partOf } from '../../../src/tell/history/create-history.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { answersAnyway } from '../../../src/watch/diagnosis/subnet-view.ts';
import { standingOf } from '../../../src/web/frame/marks.ts';
import { describeNow } from '../../../src/web/pages/target-rows.ts';
import {
  addressOf,
  containerOf,
  diagnosedNode,
  diagnosedService,
  follow,
  type Given,
  NOW,
  named,
  STOPPED,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { nodeTarget } from '../../support/views.ts';

/** The subnet of these targets, with the usual settings. */
const toSubnet = (targets: readonly KnownTarget[]): Subnet => ({
  ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
  targets: targets.map(({ target }) => target),
});

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const nodes = (given: (name: string) => Given = () => ({})) =>
  NAMES.map((name) => diagnosedNode(name, NAMES, given(name)));
/** Its checks fail since then. */
const SINCE = NOW - 5_000;
const judge = (targets: readonly KnownTarget[], since = SINCE) =>
  judgeTargets(targets, NOW).map((one) => ({
    ...one,
    checks: one.checks.map((check) => ({ ...check, since })),
  }));
const diagnose = (targets: readonly KnownTarget[], since = SINCE) =>
  diagnoseSubnet(toSubnet(targets), judge(targets, since), NO_PROBLEMS, NOW);
const withFacts = (one: KnownTarget, facts: Partial<Facts>): KnownTarget => ({
  ...one,
  facts: { ...one.facts, ...facts },
});
const words = (targets: readonly KnownTarget[]) =>
  diagnose(targets).problems.map(({ problem, name, summary, evidence, fix }) => ({
    problem,
    name,
    summary,
    evidence,
    fix,
  }));

const missing: ContainerFacts = { restarts: 0, oomKills: 0, inspected: true, observation: { kind: 'missing' } };
const REFUSED: Fault = { kind: 'refused', address: 'http://n' };
const UNREACHABLE: Fault = { kind: 'unreachable', address: 'http://n' };

describe('an answer is stronger than what Docker says', () => {
  test.each<[string, ContainerFacts | undefined, string]>([
    ['has no such container', missing, 'Docker has no container for the service n3 of the compose project generated'],
    ['says that it has ended', containerOf('n3', STOPPED), 'generated-n3-1 does not run'],
  ])('a node that answers votes, although Docker %s: the inventory is wrong', (_, container, seen) => {
    const targets = nodes().map((one) => (one.target.name === 'n3' ? withFacts(one, { container }) : one));
    const { problems, quorum, members, headline } = diagnose(targets, NOW - 20_000);
    expect(problems).toMatchObject([
      {
        problem: 'container_misnamed',
        severity: 'info',
        name: 'n3',
        summary: 'the inventory names the wrong container for n3',
        evidence: `${seen}, but n3 answers`,
        fix: 'correct the container of n3 in the inventory; find its name with `docker ps --filter label=com.docker.compose.service=n3`, or with `docker ps` if it was not made by Compose',
      },
    ]);
    expect(quorum).toEqual({ total: 4, required: 3, voting: 4 });
    expect(members.map(({ vote }) => vote)).toEqual(['votes', 'votes', 'votes', 'votes']);
    expect(headline?.standing).toBe('ok');
  });

  test('but for some seconds, in which Compose may be recreating the container', () => {
    const created = containerOf('n3', { running: false, status: 'created' });
    const targets = nodes().map((one) => (one.target.name === 'n3' ? withFacts(one, { container: created }) : one));
    const said = (since: number) => diagnose(targets, since).problems.map(({ summary, fix }) => [summary, fix]);
    expect(said(NOW - 19_999)).toEqual([
      [
        'the container of n3 is being replaced, or the inventory names the wrong one',
        'wait a moment: one that is recreated runs again within seconds',
      ],
    ]);
    expect(said(NOW - 20_000)).toMatchObject([
      ['the inventory names the wrong container for n3', expect.stringMatching(/^correct the container of n3 in/)],
    ]);
  });

  test('nor while a container whose check fails already, as it was recreated minutes ago, is recreated once more', () => {
    const saidOf = (createdMs: number, lastExit?: ContainerFacts['lastExit']) => {
      const facts = containerOf('n3', {
        ...{ running: false, status: 'created', startedAt: undefined, createdAt: NOW - createdMs },
      });
      const container = { ...facts, lastExit } as ContainerFacts;
      const targets = nodes().map((one) => (one.target.name === 'n3' ? withFacts(one, { container }) : one));
      return diagnose(targets, NOW - 60_000).problems.map(({ summary }) => summary);
    };
    expect(saidOf(3_000)).toEqual(['the container of n3 is being replaced, or the inventory names the wrong one']);
    expect(saidOf(20_000)).toEqual(['the inventory names the wrong container for n3']);
    // It has answered last before the one before it has ended.
    expect(saidOf(1_000, { code: 137, at: NOW - 1_500 })).toContain('the container of n3 does not run');
  });

  test('a node that answered last before its container ended is down', () => {
    const ended = containerOf('n3', { ...STOPPED, finishedAt: NOW - 1_000 });
    const targets = nodes().map((one) => (one.target.name === 'n3' ? withFacts(one, { container: ended }) : one));
    expect(diagnose(targets).problems.map(({ problem }) => problem)).toContain('container_down');
  });

  test('so is a service', () => {
    const stats = withFacts(diagnosedService('stats'), { container: missing });
    expect(words([...nodes(), stats])).toMatchObject([{ problem: 'container_misnamed', name: 'stats' }]);
    const gone = withFacts(diagnosedService('stats', { fault: REFUSED }), { container: missing });
    expect(words([...nodes(), gone])).toMatchObject([{ problem: 'container_down', name: 'stats' }]);
  });
});

test('until Docker was asked about the container of a node that no longer answers, no command is given', () => {
  const targets = nodes((name) => (name === 'n3' ? { fault: REFUSED, stalledMs: 2_000 } : {}));
  const fixOf = (askedAt: number) => {
    const states = judge(targets).map((state) => ({
      ...state,
      checks: state.checks.map((check) => (check.check === 'container' ? { ...check, lastRun: askedAt } : check)),
    }));
    const { problems } = diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW);
    return problems.find(({ problem }) => problem === 'node_down')?.fix;
  };
  expect(fixOf(SINCE)).toBe('wait until Docker says whether the container of n3 still runs');
  expect(fixOf(SINCE + 1)).toBe('read why with `docker logs --tail 100 generated-n3-1`');
});

test('nor is a route or a firewall doubted while Docker has not said that its container runs', () => {
  const fault = { kind: 'unreachable', address: 'http://n3', afterMs: 5_000 } as const;
  const targets = nodes((name) => (name === 'n3' ? { fault, container: {} } : {}));
  const why = { address: 'unix:///d.sock', code: 'timeout' } as const;
  const fixOf = (observation: NonNullable<Facts['container']>['observation']) => {
    const container: ContainerFacts = {
      restarts: 0,
      oomKills: 0,
      inspected: observation !== undefined,
      ...(observation && { observation }),
    };
    const told = targets.map((one) => (one.target.name === 'n3' ? withFacts(one, { container }) : one));
    return diagnose(told).problems.find(({ problem }) => problem === 'node_down')?.fix;
  };
  const waits = 'wait until Docker says whether the container of n3 still runs';
  expect(fixOf(undefined)).toBe(waits);
  expect(fixOf({ kind: 'docker-unreachable', why: { ...why, answersOthers: true } })).toBe(waits);
  expect(fixOf({ kind: 'docker-unreachable', why })).toMatch(/^make Docker answer first/);
  expect(fixOf(targets[2]?.facts.container?.observation)).toBe(
    'check the route and the firewall between it and subnetd',
  );
});

test('what is said of a node that does not answer, or of a check, is of when it was asked', () => {
  const fault = { kind: 'unreachable', address: 'http://n3' } as const;
  const hangs = {
    fault: { kind: 'timeout', address: 'http://n2', afterMs: 5_000, received: false },
    container: {},
  } as const;
  const given: Readonly<Record<string, Given>> = { n1: { height: 900 }, n2: hangs, n3: { fault } };
  const targets = [...nodes((name) => given[name] ?? {}), diagnosedService('stats', { fault: REFUSED })];
  const states = judge(targets).map((state) => ({
    ...state,
    checks: state.checks.map((check) => ({ ...check, lastRun: NOW - 7_000 })),
  }));
  const { problems } = diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW);
  expect(problems.flatMap((one) => (one.readAt === NOW - 7_000 ? one.problem : [])).sort()).toEqual([
    ...['node_behind', 'node_down', 'node_hanging', 'service_down'],
  ]);
});

describe('a masternode that signs nothing does not vote, whoever runs it', () => {
  const active = ['n1', 'n2', 'n3', 'n4', 'n9'].map(addressOf);
  const silent = addressOf('n9');
  const rounds = [1_990, 1_995].map((round) => ({ round, miner: silent }));
  const chain = {
    masternodes: { number: 1_000, round: 2_000, active, standby: [], penalised: [] },
    missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [silent]: 2 } },
    pool: { voteRounds: 8, neverSigned: [silent], timeouts: 0, timeoutRound: 0 },
  };

  test('a halt names it beside the nodes that are out', () => {
    const out = { fault: REFUSED, container: STOPPED };
    const halted = nodes((name) => ({ chain, stalledMs: 60_000, ...(name === 'n4' && out) }));
    const halt = diagnose(halted).problems.find(({ problem }) => problem === 'subnet_halted');
    expect(halt?.evidence).toContain('without n4 (stopped), 0xn9… (no node has its key)');
  });

  test('one of a key that no node has is missing, and leaves no spare vote', () => {
    const { problems, quorum } = diagnose(nodes(() => ({ chain })));
    expect(quorum).toEqual({ total: 5, required: 4, voting: 4 });
    expect(problems.map(({ problem, summary, evidence, fix }) => [problem, summary, evidence, fix])).toEqual([
      [
        'quorum_at_risk',
        'no further node may fail',
        '4 of 5 masternodes vote and 4 are needed, without 0xn9… (no node has its key)',
        'bring back 0xn9… (no node has its key) before any other work, and restart no other node; if a node of yours should have that key, give it back; else find who runs 0xn9…, or add its node to the inventory',
      ],
      [
        'masternode_missing',
        'no node votes as 0xn9…',
        'no node of the inventory has the key of 0xn9…, 1 of 5 masternodes; it has signed none of the newest votes, and missed 2 of its last rounds',
        'if a node of yours should have that key, give it back; else find who runs 0xn9…, or add its node to the inventory',
      ],
    ]);
  });

  test('nobody says that no node has a key while one has not been asked for its own yet', () => {
    const asked = nodes(() => ({ chain })).filter(({ target }) => target.name !== 'n4');
    const { rpc, ...target } = nodeTarget('n4', { rpc: 'http://192.0.2.1:854' });
    expect(words([...asked, { target: { ...target, rpc }, facts: {} } as KnownTarget])).toEqual([]);
    // What is never asked tells nothing later either.
    const summaries = words([...asked, { target, facts: {} }]).map(({ summary }) => summary);
    expect(summaries).toContain('no node votes as 0xn9…');
  });

  test('nor while the first reading of the chain of one that runs has failed, be that one behind', () => {
    const told = (reason: 'no-answer' | 'module-off') =>
      words(withN4(undefined, { height: 900 }, { address: reason })).map(({ problem, fix }) => [problem, fix]);
    const wait = 'wait if it is syncing, else check its peers and its disk';
    expect(told('no-answer')).toEqual([
      ['quorum_at_risk', `bring back n4 before any other work, and restart no other node; for n4: ${wait}`],
      ['node_behind', wait],
    ]);
    // One that can never say its key may be without it.
    expect(told('module-off').map(([problem]) => problem)).toContain('masternode_missing');
  });

  test('it is still missing when an epoch begins, in which it has missed no round yet', () => {
    const begun = { ...chain, missedRounds: { epochBlock: 900, epochRound: 1_999, rounds: [], byMiner: {} } };
    const { problems } = diagnose(nodes(() => ({ chain })));
    const at = (before: FollowedProblems) => {
      const targets = nodes(() => ({ chain: begun }));
      const found = diagnoseSubnet(toSubnet(targets), judge(targets), before, NOW);
      return [found.quorum?.voting, found.problems.find(({ problem }) => problem === 'masternode_missing')?.evidence];
    };
    const open = problems.map((one) => ({ ...one, state: 'open' as const, openedAt: NOW }));
    expect(at({ problems: open, ended: [] })).toEqual([
      4,
      'no node of the inventory has the key of 0xn9…, 1 of 5 masternodes; it has signed none of the newest votes',
    ]);
    expect(at(NO_PROBLEMS)).toEqual([5, undefined]);
  });

  test('one that signs counts, whether the inventory has its node or not', () => {
    const signs = { ...chain, pool: { ...chain.pool, neverSigned: [] } };
    const { problems, quorum } = diagnose(nodes(() => ({ chain: signs })));
    expect(quorum?.voting).toBe(5);
    expect(problems).toEqual([]);
  });

  /** Of four masternodes, n9 is run by no node: n4 has the address given. */
  const withN4 = (address: string | undefined, rest: Given = {}, missing: ChainObservation['missing'] = {}) =>
    nodes((name) => {
      const masternodes = { ...chain.masternodes, active: [...active.slice(0, 3), silent] };
      return name === 'n4'
        ? { ...rest, chain: { ...chain, masternodes, address, missing } }
        : { chain: { ...chain, masternodes } };
    });

  test('a key that two nodes run with is the cause, and one of them is to be stopped before anything else', () => {
    const targets = withN4(addressOf('n3'));
    const { problems } = diagnose(targets);
    expect(problems.map(({ problem }) => problem)).toEqual(['quorum_at_risk', 'key_shared']);
    const fix =
      'top one of n3 and n4 at once, as they run with one key; bring back 0xn9… (no node has its key) before any other work, and restart no other node';
    expect(problems[0]?.fix).toBe(`s${fix}`);
    const open = problems.map((one) => ({ ...one, state: 'open' as const, openedAt: NOW }));
    const { headline } = diagnoseSubnet(toSubnet(targets), judge(targets), { problems: open, ended: [] }, NOW);
    expect(headline?.detail).toContain(`S${fix}.`);
  });

  test('a node that has another key than that of a masternode is named', () => {
    expect(words(withN4('0xother'))).toMatchObject([
      {
        problem: 'quorum_at_risk',
        fix: 'bring back 0xn9… (no node has its key) before any other work, and restart no other node; give n4 the key of 0xn9… back: check PRIVATE_KEY in n4.env, which is imported only into an empty data folder, and the keystore in that folder',
      },
      {
        problem: 'masternode_missing',
        evidence: expect.stringContaining('; n4 runs with the key of no masternode'),
        fix: 'give n4 the key of 0xn9… back: check PRIVATE_KEY in n4.env, which is imported only into an empty data folder, and the keystore in that folder',
      },
    ]);
  });

  test.each([
    ['another key than that of a masternode', '0xother', 'masternode_missing', ['n4']],
    ['the key of another one', addressOf('n3'), 'key_shared', ['n3', 'n4']],
  ])('a node that runs with %s is not shown as if nothing were wrong with it', (_, address, problem, names) => {
    const { problems } = diagnose(withN4(address));
    expect(problems.map((one) => [one.problem, one.nodes])).toEqual([
      ['quorum_at_risk', names],
      [problem, names],
    ]);
  });

  test('the key of a node that is just back, and has not said its address, is not missing', () => {
    const back = (ranForMs: number) =>
      withN4(undefined, { container: { startedAt: NOW - ranForMs } }).map((one) => {
        const { chain: _, ...node } = one.facts.node ?? {};
        return one.target.name === 'n4' ? ({ ...one, facts: { ...one.facts, node } } as KnownTarget) : one;
      });
    expect(diagnose(back(5_000)).quorum).toMatchObject({ total: 4, voting: 4 });
    expect(diagnose(back(5_000)).problems).toEqual([]);
    expect(diagnose(back(60_000)).quorum).toMatchObject({ total: 4, voting: 3 });
    const withAddress = (ranForMs: number) => withN4('0xother', { container: { startedAt: NOW - ranForMs } });
    const { at = 0 } = withAddress(0)[3]?.facts.node?.chain ?? {};
    expect(diagnose(withAddress(NOW - at)).quorum).toMatchObject({ total: 4, voting: 3 });
    // What it said by another key before its start may not be so any more.
    expect(diagnose(withAddress(NOW - at - 1)).quorum).toMatchObject({ total: 4, voting: 4 });
    const said = (ranForMs: number) => words(withAddress(ranForMs)).map(({ summary }) => summary);
    expect(said(NOW - at - 1)).toEqual([]);
    expect(said(NOW - at)).toEqual(['no further node may fail', 'no node votes as 0xn9…']);
    const silentToo = addressOf('n3');
    const known = back(5_000).map((one) => {
      const { chain: facts, ...node } = one.facts.node ?? {};
      if (facts === undefined) return one;
      const pool = { ...chain.pool, neverSigned: [silentToo] };
      const missed = [1_990, 1_995].map((round) => ({ round, miner: silentToo }));
      const missedRounds = { ...chain.missedRounds, rounds: missed, byMiner: { [silentToo]: 2 } };
      const observation = { ...facts.observation, pool };
      const epoch = { ...facts.epoch, missedRounds };
      return {
        ...one,
        facts: { ...one.facts, node: { ...node, chain: { ...facts, observation, epoch } } },
      } as KnownTarget;
    });
    expect(diagnose(known).quorum).toMatchObject({ total: 4, voting: 3 });
  });

  test('it is named while it is down too, as it comes back with that key', () => {
    const found = words(withN4('0xother', { fault: { kind: 'unreachable', address: 'n4' } })).find(
      ({ problem }) => problem === 'masternode_missing',
    );
    expect(found?.fix).toContain('give n4 the key of 0xn9… back');
  });

  test('a node that was started since it was asked may have another key', () => {
    const found = (ranMs: number, runsSince = NOW - ranMs) => {
      const known = withN4(addressOf('n3'), { container: { startedAt: NOW - ranMs } }).map((one) =>
        one.facts.container ? withFacts(one, { container: { ...one.facts.container, runsSince } }) : one,
      );
      return words(known).map(({ problem }) => problem);
    };
    const askedMs = 30_000;
    expect(found(askedMs)).toContain('key_shared');
    expect(found(askedMs - 1)).not.toContain('key_shared');
    // After a start of subnetd Docker is asked later than the nodes.
    expect(found(120_000, NOW + 1)).toContain('key_shared');
  });

  test('two nodes with one key are one vote, and the cause of the missing one', () => {
    expect(words(withN4(addressOf('n3')))).toMatchObject([
      {
        problem: 'quorum_at_risk',
        evidence: '3 of 4 masternodes vote and 3 are needed, without 0xn9… (no node has its key)',
      },
      {
        problem: 'key_shared',
        summary: 'n3 and n4 run with one key',
        evidence: 'n3 and n4 both sign as 0xn3, which is one vote; no node votes as 0xn9…, whose key no node has',
        fix: expect.stringMatching(
          /^stop one of them at once, .* give the wrong one its own key back, which is that of 0xn9…: check PRIVATE_KEY in n3\.env, .*; check PRIVATE_KEY in n4\.env/,
        ),
      },
    ]);
  });

  test('the one of them that has left the missing key for it is the one to stop', () => {
    const left = (...names: readonly string[]) =>
      withN4(addressOf('n3')).map((one) => {
        const { node } = one.facts;
        const keyBefore = { address: silent, at: NOW - 20_000 };
        if (node?.chain === undefined || !names.includes(one.target.name)) return one;
        return {
          ...one,
          facts: { ...one.facts, node: { ...node, chain: { ...node.chain, keyBefore } } },
        } as KnownTarget;
      });
    expect(words(left('n4'))).toMatchObject([
      {
        problem: 'quorum_at_risk',
        fix: expect.stringMatching(/^stop n4 at once, as n3 and n4 run with one key; bring/),
      },
      {
        problem: 'key_shared',
        fix: expect.stringMatching(
          /^stop n4 at once, as two .* round; then give it its own key back: check PRIVATE_KEY in n4\.env[^;]*$/,
        ),
      },
    ]);
    expect(words(left('n3', 'n4'))[1]?.fix).toMatch(/^stop one of them at once/);
  });

  test('one of them that is made again may come back with the missing one, within a minute', () => {
    const gone = withN4(addressOf('n3'), { fault: { kind: 'refused', address: 'n4' } }).map((one) => {
      const observation = { kind: 'missing' } as const;
      const container = { ...(one.facts.container as ContainerFacts), observation };
      return one.target.name === 'n4' ? ({ ...one, facts: { ...one.facts, container } } as KnownTarget) : one;
    });
    const found = (goneMs: number) => {
      const states = judge(gone).map((state) => ({
        ...state,
        checks: state.checks.map((one) => (one.check === 'container' ? { ...one, since: NOW - goneMs } : one)),
      }));
      const { problems } = diagnoseSubnet(toSubnet(gone), states, NO_PROBLEMS, NOW);
      return problems.map(({ problem }) => problem);
    };
    expect(found(59_999)).toEqual(['quorum_at_risk', 'container_down']);
    expect(found(60_000)).toEqual(['quorum_at_risk', 'container_down', 'masternode_missing']);
  });

  test.each([3_600_000, 40_000])(
    'a masternode whose node is on another chain is missing, also %d ms after its start',
    (ms) => {
      const masternodes = { ...chain.masternodes, active: NAMES.map(addressOf) };
      const foreign = { genesis: '0x1234567890' };
      const container = { startedAt: NOW - ms };
      const found = words(
        nodes((name) => ({
          chain: { ...chain, masternodes, ...(name === 'n2' && foreign) },
          ...(name === 'n2' && { container }),
        })),
      );
      expect(found.map(({ problem, name, fix }) => [problem, name, fix])).toEqual([
        ['quorum_at_risk', undefined, 'bring back n2 before any other work, and restart no other node'],
        ['other_chain', 'n2', expect.stringContaining('genesis')],
      ]);
    },
  );

  test.each([
    ['n3', 'n4'],
    ['n4', 'n3'],
  ])('of two nodes with one key the vote is left when %s is stopped', (stopped, left) => {
    const container = { container: STOPPED, fault: REFUSED };
    const found = diagnose(
      nodes((name) => ({
        chain: {
          ...chain,
          masternodes: { ...chain.masternodes, active: [...active.slice(0, 3), silent] },
          ...(name === 'n4' && { address: addressOf('n3') }),
        },
        ...(name === stopped && container),
      })),
    );
    expect(found.quorum).toEqual({ total: 4, required: 3, voting: 3 });
    expect(found.problems.map(({ problem, name, evidence }) => [problem, name, evidence])).toEqual([
      ['quorum_at_risk', undefined, '3 of 4 masternodes vote and 3 are needed, without 0xn9… (no node has its key)'],
      [
        'container_down',
        stopped,
        `generated-${stopped}-1 exited at 1970-01-01T02:45:30Z with code 137 (killed, as a plain docker stop does; Docker does not report it as out of memory)`,
      ],
      ['masternode_missing', undefined, expect.stringContaining('0xn9')],
    ]);
    expect(found.members.map(({ name, vote }) => [name, vote])).toContainEqual([left, 'votes']);
  });

  test('a key that a node has just exchanged for another one votes no more, before anybody can have missed its votes', () => {
    const four = ['n1', 'n2', 'n3', 'n4'].map(addressOf);
    const found = (ago: number, address: string, neverSigned: readonly string[] = []) =>
      nodes((name) => ({
        chain: {
          masternodes: { ...chain.masternodes, active: four },
          pool: { ...chain.pool, neverSigned },
          ...(name === 'n4' && { address }),
        },
      })).map((one) => {
        const { node } = one.facts;
        if (one.target.name !== 'n4' || node?.chain === undefined) return one;
        const keyBefore = { address: addressOf('n4'), at: NOW - ago };
        return withFacts(one, { node: { ...node, chain: { ...node.chain, keyBefore } } });
      });
    const { quorum, problems } = diagnose(found(5_000, '0xother'));
    expect(quorum).toEqual({ total: 4, required: 3, voting: 3 });
    expect(problems.map(({ problem, evidence }) => [problem, evidence])).toEqual([
      ['quorum_at_risk', '3 of 4 masternodes vote and 3 are needed, without 0xn4… (no node has its key, which n4 had)'],
      [
        'masternode_missing',
        'no node of the inventory has the key of 0xn4…, 1 of 4 masternodes; n4 had it, and was first seen with another one 5s ago (02:46:35 UTC); n4 runs with the key of no masternode',
      ],
    ]);
    expect(diagnose(found(5_000, addressOf('n3'))).problems.map(({ problem }) => problem)).toEqual([
      'quorum_at_risk',
      'key_shared',
    ]);
    // From then on every pool would show its votes, if somebody else signed with it.
    expect(diagnose(found(179_999, '0xother')).quorum?.voting).toBe(3);
    expect(diagnose(found(180_000, '0xother')).quorum?.voting).toBe(4);
    expect(diagnose(found(180_000, '0xother', [addressOf('n4')])).quorum?.voting).toBe(3);
    expect(diagnose(found(5_000, addressOf('n4'))).quorum?.voting).toBe(4);
  });

  test('a key that a node had exchanged is not missing before the node, which was started again since, is asked', () => {
    const four = ['n1', 'n2', 'n3', 'n4'].map(addressOf);
    const again = (address: string, startedAt: number, fault?: Fault) =>
      nodes((name) => ({
        chain: { masternodes: { ...chain.masternodes, active: four }, ...(name === 'n4' && { address }) },
        ...(name === 'n4' && { container: { startedAt }, ...(fault && { fault }) }),
      })).map((one) => {
        const { node } = one.facts;
        if (one.target.name !== 'n4' || node?.chain === undefined) return one;
        const keyBefore = { address: addressOf('n4'), at: NOW - 40_000 };
        return withFacts(one, { node: { ...node, chain: { ...node.chain, keyBefore } } });
      });
    const askedAt = again('0xother', 0)[3]?.facts.node?.chain?.at ?? 0;
    for (const address of ['0xother', addressOf('n3')]) {
      const back = diagnose(again(address, askedAt + 1, REFUSED));
      expect(back.quorum).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
      expect(back.problems.map(({ problem }) => problem)).not.toContain('masternode_missing');
    }
    const asked = diagnose(again('0xother', askedAt, REFUSED));
    expect(asked.quorum).toEqual({ total: 4, required: 3, voting: 3 });
    expect(asked.problems.map(({ problem }) => problem)).toContain('masternode_missing');
  });

  test('a node that has never said its address may have the key', () => {
    const found = words(withN4(undefined, { fault: REFUSED }));
    expect(found.map(({ problem }) => problem)).toEqual(['quorum_at_risk', 'node_down']);
  });
});

describe('a node whose RPC cannot be reached, but that runs', () => {
  const n2 = (facts: Partial<Facts>, fault: Fault = REFUSED) =>
    nodes((name) => (name === 'n2' ? { fault } : {})).map((one) =>
      one.target.name === 'n2' ? withFacts(one, facts) : one,
    );
  const { logs } = diagnosedNode('n2', NAMES).facts;
  const printed = (at: number) => ({ logs: logs && { ...logs, node: { height: 1_001, advancedAt: at, level: 4 } } });
  const answersByIpc = (name: string, fault: Fault): Partial<Facts> => {
    const { node } = diagnosedNode(name, NAMES, { fault }).facts;
    const peers = { ok: true, value: { count: 3, via: 'admin_peers' } } as const;
    const observation = { answered: true, isPeersByIpc: true, latest: { ok: false, fault }, peers } as const;
    return { node: node && { ...node, observation } };
  };

  test('counts as voting only while its log goes on after nothing listens any more', () => {
    const voting = (printedAt: number, failsFor: number, fault: Fault = REFUSED) => {
      const targets = n2(printed(printedAt), fault);
      const states = judge(targets).map((one) => ({
        ...one,
        checks: one.checks.map((check) => ({ ...check, since: NOW - failsFor })),
      }));
      return diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW).quorum?.voting;
    };
    expect(voting(NOW - 6_000, 4_999)).toBe(4);
    expect(voting(NOW - 6_000, 5_000)).toBe(3);
    expect(voting(NOW - 1_000, 5_000)).toBe(4);
    // Where the way may be broken, its log may be late too, but not later than the logs of the others.
    expect(voting(NOW - 6_000, 5_000, UNREACHABLE)).toBe(4);
    expect(voting(NOW - 7_000, 4_000, UNREACHABLE)).toBe(3);
    expect(voting(NOW - 7_000, 4_000)).toBe(3);
  });

  test('votes by its log as long as that is read, which is written faster', () => {
    const voting = (readMs: number, isBehind: boolean, blockMs = readMs + 4_000) => {
      const at = NOW - readMs;
      const line = {
        means: 'error',
        count: 9,
        at,
        order: 9,
        what: 'it is out of file descriptors',
        own: false,
      } as const;
      const printedAt = NOW - blockMs;
      const behind = printed(printedAt).logs;
      const facts = { logs: behind && { ...behind, patterns: { too_many_open_files: line }, isBehind } };
      const timeout: Fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false };
      return diagnoseSubnet(toSubnet(n2(facts, timeout)), judge(n2(facts, timeout)), NO_PROBLEMS, NOW).quorum?.voting;
    };
    expect([voting(20_000, true), voting(20_000, false)]).toEqual([4, 3]);
    // It has stood where it was read to, or is read no more.
    expect([voting(20_000, true, 25_000), voting(70_000, true)]).toEqual([3, 3]);
  });

  test('is said to run, with what shows it', () => {
    expect(words(n2(answersByIpc('n2', REFUSED)))).toMatchObject([
      {
        problem: 'rpc_closed',
        summary: 'subnetd cannot reach the RPC of n2, which runs',
        evidence: 'n2 did not return its latest block: nothing listens at http://n; its IPC socket answers',
        fix: 'see on which address and port n2 serves RPC, if at all, and correct rpc in the inventory or the flags of its start; starting it does not help, as its IPC socket answers',
      },
    ]);
    expect(words(n2(printed(SINCE + 2_000)))).toMatchObject([
      { problem: 'rpc_closed', evidence: expect.stringMatching(/; its log goes on$/) },
    ]);
    // So it may well vote, and is no more than not seen.
    const living = n2(printed(SINCE + 2_000));
    const { members } = diagnoseSubnet(toSubnet(living), judge(living), NO_PROBLEMS, NOW);
    expect(members.find(({ name }) => name === 'n2')).toMatchObject({ vote: 'votes', isUnseen: true });
    // A log that stands does so for another reason.
    const targets = n2(answersByIpc('n2', REFUSED));
    const stood = { verdict: 'fail', seen: 'the height in its log stands' } as const;
    const stands = judge(targets).map((one) => {
      const checks = one.checks.map((check) => (check.check === 'log_block' ? { ...check, ...stood } : check));
      return { ...one, checks } as TargetState;
    });
    const { problems } = diagnoseSubnet(toSubnet(targets), stands, NO_PROBLEMS, NOW);
    const closed = problems.find(({ problem }) => problem === 'rpc_closed');
    expect(closed?.explains.map(({ check }) => check)).not.toContain('log_block');
  });

  test('that closes a connection while its socket answers may just end, until it is asked again', () => {
    const closed: Fault = { kind: 'closed', address: 'http://n' };
    const found = (failsMs: number) =>
      diagnose(n2(answersByIpc('n2', closed), closed), NOW - failsMs).problems.map(({ problem }) => problem);
    expect(found(0)).not.toContain('rpc_closed');
    expect(found(1)).toContain('rpc_closed');
  });

  test('is said to run once its socket answers and its RPC has had time to open, and on which port its container serves it', () => {
    const closed: Fault = { kind: 'closed', address: 'http://n' };
    const startedAgo = (ms: number) => {
      const { container } = diagnosedNode('n2', NAMES, { container: { startedAt: NOW - ms } }).facts;
      return n2({ ...answersByIpc('n2', closed), container }, closed);
    };
    expect(words(startedAgo(19_999)).map(({ problem }) => problem)).not.toContain('rpc_closed');
    // It is confirmed by the time in which its socket has answered, and its RPC has not.
    const stateOf = (answersMs: number | undefined, failsMs: number) => {
      const known = startedAgo(25_000).map((one) => {
        const { node } = one.facts;
        const returned = answersMs === undefined ? undefined : { at: NOW - answersMs, silentSince: NOW - 28_000 };
        return withFacts(one, node && one.target.name === 'n2' ? { node: { ...node, returned } } : {});
      });
      return diagnose(known, NOW - failsMs).problems.find(({ problem }) => problem === 'rpc_closed')?.state;
    };
    expect([stateOf(20_000, 40_000), stateOf(30_000, 40_000), stateOf(40_000, 20_000)]).toEqual([
      'suspected',
      'open',
      'suspected',
    ]);
    expect([stateOf(undefined, 29_999), stateOf(undefined, 30_000)]).toEqual(['suspected', 'open']);
    const targets = startedAgo(20_000);
    const log = { driver: 'json-file', isReadable: true };
    const setup = { id: 'n2', name: 'n2', log, published: [], ports: { rpc: 8_599 } };
    const key = targetKey({
      subnet: 'd',
      component: 'node',
      name: 'n2',
      ...targets.find(({ target }) => target.name === 'n2')?.target,
    });
    const fixWith = (id: string) => {
      const value = { ...setup, id };
      const seen = {
        targets: new Map([[key, { container: { ok: true, value } as const }]]),
        engines: new Map(),
        named: [],
      };
      const facts: SubnetFacts = { setup: { observation: seen, at: NOW } };
      const found = diagnoseSubnet(toSubnet(targets), judge(targets), NO_PROBLEMS, NOW, { facts }).problems;
      return found.find(({ problem }) => problem === 'rpc_closed')?.fix;
    };
    const then =
      'and correct rpc in the inventory or the flags of its start; starting it does not help, as its IPC socket answers';
    expect(fixWith('n2')).toBe(`see that port 8599, at which its container is set to serve RPC, is published, ${then}`);
    // What was read of the container before is of no use.
    expect(fixWith('before')).toBe(`see on which address and port n2 serves RPC, if at all, ${then}`);
  });

  test('is not to be looked for either while its Docker Engine does not answer about another target since', () => {
    const why = { address: 'unix:///var/run/docker.sock', code: 'ENOENT' } as const;
    const observation = { kind: 'docker-unreachable', why } as const;
    const targets = n2(answersByIpc('n2', REFUSED)).map((one) =>
      one.target.name === 'n3'
        ? withFacts(one, { container: { inspected: true, restarts: 0, oomKills: 0, observation } })
        : one,
    );
    const fixOf = (askedAgo: number) => {
      const states = judge(targets).map((state) => ({
        ...state,
        checks: state.checks.map((check) =>
          check.check === 'container' && state.target.name === 'n3' ? { ...check, lastRun: NOW - askedAgo } : check,
        ),
      }));
      const { problems } = diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW);
      return problems.find(({ problem }) => problem === 'rpc_closed')?.fix;
    };
    expect(fixOf(0)).toMatch(/^make Docker answer first/);
    expect(fixOf(1)).toMatch(/^see on which address and port n2 serves RPC/);
  });

  test('is not to be looked for while its Docker Engine does not answer, which serves its port', () => {
    const why = { address: 'unix:///var/run/docker.sock', code: 'ENOENT' } as const;
    const unseen = { kind: 'docker-unreachable', why } as const;
    const container = { inspected: false, restarts: 0, oomKills: 0, observation: unseen };
    expect(words(n2({ ...answersByIpc('n2', REFUSED), container }))).toMatchObject([
      {
        problem: 'rpc_closed',
        fix: 'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too: the ports of its containers may have ended with it, and n2 itself runs',
      },
    ]);
  });

  test('nor for a probe from before its Docker Engine was back, and with it the port', () => {
    const { container } = diagnosedNode('n2', NAMES).facts;
    const found = (runsSince: number) => {
      // A restart that is still reported fails the check of the container all the while.
      const crashed = { restarts: 1, lastRestartAt: NOW - 120_000, lastRestartBy: 'policy' } as const;
      const known = container && { ...container, ...crashed, runsSince };
      const targets = n2({ ...answersByIpc('n2', REFUSED), ...(known && { container: known }) });
      return words(targets).map(({ problem }) => problem);
    };
    expect(found(NOW)).toContain('rpc_closed');
    expect(found(NOW + 1)).not.toContain('rpc_closed');
  });

  test('is connected to no network when its container is in none, whatever its socket answers, and votes no more', () => {
    const { container } = diagnosedNode('n2', NAMES, { container: { lostNetwork: 'docker_net' } }).facts;
    const targets = n2({ ...answersByIpc('n2', REFUSED), container });
    expect(words(targets)).toMatchObject([
      { problem: 'quorum_at_risk' },
      { problem: 'node_down', summary: 'n2 is connected to no network' },
    ]);
    expect(diagnose(targets).quorum?.voting).toBe(3);
    const stalled = nodes((name) => ({ stalledMs: 70_000, ...(name === 'n2' && { fault: REFUSED }) })).map((one) =>
      one.target.name === 'n2' ? withFacts(one, { ...answersByIpc('n2', REFUSED), container }) : one,
    );
    expect(words(stalled)).toMatchObject([
      { problem: 'subnet_halted', evidence: expect.stringContaining('3 needed, without n2 (no network)') },
      { problem: 'node_down', summary: 'n2 is connected to no network' },
    ]);
  });

  test('that is silent for another reason, while the loss of its network clears, has another problem', () => {
    const { container } = diagnosedNode('n2', NAMES, { container: { lostNetwork: 'docker_net' } }).facts;
    const down = (targets: readonly KnownTarget[], since = SINCE) =>
      diagnose(targets, since).problems.filter(({ problem }) => problem === 'node_down');
    const lost = down(n2({ ...answersByIpc('n2', REFUSED), container }), NOW - 20_000);
    const silent = down(n2({}));
    let followed = NO_PROBLEMS;
    const told = (seconds: number, found: readonly Suspicion[], targets: readonly KnownTarget[]) => {
      followed = follow(followed, found, judge(targets), NOW + seconds * 1_000);
      return followed.problems.map(({ state, summary, openedAt = 0 }) => [state, summary, (openedAt - NOW) / 1_000]);
    };
    // It counts from when the node was first silent.
    expect(told(0, lost, n2({}))).toEqual([['open', 'n2 is connected to no network', 0]]);
    expect(told(60, [], nodes())).toEqual([['clearing', 'n2 is connected to no network', 0]]);
    for (const seconds of [62, 72, 81])
      expect(told(seconds, silent, n2({}))).toEqual([
        ['clearing', 'n2 is connected to no network', 0],
        ['suspected', 'n2 does not answer', -NOW / 1_000],
      ]);
    expect(told(82, silent, n2({}))).toEqual([['open', 'n2 does not answer', 82]]);
  });

  test('that goes on to print while it is asked does not hang', () => {
    const timeout: Fault = { kind: 'timeout', address: 'http://n', afterMs: 1_000, received: false };
    const asked = SINCE - 1_000;
    const told = (failsMs: number) => {
      const { problems } = diagnose(n2(printed(NOW - 1_000), timeout), NOW - failsMs);
      return problems.map(({ summary, evidence, fix }) => [summary, evidence, fix]);
    };
    const evidence = 'n2 did not return its latest block: http://n did not answer within 1s; its log goes on';
    expect(told(29_999)).toEqual([
      [
        'the RPC of n2 did not answer within 1s',
        evidence,
        'see with `top` on its machine whether n2 gets enough processor time: it runs, and may only answer late',
      ],
    ]);
    // By then it is not only late.
    expect(told(30_000)).toEqual([
      [
        'subnetd cannot reach the RPC of n2, which runs',
        evidence,
        'see whether a firewall between here and n2 drops packets; if not, its RPC hangs although it runs, and a restart helps: ask `subnetd safe-to-restart n2` first',
      ],
    ]);
    expect(words(n2(printed(asked + 2_000), timeout)).map(({ problem }) => problem)).toEqual(['rpc_closed']);
    expect(words(n2(printed(asked + 1_999), timeout)).map(({ problem }) => problem)).toContain('node_hanging');
    const unreachable: Fault = { kind: 'unreachable', address: 'http://n', afterMs: 1_000 };
    expect(words(n2(printed(asked + 2_000), unreachable))).toMatchObject([
      {
        problem: 'rpc_closed',
        evidence: 'n2 did not return its latest block: http://n has taken no connection within 1s; its log goes on',
        fix: 'check the route and the firewall between it and subnetd',
      },
    ]);
  });

  test('the last lines before it ended show nothing', () => {
    expect(words(n2(printed(SINCE + 1_999))).map(({ problem }) => problem)).toEqual(['node_down']);
  });

  test('no node that can be reached is a fault of the way there, with sockets that answer, and with one node only', () => {
    const all = nodes().map((one) => withFacts(one, answersByIpc(one.target.name, UNREACHABLE)));
    expect(words(all)).toMatchObject([
      {
        problem: 'monitor_offline',
        evidence:
          'all 4 nodes became unreachable from here (connections are not accepted), while the IPC socket of n1, n2, n3, n4 answers',
      },
    ]);
    const only = (fault: Fault) => words([diagnosedNode('n1', ['n1'], { fault })]);
    expect(only({ kind: 'unresolved', address: 'http://n' })).toMatchObject([
      {
        problem: 'monitor_offline',
        evidence:
          'n1, the only node, became unreachable from here (names do not resolve), and none is known to be stopped',
      },
    ]);
    expect(only({ kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false })).not.toMatchObject([
      { problem: 'monitor_offline' },
    ]);
  });
});

describe('no node that can be reached, without containers', () => {
  const logOf = (silentMs: number) => ({
    sources: { file: { up: true, lines: 9, since: 0 } },
    patterns: {},
    node: { height: 1_000, advancedAt: NOW - silentMs, level: 4 },
  });
  const cutOff = (silentMs: Readonly<Record<string, number>>) =>
    nodes(() => ({ fault: UNREACHABLE })).map(({ target, facts: { container: _, logs: __, ...facts } }) => {
      const ms = silentMs[target.name];
      return { target, facts: { ...facts, ...(ms !== undefined && { logs: logOf(ms) }) } } as KnownTarget;
    });
  const found = (silentMs: Readonly<Record<string, number>>) => words(cutOff(silentMs)).map(({ problem }) => problem);

  test('is a halt when the logs of two nodes are silent, and says nothing about the subnet before', () => {
    const stall = diagnose(nodes()).stallAfterMs ?? 0;
    expect(found({})).toEqual(['monitor_offline']);
    expect(found({ n1: 15_000 })).toEqual(['monitor_offline']);
    expect(found({ n1: 15_000, n2: 14_999 })).toEqual(['monitor_offline']);
    expect(found({ n1: 15_000, n2: 15_000 })).not.toContain('monitor_offline');
    expect(found({ n1: stall, n2: stall })).toContain('subnet_halted');
  });

  test('names the logs that have gone on since the nodes were asked in vain', () => {
    const seen = (silentMs: Readonly<Record<string, number>>) => words(cutOff(silentMs))[0]?.evidence;
    const asked = judge(cutOff({}))[0]?.checks.find(({ check }) => check === 'latest_block');
    const askedAgo = NOW - (asked?.lastRun ?? 0) + (asked?.durationSeconds ?? 0) * 1_000;
    expect(seen({ n1: askedAgo - 1, n2: askedAgo })).toMatch(/, while the log of n1 goes on$/);
    expect(seen({ n1: askedAgo })).toMatch(/, and none is known to be stopped$/);
  });

  test('is a fault of the way there, although a service is reached, if their logs go on', () => {
    const stats = diagnosedService('stats');
    const found = (silentMs: Readonly<Record<string, number>>) => {
      const cut = cutOff(silentMs).map((one) => {
        const { node } = one.facts;
        const latest = node?.latest && { ...node.latest, lastGoodAt: NOW - 60_000 };
        return { ...one, facts: { ...one.facts, node: node && { ...node, latest } } } as KnownTarget;
      });
      return words([...cut, stats]).map(({ problem }) => problem);
    };
    expect(found({ n1: 0, n2: 0, n3: 0, n4: 0 })).toEqual(['monitor_offline']);
    expect(found({ n1: 0, n2: 0, n3: 0 })).not.toContain('monitor_offline');
  });

  test('once they can be reached again, nobody is judged by what was asked before', () => {
    const first = diagnose(cutOff({}));
    const open = first.problems.map((one) => ({ ...one, state: 'open' as const, openedAt: NOW, seenAt: NOW }));
    const clearing = open.map((one) => ({ ...one, state: 'clearing' as const, clearingSince: NOW }));
    const back = nodes((name) => (name === 'n2' ? { fault: UNREACHABLE } : {}));
    const foundAfter = (lastRun: number, problems: readonly Problem[] = clearing) => {
      const states = judge(back).map((one) => ({
        ...one,
        checks: one.checks.map((check) => (one.target.name === 'n2' ? { ...check, lastRun } : check)),
      }));
      const before = { problems, ended: [] };
      return diagnoseSubnet(toSubnet(back), states, before, NOW + 2_000).problems.map(({ problem }) => problem);
    };
    expect(foundAfter(NOW)).not.toContain('node_down');
    expect(foundAfter(NOW + 1)).toContain('node_down');
    // It is over from the moment at which it is not found any more.
    expect(foundAfter(NOW + 2_000, open)).not.toContain('node_down');
    expect(foundAfter(NOW + 2_001, open)).toContain('node_down');
  });
});

test('a check by the log waits until Docker has said whether the container runs', () => {
  const silent = (container: Facts['container']) =>
    words(
      nodes().map((one) => {
        if (one.target.name !== 'n2') return one;
        const patterns = {
          panic: { means: 'fatal', count: 1, at: NOW - 1_000, order: 1, what: 'it broke', own: true },
        };
        const { container: _, logs, ...facts } = one.facts;
        return { ...one, facts: { ...facts, container, logs: logs && { ...logs, patterns } } } as KnownTarget;
      }),
    ).map(({ problem }) => problem);
  expect(silent(undefined)).toEqual([]);
  expect(silent(containerOf('n2'))).toEqual(['node_log_fault']);
});

describe('a node that has just started', () => {
  const startedAgo = (ms: number, given: Given) => ({ ...given, container: { startedAt: NOW - ms } });
  const found = (given: Given) => words(nodes((name) => (name === 'n2' ? given : {}))).map(({ problem }) => problem);

  test('is given 45 seconds before it is said to be silent, and a minute before it is behind', () => {
    expect(found(startedAgo(44_999, { fault: REFUSED }))).toEqual([]);
    expect(found(startedAgo(45_000, { fault: REFUSED }))).toContain('node_down');
    expect(found(startedAgo(59_000, { height: 900 }))).toEqual([]);
    expect(found(startedAgo(60_000, { height: 900 }))).toContain('node_behind');
  });
});

test('a halt has lasted since its last block, although nodes come up to it later', () => {
  const halted = (ms: Readonly<Record<string, number>>) =>
    diagnose(nodes((name) => ({ stalledMs: ms[name] ?? 600_000 }))).problems.find(
      ({ problem }) => problem === 'subnet_halted',
    )?.evidence;
  const since = 'no block after 1000 for 10m; 4 of 4 masternodes can vote, 3 needed';
  expect(halted({})).toBe(since);
  expect(halted({ n1: 40_000, n2: 60_000 })).toBe(since);
  expect(halted({ n3: 900_000 })).toBe(since.replace('10m', '15m'));
});

test('after a halt no node is said to be stalled or behind for a minute, while it takes its blocks', () => {
  const halted = diagnose(nodes(() => ({ stalledMs: 600_000 })));
  expect(halted.problems.map(({ problem, state }) => [problem, state])).toContainEqual(['subnet_halted', 'open']);
  const back = nodes((name) => (name === 'n2' ? { height: 980, stalledMs: 600_000 } : {}));
  const found = (before: FollowedProblems, at: number, targets: readonly KnownTarget[] = back) =>
    diagnoseSubnet(toSubnet(targets), judge(targets), before, at).problems.map(({ problem }) => problem);
  expect(found(NO_PROBLEMS, NOW)).toContain('node_stalled');
  expect(found(halted, NOW)).not.toContain('node_stalled');
  const clearing = (since: number) => ({
    problems: halted.problems.map((one) => ({ ...one, state: 'clearing' as const, clearingSince: since })),
    ended: [],
  });
  expect(found(clearing(NOW - 59_999), NOW)).not.toContain('node_stalled');
  expect(found(clearing(NOW - 60_000), NOW)).toContain('node_stalled');
  // They have lost their connections, and dial each other again.
  const peersOf = (peers: readonly string[]) => nodes((name) => (name === 'n2' ? { peers } : {}));
  for (const [peers, problem] of [
    [[], 'node_partitioned'],
    [['n1'], 'peers_missing'],
  ] as const) {
    expect(found(NO_PROBLEMS, NOW, peersOf(peers))).toContain(problem);
    expect(found(clearing(NOW - 59_999), NOW, peersOf(peers))).not.toContain(problem);
    expect(found(clearing(NOW - 60_000), NOW, peersOf(peers))).toContain(problem);
  }
});

describe('right after the start of subnetd', () => {
  /** The nodes answered once, a moment ago, and nothing has been read of their logs. */
  const first = (risen: boolean, blockAt = 0) =>
    nodes().map((one) => {
      const { node, logs: _, ...facts } = one.facts;
      const latest = node?.latest && { ...node.latest, risen, advancedAt: NOW - 1_000, timestamp: blockAt / 1_000 };
      return { ...one, facts: { ...facts, node: node && { ...node, latest } } } as KnownTarget;
    });

  test('a subnet is not well before a node has shown a new block', () => {
    expect(diagnose(first(false)).headline).toEqual({
      standing: 'off',
      sentence: 'devnet has not been seen to make a block yet',
      detail: '4 of 4 masternodes can vote, 3 needed.',
    });
    // Nor is it healthy before their logs have been read.
    const healthy = {
      standing: 'ok',
      sentence: 'devnet is running: it can lose 1 more node',
      detail: '4 of 4 masternodes can vote, 3 needed. Still to be read: n1, n2, n3, n4.',
    };
    expect(diagnose(first(true)).headline).toMatchObject(healthy);
    // The time of its newest block shows that it is new, too.
    const stallMs = diagnose(first(false)).stallAfterMs ?? 0;
    // One that is as old as what is called quiet later may be the last one.
    expect(diagnose(first(false, NOW - stallMs / 2 + 1)).headline).toMatchObject(healthy);
    expect(diagnose(first(false, NOW - stallMs / 2)).headline?.standing).toBe('off');
    expect(diagnose(first(false, NOW + stallMs / 2)).headline?.standing).toBe('off');
    // A node that has risen a while ago and is just back has shown one.
    const [node, ...others] = first(false);
    const latest = node?.facts.node?.latest;
    const back = {
      ...node,
      facts: { ...node?.facts, node: { ...node?.facts.node, latest: { ...latest, risen: true } } },
    };
    const before = {
      ...back,
      facts: {
        ...back.facts,
        node: { ...back.facts.node, latest: { ...back.facts.node.latest, advancedAt: NOW - stallMs } },
      },
    };
    expect(diagnose([before as KnownTarget, ...others]).headline).toMatchObject({
      sentence: 'devnet is running, but its last block came 28s ago',
      detail: '4 of 4 masternodes can vote, 3 needed. Still to be read: n1, n2, n3, n4.',
    });
  });

  test('a block in the log of a node that does not answer is a new one', () => {
    const said = (height?: number) => {
      const [, ...others] = first(false);
      const { facts, ...n1 } = diagnosedNode('n1', NAMES, {
        fault: { kind: 'timeout', address: 'n', afterMs: 5_000, received: false },
      });
      const latest = facts.node?.latest && { ...facts.node.latest, risen: false };
      const node = facts.node && { ...facts.node, latest };
      const logs = height !== undefined && facts.logs && { ...facts.logs, node: { height, advancedAt: NOW - 1_000 } };
      return diagnose([{ ...n1, facts: { ...facts, node, logs: logs || undefined } } as KnownTarget, ...others])
        .headline?.sentence;
    };
    expect(said(1_001)).toBe('devnet is running, but a possible problem is being checked');
    expect(said()).toBe('devnet has not been seen to make a block yet');
    // Nor does one that answers, and was killed, say its height before it has committed a block. After a start its first height is its last one.
    const printed = (node: NodeLogFacts, startedAgo: number) => {
      const targets = NAMES.map((name) => {
        const { facts, ...one } = diagnosedNode(name, NAMES, { fault: { kind: 'no-committed' } });
        const observation = { ...facts.node?.observation, answered: true };
        const logs = { ...facts.logs, node: { startedAt: NOW - startedAgo, ...node } };
        return {
          ...one,
          facts: { ...facts, container: undefined, node: { ...facts.node, latest: undefined, observation }, logs },
        } as KnownTarget;
      });
      return diagnose(targets).headline?.sentence;
    };
    const now = { height: 1_001, advancedAt: NOW - 1_000 };
    const notYet = expect.stringMatching(/^devnet has not been seen to make a block yet/);
    expect(printed(now, 90_000)).not.toEqual(notYet);
    expect(printed(now, 10_000)).toEqual(notYet);
    expect(printed({ ...now, heightBefore: 1_001 }, 10_000)).toEqual(notYet);
    expect(printed({ ...now, heightBefore: 1_000 }, 10_000)).not.toEqual(notYet);
    expect(printed({ ...now, advancedAt: NOW - 15_000 }, 90_000)).toEqual(notYet);
  });

  test('a stored silence goes on, although what was asked before its halt was stored again is old', () => {
    const down = first(false).map((one) =>
      one.target.name === 'n2' ? (diagnosedNode('n2', NAMES, { fault: REFUSED }) as KnownTarget) : one,
    );
    const storedAs = (problem: ProblemName, name?: string) =>
      ({
        ...{ problem, ...(name !== undefined && { component: 'node', name }), severity: 'warning', alert: 'x' },
        ...{ summary: '', evidence: '', fix: '', explains: [], causes: [], state: 'open', since: NOW - 9_000 },
        ...{ openedAt: NOW - 9_000, seenAt: NOW, restoredAt: NOW },
      }) as Problem;
    const states = judge(down).map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, lastRun: NOW - 1_000 })),
    }));
    const found = (...problems: readonly Problem[]) =>
      diagnoseSubnet(toSubnet(down), states, { problems, ended: [] }, NOW).problems.flatMap(({ problem, state }) =>
        problem === 'node_down' ? [state] : [],
      );
    expect(found(storedAs('subnet_halted'))).toEqual([]);
    expect(found(storedAs('subnet_halted'), storedAs('node_down', 'n2'))).toEqual(['open']);
  });

  test('a stored halt goes on until a block comes', () => {
    const { problems } = diagnose(nodes(() => ({ stalledMs: 600_000 })));
    const stored = problems
      .filter(({ problem }) => problem === 'subnet_halted')
      .map((one) => ({ ...one, since: NOW - 9_000, openedAt: NOW - 9_000, seenAt: NOW - 9_000 }));
    const states = (targets: readonly KnownTarget[]) =>
      diagnoseSubnet(toSubnet(targets), judge(targets), { problems: stored, ended: [] }, NOW).problems.map(
        ({ problem, state }) => [problem, state],
      );
    expect(states(first(false))).toEqual([['subnet_halted', 'open']]);
    expect(states(first(true))).toEqual([['subnet_halted', 'clearing']]);
    const printed = (startedAt: number) =>
      first(false).map((one) => {
        const node = { height: 1_001, advancedAt: NOW - 1_000, startedAt, level: 4 };
        return withFacts(one, { logs: { sources: { file: { up: true, lines: 9, since: 0 } }, patterns: {}, node } });
      });
    // Its checks of logs are explained by it, although it is not found again yet.
    const silent = first(false).map((one) => {
      const node = { height: 999, advancedAt: NOW - 600_000, level: 4 };
      return withFacts(one, { logs: { sources: { file: { up: true, lines: 9, since: 0 } }, patterns: {}, node } });
    });
    expect(diagnose(silent).problems.map(({ problem }) => problem)).toContain('node_log_fault');
    expect(states(silent)).toEqual([['subnet_halted', 'open']]);
    // One that was stored may have begun with an earlier block: the last one says itself when it was made.
    const longAgo = stored.map((one) => ({ ...one, since: NOW - 600_000, restoredAt: NOW - 1_000 }));
    const toWall = (at: number) => at + 5_000_000;
    const evidenceOf = (targets: readonly KnownTarget[]) =>
      diagnoseSubnet(toSubnet(targets), judge(targets), { problems: longAgo, ended: [] }, NOW, { toWall }).problems[0]
        ?.evidence;
    expect(evidenceOf(first(false, toWall(NOW - 92_000)))).toMatch(/^no block after 1000 for 1m 32s; /);
    // The first height that a node prints after its start is its last one.
    expect(states(printed(NOW - 60_999))).toEqual([['subnet_halted', 'open']]);
    expect(states(printed(NOW - 61_000))).toEqual([['subnet_halted', 'clearing']]);
    // By that block the subnet runs, whether a node has been asked again or not; one that had ended before shows nothing of now.
    const sentence = (over: Partial<Problem>, targets: readonly KnownTarget[] = printed(NOW - 61_000)) => {
      const halt = stored.map((one) => ({ ...one, restoredAt: NOW - 61_000, ...over }));
      const summary = 'n1 signed two blocks of round 7';
      const votes = stored.map((one) => ({ ...one, problem: 'double_vote', summary, restoredAt: NOW }) as const);
      const before = { problems: [...halt, ...votes], ended: [] };
      return diagnoseSubnet(toSubnet(targets), judge(targets), before, NOW).headline?.sentence;
    };
    expect(sentence({})).toBe('devnet is running, but n1 signed two blocks of round 7');
    expect(sentence({ state: 'clearing', clearingSince: NOW - 62_000 }, first(false))).toBe(
      'devnet has not been seen to make a block yet, and n1 signed two blocks of round 7',
    );
  });
});

test('the advice of a problem that is not found any more is withdrawn', () => {
  const down = nodes((name) => (name === 'n2' ? { fault: REFUSED } : {}));
  const first = diagnose(down);
  const open = { ...first, problems: first.problems.map((one) => ({ ...one, state: 'open' as const, openedAt: NOW })) };
  const after = diagnoseSubnet(toSubnet(nodes()), judge(nodes()), open, NOW + 1_000);
  expect(after.problems.map(({ state, fix }) => [state, fix])).toEqual(
    open.problems.map(() => ['clearing', 'nothing to do about this: it is over unless it comes back']),
  );
  expect(after.headline?.sentence).toBe('devnet is recovering');
});

test('the evidence of a problem that is not found any more keeps its times, and not how long ago they were', () => {
  const line: PatternFacts = { means: 'fatal', count: 3, at: NOW - 26_000, order: 1, what: 'x', own: false };
  const patterns = { disk_full: line };
  const full = nodes().map((one) =>
    one.target.name === 'n2'
      ? withFacts(one, { logs: { sources: { container: { up: true, lines: 9, since: 0 } }, patterns } })
      : one,
  );
  const at = (targets: readonly KnownTarget[], before: FollowedProblems, now: number) =>
    diagnoseSubnet(toSubnet(targets), judge(targets), before, now, { toWall: (ms) => ms + 3_600_000 });
  const first = at(full, NO_PROBLEMS, NOW);
  const evidenceOf = ({ problems }: FollowedProblems) =>
    problems.find(({ problem }) => problem === 'disk_full')?.evidence.split('.')[0];
  expect(evidenceOf(first)).toBe(
    'its log says that x, 3 times since subnetd began to read it, last 26s ago (03:46:14 UTC)',
  );
  const open = { ...first, problems: first.problems.map((one) => ({ ...one, state: 'open' as const, openedAt: NOW })) };
  const kept = 'its log says that x, 3 times since subnetd began to read it, last at 03:46:14 UTC';
  const stateOf = ({ problems }: FollowedProblems) => problems.find(({ problem }) => problem === 'disk_full')?.state;
  const after = at(nodes(), open, NOW + 1_000);
  expect([stateOf(after), evidenceOf(after)]).toEqual(['clearing', kept]);
  // While its log cannot be read, it can neither be found nor be over.
  const fault = { what: 'docker-unreachable' } as const;
  const sources = { container: { up: false, lines: 9, since: 0, fault } };
  const unread = at(
    nodes().map((one) => withFacts(one, { logs: { sources, patterns: {} } })),
    open,
    NOW + 1_000,
  );
  expect([stateOf(unread), evidenceOf(unread)]).toEqual(['open', kept]);
});

test('a node that was unpaused is not said to hang before it is asked again', () => {
  const timeout: Fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false };
  const targets = nodes((name) => (name === 'n2' ? { fault: timeout } : {})).map((one) => {
    const { container } = one.facts;
    return withFacts(one, container ? { container: { ...container, runsSince: SINCE } } : {});
  });
  const asked = (lastRun: number) => {
    const states = judge(targets).map((one) => ({
      ...one,
      checks: one.checks.map((check) => (check.check === 'latest_block' ? { ...check, lastRun } : check)),
    }));
    return diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW).problems.map(({ problem }) => problem);
  };
  // Nor does it answer.
  expect(asked(SINCE - 1)).toEqual(['quorum_at_risk']);
  expect(asked(SINCE)).toContain('node_hanging');
});

test('a node whose container was resumed is not said to have a closed RPC before it is asked again', () => {
  const timeout: Fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false };
  const at = (container: Given['container'], printedAt: number) =>
    nodes((name) => (name === 'n2' ? { fault: timeout, ...(container && { container }) } : {})).map((one) => {
      const { logs } = one.facts;
      const node = { height: 1_001, advancedAt: printedAt, level: 4 };
      return one.target.name === 'n2' ? withFacts(one, { logs: logs && { ...logs, node } }) : one;
    });
  const paused = at({ running: false, status: 'paused' }, NOW - 60_000);
  const before = diagnoseSubnet(toSubnet(paused), judge(paused), NO_PROBLEMS, NOW - 2_000);
  expect(before.problems.map(({ problem }) => problem)).toContain('container_paused');
  const resumed = at(undefined, NOW - 1_000);
  const over = before.problems.map((one) => ({ ...one, state: 'clearing' as const, clearingSince: NOW - 2_000 }));
  const found = (lastRun: number) => {
    const states = judge(resumed).map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, lastRun })),
    }));
    const known = { ...before, problems: over };
    return diagnoseSubnet(toSubnet(resumed), states, known, NOW).problems.map(({ problem }) => problem);
  };
  expect(found(NOW - 2_000)).not.toContain('rpc_closed');
  expect(found(NOW - 1_999)).toContain('rpc_closed');
});

test('nor is a node that starts again and again, before it is asked after its last start', () => {
  const looping = nodes((name) => (name === 'n2' ? { fault: REFUSED } : {})).map((one) => {
    const { container: _, node, logs, ...facts } = one.facts;
    if (one.target.name !== 'n2' || node === undefined || logs === undefined) return one;
    const started = { height: 1_001, advancedAt: NOW - 1_000, startedAt: NOW - 10_000, failedFrom: NOW - 90_000 };
    const before = { ...node, latest: node.latest && { ...node.latest, lastGoodAt: NOW - 100_000 } };
    return { ...one, facts: { ...facts, node: before, logs: { ...logs, node: started } } } as KnownTarget;
  });
  const found = (lastRun: number) => {
    const states = judge(looping).map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, lastRun, since: NOW - 80_000, durationSeconds: 0 })),
    }));
    return diagnoseSubnet(toSubnet(looping), states, NO_PROBLEMS, NOW).problems.flatMap(({ name, summary }) =>
      name === 'n2' ? [summary] : [],
    );
  };
  expect(found(NOW - 10_001)).toEqual(['n2 does not answer']);
  expect(found(NOW - 10_000)).toEqual(['subnetd cannot reach the RPC of n2, which runs']);
});

test('a subnet that was halted or out of reach before a restart of subnetd was reached once', () => {
  const silent = NAMES.map((name) => {
    const one = diagnosedNode(name, NAMES, { fault: REFUSED });
    const { container: _, logs: __, ...facts } = one.facts;
    return { ...one, facts: { ...facts, node: { observation: facts.node?.observation } } } as KnownTarget;
  });
  const found = (problems: FollowedProblems['problems']) =>
    diagnoseSubnet(toSubnet(silent), judge(silent), { problems, ended: [] }, NOW).problems.map(
      ({ problem }) => problem,
    );
  expect(found([])).toEqual(['never_reached']);
  const halt = { ...diagnose(silent).problems[0], problem: 'subnet_halted', state: 'open' } as Problem;
  expect(found([halt])).toContain('subnet_halted');
});

test('a node that does not answer any more shares its key with nobody', () => {
  const given = (name: string): Given => (name === 'n4' ? { chain: { address: addressOf('n3') }, fault: REFUSED } : {});
  expect(words(nodes(given)).map(({ problem }) => problem)).not.toContain('key_shared');
  const both = (name: string): Given => (name === 'n4' ? { chain: { address: addressOf('n3') } } : {});
  expect(words(nodes(both)).map(({ problem }) => problem)).toContain('key_shared');
});

test('what would page if it is confirmed is no green headline', () => {
  const { headline, problems } = diagnose(nodes((name) => (name === 'n2' ? { fault: REFUSED } : {})));
  expect(problems.map(({ state }) => state)).not.toContain('open');
  expect(headline).toMatchObject({ standing: 'warn', sentence: 'devnet is running with no spare vote' });
});

test('the log of a container that has just started is not missed', () => {
  const missingLog = {
    sources: { container: { up: false, lines: 0, since: 0, fault: { what: 'no-container' as const } } },
    patterns: {},
  };
  const found = (ms: number) =>
    words(
      nodes((name) => (name === 'n2' ? { container: { startedAt: NOW - ms } } : {})).map((one) =>
        one.target.name === 'n2' ? withFacts(one, { logs: missingLog }) : one,
      ),
    ).map(({ problem }) => problem);
  expect(found(59_999)).not.toContain('log_source_down');
  expect(found(60_000)).toContain('log_source_down');
});

describe('a target that a problem names', () => {
  const state = (problem: ProblemName, severity: 'critical' | 'warning'): TargetState => {
    const [one] = judge(nodes());
    if (one === undefined) throw new Error('a target is expected');
    return { ...one, problem: { problem, severity, summary: 'it follows another chain', fix: 'stop it', since: NOW } };
  };

  test('is shown with it, although its checks pass', () => {
    expect(standingOf(state('chain_forked', 'critical'))).toEqual({ standing: 'bad', word: 'problem' });
    expect(describeNow(state('masternode_penalised', 'warning'))).toBe('It follows another chain');
    expect(standingOf(state('masternode_penalised', 'warning')).standing).toBe('warn');
  });

  test('has no uptime while it takes no part, and keeps it with any other', () => {
    expect(partOf(state('chain_forked', 'critical'))).toBe('fail');
    expect(partOf(state('wallet_low', 'warning'))).toBe('ok');
  });

  test('is found by the problem of its own first, then by one that names it', () => {
    const targets = judge(nodes());
    const named = (problems: readonly Partial<Problem>[]) =>
      explainTargets(
        targets,
        problems.map((one) => ({ state: 'open', severity: 'warning', explains: [], causes: [], ...one }) as Problem),
      ).map(({ problem }) => problem?.problem);
    const fork = { problem: 'chain_forked', severity: 'critical', nodes: ['n2'] } as const;
    expect(named([fork])).toEqual([undefined, 'chain_forked', undefined, undefined]);
    const own = { problem: 'node_not_voting', component: 'node', name: 'n2' } as const;
    expect(named([fork, own])).toEqual([undefined, 'node_not_voting', undefined, undefined]);
    expect(named([{ ...own, state: 'clearing' }])).toEqual([undefined, undefined, undefined, undefined]);
  });
});

test('a container that is gone is another one where its node answered since, within two seconds', () => {
  const [state] = judgeTargets([diagnosedNode('n1', ['n1', 'n2'])], NOW);
  const goneFor = (ms: number) =>
    state &&
    answersAnyway({
      ...state,
      facts: { ...state.facts, container: { ...state.facts.container, observation: { kind: 'missing' } } },
      checks: state.checks.map((check) => (check.check === 'container' ? { ...check, since: NOW + ms } : check)),
    } as TargetState);
  expect([goneFor(-60_000), goneFor(2_000), goneFor(2_001)]).toEqual([true, true, false]);
});

describe('a masternode whose votes nobody has', () => {
  const rounds = [1_995, 1_999].map((round) => ({ round, miner: addressOf('n4') }));
  const chain: Given['chain'] = {
    pool: { voteRounds: 8, neverSigned: [addressOf('n4')], timeouts: 0, timeoutRound: 0 },
    missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n4')]: 2 } },
  };
  const names = ['n1', 'n2', 'n3', 'n4'];
  const others = ['n1', 'n2', 'n3'].map((name) => diagnosedNode(name, names, { chain }));

  test('runs without voting', () => {
    expect(named([...others, diagnosedNode('n4', names, { chain })])).toContain('node_not_voting n4');
  });

  test('is only down when it does not run', () => {
    const stopped = diagnosedNode('n4', names, { chain, container: STOPPED, fault: { kind: 'refused', address: 'x' } });
    expect(named([...others, stopped])).not.toContain('node_not_voting n4');
  });

  test('is only cut off when it has no peers', () => {
    expect(named([...others, diagnosedNode('n4', names, { chain, peers: [] })])).not.toContain('node_not_voting n4');
  });

  test('has time to vote when its log says that it has just started', () => {
    const { target, facts } = diagnosedNode('n4', names, { chain });
    const logs = { ...facts.logs, node: { startedAt: NOW - 30_000 } } as KnownTarget['facts']['logs'];
    const started = { target: { ...target, container: undefined }, facts: { ...facts, container: undefined, logs } };
    expect(named([...others, started as KnownTarget])).not.toContain('node_not_voting n4');
  });
});

test('a node that needed longer than a minute until its first answer has as long as any other to find its peers', () => {
  const slow = (name: string): Given =>
    name === 'n2'
      ? { peers: [], stalledMs: 70_000, container: { startedAt: NOW - 130_000 } }
      : { peers: NAMES.filter((one) => one !== name && one !== 'n2') };
  const found = (agoMs: number, silentMs = 120_000) => {
    const returned = { at: NOW - agoMs, silentSince: NOW - silentMs };
    const targets = nodes(slow).map((one) => {
      const { node } = one.facts;
      return withFacts(one, node && one.target.name === 'n2' ? { node: { ...node, returned } } : {});
    });
    const { problems, quorum } = diagnose(targets);
    return [quorum, problems.map(({ problem, name }) => [problem, name])];
  };
  const starts = { total: 4, required: 3, voting: 4, starting: 1 };
  const isCutOff = [{ total: 4, required: 3, voting: 3 }, expect.arrayContaining([['node_partitioned', 'n2']])];
  expect(found(5_000)).toEqual([starts, []]);
  expect(found(5_000, 100_001)).toEqual([starts, []]);
  // Nobody had asked it right after its start: without a peer it has no vote, and a minute to find one.
  const isBack = [{ total: 4, required: 3, voting: 3 }, expect.not.arrayContaining([['node_partitioned', 'n2']])];
  expect(found(5_000, 100_000)).toEqual(isBack);
  expect(found(60_000)).toEqual(isCutOff);
});
