import { describe, expect, it } from 'vitest';
import { createIncreaseWindow } from '../../src/alerts/increase-window.ts';

describe('a tally', () => {
  it('tells by how much a count grew since a time, and since its first note when that is later', () => {
    const tally = createIncreaseWindow(300);
    expect(tally.since(0)).toBe(0);
    tally.record(1000, 5);
    expect(tally.since(0)).toBe(0);
    tally.record(1100, 7);
    tally.record(1200, 7);
    expect(tally.since(0)).toBe(2);
    expect(tally.since(1000)).toBe(2);
    expect(tally.since(1099)).toBe(2);
    expect(tally.since(1100)).toBe(0);
  });

  it('knows the whole stretch that it has to remember, and nothing of growth before it', () => {
    const tally = createIncreaseWindow(300);
    for (let at = 1000; at <= 2000; at += 100) tally.record(at, at);
    expect(tally.since(1700)).toBe(300);
    expect(tally.since(0)).toBe(300);
  });
});
