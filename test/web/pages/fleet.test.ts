import { describe, expect, test } from 'vitest';
import type { FleetView } from '../../../src/model/fleet-view.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { toElsewhereStates } from '../../../src/web/pages/elsewhere.ts';
import { publicPage } from '../../../src/web/pages/public-page.ts';
import { statusContent, statusPage } from '../../../src/web/pages/status-page.ts';
import { diagnosedNode, NOW } from '../../support/diagnosed.ts';
import { reported, viewOf, WALL } from '../../support/fleet-views.ts';
import { NO_TIME } from '../../support/no-steps.ts';
import { words } from '../../support/page-words.ts';
import { stateOf } from '../../support/snapshots.ts';

const toWall = (at: number): number => WALL - NOW + at;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const own = stateOf(
  NAMES.map((name) => diagnosedNode(name, NAMES)),
  'west',
);

type More = { readonly only?: string; readonly query?: { readonly search: string } };
const inputOf = (fleet: FleetView | undefined, more: More = {}, snapshot: readonly SubnetState[] = [own]) => ({
  ...{ snapshot, fleet, toWall, nowWall: WALL },
  historyOf: () => ({ hours: [], days: [] }),
  time: NO_TIME,
  ...more,
});
const pageOf = (...input: Parameters<typeof inputOf>) => String(statusPage(inputOf(...input), { footer: [] }));
const partOf = (page: string, id: string) =>
  words(
    new RegExp(`<(section|div)[^>]* id="${id}"[\\s\\S]*?(?=<section|<div class="stack" id|</main>)`).exec(page)?.[0] ??
      '',
  ).trim();
