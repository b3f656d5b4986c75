import { describe, expect, it } from 'vitest';
import type { Span, UptimeRow } from '../../../src/model/history.ts';
import { createUnsavedTimes } from '../../../src/tell/history/unsaved-times.ts';
import { diagnosedNode } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3'];
const targets = NAMES.map((name) => diagnosedNode(name, NAMES).target);
const row = (name: string, span: Span, start: number, over: Partial<UptimeRow>): UptimeRow => ({
  ...{ subnet: 'devnet', component: 'node', name, span, start, ok: 0, fail: 0, unseen: 0, planned: 0 },
  ...over,
});

/** A collection that knows the three nodes. */
function createTimes(limit: number) {
  const times = createUnsavedTimes(limit);
  times.move(targets, Int32Array.of(-1, -1, -1));
  return times;
}

describe('the times that wait for the database', () => {
  it('are added up by hour and day of each target, also when they were taken and come back', () => {
    const times = createTimes(9);
    times.add(0, 'hour', 0, 'ok', 10.4);
    times.add(0, 'hour', 0, 'fail', 1);
    times.add(0, 'day', 0, 'ok', 10.4);
    times.add(1, 'hour', 0, 'planned', 0.4);
    expect(times.size()).toBe(2);
    const hours = times.take(9);
    expect(hours).toEqual([row('n1', 'hour', 0, { ok: 10, fail: 1 })]);
    expect(times.take(9)).toEqual([row('n1', 'day', 0, { ok: 10 })]);
    expect([times.size(), times.take(9)]).toEqual([0, []]);
    times.putBack(hours);
    times.putBack(hours);
    times.add(0, 'hour', 0, 'ok', 5);
    expect(times.size()).toBe(2);
    // No two rows that are written at once are of one hour of a target.
    expect(times.take(9)).toEqual([row('n1', 'hour', 0, { ok: 20, fail: 2 })]);
    expect(times.take(9)).toEqual([row('n1', 'hour', 0, { ok: 5 })]);
    expect([times.size(), times.dropped()]).toEqual([0, 0]);
  });

  it('are taken a part at a time, the oldest hour first', () => {
    const times = createTimes(9);
    for (const start of [0, 1, 2]) for (const place of [0, 1, 2]) times.add(place, 'hour', start, 'ok', 1 + start);
    expect(times.size()).toBe(9);
    const taken = Array.from({ length: 5 }, () => times.take(2).map(({ name, start }) => `${name} ${start}`));
    expect(taken).toEqual([['n1 0', 'n2 0'], ['n3 0'], ['n1 1', 'n2 1'], ['n3 1'], ['n1 2', 'n2 2']]);
    expect(times.take(2)).toEqual([row('n3', 'hour', 2, { ok: 3 })]);
    expect(times.size()).toBe(0);
  });

  it('are dropped from the oldest on when they are too many, and counted, but not those of the current hour', () => {
    const times = createTimes(2);
    for (const place of [0, 1, 2]) times.add(place, 'hour', 0, 'ok', 1);
    expect(times.dropped()).toBe(0);
    times.add(0, 'hour', 1, 'ok', 1);
    expect(times.dropped()).toBe(1);
    const taken = times.take(9);
    expect(taken.map(({ name, start }) => [name, start])).toEqual([
      ['n2', 0],
      ['n3', 0],
    ]);
    times.add(1, 'hour', 1, 'ok', 1);
    times.add(2, 'hour', 2, 'ok', 1);
    // What comes back is older than the hour that has ended meanwhile.
    times.putBack(taken);
    expect(times.dropped()).toBe(3);
    expect([times.take(9), times.take(9)]).toEqual([
      [row('n1', 'hour', 1, { ok: 1 }), row('n2', 'hour', 1, { ok: 1 })],
      [row('n3', 'hour', 2, { ok: 1 })],
    ]);
  });

  it('stay those of their targets when others come or go, also of one that is gone', () => {
    const times = createTimes(9);
    for (const place of [0, 1, 2]) times.add(place, 'hour', 0, 'ok', 1 + place);
    const [n1, n2, n3] = targets;
    if (n1 === undefined || n2 === undefined || n3 === undefined) throw new Error('three nodes are needed');
    const n4 = { ...n1, name: 'n4' };
    times.move([n3, n4, n2], Int32Array.of(2, -1, 1));
    expect(times.size()).toBe(3);
    for (const place of [0, 1, 2]) times.add(place, 'hour', 0, 'fail', 10 + place);
    expect([times.take(9), times.take(9)]).toEqual([
      [row('n1', 'hour', 0, { ok: 1 })],
      [
        row('n3', 'hour', 0, { ok: 3, fail: 10 }),
        row('n4', 'hour', 0, { fail: 11 }),
        row('n2', 'hour', 0, { ok: 2, fail: 12 }),
      ],
    ]);
    expect([times.size(), times.dropped()]).toEqual([0, 0]);
  });
});
