import { describe, expect, it } from 'vitest';
import { createPart } from '../../src/fleet/create-part.ts';
import type { FleetSubnet, SeenMember } from '../../src/model/fleet.ts';
import { type Shard, shardOf } from '../../src/model/shard.ts';

const find = (isMeant: (name: string) => boolean) =>
  Array.from({ length: 1_000 }, (_, index) => `net${index}`).find(isMeant) ?? '';
/** Subnets that are shard 1's of three; of four, one is shard 3's. */
const moving = find((name) => shardOf(name, 3) === 1 && shardOf(name, 4) === 3);
const staying = find((name) => shardOf(name, 3) === 1 && shardOf(name, 4) === 1);

const toSubnet = (name: string, over: Partial<FleetSubnet> = {}): FleetSubnet => ({
  ...{ name, isReady: true, keeping: 'no', targets: 4, failing: 0, problems: [], problemCount: 0 },
  ...over,
});
const toMember = (instance: string, shard: Shard, subnets: readonly FleetSubnet[], isNew = false): SeenMember => ({
  ...{ instance, shard, beat: 7, writtenAt: 0, seenAt: 0, isFresh: !isNew, hasBeaten: true, isSilent: false, subnets },
});
const of = (index: number, total: number): Shard => ({ index, total });

describe('an instance that is started again with another total', () => {
  const row = toMember('b', of(1, 3), [toSubnet(moving), toSubnet(staying)], true);

  it('goes on watching what it had, until the new owner is ready', () => {
    const part = createPart({ instance: 'b', shard: of(1, 4) }, () => true);
    expect([part.isWatched(moving), part.isWatched(staying)]).toEqual([false, true]);
    expect(part.planWatch([row])).toBe(true);
    expect([part.isWatched(moving), part.isWatched(staying)]).toEqual([true, true]);
    expect(part.planWatch([row, toMember('d', of(3, 4), [toSubnet(moving, { isReady: false })])])).toBe(false);
    expect(part.planWatch([row, toMember('d', of(3, 4), [toSubnet(moving)])])).toBe(true);
    expect(part.isWatched(moving)).toBe(false);
  });

  it('never takes a subnet back that its owner has, whatever its own row says', () => {
    const part = createPart({ instance: 'b', shard: of(1, 4) }, () => true);
    expect(part.planWatch([row, toMember('d', of(3, 4), [toSubnet(moving)])])).toBe(false);
    expect(part.planWatch([row])).toBe(false);
  });
});

describe('of those that watch a subnet', () => {
  const keepingOf = (part: ReturnType<typeof createPart>, isReady: boolean, ...others: readonly SeenMember[]) => {
    part.planWatch(others);
    return part.planKeeping([{ name: moving, isReady }], others).get(moving)?.keeping;
  };
  const createLower = () => createPart({ instance: 'b', shard: of(1, 3) }, () => true);
  const createHigher = (holds = () => true) => createPart({ instance: 'd', shard: of(3, 4) }, holds);
  const lower = (over: Partial<FleetSubnet>, isNew?: boolean) =>
    toMember('b', of(1, 3), [toSubnet(moving, over)], isNew);
  const higher = (over: Partial<FleetSubnet>, isNew?: boolean) =>
    toMember('d', of(3, 4), [toSubnet(moving, over)], isNew);

  it('the one with the higher index waits as long as the lower one keeps it', () => {
    const part = createHigher();
    expect(keepingOf(part, true, lower({ keeping: 'now' }, true))).toBe('next');
    expect(keepingOf(part, true, lower({ keeping: 'now' }))).toBe('no');
    expect(part.keeps(moving)).toBe(false);
    expect(keepingOf(part, true)).toBe('now');
    expect(part.keeps(moving)).toBe(true);
  });

  it('the one with the lower index takes it over once it is ready and the higher one has stopped', () => {
    const part = createLower();
    expect(keepingOf(part, false, higher({ keeping: 'now' }))).toBe('no');
    expect(keepingOf(part, true, higher({ keeping: 'now' }))).toBe('next');
    expect(part.keeps(moving)).toBe(false);
    expect(keepingOf(part, true, higher({ keeping: 'no' }))).toBe('now');
  });

  it('the one with the higher index goes on until the lower one is ready, and then stops', () => {
    const part = createHigher();
    expect(keepingOf(part, true)).toBe('now');
    expect(keepingOf(part, true, lower({ keeping: 'no', isReady: false }))).toBe('now');
    expect(keepingOf(part, true, lower({ keeping: 'next' }))).toBe('no');
  });

  it('two that began at once are one again at the next beat: the lower one', () => {
    const [one, other] = [createLower(), createHigher()];
    expect([keepingOf(one, true), keepingOf(other, true)]).toEqual(['now', 'now']);
    expect(keepingOf(one, true, higher({ keeping: 'now' }))).toBe('now');
    expect(keepingOf(other, true, lower({ keeping: 'now' }))).toBe('no');
  });

  it('none keeps it without the lock of its shard', () => {
    let holds = false;
    const part = createHigher(() => holds);
    expect(keepingOf(part, true)).toBe('no');
    holds = true;
    expect(part.keeps(moving)).toBe(false);
    expect(keepingOf(part, true)).toBe('now');
    holds = false;
    expect(part.keeps(moving)).toBe(false);
  });

  it('one that was seen without its lock keeps nothing before it reads again what is stored, also of what was removed', () => {
    let holds = true;
    const part = createHigher(() => holds);
    const removed = find((name) => name !== moving && shardOf(name, 4) === 3);
    part.planWatch([]);
    part.planKeeping(
      [moving, removed].map((name) => ({ name, isReady: true })),
      [],
    );
    expect(keepingOf(part, true)).toBe('now');
    const before = [moving, removed].map(part.epochOf);
    holds = false;
    // Whoever hears this forgets.
    expect(part.keeps(removed)).toBe(false);
    holds = true;
    expect([part.keeps(moving), part.keeps(removed)]).toEqual([false, false]);
    expect(keepingOf(part, true)).toBe('now');
    expect([part.keeps(moving), part.keeps(removed)]).toEqual([true, true]);
    const after = [moving, removed].map(part.epochOf);
    expect(after.map((epoch, index) => epoch > (before[index] ?? epoch))).toEqual([true, true]);
    expect(keepingOf(part, true)).toBe('now');
    expect([moving, removed].map(part.epochOf)).toEqual(after);
  });

  it('one that was seen without its lock gives a subnet to another that has kept it meanwhile', () => {
    let holds = true;
    const part = createHigher(() => holds);
    expect(keepingOf(part, true)).toBe('now');
    holds = false;
    part.keeps(moving);
    holds = true;
    const other = toMember('c', of(4, 5), [toSubnet(moving, { keeping: 'now' })]);
    expect(keepingOf(part, true, other)).toBe('next');
    expect(keepingOf(part, true)).toBe('now');
  });

  it('one without the lock does not read again and again what has left the inventory', () => {
    const part = createHigher(() => false);
    keepingOf(part, true);
    const removed = find((name) => name !== moving && shardOf(name, 4) === 3);
    const epoch = part.epochOf(removed);
    keepingOf(part, true);
    expect([epoch > 0, part.epochOf(removed)]).toEqual([true, epoch]);
  });

  it('the one that begins to keep it reads what others have written, and once more at each time that it begins', () => {
    const part = createHigher();
    expect(part.epochOf(moving)).toBe(0);
    keepingOf(part, true, lower({ keeping: 'now' }));
    const first = part.epochOf(moving);
    keepingOf(part, true);
    const second = part.epochOf(moving);
    keepingOf(part, true);
    expect([first > 0, second > first, part.epochOf(moving)]).toEqual([true, true, second]);
  });
});

