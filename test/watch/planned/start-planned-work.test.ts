import { describe, expect, it, onTestFinished } from 'vitest';
import type { PlannedWorkStore, StoredWork } from '../../../src/model/planned-work.ts';
import { startPlannedWork } from '../../../src/watch/planned/start-planned-work.ts';
import { eventually } from '../../support/cli.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-12-01T22:00Z');

const work = (id: string, over: Partial<StoredWork> = {}): StoredWork => ({
  ...{ id, subnet: 'devnet', reason: 'upgrade', by: 'ann', silences: [], from: START, until: START + HOUR_MS },
  ...over,
});

/** What subnetd knows of a database whose content and clock a test sets. */
function start() {
  let at = START;
  let works: readonly StoredWork[] | undefined = [];
  const news: string[] = [];
  let reads = 0;
  const trimmed: number[] = [];
  const store: PlannedWorkStore = {
    add: async () => {},
    list: async (from) => (works ?? []).filter(({ until }) => until > from),
    end: async () => undefined,
    trim: async (before) => void trimmed.push(before - at),
  };
  const link = startPlannedWork({
    store: async () => {
      reads += 1;
      if (works === undefined) throw new Error('away');
      return store;
    },
    clock: { now: () => at, toWall: (time) => time },
    onFailure: (error) => news.push(String(error)),
    onNews: (begun, ended) =>
      news.push([...begun.map(({ id }) => `+${id}`), ...ended.map(({ id }) => `-${id}`)].join()),
    readEveryMs: 5,
  });
  onTestFinished(link.stop);
  return {
    link,
    news,
    trimmed,
    /** Sets the content, undefined for a database that is away, and waits until it was read. */
    set: async (next: readonly StoredWork[] | undefined, passedMs = 0) => {
      works = next;
      at += passedMs;
      const before = reads;
      await eventually(() => expect(reads).toBeGreaterThan(before + 1));
      return link.at(at).map((one) => ('id' in one ? one.id : one.reason));
    },
  };
}

describe('announced work', () => {
  it('is known seconds after it was announced, and is gone seconds after somebody ended it', async () => {
    const { set, news } = start();
    expect(await set([])).toEqual([]);
    expect(await set([work('a')])).toEqual(['a']);
    expect(await set([work('a'), work('b')])).toEqual(['a', 'b']);
    expect(await set([work('b')])).toEqual(['b']);
    expect(news).toEqual(['+a', '+b', '-a']);
  });

  it('that ends by itself is no news', async () => {
    const { set, news } = start();
    await set([work('a')]);
    expect(await set([work('a')], HOUR_MS)).toEqual([]);
    expect(news).toEqual(['+a']);
  });

  it('stays known while the database is away, which is said once', async () => {
    const { set, news } = start();
    await set([work('a')]);
    expect(await set(undefined)).toEqual(['a']);
    expect(await set([work('a'), work('b')])).toEqual(['a', 'b']);
    await set(undefined);
    expect(news).toEqual(['+a', 'Error: away', '+b', 'Error: away']);
  });

  it('is known beside the windows of the inventory, and deleted a day after its end', async () => {
    const { link, set, trimmed } = start();
    link.setWindows([
      { subnet: 'devnet', kind: 'once', from: START, until: START + HOUR_MS, reason: 'window of the inventory' },
    ]);
    expect(await set([work('a')])).toEqual(['window of the inventory', 'a']);
    link.setWindows([]);
    expect(await set([work('a')])).toEqual(['a']);
    expect(trimmed).toEqual([-24 * HOUR_MS]);
    await set([work('a')], HOUR_MS);
    expect(trimmed).toEqual([-24 * HOUR_MS, -24 * HOUR_MS]);
  });
});
