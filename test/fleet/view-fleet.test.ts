import { describe, expect, it } from 'vitest';
import { viewFleet } from '../../src/fleet/view-fleet.ts';
import type { FleetSubnet, SeenMember } from '../../src/model/fleet.ts';
import { formatShard, parseShard, type Shard, shardOf } from '../../src/model/shard.ts';

const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);
const toWall = (at: number): number => WALL + at;
const iso = (wall: number | undefined) => (wall === undefined ? '' : new Date(wall).toISOString().slice(11, 19));

const find = (...[index, total, also = () => true]: readonly [number, number, ((name: string) => boolean)?]) =>
  Array.from({ length: 1_000 }, (_, at) => `net${at}`).find((name) => shardOf(name, total) === index && also(name)) ??
  '';
/** One of each shard of three, and one more of shard 1. */
const [own, one, two] = [find(0, 3), find(1, 3), find(2, 3)];
const more = find(1, 3, (name) => name !== one);

const toSubnet = (name: string, over: Partial<FleetSubnet> = {}): FleetSubnet => ({
  ...{ name, isReady: true, keeping: 'now', targets: 4, failing: 0, problems: [], problemCount: 0 },
  ...over,
});
const shard = (text: string): Shard => parseShard(text) ?? { index: -1, total: -1 };
const member = (
  instance: string,
  of: string,
  subnets: readonly FleetSubnet[],
  over: Partial<SeenMember> = {},
): SeenMember => ({
  ...{ instance, shard: shard(of), beat: 7, subnets, writtenAt: WALL - 2_000, seenAt: -2_000 },
  ...{ hasBeaten: true, isFresh: true, isSilent: false },
  ...over,
});
const SILENT = { isFresh: false, isSilent: true, seenAt: -60_000 } as const;
const NEW = { isFresh: false, hasBeaten: false, seenAt: 0 } as const;
const me = member('a', '0/3', [toSubnet(own)]);

const view = (members: readonly SeenMember[], inventory = [own, one, two, more], self = shard('0/3')) =>
  viewFleet({
    self: { instance: 'a', shard: self },
    members,
    own: [{ name: own, targets: 4 }],
    inventory,
    nowWall: WALL,
    toWall,
  });
const shardsOf = (seen: ReturnType<typeof view>) =>
  seen.shards.map(
    (each) => `${formatShard(each.shard)} ${each.sight} ${each.instances.map(({ instance }) => instance)}`,
  );
const subnetsOf = (seen: ReturnType<typeof view>) =>
  Object.fromEntries(
    seen.elsewhere.map(({ name, sight, instance = '', lastSeen }) => [
      name,
      `${sight} ${instance} ${iso(lastSeen)}`.trim(),
    ]),
  );

