import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContainerFacts, LogState } from '../../../src/model/facts.ts';
import { createLogReader } from '../../../src/watch/logs/match/create-log-reader.ts';
import { createPatternCounters } from '../../../src/watch/logs/match/pattern-counters.ts';
import { packs } from '../../../src/watch/logs/packs.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';
import { foldNode } from '../../../src/watch/rules/fold-node.ts';
import { judgeLogBlock } from '../../../src/watch/rules/judge-log-block.ts';
import { asRead, aView, nodeTarget, runningSince } from '../../support/views.ts';

const START = Date.UTC(2026, 10, 21, 7, 0, 0);

type Line = readonly [seconds: number, text: string];
const imported = (seconds: number, height: number): Line => [
  seconds,
  `Imported new chain segment               blocks=1 txs=0 mgas=0.000 number=${height} hash=1a2b3c`,
];
const rising = (from: number, to: number, seconds: number): readonly Line[] =>
  Array.from({ length: to - from + 1 }, (_, index) => imported(seconds + 2 * index, from + index));

function read(...lines: readonly Line[]) {
  const counters = createPatternCounters(packs.node, []);
  let state: LogState = {};
  let now = START;
  const reader = createLogReader({
    pack: packs.node,
    own: [],
    timezone: 'UTC',
    now: () => now,
    onHit: (hit) => {
      counters.add({ ...hit, counted: true });
      state = foldLogHit('node', state, { ...hit, counted: true });
    },
  });
  for (const [seconds, text] of lines) {
    const at = START + seconds * 1_000;
    now = Math.max(now, at);
    const [, time = ''] = new Date(at).toISOString().split('T');
    const line = text.startsWith('Fatal') ? text : `INFO [11-21|${time.slice(0, 8)}] ${text}`;
    reader.read(line, 0, line.length);
  }
  return {
    height: state.node?.height,
    judge: (seconds: number) =>
      asRead(
        judgeLogBlock(
          aView(
            nodeTarget('subnet1'),
            {
              logs: {
                ...state,
                sources: { file: { up: true, lines: 1, since: START } },
                patterns: counters.read(),
              },
            },
            { now: START + seconds * 1_000 },
          ),
        ),
      ),
  };
}

test('the height of a wiped chain is followed from below without a line of its start, and the fall is reported', () => {
  const { height, judge } = read(...rising(1_100, 1_136, 0), ...rising(1, 30, 100));
  expect(height).toBe(30);
  expect(judge(160)).toMatchObject({
    verdict: 'pass',
    reason: expect.stringMatching(/is at block 30, .*after a fall from 1136 to 5 \d+s ago, as after a kill or a wipe/),
  });
  expect(judge(260)).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('has been 30') });
});

test('a head below that of before a start counts from the start, and is no fall once it is back', () => {
  const head = (seconds: number, number: number): Line => [
    seconds,
    `Loaded most recent local full block      number=${number} hash=024936..664ce5 td=1`,
  ];
  const started: Line = [200, 'Starting peer-to-peer node               instance=XDC/v2.7.0-beta'];
  expect(read(...rising(1_000, 1_018, 0), started, head(200, 795)).judge(201).reason).toBe(
    'the log of subnet1 is at block 795, which it reached 1s ago',
  );
  // A start at the same height is no progress.
  expect(read(...rising(1_000, 1_018, 0), started, head(200, 1_018)).judge(201).reason).toMatch(
    /has been 1018 for 2m 45s/,
  );
  const lost = read(...rising(1_000, 1_018, 0), started, ...rising(796, 810, 201));
  expect(lost.judge(230).reason).toMatch(/after a fall from 1018 to 800 21s ago, as after a kill or a wipe/);
  // A head below that is no end of this fall.
  expect(read(...rising(1_000, 1_018, 0), started, ...rising(796, 801, 201), head(220, 790)).judge(221).reason).toBe(
    'the log of subnet1 is at block 790, which it reached 1s ago',
  );
  expect(read(...rising(1_000, 1_018, 0), started, ...rising(796, 1_018, 201)).judge(646).reason).not.toMatch(/fall/);
});

test('what ended an earlier start is over for good once a later one has brought blocks for a minute', () => {
  const started: Line = [10, 'Starting peer-to-peer node               instance=XDC/v2.7.0-beta'];
  const full: Line = [0, 'Fatal: Failed to write block: write /work/xdcchain/000001.log: no space left on device'];
  const again: Line = [140, started[1]];
  const reasonWith = (blocks: number) => read(full, started, ...rising(1, blocks, 11), again).judge(150).reason;
  expect(reasonWith(31)).not.toMatch(/disk/);
  expect(reasonWith(30)).toMatch(
    /printed a line of the pattern disk_full 2m 30s ago \(07:00:00 UTC\): the disk of the node is full/,
  );
});

