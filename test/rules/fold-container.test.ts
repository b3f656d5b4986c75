import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, ContainerObservation } from '../../src/model/observation.ts';
import { type ContainerFacts, foldContainer, foldContainerEvent } from '../../src/rules/fold-container.ts';

const start = 1_000_000;
const running: Container = {
  ...{ id: 'a', name: 'subnet1', running: true, status: 'running', oomKilled: false, restartCount: 0 },
  startedAt: start,
};
const unreachable: ContainerObservation = {
  kind: 'docker-unreachable',
  why: { address: 'unix:///var/run/docker.sock', code: 'timeout' },
};
const ended = (changes: Partial<Container>): Container => ({
  ...running,
  running: false,
  status: 'exited',
  ...changes,
});
const oomEnded = ended({ oomKilled: true, exitCode: 137, finishedAt: start + 50 });
const event = (action: string, at: number, id = 'a', exitCode?: number) =>
  exitCode === undefined ? { action, id, at } : { action, id, at, exitCode };

type Step = Container | ContainerObservation | ReturnType<typeof event>;

/** Folds looks, one second apart, and events. */
const fold = (...steps: readonly Step[]): ContainerFacts => {
  let facts: ContainerFacts | undefined;
  steps.forEach((step, index) => {
    if ('action' in step) facts = foldContainerEvent(facts, step);
    else
      facts = foldContainer(
        facts,
        'kind' in step ? step : { kind: 'found', container: step },
        start + (index + 1) * 1_000,
      );
  });
  if (facts === undefined) throw new Error('nothing to fold');
  return facts;
};

describe('restarts', () => {
  test.each<readonly [string, number, readonly Step[]]>([
    ['a container that goes on is none', 0, [running, running, running]],
    ['a container that ended is none yet', 0, [running, ended({ exitCode: 0 })]],
    ['a new start time of the same container is one', 1, [running, { ...running, startedAt: start + 500 }]],
    [
      'three starts by the policy between two looks are three',
      3,
      [running, { ...running, startedAt: start + 500, restartCount: 3 }],
    ],
    [
      'a start by hand sets the count of the policy back and is one',
      1,
      [
        { ...running, restartCount: 4 },
        { ...running, startedAt: start + 500, restartCount: 0 },
      ],
    ],
    ['a container recreated under a new id is one', 1, [running, { ...running, id: 'b', startedAt: start + 500 }]],
    [
      'one recreated that its policy restarted twice is three',
      3,
      [running, { ...running, id: 'b', startedAt: start + 500, restartCount: 2 }],
    ],
    [
      'one recreated and not started is none',
      0,
      [running, ended({ id: 'b', status: 'created', startedAt: undefined })],
    ],
    [
      'one recreated and then started is one',
      1,
      [
        running,
        ended({ id: 'b', status: 'created', startedAt: undefined }),
        { ...running, id: 'b', startedAt: start + 500 },
      ],
    ],
    ['the first start that is seen is none', 0, [{ kind: 'missing' }, running]],
    [
      'the first start of a created container is none',
      0,
      [ended({ status: 'created', startedAt: undefined }), running],
    ],
    ['starts by the policy before the first look are history', 0, [{ ...running, restartCount: 7 }]],
    ['and so they are when Docker could not be asked before', 0, [unreachable, { ...running, restartCount: 7 }]],
    [
      'a start while Docker could not be asked is one',
      1,
      [running, unreachable, { ...running, startedAt: start + 500 }],
    ],
    [
      'a container that went and came is one',
      1,
      [running, { kind: 'missing' }, { ...running, id: 'b', startedAt: start + 500 }],
    ],
  ])('%s', (_, restarts, steps) => {
    expect(fold(...steps).restarts).toBe(restarts);
  });

  test('the last one is when the container started, but never in the future', () => {
    expect(fold(running).lastRestartAt).toBeUndefined();
    expect(fold(running, { ...running, startedAt: start + 500 }).lastRestartAt).toBe(start + 500);
    expect(fold(running, { ...running, startedAt: start + 90_000 }).lastRestartAt).toBe(start + 2_000);
  });

  test('a start by the policy that the first look finds is one lately, though it is not counted', () => {
    expect(fold({ ...running, restartCount: 2 })).toMatchObject({ restarts: 0, lastRestartAt: start });
  });
});

