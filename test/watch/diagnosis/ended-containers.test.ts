import { describe, expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget, PatternFacts } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import { containerOf, diagnosed, diagnosedNode, diagnosedService, type Given, NOW } from '../../support/diagnosed.ts';

const SECOND = 1_000;

/** A relayer whose container is like this, and whose log has matched a pattern so long ago. */
function relayer(
  container: Partial<Container>,
  facts: Partial<ContainerFacts>,
  pattern?: readonly [name: string, agoMs: number, texts: Pick<PatternFacts, 'what' | 'fix'>],
): KnownTarget {
  const one = diagnosedService('relayer', { fault: { kind: 'refused', address: 'r' } });
  const [name = '', agoMs = 0, texts = { what: '' }] = pattern ?? [];
  const matched = { means: 'error', count: 3, at: NOW - agoMs, order: 1, own: false, ...texts } as const;
  return {
    ...one,
    facts: {
      ...one.facts,
      container: { ...(containerOf('relayer', container) as ContainerFacts), ...facts },
      logs: { sources: {}, patterns: pattern ? { [name]: matched } : {} },
    },
  };
}

const told = (one: KnownTarget, problem: string) => {
  const found = diagnosed([one]).find((each) => each.problem === problem);
  return [found?.evidence, found?.fix];
};

describe('a relayer that crashes again and again', () => {
  const runOf = (agoMs: number) => ({ id: 'relayer', startedAt: NOW - agoMs, restartCount: 3 });
  const looping = {
    run: runOf(2 * SECOND),
    runBefore: runOf(15 * SECOND),
    restarts: 3,
    lastRestartAt: NOW - 2 * SECOND,
    lastRestartBy: 'policy',
    earlierCrashes: [NOW - 30 * SECOND, NOW - 15 * SECOND],
  } as const;
  const empty = { what: 'CHECKPOINT_CONTRACT is empty', fix: 'set it in common.env' };
  const loop = (...pattern: NonNullable<Parameters<typeof relayer>[2]>) =>
    told(relayer({ startedAt: NOW - 2 * SECOND, restartCount: 3 }, looping, pattern), 'container_restarting');
  const readLog = 'read why it ended with `docker logs --tail 100 generated-relayer-1`';

  test('is told with what its log says, and the line that fixes it', () => {
    expect(loop('mode_unreadable', 6 * SECOND, empty)).toEqual([
      'generated-relayer-1 crashed at least 3 times within 10 minutes',
      'CHECKPOINT_CONTRACT is empty, as its log says: set it in common.env',
    ]);
  });

  test('is no longer told so after a start without that line', () => {
    expect(loop('mode_unreadable', 20 * SECOND, empty)).toEqual([
      'generated-relayer-1 crashed at least 3 times within 10 minutes',
      'CHECKPOINT_CONTRACT is empty, as its log says: set it in common.env',
    ]);
    expect(loop('mode_unreadable', 21 * SECOND, empty)).toEqual([
      'generated-relayer-1 crashed at least 3 times within 10 minutes',
      readLog,
    ]);
  });

  test('by lines that do not end it is to be looked up', () => {
    expect(loop('no_funds', 6 * SECOND, { what: 'the wallet is empty', fix: 'fund it' })[1]).toBe(readLog);
  });

  test('and was given up is told what to fix before its next start', () => {
    const down = relayer(
      { running: false, status: 'exited', exitCode: 1, finishedAt: NOW - 4 * SECOND, startedAt: NOW - 9 * SECOND },
      { run: runOf(9 * SECOND) },
      ['mode_unreadable', 5 * SECOND, empty],
    );
    expect(
      told(
        {
          ...down,
          facts: { ...down.facts, container: { ...down.facts.container, run: runOf(-SECOND) } as ContainerFacts },
        },
        'container_down',
      )[1],
    ).toBe(
      'start it with `docker start generated-relayer-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-relayer-1`',
    );
    expect(told(down, 'container_down')).toEqual([
      'generated-relayer-1 exited at 1970-01-01T02:46:36Z with code 1 (as a plain docker stop also does)',
      'CHECKPOINT_CONTRACT is empty, as its log says: set it in common.env, then start it with `docker start generated-relayer-1`',
    ]);
  });
});

test('a container that somebody stopped is told so, whatever its exit code', () => {
  const stopped = { running: false, status: 'exited', exitCode: 2, finishedAt: NOW - 4 * SECOND };
  const down = (facts: Partial<ContainerFacts>) => told(relayer(stopped, facts), 'container_down');
  expect(down({ lastStopRequest: { id: 'relayer', at: NOW - 4 * SECOND } })).toEqual([
    'generated-relayer-1 was stopped on request at 1970-01-01T02:46:36Z, by a person, a program or a stop of Docker',
    'start it with `docker start generated-relayer-1`',
  ]);
  expect(down({ lastStopRequest: { id: 'relayer', at: NOW - 9 * SECOND } })).toEqual([
    'generated-relayer-1 exited at 1970-01-01T02:46:36Z with code 2 (an error)',
    'start it with `docker start generated-relayer-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-relayer-1`',
  ]);
});