test('a fault in the log is of the run before as soon as somebody has started the node again', () => {
  const disk = { means: 'fatal', what: 'the disk is full', count: 1, at: START, order: 1, own: false } as const;
  const startedBy = (
    lastRestartBy: 'request' | 'recreation' | 'policy',
    afterMs = 20_000,
    file = false,
    clockAheadMs?: number,
  ) => {
    const source = { up: true, lines: 1, since: START };
    const logs = {
      ...{ node: { height: 9, advancedAt: START + 20_000 }, patterns: { disk_full: disk } },
      sources: { container: source, ...(file && { file: source }) },
      ...(clockAheadMs !== undefined && { clockAheadMs }),
    };
    const container = { ...runningSince(START + 20_000), lastRestartAt: START + afterMs, lastRestartBy };
    return judgeLogBlock(aView(nodeTarget('subnet1'), { logs, container }, { now: START + 23_000 })).verdict;
  };
  expect([startedBy('recreation'), startedBy('request'), startedBy('policy')]).toEqual(['pass', 'pass', 'fail']);
  // Docker dates its lines and its start by one clock, but the lines of a file may be dated by another.
  expect([startedBy('recreation', 1_001), startedBy('recreation', 1_000)]).toEqual(['pass', 'fail']);
  expect([startedBy('recreation', 5_001, true), startedBy('recreation', 5_000, true)]).toEqual(['pass', 'fail']);
  expect([1_000, -900, 2_000].map((ahead) => startedBy('recreation', 3_000, true, ahead))).toEqual([
    'fail',
    'pass',
    'fail',
  ]);
});

test('the height of a run before is not told again once the container of the next one is gone', () => {
  const logs = {
    node: { height: 294, advancedAt: START, level: 3 },
    ...{ sources: { file: { up: true, lines: 1, since: START } }, patterns: {} },
  };
  const now = START + 61_000;
  const said = (container: ContainerFacts) =>
    asRead(judgeLogBlock(aView(nodeTarget('subnet1'), { logs, container }, { now }))).reason;
  const run = (startedAt: number) => ({ id: 'c1', startedAt, restartCount: 0 });
  const gone = (startedAt?: number) =>
    said({
      ...{ restarts: 0, oomKills: 0, inspected: true, observation: { kind: 'missing' } },
      ...(startedAt !== undefined && { run: run(startedAt) }),
    });
  expect(said(runningSince(START + 15_000))).toBe('the log of subnet1 has shown no block yet, and has time to');
  expect(gone(START + 15_000)).toBe('the log of subnet1 has shown no block yet, and has time to');
  // It showed them in its last run, or nothing is known of that, as after a start of subnetd.
  for (const startedAt of [START - 15_000, undefined])
    expect(gone(startedAt)).toMatch(/^the height in the log of subnet1 has been 294 for 1m 1s/);
});

test('a node that was stopped and whose container runs again is not said to be stopped', () => {
  const ofStop = (startedAt: number) => {
    const logs = {
      ...{ node: { height: 9, advancedAt: START, stoppedAt: START + 2_000 }, patterns: {} },
      sources: { container: { up: true, lines: 1, since: START } },
    };
    const view = aView(nodeTarget('subnet1'), { logs, container: runningSince(startedAt) }, { now: START + 70_000 });
    return asRead(judgeLogBlock(view)).reason;
  };
  expect(ofStop(START + 1_000)).toBe('subnet1 was stopped 1m 8s ago (07:00:02 UTC), as its log says; start it again');
  expect(ofStop(START + 3_000)).not.toContain('stopped');
});

test('a young chain that was wiped is followed from below too', () => {
  expect(read(...rising(1, 60, 0), ...rising(1, 20, 200)).height).toBe(20);
});

test('single low numbers are no fall, however many come between heights of the chain', () => {
  const lines = rising(1_000, 1_030, 0).flatMap((line, index) => [line, imported(line[0], 10 + index)]);
  expect(read(...lines).height).toBe(1_030);
  // Also while the chain stands, and its votes are printed again and again.
  const standing = rising(10, 40, 100).flatMap((line) => [line, imported(line[0], 1_029)]);
  expect(read(...rising(1_000, 1_030, 0), ...standing).height).toBe(1_030);
});

test('four low heights are no fall yet, and neither are many that do not rise', () => {
  expect(read(...rising(1_000, 1_030, 0), ...rising(1, 4, 100)).height).toBe(1_030);
  const standing = Array.from({ length: 20 }, (_, index) => imported(100 + index, 7));
  expect(read(...rising(1_000, 1_030, 0), ...standing).height).toBe(1_030);
});

