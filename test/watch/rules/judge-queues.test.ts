import { describe, expect, test } from 'vitest';
import type { LogFacts, RelayerLogFacts, ServiceFacts } from '../../../src/model/facts.ts';
import type { RelayerQueue, ServiceObservation } from '../../../src/model/observation.ts';
import type { ServiceTarget } from '../../../src/model/target.ts';
import { readQueues } from '../../../src/watch/probes/service-prober.ts';
import { checkTable } from '../../../src/watch/rules/checks.ts';
import { foldService } from '../../../src/watch/rules/fold.ts';
import { judgeSubmissions } from '../../../src/watch/rules/judge-submissions.ts';
import { asRead, aView, serviceTarget, settings } from '../../support/views.ts';

const T0 = 10_000_000;
const MINUTE = 60_000;

const toQueue = (mode: RelayerQueue['mode'], counts: Partial<RelayerQueue> = {}): RelayerQueue => ({
  mode,
  isPaused: false,
  active: 0,
  waiting: 0,
  delayed: 0,
  completed: 0,
  failed: 0,
  ...counts,
});

/** The answer of a board whose queue FULL has these jobs, and the queue ZERO none. */
const answer = (counts: Partial<RelayerQueue>): ServiceObservation => ({
  ok: true,
  value: { queues: [toQueue('zero'), toQueue('full', counts)] },
});

/** The facts after answers at these minutes. */
const read = (...answers: readonly (readonly [minute: number, ServiceObservation])[]): ServiceFacts => {
  let facts: ServiceFacts | undefined;
  for (const [minute, seen] of answers) facts = foldService(facts, seen, { at: T0 + minute * MINUTE, settings });
  if (facts === undefined) throw new Error('nothing was read');
  return facts;
};

/** A relayer of which only the queues can be read. */
const target = serviceTarget('relayer');
const judge = (service: ServiceFacts, minute: number) =>
  asRead(judgeSubmissions(aView(target, { service }, { now: T0 + minute * MINUTE })));

const MORE = 'name its container or logFiles in the inventory, so that its log is read';

