import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContainerFacts } from '../../../src/model/facts.ts';
import type { Container, ContainerObservation } from '../../../src/model/observation.ts';
import { findCrashes, findRestartCause, isLooping, isStoppedOnOrder } from '../../../src/model/restart-cause.ts';
import { foldContainer, foldContainerEvent } from '../../../src/watch/rules/fold-container.ts';

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

/** Folds inspections, one second apart, and events. */
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
    [
      'one that Docker counts before it has started is none yet',
      0,
      [running, ended({ status: 'restarting', restartCount: 1 })],
    ],
    [
      'one that Docker has counted before it started is one',
      1,
      [
        running,
        ended({ status: 'restarting', restartCount: 1 }),
        { ...running, startedAt: start + 500, restartCount: 1 },
      ],
    ],
    [
      'one that was stopped while it waited for its restart is none',
      0,
      [running, ended({ status: 'restarting', restartCount: 1 }), ended({ restartCount: 1 })],
    ],
    [
      'the first look at one that waits for its restart finds none',
      0,
      [ended({ status: 'restarting', restartCount: 1 })],
    ],
    [
      'two containers that take turns are one, for the first time that the other is seen',
      1,
      [
        running,
        { ...running, id: 'b', startedAt: start + 500 },
        running,
        { ...running, id: 'b', startedAt: start + 500 },
      ],
    ],
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
    [
      'a start by hand and one by the policy after it are two',
      2,
      [
        { ...running, restartCount: 4 },
        { ...running, startedAt: start + 500, restartCount: 1 },
      ],
    ],
    [
      'an older one of the same service, which ran on when the newer one was removed, is none',
      0,
      [running, { ...running, id: 'b', startedAt: start - 500 }],
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

  test('a start by the policy before the first inspection sets the last restart, but is not counted', () => {
    expect(fold({ ...running, restartCount: 2 })).toMatchObject({ restarts: 0, lastRestartAt: start });
  });
});

describe('out-of-memory kills', () => {
  const again = { ...running, startedAt: start + 150, restartCount: 1 };

  test.each<readonly [string, number, readonly Step[]]>([
    ['an event is one', 1, [running, event('oom', start + 40)]],
    ['an event before the first look is one', 1, [event('oom', start + 40), running]],
    ['a kill that makes two events is one', 1, [running, event('oom', start + 40), event('oom', start + 44)]],
    [
      'an event and the verdict on a run that Docker records up to a second later are one',
      1,
      [running, event('oom', start + 40), { ...oomEnded, startedAt: start + 1_040, finishedAt: start + 1_039 }],
    ],
    [
      'an event and the verdict on a run that began later than that are two',
      2,
      [running, event('oom', start + 40), { ...oomEnded, startedAt: start + 1_041, finishedAt: start + 1_100 }],
    ],
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

  test('is found by an inspection too, and not by an older event', () => {
    const looked = ended({ exitCode: 2, finishedAt: start + 200 });
    expect(fold(running, looked).lastExit).toEqual({ code: 2, at: start + 200 });
    expect(fold(running, looked, event('die', start + 100, 'a', 1)).lastExit).toEqual({ code: 2, at: start + 200 });
  });
});

test('while Docker cannot be asked all that is known stays', () => {
  const before = fold(running, { ...running, startedAt: start + 500 }, event('oom', start + 600));
  const after = foldContainer(before, unreachable, start + 9_000);
  expect(after).toEqual({ ...before, observation: unreachable, runsSince: undefined });
});

test('a run is known to run since the first inspection that found it so, and anew after its Docker Engine was silent', () => {
  const restarted = { ...running, startedAt: start + 4_500 };
  const steps = [running, running, unreachable, running, restarted, ended({})];
  const sinceOf = (count: number) => fold(...steps.slice(0, count)).runsSince;
  expect(steps.map((_, index) => sinceOf(index + 1))).toEqual([
    start + 1_000,
    start + 1_000,
    undefined,
    start + 4_000,
    start + 5_000,
    undefined,
  ]);
});

test('an event about none of these changes nothing', () => {
  const before = fold(running, event('oom', start + 40));
  expect(foldContainerEvent(before, event('pause', start + 50))).toBe(before);
});

/** What can happen to a container, by a person or by Docker; what cannot happen in its state does not. */
const happenings = [
  'die',
  'policy-start',
  'die-for-good',
  'stop',
  'start',
  'restart',
  'recreate',
  'kill-signal',
] as const;

/** What subnetd does after it. */
const reactions = ['look', 'two looks', 'old look', 'no look', 'docker down'] as const;

const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...happenings),
    reaction: fc.constantFrom(...reactions),
    areEventsTold: fc.boolean(),
    eventsFirst: fc.boolean(),
  }),
  { maxLength: 40 },
);

