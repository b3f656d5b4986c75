import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../src/lib/promises.ts';
import { runRound } from '../../../src/watch/monitor/run-round.ts';

const signal = () => new AbortController().signal;
const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a round', () => {
  it('probes each target once, also after a thousand that hang', async () => {
    const targets = [...Array(1_001).keys()];
    const seen: number[] = [];
    const lastBegan = Promise.withResolvers<void>();
    await runRound(targets, { spreadMs: 0 }, signal(), async (target) => {
      if (target === 1_000) lastBegan.resolve();
      await lastBegan.promise;
      seen.push(target);
    });
    expect(seen.toSorted((a, b) => a - b)).toEqual(targets);
  });

  it('spreads its probes evenly over the given time', async () => {
    const begun: number[] = [];
    const started = performance.now();
    const busy = await runRound([1, 2, 3, 4], { spreadMs: 200 }, signal(), async () => {
      begun.push(performance.now() - started);
    });
    for (const [i, at] of begun.entries()) expect(at).toBeGreaterThanOrEqual(i * 50 - 2);
    expect(busy).toBeLessThan(performance.now() - started);
  });

  it('starts no further probe when it is stopped, and waits for the running ones', async () => {
    const stopping = new AbortController();
    let ended = 0;
    let begun = 0;
    await runRound([1, 2, 3, 4], { spreadMs: 60_000 }, stopping.signal, async () => {
      begun += 1;
      setTimeout(() => stopping.abort(), 5);
      await tick(20);
      ended += 1;
    });
    expect([begun, ended]).toEqual([1, 1]);
  });

  it('shares its places with other rounds, and gives each back', async () => {
    const slots = createSlots(3);
    let running = 0;
    let most = 0;
    const look = async () => {
      running += 1;
      most = Math.max(most, running);
      await tick(1);
      running -= 1;
    };
    const plan = { spreadMs: 0, slots };
    await Promise.all([1, 2, 3].map(() => runRound([...Array(20).keys()], plan, signal(), look)));
    expect([most, running]).toEqual([3, 0]);
    const stopping = new AbortController();
    for (const _ of [1, 2, 3]) await slots.acquire();
    const waiting = runRound([1], plan, stopping.signal, look);
    stopping.abort();
    slots.release();
    await waiting;
    // The place that came too late for a round was given back: there is one more to take.
    await slots.acquire();
  });

  it('of nothing ends at once', async () => {
    expect(await runRound([], { spreadMs: 1000 }, signal(), async () => {})).toBe(0);
  });
});
