import { describe, expect, test } from 'vitest';
import type { Facts, KnownTarget, PatternFacts } from '../../../src/model/facts.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { PageObservation } from '../../../src/model/observation.ts';
import type { TargetState } from '../../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { toEndedProblem, toRestoredProblem } from '../../../src/tell/incidents/stored-incidents.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { containerOf, diagnosedService, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const STEP_MS = 5 * SECOND;

/** How long the fault lasts, and between two kills. */
const FAULT_MS = 8 * MINUTE;
const LOOP_MS = 8 * SECOND;

const noPage: PageObservation = { kind: 'no-page', why: 'unreachable' };
const withErrors: PageObservation = { kind: 'visited', consoleErrors: 2, exceptions: 0, failedRequests: 0 };
const well: PageObservation = { ...withErrors, consoleErrors: 0 };

/** What a browser saw; all times are in milliseconds since the fault began. */
type Visit = readonly [atMs: number, page: PageObservation];

const usual = diagnosedService('frontend');

const linesOf = (patterns: Readonly<Record<string, readonly [means: PatternFacts['means'], atMs: number]>>) => ({
  ...(usual.facts.logs as NonNullable<Facts['logs']>),
  patterns: Object.fromEntries(
    Object.entries(patterns).map(([name, [means, atMs]], order) => [
      name,
      { means, at: NOW + atMs, count: 3, order, what: 'the page could not be built', own: false },
    ]),
  ),
});

/** A frontend that ends every 8 s for as long as the fault lasts, and that Docker starts again 5 s later. */
function looping(ms: number, { code, pattern }: { readonly code: number; readonly pattern: string }): Facts {
  const last = Math.min(ms, FAULT_MS);
  const endedMs = last - (last % LOOP_MS);
  const startedMs = endedMs + 5 * SECOND;
  const container = containerOf('frontend', { startedAt: NOW + startedMs, restartCount: 3 });
  return {
    container: {
      ...(container as NonNullable<Facts['container']>),
      restarts: 3,
      lastRestartAt: NOW + startedMs,
      lastRestartBy: 'policy',
      earlierCrashes: [2, 1].map((loops) => NOW + startedMs - loops * LOOP_MS),
      lastExit: { code, at: NOW + endedMs },
      ...(code === 137 && { oomKills: 3, lastOomAt: NOW + endedMs }),
    },
    service: {
      observation: ms < FAULT_MS ? { ok: false, fault: { kind: 'refused', address: 'f' } } : { ok: true, value: {} },
    },
    logs: linesOf({ [pattern]: [code === 137 ? 'fatal' : 'error', endedMs] }),
  };
}

const outOfMemory = (ms: number) => looping(ms, { code: 137, pattern: 'build_killed' });
const failedBuilds = (ms: number) => looping(ms, { code: 1, pattern: 'build_failed' });

/** The frontend with the verdicts of its facts, and that of the last visit. */
function stateAt(ms: number, facts: Facts, visits: readonly Visit[]): TargetState {
  const [visitMs, observation] = visits.findLast(([at]) => at <= ms) ?? [0, well];
  const browser = { executablePath: '/usr/bin/chromium' };
  const target = { ...usual.target, browser } as KnownTarget['target'];
  const [judged] = judgeTargets([{ target, facts: { ...facts, page: { observation, errors: 1 } } }], NOW + ms);
  const { checks, ...state } = judged as TargetState;
  return {
    ...state,
    checks: checks.map((one) => (one.check === 'console' ? { ...one, lastRun: NOW + visitMs } : one)),
  };
}

/** What opened within this time, after how many seconds, and how the checks that fail in the end are read. */
function follow(untilMs: number, factsAt: (ms: number) => Facts, visits: readonly Visit[], before = NO_PROBLEMS) {
  let followed = before;
  let read: Readonly<Record<string, string>> = {};
  const opened: Record<string, number> = {};
  for (let ms = 0; ms <= untilMs; ms += STEP_MS) {
    const state = stateAt(ms, factsAt(ms), visits);
    const subnet = { name: 'devnet', consensus: 'XDPoS', targets: [state.target], settings: DEFAULT_SETTINGS };
    followed = diagnoseSubnet(subnet, [state], followed, NOW + ms);
    for (const { problem, state } of followed.problems) if (state !== 'suspected') opened[problem] ??= ms / SECOND;
    const [shown] = explainTargets([state], followed.problems, followed.ended);
    const failing = shown?.checks.filter(({ verdict }) => verdict === 'fail') ?? [];
    read = Object.fromEntries(failing.map((check) => [check.check, formatReason(check)]));
  }
  return { opened, read, ended: followed.ended };
}

describe('a page that was visited last while the build ran out of memory', () => {
  const during: Visit = [7 * MINUTE, noPage];
  /** When the failure was last found: a minute after the last start, the container has outlasted its loop. */
  const lastFoundMs = FAULT_MS + 60 * SECOND;
  const overMs = lastFoundMs + STEP_MS + MINUTE;

  test('is not a problem by itself when that is over, and says what was wrong then', () => {
    const { opened, read } = follow(FAULT_MS + 4 * MINUTE, outOfMemory, [during]);
    expect(opened).toEqual({ out_of_memory: 20 });
    expect(read.console).toBe(
      'the page of the frontend is unhealthy: nothing answers at its url as a web server does, because of a problem that is over: frontend ran out of memory',
    );
    // Its line is of the run before, and this one has lasted.
    expect(read.logs).toBeUndefined();
  });

  test('is all that stays explained: the container has been observed since', () => {
    const { read } = follow(overMs, outOfMemory, [during]);
    expect(read.console).toMatch(/because of a problem that is over/);
    expect(read.container).toMatch(
      /^generated-frontend-1 runs but restarted 2m ago \([\d:]+ UTC\), out of memory \(OOMKilled\); Docker has restarted it 3 times; raise its /,
    );
  });

  test('is forgotten once it passes', () => {
    const { opened, read, ended } = follow(FAULT_MS + 6 * MINUTE, outOfMemory, [during, [12 * MINUTE, well]]);
    expect([opened, read, ended]).toEqual([{ out_of_memory: 20 }, {}, []]);
  });

  test('is a problem when it fails at the next visit, for whatever is seen then', () => {
    const { opened, read } = follow(FAULT_MS + 5 * MINUTE, outOfMemory, [during, [12 * MINUTE, withErrors]]);
    expect(opened).toEqual({ out_of_memory: 20, frontend_errors: 12 * 60 + 30 });
    expect(read.console).toMatch(/^the page of the frontend has 2 errors on its console; open the page with /);
  });

  test('is a problem when a visit has failed since the cause was last found, as soon as that is over', () => {
    const openedAfter = (visitMs: number) =>
      follow(FAULT_MS + 4 * MINUTE, outOfMemory, [during, [visitMs, withErrors]]).opened.frontend_errors;
    expect(openedAfter(lastFoundMs)).toBeUndefined();
    expect(openedAfter(lastFoundMs + 1)).toBe((overMs + STEP_MS + 30 * SECOND) / SECOND);
  });
});

describe('an error line from a loop that is over', () => {
  test('is not a problem by itself, and fails its check until the run after the loop has lasted for a minute', () => {
    const { opened, read } = follow(FAULT_MS + 4.5 * MINUTE, failedBuilds, [[0, well]]);
    expect(opened).toEqual({ container_restarting: 30 });
    expect(read.logs).toBeUndefined();
  });

  test('hides no line that is printed later, of whatever pattern', () => {
    const newLineMs = FAULT_MS + 3.5 * MINUTE;
    const withLine = (pattern: string) => (ms: number) => {
      const facts = failedBuilds(ms);
      if (ms < newLineMs) return facts;
      return { ...facts, logs: linesOf({ build_failed: ['error', FAULT_MS], [pattern]: ['error', newLineMs] }) };
    };
    for (const pattern of ['build_failed', 'serve_error'])
      expect(follow(FAULT_MS + 4.5 * MINUTE, withLine(pattern), [[0, well]]).opened).toEqual({
        container_restarting: 30,
        frontend_errors: (newLineMs + 30 * SECOND) / SECOND,
      });
  });
});

test('an error line is explained after a restart of subnetd by the stored incident that was over or clearing before it', () => {
  const words = {
    summary: 'the frontend does not answer as it should',
    evidence: 'it answered HTTP 500',
    fix: 'read why',
  };
  const incident: Incident = {
    ...{ id: '1', subnet: 'devnet', problem: 'service_down', component: 'frontend', name: 'frontend' },
    ...{ severity: 'warning', alert: 'SubnetServiceDown', first: words, last: words, returns: 0 },
    ...{
      foundAt: NOW - 3 * MINUTE,
      startedAt: NOW - 2.5 * MINUTE,
      clearSince: NOW - 2 * MINUTE,
      endedAt: NOW - SECOND,
    },
    ...{ causes: [], effects: [], notified: [] },
  };
  const before = { problems: [], ended: [toEndedProblem(incident, NOW - SECOND)] };
  const seen = (lineMs: number) => (ms: number) => {
    // The log is read again some seconds after the start.
    const logs = ms < 10 * SECOND ? undefined : linesOf({ http_5xx: ['error', lineMs] });
    return { ...usual.facts, logs };
  };
  expect(follow(2 * MINUTE, seen(-2.5 * MINUTE), [], before)).toMatchObject({
    opened: {},
    read: {
      logs: expect.stringMatching(/because of a problem that is over: the frontend does not answer as it should$/),
    },
  });
  expect(follow(2 * MINUTE, seen(-1.5 * MINUTE), [], before).opened).toEqual({ frontend_errors: 40 });
  const { endedAt: _, ...clearing } = incident;
  const restored = {
    problems: [toRestoredProblem({ ...clearing, clearSince: NOW - MINUTE }, { now: NOW, toWall: Number })],
    ended: [],
  };
  expect(follow(2 * MINUTE, seen(-2.5 * MINUTE), [], restored).opened).toEqual({ service_down: 0 });
});
