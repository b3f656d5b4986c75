import { describe, expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget, Progress } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { ParentFacts } from '../../../src/model/parent-chain.ts';
import { isAboutOthers, type Problem, type Suspicion } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { restoreProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import {
  containerOf,
  diagnosed,
  diagnosedNode,
  diagnosedService,
  listCauses,
  NOW,
  SUBNET,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];

/** A target whose container ended so long ago, and that Docker has started again since, or is about to. */
function crash(
  one: KnownTarget,
  agoMs: number,
  { code = 137, ...over }: Partial<ContainerFacts> & { readonly code?: number } = {},
  container: Partial<Container> = {},
): KnownTarget {
  const { name } = one.target;
  const at = NOW - agoMs;
  const run = { id: name, startedAt: at + 200, restartCount: 1 };
  const facts: ContainerFacts = {
    ...(containerOf(name, { startedAt: at + 200, restartCount: 1, ...container }) as ContainerFacts),
    restarts: 1,
    run,
    runBefore: { id: name, startedAt: 0, restartCount: 0 },
    lastRestartAt: at + 200,
    lastRestartBy: 'policy',
    lastExit: { code, at },
    ...over,
  };
  return { ...one, facts: { ...one.facts, container: facts } };
}

const node = (name: string) => diagnosedNode(name, NAMES);
const waiting = (one: KnownTarget, agoMs: number) => {
  const { lastRestartAt: _, lastRestartBy: __, ...facts } = crash(one, agoMs).facts.container as ContainerFacts;
  const container = containerOf(one.target.name, {
    running: false,
    status: 'restarting',
    restartCount: 1,
    exitCode: 137,
  });
  return { ...one, facts: { ...one.facts, container: { ...facts, ...container } } } as KnownTarget;
};

const told = (targets: readonly KnownTarget[]) =>
  diagnosed(targets).map(({ problem, name, summary, evidence, fix }) => [problem, name, summary, evidence, fix]);
const named = (...targets: readonly KnownTarget[]) =>
  told(targets).map(([problem, name]) => (name === undefined ? problem : `${problem} ${name}`));

describe('containers that crash within seconds of each other', () => {
  test('are one problem that names all of them, and says what to look for', () => {
    const all = NAMES.map((name, index) => crash(node(name), 15_000 + index * 300));
    expect(told(all)).toEqual([
      [
        'containers_crashed',
        undefined,
        'the containers of all 7 nodes crashed within 2s of each other',
        'all 7 nodes ended with exit code 137 within 2s, 15s ago (02:46:25 UTC), which nobody had requested',
        'all have started again; look for what they share: the memory and the disk of their machine, Docker, or a block that they all received; for n1: read why it ended with `docker logs --tail 100 generated-n1-1`',
      ],
    ]);
  });

  test('are told with one that had been killed by itself minutes before, but not with one that has crashed twice before', () => {
    const again = (...earlierCrashes: readonly number[]) => [
      crash(node('n1'), 15_000, { code: 0, earlierCrashes }),
      ...NAMES.slice(1, 4).map((name) => crash(node(name), 15_000, { code: 0 })),
      ...NAMES.slice(4).map(node),
    ];
    expect(told(again(NOW - 95_000)).map(([problem, , summary]) => [problem, summary])).toEqual([
      ['containers_crashed', 'the containers of n1, n2, n3 and n4 crashed within 1s of each other'],
    ]);
    expect(named(...again(NOW - 95_000, NOW - 55_000)).toSorted()).toEqual([
      'containers_crashed',
      'silent_restart_loop n1',
    ]);
  });

  test('of those that crashed last the first in the inventory is the one whose log is to be read', () => {
    const agoMs = [15_000, 14_000, 40_000, 39_000];
    const all = NAMES.map((name, index) => (agoMs[index] ? crash(node(name), agoMs[index]) : node(name)));
    const [[, , summary, , fix] = []] = told(all);
    expect(summary).toBe('the containers of n1 and n2 crashed within 1s of each other');
    expect(fix).toContain('; for n1: read why it ended');
  });

  test('are told as such when it happens to them once more minutes later', () => {
    const again = (agoMs: number) =>
      NAMES.map((name) => crash(node(name), 15_000, { code: 0, earlierCrashes: [NOW - agoMs] }));
    expect(told(again(460_000)).map(([problem, , summary]) => [problem, summary])).toEqual([
      ['containers_crashed', 'the containers of all 7 nodes crashed within 1s of each other'],
    ]);
    expect(named(...again(100_000))).not.toContain('containers_crashed');
  });

  describe('as an event', () => {
    const ALL = 'the containers of all 7 nodes crashed within 1s of each other';
    const openSince = (problem: Suspicion | undefined, agoMs: number) =>
      ({
        ...{ ...problem, severity: 'warning', alert: 'SubnetContainersCrashed', state: 'open' },
        ...{ since: NOW - agoMs, openedAt: NOW - agoMs, seenAt: NOW - 1_000 },
      }) as Problem;
    const followed = (all: readonly KnownTarget[], ...problems: readonly Problem[]) => {
      const targets = all.map(({ target }) => target);
      const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
      return diagnoseSubnet(subnet, judgeTargets(all, NOW), { problems, ended: [] }, NOW).problems.filter(
        ({ problem }) => problem === 'containers_crashed',
      );
    };
    const wordsOf = (problems: readonly Problem[]) =>
      problems.map(({ state, since, summary }) => [state, NOW - since, summary]);
    const some = NAMES.map((name, index) =>
      index < 2
        ? crash(node(name), 2_000, { code: 0, earlierCrashes: [NOW - 239_800] })
        : crash(node(name), 240_000, { code: 0 }),
    );

    test('are another problem when it happens again, with a begin of its own', () => {
      const known = openSince(diagnosed(NAMES.map((name) => crash(node(name), 240_000)))[0], 239_000);
      const again = followed(some, known);
      const ofTwo = 'the containers of n1 and n2 crashed within 1s of each other';
      expect(wordsOf(again)).toEqual([
        ['clearing', 239_000, ALL],
        ['suspected', 0, ofTwo],
      ]);
      // The checks of those that crashed before have the words of then.
      const { explains, nodes } = again[1] as Problem;
      expect([explains.map(({ name }) => name), nodes]).toEqual([
        ['n1', 'n2'],
        ['n1', 'n2'],
      ]);
      // After a restart of subnetd as well.
      const stored = { ...known, restoredAt: NOW };
      expect(wordsOf(followed(some, ...restoreProblems(followed(some), [stored])))).toEqual([
        ['open', 239_000, ALL],
        ['suspected', 0, ofTwo],
      ]);
      expect(followed(some, ...again.map((one) => ({ ...one, seenAt: NOW }))).map(({ about }) => about)).toEqual(
        again.map(({ about }) => about),
      );
    });

    test('keep their words when one of them ends once more minutes later', () => {
      const known = openSince(diagnosed(NAMES.map((name) => crash(node(name), 240_000, { code: 0 })))[0], 240_000);
      // Of its end then only the start after it is known.
      const later = NAMES.map((name) =>
        name === 'n7'
          ? crash(node(name), 2_000, { code: 0, earlierCrashes: [NOW - 238_200] })
          : crash(node(name), 240_000, { code: 0 }),
      );
      const words = ({ summary, evidence }: Pick<Problem, 'summary' | 'evidence'>) => [summary, evidence];
      expect(followed(later, known).map(words)).toEqual([words(known)]);
    });

    test('are one problem until the last of them is not found any more', () => {
      const [known] = diagnosed(NAMES.map((name, place) => (place < 2 ? crash(node(name), 9_000) : node(name))));
      const left = NAMES.map((name, place) => (place === 1 ? crash(node(name), 130_000) : node(name)));
      const ofBoth = 'the containers of n1 and n2 crashed within 1s of each other';
      expect(wordsOf(followed(left, openSince(known, 127_000)))).toEqual([['open', 127_000, ofBoth]]);
      const restored = { ...openSince(known, 130_000), restoredAt: NOW - 4_000 };
      expect(wordsOf(followed(left, restored))).toEqual([['open', 130_000, ofBoth]]);
    });

    test('are one problem while more nodes crash within half a minute', () => {
      const first = NAMES.slice(0, 2).map((name) => crash(node(name), 63_000));
      const [found] = diagnosed([...first, ...NAMES.slice(2).map(node)]);
      const known = openSince(found, 63_000);
      const more = (agoMs: number) => [
        ...NAMES.slice(2, 4).map((name) => crash(node(name), agoMs)),
        ...NAMES.slice(4).map(node),
      ];
      const withMore = (agoMs: number) => followed([...first, ...more(agoMs)], known);
      expect(withMore(33_000).map(({ state, about }) => [state, about])).toEqual([['open', known.about]]);
      expect(withMore(1_000).map(({ state }) => state)).toEqual(['clearing', 'suspected']);
      // So they are when those of the first are not found any more.
      const late = followed([...NAMES.slice(0, 2).map(node), ...more(34_000)], known);
      expect(late.map(({ state, about }) => [state, about])).toEqual([['open', known.about]]);
    });

    test('are the same when subnetd was restarted, and knows their end by Docker only', () => {
      const found = (agoMs: number) => diagnosed(NAMES.map((name) => crash(node(name), agoMs)))[0];
      const isOther = (ms: number) => isAboutOthers(found(200_000), found(200_000 - ms));
      expect([isOther(1_000), isOther(30_000), isOther(60_000)]).toEqual([false, false, true]);
    });
  });

  test('are told with those that Docker has not started again yet, and with services', () => {
    const some = [
      waiting(node('n1'), 2_000),
      crash(node('n2'), 3_000, { code: 0 }),
      ...NAMES.slice(2).map(node),
      crash(diagnosedService('stats'), 4_000, { code: 0 }),
    ];
    expect(told(some)[0]).toEqual([
      'containers_crashed',
      undefined,
      'the containers of n1, n2 and stats crashed within 2s of each other',
      'n1, n2 and stats ended within 2s, 2s ago (02:46:38 UTC), which nobody had requested',
      '2 of 3 have started again; look for what they share: the memory and the disk of their machine, Docker, or a block that they all received; for n1: read why it ended with `docker logs --tail 100 generated-n1-1`',
    ]);
  });

  test('run again, whatever one of them does minutes later', () => {
    const paused = crash(node('n2'), 120_000, { code: 0 }, { status: 'paused' });
    const silent = diagnosedNode('n2', NAMES, { fault: { kind: 'refused', address: 'n2' } });
    const removed = crash(silent, 120_000, { code: 0, observation: { kind: 'missing' } });
    for (const second of [paused, removed]) {
      const all = [crash(node('n1'), 120_000, { code: 0 }), second, crash(node('n3'), 120_000, { code: 0 })];
      const crashed = told([...all, ...NAMES.slice(3).map(node)]).find(([problem]) => problem === 'containers_crashed');
      expect(crashed?.slice(2, 5)).toEqual([
        'the containers of n1, n2 and n3 crashed within 1s of each other',
        'n1, n2 and n3 ended with exit code 0 (which the container of a node does even when its process died of a fatal error) within 1s, 2m ago (02:44:40 UTC), which nobody had requested',
        expect.stringMatching(/^all have started again; /),
      ]);
    }
  });

  test('are all told, also those that somebody has restarted or stopped since', () => {
    const handled = (one: KnownTarget, over: Partial<ContainerFacts>, container: Partial<Container> = {}) =>
      crash(one, 2_000, { earlierCrashes: [NOW - 14_800], lastRestartBy: 'request', ...over }, container);
    const stopped = crash(
      node('n1'),
      15_000,
      { lastExit: { code: 0, at: NOW - 2_000 }, lastStopRequest: { id: 'n1', at: NOW - 2_000 } },
      { running: false, status: 'exited', exitCode: 0, finishedAt: NOW - 2_000 },
    );
    const all = [stopped, handled(node('n2'), {}), ...NAMES.slice(2).map((name) => crash(node(name), 15_000))];
    const [crashed] = told(all).filter(([problem]) => problem === 'containers_crashed');
    expect(crashed?.slice(2, 4)).toEqual([
      'the containers of all 7 nodes crashed within 1s of each other',
      'all 7 nodes ended with exit code 137 within 1s, 15s ago (02:46:25 UTC), which nobody had requested',
    ]);
    const before = handled(node('n2'), { earlierCrashes: [NOW - 60_000] });
    expect(told([...all.slice(2), before]).map(([, , summary]) => summary)).toContain(
      'the containers of n3, n4, n5, n6 and n7 crashed within 1s of each other',
    );
  });

  test('are told with the end of one that somebody has made anew since, not with the start after it', () => {
    const end = NOW - 15_000;
    const remade = crash(node('n2'), 2_000, {
      earlierCrashes: [end + 1_900],
      lastRestartBy: 'recreation',
      unrequestedExit: { id: 'before', at: end },
    });
    const all = [remade, ...NAMES.filter((name) => name !== 'n2').map((name) => crash(node(name), 15_000))];
    expect(told(all).map(([, , summary]) => summary)).toContain(
      'the containers of all 7 nodes crashed within 1s of each other',
    );
  });

  test('by a SIGKILL that nobody requested are told by that, as it may come when memory runs out', () => {
    const killed = NAMES.map((name) => {
      const at = NOW - 15_000;
      return crash(node(name), 15_000, { unrequestedKill: { id: name, at }, unrequestedExit: { id: name, at } });
    });
    expect(told(killed)).toEqual([
      [
        'containers_crashed',
        undefined,
        'the containers of all 7 nodes crashed within 1s of each other',
        'all 7 nodes ended with exit code 137 within 1s, 15s ago (02:46:25 UTC), which nobody had requested',
        'all have started again; look for what they share: the memory and the disk of their machine, Docker, or a block that they all received; for n1: give the container or Docker more memory, or free memory on the machine; if `dmesg -T` there shows no such kill, find out who sent SIGKILL',
      ],
    ]);
    expect(diagnosed(killed)[0]?.causes.slice(0, 3)).toEqual([
      { problem: 'out_of_memory', component: 'node', name: 'n1' },
      { problem: 'container_down', component: 'node', name: 'n1' },
      { problem: 'container_restarting', component: 'node', name: 'n1' },
    ]);
    const stopped = { running: false, status: 'exited', exitCode: 137, finishedAt: NOW - 15_000 };
    const gone = killed.map(({ target, facts }) => {
      const container = { ...facts.container, ...containerOf(target.name, stopped) } as ContainerFacts;
      return { target, facts: { ...facts, container } } as KnownTarget;
    });
    expect(named(...gone)).not.toContain('containers_crashed');
  });

  test('are not told singly when those of the others are too old to be found', () => {
    const [first, ...others] = NAMES.map((name, place) => crash(node(name), place === 0 ? 289_000 : 300_300));
    const found = (nodes: readonly string[], since: number, last = first) => {
      const known = { ...(diagnosed([crash(node('n1'), 9_000), crash(node('n2'), 9_000)])[0] as Suspicion), nodes };
      const problem = { ...known, severity: 'warning', alert: 'x', state: 'open', since, seenAt: NOW } as Problem;
      const all = [last as KnownTarget, ...others];
      const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
      return diagnoseSubnet(
        { ...subnet, targets: all.map(({ target }) => target) },
        judgeTargets(all, NOW),
        { problems: [problem], ended: [] },
        NOW,
      ).problems.flatMap((one) => (one.name === 'n1' ? [`${one.problem} ${one.name}`] : []));
    };
    expect(found(NAMES, NOW - 298_500)).toEqual([]);
    // That memory may have run out is told for longer.
    const end = { id: 'n1', at: NOW - 289_000 };
    const killed = crash(node('n1'), 289_000, { unrequestedKill: end, unrequestedExit: end });
    expect(found(NAMES, NOW - 298_500, killed)).toEqual(['out_of_memory n1']);
    // Another crash, and one of a node that was not among them, are their own.
    expect(found(NAMES, NOW - 299_500)).toEqual(['container_restarting n1']);
    expect(found(NAMES.slice(1), NOW - 298_500)).toEqual(['container_restarting n1']);
  });

  test('are told with the time of all after a restart of subnetd, and else as before, when those of the first are too old to be found', () => {
    const ended = [307_000, 306_000, 305_000, 304_000, 303_000, 299_000, 298_000];
    // One of them had crashed before by itself.
    const before = { earlierCrashes: [NOW - 341_000] };
    const all = NAMES.map((name, index) => crash(node(name), ended[index] ?? 0, index === 0 ? before : {}));
    const [known] = diagnosed(NAMES.map((name) => crash(node(name), 9_000)));
    const told = (more: Partial<Problem>) => {
      const times = { since: NOW - 305_000, seenAt: NOW - 2_000, openedAt: NOW - 280_000 };
      const open = { ...known, severity: 'warning', alert: 'x', state: 'open', ...times, ...more } as Problem;
      const { problems } = diagnoseSubnet(
        { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets: all.map(({ target }) => target) },
        judgeTargets(all, NOW),
        { problems: [open], ended: [] },
        NOW,
      );
      return problems.map(({ summary, evidence }) => [summary, evidence]);
    };
    const anew = [
      'the containers of all 7 nodes crashed within 9s of each other',
      'all 7 nodes ended with exit code 137 within 9s, 4m 58s ago (02:41:42 UTC), which nobody had requested',
    ];
    expect(told({ restoredAt: NOW - 4_000 })).toEqual([anew]);
    expect(told({})).toEqual([[known?.summary, known?.evidence]]);
  });

  test('are told with the time of their end, not with that of their next start', () => {
    const all = NAMES.map((name, index) =>
      crash(
        node(name),
        15_000,
        { lastRestartAt: NOW - 10_000 + index * 300 },
        { startedAt: NOW - 10_000 + index * 300 },
      ),
    );
    expect(diagnosed(all)[0]?.evidence).toBe(
      'all 7 nodes ended with exit code 137 within 1s, 15s ago (02:46:25 UTC), which nobody had requested',
    );
  });

  test('are told with one that Docker has started again much later, as after some crashes before', () => {
    const late = crash(node('n7'), 15_000, { lastRestartAt: NOW - 2_000 }, { startedAt: NOW - 2_000 });
    const all = [...NAMES.slice(0, 6).map((name) => crash(node(name), 15_000)), late];
    expect(told(all).map(([problem, , summary]) => [problem, summary])).toEqual([
      ['containers_crashed', 'the containers of all 7 nodes crashed within 1s of each other'],
    ]);
  });

  test('are told with the time that Docker has of their end, where subnetd did not see it', () => {
    const all = NAMES.map((name) =>
      crash(node(name), 15_000, { lastExit: undefined, lastRestartAt: NOW - 12_000 }, { finishedAt: NOW - 15_000 }),
    );
    expect(diagnosed(all)[0]?.evidence).toContain('all 7 nodes ended within 1s, 15s ago (02:46:25 UTC)');
    for (const found of [diagnosed(all), diagnosed(all.slice(0, 1))]) expect(found[0]?.begunAt).toBe(NOW - 15_000);
  });

  test('are no news two minutes after they run again, where they crashed before subnetd was started', () => {
    const seen = { lastExit: undefined };
    const crashed = (agoMs: number, over: Partial<ContainerFacts> = seen) =>
      named(...NAMES.slice(0, 2).map((name) => crash(node(name), agoMs, over, { finishedAt: NOW - agoMs })));
    expect(crashed(120_199)).toEqual(['containers_crashed']);
    expect(crashed(120_200)).toEqual([]);
    expect(crashed(120_200, {})).toEqual(['containers_crashed']);
    expect(named(crash(node('n1'), 120_200, seen))).toEqual([]);
    expect(named(waiting(node('n1'), 120_200))).toEqual(['container_restarting n1']);
  });

  test('explain their checks, and are over when the checks are, for all at once', () => {
    const all = NAMES.map((name) => crash(node(name), 15_000));
    const [one] = diagnosed(all);
    expect(one).toMatchObject({ nodes: NAMES });
    expect(one?.explains).toEqual(NAMES.map((name) => ({ component: 'node', name, check: 'container' })));
    expect(one?.causes).toEqual(NAMES.map((name) => ({ problem: 'container_restarting', component: 'node', name })));
    expect(named(...NAMES.map((name) => crash(node(name), 299_799)))).toEqual(['containers_crashed']);
    expect(named(...NAMES.map((name) => crash(node(name), 300_200)))).toEqual([]);
  });

  test('are not over, and no fewer, because Docker does not answer, be it for some of them', () => {
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
    const evidenceWith = (silent: readonly string[], unknown: readonly string[] = []) => {
      const why = { address: 'unix:///var/run/docker.sock', code: 'ENOENT' } as const;
      const all = NAMES.map((name) => {
        const one = unknown.includes(name) ? node(name) : crash(node(name), 30_000);
        const container = { ...one.facts.container, observation: { kind: 'docker-unreachable', why } };
        return silent.includes(name) ? ({ ...one, facts: { ...one.facts, container } } as KnownTarget) : one;
      });
      const targets = all.map(({ target }) => target);
      const [crashed] = diagnosed(NAMES.map((name) => crash(node(name), 30_000)));
      const open: Problem = {
        ...(crashed as Suspicion),
        ...{ severity: 'warning', alert: 'SubnetContainersCrashed', state: 'open', since: NOW - 30_000 },
        ...{ seenAt: NOW - 5_000, openedAt: NOW - 5_000 },
      };
      const { problems } = diagnoseSubnet(
        { ...subnet, targets },
        judgeTargets(all, NOW),
        { problems: [open], ended: [] },
        NOW,
      );
      const { state, summary, evidence } = problems.find(({ problem }) => problem === 'containers_crashed') ?? {};
      expect([state, summary]).toEqual(['open', 'the containers of all 7 nodes crashed within 1s of each other']);
      return evidence;
    };
    const ends = 'all 7 nodes ended with exit code 137 within 1s, 30s ago (02:46:10 UTC), which nobody had requested';
    expect(evidenceWith([])).toBe(ends);
    expect(evidenceWith(NAMES.slice(2))).toBe(ends);
    // After a start of subnetd, Docker gives no earlier end of a container that somebody has restarted.
    expect(evidenceWith([], ['n5', 'n7'])).toBe(ends);
    expect(evidenceWith(NAMES)).toBe(
      'all 7 nodes ended with exit code 137 within 1s, at 02:46:10 UTC, which nobody had requested',
    );
  });

  test('open as one alert after twenty seconds, and none for each', () => {
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
    const diagnoseAt = (
      ago: number,
      before = NO_PROBLEMS as ReturnType<typeof diagnoseSubnet> | typeof NO_PROBLEMS,
    ) => {
      // The first poll finds the first of them.
      const all = NAMES.map((name, index) =>
        ago < 2_500 && index > 0 ? node(name) : crash(node(name), ago + index * 300),
      );
      const targets = all.map(({ target }) => target);
      return diagnoseSubnet({ ...subnet, targets }, judgeTargets(all, NOW), before, NOW + ago);
    };
    let now = diagnoseAt(0);
    expect(now.problems.map(({ problem, state }) => [problem, state])).toEqual([['container_restarting', 'suspected']]);
    for (let ago = 2_500; ago < 22_500; ago += 2_500) {
      now = diagnoseAt(ago, now);
      expect(now.problems.map(({ problem, state }) => [problem, state])).toEqual([['containers_crashed', 'suspected']]);
    }
    now = diagnoseAt(22_500, now);
    expect(now.problems.map(({ problem, alert, state }) => [problem, alert, state])).toEqual([
      ['containers_crashed', 'SubnetContainersCrashed', 'open'],
    ]);
    expect(now.headline).toMatchObject({
      standing: 'warn',
      sentence: 'devnet is running, but the containers of all 7 nodes crashed within 2s of each other',
    });
  });
});

test('until a block comes that is new, the subnet is not said to run, but to wait for those that were started again', () => {
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
  const headlineOf = (latest: Partial<Progress>) => {
    const all = NAMES.map((name) => {
      const one = crash(node(name), 25_000);
      const { node: seen } = one.facts;
      const moved = seen?.latest && { ...seen, latest: { ...seen.latest, ...latest } };
      return { ...one, facts: { ...one.facts, logs: undefined, node: moved } } as KnownTarget;
    });
    const [crashed] = diagnosed(all);
    const open: Problem = {
      ...(crashed as Suspicion),
      ...{ severity: 'warning', alert: 'SubnetContainersCrashed', state: 'open', since: NOW - 25_000 },
      ...{ seenAt: NOW - 5_000, openedAt: NOW - 5_000 },
    };
    const targets = all.map(({ target }) => target);
    const before = { problems: [open], ended: [] };
    return diagnoseSubnet({ ...subnet, targets }, judgeTargets(all, NOW), before, NOW).headline;
  };
  expect(headlineOf({ advancedAt: NOW - 26_000, riseDueSince: NOW - 26_000 })).toEqual({
    standing: 'warn',
    sentence: 'devnet is waiting for masternodes that have just started',
    detail:
      '0 of 7 masternodes can vote, 5 needed, and 7 have just started. The containers of all 7 nodes crashed within 1s of each other. All have started again; look for what they share: the memory and the disk of their machine, Docker, or a block that they all received; for n1: read why it ended with `docker logs --tail 100 generated-n1-1`.',
  });
  // They have lost their last blocks, and take them again.
  const fall = { from: 1_000, to: 990, at: NOW - 15_000, repeated: false };
  expect(headlineOf({ number: 1_000, fall })?.sentence).toContain('is waiting for masternodes');
  expect(headlineOf({ number: 1_001, fall })?.sentence).toBe(
    'devnet is running, but the containers of all 7 nodes crashed within 1s of each other',
  );
});

describe('containers stay problems of their own', () => {
  test('when more than ten seconds lie between their crashes', () => {
    const others = NAMES.slice(2).map(node);
    expect(named(crash(node('n1'), 20_000), crash(node('n2'), 10_000), ...others)).toEqual(['containers_crashed']);
    expect(named(crash(node('n1'), 20_001), crash(node('n2'), 10_000), ...others)).toEqual([
      'container_restarting n1',
      'container_restarting n2',
    ]);
  });

  test('when one of them was restarted on request, crashes again and again, or ran out of memory', () => {
    const others = NAMES.slice(2).map(node);
    const n1 = crash(node('n1'), 15_000);
    const ordered = crash(node('n2'), 15_000, { lastRestartBy: 'request' });
    const looping = crash(node('n2'), 15_000, { earlierCrashes: [NOW - 40_000] });
    const killed = crash(node('n2'), 15_000, { oomKills: 1, lastOomAt: NOW - 15_000 });
    expect(named(n1, ordered, ...others)).toEqual(['container_restarting n1']);
    expect(named(n1, looping, ...others)).not.toContain('containers_crashed');
    expect(named(n1, killed, ...others)).toEqual(['out_of_memory n2', 'container_restarting n1']);
  });

  test('and two such moments are one problem with both', () => {
    const targets = [
      crash(node('n1'), 200_000),
      crash(node('n2'), 10_000),
      crash(node('n3'), 201_000),
      crash(node('n4'), 10_000),
      crash(node('n5'), 100_000),
      ...['n6', 'n7'].map(node),
    ];
    expect(told(targets).map((one) => one.slice(0, 4))).toEqual([
      [
        'containers_crashed',
        undefined,
        'the containers of n2 and n4 crashed within 1s of each other',
        'n2 and n4 ended with exit code 137 within 1s, 10s ago (02:46:30 UTC); n1 and n3 ended with exit code 137 within 1s, 3m 20s ago (02:43:20 UTC), which nobody had requested',
      ],
      [
        'container_restarting',
        'n5',
        'the container of n5 has crashed and was restarted',
        'generated-n5-1 runs but restarted 1m 40s ago (02:45:00 UTC) after exit code 137 (killed; Docker does not report it as out of memory)',
      ],
    ]);
  });
});

test('nodes that crashed together, run again and hang now are missing because they hang', () => {
  const fault = { kind: 'timeout', address: 'x', afterMs: 5_000, received: false } as const;
  const hangs = (name: string) => crash(diagnosedNode(name, NAMES, { fault, stalledMs: 20_000 }), 150_000);
  const all = [...['n1', 'n2'].map(hangs), ...NAMES.slice(2).map(node)];
  expect(named(...all)).toEqual(['containers_crashed', 'node_hanging n1', 'node_hanging n2', 'quorum_at_risk']);
  expect(told(all).at(-1)?.[3]).toBe(
    '5 of 7 masternodes vote and 5 are needed, without n1, n2, because n1 hangs, n2 hangs',
  );
});

test('nodes that crashed together, run again and are behind now are not brought back by what they shared', () => {
  const lags = (name: string) => crash(diagnosedNode(name, NAMES, { height: 960, stalledMs: 20_000 }), 150_000);
  const all = [...['n1', 'n2'].map(lags), ...NAMES.slice(2).map(node)];
  const [risk] = told(all).filter(([problem]) => problem === 'quorum_at_risk');
  expect(risk?.slice(3)).toEqual([
    '5 of 7 masternodes vote and 5 are needed, without n1, n2, because n1 is behind the other nodes, n2 is behind the other nodes',
    'bring back n1, n2 before any other work, and restart no other node; for each of n1 and n2: wait if it is syncing, else check its peers and its disk',
  ]);
});

describe('containers that end with their Docker Engine', () => {
  const why = { address: 'unix:///var/run/docker.sock', code: 'ECONNREFUSED' } as const;
  /** A target whose container ended so long ago, and whose engine was last found stopped a second ago. */
  const ended = (known: KnownTarget, agoMs: number, isSilent: boolean, startedAt = 0, downMs = 1_000): KnownTarget => {
    const { name } = known.target;
    const at = NOW - agoMs;
    const stopped = containerOf(name, { running: false, status: 'exited', exitCode: 137, finishedAt: at });
    const container: ContainerFacts = {
      ...(stopped as ContainerFacts),
      ...(isSilent && { observation: { kind: 'docker-unreachable', why } }),
      run: { id: name, startedAt, restartCount: 0 },
      lastExit: { code: 137, at },
      engineDown: { from: NOW - downMs - 4_000, to: NOW - downMs },
    };
    return { ...known, facts: { ...known.facts, container } };
  };
  const silent = (name: string) => diagnosedNode(name, NAMES, { fault: { kind: 'refused', address: name } });
  const stats = diagnosedService('stats', { fault: { kind: 'refused', address: 's' } });
  const subnet = (isSilent: boolean, agoMs = 5_000, downMs = 1_000) => [
    ...NAMES.map((name) => ended(silent(name), agoMs, isSilent, 0, downMs)),
    ended(stats, downMs + 13_000, isSilent, 0, downMs),
  ];
  const ofContainers = (targets: readonly KnownTarget[]) =>
    told(targets).filter(([problem]) => problem !== 'subnet_halted');

  test('are one problem, while Docker does not answer and where it starts them no more', () => {
    const names =
      'the containers of n1, n2, n3, n4, n5 and 3 others ended as Docker was stopped, 5s ago (02:46:35 UTC)';
    const start = [...NAMES, 'stats'].map((name) => `generated-${name}-1`).join(' ');
    expect(ofContainers(subnet(true))).toEqual([
      [
        'containers_crashed',
        undefined,
        'Docker itself was stopped, and 8 containers with it',
        `${names}, and it does not answer`,
        'start Docker, as with `systemctl start docker` on its machine, and then what does not start with it',
      ],
    ]);
    // Nor does the halt say only that they must be brought back.
    expect(told(subnet(true))).toContainEqual([
      'subnet_halted',
      undefined,
      'the subnet is halted',
      expect.any(String),
      'bring back n1, n2, n3, n4, n5 and 2 others: 5 more must vote; restart no other node; start Docker, as with `systemctl start docker` on its machine, and then what does not start with it',
    ]);
    // While it ends, it answers who was connected before.
    expect(ofContainers(subnet(false))).toEqual([
      [
        'containers_crashed',
        undefined,
        'Docker itself was stopped, and 8 containers with it',
        `${names}, and it ends or has just started`,
        'wait until Docker runs again: it starts what it is set to restart',
      ],
    ]);
    // Those that it has started again have ended with it too.
    const begun = subnet(false).map((one, index): KnownTarget => {
      const { name } = one.target;
      const { observation } = containerOf(name, { startedAt: NOW - 1_000 }) as ContainerFacts;
      const container = { ...(one.facts.container as ContainerFacts), observation };
      return index < 5 ? { ...one, facts: { ...one.facts, container } } : one;
    });
    expect(ofContainers(begun)[0]?.slice(2, 4)).toEqual([
      'Docker itself was stopped, and 8 containers with it',
      `${names}, and it ends or has just started`,
    ]);
    expect(ofContainers(subnet(false, 19_000, 14_999))[0]?.[4]).toMatch(/^wait until Docker runs again/);
    expect(ofContainers(subnet(false, 19_000, 15_000))).toEqual([
      [
        'containers_crashed',
        undefined,
        'Docker itself was stopped, and 8 containers with it',
        `${names.replace('5s ago (02:46:35 UTC)', '19s ago (02:46:21 UTC)')}, and they do not run although it answers again`,
        `start them with \`docker start ${start}\``,
      ],
    ]);
  });

  test('are named, each of them, also where only some do not run although it answers again', () => {
    const later = subnet(false, 19_000, 15_000).map((one): KnownTarget => {
      const { observation } = containerOf(one.target.name, { startedAt: NOW - 1_000 }) as ContainerFacts;
      const container = { ...(one.facts.container as ContainerFacts), observation };
      // These ended before the others did.
      if (['n6', 'n7'].includes(one.target.name)) return ended(silent(one.target.name), 28_000, false, 0, 15_000);
      return { ...one, facts: { ...one.facts, container } };
    });
    expect(ofContainers(later)[0]?.slice(2)).toEqual([
      'Docker itself was stopped, and 8 containers with it',
      'the containers of n1, n2, n3, n4, n5 and 3 others ended as Docker was stopped, 19s ago (02:46:21 UTC), and n6 and n7 do not run although it answers again',
      'start them with `docker start generated-n6-1 generated-n7-1`',
    ]);
  });

  test('may have the parent chain with them, which is no problem of its own then', () => {
    const unread = { ok: false, why: 'cannot be reached' } as const;
    const parent: ParentFacts = {
      ...{ observation: { head: unread, contract: unread }, at: NOW, headAgeMs: 0, firstChainId: 551 },
      unanswered: { since: NOW - 30_000, probes: 3 },
    };
    const relayer = diagnosedService('relayer', { fault: { kind: 'refused', address: 'r' } });
    const problemsOf = (...targets: readonly KnownTarget[]) => {
      const subnet = { ...SUBNET, targets: targets.map(({ target }) => target) };
      return listCauses(viewSubnet(subnet, judgeTargets(targets, NOW), NOW, { parent })).map(({ problem }) => problem);
    };
    expect(problemsOf(...NAMES.map(node), diagnosedService('relayer'))).toContain('parent_unreachable');
    expect(problemsOf(...subnet(true), ended(relayer, 5_000, true))).not.toContain('parent_unreachable');
  });

  test('are known to have, each of them, by what one of them shows of their engine', () => {
    const unseen = (one: KnownTarget): KnownTarget => {
      const { engineDown: _, ...container } = one.facts.container as ContainerFacts;
      return { ...one, facts: { ...one.facts, container } };
    };
    const [first, ...others] = subnet(false);
    const summaries = (...targets: readonly KnownTarget[]) =>
      ofContainers(targets).map(([problem, name, summary]) => [problem, name ?? summary]);
    expect(summaries(first as KnownTarget, ...others.map(unseen))).toEqual([
      ['containers_crashed', 'Docker itself was stopped, and 8 containers with it'],
    ]);
    const of = (engine: string, { target, facts }: KnownTarget) =>
      ({ target: { ...target, container: { ...target.container, engine } }, facts }) as KnownTarget;
    const elsewhere = others.slice(0, 6).map((one) => of('other', unseen(one)));
    expect(summaries(first as KnownTarget, ...elsewhere).slice(0, 2)).toEqual(
      ['n1', 'n2'].map((name) => ['container_down', name]),
    );
  });

  test('do not have their logs called unreadable while it ends', () => {
    const withLog = (downMs: number) => {
      const one = node('n1');
      const stream = { up: false, lines: 9, since: 0, fault: { what: 'broken' } } as const;
      const container = { ...one.facts.container, engineDown: { from: NOW - downMs, to: NOW - downMs } };
      const logs = { ...one.facts.logs, sources: { container: stream } };
      const known = { ...one, facts: { ...one.facts, container, logs } } as KnownTarget;
      return named(known, ...NAMES.slice(1).map(node));
    };
    expect(withLog(14_999)).toEqual([]);
    expect(withLog(15_000)).toEqual(['log_source_down n1']);
  });

  test('are told by themselves where they ended long before, run again or are one', () => {
    const isJoined = (targets: readonly KnownTarget[]) =>
      told(targets).some(([, , summary]) => String(summary).startsWith('Docker itself'));
    expect(isJoined(subnet(true, 20_000))).toBe(false);
    const one = [ended(silent('n1'), 5_000, true), ...NAMES.slice(1).map(node)];
    expect(isJoined(one)).toBe(false);
    expect(isJoined([...one.slice(0, -1), ended(silent('n7'), 5_000, true)])).toBe(true);
    expect(isJoined([...one.slice(0, -1), ended(silent('n7'), 5_000, true, NOW - 4_000)])).toBe(false);
    expect(isJoined([...one.slice(0, -1), ended(node('n7'), 5_000, true)])).toBe(false);
  });
});

test('minutes after it, a crash leaves the headline to what is suspected of a target now', () => {
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
  const headlineOf = (ageMs: number) => {
    const all = NAMES.map((name) =>
      crash(node(name), ageMs, { code: 0 }, name === 'n3' ? { status: 'paused' } : undefined),
    );
    const crashed = diagnosed(all).find(({ problem }) => problem === 'containers_crashed');
    const open: Problem = {
      ...(crashed as Suspicion),
      ...{ severity: 'warning', alert: 'SubnetContainersCrashed', state: 'open', since: NOW - ageMs },
      ...{ seenAt: NOW - 5_000, openedAt: NOW - ageMs + 20_000 },
    };
    const targets = all.map(({ target }) => target);
    return diagnoseSubnet({ ...subnet, targets }, judgeTargets(all, NOW), { problems: [open], ended: [] }, NOW)
      .headline;
  };
  expect(headlineOf(120_000)).toMatchObject({
    sentence: 'devnet is running, but a possible problem is being checked',
    detail:
      '6 of 7 masternodes can vote, 5 needed. Suspected: the container of n3 is paused. The containers of all 7 nodes crashed within 1s of each other.',
  });
  expect(headlineOf(50_000)?.sentence).not.toContain('a possible problem');
});