describe('a relayer of which only the queue board can be read', () => {
  test('is judged with its board, and one without a board is not judged', () => {
    const { kindOf, skippedBecause } = checkTable.submissions;
    const withLog: ServiceTarget = { ...target, logFiles: [{ path: '/relayer.log', timezone: 'UTC' }] };
    const { url: _, ...alone } = target;
    expect([target, withLog, alone].map(kindOf)).toEqual(['service', 'logs', 'logs']);
    expect(skippedBecause(target, settings)).toBeUndefined();
    expect(skippedBecause(alone, settings)?.seen).toBe(
      'the relayer has neither container nor logFiles in the inventory',
    );
  });

  test('passes with less to see while its jobs are completed', () => {
    expect(judge(read([0, answer({ delayed: 1, completed: 6 })]), 1)).toEqual({
      verdict: 'degraded',
      reason: `the queues of the relayer (FULL) show no failed job; whether it submitted blocks, only its log and its contract show; ${MORE}`,
    });
    const facts = read([0, answer({ delayed: 1, completed: 6 })], [1, answer({ delayed: 1, completed: 9 })]);
    expect(judge(facts, 3)).toEqual({
      verdict: 'degraded',
      reason: `the queues of the relayer (FULL) completed a job 2m ago; whether it submitted blocks, only its log and its contract show; ${MORE}`,
    });
  });

  test('fails when no job is completed within the limit of its mode', () => {
    const facts = read([0, answer({ completed: 6 })], [1, answer({ active: 1, waiting: 1, completed: 9, failed: 2 })]);
    expect(judge(facts, 5.9).verdict).toBe('degraded');
    expect(judge(facts, 6)).toEqual({
      verdict: 'fail',
      reason: `the queue FULL of the relayer has completed no job for 5m (limit 5m; 1 active, 1 waiting, 2 failed); restart its container; ${MORE}`,
    });
  });

  test('fails while its last jobs fail, and no longer when one is completed', () => {
    const [ok, bad] = [answer({ completed: 6, failed: 1 }), answer({ completed: 6, failed: 3 })];
    expect(judge(read([0, ok], [1, bad]), 2)).toEqual({
      verdict: 'fail',
      reason: `the last jobs of the queue FULL failed, as was seen 1m ago (02:47:40 UTC): 3 failed and 6 completed since its start; read its log, which should name why; ${MORE}`,
    });
    expect(judge(read([0, ok], [1, bad], [2, answer({ completed: 7, failed: 3 })]), 3).verdict).toBe('degraded');
    expect(judge(read([0, ok]), 1).verdict).toBe('degraded');
  });

  test('fails when it runs in no mode, a minute after its start', () => {
    const facts = read([0, answer({})], [0.5, answer({})]);
    expect(judge(facts, 0.9)).toEqual({
      verdict: 'unknown',
      reason:
        'the queues of the relayer are empty, as shortly after its start; wait up to a minute: it has just started',
    });
    expect(judge(facts, 1)).toEqual({
      verdict: 'fail',
      reason:
        'the queues of the relayer have been empty for 1m, so it runs in no mode; set PARENTNET_URL, PARENTNET_WALLET_PK and CHECKPOINT_CONTRACT in common.env, after deploying the checkpoint contract if there is none, and recreate the relayer',
    });
  });

  test('has time again after a start, which empties the queues', () => {
    const facts = read([0, answer({ completed: 60, failed: 5 })], [9, answer({ active: 1 })]);
    expect(facts.queues?.[1]).toEqual({ ...toQueue('full', { active: 1 }), since: T0 + 9 * MINUTE });
    expect(judge(facts, 10).verdict).toBe('degraded');
    expect(read([0, answer({ failed: 5 })], [9, answer({ active: 1 })]).queues?.[1]?.since).toBe(T0 + 9 * MINUTE);
  });

  test('is not judged while its board does not answer, and what it showed is kept', () => {
    const gone: ServiceObservation = { ok: false, fault: { kind: 'refused', address: 'http://127.0.0.1:5215' } };
    const facts = read([0, answer({ completed: 6 })], [1, gone]);
    expect(judge(facts, 2).verdict).toBe('unknown');
    expect(facts.queues?.[1]?.completed).toBe(6);
  });
});

