import { expect, onTestFinished, test, vi } from 'vitest';
import { followLog } from '../../../../src/watch/logs/container/follow-log.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { serveLogs, toFrame } from '../../../support/engine-streams.ts';

test.each([0, -90_000, 90_000])(
  'only lines printed since the log was opened are live, by the clock of an engine that is %d ms ahead',
  async (aheadMs) => {
    const engineTime = () => Date.now() + aheadMs;
    const engine = await serveLogs((response) => {
      response.setHeader('Date', new Date(engineTime()).toUTCString());
      response.write(toFrame(engineTime() - 60_000, 'a minute ago'));
      response.write(toFrame(engineTime() - 2_000, 'just before'));
      setTimeout(() => response.write(toFrame(engineTime(), 'since then')), 50);
    });
    const lines: (readonly [string, boolean])[] = [];
    const { stop } = followLog({
      source: 'test',
      positions: createMemoryPositions(),
      find: async () => ({ id: 'c', running: true, isKept: true, tty: false, created: {} }),
      ...engine,
      startAt: 0,
      onLine: (text, start, end, _at, _old, live) => lines.push([text.slice(start, end), live]),
      onState: () => {},
    });
    onTestFinished(stop);
    await vi.waitFor(() => expect(lines).toHaveLength(3), { timeout: 10_000 });
    expect(lines).toEqual([
      ['a minute ago', false],
      ['just before', false],
      ['since then', true],
    ]);
  },
);