test('old lines that are read late, as of a copy that rotation made, are no fall', () => {
  expect(read(...rising(1_000, 1_030, 100), ...rising(900, 940, 0)).height).toBe(1_030);
});

test('of any two rising chains one after the other the last height is known', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 }), (first, second) => {
      const { height } = read(...rising(first, first + 20, 0), ...rising(second, second + 40, 100));
      expect(height).toBe(second + 40);
    }),
  );
});

test('a fatal line fails for the error window, although heights follow it', () => {
  const fatal: Line = [100, 'Fatal: Failed to unlock account 0 (could not decrypt key with given password)'];
  const lines = [...rising(1_000, 1_010, 0), fatal, ...rising(1_011, 1_200, 101)];
  expect(read(...lines).judge(399)).toMatchObject({
    verdict: 'fail',
    reason: expect.stringContaining('the key of the node cannot be unlocked'),
  });
  expect(read(...lines).judge(400)).toMatchObject({ verdict: 'pass' });
});

test('an error of a run before counts no more once the container has run for a minute, whether its log shows the start or not', () => {
  const disk = {
    count: 1,
    own: false,
    at: START,
    order: 1,
    means: 'error',
    counted: true,
    what: 'the disk of the node is full',
  } as const;
  const logs = {
    node: { level: 2 },
    sources: { container: { up: true, lines: 1, since: START } },
    patterns: { disk_full: disk },
  };
  const judge = (startedMs: number, ranForMs: number, status = 'running', risenMs?: number) => {
    const startedAt = START + startedMs;
    const now = startedAt + ranForMs;
    const container = runningSince(startedAt);
    if (container.observation?.kind === 'found')
      Object.assign(container.observation.container, { status, running: status === 'running' });
    const seen = (number: number) => ({ answered: true, latest: { ok: true, value: { number } } }) as const;
    const before =
      risenMs === undefined ? undefined : foldNode(undefined, seen(8), { at: startedAt, stallAfterMs: 60_000 });
    const node = before && foldNode(before, seen(9), { at: startedAt + (risenMs ?? 0), stallAfterMs: 60_000 });
    return judgeLogBlock(aView(nodeTarget('subnet1'), { logs, container, ...(node && { node }) }, { now })).verdict;
  };
  expect(judge(5_000, 59_999)).toBe('fail');
  expect(judge(5_000, 60_000)).toBe('degraded');
  expect(judge(-5_000, 60_000)).toBe('fail');
  expect(judge(5_000, 60_000, 'exited')).toBe('fail');
  // A block that its RPC has shown since the start says so at once.
  expect(judge(5_000, 9_000, 'running', 1)).toBe('degraded');
  expect(judge(5_000, 9_000, 'running', 0)).toBe('fail');
  expect(judge(-5_000, 9_000, 'running', 6_000)).toBe('fail');
  // The last lines of a flood are read when the next run has begun. Once that has brought blocks for a minute, they are not of it.
  expect(judge(-5_000, 59_999, 'running', 6_000)).toBe('fail');
  expect(judge(-5_000, 60_000, 'running', 6_000)).toBe('degraded');
  expect(judge(-5_000, 60_000, 'running', 4_000)).toBe('fail');
  expect(judge(-10_000, 60_000, 'running', 11_000)).toBe('fail');
});

test.each([
  [90_000, ', and its clock is 1m 30s ahead of ours', '; set its clock with chrony'],
  [-5_000, ', and its clock is 5s behind ours', '; set its clock with chrony'],
  [-4_999, '', ''],
  [
    -2 * 3_600_000 + 1_500,
    ', and the times in its log are 2h behind ours',
    '; correct timezone of its logFiles, or set its clock',
  ],
  [-2 * 3_600_000 + 60_000, ', and its clock is 1h 59m behind ours', '; set its clock with chrony'],
])('a clock that is ahead by %d ms is added to the reason, and does not fail the check', (clockAheadMs, seen, fix) => {
  const target = nodeTarget('subnet1');
  const logs = {
    node: { height: 7, advancedAt: START },
    clockAheadMs,
    sources: { file: { up: true, lines: 1, since: START } },
    patterns: {},
  };
  const judge = (seconds: number) => asRead(judgeLogBlock(aView(target, { logs }, { now: START + seconds * 1_000 })));
  expect(judge(10)).toEqual({
    verdict: 'pass',
    reason: `the log of subnet1 is at block 7, which it reached 10s ago${seen}${fix}`,
  });
  expect(judge(60)).toEqual({
    verdict: 'fail',
    reason: `the height in the log of subnet1 has been 7 for 1m${seen}; check its peers and whether two thirds of the nodes run, and read the log of the node subnet1${fix}`,
  });
});