/** A container by Docker's own rules (moby daemon/monitor.go, container/container.go), with how often it has started. */
function createLife() {
  let container: Container = running;
  let now = start;
  let starts = 0;
  let events: ReturnType<typeof event>[] = [];
  const tell = (...actions: string[]) => {
    for (const action of actions)
      events.push(action === 'die' ? event('die', now, container.id, 1) : event(action, now, container.id));
  };
  const begin = (changes: Partial<Container>) => {
    now += 10;
    starts += 1;
    container = { ...container, running: true, status: 'running', startedAt: now, ...changes };
    tell('start');
  };
  const end = (status: string) => {
    now += 10;
    container = { ...container, running: false, status, finishedAt: now, exitCode: 1 };
    tell('die');
  };
  const isUp = () => container.status === 'running';
  const happen: Readonly<Record<(typeof happenings)[number], () => void>> = {
    die: () => {
      if (!isUp()) return;
      end('restarting');
      container = { ...container, restartCount: container.restartCount + 1 };
    },
    'policy-start': () => {
      if (container.status === 'restarting') begin({});
    },
    'die-for-good': () => {
      if (isUp()) end('exited');
    },
    stop: () => {
      if (!isUp()) return;
      tell('kill');
      end('exited');
      tell('stop');
    },
    start: () => {
      if (container.status === 'exited') begin({ restartCount: 0 });
    },
    restart: () => {
      happen.stop();
      begin({ restartCount: 0 });
      tell('restart');
    },
    recreate: () => {
      happen.stop();
      tell('destroy');
      begin({ id: `${container.id}+`, restartCount: 0 });
    },
    'kill-signal': () => tell('kill'),
  };
  return {
    happen: (what: (typeof happenings)[number]) => {
      events = [];
      now += 100;
      happen[what]();
      return { container, now, starts, events };
    },
  };
}

test('with an inspection in each state, every start but the first is counted once', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const life = createLife();
      let facts = fold(running);
      let old: Container = running;
      for (const { what, reaction, areEventsTold, eventsFirst } of history) {
        const { container, now, starts, events } = life.happen(what);
        const hear = () => {
          if (areEventsTold) facts = events.reduce(foldContainerEvent, facts);
        };
        const look = (seen: Container) => {
          facts = foldContainer(facts, { kind: 'found', container: seen }, now);
        };
        if (eventsFirst) hear();
        look(container);
        // The result of an earlier inspection may arrive after that of a later one.
        if (reaction === 'old look') look(old);
        if (reaction === 'two looks' || reaction === 'old look') look(container);
        if (reaction === 'docker down') facts = foldContainer(facts, unreachable, now);
        if (!eventsFirst) hear();
        old = container;
        expect(facts.restarts).toBe(starts);
      }
    }),
  );
});

