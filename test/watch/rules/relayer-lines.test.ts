import { expect, test } from 'vitest';
import type { RelayerLogFacts } from '../../../src/model/facts.ts';
import type { LogHit } from '../../../src/model/log.ts';
import type { RelayerMode } from '../../../src/model/observation.ts';
import { foldRelayerLog } from '../../../src/watch/rules/fold-relayer-log.ts';

// What each line of a relayer makes of its facts, written out. Lines as they are printed: fold-relayer-log.test.ts.

type Line = readonly [pattern: string, at: number, more?: Partial<LogHit>];

const fold = (...lines: readonly Line[]): RelayerLogFacts => {
  const start: RelayerLogFacts = { byMode: {}, submissions: 0 };
  return lines.reduce<RelayerLogFacts>(
    (facts, [pattern, at, more]) =>
      foldRelayerLog(facts, { pattern, at, means: 'progress', counted: true, ...more } as LogHit),
    start,
  );
};
const error = (value?: string): Partial<LogHit> => ({ means: 'error', ...(value !== undefined && { value }) });

test.each<[string, RelayerMode]>([
  ['full_cycle', 'full'],
  ['lite_cycle', 'lite'],
  ['reverse_cycle', 'reverse_full'],
])('%s begins a cycle of the mode %s, and shows that it is on', (pattern, mode) => {
  const first = fold(['stopped', 1], ['exited', 2], [pattern, 3]);
  expect(first).toEqual({
    submissions: 0,
    modes: [mode],
    died: undefined,
    stoppedAt: undefined,
    byMode: { [mode]: { phase: 'cycle', phaseAt: 3, cycleAt: 3, attempted: false, hasCause: false } },
  });
  expect(fold([pattern, 3], [pattern, 9])).toMatchObject({ modes: [mode], byMode: { [mode]: { cycleAt: 9 } } });
});

test.each<[string, RelayerMode]>([
  ['zero_cycle', 'zero'],
  ['reverse_zero_cycle', 'reverse_zero'],
])('%s is the heartbeat of %s: done and on time, but no submission', (pattern, mode) => {
  const { byMode, submissions, submittedAt } = fold([pattern, 3]);
  expect(byMode[mode]).toMatchObject({ phase: 'done', phaseAt: 3, cycleAt: 3, submittedAt: 3, error: undefined });
  expect([submissions, submittedAt]).toEqual([0, undefined]);
});

test('a zero mode that waits does so since its contract is at the same block, until it delivers or has nothing to do', () => {
  const waits = (block: number, wanted = 50) => ({ value: `${wanted}, cscBlockNumber: ${block}` });
  const lines: readonly Line[] = [
    ['zero_cycle', 1],
    ['reverse_zero_cycle', 2],
    ['zero_waits', 3, waits(40)],
    ['zero_cycle', 11],
    ['zero_waits', 12, waits(40, 60)],
  ];
  const waited = fold(...lines);
  expect(waited.byMode.reverse_zero?.waits).toEqual({ since: 3, wanted: 50, block: 40 });
  expect(waited.byMode.zero?.waits).toEqual({ since: 12, wanted: 60, block: 40 });
  const again = fold(...lines, ['zero_cycle', 21], ['zero_waits', 22, waits(40, 60)]);
  expect(again.byMode.zero?.waits).toEqual({ since: 12, wanted: 60, block: 40 });
  expect(fold(...lines, ['zero_waits', 22, waits(41)]).byMode.zero?.waits).toMatchObject({ since: 22, block: 41 });
  for (const line of ['zero_idle', 'zero_delivered']) {
    const over = fold(...lines, [line, 22, { value: 'xdc-zero' }]).byMode;
    expect([over.zero?.waits, over.reverse_zero?.waits?.since]).toEqual([undefined, 3]);
  }
  expect(fold(...lines, ['zero_idle', 22, { value: 'reverse-xdc-zero' }]).byMode.reverse_zero?.waits).toBeUndefined();
});

