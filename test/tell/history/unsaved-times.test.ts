import { describe, expect, it } from 'vitest';
import type { Span, Uptime, UptimeRow } from '../../../src/model/history.ts';
import { targetKey } from '../../../src/model/target.ts';
import { createUnsavedTimes } from '../../../src/tell/history/unsaved-times.ts';
import { diagnosedNode } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3'];
const row = (name: string, span: Span, start: number, over: Partial<UptimeRow>): UptimeRow => ({
  ...{ subnet: 'devnet', component: 'node', name, span, start, ok: 0, fail: 0, unseen: 0, planned: 0 },
  ...over,
});

/** A collection of the times of nodes. */
function createTimes(limit: number) {
  const times = createUnsavedTimes(limit);
  const add = (name: string, span: Span, start: number, part: keyof Uptime, ms: number) =>
    times.add(targetKey(row(name, span, start, {})), diagnosedNode(name, NAMES).target, span, start, part, ms);
  return { ...times, add };
}

describe('the times that wait for the database', () => {
  it('are added up by hour and day of each target, also when they were taken and come back', () => {
    const times = createTimes(9);
    times.add('n1', 'hour', 0, 'ok', 10.4);
    times.add('n1', 'hour', 0, 'fail', 1);
    times.add('n1', 'day', 0, 'ok', 10.4);
    times.add('n2', 'hour', 0, 'planned', 0.4);
    expect(times.size()).toBe(2);
    const taken = times.take(9);
    expect(taken).toEqual([row('n1', 'hour', 0, { ok: 10, fail: 1 }), row('n1', 'day', 0, { ok: 10 })]);
    expect([times.size(), times.take(9)]).toEqual([0, []]);
    times.add('n1', 'hour', 0, 'ok', 5);
    times.putBack(taken);
    expect(times.take(1)).toEqual([row('n1', 'hour', 0, { ok: 15, fail: 1 })]);
    expect([times.take(9), times.dropped()]).toEqual([[row('n1', 'day', 0, { ok: 10 })], 0]);
  });

  it('are taken a part at a time, the oldest first', () => {
    const times = createTimes(9);
    for (const start of [0, 1]) for (const name of NAMES) times.add(name, 'hour', start, 'ok', 1 + start);
    const taken = Array.from({ length: 3 }, () => times.take(2).map(({ name, start }) => `${name} ${start}`));
    expect(taken).toEqual([
      ['n1 0', 'n2 0'],
      ['n3 0', 'n1 1'],
      ['n2 1', 'n3 1'],
    ]);
    expect(times.size()).toBe(0);
  });

  it('are dropped from the oldest on when they are too many, and counted; what comes back is older', () => {
    const times = createTimes(3);
    for (const name of NAMES) times.add(name, 'hour', 0, 'ok', 1);
    expect(times.dropped()).toBe(0);
    times.add('n1', 'hour', 1, 'ok', 1);
    expect(times.dropped()).toBe(1);
    const taken = times.take(2);
    expect(taken.map(({ name, start }) => `${name} ${start}`)).toEqual(['n2 0', 'n3 0']);
    times.add('n2', 'hour', 1, 'ok', 1);
    times.putBack(taken);
    expect(times.dropped()).toBe(2);
    expect(times.take(9).map(({ name, start }) => `${name} ${start}`)).toEqual(['n3 0', 'n1 1', 'n2 1']);
  });
});
