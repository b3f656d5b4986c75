import { expect, onTestFinished, test, vi } from 'vitest';
import { createLiveStreams, type LivePage, type LiveStreamsOptions } from '../../../src/web/pages/live-streams.ts';

/** Streams of one page that a test changes, with a short tick. */
function streamsOf(first: Readonly<Record<string, string>>, options: Partial<LiveStreamsOptions> = {}) {
  let page: LivePage | undefined = {
    title: 'all is well',
    icon: 'data:,',
    startedAt: 0,
    sections: new Map(Object.entries(first)),
  };
  const rendered = vi.fn();
  const streams = createLiveStreams({
    render: (name) => {
      rendered(name);
      return page;
    },
    now: () => Date.UTC(2026, 0, 1) + performance.now(),
    onBug: (error) => {
      throw error;
    },
    everyMs: 5,
    heartbeatMs: 60_000,
    ...options,
  });
  onTestFinished(streams.stop);
  return {
    streams,
    rendered,
    set: (sections: Readonly<Record<string, string>> | undefined, title = 'all is well') => {
      page = sections && { title, icon: 'data:,', startedAt: 0, sections: new Map(Object.entries(sections)) };
    },
  };
}

/** Reads the events of a stream one by one. */
function eventsOf(response: Response | undefined) {
  const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Readonly<Record<string, unknown>> | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) return JSON.parse(data);
        continue;
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return undefined;
      text += read.value;
    }
  };
  return { next, cancel: () => reader?.cancel() };
}

test('a stream begins with the whole page, and goes on with the sections that change', async () => {
  const { streams, set } = streamsOf({ banner: '<p>well</p>', targets: '<p>3</p>' });
  const events = eventsOf(streams.open('a'));
  expect(await events.next()).toEqual({
    at: expect.stringMatching(/^2026-01-01T/),
    title: 'all is well',
    icon: 'data:,',
    startedAt: 0,
    parts: { banner: '<p>well</p>', targets: '<p>3</p>' },
  });
  set({ banner: '<p>halted</p>', targets: '<p>3</p>' }, 'halted');
  expect(await events.next()).toMatchObject({ title: 'halted', parts: { banner: '<p>halted</p>' } });
  await events.cancel();
  expect(streams.count()).toBe(0);
});

test('a time that only runs on is no change, and silence is broken by a heartbeat', async () => {
  const { streams, set } = streamsOf({ a: '<time class="ago" datetime="1">2 s ago</time>' }, { heartbeatMs: 20 });
  const events = eventsOf(streams.open('a'));
  await events.next();
  set({ a: '<time class="ago" datetime="1">3 s ago</time>' });
  expect(await events.next()).toMatchObject({ parts: {} });
  set({ a: '<time class="ago" datetime="2">0 s ago</time>' });
  for (;;) {
    const { parts } = (await events.next()) ?? {};
    if (Object.keys(parts ?? {}).length === 0) continue;
    expect(parts).toEqual({ a: '<time class="ago" datetime="2">0 s ago</time>' });
    return;
  }
});

test('a page is rendered once for all who look at it, and not at all when nobody does', async () => {
  const { streams, rendered, set } = streamsOf({ a: '1' });
  const all = Array.from({ length: 20 }, () => eventsOf(streams.open('a')));
  await Promise.all(all.map(({ next }) => next()));
  rendered.mockClear();
  set({ a: '2' });
  await Promise.all(all.map(({ next }) => next()));
  expect(rendered.mock.calls.length).toBeLessThan(10);
  await Promise.all(all.map(({ cancel }) => cancel()));
  rendered.mockClear();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(rendered).not.toHaveBeenCalled();
});

test('a reader that takes nothing is let go, and one too many is refused', async () => {
  const { streams, set } = streamsOf({ a: '0' }, { most: 2 });
  streams.open('a');
  expect(streams.open('a')).toBeDefined();
  expect(streams.open('a')).toBeUndefined();
  for (let count = 1; streams.count() > 0; count += 1) {
    expect(count).toBeLessThan(2_000);
    set({ a: String(count) });
    await new Promise((resolve) => setTimeout(resolve, 6));
  }
});

test('a stop ends every stream, and so does a page that is there no more', async () => {
  const { streams, set } = streamsOf({ a: '0' });
  const [one, other] = [eventsOf(streams.open('a')), eventsOf(streams.open('b'))];
  await Promise.all([one.next(), other.next()]);
  streams.stop();
  expect(await one.next()).toBeUndefined();
  expect(await other.next()).toBeUndefined();
  const third = eventsOf(streams.open('a'));
  await third.next();
  set(undefined);
  expect(await third.next()).toBeUndefined();
  expect(streams.open('a')).toBeUndefined();
});

test('many pages are rendered in turns, and all else has its turn between them', async () => {
  const rendered = new Map<string, number>();
  let atOnce = 0;
  const counts: number[] = [];
  const endTurn = () => {
    counts.push(atOnce);
    atOnce = 0;
  };
  const { streams } = streamsOf(
    {},
    {
      busyMs: 10,
      render: (name) => {
        const start = performance.now();
        while (performance.now() - start < 5);
        if (atOnce === 0) setImmediate(endTurn);
        atOnce += 1;
        const times = (rendered.get(name) ?? 0) + 1;
        rendered.set(name, times);
        return { title: name, icon: 'data:,', startedAt: 0, sections: new Map([['a', `${times}`]]) };
      },
    },
  );
  const all = Array.from({ length: 60 }, (_, page) => eventsOf(streams.open(`search=${page}`)));
  // The second event of each page is of the first time that it is rendered again.
  for (const { next } of all) expect([await next(), await next()]).not.toContain(undefined);
  await expect.poll(() => atOnce).toBe(0);
  const [opened, ...ticks] = counts;
  expect(opened).toBe(60);
  expect(Math.max(...ticks)).toBeLessThanOrEqual(2);
  expect(ticks.length).toBeGreaterThanOrEqual(30);
});

test('a page that breaks takes no other with it', async () => {
  const bugs: unknown[] = [];
  let isBroken = false;
  const { streams } = streamsOf(
    {},
    {
      onBug: (error) => bugs.push(error),
      render: (name) => {
        if (isBroken && name === 'bad') throw new Error('bad');
        return { title: name, icon: 'data:,', startedAt: 0, sections: new Map([['a', `${isBroken}`]]) };
      },
    },
  );
  streams.open('bad');
  const good = eventsOf(streams.open('good'));
  await good.next();
  isBroken = true;
  expect(await good.next()).toMatchObject({ parts: { a: 'true' } });
  await expect.poll(() => bugs.length).toBeGreaterThan(0);
});

test('a page that has no turn for long is not silent', async () => {
  const { streams } = streamsOf({ a: '1' }, { busyMs: 0, heartbeatMs: 5 });
  const reader = streams.open('a')?.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !text.endsWith('\n\n:\n\n'); ) {
    const read = await reader?.read();
    expect(read?.done).toBe(false);
    text += read?.value;
  }
});