test('the modes of the start are those that are known, and end what the start before died of', () => {
  const value = "'LITE', 'REVERSE_FULL', 'ZERO', 'REVERSE_ZERO', 'FULL', 'TURBO'";
  const { modes, startError } = fold(['no_contract', 1, { means: 'note' }], ['modes', 2, { value }]);
  expect(modes).toEqual(['lite', 'reverse_full', 'zero', 'reverse_zero', 'full']);
  expect(startError).toBeUndefined();
  expect(fold(['modes', 2, { value: '' }]).modes).toEqual([]);
  expect(fold(['modes', 2]).modes).toEqual([]);
});

test('a start forgets all but the count, the newest submission and the death of redis', () => {
  const before: readonly Line[] = [
    ['full_cycle', 1],
    ['full_submitted', 2],
    ['redis_exited', 3],
    ['fork', 4, error()],
    ['no_contract', 5, { means: 'note' }],
    ['exited', 6],
    ['stopped', 7],
  ];
  expect(fold(...before, ['started', 8])).toEqual({
    ...{ startedAt: 8, byMode: {}, submissions: 1, submittedAt: 2, redisDiedAt: 3 },
  });
  expect(fold(['started', 8])).toEqual({ startedAt: 8, byMode: {}, submissions: 0 });
});

test('the process and its redis end and begin', () => {
  expect(fold(['exited', 5]).died).toEqual({ at: 5 });
  expect(fold(['no_contract', 4, { means: 'note' }], ['exited', 5]).died).toEqual({ at: 5, because: 'no_contract' });
  expect(fold(['redis_exited', 5]).redisDiedAt).toBe(5);
  expect(fold(['redis_exited', 5], ['redis_started', 6]).redisDiedAt).toBeUndefined();
  expect(fold(['stopped', 5]).stoppedAt).toBe(5);
});

test('work is that of the reverse mode while its cycle has only begun, else that of the mode that writes to the parent', () => {
  const phases = (...lines: readonly Line[]) => {
    const { full, lite, reverse_full } = fold(...lines).byMode;
    return [full?.phase, lite?.phase, reverse_full?.phase];
  };
  for (const pattern of ['syncing', 'fetching']) {
    expect(phases([pattern, 1])).toEqual(['working', undefined, undefined]);
    expect(phases(['lite_cycle', 1], [pattern, 2])).toEqual([undefined, 'working', undefined]);
    expect(phases(['modes', 1, { value: "'LITE'" }], [pattern, 2])).toEqual([undefined, 'working', undefined]);
    expect(phases(['reverse_cycle', 1], [pattern, 2])).toEqual([undefined, undefined, 'working']);
    expect(phases(['reverse_cycle', 1], ['reverse_submitted', 2], [pattern, 3])).toEqual([
      'working',
      undefined,
      'done',
    ]);
  }
});

test.each<[string, RelayerMode]>([
  ['attempt', 'full'],
  ['lite_attempt', 'lite'],
  ['reverse_attempt', 'reverse_full'],
])('%s is one of %s, and shows that the one before was taken when it begins above that', (pattern, mode) => {
  const of = (...blocks: readonly (string | undefined)[]) =>
    fold(...blocks.map((value, index): Line => [pattern, index + 1, value === undefined ? {} : { value }])).byMode[
      mode
    ];
  expect(of(undefined)).toEqual({ phase: 'attempt', phaseAt: 1, attempted: true });
  expect(of('0')).toEqual({ phase: 'attempt', phaseAt: 1, attempted: true, startBlock: 0 });
  expect(of('7', '7')?.advancedAt).toBeUndefined();
  expect(of('7', '6')?.advancedAt).toBeUndefined();
  expect(of('7', '8')).toMatchObject({ startBlock: 8, advancedAt: 2 });
  expect(of('7', '8', '8')).toMatchObject({ startBlock: 8, advancedAt: 2 });
});