describe('the fleet as one instance sees it', () => {
  it('has every shard with its instances, and each subnet that is not watched here', () => {
    const seen = view([me, member('b', '1/3', [toSubnet(one), toSubnet(more)]), member('c', '2/3', [toSubnet(two)])]);
    expect(shardsOf(seen)).toEqual(['0/3 seen a', '1/3 seen b', '2/3 seen c']);
    expect(subnetsOf(seen)).toEqual({
      [one]: 'seen b 03:04:07',
      [more]: 'seen b 03:04:07',
      [two]: 'seen c 03:04:07',
    });
    expect(seen.shards.map(({ instances }) => instances.map(({ subnets, targets }) => [subnets, targets]))).toEqual([
      [[1, 4]],
      [[2, 8]],
      [[1, 4]],
    ]);
  });

  it('shows a shard that is silent as unseen since its last beat, with what its subnets were', () => {
    const seen = view([me, member('b', '1/3', [toSubnet(one, { failing: 2 })], SILENT), member('c', '2/3', [])]);
    expect(shardsOf(seen)[1]).toBe('1/3 unseen b');
    expect(subnetsOf(seen)[one]).toBe('unseen b 03:03:09');
    expect(seen.elsewhere.find(({ name }) => name === one)?.known?.failing).toBe(2);
  });

  it('says of a row that was read only once when its writer wrote it', () => {
    const old = member('b', '1/3', [toSubnet(one)], { ...NEW, writtenAt: WALL - 3_600_000 });
    expect(subnetsOf(view([me, old]))[one]).toBe('unknown b 02:04:09');
    expect(subnetsOf(view([me, { ...old, ...SILENT }]))[one]).toBe('unseen b 02:04:09');
    // Its clock is ahead.
    expect(subnetsOf(view([me, { ...old, writtenAt: WALL + 3_600_000 }]))[one]).toBe('unknown b 03:04:09');
  });

  it('names a shard of which there is no row, and its subnets by the inventory', () => {
    const seen = view([me, member('b', '1/3', [toSubnet(one), toSubnet(more)])]);
    expect(shardsOf(seen)[2]).toBe('2/3 missing ');
    expect(subnetsOf(seen)[two]).toBe('missing');
    expect(seen.elsewhere.find(({ name }) => name === two)?.shard).toEqual(shard('2/3'));
  });

  it('shows a subnet of a hot pair once, and the shard as seen while one of the two is', () => {
    const pair = (over: Partial<SeenMember>) =>
      view([me, member('b', '1/3', [toSubnet(one)], over), member('b2', '1/3', [toSubnet(one, { keeping: 'no' })])]);
    expect(subnetsOf(pair({}))[one]).toBe('seen b 03:04:07');
    expect(subnetsOf(pair(SILENT))[one]).toBe('seen b2 03:04:07');
    expect(shardsOf(pair(SILENT))[1]).toBe('1/3 seen b2,b');
  });

  it('shows of a pair the one that keeps the subnet, and of two that are silent the one that was seen last', () => {
    const pair = (first: Partial<SeenMember>, second: Partial<SeenMember>, keeping: 'now' | 'no') =>
      subnetsOf(
        view([
          me,
          member('b', '1/3', [toSubnet(one, { keeping })], first),
          member('b2', '1/3', [toSubnet(one)], second),
        ]),
      )[one];
    expect(pair({}, { seenAt: -9_000 }, 'no')).toBe('seen b2 03:04:00');
    expect(pair({ ...SILENT, seenAt: -90_000 }, SILENT, 'now')).toBe('unseen b2 03:03:09');
  });

  it('does not call a subnet of its own shard unwatched, which it is about to watch', () => {
    expect(subnetsOf(view([me], [find(0, 3, (name) => name !== own)]))).toEqual({});
  });

  it('shows none that is watched here, whoever else watches it', () => {
    const other = member('a2', '0/3', [toSubnet(own)]);
    expect(subnetsOf(view([me, other], [own]))).toEqual({});
    expect(shardsOf(view([me, other]))[0]).toBe('0/3 seen a,a2');
  });

  it('shows a subnet that moves by who is ready for it, and by its owner once both are', () => {
    const moving = find(3, 4, (name) => shardOf(name, 3) === 1);
    const before = member('b', '1/4', [toSubnet(moving)]);
    const owner = (isReady: boolean) => member('d', '3/4', [toSubnet(moving, { isReady, keeping: 'no' })]);
    const shown = (isReady: boolean) => subnetsOf(view([me, before, owner(isReady)], [moving], shard('0/4')))[moving];
    expect(shown(false)).toBe('seen b 03:04:07');
    expect(shown(true)).toBe('seen d 03:04:07');
  });

  it('counts an instance of another total for the shard of its index, also beyond the own total', () => {
    const seen = view([me, member('b', '1/4', []), member('c', '2/3', []), member('d', '3/4', [])]);
    expect(shardsOf(seen)).toEqual(['0/3 seen a', '1/4 seen b', '2/3 seen c', '3/4 seen d']);
  });

  it('forgets an instance that has ended beyond the total, and what has left the inventory of one that is silent', () => {
    const gone = view([me, member('d', '3/4', [toSubnet('old')], SILENT)]);
    expect(shardsOf(gone)).toEqual(['0/3 seen a', '1/3 missing ', '2/3 missing ']);
    expect(Object.keys(subnetsOf(gone))).not.toContain('old');
    expect(subnetsOf(view([me, member('b', '1/3', [toSubnet('old')], SILENT)])).old).toBe(undefined);
    expect(subnetsOf(view([me, member('b', '1/3', [toSubnet('new')])])).new).toBe('seen b 03:04:07');
  });

  it('says nothing of others while it does not reach the database, or has read nothing yet', () => {
    const cut = view([{ ...me, ...SILENT }, member('b', '1/3', [toSubnet(one)], SILENT)]);
    expect(shardsOf(cut)).toEqual(['0/3 seen a', '1/3 unknown b', '2/3 unknown ']);
    expect(subnetsOf(cut)).toMatchObject({ [one]: 'unknown b 03:03:09', [two]: 'unknown' });
    expect(shardsOf(view([]))).toEqual(['0/3 seen a', '1/3 unknown ', '2/3 unknown ']);
  });
});
