import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { SubnetState, TargetState } from '../../../src/model/snapshot.ts';
import { describeBroken } from '../../../src/watch/diagnosis/find-headline.ts';
import { type ShownInput, statusPage } from '../../../src/web/pages/status-page.ts';
import { targetRows } from '../../../src/web/pages/target-rows.ts';
import { diagnosedNode, diagnosedService, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { NO_TIME, timeWith } from '../../support/no-steps.ts';
import { words } from '../../support/page-words.ts';
import { stateOf } from '../../support/snapshots.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const toWall = (at: number): number => WALL - NOW + at;

const pageOf = (snapshot: readonly SubnetState[], more: Partial<Pick<ShownInput, 'only' | 'query' | 'time'>> = {}) =>
  String(
    statusPage(
      {
        snapshot,
        historyOf: () => ({ hours: [], days: [] }),
        time: NO_TIME,
        toWall,
        nowWall: WALL,
        ...more,
      },
      { footer: [] },
    ),
  );

const banner = (html: string): string =>
  words(/<section class="banner[\s\S]*?<\/section>/.exec(html)?.[0] ?? '').trim();
const standing = (html: string): string | undefined => /<section class="banner (\w+)"/.exec(html)?.[1];

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const others = (...names: readonly string[]) => NAMES.filter((name) => !names.includes(name));

/** Four nodes, of which some are given something. */
const nodes = (given: Readonly<Record<string, Given>> = {}): readonly KnownTarget[] =>
  NAMES.map((name) => diagnosedNode(name, NAMES, given[name] ?? {}));

const REFUSED = { kind: 'refused', address: 'http://192.0.2.1:852' } as const;
const DOWN: Given = { fault: REFUSED, container: STOPPED, stalledMs: 600_000 };

test('commands are set as such wherever they are, and one that a problem advises can be copied', () => {
  const page = pageOf([stateOf([...nodes({ n2: DOWN }), diagnosedService('stats', { fault: REFUSED })])]);
  expect(page).toContain('<code>docker start generated-n2-1</code>');
  expect(page).toContain('data-copy="docker compose -p generated logs --tail 50 stats"');
  expect(page).not.toContain('`');
});

test('shows the worst 500 targets of a large subnet, and says where the others are', () => {
  const { targets } = stateOf(nodes({ n2: DOWN }));
  const [well, down] = targets;
  if (well === undefined || down === undefined) throw new Error('two targets are expected');
  const rowsOf = (count: number) => {
    const named = (name: string) => ({ ...well, target: { ...well.target, name } });
    const many = [...Array.from({ length: count - 1 }, (_, place) => named(`n${place}`)), down];
    return String(targetRows('devnet', many, () => ({ hours: [], days: [] }), WALL));
  };
  const countRows = (html: string) => html.match(/<th scope="row"/g)?.length;
  const more = / (\d+) more are in status\.json , none of them worse than these\./;
  expect(countRows(rowsOf(500))).toBe(500);
  expect(words(rowsOf(500))).not.toMatch(more);
  expect(countRows(rowsOf(502))).toBe(500);
  expect(more.exec(words(rowsOf(502)))?.[1]).toBe('2');
  expect(words(rowsOf(502))).toMatch(/Target State Now 24 hours 30 days n2 node fail/);
});

test('says before the first answer of each node that not all were asked, not that nothing can be seen', () => {
  const { quorum: _, ...state } = stateOf(nodes());
  const tell = (lastRun: number | undefined) => {
    const unasked = (one: TargetState) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, verdict: 'unknown', lastRun }) as const),
    });
    const targets = state.targets.map((one) => (one.target.name === 'n4' ? unasked(one) : one));
    return words(pageOf([{ ...state, targets }]));
  };
  expect(tell(undefined)).toContain('n4 votes Not all nodes have been asked yet.');
  expect(tell(NOW)).toContain('n4 votes Votes are not visible from here.');
});