test('an error is over when an attempt begins above the one before, as the contract has taken that', () => {
  const errorOf = (second: string) =>
    fold(
      ['attempt', 1, { value: '188' }],
      ['contract_missing', 2, { means: 'error' }],
      ['attempt', 3, { value: second }],
    ).byMode.full?.error;
  expect(errorOf('188')).toEqual({ pattern: 'contract_missing', at: 2 });
  expect(errorOf('218')).toBeUndefined();
});

test('a success marker counts once for its mode, and one of before this process does not count', () => {
  for (const [pattern, mode] of [
    ['full_submitted', 'full'],
    ['reverse_submitted', 'reverse_full'],
  ] as const) {
    const failed = fold(['contract_missing', 1, error('SUBNET')], [pattern, 2]);
    expect(failed).toMatchObject({ submissions: 1, submittedAt: 2 });
    expect(failed.byMode[mode]).toMatchObject({ phase: 'done', phaseAt: 2, submittedAt: 2, attempted: false });
    expect(failed.byMode[mode]?.error).toBeUndefined();
    expect(fold([pattern, 2, { counted: false }])).toMatchObject({ submissions: 0, submittedAt: 2 });
  }
});

test('a lite cycle that ends has submitted only what it attempted', () => {
  const idle = fold(['lite_cycle', 1], ['lite_completed', 2]);
  expect(idle).toMatchObject({ submissions: 0, byMode: { lite: { phase: 'done', phaseAt: 2 } } });
  expect([idle.submittedAt, idle.byMode.lite?.submittedAt]).toEqual([undefined, undefined]);
  const busy = fold(['lite_cycle', 1], ['lite_attempt', 2], ['lite_completed', 3], ['lite_completed', 4]);
  expect(busy).toMatchObject({ submissions: 1, submittedAt: 3, byMode: { lite: { phaseAt: 4, submittedAt: 3 } } });
});

test.each<[string, string | undefined, RelayerMode]>([
  ['job_failed', 'full relayer', 'full'],
  ['job_failed', 'lite relayer', 'lite'],
  ['job_failed', 'full reverse relayer', 'reverse_full'],
  ['job_failed', 'xdc-zero', 'zero'],
  ['job_failed', 'reverse-xdc-zero', 'reverse_zero'],
  ['job_failed', 'another job', 'full'],
  ['contract_missing', 'SUBNET', 'reverse_full'],
  ['contract_missing', 'PARENTNET', 'full'],
  ['proof_unreadable', 'SUBNET', 'zero'],
  ['parent_head_unreadable', 'PARENTNET', 'reverse_full'],
  ['reverse_contract_unreadable', undefined, 'reverse_full'],
  ['reverse_mode_unreadable', undefined, 'reverse_full'],
])('the error %s of %s is one of the mode %s', (pattern, value, mode) => {
  const { byMode } = fold([pattern, 5, error(value)]);
  expect(Object.keys(byMode)).toEqual([mode]);
  expect(byMode[mode]).toMatchObject({ phase: 'failed', phaseAt: 5, error: { pattern, at: 5 } });
  expect(byMode[mode]?.hasCause).toBe(pattern !== 'job_failed');
});

test('what keeps a relayer from starting is known by its error, and by a note that fails no mode', () => {
  for (const pattern of [
    'unreachable_at_start',
    'wrong_contract',
    'no_contract',
    'mode_unreadable',
    'redis_unreachable',
  ]) {
    expect(fold([pattern, 5, error()])).toMatchObject({ startError: pattern, byMode: { full: { phase: 'failed' } } });
    expect(fold([pattern, 5, { means: 'note' }])).toEqual({ byMode: {}, submissions: 0, startError: pattern });
  }
  expect(fold(['contract_missing', 5, error()]).startError).toBeUndefined();
  expect(fold(['something', 5, { means: 'note' }])).toEqual({ byMode: {}, submissions: 0 });
});

test('a fork fails the mode that writes to the parent, and is known by its time', () => {
  expect(fold(['fork', 5, error()])).toMatchObject({
    forkAt: 5,
    byMode: { full: { error: { pattern: 'fork', at: 5 } } },
  });
});
