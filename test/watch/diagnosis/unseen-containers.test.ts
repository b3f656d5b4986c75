import { expect, test } from 'vitest';
import type { Facts, KnownTarget } from '../../../src/model/facts.ts';
import type { LogSourceState } from '../../../src/model/log.ts';
import type { DockerFault } from '../../../src/model/observation.ts';
import { DEFAULT_SETTINGS, type LogFile } from '../../../src/model/target.ts';
import type { CheckState } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findHeadline } from '../../../src/watch/diagnosis/find-headline.ts';
import { diagnosed, diagnosedNode, NOW, named } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** A node that answers, and whose Docker Engine may not. */
function nodeOf(name: string, isUnseen: boolean, fault: Partial<DockerFault> = {}): KnownTarget {
  const node = diagnosedNode(name, NAMES, { peers: NAMES.filter((other) => other !== name) });
  const why = { address: 'unix:///var/run/docker.sock', code: 'ENOENT', ...fault } as const;
  const container = { restarts: 0, oomKills: 0, observation: { kind: 'docker-unreachable', why } as const };
  return isUnseen ? ({ ...node, facts: { ...node.facts, container } } as KnownTarget) : node;
}

const SUBNET = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS } as const;

/** The headline of a subnet whose first nodes have a Docker Engine that does not answer. */
function headlineOf(unseen: number, fault: Partial<DockerFault> = {}, logFiles: readonly LogFile[] = []) {
  const targets = NAMES.map((name, index) => {
    const { target, facts } = nodeOf(name, index < unseen, fault);
    return { target: { ...target, logFiles }, facts };
  });
  const judged = judgeTargets(targets, NOW);
  const subnet = { ...SUBNET, targets: targets.map(({ target }) => target) };
  const { problems, quorum } = diagnoseSubnet(subnet, judged, NO_PROBLEMS, NOW);
  return findHeadline('devnet', judged, problems, { quorum, hasRisen: true });
}

const WELL = 'devnet is healthy: it can lose 1 more node';
const VOTES = '4 of 4 masternodes can vote, 3 needed.';

test('a subnet that is well says which containers nobody can see', () => {
  expect(headlineOf(0)).toEqual({ standing: 'ok', sentence: WELL, detail: VOTES });
  expect(headlineOf(1)).toEqual({
    standing: 'ok',
    sentence: WELL,
    detail: `${VOTES} Docker does not answer, so 1 container and 1 log cannot be seen.`,
  });
  expect(headlineOf(4)).toEqual({
    standing: 'ok',
    sentence: WELL,
    detail: `${VOTES} Docker does not answer, so 4 containers and 4 logs cannot be seen.`,
  });
  // A log that is a file is read all the same.
  expect(headlineOf(4, {}, [{ path: '/n/xdc.log', timezone: 'UTC' }]).detail).toContain(
    'so 4 containers cannot be seen.',
  );
});

test('a subnet is not called healthy before each check has run, nor before each log has been read', () => {
  const told = (logs: Facts['logs'], first: Partial<CheckState> = {}) => {
    const targets = NAMES.map((name): KnownTarget => {
      const { target, facts } = nodeOf(name, false);
      return { target, facts: name === 'n2' ? { ...facts, logs } : facts };
    });
    const judged = judgeTargets(targets, NOW).map((state) => {
      const [check, ...checks] = state.checks;
      return state.target.name === 'n2'
        ? { ...state, checks: [{ ...check, ...first } as CheckState, ...checks] }
        : state;
    });
    const { quorum } = diagnoseSubnet(
      { ...SUBNET, targets: targets.map(({ target }) => target) },
      judged,
      NO_PROBLEMS,
      NOW,
    );
    return findHeadline('devnet', judged, [], { quorum, hasRisen: true });
  };
  const unread = {
    standing: 'ok',
    sentence: 'devnet is running: it can lose 1 more node',
    detail: `${VOTES} Still to be read: n2.`,
  };
  const withSource = (over: Partial<LogSourceState>) => ({
    sources: { container: { up: false, lines: 0, since: NOW, ...over } },
    patterns: {},
  });
  for (const logs of [undefined, { sources: {}, patterns: {} }, withSource({})]) expect(told(logs)).toEqual(unread);
  for (const over of [{ up: true }, { fault: { what: 'not-kept' } }] as const)
    expect(told(withSource(over)).sentence).toBe(WELL);
  const { logs } = nodeOf('n2', false).facts;
  // Who was not asked is not known to vote.
  const unasked = { sentence: 'devnet is running', detail: 'Still to be read: n2.' };
  expect(told(logs, { verdict: 'unknown', lastRun: undefined })).toEqual({ ...unread, ...unasked });
  expect(told(logs, { verdict: 'skipped', lastRun: undefined }).sentence).toBe(WELL);
  expect(told(logs, { verdict: 'unknown' }).sentence).toBe(WELL);
});