describe('a relayer whose log is read too', () => {
  const withLog: ServiceTarget = { ...target, logFiles: [{ path: '/relayer.log', timezone: 'UTC' }] };
  const NOW = T0 + 10 * MINUTE;
  /** Its last cycle was done this long ago. */
  const logs = (doneMs: number, up = true): LogFacts => {
    const at = NOW - doneMs;
    const mode = { cycleAt: at, phase: 'done', phaseAt: at, submittedAt: at, attempted: false } as const;
    const relayer: RelayerLogFacts = { submissions: 9, submittedAt: at, modes: ['full'], byMode: { full: mode } };
    const fault = { what: 'denied', path: '/relayer.log', timezone: 'UTC' } as const;
    const source = { up, lines: 1, since: T0, ...(!up && { fault }) };
    return { sources: { file: source }, patterns: {}, relayer };
  };
  const judgeBoth = (service: ServiceFacts, log: LogFacts) =>
    asRead(judgeSubmissions(aView(withLog, { service, logs: log }, { now: NOW })));
  const failed = read([8, answer({ completed: 6 })], [9.5, answer({ completed: 6, failed: 2 })]);

  test('passes by its log alone while the queues agree', () => {
    const well = read([8, answer({ completed: 6 })], [9.5, answer({ completed: 8 })]);
    expect(judgeBoth(well, logs(10_000)).verdict).toBe('pass');
  });

  test('is degraded where its last jobs fail and the log shows no fault, unless a cycle ended well since', () => {
    expect(judgeBoth(failed, logs(40_000))).toEqual({
      verdict: 'degraded',
      reason: expect.stringMatching(
        /^the log of the relayer shows no fault, but the last jobs of the queue FULL failed, as was seen 30s ago \(02:56:10 UTC\): 2 failed and 6 completed since its start; .*, which should name why$/,
      ),
    });
    expect(judgeBoth(failed, logs(10_000)).verdict).toBe('pass');
    // Nor where the log had shown an error before the queues were read, 30 s ago.
    const withError = (beforeMs: number): LogFacts => {
      const at = NOW - 30_000 - beforeMs;
      const error = { means: 'error', count: 1, at, order: 1, what: 'it failed', own: false } as const;
      return { ...logs(40_000), patterns: { submit_other: error } };
    };
    expect(judgeBoth(failed, withError(60_000)).verdict).toBe('pass');
    expect(judgeBoth(failed, withError(60_001)).reason).toMatch(/^the log of the relayer shows no fault, but /);
    // Nor while a cycle goes on whose blocks were taken since.
    const submitting = (takenMs: number): LogFacts => {
      const log = logs(90_000);
      const mode = { cycleAt: NOW - 20_000, phase: 'attempt', phaseAt: NOW, attempted: true } as const;
      const full = { ...mode, startBlock: 218, advancedAt: NOW - takenMs };
      return { ...log, relayer: { submissions: 9, modes: ['full'], byMode: { full } } };
    };
    expect(judgeBoth(failed, submitting(40_000)).verdict).toBe('degraded');
    expect(judgeBoth(failed, submitting(10_000)).verdict).toBe('pass');
  });

  test('is judged by its queues while the log cannot be read', () => {
    const { verdict, reason } = judgeBoth(failed, logs(10_000, false));
    expect(verdict).toBe('fail');
    expect(reason).toBe(
      'the last jobs of the queue FULL failed, as was seen 30s ago (02:56:10 UTC): 2 failed and 6 completed since its start; read its log, which should name why; give the user of subnetd the right to read it, for example with setfacl -m u:1000:r',
    );
  });

  test('is not to be named in the inventory while its container is made anew, and its log is still to come', () => {
    const fault = { what: 'broken' } as const;
    const container = { restarts: 0, oomKills: 0, inspected: true, observation: { kind: 'missing' } } as const;
    const log = { ...logs(10_000), sources: { container: { up: false, lines: 1, since: T0, fault } } };
    const facts = { service: failed, logs: log, container };
    const made: ServiceTarget = { ...target, container: { name: 'relayer' } };
    expect(asRead(judgeSubmissions(aView(made, facts, { now: NOW })))).toEqual({
      verdict: 'unknown',
      reason: 'the log of the relayer cannot be read yet: its container does not run',
    });
  });

  test('fails when a queue with jobs is paused', () => {
    const paused = (counts: Partial<RelayerQueue>) => read([9.5, answer({ isPaused: true, ...counts })]);
    expect(judgeBoth(paused({ completed: 6, waiting: 3 }), logs(10_000))).toEqual({
      verdict: 'fail',
      reason: expect.stringMatching(
        /^the queue FULL of the relayer is paused, with 3 jobs waiting, so it submits nothing; restart its container, which begins with new queues; /,
      ),
    });
    expect(judgeBoth(paused({}), logs(10_000)).verdict).toBe('pass');
  });
});

test('the queues of the board are read by name; what is none is left out', () => {
  const counts = { waiting: 1, active: 0, completed: 6, failed: 0, delayed: 1, paused: 2 };
  expect(
    readQueues([{ name: 'FULL', counts, isPaused: true }, { name: 'MAILS', counts }, { name: 'LITE' }, null, 'ZERO']),
  ).toEqual([toQueue('full', { isPaused: true, waiting: 3, completed: 6, delayed: 1 })]);
  expect(readQueues([{ name: 'LITE', counts: { active: '1', failed: -2, completed: 1.5 } }])).toEqual([
    toQueue('lite'),
  ]);
});
