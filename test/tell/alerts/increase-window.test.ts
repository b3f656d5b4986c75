import { describe, expect, it } from 'vitest';
import { createIncreaseWindow } from '../../../src/tell/alerts/subnetd-conditions.ts';

describe('an increase window', () => {
  it('gives the increase since a time, or since its first record when that is later', () => {
    const window = createIncreaseWindow(300);
    expect(window.since(0)).toBe(0);
    window.record(1000, 5);
    expect(window.since(0)).toBe(0);
    window.record(1100, 7);
    window.record(1200, 7);
    expect(window.since(0)).toBe(2);
    expect(window.since(1000)).toBe(2);
    expect(window.since(1099)).toBe(2);
    expect(window.since(1100)).toBe(0);
  });

  it('knows the whole stretch that it has to remember, and nothing of growth before it', () => {
    const window = createIncreaseWindow(300);
    for (let at = 1000; at <= 2000; at += 100) window.record(at, at);
    expect(window.since(1700)).toBe(300);
    expect(window.since(0)).toBe(300);
  });
});