test('an engine that answers others, but not about one container in time, is not called silent', () => {
  expect(headlineOf(1, { code: 'timeout', answersOthers: true })).toEqual({
    standing: 'ok',
    sentence: WELL,
    detail: VOTES,
  });
});

test('a node whose container had ended when Docker last answered does not vote, until it answers again', () => {
  const told = (endedMs: number) => {
    const targets = NAMES.map((name) => {
      const { target, facts } = nodeOf(name, true);
      const isEnded = name === 'n3' || name === 'n4';
      const run = { id: name, startedAt: NOW - 3_600_000, restartCount: 0 };
      const ended = isEnded && { run, lastExit: { code: 0, at: NOW - endedMs } };
      return { target, facts: { ...facts, container: { ...facts.container, ...ended } } } as KnownTarget;
    });
    const subnet = { ...SUBNET, targets: targets.map(({ target }) => target) };
    return diagnoseSubnet(subnet, judgeTargets(targets, NOW), NO_PROBLEMS, NOW).headline;
  };
  // Each has answered just now.
  expect(told(0)?.sentence).toBe(WELL);
  expect(told(-1)).toMatchObject({
    sentence: 'devnet may be halted: 2 of 4 masternodes can vote, 3 needed',
    detail: /Docker does not answer, so 4 containers and 4 logs cannot be seen\.$/,
  });
});

test('a node that cannot be reached while Docker is silent waits for that first', () => {
  const { target, facts } = nodeOf('n2', true);
  const fault = { kind: 'unreachable', address: 'http://n2' } as const;
  const node = { ...facts.node, observation: { answered: false, latest: { ok: false, fault } } };
  const silent = { target, facts: { ...facts, logs: undefined, node } } as unknown as KnownTarget;
  const targets = [silent, ...['n1', 'n3', 'n4'].map((name) => nodeOf(name, false))];
  const found = diagnosed(targets).find(({ problem }) => problem === 'node_down');
  expect(found?.fix).toBe(
    'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too',
  );
});

test('a node that answers is not brought down with Docker for the sake of its log', () => {
  const { target, facts } = nodeOf('n2', true);
  const fault = { kind: 'no-committed' } as const;
  const node = { ...facts.node, observation: { answered: true, latest: { ok: false, fault } } };
  const young = { target, facts: { ...facts, logs: undefined, node } } as unknown as KnownTarget;
  const found = diagnosed([young, ...['n1', 'n3', 'n4'].map((name) => nodeOf(name, false))]);
  expect(found.find(({ problem }) => problem === 'node_without_block')?.fix).toBe(
    'wait a minute after its start; if other nodes commit blocks then, restart it when that is safe, and run `docker compose -p generated logs --tail 50 n2`',
  );
});

/** A node without peers whose container nobody knows, and which was started so long ago by its log. */
function lonely(agoMs: number | undefined): KnownTarget {
  const { target, facts } = diagnosedNode('n2', NAMES, { peers: [] });
  const { container: _, ...unseen } = target;
  const { container: __, ...others } = facts;
  const node = { height: 1_000, advancedAt: NOW - 2_000, ...(agoMs !== undefined && { startedAt: NOW - agoMs }) };
  return { target: unseen, facts: { ...others, logs: { sources: {}, patterns: {}, node } } } as KnownTarget;
}

test('a node whose container is not known has a minute from the start in its log to find its peers', () => {
  const rest = ['n1', 'n3', 'n4'].map((name) =>
    diagnosedNode(name, NAMES, { peers: NAMES.filter((one) => one !== name && one !== 'n2') }),
  );
  const ofLonely = (agoMs?: number) => named([lonely(agoMs), ...rest]).filter((one) => /n2|quorum/.test(one));
  expect(ofLonely(59_000)).not.toContain('node_partitioned n2');
  for (const agoMs of [60_000, undefined]) expect(ofLonely(agoMs)).toContain('node_partitioned n2');
});