test('where the clocks of other nodes differ from ours as that of one does, ours is to be set', () => {
  const logsAhead = (clockAheadMs: number) => ({
    ...{ node: { height: 7, advancedAt: START }, clockAheadMs, patterns: {} },
    sources: { file: { up: true, lines: 1, since: START } },
  });
  const judged = (...others: readonly number[]) => {
    const target = nodeTarget('subnet1');
    const known = others.map((ahead, index) => ({
      target: nodeTarget(`n${index}`),
      facts: { logs: logsAhead(ahead) },
    }));
    const logs = logsAhead(-120_000);
    const subnet = [{ target, facts: { logs } }, ...known];
    return judgeLogBlock({ ...aView(target, { logs }, { now: START }), subnet });
  };
  const ours = {
    seen: 'the log of subnet1 is at block 7, which it reached just now, and the clocks of this and other nodes are 2m behind ours',
    fix: 'set the clock of the machine on which subnetd runs, with chrony',
  };
  expect([judged(-121_000, -119_000, 0), judged(-118_000)]).toMatchObject([ours, ours]);
  for (const others of [[], [0], [-121_000, 0], [0, 0, -121_000, -121_000, -121_000]])
    expect(judged(...others).fix).toBe('set its clock with chrony');
});

test.each(['container', 'file'] as const)(
  'a node that has just started is not said to have shown no block for as long as its log is read: %s',
  (source) => {
    const logs = { node: { level: 3 }, sources: { [source]: { up: true, lines: 1, since: START } }, patterns: {} };
    const judge = (ranForMs: number) => {
      const now = START + 300_000;
      return asRead(
        judgeLogBlock(aView(nodeTarget('subnet1'), { logs, container: runningSince(now - ranForMs) }, { now })),
      );
    };
    expect(judge(5_000)).toEqual({
      verdict: 'unknown',
      reason: 'the log of subnet1 has shown no block yet, and has time to',
    });
    expect(judge(70_000)).toMatchObject({
      verdict: 'fail',
      reason: expect.stringMatching(/^the log of subnet1 has shown no block for 1m 10s/),
    });
    // Its log shows a start before Docker is asked again.
    const printed = { ...logs, node: { ...logs.node, startedAt: START + 292_000 } };
    const started = aView(
      nodeTarget('subnet1'),
      { logs: printed, container: runningSince(START) },
      { now: START + 300_000 },
    );
    expect(judgeLogBlock(started)).toMatchObject({
      seen: 'the log of subnet1 has shown no block yet, and has time to',
    });
  },
);

test('the height before a start is kept through its lines, and over a start that shows none', () => {
  const at = (seconds: number) => START + seconds * 1_000;
  const hit = (pattern: string, seconds: number, value?: string) =>
    ({ pattern, means: 'progress', at: at(seconds), counted: true, ...(value !== undefined && { value }) }) as const;
  const after = (...hits: readonly ReturnType<typeof hit>[]) =>
    hits.reduce<LogState>((state, one) => foldLogHit('node', state, one), {}).node;
  const first = [
    hit('imported_segment', 0, '7'),
    hit('log_level', 10, '3'),
    hit('started', 11),
    hit('node_started', 12),
  ];
  expect(after(...first)).toMatchObject({ heightBefore: 7, startedAt: at(11) });
  expect(after(...first)?.height).toBeUndefined();
  expect(after(...first, hit('imported_segment', 20, '9'), hit('started', 30))?.heightBefore).toBe(9);
  expect(after(hit('started', 11))?.heightBefore).toBeUndefined();
  expect(after(...first)?.failedFrom).toBe(at(10));
  const looping = [hit('imported_segment', 0, '7'), ...[10, 30, 50, 70].map((seconds) => hit('started', seconds))];
  expect(after(...looping)).toMatchObject({ startedAt: at(70), failedFrom: at(10) });
  expect(after(...looping, hit('imported_segment', 75, '8'), hit('started', 90))?.failedFrom).toBeUndefined();
  // At level 2 a node prints no more than these at a start, and the first only after a kill.
  for (const name of ['repaired_head', 'engine_started'])
    expect(after(hit('imported_segment', 0, '7'), hit(name, 90))).toMatchObject({ startedAt: at(90), heightBefore: 7 });
});

test('a start is that of the program itself right after a start, unless it was told to stop in between', () => {
  const at = (seconds: number) => START + seconds * 1_000;
  const after = (...hits: readonly (readonly [pattern: string, seconds: number])[]) =>
    hits.reduce<LogState>(
      (state, [pattern, seconds]) =>
        foldLogHit('node', state, { pattern, means: 'state', at: at(seconds), counted: true }),
      {},
    ).node?.startedAt;
  expect(after(['node_started', 0], ['engine_started', 40])).toBe(at(0));
  expect(after(['node_started', 0], ['stopped', 38], ['node_started', 40])).toBe(at(40));
});