describe('a subnet that another instance judges', () => {
  it('is left alone until this one is ready for it, and not again after that', () => {
    const part = createPart({ instance: 'd', shard: of(3, 4) }, () => true);
    const old = toMember('b', of(1, 3), [toSubnet(moving)]);
    part.planWatch([toMember('b', of(1, 3), [toSubnet(moving, { isReady: false })])]);
    expect(part.isShadowed(moving)).toBe(false);
    part.planWatch([old]);
    expect(part.isShadowed(moving)).toBe(true);
    part.planKeeping([{ name: moving, isReady: true }], [old]);
    part.planKeeping([{ name: moving, isReady: false }], [old]);
    expect(part.isShadowed(moving)).toBe(false);
    part.planWatch([{ ...old, isSilent: true }]);
    expect(part.isShadowed(moving)).toBe(false);
  });
});

it('a subnet that has left the inventory is kept by the shard that owns it, and by no other', () => {
  const owner = createPart({ instance: 'b', shard: of(1, 3) }, () => true);
  const other = createPart({ instance: 'a', shard: of(0, 3) }, () => true);
  expect(owner.keeps(moving)).toBe(false);
  for (const part of [owner, other]) {
    part.planWatch([]);
    part.planKeeping([], []);
  }
  expect([owner.keeps(moving), other.keeps(moving)]).toEqual([true, false]);
  owner.planKeeping([{ name: moving, isReady: true }], []);
  const epoch = owner.epochOf(moving);
  owner.planKeeping([], []);
  expect([owner.keeps(moving), owner.epochOf(moving)]).toEqual([true, epoch]);
});

describe('on the alerts of a shard decides', () => {
  const partner = (keeping: FleetSubnet['keeping'], over: Partial<SeenMember> = {}): SeenMember => ({
    ...toMember('c', of(1, 3), [toSubnet(moving, { keeping })]),
    ...over,
  });
  const deciderOf = (holds: boolean, ...members: readonly SeenMember[]) => {
    const part = createPart({ instance: 'b', shard: of(1, 3) }, () => holds);
    const rows = [toMember('b', of(1, 3), [toSubnet(moving, { keeping: 'now' })]), ...members];
    part.planWatch(rows);
    part.planKeeping([{ name: moving, isReady: true }], rows);
    return part.decider();
  };

  it('the instance that holds its lock, whatever another one says', () => {
    expect(deciderOf(true, partner('now'))).toBe('self');
  });

  it('the other one of the same shard that keeps its subnets, when this one does not hold the lock', () => {
    expect([deciderOf(false, partner('now')), deciderOf(false, partner('no'))]).toEqual(['other', 'unknown']);
  });

  it('one that is alone in its shard, also without the lock', () => {
    const others = [
      partner('now', { isSilent: true }),
      partner('now', { shard: of(1, 4) }),
      partner('now', { shard: of(2, 3) }),
    ];
    expect([deciderOf(false), ...others.map((one) => deciderOf(false, one))]).toEqual(['self', 'self', 'self', 'self']);
  });

  it('nobody known, after the lock was lost and before the rows of the others were read again', () => {
    let holds = true;
    const part = createPart({ instance: 'b', shard: of(1, 3) }, () => holds);
    part.planWatch([partner('no')]);
    part.planKeeping([{ name: moving, isReady: true }], [partner('no')]);
    holds = false;
    expect(part.decider()).toBe('unknown');
    holds = true;
    expect(part.decider()).toBe('unknown');
    part.planWatch([partner('now')]);
    holds = false;
    part.planKeeping([{ name: moving, isReady: true }], [partner('now')]);
    expect(part.decider()).toBe('other');
  });
});
