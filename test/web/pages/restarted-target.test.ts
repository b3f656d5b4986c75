import { expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { partOf } from '../../../src/tell/history/create-history.ts';
import { explainTargets } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { standingOf } from '../../../src/web/frame/marks.ts';
import { countStates, describeNow } from '../../../src/web/pages/target-rows.ts';
import { containerOf, diagnosedNode, diagnosedService, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { stateOf } from '../../support/snapshots.ts';

const AGO_MS = 46_000;

/** The target after its container was started so long ago, and what led to that. */
const restarted = (
  known: KnownTarget,
  lastRestartBy: ContainerFacts['lastRestartBy'],
  over: Partial<Container> = {},
): KnownTarget => {
  const container = containerOf(known.target.name, { startedAt: NOW - AGO_MS, ...over }) as ContainerFacts;
  const restart = { restarts: 1, lastRestartAt: NOW - AGO_MS, lastRestartBy };
  return { ...known, facts: { ...known.facts, container: { ...container, ...restart } } } as KnownTarget;
};

const shown = (known: KnownTarget) => {
  const [state] = judgeTargets([known], NOW);
  if (state === undefined) throw new Error('there is one');
  const verdict = state.checks.find(({ check }) => check === 'container')?.verdict;
  const { standing, word } = standingOf(state);
  return { verdict, standing, word, uptime: partOf(state), says: describeNow(state) };
};

test('a service that was restarted on request is well, and its row says that it was', () => {
  expect(shown(restarted(diagnosedService('frontend'), 'request'))).toEqual({
    ...{ verdict: 'fail', standing: 'ok', word: 'OK', uptime: 'ok' },
    says: 'the log of the frontend has shown no error for 5m; generated-frontend-1 was restarted on request 46s ago (02:45:54 UTC), by a person, a program or a start of Docker, and runs',
  });
  expect(shown(restarted(diagnosedService('frontend'), 'recreation')).says).toBe(
    'the log of the frontend has shown no error for 5m; generated-frontend-1 was recreated 46s ago (02:45:54 UTC), as `docker compose up` does after a change, and runs',
  );
});

test('so is a node, which says its height too', () => {
  expect(shown(restarted(diagnosedNode('n1', ['n1', 'n2']), 'request'))).toEqual({
    ...{ verdict: 'fail', standing: 'ok', word: 'OK', uptime: 'ok' },
    says: 'block 1,000, 1 peers; generated-n1-1 was restarted on request 46s ago (02:45:54 UTC), by a person, a program or a start of Docker, and runs',
  });
});

test('a service that does not answer yet after its start is starting', () => {
  const fault = { kind: 'status', status: 502 } as const;
  const known = restarted(diagnosedService('stats', { fault }), 'request', { startedAt: NOW - 2_000 });
  const [state] = judgeTargets([known], NOW).map((one) => ({
    ...one,
    checks: one.checks.map((check) => ({ ...check, lastRun: NOW })),
  }));
  expect(state && [standingOf(state), describeNow(state), countStates([state])]).toMatchObject([
    { standing: 'off', word: 'starting' },
    'the stats server was started 2s ago and does not answer as it should yet',
    '1 starting',
  ]);
});

test('one that has not been asked since its start is starting, whatever it answered before', () => {
  const known = restarted(diagnosedService('stats'), 'request', { startedAt: NOW - 2_000 });
  const [state] = judgeTargets([known], NOW);
  const askedAt = (lastRun: number | undefined) =>
    state && standingOf({ ...state, checks: state.checks.map((check) => ({ ...check, lastRun })) });
  expect(askedAt(NOW - 2_001)).toEqual({ standing: 'off', word: 'starting' });
  const unasked = state && { ...state, checks: state.checks.map((check) => ({ ...check, lastRun: NOW - 2_001 })) };
  expect(unasked && describeNow(unasked)).toBe('it has not been asked since its start');
  expect(askedAt(NOW - 2_000)).toMatchObject({ standing: 'ok', word: 'OK' });
  expect(askedAt(undefined)).toMatchObject({ standing: 'ok', word: 'OK' });
});

test('one that ended after its last answer is in an unknown state while Docker does not answer', () => {
  const known = diagnosedService('frontend');
  const why = { address: 'unix:///d.sock', code: 'ENOENT' } as const;
  const lastExit = { code: 0, at: NOW - 10_000 };
  const container = { ...known.facts.container, observation: { kind: 'docker-unreachable', why }, lastExit };
  const [state] = judgeTargets([{ ...known, facts: { ...known.facts, container } } as KnownTarget], NOW);
  const said = (lastRun: number) => {
    const asked = state && { ...state, checks: state.checks.map((check) => ({ ...check, lastRun })) };
    return asked && [standingOf(asked).word, describeNow(asked)];
  };
  expect(said(NOW - 10_001)).toEqual([
    'unknown',
    'Docker cannot be asked at unix:///d.sock, there is no such socket; install Docker or start it with `systemctl start docker`, or set docker.socketPath in the inventory to where it listens',
  ]);
  expect(said(NOW - 10_000)?.[0]).toBe('OK');
});

test('one that crashed, does not run, or fails otherwise is not well', () => {
  const bad = { standing: 'bad', word: 'fail', uptime: 'fail' };
  expect(shown(restarted(diagnosedService('frontend'), 'policy'))).toMatchObject(bad);
  const exited = { running: false, status: 'exited', exitCode: 0, finishedAt: NOW - 1_000 } as const;
  expect(shown(restarted(diagnosedService('frontend'), 'request', exited))).toMatchObject(bad);
  const fault = { kind: 'status', status: 502 } as const;
  const failing = shown(restarted(diagnosedService('frontend', { fault }), 'request'));
  expect(failing).toMatchObject(bad);
  expect(failing.says).toMatch(/^the frontend is unhealthy: /);
  expect(failing.says).not.toContain('restarted');
});

test('one whose container the inventory misnames does not fail, and says what to correct', () => {
  const known = diagnosedService('frontend');
  const container = { ...known.facts.container, observation: { kind: 'missing' } } as ContainerFacts;
  const [state] = stateOf([{ ...known, facts: { ...known.facts, container } }] as readonly KnownTarget[]).targets;
  expect(state?.checks.find(({ check }) => check === 'container')?.because?.problem).toBe('container_misnamed');
  expect(state && standingOf(state)).toMatchObject({ standing: 'warn', word: 'degraded' });
  expect(state && describeNow(state)).toContain('correct the container of frontend in the inventory');
});

test('one that a suspected problem names is being checked, unless that is only a finding', () => {
  const states = judgeTargets([diagnosedService('frontend'), diagnosedService('stats')], NOW);
  const problem: Problem = {
    ...{ problem: 'chain_forked', component: 'frontend', name: 'frontend', severity: 'critical', alert: '' },
    ...{ summary: 'it is forked', evidence: '', fix: '', explains: [], causes: [] },
    ...{ state: 'suspected', since: NOW, seenAt: NOW },
  };
  const rowsOf = (one: Problem) =>
    explainTargets(states, [one]).map((state) => [standingOf(state).word, describeNow(state)]);
  const well = (name: string) => ['OK', expect.stringContaining(name)];
  expect(rowsOf(problem)).toEqual([['checking', 'Suspected: it is forked'], well('stats')]);
  expect(rowsOf({ ...problem, severity: 'warning' })).toEqual(rowsOf(problem));
  expect(rowsOf({ ...problem, severity: 'info' })).toEqual([well('frontend'), well('stats')]);
  expect(rowsOf({ ...problem, state: 'clearing' })).toEqual([well('frontend'), well('stats')]);
});
