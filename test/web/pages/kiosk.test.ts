import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { FleetView } from '../../../src/model/fleet-view.ts';
import type { HistoryChange } from '../../../src/model/history.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { ParentFacts } from '../../../src/model/parent-chain.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { type KioskInput, kioskContent, kioskPage } from '../../../src/web/pages/kiosk-page.ts';
import { diagnosedNode, diagnosedService, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { viewOf } from '../../support/fleet-views.ts';
import { NO_TIME, timeWith } from '../../support/no-steps.ts';
import { words } from '../../support/page-words.ts';
import { stateOf, withDown } from '../../support/snapshots.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const MINUTE = 60_000;
const toWall = (at: number): number => WALL - NOW + at;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const COIN = 10n ** 18n;

type More = Partial<Pick<KioskInput, 'only' | 'time' | 'changesOf' | 'isPastRead' | 'fleet'>>;
const inputOf = (snapshot: readonly SubnetState[], more: More = {}): KioskInput => ({
  ...{ snapshot, toWall, nowWall: WALL, time: NO_TIME, changesOf: () => [], isPastRead: () => true },
  historyOf: () => ({ hours: [], days: [] }),
  ...more,
});
const pageOf = (snapshot: readonly SubnetState[], more: More = {}) =>
  String(kioskPage(inputOf(snapshot, more), '1.2.3'));
/** What a person reads in each part. */
const partsOf = (snapshot: readonly SubnetState[], more: More = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    kioskContent(inputOf(snapshot, more)).sections.map(({ id, html }) => [id, words(String(html)).trim()]),
  );

const nodes = (names: readonly string[], given: Readonly<Record<string, Given>> = {}): readonly KnownTarget[] =>
  names.map((name) => diagnosedNode(name, names, given[name] ?? {}));
const many = (count: number) => Array.from({ length: count }, (_, place) => `n${place + 1}`);
const well = (name?: string) => stateOf(nodes(NAMES), name);

/** With a checkpoint contract that was read, or not, and a wallet with so many coins of which 29 a day are spent. */
function withParent(state: SubnetState, coins: bigint, isRead = true): SubnetState {
  const committed = { hash: '0xaa', number: 990 };
  const parent: ParentFacts = {
    at: NOW,
    observation: {
      head: isRead ? { ok: true, value: { number: 7, timestamp: 1 } } : { ok: false, why: 'does not answer' },
      contract: { ok: true, value: { kind: 'checkpoint', checkpoint: { mode: 'full', latest: committed, committed } } },
    },
    progress: {
      ...{ checkpoint: { mode: 'full', latest: committed, committed }, readAt: NOW, recent: [] },
      ...{ advancedAt: NOW - 12_000, hasAdvanced: true },
    },
    wallet: {
      ...{ balance: coins * COIN, readAt: NOW, richSince: NOW, changedAt: NOW, recent: [] },
      parts: [{ from: NOW, watchedMs: 86_400_000, spent: 29n * COIN, payments: 40 }],
    },
  };
  return { ...state, facts: { parent } };
}

const change = (minutesAgo: number, more: Partial<HistoryChange>): HistoryChange => ({
  ...{ at: WALL - minutesAgo * MINUTE, subnet: 'devnet', kind: 'problem', what: 'container_down' },
  ...{ was: 'none', is: 'open', reason: 'the container of n2 does not run: it has ended with 137' },
  ...more,
});

describe('the kiosk of one subnet', () => {
  test('has the sentence, figures, quorum, peers and services of the status page, and what changed', () => {
    const state = stateOf([...nodes(NAMES), diagnosedService('frontend')]);
    expect(partsOf([state], { time: timeWith({ blocks: [30], gap: [2] }) })).toEqual({
      banner: 'devnet is healthy: it can lose 1 more node 4 of 4 masternodes can vote, 3 needed.',
      'kiosk-figures':
        'Height 1,000 last block 2 s ago Pace 30 / min at 02:04 , 30 expected Votes 4 of 4 3 needed, 1 spare',
      'kiosk-time':
        'Last hour Blocks a minute 30 at 02:04 UTC, 30 expected 30 Unfinalised blocks 2 at 02:04 UTC, the most in this time 5',
      'kiosk-quorum': 'Quorum n1 votes n2 votes n3 votes n4 votes 1 spare vote.',
      'kiosk-peers': 'Peers n1 n2 n3 n4 6 of 6 links are confirmed.',
      'kiosk-services': expect.stringMatching(/^Services Frontend .+/),
      'kiosk-changes': 'Changes in the last hour Nothing has changed.',
    });
  });

  test('tells what changed, the newest first: problems rather than the checks that show them', () => {
    const changes = [
      change(50, { kind: 'inventory', what: 'inventory', reason: 'the inventory was reloaded' }),
      change(41, { kind: 'check', what: 'latest_block', component: 'node', name: 'n2', is: 'fail' }),
      change(40, { component: 'node', name: 'n2' }),
      change(39, {
        kind: 'container',
        what: 'c',
        component: 'node',
        name: 'n2',
        is: 'started',
        reason: 'somebody did',
      }),
      change(38, { component: 'node', name: 'n2', was: 'open', is: 'clearing' }),
      change(31, { component: 'node', name: 'n2', was: 'clearing', is: 'ended' }),
      change(30, { what: 'rpc_open', component: 'node', name: 'n2', reason: 'the RPC is open: seen' }),
    ];
    const told = partsOf([well()], { changesOf: () => changes })['kiosk-changes'];
    expect(told).toBe(
      'Changes in the last hour 02:26 Over: the container of n2 does not run 02:25 n2 container started: somebody did ' +
        '02:24 The container of n2 does not run 02:14 devnet the inventory was reloaded',
    );
    // What was not seen to clear was over when it ended.
    const gone = partsOf([well()], { changesOf: () => changes.filter(({ is }) => is !== 'clearing') });
    expect(gone['kiosk-changes']).toContain('02:33 Over: ');
    expect(partsOf([well()], { isPastRead: () => false })['kiosk-changes']).toBe(
      'Changes in the last hour What changed before subnetd was started is still being read.',
    );
    const long = partsOf([well()], { changesOf: () => Array(100).fill(change(1, {})) })['kiosk-changes'];
    expect(long?.match(/03:03/g)).toHaveLength(12);
  });

  test('draws behind the charts when there were incidents, and shows as much time as its address says', () => {
    const text = { summary: 'devnet is halted', evidence: '', fix: '' };
    const halt: Incident = {
      ...{ id: 'a1', subnet: 'devnet', problem: 'subnet_halted', alert: 'SubnetHalted', severity: 'critical' },
      ...{ foundAt: WALL - 49 * MINUTE, startedAt: WALL - 49 * MINUTE, endedAt: WALL - 34 * MINUTE, end: 'recovered' },
      ...{ first: text, last: text, returns: 0, causes: [], effects: [], notified: [] },
    };
    const time = timeWith({ blocks: [30] }, [halt]);
    expect(pageOf([well()], { time })).toContain('<rect class="band bad" x="18.58%" y="0" width="25%" height="100%"/>');
    const day = pageOf([well()], { time: { ...time, range: '24h' } });
    expect(words(day)).toContain('Last 24 hours Blocks a minute');
    expect(day).toContain('data-stream="/events?kiosk=1&amp;range=24h"');
  });

  test('has the checkpoint and the wallet as figures, each with its shape where something is wrong', () => {
    const figures = (state: SubnetState) => partsOf([state])['kiosk-figures'];
    expect(figures(withParent(well(), 1_204n))).toContain(
      'Checkpoint block 990 full mode, seen to advance 12 s ago Wallet 41 days 1,204 coins, spends 29 a day',
    );
    expect(figures(withParent(well(), 0n))).toContain('Wallet empty 0 coins, spends 29 a day');
    const { facts, ...rest } = withParent(well(), 1_204n);
    const { wallet, ...parent } = facts?.parent ?? ({} as ParentFacts);
    const unspent = { ...rest, facts: { parent: { ...parent, ...(wallet && { wallet: { ...wallet, parts: [] } }) } } };
    expect(figures(unspent)).toContain('Wallet 1,204 coins no spend measured yet');
    expect(figures(withParent(well(), 1_204n, false))).toContain('Checkpoint unknown the parent chain does not answer');
    const marks = (state: SubnetState) => pageOf([state]).match(/<dd><svg class="shape \w+"/g) ?? [];
    expect(marks(withParent(well(), 1_204n))).toEqual([]);
    expect(marks(withParent(well(), 1_204n, false))).toEqual([
      '<dd><svg class="shape off"',
      '<dd><svg class="shape off"',
    ]);
    expect(marks(withParent(well(), 0n))).toEqual(['<dd><svg class="shape warn"']);
  });

  test('says who is on a problem', () => {
    const down = withDown('n2');
    const acknowledged = { by: 'Anna', at: WALL };
    const problems = down.problems.map((one) => (one.name === 'n2' ? { ...one, acknowledged } : one));
    const [summary] = problems.flatMap((one) => (one.name === 'n2' ? [one.summary] : []));
    expect(partsOf([{ ...down, problems }])['kiosk-changes']).toContain(`Anna is on it: ${summary}`);
    expect(partsOf([down])['kiosk-changes']).not.toContain('Anna');
  });

  test('of several counts no vote of a node that has just started', () => {
    const state = { ...well(), quorum: { total: 4, required: 3, voting: 4, starting: 1 } };
    expect(pageOf([state, well()])).toMatch(/, 3 of 4 vote<.*, 4 of 4 vote</s);
  });

  test('of a halted one says so, and of planned work until when it goes on', () => {
    const halted = withDown('n2', 'n3');
    expect(partsOf([halted]).banner).toMatch(/^devnet /);
    const work = { subnet: 'devnet', reason: 'new disks', by: 'ada', from: WALL - 1, until: WALL + 60 * MINUTE };
    expect(partsOf([{ ...well(), plannedWork: [work] }])['kiosk-changes']).toBe(
      'Changes in the last hour Planned until 2026-11-22 04:04 UTC: new disks',
    );
  });

  test('works for one node, for many, without services, and before anything was seen', () => {
    const alone = partsOf([stateOf(nodes(['n1']))]);
    expect(alone['kiosk-peers']).toBe('Peers A single node has no peer mesh.');
    expect(alone['kiosk-services']).toBe('Services The inventory has no services.');
    expect(partsOf([stateOf(nodes(many(120)))])['kiosk-peers']).toContain('too large to show');
    const unseen = { ...well(), headline: undefined, members: undefined, quorum: undefined, reference: undefined };
    const parts = partsOf([{ ...unseen, targets: [] }]);
    expect(parts.banner).toBe('Nothing has been checked yet The first round is still running.');
    expect(parts['kiosk-figures']).toBe('Neither a height nor a vote is known.');
    expect(parts['kiosk-time']).toMatch(/^Last hour Blocks a minute No data yet. The chart starts after one minute./);
  });

  test('of 50 nodes is under 40 KB on the wire', () => {
    const time = timeWith({ blocks: Array.from({ length: 60 }, (_, ago) => 30 - (ago % 7)) });
    const page = pageOf([stateOf(nodes(many(50), { n7: { container: STOPPED } }))], { time });
    expect(gzipSync(page).length).toBeLessThan(40_000);
  });
});

describe('the kiosk of several subnets', () => {
  test('has a tile for each, the worst first', () => {
    const parts = partsOf([well('a'), stateOf(withDown('n2').targets, 'b'), { ...well('c'), headline: undefined }]);
    expect(parts.banner).toMatch(/^1 of 3 subnets needs attention/);
    expect(parts['kiosk-subnets']).toMatch(
      /^b needs attention b is running, .* c unknown Nothing has been checked yet 4 targets, .* a healthy a is healthy: it can lose 1 more node 4 targets, /,
    );
  });

  test('has tiles that are equally bad in the order of their numbers', () => {
    expect(partsOf([well('s10'), well('s9')])['kiosk-subnets']).toMatch(/^s9 healthy .* s10 healthy /);
  });

  test('counts those for which a screen has no room, which are not worse than the others', () => {
    const subnets = Array.from({ length: 60 }, (_, place) => well(`s${place}`));
    const tiles = partsOf([...subnets, stateOf(withDown('n2').targets, 'z')])['kiosk-subnets'] ?? '';
    expect(tiles).toMatch(/^z needs attention .* and 13 more: 13 healthy$/);
    expect(tiles.match(/is healthy/g)).toHaveLength(47);
    expect(partsOf(subnets.slice(0, 48))['kiosk-subnets']).not.toContain(' more:');
  });

  test('leads to one of them by the address, also one that another instance watches', () => {
    expect(partsOf([well('a'), well('b')], { only: 'x' }).banner).toMatch(/^The inventory has no subnet x /);
    expect(partsOf([well('a'), well('b')], { only: 'b' })).toMatchObject({
      banner: expect.stringMatching(/^b is healthy/),
      'kiosk-quorum': expect.any(String),
    });
    const fleet: FleetView = viewOf('unseen');
    expect(partsOf([well('a')], { fleet })['kiosk-subnets']).toContain('east unseen east has not been seen since');
    expect(partsOf([well('a')], { fleet, only: 'east' })['state-east']).toContain('east is watched by subnetd-1');
  });
});

test('the page has its own stream, a way to the status page, and the count of problems in its tab', () => {
  const page = pageOf([withDown('n2')]);
  expect(page).toContain('data-stream="/events?kiosk=1"');
  expect(page).toContain('<a href="/">Status page</a>');
  expect(page).toMatch(/<title>\(2\) devnet is running, [^<]*\(subnetd\)<\/title>/);
  const one = pageOf([well('a'), well('b&c')], { only: 'b&c' });
  expect(one).toContain('data-stream="/events?subnet=b%26c&amp;kiosk=1"');
  expect(one).toContain('<a href="/?subnet=b%26c">Status page</a>');
});

test('whatever came from outside is text', () => {
  const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
  const state = stateOf(nodes([evil, 'n2', 'n3', 'n4'], { [evil]: { container: STOPPED } }), evil);
  const changesOf = () => [change(1, { subnet: evil, name: evil, reason: `${evil}: ${evil}` })];
  for (const page of [pageOf([state], { changesOf }), pageOf([state, well()])]) {
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<img|<script>/);
    expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(?:style|on\w+)=/);
  }
});
