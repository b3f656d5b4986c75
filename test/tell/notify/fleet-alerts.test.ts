import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../support/cli.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { createHandClock, HAND_CLOCK_START } from '../../support/hand-clock.ts';
import { FIRED, openShared, runInstance, stored } from '../../support/shared-alerts.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('an instance that begins to watch a subnet', () => {
  it('sends its alert with the start that another instance has stored, and never with another', async () => {
    const shared = await openShared();
    await shared.save(stored());
    const one = await runInstance(shared, createFakePart('moved'));
    one.set('active');
    await one.sends();
    await one.judges();
    expect(one.sent().map(({ startsAt }) => startsAt)).toEqual(one.sent().map(() => FIRED));
    expect(one.news).toEqual([]);
    expect(one.push.isJudged('moved')).toBe(true);
  });

  it('waits until it has read what is stored, for half a minute at most', async () => {
    const shared = await openShared();
    shared.cut();
    const hand = createHandClock();
    const one = await runInstance(shared, createFakePart('moved'), hand.clock);
    one.set('active');
    await one.judges();
    hand.run(29_000);
    await one.judges();
    expect([one.sent(), one.push.isJudged('moved')]).toEqual([[], false]);
    hand.run(2_000);
    await one.judges();
    expect(one.push.isJudged('moved')).toBe(true);
    expect(one.news).toEqual(['firing']);
  });

  it('sends nothing of it while another judges it, and then goes on from what that one has stored last', async () => {
    const shared = await openShared();
    const part = Object.assign(createFakePart('moved'), { shadowed: ['moved'], unsettled: ['moved'] });
    const one = await runInstance(shared, part);
    one.set('active');
    await one.judges();
    await shared.save(stored());
    await one.judges();
    expect([one.sent(), one.push.isJudged('moved')]).toEqual([[], false]);
    part.shadowed = [];
    await one.sends();
    expect(new Set(one.sent().map(({ startsAt }) => startsAt))).toEqual(new Set([FIRED]));
    part.shadowed = ['moved'];
    one.receiver.received.length = 0;
    await one.sends();
  });

  it('ends no alert before it is settled, and ends what it then finds no more', async () => {
    const shared = await openShared();
    await shared.save(stored());
    const part = Object.assign(createFakePart('moved'), { unsettled: ['moved'] });
    const one = await runInstance(shared, part);
    one.set('clear');
    await one.sends();
    await one.judges();
    expect(one.news).toEqual([]);
    part.unsettled = [];
    await eventually(() => expect(one.news).toEqual(['resolved']));
    await eventually(async () => expect(await shared.read()).toEqual([expect.stringMatching(/^resolved /)]));
  });
});

describe('a subnet that another instance watches from now on', () => {
  it('is dropped without a word, and known again only by what was stored meanwhile when it comes back', async () => {
    const shared = await openShared();
    const part = createFakePart('moved');
    const one = await runInstance(shared, part);
    one.set('active');
    await one.sends();
    await eventually(async () => expect(await shared.read()).toHaveLength(1));
    const before = await shared.read();
    Object.assign(part, { watched: [], own: [], kept: [] });
    await one.judges();
    one.receiver.received.length = 0;
    await one.judges(20);
    expect([one.sent(), await shared.read(), one.news]).toEqual([[], before, ['firing']]);
    await shared.save(stored());
    Object.assign(part, { watched: ['moved'], own: ['moved'], kept: ['moved'], epoch: 2 });
    await one.sends();
    expect(new Set(one.sent().map(({ startsAt }) => startsAt))).toEqual(new Set([FIRED]));
  });

  it('is resolved by its shard alone when it has left the inventory', async () => {
    const shared = await openShared();
    await shared.save(stored());
    const [owner, other] = [createFakePart(), createFakePart()];
    Object.assign(owner, { own: ['moved'], kept: ['moved'], unsettled: ['moved'] });
    const [one, two] = [await runInstance(shared, owner), await runInstance(shared, other)];
    await eventually(() => expect(one.news).toEqual(['resolved']));
    await two.judges();
    expect(two.sent()).toEqual([]);
  });
});