test('says of no node that it is silent while all are out of reach, and begins no sentence with a large S for subnetd', () => {
  const timeout: Given = {
    fault: { kind: 'timeout', address: 'http://192.0.2.1:851', afterMs: 5_000, received: false },
  };
  const unseen = nodes(Object.fromEntries(NAMES.map((name) => [name, timeout]))).map(
    ({ target, facts: { container: _, ...facts } }) => ({ target, facts }),
  );
  const time = timeWith({ blocks: [30, 0] });
  expect(words(pageOf([stateOf(nodes())], { time }))).toContain('Pace 0 / min');
  const text = words(pageOf([stateOf(unseen)], { time }));
  expect(text).toContain('Quorum n1 unknown n2 unknown n3 unknown n4 unknown Votes are not visible from here.');
  expect(text).not.toContain('Pace');
  expect(text).toContain('Peers No node can be reached from here, so no connection is known.');
  expect(text).not.toContain('silent');
  expect(text).toContain('subnetd cannot reach any node');
  expect(text).not.toContain('Subnetd cannot');
});

describe('the banner', () => {
  test('of a subnet that is well says how many nodes may still fail', () => {
    const page = pageOf([stateOf(nodes())]);
    expect(standing(page)).toBe('ok');
    expect(banner(page)).toBe('devnet is healthy: it can lose 1 more node 4 of 4 masternodes can vote, 3 needed.');
  });

  test('of a subnet with a node down says that no further one may fail, since when, and what to do', () => {
    const given = Object.fromEntries(others('n2').map((name) => [name, { peers: others('n2', name) }]));
    const page = pageOf([stateOf(nodes({ ...given, n2: DOWN }))]);
    expect(standing(page)).toBe('warn');
    expect(banner(page)).toBe(
      'devnet is running, but no further node may fail Since 02:54 , for 10 min. The container of n2 does not run. Bring back n2 before any other work, and restart no other node; for n2: start it with docker start generated-n2-1 .',
    );
    expect(page).toContain(`<time datetime="2026-11-22T02:54:09.000Z" title="2026-11-22 02:54:09 UTC">02:54</time>`);
  });

  test('of a halted subnet is red, and names those that do not vote', () => {
    const stalled: Given = { stalledMs: 600_000 };
    const page = pageOf([stateOf(nodes({ n1: stalled, n4: stalled, n2: DOWN, n3: DOWN }))]);
    expect(standing(page)).toBe('bad');
    expect(banner(page)).toContain('devnet is halted: 2 of 4 masternodes do not vote');
    expect(banner(page)).toContain(
      'The container of n2 does not run, the container of n3 does not run. Bring back n2, n3: 1 more must vote; restart no other node; for n2 and n3: start them with docker start generated-n2-1 generated-n3-1 .',
    );
  });

  test('of many subnets counts those that need somebody, and names three of them', () => {
    const well = (name: string) => stateOf(nodes(), name);
    const down = (name: string) => stateOf(nodes({ n2: DOWN }), name);
    expect(banner(pageOf([well('a'), well('b'), well('c')]))).toBe('All 3 subnets are healthy Details below.');
    const page = pageOf([well('a'), ...['e', 'd', 'c', 'b'].map(down)]);
    expect(banner(page)).toMatch(
      /^4 of 5 subnets need attention b is running, but .* c is running, but .* d is running, but .* and 1 more$/,
    );
    expect(page).toContain('href="/?subnet=b"');
  });

  test('says of a subnet whose diagnosis breaks that it cannot be judged, and when what is shown of it was found', () => {
    const [well, broken] = [stateOf(nodes(), 'a'), stateOf(nodes(), 'b')];
    const headline = describeBroken('b', NOW - 300_000, broken.headline);
    const page = pageOf([well, { ...broken, headline, brokenDiagnosis: { foundAt: NOW - 300_000 } }]);
    expect(standing(page)).toBe('off');
    expect(banner(page)).toBe('1 of 2 subnets are in an unknown state Details below.');
    const found = 'Problems, height, votes and masternodes are as they were found at 02:59 .';
    expect(words(page)).toContain(` b ${found} Height`);
    expect(words(page).split(found)).toHaveLength(2);
    const never = pageOf([
      { ...broken, headline: describeBroken('b', undefined, undefined), brokenDiagnosis: { foundAt: undefined } },
    ]);
    expect(banner(never)).toBe(
      'b is in an unknown state Its diagnosis crashes, which is a bug in subnetd: please report the error in its log. Nothing was known before.',
    );
    expect(never).not.toContain('as they were found');
  });

  test('says that nothing is known before the first round, and that an inventory is empty', () => {
    const fresh = stateOf(nodes());
    const unchecked = { ...fresh, headline: undefined, targets: [] };
    expect(banner(pageOf([unchecked]))).toBe('Nothing has been checked yet The first round is still running.');
    expect(banner(pageOf([]))).toContain('The inventory has no subnets');
  });
});

