import { expect, test } from 'vitest';
import type { Facts, LogState } from '../../../src/model/facts.ts';
import { createPatternCounters } from '../../../src/watch/logs/match/pattern-counters.ts';
import { packs } from '../../../src/watch/logs/packs.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { judgeBlockData, judgeFrontendLog, judgeHistoryData } from '../../../src/watch/rules/judge-services.ts';
import { asRead, aView, serviceTarget } from '../../support/views.ts';

const NOW = 10_000_000;
const MINUTE_MS = 60_000;
const source = { up: true, lines: 1, since: NOW - 10 * MINUTE_MS };

type Shown = readonly [pattern: string, secondsAgo: number, value?: string];

/** What the log shows by hits this many seconds ago, oldest first. */
function fold(...hits: readonly Shown[]) {
  const counters = createPatternCounters(packs.stats, []);
  let state: LogState = {};
  for (const [pattern, secondsAgo, value] of hits) {
    const means = packs.stats.find(({ name }) => name === pattern)?.means ?? 'progress';
    const hit = { pattern, means, at: NOW - secondsAgo * 1_000, counted: true, ...(value !== undefined && { value }) };
    counters.add(hit);
    state = foldLogHit('stats', state, hit);
  }
  return { ...state, patterns: counters.read() };
}
const judge = (shown: ReturnType<typeof fold> & { readonly isBehind?: boolean }) => {
  const view = aView(serviceTarget('stats'), { logs: { sources: { file: source }, ...shown } }, { now: NOW });
  return { block: asRead(judgeBlockData(view)), history: asRead(judgeHistoryData(view)) };
};

test('block data passes as long as the number rises within two minutes', () => {
  expect(judge(fold(['block_data', 119, '7'])).block.verdict).toBe('pass');
  expect(judge(fold(['block_data', 120, '7'])).block).toMatchObject({
    verdict: 'fail',
    // Whether the nodes run is not known here, and said by themselves.
    reason: expect.stringMatching(
      /has got no block for 2m; check that the nodes reach it at STATS_SERVICE_ADDRESS and have its STATS_SECRET$/,
    ),
  });
  expect(judge(fold()).block).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('has got no block for 10m; check that the nodes reach it'),
  });
});

test('what is written faster than it is read may have a block that is not read yet, for a minute', () => {
  const behind = (...hits: readonly Shown[]) => judge({ ...fold(...hits), isBehind: true }).block;
  expect(behind(['block_data', 150, '7'])).toMatchObject({
    verdict: 'pass',
    reason: 'the stats server got block 7 2m 30s ago',
  });
  expect(behind(['block_data', 180, '7']).verdict).toBe('fail');
  expect(behind(['block_data', 150, '7'], ['block_data', 40, '7'])).toMatchObject({ verdict: 'pass' });
  expect(behind(['block_data', 160, '7'], ['block_data', 40, '7']).reason).toContain('block 7 again and again for 2m');
});

test('a block that nodes repeat is no new one, and neither is one of a slower node', () => {
  const repeated = fold(['block_data', 300, '7'], ['block_data', 15, '7'], ['block_data', 1, '6']);
  expect(judge(repeated).block).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/block 7 again and again for 5m; check the nodes, as the chain is stalled/),
  });
});

test.each(['50000', '900'])('a chain that starts again passes again, from block %s too', (before) => {
  // Each of two nodes sends each block, one of them a block later.
  const rising = [1, 2, 3, 4, 5].flatMap((number) =>
    [number, number - 1].map((value) => ['block_data', 6 - number, String(value)] as const),
  );
  const judgement = judge(fold(['block_data', 300, before], ...rising)).block;
  expect(judgement).toMatchObject({ verdict: 'pass', reason: 'the stats server got block 5 1s ago' });
});

test('a stalled chain is seen although a node that was wiped repeats its first block', () => {
  // As real nodes sent them: each repeats its block.
  const repeated = [90, 60, 30, 1].flatMap((ago) => ['50000', '1'].map((value) => ['block_data', ago, value] as const));
  expect(judge(fold(['block_data', 300, '50000'], ...repeated)).block).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/gets block 50000 again and again for 5m/),
  });
});

test('history comes once for each start: an old one is not a fault, one from before the start is', () => {
  expect(judge(fold(['started', 590], ['history_data', 580], ['block_data', 1, '7'])).history.verdict).toBe('pass');
  expect(judge(fold(['history_data', 590], ['started', 300])).history).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/since the stats server started 5m ago \(02:41:40 UTC\)/),
  });
  expect(judge(fold(['history_data', 590], ['started', 46])).history).toMatchObject({
    verdict: 'unknown',
    reason: 'no node has sent its history since the stats server started 46s ago (02:45:54 UTC)',
  });
  expect(judge(fold(['history_data', 590], ['started', 300], ['history_data', 290])).history.verdict).toBe('pass');
});

test('the log of the container has no data lines, which is said', () => {
  for (const judgement of Object.values(judge(fold(['stdout_banner', 10]))))
    expect(judgement).toMatchObject({ verdict: 'unknown', reason: expect.stringContaining('logs/debug') });
});

test('an error in the log of the frontend fails for five minutes, and a refused request never', () => {
  const judgeAt = (pattern: string, means: 'error' | 'note', secondsAgo: number) => {
    const entry = {
      means,
      count: 1,
      at: NOW - secondsAgo * 1_000,
      order: 1,
      what: 'serve reports an error',
      own: false,
    };
    const facts = { logs: { sources: { container: source }, patterns: { [pattern]: entry } } };
    return judgeFrontendLog(aView(serviceTarget('frontend'), facts, { now: NOW })).verdict;
  };
  expect([judgeAt('serve_error', 'error', 299), judgeAt('serve_error', 'error', 300)]).toEqual(['fail', 'pass']);
  expect(judgeAt('http_4xx', 'note', 1)).toBe('pass');
});

test('an error of the run before is over once this run of the frontend has lasted for a minute, but an own pattern counts', () => {
  const judge = (ranMs: number, own: boolean, running = true) => {
    const boom = { means: 'error', count: 1, at: NOW - 90_000, order: 1, what: 'it broke', own } as const;
    const container = { id: 'a', running, status: running ? 'running' : 'exited', startedAt: NOW - ranMs } as const;
    const facts = {
      logs: { sources: { container: source }, patterns: { boom } },
      container: { observation: { kind: 'found', container } },
    } as unknown as Facts;
    return judgeFrontendLog(aView(serviceTarget('frontend'), facts, { now: NOW })).verdict;
  };
  expect([judge(59_999, false), judge(60_000, false), judge(90_000, false)]).toEqual(['fail', 'pass', 'fail']);
  expect([judge(60_000, true), judge(60_000, false, false)]).toEqual(['fail', 'fail']);
});