test('restarts by the policy are all counted, and of others never more than there were', () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (history, onlyPolicy) => {
      const life = createLife();
      let facts = fold(running);
      let last = { container: running, now: start, starts: 0 };
      for (const { what, reaction, areEventsTold } of history) {
        const happened = onlyPolicy && what !== 'die' && what !== 'policy-start' ? 'kill-signal' : what;
        const { events, ...state } = life.happen(happened);
        if (areEventsTold) facts = events.reduce(foldContainerEvent, facts);
        const before = facts.restarts;
        if (reaction === 'look' || reaction === 'two looks')
          facts = foldContainer(facts, { kind: 'found', container: state.container }, state.now);
        if (reaction === 'docker down') facts = foldContainer(facts, unreachable, state.now);
        expect(facts.restarts).toBeGreaterThanOrEqual(before);
        expect(facts.restarts).toBeLessThanOrEqual(state.starts);
        last = state;
      }
      facts = foldContainer(facts, { kind: 'found', container: last.container }, last.now);
      if (onlyPolicy) expect(facts.restarts).toBe(last.starts);
      else if (last.starts > 0) expect(facts.restarts).toBeGreaterThan(0);
    }),
  );
});

describe('what led to a restart', () => {
  const again = { ...running, startedAt: start + 150 };
  const died = event('die', start + 100, 'a', 0);
  const ordered = [event('kill', start + 95), died, event('stop', start + 105)];

  test.each<readonly [string, string | undefined, readonly Step[]]>([
    ['no restart has no cause', undefined, [running, running]],
    ['a start by the policy follows a crash', 'crash', [running, died, { ...again, restartCount: 1 }]],
    ['it does without any event too', 'crash', [running, { ...again, restartCount: 1 }]],
    ['a start by hand after an ordered end was ordered', 'request', [running, ...ordered, again]],
    ['it was when the order is told after the start', 'request', [running, died, again, event('kill', start + 95)]],
    ['it was when the stream of events was broken', 'request', [running, again]],
    ['a start by hand after an end that nobody ordered follows a crash', 'crash', [running, died, again]],
    ['so it does when the end is told after the start', 'crash', [running, again, died]],
    [
      'one that waits for its restart after a crash, and is stopped then, is started on order',
      'request',
      [running, died, event('stop', start + 20_000), { ...again, startedAt: start + 30_000 }],
    ],
    [
      'it still was while it is stopped once more',
      'request',
      [
        ...[running, died, event('stop', start + 20_000), { ...again, startedAt: start + 30_000 }],
        event('kill', start + 90_000),
      ],
    ],
    [
      'an end that nobody ordered is not a cause of the restart after the next',
      'request',
      [
        running,
        died,
        again,
        event('kill', start + 60_000),
        event('die', start + 60_005, 'a', 137),
        {
          ...again,
          startedAt: start + 60_010,
        },
      ],
    ],
    ['a new container was recreated', 'recreation', [running, ...ordered, { ...again, id: 'b' }]],
    [
      'one that its policy has restarted since follows a crash',
      'crash',
      [running, { ...again, id: 'b', restartCount: 1 }],
    ],
  ])('%s', (_, cause, steps) => {
    expect(findRestartCause(fold(...steps))).toBe(cause);
  });

  test('a kill after a restart on order is one crash, not two', () => {
    const killed = [event('die', start + 6_500, 'a', 137), { ...again, startedAt: start + 6_510, restartCount: 1 }];
    const facts = fold(running, ...ordered, again, ...killed);
    expect(findCrashes(facts)).toEqual([start + 6_510]);
    expect(isLooping(facts, start + 7_000)).toBe(false);
  });

  test('a crash after a container was recreated is its first one, whatever crashed before', () => {
    const at = (id: string, ms: number, restartCount: number) => ({
      ...running,
      id,
      startedAt: start + ms,
      restartCount,
    });
    const recreated = [running, at('a', 1_000, 1), at('a', 2_000, 2), at('b', 3_000, 0)];
    expect(findCrashes(fold(...recreated))).toEqual([start + 1_000, start + 2_000]);
    const crashed = fold(...recreated, at('b', 3_500, 1));
    expect(findCrashes(crashed)).toEqual([start + 3_500]);
    expect(isLooping(crashed, start + 4_000)).toBe(false);
    expect(isLooping(fold(...recreated, at('b', 3_500, 1), at('b', 4_000, 2)), start + 4_500)).toBe(true);
  });

  test('an end that nobody ordered stays one when a later run is stopped on order', () => {
    const { unrequestedExit, unrequestedKill } = fold(
      running,
      event('die', start + 100, 'a', 137),
      event('stop', start + 60_000),
    );
    expect([unrequestedExit, unrequestedKill]).toEqual([
      { id: 'a', at: start + 100 },
      { id: 'a', at: start + 100 },
    ]);
    const { unrequestedExit: ordered } = fold(running, event('die', start + 100, 'a', 137), event('stop', start + 105));
    expect(ordered).toBeUndefined();
  });

  test('one that was stopped while it waited for its restart is stopped on order, and one of another id is not', () => {
    const ended = { ...running, running: false, status: 'exited', finishedAt: start + 100 } as const;
    const isOrdered = (id: string) =>
      isStoppedOnOrder(
        fold(running, event('die', start + 100, 'a', 1), event('stop', start + 20_000, id), ended),
        ended,
      );
    expect([isOrdered('a'), isOrdered('b')]).toEqual([true, false]);
  });

  test('a container that is missing was looked for, and one whose engine does not answer was not', () => {
    expect(fold({ kind: 'missing' }).inspected).toBe(true);
    expect(fold(unreachable).inspected).not.toBe(true);
  });

  test('requested restarts are not a loop, and crashes between them are remembered', () => {
    const at = (ms: number, restartCount: number) => ({ ...running, startedAt: start + ms, restartCount });
    const facts = fold(running, at(1_000, 1), at(2_000, 2), at(3_000, 0), at(4_000, 0));
    expect(findCrashes(facts)).toEqual([start + 1_000, start + 2_000]);
    expect(facts.restarts).toBe(4);
  });
});