describe('out-of-memory kills', () => {
  const again = { ...running, startedAt: start + 150, restartCount: 1 };

  test.each<readonly [string, number, readonly Step[]]>([
    ['an event is one', 1, [running, event('oom', start + 40)]],
    ['an event before the first look is one', 1, [event('oom', start + 40), running]],
    ['a kill that makes two events is one', 1, [running, event('oom', start + 40), event('oom', start + 44)]],
    ['two kills in one run are two', 2, [running, event('oom', start + 40), event('oom', start + 5_000)]],
    [
      'kills of two runs are two, however near',
      2,
      [
        ...[running, event('oom', start + 40), event('die', start + 60), event('start', start + 150)],
        event('oom', start + 190),
      ],
    ],
    ['a verdict of the inspection alone is one', 1, [running, oomEnded, oomEnded]],
    ['an event and the verdict on the same run are one', 1, [running, event('oom', start + 40), oomEnded]],
    [
      'also when the run was so short that Docker noted its start late',
      1,
      [
        running,
        event('start', start + 150),
        event('oom', start + 149),
        { ...oomEnded, startedAt: start + 152, finishedAt: start + 151 },
      ],
    ],
    [
      'the verdict and an event that comes late are one',
      1,
      [running, oomEnded, event('oom', start + 40), event('oom', start + 44)],
    ],
    ['the verdict and an event of the next run are two', 2, [running, oomEnded, again, event('oom', start + 5_000)]],
    [
      'verdicts on two runs are two',
      2,
      [running, oomEnded, { ...oomEnded, startedAt: start + 5_000, finishedAt: start + 6_000 }],
    ],
    [
      'a run that goes on with the verdict on the last one adds none',
      1,
      [running, event('oom', start + 40), { ...again, startedAt: start + 60_000, oomKilled: true }],
    ],
    ['a verdict that the first look finds is history', 0, [oomEnded, oomEnded]],
    ['an exit code of 137 is none', 0, [running, ended({ exitCode: 137, finishedAt: start + 50 })]],
    [
      'an event of the container that came after is one more',
      2,
      [running, event('oom', start + 40), event('oom', start + 300, 'b')],
    ],
  ])('%s', (_, oomKills, steps) => {
    expect(fold(...steps).oomKills).toBe(oomKills);
  });
});

describe('the last exit', () => {
  test('stays while the next run lasts', () => {
    const facts = fold(running, event('die', start + 100, 'a', 3), {
      ...running,
      startedAt: start + 150,
      restartCount: 1,
    });
    expect(facts.lastExit).toEqual({ code: 3, at: start + 100 });
  });

  test('is told by an inspection too, and not by an older event', () => {
    const looked = ended({ exitCode: 2, finishedAt: start + 200 });
    expect(fold(running, looked).lastExit).toEqual({ code: 2, at: start + 200 });
    expect(fold(running, looked, event('die', start + 100, 'a', 1)).lastExit).toEqual({ code: 2, at: start + 200 });
  });
});

test('while Docker cannot be asked all that is known stays', () => {
  const before = fold(running, { ...running, startedAt: start + 500 }, event('oom', start + 600));
  expect(foldContainer(before, unreachable, start + 9_000)).toEqual({ ...before, observation: unreachable });
});

test('an event that tells nothing of these changes nothing', () => {
  const before = fold(running, event('oom', start + 40));
  expect(foldContainerEvent(before, event('pause', start + 50))).toBe(before);
});

/** A life of a container: what happens to it, and whether it is looked at then. */
const lives = fc.array(
  fc.record({
    what: fc.constantFrom('policy-restart' as const, 'start-by-hand' as const, 'recreate' as const, 'nothing' as const),
    isLookedAt: fc.boolean(),
    isDockerDown: fc.boolean(),
  }),
  { maxLength: 30 },
);

test('with a look after each start every start but the first is counted, and never more than there were', () => {
  fc.assert(
    fc.property(lives, fc.boolean(), (life, always) => {
      let container = running;
      let starts = 0;
      let facts = foldContainer(undefined, { kind: 'found', container }, start);
      life.forEach(({ what, isLookedAt, isDockerDown }, index) => {
        const at = start + (index + 1) * 1_000;
        const startedAt = what === 'nothing' ? container.startedAt : at - 500;
        const restartCount =
          what === 'policy-restart' ? container.restartCount + 1 : what === 'nothing' ? container.restartCount : 0;
        const id = what === 'recreate' ? `${container.id}+` : container.id;
        container = { ...container, id, restartCount, ...(startedAt === undefined ? {} : { startedAt }) };
        if (what !== 'nothing') starts += 1;
        const before = facts.restarts;
        if (always || (isLookedAt && !isDockerDown)) facts = foldContainer(facts, { kind: 'found', container }, at);
        else if (isDockerDown) facts = foldContainer(facts, unreachable, at);
        expect(facts.restarts).toBeGreaterThanOrEqual(before);
      });
      if (always) expect(facts.restarts).toBe(starts);
      expect(facts.restarts).toBeLessThanOrEqual(starts);
    }),
  );
});