describe('of two that watch a subnet', () => {
  it('the one that keeps it writes, and the other begins with what that one has written when it takes over', async () => {
    const shared = await openShared();
    const [first, second] = [createFakePart('moved'), createFakePart('moved')];
    second.kept = [];
    const two = await runInstance(shared, second);
    two.set('clear');
    await two.judges();
    const one = await runInstance(shared, first);
    one.set('active');
    await eventually(async () => expect(await shared.read()).toHaveLength(1));
    const [before] = await shared.read();
    await two.judges();
    two.set('active');
    await two.sends();
    expect(await shared.read()).toEqual([before]);
    first.kept = [];
    one.set('clear');
    await one.judges();
    Object.assign(second, { kept: ['moved'], epoch: 2 });
    await two.judges();
    expect(await shared.read()).toEqual([before]);
    await eventually(() => {
      const last = two.sent().at(-1);
      expect(Date.parse(last?.startsAt ?? '')).toBe(Number(before?.split(' ')[1]));
    }, 20_000);
    expect(two.news).toEqual(['firing']);
  });

  it('one that had no database does not write again what the other has deleted meanwhile', async () => {
    const shared = await openShared();
    const part = createFakePart('moved');
    const one = await runInstance(shared, part);
    one.set('active');
    await eventually(async () => expect(await shared.read()).toHaveLength(1));
    shared.cut();
    part.kept = [];
    await one.judges();
    await shared.remove();
    shared.reopen();
    await one.judges(10);
    await one.push.stop();
    expect(await shared.read()).toEqual([]);
  });

  it('one that keeps it writes again what a database that was opened again has lost', async () => {
    const shared = await openShared();
    const one = await runInstance(shared, createFakePart('moved'));
    one.set('active');
    await eventually(async () => expect(await shared.read()).toHaveLength(1));
    const before = await shared.read();
    await shared.remove();
    await one.judges();
    expect(await shared.read()).toEqual([]);
    shared.reopen();
    await eventually(async () => expect(await shared.read()).toEqual(before));
  });
});

describe('an instance of a hot pair, while the other one decides', () => {
  const END = HAND_CLOCK_START - 60_000;
  const follow = async () => {
    const shared = await openShared();
    const part = Object.assign(createFakePart('moved'), { kept: [], decides: 'other' });
    const hand = createHandClock();
    return { shared, part, hand, one: await runInstance(shared, part, hand.clock) };
  };
  const endsOf = (one: Awaited<ReturnType<typeof runInstance>>) => new Set(one.sent().map(({ endsAt }) => endsAt));

  it('sends nothing that only itself sees, and is ready for the subnet', async () => {
    const { one } = await follow();
    one.set('active');
    await one.judges(10);
    expect([one.sent(), one.news, one.push.isJudged('moved')]).toEqual([[], [], true]);
  });

  it('sends what that one has stored, in the words that it would use itself, until that one has ended it', async () => {
    const { shared, hand, one } = await follow();
    await shared.save(stored({ annotations: { summary: 'It was halted.' } }));
    await one.sends();
    one.set('active');
    hand.run(200);
    await eventually(() => expect(one.sent().at(-1)?.annotations).toEqual({ summary: 'It is halted.' }));
    one.set('clear');
    await one.judges();
    expect(new Set(one.sent().map(({ startsAt }) => startsAt))).toEqual(new Set([FIRED]));
    await shared.save(stored({ phase: 'resolved', resolvedAt: END }));
    one.set('active');
    await eventually(() => expect(one.sent().at(-1)?.endsAt).toBe(new Date(END).toISOString()));
    one.receiver.received.length = 0;
    hand.run(200);
    await one.sends();
    expect(endsOf(one)).toEqual(new Set([new Date(END).toISOString()]));
    await shared.remove();
    await one.judges();
    one.receiver.received.length = 0;
    hand.run(200);
    await one.judges();
    expect([one.sent(), one.news]).toEqual([[], []]);
  });

  it('sends nothing of subnets while it cannot know who decides, and after half a minute what it sees itself', async () => {
    const { shared, part, hand, one } = await follow();
    await shared.save(stored());
    await one.sends();
    part.decides = 'unknown';
    one.set('clear');
    await one.judges();
    hand.run(29_000);
    await one.judges();
    part.decides = 'other';
    await one.judges();
    part.decides = 'unknown';
    await one.judges();
    one.receiver.received.length = 0;
    hand.run(29_000);
    await one.judges();
    expect([one.sent(), one.news]).toEqual([[], []]);
    hand.run(2_000);
    await one.sends();
    expect(one.news).toEqual(['resolved']);
  });

  it('sends nothing that planned work holds back at that one', async () => {
    const { shared, one } = await follow();
    await shared.save(stored({ isHeld: true }));
    one.set('active');
    await one.judges(10);
    expect([one.sent(), one.news]).toEqual([[], []]);
  });

  it('goes on from what that one has stored last when it decides itself', async () => {
    const { shared, part, one } = await follow();
    await shared.save(stored());
    await one.sends();
    one.set('active');
    Object.assign(part, { decides: 'self', kept: ['moved'], epoch: 2 });
    await one.judges();
    one.set('clear');
    await eventually(() => expect(one.news).toEqual(['resolved']));
    expect(new Set(one.sent().map(({ startsAt }) => startsAt))).toEqual(new Set([FIRED]));
    await eventually(async () => expect(await shared.read()).toEqual([expect.stringMatching(/^resolved /)]));
  });

  it('holds what it knows for half a minute when the database is away, and judges by itself from then on', async () => {
    const { shared, hand, one } = await follow();
    shared.cut();
    one.set('active');
    await one.judges();
    hand.run(29_000);
    await one.judges();
    expect(one.news).toEqual([]);
    hand.run(31_000);
    await eventually(() => expect(one.news).toEqual(['firing']));
    shared.reopen();
    await shared.save(stored());
    await one.judges();
    hand.run(20_000);
    await eventually(() => expect(one.sent().at(-1)?.startsAt).toBe(FIRED));
  });
});