test('a restart that Docker tells of after its start is the request from before, and one of which it told nothing before is new', () => {
  const stopped = foldContainerEvent(undefined, { action: 'kill', id: 'a', at: 1_000 });
  const tell = (facts: ContainerFacts, id: string, at: number) =>
    foldContainerEvent(facts, { action: 'restart', id, at }).lastStopRequest;
  expect(tell(stopped, 'a', 60_999)).toEqual({ id: 'a', at: 1_000, since: 1_000 });
  expect(tell(stopped, 'a', 61_000)).toEqual({ id: 'a', at: 61_000, since: 61_000 });
  expect(tell(stopped, 'b', 2_000)).toEqual({ id: 'b', at: 2_000, since: 2_000 });
});

test('a container takes as long to stop as from the first signal to its end, and its own end shows nothing of that', () => {
  const took = (...events: readonly (readonly [action: string, at: number])[]) =>
    events.reduce<ContainerFacts | undefined>(
      (facts, [action, at]) => foldContainerEvent(facts, { action, at, id: 'a', exitCode: 137 }),
      undefined,
    )?.stopTookMs;
  const slow = [
    ['kill', 1_000],
    ['kill', 11_000],
    ['die', 11_100],
    ['stop', 11_200],
  ] as const;
  expect(took(...slow)).toBe(10_100);
  expect(took(['kill', 1_000], ['die', 9_000], ['stop', 9_100])).toBe(8_000);
  // The next stop begins anew, however soon it is asked for.
  expect(took(...slow, ['start', 12_000], ['kill', 20_000], ['die', 20_500], ['stop', 20_600])).toBe(500);
  expect(took(...slow, ['start', 12_000], ['die', 40_000])).toBe(10_100);
  expect(took(['kill', 1_000], ['die', 1_100])).toBeUndefined();
});