test('a container that does not run has ended when Docker says so, but one that is paused has not', () => {
  const finishedAt = NOW - 90 * SECOND;
  const begunAt = (container: Partial<Container>) => diagnosed([relayer({ ...container, finishedAt }, {})])[0]?.begunAt;
  expect(begunAt({ running: false, status: 'exited', exitCode: 1 })).toBe(finishedAt);
  expect(begunAt({ running: false, status: 'restarting', exitCode: 1 })).toBe(finishedAt);
  expect(begunAt({ running: true, status: 'paused' })).toBeUndefined();
});

describe('a command of Docker', () => {
  const NAMES = ['n1', 'n2', 'n3', 'n4'];
  const wake =
    'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too';
  const why = { address: 'unix:///var/run/docker.sock', code: 'timeout' } as const;
  /** n1 and n2 are stopped, or hang, and of n4 Docker has said nothing since, or that its engine was down for a moment. */
  const fixesOf = (n4: Partial<ContainerFacts>, engine?: string) => {
    const stopped = { running: false, status: 'exited', exitCode: 0, finishedAt: NOW - 4 * SECOND } as const;
    const nodes = NAMES.map((name): KnownTarget => {
      const isStopped = name === 'n1' || name === 'n2';
      const fault = isStopped ? { fault: { kind: 'refused', address: name } as const } : {};
      const { target, facts } = diagnosedNode(name, NAMES, { ...fault, ...(isStopped && { container: stopped }) });
      if (name !== 'n4') return { target, facts };
      const container = { ...(facts.container as ContainerFacts), ...n4 };
      return {
        target: { ...target, container: { ...target.container, engine } } as KnownTarget['target'],
        facts: { ...facts, container },
      };
    });
    const found = diagnosed(nodes).filter(({ problem }) => ['container_down', 'quorum_at_risk'].includes(problem));
    return found.map(({ name = '', fix }) => `${name}: ${fix}`);
  };
  const start = (name: string) =>
    `start it with \`docker start generated-${name}-1\`; if it ends again, read why it ended with \`docker logs --tail 100 generated-${name}-1\``;

  test('comes after Docker itself while that does not answer, also to bring back several', () => {
    const silent = { observation: { kind: 'docker-unreachable', why } } as const;
    expect(fixesOf(silent)).toEqual([
      `n1: ${wake}; if that is not enough, ${start('n1')}`,
      `n2: ${wake}; if that is not enough, ${start('n2')}`,
      `: bring back n1, n2: 1 more must vote; restart no other node; for each of n1 and n2: ${wake}`,
    ]);
    // Another engine.
    expect(fixesOf(silent, 'other').slice(0, 2)).toEqual([`n1: ${start('n1')}`, `n2: ${start('n2')}`]);
  });

  test('is not hurried while Docker ends, or has just started', () => {
    const downAt = (agoMs: number) => ({ engineDown: { from: NOW - agoMs, to: NOW - agoMs } });
    expect(fixesOf(downAt(2_000))[0]).toBe(
      `n1: if Docker itself ends or is restarted, wait until it runs again; else ${start('n1')}`,
    );
    expect(fixesOf(downAt(15_000))[0]).toBe(`n1: ${start('n1')}`);
  });
});

describe('a container that Docker was asked to stop', () => {
  const NAMES = ['n1', 'n2', 'n3', 'n4'];
  const asked = (agoMs: number, given: Given, id = 'n2') =>
    NAMES.map((name) => {
      const one = diagnosedNode(name, NAMES, name === 'n2' ? given : {});
      if (name !== 'n2') return one;
      const container = { ...one.facts.container, lastStopRequest: { id, at: NOW - agoMs } } as ContainerFacts;
      return { ...one, facts: { ...one.facts, container } };
    });
  const fault = { kind: 'not-json', looksLike: 'empty' } as const;
  const tell = (...given: Parameters<typeof asked>) =>
    diagnosed(asked(...given)).map(({ problem, name, summary, evidence, fix }) => [
      problem,
      name,
      summary,
      evidence,
      fix,
    ]);

  test('is being stopped once its program does not answer, and nothing else is said of its RPC', () => {
    expect(tell(3_000, { fault })).toEqual([
      [
        'container_down',
        'n2',
        'n2 is being stopped',
        'Docker was asked to stop generated-n2-1, which has not ended yet',
        'wait until it has ended: Docker kills what does not end within some seconds',
      ],
      expect.arrayContaining(['quorum_at_risk']),
    ]);
  });

  test('runs as long as it answers, and again when it has not ended in half a minute', () => {
    expect(tell(3_000, {})).toEqual([]);
    expect(tell(30_000, { fault })[0]?.slice(0, 2)).toEqual(['node_down', 'n2']);
    expect(tell(3_000, { fault }, 'before')[0]?.slice(0, 2)).toEqual(['node_down', 'n2']);
  });
});