const cards = (page: string) =>
  [...page.matchAll(/<li class="panel[\s\S]*?<\/li>/g)].map(([item]) => words(item).trim());

describe('the status page of an instance of a fleet', () => {
  test('has the subnets of all instances beside its own, the worst first, and says who watches them', () => {
    const page = pageOf(viewOf('seen'));
    expect(cards(page)).toEqual([
      'east needs attention east is running, but n1 is down 7 targets, 2 failing, 1 problem, watched by subnetd-1 (shard 1/3)',
      'north not watched No known instance watches north',
      expect.stringMatching(/^west healthy west is healthy: it can lose 1 more node 4 targets, .*4 of 4 vote$/),
    ]);
    expect(partOf(page, 'banner')).toBe('1 of 3 subnets needs attention east is running, but n1 is down , since 03:03');
    expect(partOf(page, 'state-problems')).toBe(
      '1 problem n1 is down warning east since 03:03 , 1 min ' +
        'Start it with docker start n1 . docker start n1 Copy the command: n1 is down Runbook SubnetNodeDown Found by subnetd-1 (shard 1/3), where the evidence is.',
    );
    // Its targets are on no page of this instance.
    expect(page).not.toContain('/targets/east');
    expect(page).toContain('href="/alerts/SubnetNodeDown?subnet=east&amp;name=n1"');
  });

  test('shows a shard that is silent as unseen since then, and its subnets in grey with the last that was known', () => {
    const page = pageOf(viewOf('unseen'));
    expect(cards(page)[0]).toBe(
      'east unseen east has not been seen since 03:02:39 UTC Last known state: east is running, but n1 is down ' +
        '7 targets, 2 failing, 1 problem, watched by subnetd-1 (shard 1/3)',
    );
    expect(page).toMatch(/<li class="panel off"><h3><a href="\/\?subnet=east"/);
    expect(partOf(page, 'banner')).toBe('2 of 3 subnets are in an unknown state Details below.');
    expect(partOf(page, 'state-notices')).toBe(
      'Unseen shards Shard 1/3 has not been seen since 03:02:39 UTC 1 of its subnets is not watched by anyone. ' +
        'Restart subnetd-1, or restore its connection to the database; its log says why it cannot connect. Runbook SubnetdShardUnseen ' +
        'Shard 2/3 has never been seen 1 of its subnets is not watched by anyone. ' +
        'Start it with --shard 2/3 and the database of this fleet. Runbook SubnetdShardUnseen',
    );
    // What was wrong then may be over.
    expect(partOf(page, 'state-problems')).toBe('No known problems');
  });

  test('says of a shard that is silent and has no subnet to itself that nothing is unwatched because of it', () => {
    const view = viewOf('unseen');
    const elsewhere = view.elsewhere.filter(({ shard }) => shard.index !== 1);
    expect(partOf(pageOf({ ...view, elsewhere }), 'state-notices')).toContain(
      'Shard 1/3 has not been seen since 03:02:39 UTC No subnet is left unwatched. Restart subnetd-1',
    );
  });

  test('says of a subnet that a shard which is seen has not reported that this is so, and does not count what was', () => {
    const [view, name] = [viewOf('unseen', reported('east', { problemCount: 12 })), 'north'];
    const shown = (fleet: FleetView) => partOf(pageOf(fleet, { only: name }), 'banner');
    expect(shown(view)).toBe(
      'No known instance watches north Shard 2/3 has never been seen: start it with --shard 2/3 .',
    );
    const shards = view.shards.map((each) => (each.shard.index === 2 ? { ...each, sight: 'seen' as const } : each));
    expect(shown({ ...view, shards })).toBe('No known instance watches north Shard 2/3 has not reported it yet.');
    expect(partOf(pageOf(view), 'state-problems')).toBe('No known problems');
  });

  test('names the day when a shard is unseen for longer', () => {
    const [view, since] = [viewOf('unseen'), WALL - 86_400_000];
    const elsewhere = view.elsewhere.map((one) => ({ ...one, lastSeen: since }));
    expect(cards(pageOf({ ...view, elsewhere }))[0]).toContain('east has not been seen since 2026-11-21 03:04:09 UTC');
  });

  test('has the shards in a table, with their instances and when each was last seen', () => {
    expect(partOf(pageOf(viewOf('seen')), 'state-shards')).toBe(
      'Fleet shards Shard Instance State Subnets Targets Last seen ' +
        '0/3 subnetd-0 (this one) seen 1 7 now 1/3 subnetd-1 seen 1 7 4 s ago 2/3 none never seen Kiosk for a wall screen',
    );
  });

  test('accuses no other instance while it does not reach the database itself', () => {
    const page = pageOf(viewOf('unknown'));
    expect(partOf(page, 'state-notices')).toBe('');
    expect(cards(page)[0]).toMatch(/^east unknown The state of east is unknown here/);
    expect(pageOf(viewOf('unknown'), { only: 'east' })).toContain(
      'This instance cannot reach the database, or has just started.',
    );
  });

  test('shows one subnet of another instance alone, with its verdict and where its targets are', () => {
    const page = pageOf(viewOf('seen'), { only: 'east' });
    expect(partOf(page, 'banner')).toBe('east is running, but n1 is down Since 03:03 , for 1 min. Start n1.');
    expect(partOf(page, 'state-east')).toBe(
      'Where east is watched east is watched by subnetd-1 (shard 1/3), which also has the pages of its targets. As of 4 s ago . ' +
        '7 targets, 2 failing, 1 problem, watched by subnetd-1 (shard 1/3)',
    );
    expect(page).toContain('data-stream="/events?subnet=east"');
    expect(words(page)).toContain('All 3 subnets');
    const unseen = partOf(pageOf(viewOf('unseen'), { only: 'east' }), 'state-east');
    expect(unseen).toContain('Last seen 1 min ago');
    expect(unseen).toContain('Problems at that time: warning: n1 is down, since 03:03:09');
    expect(words(pageOf(viewOf('seen'), { only: 'south' }))).toContain('The inventory has no subnet south');
  });

  test('finds a subnet of another instance by its name', () => {
    expect(cards(pageOf(viewOf('seen'), { query: { search: 'EAS' } })).map((text) => text.slice(0, 4))).toEqual([
      'east',
    ]);
  });

  test('counts problems that the other instance did not send, and says where all of them are', () => {
    const page = pageOf(viewOf('seen', reported('east', { problemCount: 12 })));
    expect(partOf(page, 'state-problems')).toMatch(/^12 problems .* 11 more are in fleet\.json \./);
  });

  test('has live sections whose ids are there from the start, and without a fleet none of this', () => {
    const ids = (fleet?: FleetView) => statusContent(inputOf(fleet)).sections.map(({ id }) => id);
    expect(ids(viewOf('seen'))).toEqual(['banner', 'state-notices', 'state-problems', 'state-subnets', 'state-shards']);
    expect(ids()).toEqual([
      'banner',
      'state-problems',
      'state-west',
      'state-masternodes-west',
      'state-targets-west',
      'state-time-west',
    ]);
    for (const { id, html } of statusContent(inputOf(viewOf('unseen'))).sections)
      expect(String(html)).toContain(`id="${id}"`);
  });
});

test('the page for everybody has the subnets of other instances by name and state alone', () => {
  const page = (fleet: FleetView) =>
    String(publicPage([own], () => ({ hours: [], days: [] }), WALL, toElsewhereStates(fleet, WALL)));
  expect(words(page(viewOf('seen')))).toMatch(
    /2 of 3 subnets are not operational east degraded north unknown west operational Part State/,
  );
  expect(words(page(viewOf('unseen')))).toContain('east unknown north unknown');
  for (const secret of ['subnetd-1', 'shard', 'n1 is down', 'docker', 'unseen'])
    expect(page(viewOf('unseen')).toLowerCase()).not.toContain(secret);
});
