import { expect, test } from 'vitest';
import type { DoubleVote } from '../../../src/model/double-vote.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { ListedContainer } from '../../../src/model/setup.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { suspect } from '../../../src/watch/diagnosis/suspect.ts';
import { addressOf, diagnosedNode, type Given, NOW } from '../../support/diagnosed.ts';
import { hashOf } from '../../support/double-votes.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const MINUTE = 60_000;

const cast = (round: number, block: string, seenBy: string) => ({
  round,
  number: 5,
  gap: 0,
  hash: hashOf(block),
  seenBy,
});

const voteOf = (signer: string, over: Partial<DoubleVote> = {}): DoubleVote => ({
  ...{ signer, source: 'pool', nodes: [], at: NOW - MINUTE, votes: [cast(7, 'a', 'n1'), cast(7, 'b', 'n3')] },
  ...over,
});

/** What is found of nodes with these double votes. */
function find(
  recent: readonly DoubleVote[],
  given: (name: string) => Given = () => ({}),
  change: (known: KnownTarget) => KnownTarget = (known) => known,
  before: FollowedProblems = NO_PROBLEMS,
  listed: readonly ListedContainer[] = [],
  listedAt = NOW,
) {
  const nodes = NAMES.map((name) => change(diagnosedNode(name, NAMES, given(name))));
  const targets = nodes.map(({ target }) => target);
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
  const engine = { ok: true, value: { projects: [{ project: 'generated', containers: listed }] } } as const;
  const observation = { targets: new Map(), named: [], engines: new Map([['default', engine]]) };
  const facts = { doubleVotes: { total: recent.length, recent }, setup: { observation, at: listedAt } };
  const { problems } = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), before, NOW, { facts });
  return problems.map(({ problem, state, severity, since, summary, evidence, fix, nodes: named }) => ({
    ...{ problem, state, severity, since, summary, evidence, fix, nodes: named },
  }));
}

/** What was found of a pair of votes. */
const suspicionOf = (signer: string) =>
  suspect('double_vote', { about: `${signer}/7/7@0`, summary: `${signer} signed`, evidence: '', fix: '' });

const [A, B] = [hashOf('a').slice(0, 10), hashOf('b').slice(0, 10)];

test('a double vote is open at once, and says whose, what, where and what to do', () => {
  expect(find([voteOf(addressOf('n2'), { nodes: ['n2'] })])).toEqual([
    {
      problem: 'double_vote',
      state: 'open',
      severity: 'warning',
      since: NOW - MINUTE,
      nodes: ['n2'],
      summary: 'n2 signed two blocks of round 7',
      evidence: `n2 (0xn2) voted for block 5 ${A}… and for block 5 ${B}…, two blocks of round 7, seen 1m ago (02:45:40 UTC): the first was in the pool of n1, the second in that of n3`,
      fix: expect.stringMatching(
        /^find what else signs with the key of n2, such as a second node.*check PRIVATE_KEY in n2\.env.*; for the evidence, export the incident as JSON from its page and check it with `subnetd check-votes FILE`$/,
      ),
    },
  ]);
});

type ToldPair = readonly [round: number, agoMs: number, mark: 's' | 'k' | ''];

/** What was told of pairs of `n2` in these rounds, so long ago, and whether it had been started about then. */
const storedOf = (...pairs: readonly ToldPair[]): Problem => ({
  ...{ component: undefined, problem: 'double_vote', severity: 'warning', alert: 'SubnetDoubleVote', state: 'open' },
  ...{ summary: 'n2 signed two blocks of round 7', evidence: '', fix: '', explains: [], causes: [] },
  ...{ since: NOW - 9 * MINUTE, seenAt: NOW - MINUTE, restoredAt: NOW },
  about: pairs
    .map(([round, agoMs, mark]) => `${addressOf('n2')}/${round}/${round}@${(NOW - agoMs) / 1_000}${mark}`)
    .join(', '),
});