describe('the status page', () => {
  test('counts the blocks that are not final by heights of the same nodes, though one was probed later', () => {
    const probedInTurn = nodes().map((one, index): KnownTarget => {
      const { node } = one.facts;
      const at = (behind: number) => node?.latest && { ...node.latest, number: 1_000 + index - behind };
      const [latest, committed] = [at(0), at(2)];
      return {
        ...one,
        facts: { ...one.facts, ...(node && latest && committed && { node: { ...node, latest, committed } }) },
      };
    });
    expect(words(pageOf([stateOf(probedInTurn)]))).toMatch(/Height 1,002 .*Unfinalised 2 blocks final up to 1,000/);
  });

  test('has one seat for two nodes with one key, and one for the key that no node has', () => {
    const shared = nodes({ n3: { chain: { address: '0xn2' } } });
    expect(words(pageOf([stateOf(shared)]))).toMatch(/Quorum n1 votes n2 and n3 votes n4 votes 0xn3\S+ unknown/);
  });

  test('takes no node that comes up to the others late for a new block', () => {
    const late = nodes({
      n1: { stalledMs: 40_000 },
      n2: { stalledMs: 41_000 },
      n3: { stalledMs: 42_000 },
      n4: { stalledMs: 1_000 },
    });
    expect(words(pageOf([stateOf(late)]))).toMatch(/Height [\d,]+ last block 42 s ago/);
  });

  test('gives the time of the block that a log has shown since the nodes were asked', () => {
    const [first, ...others] = nodes({
      n1: { stalledMs: 17_000 },
      n2: { stalledMs: 17_000 },
      n3: { stalledMs: 17_000 },
    });
    const withLog = (height: number): KnownTarget[] => [
      {
        ...(first as KnownTarget),
        facts: { ...first?.facts, logs: { sources: {}, patterns: {}, node: { height, advancedAt: NOW - 1_000 } } },
      },
      ...others.slice(0, 2),
    ];
    expect(words(pageOf([stateOf(withLog(1_001))]))).toMatch(/Height 1,000 block 1,001 1 s ago/);
    expect(words(pageOf([stateOf(withLog(1_000))]))).toMatch(/Height 1,000 last block 17 s ago/);
    expect(words(pageOf([stateOf(withLog(4_294_967_295))]))).toMatch(/Height 1,000 last block 17 s ago/);
    // A log from before the start of its container may be of another chain.
    const madeAnew = withLog(1_001).map(({ target, facts }): KnownTarget => {
      const { container } = diagnosedNode(target.name, ['n1'], { container: { startedAt: NOW - 500 } }).facts;
      return { target, facts: { ...facts, container } } as KnownTarget;
    });
    expect(words(pageOf([stateOf(madeAnew)]))).toMatch(/Height 1,000 last block 17 s ago/);
    // The nodes have been on another chain since.
    const replaced = withLog(1_001).map(({ target, facts }): KnownTarget => {
      const { chain } = facts.node ?? {};
      const at = { chainId: 1, genesis: '0x', at: NOW - 500 };
      return { target, facts: { ...facts, node: { ...facts.node, chain: { ...chain, replaced: at } } } } as KnownTarget;
    });
    expect(words(pageOf([stateOf(replaced)]))).toMatch(/Height 1,000 no new block seen yet/);
  });

  test('gives each problem with its evidence, the checks that it explains, a command to copy, and its runbook', () => {
    const page = pageOf([stateOf(nodes({ n2: DOWN }))]);
    const text = words(page);
    expect(text).toContain('2 problems No further node may fail critical open since 02:54 , 10 min');
    expect(text).toContain(
      '3 of 4 masternodes vote and 3 are needed, without n2, because the container of n2 does not run.',
    );
    expect(page).toContain('<code>docker start generated-n2-1</code>');
    expect(page).toContain('data-copy="docker start generated-n2-1"');
    expect(page).toContain('href="/alerts/SubnetContainerDown?subnet=devnet&amp;name=n2"');
    expect(page).toContain('href="/targets/devnet/n2"');
    expect(text).toMatch(/Explains 3 failing checks n2 latest_block, log_block, container/);
  });

  test('folds what is worth a change in the set-up below the problems, and shows what several nodes have alike once', () => {
    const state = stateOf(nodes());
    const open = (name: string, problem: 'rpc_open' | 'origins_wildcard'): Problem => ({
      ...{ problem, component: 'node', name, alert: 'SubnetSetupDrift', severity: 'info', state: 'open' },
      ...{ summary: `${problem} of ${name}`, evidence: `seen at ${name}`, fix: `set it in ${name}.env` },
      ...{ explains: [], causes: [], since: NOW - 60_000, seenAt: NOW },
    });
    const problems = [...NAMES.map((name) => open(name, 'rpc_open')), open('n2', 'origins_wildcard')];
    const page = pageOf([{ ...state, problems }]);
    const section = /<section class="stack"[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
    expect(words(section).trim()).toMatch(
      /^No known problems 5 findings about the setup, worth fixing when there is time rpc_open of n1 .* Same for n2 , n3 , n4 \. origins_wildcard of n2 /,
    );
    expect(section.match(/<article/g)).toHaveLength(2);
    expect(section.indexOf('<article')).toBeGreaterThan(section.indexOf('<details>'));
  });

  test('that is suspected beside one that clears has a card of its own', () => {
    const risk = (more: Partial<Problem>): Problem => ({
      ...{ problem: 'quorum_at_risk', alert: 'SubnetQuorumAtRisk', severity: 'critical', state: 'clearing' },
      ...{ summary: 'no further node may fail', evidence: 'without n1', fix: 'nothing to do' },
      ...{ explains: [], causes: [], since: NOW - 60_000, seenAt: NOW - 30_000, ...more },
    });
    const next = risk({ state: 'suspected', isNext: true, evidence: 'without n2', fix: 'bring back n2' });
    const page = pageOf([{ ...stateOf(nodes()), problems: [risk({}), next] }]);
    expect(page.match(/id="problem-devnet-quorum_at_risk[^"]*"/g)).toEqual([
      'id="problem-devnet-quorum_at_risk"',
      'id="problem-devnet-quorum_at_risk-next"',
    ]);
    expect(words(page)).toMatch(
      /clearing .* Seen at [-\d]+ [:\d]+ UTC: without n1.* suspected .* Bring back n2\. .* Without n2/,
    );
  });

  test('of a whole subnet is enough by itself: it has the command of each cause', () => {
    const card = (page: string) =>
      page.slice(page.indexOf('id="problem-devnet-quorum_at_risk"')).split('</article>')[0];
    const commands = (text = '') => [...text.matchAll(/data-copy="([^"]*)"/g)].map(([, command]) => command);
    expect(commands(card(pageOf([stateOf(nodes({ n2: DOWN }))])))).toEqual(['docker start generated-n2-1']);
    // Only of those that its fix names, in that order.
    const state = stateOf(nodes({ n2: DOWN, n3: DOWN, n4: DOWN }));
    const fix = 'bring back n4, n2: 1 more must vote; restart no other node';
    const problems = state.problems.map((one) => (one.problem === 'quorum_at_risk' ? { ...one, fix } : one));
    expect(commands(card(pageOf([{ ...state, problems }])))).toEqual([
      'docker start generated-n4-1',
      'docker start generated-n2-1',
    ]);
    const two = pageOf([stateOf(nodes({ n2: DOWN }), 'a'), stateOf(nodes({ n3: DOWN }), 'b')]);
    expect(words(two)).toContain('No further node may fail critical a open');
    expect(words(two)).toContain('No further node may fail critical b open');
  });

  test('counts the targets in each state, the worst first', () => {
    const down = { n2: DOWN };
    expect(words(pageOf([stateOf(nodes(down))]))).toContain('Targets of devnet 1 fail, 3 OK');
    expect(words(pageOf([stateOf(nodes())]))).toContain('Targets of devnet 4 OK');
  });

  test('of a subnet among many are its worst, and the others folded', () => {
    const ill = nodes({ n2: DOWN, n3: { height: 900, stalledMs: 600_000 } });
    const sectionOf = (...names: readonly string[]) => {
      const page = pageOf(names.map((name) => stateOf(name === 'c' ? nodes() : ill, name)));
      return words(/id="state-problems">[\s\S]*?<\/section>/.exec(page)?.[0] ?? '');
    };
    expect(sectionOf('a', 'b', 'c')).toMatch(
      /> 6 problems No further node may fail critical a .* 2 other problems of a .* No further node may fail critical b .* 2 other problems of b /,
    );
    expect(sectionOf('a', 'b')).not.toContain('other problem');
  });

  test('of a whole subnet that no node causes has no command of a node', () => {
    const state = stateOf(nodes({ n2: DOWN }));
    const finding: Problem = {
      ...{ problem: 'hosts_wildcard', alert: 'SubnetSetupDrift', severity: 'info', state: 'open' },
      ...{ summary: 'the RPC answers under any host name', evidence: 'seen at n1', fix: 'set RPC_API in n1.env' },
      ...{ explains: [], causes: [], since: NOW - 60_000, seenAt: NOW },
    };
    const page = pageOf([{ ...state, problems: [...state.problems, finding] }]);
    const [card = ''] = page.slice(page.indexOf('id="problem-devnet-hosts_wildcard"')).split('</article>');
    expect(card).toContain('Set RPC_API in n1.env');
    expect(card).not.toContain('data-copy');
  });

  test('in a halt with enough votes says so, and not that spare votes', () => {
    const halted = nodes(Object.fromEntries(['n1', 'n2', 'n3', 'n4'].map((name) => [name, { stalledMs: 600_000 }])));
    const page = words(pageOf([stateOf(halted)], { time: timeWith({ blocks: [30, 30] }) }));
    // The last minute of the chart may be over for longer than the halt lasts.
    expect(page).toContain('Pace 0 / min 30 expected');
    expect(page).toContain('Blocks a minute 0 now, 30 expected');
    expect(page).toContain('n4 votes Enough masternodes can vote, yet no blocks are being made.');
    expect(page).not.toContain(' spare');
    expect(words(pageOf([stateOf(nodes())]))).toContain('3 needed, 1 spare');
    const state = stateOf(halted);
    const starts = (starting: number) =>
      words(pageOf([{ ...state, quorum: { total: 4, required: 3, voting: 4, starting } }]));
    expect(starts(3)).toContain('2 masternodes that have just started must take part for a block.');
    expect(starts(1)).toContain('Enough masternodes can vote, yet no blocks are being made.');
    const apart = words(pageOf([{ ...state, quorum: { total: 4, required: 3, voting: 4, together: 2 } }]));
    expect(apart).toContain('Votes 2 of 4 3 needed, 1 missing');
    expect(apart).toContain('n4 votes At most 2 of those that can vote see each other.');
  });

  test('counts no spare vote that has only just started', () => {
    const state = stateOf(nodes());
    const starts = (starting: number) =>
      words(pageOf([{ ...state, quorum: { total: 5, required: 3, voting: 5, starting } }]));
    expect(starts(1)).toContain('Votes 4 of 5 3 needed, 1 starting');
    expect(starts(1)).toContain('1 spare vote.');
    expect(starts(2)).toContain('Votes 3 of 5 3 needed, 2 starting');
    expect(starts(2)).toContain('There is no spare vote until those that have just started take part.');
    const mayMiss = (voting: number) =>
      words(pageOf([{ ...state, quorum: { total: 5, required: 3, voting, doubtful: 1 } }]));
    expect(mayMiss(5)).toContain('Votes 4 or 5 of 5 3 needed, 1 or 2 spare');
    expect(mayMiss(5)).toContain('1 or 2 spare votes.');
    expect(mayMiss(4)).toContain('0 or 1 spare vote.');
  });

  test('draws who votes, which links stand, and which are missing though both nodes run', () => {
    const given = { n1: { peers: ['n2', 'n3'] }, n4: { peers: ['n2', 'n3'] } };
    const page = pageOf([stateOf(nodes(given))]);
    expect(page.match(/<line class="up"/g)?.length).toBe(5);
    expect(page.match(/<line class="cut"/g)?.length).toBe(1);
    expect(words(page)).toContain('When last asked, n1 and n4 were not connected, though both are running.');
    expect(words(page)).toContain('n1 votes n2 votes n3 votes n4 votes 1 spare vote.');
    // The lists may be of before a restart; all that are expected are there now.
    const old = { chain: { peerIds: ['id-n2', 'id-n3'] } };
    expect(pageOf([stateOf(nodes({ n1: old, n4: old }))])).not.toContain('<line class="cut"');
    const down = pageOf([stateOf(nodes({ n2: DOWN }))]);
    expect(down.match(/<line class="gone"/g)?.length).toBe(3);
    expect(words(down)).toContain('n1 votes n3 votes n4 votes n2 silent');
  });

  test('calls a target affected, not failing, when another one is why', () => {
    const given = Object.fromEntries(others('n2').map((name) => [name, { peers: others('n2', name) }]));
    const text = words(pageOf([stateOf(nodes({ ...given, n2: DOWN }))]));
    expect(text).toMatch(/n2 node fail .* n1 node affected n1 has 2 peers instead of 3, because the container of n2/);
  });

  test('shows what three targets have alike as one card, with what to type for each', () => {
    const down = { n1: DOWN, n2: DOWN, n3: DOWN };
    const page = pageOf([stateOf(nodes(down))]);
    const section = words(/id="state-problems">[\s\S]*?<\/section>/.exec(page)?.[0] ?? '');
    expect(section).toMatch(/^id="state-problems"> \d problems/);
    expect(section.match(/The container of n\d does not run warning/gi)).toHaveLength(1);
    expect(section).toContain('Same for n2 , n3 . Commands for the others docker start generated-n2-1');
    expect(page).toContain('data-copy="docker start generated-n3-1"');
    const two = pageOf([stateOf(nodes({ n1: DOWN, n2: DOWN }))]);
    expect(words(two)).not.toContain('Same for');
  });

  test('lists of many targets those that the address asks for, in its order', () => {
    const names = Array.from({ length: 13 }, (_, index) => `n${index + 1}`);
    const peers = (name: string) => names.filter((one) => one !== name);
    const all = names.map((name) => diagnosedNode(name, names, name === 'n9' ? DOWN : { peers: peers(name) }));
    const rowsOf = (query: ShownInput['query']) =>
      [
        ...(
          pageOf([stateOf(all)], query && { query })
            .split('id="state-targets')
            .at(-1) ?? ''
        ).matchAll(/rowheader"><a href="\/targets\/devnet\/(\w+)"/g),
      ].map(([, name]) => name);
    expect(rowsOf(undefined)[0]).toBe('n9');
    expect(rowsOf({ sort: 'name' })).toEqual(names);
    expect(rowsOf({ search: 'N1', sort: 'name' })).toEqual(['n1', 'n10', 'n11', 'n12', 'n13']);
    expect(rowsOf({ show: 'unhealthy', search: 'n9' })).toEqual(['n9']);
    const page = pageOf([stateOf(all)], { query: { search: 'n9', sort: 'name', show: 'unhealthy' } });
    expect(page).toContain('data-stream="/events?search=n9&amp;sort=name&amp;show=unhealthy"');
    expect(page).toMatch(/value="n9".*<option value="name" selected>.*value="unhealthy" checked>/s);
    expect(words(pageOf([stateOf(all)], { query: { search: 'zebra' } }))).toContain(
      'None of the 13 targets matches. Show all .',
    );
    expect(pageOf([stateOf(nodes())])).not.toContain('type="search"');
  });

  test('of one of many subnets shows that one and leads to all; an unknown one is said', () => {
    const snapshot = ['a', 'b', 'c'].map((name) => stateOf(nodes(), name));
    const page = pageOf(snapshot, { only: 'b' });
    expect(banner(page)).toContain('b is healthy');
    expect(page).toContain('<a href="/">All 3 subnets</a>');
    expect(words(pageOf(snapshot, { only: 'x' }))).toContain(
      'The inventory has no subnet x It may have another name now, or was removed.',
    );
    expect(words(pageOf(snapshot, { query: { search: 'C' } }))).toContain('c is healthy');
    expect(words(pageOf(snapshot, { query: { search: 'C' } }))).not.toContain('a is healthy');
    expect(words(pageOf(snapshot, { query: { search: '<i>' } }))).toContain('No subnet name contains "&lt;i&gt;".');
  });

  test('shows whatever came from outside as text', () => {
    const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const names = [evil, 'n2', 'n3', 'n4'];
    const targets = names.map((name) =>
      diagnosedNode(name, names, name === evil ? { ...DOWN, chain: { address: evil, nodeId: evil } } : {}),
    );
    const page = pageOf([stateOf([...targets, diagnosedService('relayer', { fault: REFUSED })], evil)]);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<img|<script>/);
    expect(page.match(/<script/g)).toEqual(['<script', '<script']);
    expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(?:style|on\w+)=/);
  });

  test('of 50 nodes is under 40 KB on the wire', () => {
    const names = Array.from({ length: 50 }, (_, index) => `node${index}`);
    const hour = { ok: 3_000_000, fail: 600_000, unseen: 0, planned: 0 };
    const uptimes = (length: number) =>
      Array.from({ length }, (_, index) =>
        index % 3 === 0 ? undefined : index % 5 === 0 ? hour : { ...hour, fail: 0 },
      );
    const steps = (most: number) => Array.from({ length: 48 }, (_, index) => (index * 7919) % most);
    const fullSteps = {
      stepsOf: () => ({ blocks: steps(31), gap: steps(9), coins: steps(100) }),
      targetStepsOf: ({ name }: { readonly name: string }) => {
        const place = Number(name.slice(4));
        return { p50: steps(20 + place), p95: steps(80 + place), lag: steps(3 + place), missed: steps(1 + place) };
      },
      strangersOf: () => [],
    };
    const page = String(
      statusPage(
        {
          snapshot: [stateOf(names.map((name) => diagnosedNode(name, names, name === 'node7' ? DOWN : {})))],
          historyOf: () => ({ hours: uptimes(24), days: uptimes(30) }),
          time: { range: '24h', history: fullSteps, incidentsOf: () => [] },
          toWall,
          nowWall: WALL,
        },
        { footer: [] },
      ),
    );
    expect(page).toContain('node49');
    expect(gzipSync(page).length).toBeLessThan(40_000);
  });
});

test('a card says until when its problem is planned, why and by whom', () => {
  const state = stateOf(nodes({ n2: DOWN }));
  const cardWith = (mutes: boolean) => {
    const planned = { reason: '<kernel> upgrade', until: WALL + 3_600_000, by: 'ann', mutes };
    const page = pageOf([{ ...state, problems: state.problems.map((one) => ({ ...one, planned })) }]);
    return words(/<article class="problem[\s\S]*?<\/article>/.exec(page)?.[0] ?? '');
  };
  expect(cardWith(true)).toContain('Planned until 04:04 : &lt;kernel&gt; upgrade (ann). No notifications until then.');
  expect(cardWith(false)).toContain(
    'Planned until 04:04 : &lt;kernel&gt; upgrade (ann). It began before the work did.',
  );
  expect(pageOf([state])).not.toContain('Planned');
});