test('a double vote that pools still have after a restart of subnetd keeps the time at which it was seen first, and another one has its own', () => {
  const tell = (stored: Problem, ...rounds: readonly number[]) =>
    find(
      rounds.map((round) =>
        voteOf(addressOf('n2'), {
          ...{ nodes: ['n2'], at: NOW - 5_000 },
          votes: [cast(round, 'a', 'n1'), cast(round, 'b', 'n3')],
        }),
      ),
      undefined,
      undefined,
      { problems: [stored], ended: [] },
    )[0];
  const seen = (stored: Problem, ...rounds: readonly number[]) =>
    /rounds? (\d+), seen (.*?) \(/.exec(tell(stored, ...rounds)?.evidence ?? '')?.slice(1);
  const stored = storedOf([7, 2 * MINUTE, ''], [9, 3 * MINUTE, '']);
  expect(seen(stored, 7)).toEqual(['7', '2m ago']);
  expect(seen(stored, 7, 9)).toEqual(['7', '2m ago']);
  expect(seen(stored, 9)).toEqual(['9', '3m ago']);
  expect(seen(stored, 8)).toEqual(['8', '5s ago']);
  expect(seen(stored, 8, 7)).toEqual(['8', '5s ago']);
  // It is said for ten minutes after it was seen first.
  expect(seen(storedOf([7, 10 * MINUTE, '']), 7)).toBeUndefined();
  const left = tell(storedOf([7, 10 * MINUTE, ''], [9, MINUTE, '']), 7, 9);
  expect(left?.evidence).not.toContain('such pairs');
  // It goes on, and began with the first of those that are still said.
  expect(left?.since).toBe(NOW - MINUTE);
  expect(tell(stored, 7, 9)?.since).toBe(NOW - 3 * MINUTE);
});

test('that a node was started about then is kept with its pair, over another start and over a restart of subnetd', () => {
  const lately = () => ({ container: { startedAt: NOW - 30_000 } });
  const tell = (mark: 's' | '') =>
    find([voteOf(addressOf('n2'), { nodes: ['n2'] })], lately, undefined, {
      problems: [storedOf([7, MINUTE, mark])],
      ended: [],
    })[0];
  expect(tell('s')?.evidence).toContain('n2 was started about then');
  expect(tell('s')?.fix).toMatch(/^if it does not come again, nothing; else find/);
  expect(tell('')?.evidence).not.toContain('was started about then');
});

test('what a start explains is said for two minutes, and no later start makes an alarm of it', () => {
  const tell = (agoMs: number, startedMs: number, ...told: readonly ToldPair[]) =>
    find(
      [voteOf(addressOf('n2'), { nodes: ['n2'], at: NOW - agoMs })],
      () => ({ container: { startedAt: NOW - startedMs } }),
      undefined,
      { problems: told.length > 0 ? [storedOf(...told)] : [], ended: [] },
    ).flatMap(({ evidence }) => (evidence === '' ? [] : /n2 was started about then/.test(evidence)));
  expect([tell(2 * MINUTE - 1, 3 * MINUTE), tell(2 * MINUTE, 3 * MINUTE)]).toEqual([[true], []]);
  expect(tell(2 * MINUTE, MINUTE)).toEqual([]);
  expect(tell(2 * MINUTE - 1, MINUTE)).toEqual([false]);
  expect(tell(2 * MINUTE, MINUTE, [7, 2 * MINUTE, 's'])).toEqual([]);
  expect(tell(2 * MINUTE, MINUTE, [7, 2 * MINUTE, ''])).toEqual([false]);
});

test('one start explains one round, not those after it', () => {
  const of = (round: number, at: number) =>
    voteOf(addressOf('n2'), { nodes: ['n2'], at, votes: [cast(round, 'a', 'n1'), cast(round, 'b', 'n3')] });
  const tell = (...found: Parameters<typeof find>[0]) =>
    find(found, () => ({ container: { startedAt: NOW - MINUTE - 30_000 } }))[0];
  expect(tell(of(7, NOW - MINUTE))?.evidence).toMatch(/; n2 was started about then, and forgets/);
  const again = tell(of(7, NOW - MINUTE), of(11, NOW - MINUTE));
  expect(again?.evidence).toMatch(/in that of n3; 2 such pairs within ten minutes$/);
  expect(again?.fix).toMatch(/^find what else signs with the key of n2/);
  // Nor does that of one node explain what another one signed before.
  const other = voteOf(addressOf('n3'), { nodes: ['n3'], at: NOW - MINUTE - 31_000 });
  expect(tell(other, of(7, NOW - MINUTE))).toMatchObject({
    summary: 'n3 signed two blocks of round 7',
    evidence: expect.stringMatching(/^n3 \(0xn3\) voted .* in that of n3$/),
    fix: expect.stringMatching(/^find what else signs with the key of n3/),
  });
});

test('a container that the inventory does not name may have the key, also where the node was started about then', () => {
  const listed = (status: 'running' | 'exited', createdAt?: number): ListedContainer => ({
    ...{ name: 'generated-n9-1', service: 'n9', status, exitCode: 1, isIgnored: false, createdAt },
  });
  const tell = (status: 'running' | 'exited', createdAt?: number) =>
    find(
      [voteOf(addressOf('n2'), { nodes: ['n2'] })],
      () => ({ container: { startedAt: NOW - MINUTE - 30_000 } }),
      undefined,
      undefined,
      [listed(status, createdAt)],
    ).find(({ problem }) => problem === 'double_vote');
  expect(tell('running')?.evidence).toMatch(/in that of n3; generated-n9-1 runs and is not in the inventory$/);
  expect(tell('running')?.fix).toMatch(/^find what else signs with the key of n2/);
  expect(tell('exited')?.evidence).toMatch(/; n2 was started about then, and forgets/);
  // Nor may one that came later.
  expect(tell('running', NOW - MINUTE)?.evidence).toMatch(/; generated-n9-1 runs and is not in the inventory$/);
  expect(tell('running', NOW - MINUTE + 1)?.evidence).toMatch(/; n2 was started about then, and forgets/);
  // Nor is that why once it is gone.
  const gone = find(
    [voteOf(addressOf('n2'), { nodes: ['n2'] })],
    () => ({ container: { startedAt: NOW - MINUTE - 30_000 } }),
    undefined,
    { problems: [storedOf([7, MINUTE, ''])], ended: [] },
  ).find(({ problem }) => problem === 'double_vote');
  expect(gone?.evidence).toMatch(/in that of n3$/);
});

test('a key that another node has just left signs twice without an alarm, also after a restart of subnetd', () => {
  const leftBefore = (ms: number, mark: 's' | 'k' | '' = '') => {
    const leave = (known: KnownTarget): KnownTarget => {
      const { node } = known.facts;
      const keyBefore = { address: addressOf('n2'), at: NOW - MINUTE - ms };
      const chain = node?.chain && { ...node.chain, keyBefore };
      return known.target.name === 'n3'
        ? ({ ...known, facts: { ...known.facts, node: { ...node, chain } } } as KnownTarget)
        : known;
    };
    const stored = { problems: mark ? [storedOf([7, MINUTE, mark])] : [], ended: [] };
    return find([voteOf(addressOf('n2'), { nodes: ['n2'] })], undefined, leave, stored)[0];
  };
  expect(leftBefore(2 * MINUTE - 1)?.evidence).toMatch(/; n3 had its key until about then$/);
  expect(leftBefore(2 * MINUTE - 1)?.fix).toMatch(/^if it does not come again, nothing; else find/);
  expect(leftBefore(2 * MINUTE)?.fix).toMatch(/^find what else signs/);
  expect(leftBefore(2 * MINUTE, 'k')?.evidence).toMatch(/; another node had its key until about then$/);
});

test('of a signer without a node the address is said, and of one pool that it has both', () => {
  const votes = [cast(7, 'a', 'n1'), cast(7, 'b', 'n1')] as const;
  const [found] = find([voteOf('0x1234567890abcdef', { votes })]);
  expect(found?.summary).toBe('0x12345678… signed two blocks of round 7');
  expect(found?.evidence).toMatch(/: both were in the pool of n1$/);
});

test('what the log of a node proves of two rounds is said as such', () => {
  const votes = [cast(7, 'a', 'n1'), cast(9, 'b', 'n1')] as const;
  const [found] = find([voteOf(addressOf('n2'), { votes, source: 'log' })]);
  expect(found?.summary).toBe('n2 signed blocks of rounds 7 and 9 that exclude each other');
  expect(found?.evidence).toMatch(/: the log of n1 has both signatures$/);
});

test('several within ten minutes are one problem, and older ones are said no more', () => {
  const old = voteOf(addressOf('n2'), { at: NOW - 10 * MINUTE });
  expect(find([old])).toEqual([]);
  const [found, ...others] = find([old, voteOf(addressOf('n2')), voteOf(addressOf('n3'), { at: NOW })]);
  expect(others).toEqual([]);
  expect(found?.summary).toBe('n2, n3 signed two blocks each');
  expect(found?.evidence).toMatch(/; 2 such pairs within ten minutes$/);
});

test('those of a chain that was replaced since are said no more', () => {
  const told = (since?: number) => {
    const replaced: Problem = {
      ...suspect('chain_replaced', { summary: 'the network was replaced by a new one', evidence: '', fix: '' }),
      ...{ severity: 'info', alert: 'SubnetChainReplaced', state: 'open', since: since ?? 0, seenAt: NOW },
    };
    const before = { problems: since === undefined ? [] : [replaced], ended: [] };
    const found = find([voteOf(addressOf('n2'))], undefined, undefined, before);
    return found.filter(({ problem }) => problem === 'double_vote').map(({ summary }) => summary);
  };
  expect(told()).toEqual(['n2 signed two blocks of round 7']);
  expect(told(NOW - MINUTE)).toEqual([]);
  expect(told(NOW - MINUTE - 1)).toEqual(['n2 signed two blocks of round 7']);
});

test('one that was started within two minutes before has forgotten its vote', () => {
  const startedBefore = (ms: number) => {
    const given = (name: string): Given => (name === 'n2' ? { container: { startedAt: NOW - MINUTE - ms } } : {});
    return find([voteOf(addressOf('n2'))], given)[0];
  };
  const words = '; n2 was started about then, and forgets at its start for which block it has voted';
  expect(startedBefore(0)?.evidence).toContain(words);
  expect(startedBefore(0)?.fix).toMatch(/^if it does not come again, nothing; else find/);
  expect(startedBefore(2 * MINUTE - 1)?.evidence).toContain(words);
  expect(startedBefore(2 * MINUTE)?.evidence).not.toContain('was started');
  expect(startedBefore(-1)?.evidence).not.toContain('was started');
  // Another start since then changes nothing of that.
  const again = (known: KnownTarget): KnownTarget => {
    const container = {
      ...known.facts.container,
      runBefore: { id: 'n', startedAt: NOW - 2 * MINUTE, restartCount: 0 },
    };
    return { ...known, facts: { ...known.facts, container } } as KnownTarget;
  };
  const lately = () => ({ container: { startedAt: NOW - 30_000 } });
  expect(find([voteOf(addressOf('n2'))], lately)[0]?.evidence).not.toContain('was started');
  expect(find([voteOf(addressOf('n2'))], lately, again)[0]?.evidence).toContain(words);
});

test('a start explains nothing before it is known which containers there are', () => {
  const lately = (): Given => ({ container: { startedAt: NOW - 90_000 } });
  const told = (listedAt: number, given = lately) =>
    find([voteOf(addressOf('n2'))], given, undefined, undefined, [], listedAt).map(({ fix }) => fix.split(',')[0]);
  expect(told(NOW - MINUTE - 1)).toEqual([]);
  expect(told(NOW - MINUTE)).toEqual(['if it does not come again']);
  // What no start explains is said at once.
  expect(told(NOW - MINUTE - 1, () => ({}))).toEqual(['find what else signs with the key of n2']);
});

test('two nodes with one key are the cause: one problem says both', () => {
  const given = (name: string): Given => (name === 'n4' ? { chain: { address: addressOf('n3') } } : {});
  const found = find([voteOf(addressOf('n3'), { nodes: ['n3'] })], given);
  expect(found.map(({ problem }) => problem)).toEqual(['key_shared']);
  expect(found[0]?.evidence).toContain(
    '; two blocks of round 7, signed with the key of 0xn3…, were seen 1m ago (02:45:40 UTC)',
  );
  // When one of them has been stopped, it is over.
  expect(find([voteOf(addressOf('n3'), { nodes: ['n3', 'n4'] })])).toEqual([]);
  // That of somebody else is another cause.
  const both = find([voteOf(addressOf('n3')), voteOf(addressOf('n1'))], given);
  expect(both.map(({ problem }) => problem).sort()).toEqual(['double_vote', 'key_shared']);
  // Also of before a restart of subnetd, which has forgotten the votes themselves.
  const storedOf = (signer: string) => {
    const stored = { ...suspicionOf(signer), severity: 'warning', alert: 'SubnetDoubleVote', state: 'open' } as const;
    const known = { ...stored, since: NOW - MINUTE, seenAt: NOW - 1_000, restoredAt: NOW - 500 };
    const shared = { ...known, problem: 'key_shared', about: addressOf('n3') } as const;
    return find([], given, undefined, { problems: [known, shared], ended: [] }).map(({ problem }) => problem);
  };
  expect([storedOf(addressOf('n1')), storedOf(addressOf('n3'))]).toEqual([
    expect.arrayContaining(['double_vote', 'key_shared']),
    ['key_shared'],
  ]);
});
