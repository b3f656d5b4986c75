import { describe, expect, test } from 'vitest';
import type {
  ContainerFacts,
  Facts,
  LogFacts,
  NodeLogFacts,
  Progress,
  RelayerLogFacts,
} from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import type { Target } from '../../../src/model/target.ts';
import { checkTable } from '../../../src/watch/rules/checks.ts';
import { afterSilence } from '../../../src/watch/rules/failure-signs.ts';
import { foldContainer, foldContainerEvent } from '../../../src/watch/rules/fold-container.ts';
import { failuresOf, findFall, judgeFailures, knownFailures } from '../../../src/watch/rules/known-failures.ts';
import { nodeLogFailures } from '../../../src/watch/rules/node-log-failures.ts';
import { aView } from '../../support/views.ts';

/** The part of the facts in which known failures show. */
type LogEvidence = Pick<LogFacts, 'node'> & {
  readonly patterns: Readonly<Record<string, { readonly at: number }>>;
  readonly relayer?: Partial<RelayerLogFacts>;
};
type Evidence = Omit<Facts, 'logs'> & { readonly logs?: LogEvidence | undefined };

const minute = 60_000;
const t0 = Date.parse('2026-03-01T12:00:00Z');
const base = { subnet: 'devnet', logFiles: [], patterns: [], container: { name: 'c' } } as const;
const node: Target = { ...base, component: 'node', name: 'subnet1', consoleExec: false, expectedPeers: 3 };
const service = (component: 'relayer' | 'stats' | 'frontend'): Target => ({ ...base, component, name: component });

const container = (startedAt: number, changes: Partial<Container> = {}): Container => ({
  ...{ id: 'a', name: 'c', running: true, status: 'running', oomKilled: false, restartCount: 0, startedAt },
  ...changes,
});
const found = (at: number, seen: Container, previous?: ContainerFacts) =>
  foldContainer(previous, { kind: 'found', container: seen }, at);
const running = (startedAt: number) => found(startedAt, container(startedAt));
const matched = (pattern: string, at: number): LogEvidence => ({ patterns: { [pattern]: { at } } });
const names = (target: Target, evidence: Evidence, now: number) =>
  judgeFailures(target, evidence as Facts, now).shownFailures.map(({ name }) => name);
const hit = { means: 'error', count: 1, order: 1, what: 'a line', own: false } as const;
const event = (action: string, at: number, exitCode?: number) => ({
  action,
  id: 'a',
  at,
  ...(exitCode !== undefined && { exitCode }),
});

test('a path too long shows from its line on, while the node does not run, and until it has run for ten minutes', () => {
  const logs = matched('ipc_path_too_long', t0);
  const ended = found(t0, container(t0 - minute, { running: false, status: 'exited', exitCode: 0 }));
  expect(names(node, { container: ended, logs }, t0)).toEqual(['ipc_path_too_long']);
  expect(names(node, { container: ended, logs }, t0 + 60 * minute)).toEqual(['ipc_path_too_long']);
  const again = { container: running(t0 + 30 * minute), logs };
  expect(names(node, again, t0 + 40 * minute - 1)).toEqual(['ipc_path_too_long']);
  expect(names(node, again, t0 + 40 * minute)).toEqual([]);
});

test('a failure that was over when its container was stopped is not shown again by that', () => {
  const logs = matched('ipc_path_too_long', t0);
  const stopped = (finishedAt: number) =>
    found(finishedAt, container(t0 - minute, { running: false, status: 'exited', exitCode: 137, finishedAt }));
  const shown = (finishedAt: number) => names(node, { container: stopped(finishedAt), logs }, finishedAt + minute);
  expect(shown(t0 + 10 * minute - 1)).toEqual(['ipc_path_too_long']);
  expect(shown(t0 + 10 * minute)).toEqual([]);
});

test('a failure of an earlier run explains no later stop, and ends when somebody restarts the container', () => {
  const logs = matched('ipc_path_too_long', t0);
  const paused = found(t0 + 18 * minute, container(t0 + minute, { running: false, status: 'paused' }));
  expect(names(node, { container: paused, logs }, t0 + 18 * minute)).toEqual([]);
  const restart = [event('kill', t0 + minute), event('die', t0 + minute, 0), event('stop', t0 + minute)];
  const again = found(
    t0 + 2 * minute,
    container(t0 + 2 * minute),
    restart.reduce(foldContainerEvent, running(t0 - minute)),
  );
  expect(again.lastRestartBy).toBe('request');
  expect(names(node, { container: again, logs }, t0 + 3 * minute)).toEqual([]);
  expect(
    names(node, { container: again, logs: matched('ipc_path_too_long', t0 + 3 * minute) }, t0 + 3 * minute),
  ).toEqual(['ipc_path_too_long']);
});

test('a sign that another container has written is none of the one that loops now, whenever subnetd was started', () => {
  const logs = matched('bad_block', t0 - minute);
  const shown = (createdAt: number) => {
    const first = found(t0, container(t0, { createdAt }));
    const looping = found(t0 + 5_000, container(t0 + 5_000, { createdAt, restartCount: 1 }), first);
    return names(node, { container: looping, logs }, t0 + 10_000);
  };
  expect(shown(t0)).toEqual([]);
  expect(shown(t0 - 2 * minute)).toEqual(['bad_block']);
});

test('a sign from before a run that went well for a minute does not come back, however often later runs end', () => {
  const logs = matched('disk_full', t0 - 1_000);
  const shown = (ranMs: number) => {
    const first = foldContainerEvent(running(t0), event('die', t0 + ranMs, 0));
    const second = found(t0 + ranMs, container(t0 + ranMs, { restartCount: 1 }), first);
    const ended = foldContainerEvent(second, event('die', t0 + ranMs + 5_000, 0));
    const third = found(t0 + ranMs + 6_000, container(t0 + ranMs + 6_000, { restartCount: 2 }), ended);
    return names(node, { container: third, logs }, t0 + ranMs + 10_000);
  };
  expect(shown(minute - 1)).toContain('disk_full');
  expect(shown(minute)).not.toContain('disk_full');
});

test('a loop shows its failure also while its last run has not shown it, unless that one ran for a minute', () => {
  const logs = matched('ipc_path_too_long', t0);
  const from = t0 + 20_000;
  const second = found(from, container(from, { restartCount: 1 }), running(t0 - 1_000));
  const shown = (ranMs: number) => {
    const finishedAt = from + ranMs;
    const exited = { running: false, status: 'restarting', restartCount: 2, exitCode: 0, finishedAt } as const;
    return names(node, { container: found(finishedAt, container(from, exited), second), logs }, finishedAt + 1);
  };
  expect(shown(minute - 1)).toEqual(['ipc_path_too_long']);
  expect(shown(minute)).toEqual([]);
});

describe('what ends a start', () => {
  const answering = (ok: boolean): Evidence => ({
    node: {
      observation: ok
        ? { answered: true, latest: { ok, value: { number: 1 } } }
        : { answered: false, latest: { ok, fault: { kind: 'refused', address: 'n' } } },
    },
  });
  const stats = (ok: boolean): Evidence => ({
    service: { observation: ok ? { ok, value: {} } : { ok, fault: { kind: 'refused', address: 's' } } },
  });
  /** Started again by the restart policy after the sign at t0. */
  const again = (startedAt: number, changes: Partial<Container> = {}) =>
    found(startedAt, container(startedAt, { restartCount: 1, ...changes }), running(t0 - minute));

  type StartCase = [target: Target, pattern: string, failure: string, asked: (ok: boolean) => Evidence];
  test.each<StartCase>([
    [node, 'ipc_path_too_long', 'ipc_path_too_long', answering],
    [node, 'ipc_path_long', 'ipc_path_too_long', answering],
    [node, 'address_in_use', 'address_in_use', answering],
    [node, 'port_in_use', 'address_in_use', answering],
    [node, 'disk_full', 'disk_full', answering],
    [node, 'disk_quota', 'disk_full', answering],
    [node, 'disk_below_limit', 'disk_full', answering],
    ...nodeLogFailures.flatMap(({ name, signs, whileSilent, isOver }) =>
      whileSilent || isOver === afterSilence ? [] : signs.map((sign): StartCase => [node, sign, name, answering]),
    ),
    [node, 'masternode_update_failed', 'masternode_update_failed', answering],
    [node, 'miner_stopped', 'miner_loop_stopped', answering],
    [service('stats'), 'config_missing', 'stats_without_contract', stats],
    [service('frontend'), 'registry_unreachable', 'frontend_without_registry', stats],
  ])(
    'of $component by %s is over when a later start has run for a minute and answers',
    (target, pattern, failure, asked) => {
      const start = t0 + 1_000;
      const at = (now: number, facts: ContainerFacts, evidence = asked(true)) =>
        names(target, { container: facts, logs: matched(pattern, t0), ...evidence }, now);
      expect(at(start + minute - 1, again(start))).toEqual([failure]);
      expect(at(start + minute, again(start))).toEqual([]);
      expect(at(start + minute, again(start), asked(false))).toEqual([failure]);
      expect(at(start + minute, again(start), {})).toEqual([failure]);
      expect(at(start + minute, again(start, { status: 'restarting' }))).toEqual([failure]);
      // What a node has answered since that start is not undone when its RPC is closed later.
      const silent = asked(false);
      const since = (lastGoodAt: number) =>
        silent.node && { node: { ...silent.node, latest: { lastGoodAt, advancedAt: t0, risen: true } as Progress } };
      if (silent.node !== undefined) {
        expect(at(start + minute, again(start), since(start + 1))).toEqual([]);
        expect(at(start + minute, again(start), since(start))).toEqual([failure]);
      }
      const ended = (ranMs: number) =>
        again(start, { running: false, status: 'exited', exitCode: 137, finishedAt: start + ranMs });
      expect(at(start + 2 * minute, ended(minute - 1), asked(false))).toEqual([failure]);
      expect(at(start + 2 * minute, ended(minute), asked(false))).toEqual([]);
      // The same start, that has gone on for long.
      expect(at(t0 + minute, running(t0 - minute))).toEqual([failure]);
      const over = judgeFailures(
        target,
        { container: again(start), logs: matched(pattern, t0) as LogFacts, ...(asked(true) as Facts) },
        start + minute,
      );
      expect(over.endedFailures.map(({ name }) => name)).toEqual([failure]);
    },
  );

  test('is over when a line that comes again and again is missed', () => {
    const refused = (now: number) =>
      names(node, { container: again(t0 - 1_000), logs: matched('stats_unauthorized', t0) }, now);
    expect(refused(t0 + 24_999)).toEqual(['stats_refused']);
    // One alone is over before it is confirmed.
    expect(refused(t0 + problemCatalog.stats_refused.confirmMs)).toEqual([]);
    const startedAgain = (now: number) =>
      names(node, { container: again(t0 + 3_000), logs: matched('stats_unauthorized', t0) }, now);
    expect(startedAgain(t0 + 17_999)).toEqual(['stats_refused']);
    expect(startedAgain(t0 + 18_000)).toEqual([]);
  });

  test('is not a cause of a later crash, when a start between them ran well', () => {
    const logs = matched('address_in_use', t0);
    const good = again(t0 + 1_000);
    const crashed = (at: number) =>
      found(at + 100, container(at + 100, { restartCount: 2 }), foldContainerEvent(good, event('die', at, 1)));
    expect(names(node, { container: crashed(t0 + 1_000 + minute), logs }, t0 + 2 * minute)).toEqual([]);
    expect(names(node, { container: crashed(t0 + minute), logs }, t0 + 2 * minute)).toEqual(['address_in_use']);
  });

  test('is remembered after a start of its own, where the program runs on with what it lost', () => {
    const evidence = { container: again(t0 + 1_000), ...answering(true) };
    for (const pattern of ['database_empty', 'repaired_head'])
      expect(names(node, { ...evidence, logs: matched(pattern, t0) }, t0 + 9 * minute)).toHaveLength(1);
  });
});

test('a wallet without funds is over with the next submission', () => {
  const at = (submittedAt: number) =>
    names(service('relayer'), { logs: { ...matched('no_funds', t0), relayer: { submittedAt } } }, t0 + minute);
  expect(at(t0 - 1)).toEqual(['wallet_without_funds']);
  expect(at(t0 + 1)).toEqual([]);
});

describe('out of memory', () => {
  test("shows by Docker's own word", () => {
    const facts = foldContainerEvent(running(t0 - minute), event('oom', t0));
    expect(names(node, { container: facts }, t0)).toEqual(['out_of_memory']);
    expect(names(node, { container: facts }, t0 + 10 * minute)).toEqual([]);
  });

  test('shows by a SIGKILL that was not requested', () => {
    const facts = foldContainerEvent(running(t0 - minute), event('die', t0, 137));
    expect(names(service('frontend'), { container: facts }, t0)).toEqual(['out_of_memory']);
  });

  test.each([
    ['a stop: the order comes first', [event('kill', t0 - 10), event('die', t0, 137), event('stop', t0 + 5)]],
    ['a kill whose order is told after the end', [event('die', t0, 137), event('kill', t0 + 50)]],
    ['an end by an error of its own', [event('die', t0, 1)]],
    ['a fatal error of a node', [event('die', t0, 0)]],
  ])('does not show by %s', (_, events) => {
    const facts = events.reduce<ContainerFacts>(foldContainerEvent, running(t0 - minute));
    expect(names(node, { container: facts }, t0 + 100)).toEqual([]);
  });

  test('shows by a SIGKILL long after an order', () => {
    const events = [event('kill', t0), event('die', t0 + minute, 137)];
    const facts = events.reduce<ContainerFacts>(foldContainerEvent, running(t0 - minute));
    expect(names(node, { container: facts }, t0 + minute)).toEqual(['out_of_memory']);
  });

  test('is not why somebody stops the container minutes later', () => {
    const killed = foldContainerEvent(running(t0 - minute), event('die', t0, 137));
    const again = found(t0 + 500, container(t0 + 400, { restartCount: 1 }), killed);
    const later = t0 + 5 * minute;
    const stopped = [event('kill', later), event('die', later + 90, 137)].reduce(foldContainerEvent, again);
    expect(names(node, { container: again }, later)).toEqual(['out_of_memory']);
    expect(names(node, { container: stopped }, later + 100)).toEqual([]);
    const died = foldContainerEvent(again, event('die', later + 90, 1));
    expect(names(node, { container: died }, later + 100)).toEqual(['out_of_memory']);
    // Nor why it ends with an error long after.
    expect(names(node, { container: died }, t0 + 10 * minute - 1)).toEqual(['out_of_memory']);
    expect(names(node, { container: died }, t0 + 10 * minute)).toEqual([]);
  });

  test('shows by a build of the frontend that was killed', () => {
    expect(names(service('frontend'), { logs: matched('build_killed', t0) }, t0)).toEqual(['out_of_memory']);
  });
});

test('two restarts close to each other, or three within ten minutes, with exit code 0 are a silent loop, one is not', () => {
  const ended = (facts: ContainerFacts, at: number) => foldContainerEvent(facts, event('die', at, 0));
  const restart = (facts: ContainerFacts, at: number, count: number) =>
    found(at, container(at, { restartCount: count }), ended(facts, at - 100));
  const once = restart(running(t0), t0 + minute, 1);
  expect(names(node, { container: once }, t0 + minute)).toEqual([]);
  const twice = restart(once, t0 + 2 * minute, 2);
  expect(names(node, { container: twice }, t0 + 2 * minute)).toEqual(['silent_restart_loop']);
  expect(names(node, { container: restart(once, t0 + 4 * minute - 1, 2) }, t0 + 4 * minute)).not.toEqual([]);
  const apart = restart(once, t0 + 4 * minute, 2);
  expect(names(node, { container: apart }, t0 + 4 * minute)).toEqual([]);
  const again = restart(apart, t0 + 10 * minute, 3);
  expect(names(node, { container: again }, t0 + 10 * minute)).toEqual(['silent_restart_loop']);
  const later = restart(once, t0 + 20 * minute, 2);
  expect(names(node, { container: later }, t0 + 20 * minute)).toEqual([]);
});

test('a loop is over when the container has run for a minute, or for longer than between its crashes', () => {
  const restarts = (...starts: readonly number[]) =>
    starts.reduce(
      (facts, at, index) =>
        found(at, container(at, { restartCount: index + 1 }), foldContainerEvent(facts, event('die', at - 100, 0))),
      running(t0),
    );
  const quick = restarts(t0 + 1_000, t0 + 5_000, t0 + 10_000);
  expect(names(node, { container: quick }, t0 + 10_000 + minute - 1)).toEqual(['silent_restart_loop']);
  expect(names(node, { container: quick }, t0 + 10_000 + minute)).toEqual([]);
  // Docker may wait for a minute before a start.
  const slow = restarts(t0 + minute, t0 + 5 * minute, t0 + 8 * minute);
  expect(names(node, { container: slow }, t0 + 11 * minute - 1)).toEqual(['silent_restart_loop']);
  expect(names(node, { container: slow }, t0 + 11 * minute)).toEqual([]);
  const killed = foldContainerEvent(restarts(t0 + 1_000), event('oom', t0 + 4_000));
  const once = found(
    t0 + 5_000,
    container(t0 + 5_000, { restartCount: 2 }),
    foldContainerEvent(killed, event('die', t0 + 4_100, 137)),
  );
  expect(names(service('frontend'), { container: once }, t0 + 64_999)).toEqual(['out_of_memory']);
  expect(names(service('frontend'), { container: once }, t0 + 65_000)).toEqual([]);
  // Of a process inside, while the container went on.
  const inside = foldContainerEvent(once, event('oom', t0 + 70_000));
  expect(names(service('frontend'), { container: inside }, t0 + 2 * minute)).toEqual(['out_of_memory']);
});

test('two requested restarts are not a loop, with any exit code', () => {
  const restart = (facts: ContainerFacts, at: number) =>
    found(
      at,
      container(at),
      [event('kill', at - 110), event('die', at - 100, 0), event('stop', at - 90)].reduce(foldContainerEvent, facts),
    );
  const twice = restart(restart(running(t0), t0 + minute), t0 + 2 * minute);
  expect(twice.restarts).toBe(2);
  expect(names(node, { container: twice }, t0 + 2 * minute)).toEqual([]);
});

test('a dead, idle or redis-less relayer shows as long as it is so, in a container that runs on', () => {
  const facts = running(t0);
  const relayer = service('relayer');
  const later = t0 + 600 * minute;
  const at = (state: LogEvidence['relayer']) =>
    names(relayer, { container: facts, logs: { patterns: {}, ...(state && { relayer: state }) } }, later);
  expect(at({ died: { at: t0 } })).toEqual(['relayer_dead']);
  expect(at({ redisDiedAt: t0 })).toEqual(['relayer_redis_dead']);
  expect(at({ modes: [] })).toEqual(['relayer_idle']);
  expect(at({ modes: [], startedAt: t0 - 5_000 })).toEqual(['relayer_idle']);
  expect(at({ modes: [], startedAt: t0 - 5_001 })).toEqual([]);
  expect(at({ modes: ['full'] })).toEqual([]);
  expect(at(undefined)).toEqual([]);
});

test('without a container, what ended a start is over once a later one, by its log, has run for a minute and answers', () => {
  const good = { answered: true, latest: { ok: true, value: { number: 1 } } } as const;
  const bad = { answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'n' } } } as const;
  const at = (sinceStart: number, log: LogEvidence['node'], observation: typeof good | typeof bad = good) =>
    names(
      node,
      { node: { observation }, logs: { ...matched('database_corrupt', t0), ...(log && { node: log }) } },
      t0 + 1_000 + sinceStart,
    );
  const later = { startedAt: t0 + 1_000 };
  expect(at(minute - 1, later)).toEqual(['database_corrupt']);
  expect(at(minute, later)).toEqual([]);
  expect(at(minute, later, bad)).toEqual(['database_corrupt']);
  expect(at(minute, { startedAt: t0 - 1_000 })).toEqual(['database_corrupt']);
  expect(at(minute, { ...later, stoppedAt: t0 + 2_000 })).toEqual(['database_corrupt']);
  expect(at(minute, undefined)).toEqual(['database_corrupt']);
});

test('without a container, what lasts until the next start lasts until its log shows one', () => {
  const at = (startedAt: number) =>
    names(node, { logs: { ...matched('rpc_not_bound', t0), node: { startedAt } } }, t0 + 600 * minute);
  expect(at(t0 - minute)).toEqual(['rpc_not_bound']);
  expect(at(t0 + minute)).toEqual([]);
});

test('a node that answers is not without RPC, whatever its log said', () => {
  const logs = { ...matched('rpc_not_bound', t0), node: { startedAt: t0 - 1_000 } };
  const of = (observation: NonNullable<Evidence['node']>['observation']) =>
    names(node, { node: { observation }, logs }, t0 + 600 * minute);
  expect(of({ answered: true, latest: { ok: true, value: { number: 1 } } })).toEqual([]);
  expect(of({ answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'n' } } })).toEqual([
    'rpc_not_bound',
  ]);
});

test('a refused block is none of its own when the lines about it say that the snapshot or the state is lost', () => {
  const at = (lostAt: number) =>
    names(node, { logs: { patterns: { bad_block: { at: t0 }, bad_block_state: { at: lostAt } } } }, t0 + 90_000);
  expect(at(t0)).toEqual(['snapshot_lost']);
  expect(at(t0 + 1)).toEqual(['snapshot_lost']);
  expect(at(t0 - minute + 1)).toEqual(['snapshot_lost']);
  expect(at(t0 - minute)).toEqual(['bad_block', 'snapshot_lost']);
});

test('a head that does not match the genesis shows a corrupt database when the next line says so', () => {
  const at = { at: t0 };
  expect(names(node, { logs: { patterns: { genesis_differs: at, database_corrupt: at } } }, t0)).toEqual([
    'database_corrupt',
  ]);
});

test('what ended a start is over once the node has answered a minute later, whatever ends it then', () => {
  const at = (failure: string, lastGoodAt: number) => {
    const latest = { number: 9, advancedAt: t0, riseDueSince: t0, lastGoodAt, risen: true };
    const fault = { kind: 'refused', address: 'n' } as const;
    const observation = { answered: false, latest: { ok: false, fault } } as const;
    return names(node, { node: { latest, observation }, logs: matched(failure, t0) }, t0 + 3 * minute);
  };
  for (const failure of ['unknown_flag', 'folder_in_use', 'address_in_use', 'unlock_failed', 'other_genesis']) {
    expect(at(failure, t0 + minute - 1), failure).toHaveLength(1);
    expect(at(failure, t0 + minute), failure).toEqual([]);
  }
  // Hours later, a node that has neither answered nor started since is still down by it.
  const down = { answered: false, latest: { ok: false, fault: { kind: 'refused', address: 'n' } } } as const;
  const hoursLater = (startedAt: number, observation: NonNullable<Evidence['node']>['observation'] = down) =>
    names(
      node,
      { node: { observation }, logs: { ...matched('address_in_use', t0), node: { startedAt } } },
      t0 + 200 * minute,
    );
  expect(hoursLater(t0)).toEqual(['address_in_use']);
  expect(hoursLater(t0 + 1)).toEqual([]);
  expect(hoursLater(t0, { answered: true, latest: { ok: true, value: { number: 1 } } })).toEqual([]);
  // These leave it running, so it answers all the while.
  for (const failure of ['bad_block', 'too_many_open_files', 'database_corrupt'])
    expect(at(failure, t0 + minute), failure).toEqual([failure]);
});

test('a snapshot that is missing is not a lost one by itself', () => {
  expect(names(node, { logs: matched('snapshot_missing', t0) }, t0)).toEqual([]);
});

test.each(['disk_full', 'too_many_open_files'])(
  '%s is over when the node takes blocks a minute after the line, also without a container or a start in its log',
  (name) => {
    const observation = { answered: true, latest: { ok: true, value: { number: 9 } } } as const;
    const taken = (advancedAt: number, risen = true) => {
      const latest = { number: 9, advancedAt, risen, riseDueSince: advancedAt, lastGoodAt: advancedAt } as Progress;
      return names(node, { node: { observation, latest }, logs: matched(name, t0) }, t0 + 2 * minute);
    };
    expect(taken(t0 + minute)).toEqual([name]);
    expect(taken(t0 + minute + 1)).toEqual([]);
    expect(taken(t0 + minute + 1, false)).toEqual([name]);
    const startedWith = (advancedAt: number, startedAt: number) => {
      const latest = { number: 9, advancedAt, risen: true, riseDueSince: t0, lastGoodAt: advancedAt } as Progress;
      const logs = { ...matched(name, t0), node: { startedAt } };
      return names(node, { node: { observation, latest }, logs }, t0 + 20_000);
    };
    expect(startedWith(t0 + 10_000, t0)).toEqual([]);
    expect(startedWith(t0 + 10_000, t0 - 1)).toEqual([name]);
  },
);

test.each([
  ['disk_full', 'policy', []],
  ['too_many_open_files', 'policy', ['too_many_open_files']],
  ['too_many_open_files', 'recreation', []],
] as const)('of %s, a block since a start by %s shows whether it is over', (name, by, expected) => {
  const start = t0 + 2_000;
  const again = found(start, container(start, { restartCount: 1 }), running(t0 - minute));
  const facts: ContainerFacts = { ...again, lastRestartAt: start, lastRestartBy: by };
  const observation = { answered: true, latest: { ok: true, value: { number: 9 } } } as const;
  const at = start + 5_000;
  const latest = { number: 9, advancedAt: at, risen: true, riseDueSince: at, lastGoodAt: at } as Progress;
  expect(names(node, { container: facts, node: { observation, latest }, logs: matched(name, t0) }, at)).toEqual(
    expected,
  );
});

test('a node has its lost blocks again when it answers with them, also where nobody has seen it without', () => {
  const observation = { answered: true, latest: { ok: true, value: { number: 9 } } } as const;
  const shown = (lastGoodAt: number, number: number, fall?: Progress['fall']) => {
    const latest = { number, advancedAt: t0, risen: true, riseDueSince: t0, lastGoodAt, fall } as Progress;
    return names(node, { node: { observation, latest }, logs: matched('repaired_head', t0) }, t0 + 2 * minute);
  };
  expect(shown(t0, 900)).toEqual(['head_regression']);
  expect(shown(t0 + 5_000, 900)).toEqual([]);
  const fall = (at: number) => ({ from: 900, to: 700, at, repeated: false });
  expect(shown(t0 + 9_000, 899, fall(t0 + 5_000))).toEqual(['head_regression']);
  expect(shown(t0 + 9_000, 900, fall(t0 + 5_000))).toEqual([]);
  expect(shown(t0 + 9_000, 899, fall(t0 - 5_000))).toEqual([]);
});

test('a node whose RPC is closed has its lost blocks again when its log has one above those of before its start', () => {
  const shown = (height: number, advancedAt: number, heightBefore?: number) => {
    const logs = { ...matched('repaired_head', t0), node: { height, advancedAt, heightBefore } as NodeLogFacts };
    return names(node, { logs }, t0 + minute);
  };
  expect(shown(901, t0 + 9_000, 900)).toEqual([]);
  expect(shown(900, t0 + 9_000, 900)).toEqual(['head_regression']);
  expect(shown(901, t0, 900)).toEqual(['head_regression']);
  expect(shown(901, t0 + 9_000)).toEqual(['head_regression']);
});

test('a node that is down takes no lost blocks from the others', () => {
  const shown = (status: string) =>
    names(
      node,
      {
        container: found(
          t0 + minute,
          container(t0 - minute, { running: status === 'running', status, finishedAt: t0 + minute }),
        ),
        logs: matched('repaired_head', t0),
      },
      t0 + 2 * minute,
    );
  expect(shown('running')).toContain('head_regression');
  for (const status of ['exited', 'paused']) expect(shown(status)).not.toContain('head_regression');
});

test('a stopped miner loop shows until the node is restarted', () => {
  const logs = matched('miner_stopped', t0);
  expect(names(node, { container: running(t0 - minute), logs }, t0 + 600 * minute)).toEqual(['miner_loop_stopped']);
  expect(names(node, { container: running(t0 + minute), logs }, t0 + 11 * minute)).toEqual([]);
});

test.each([
  [node, 'masternode_update_failed', 'masternode_update_failed'],
  [node, 'address_in_use', 'address_in_use'],
  [node, 'disk_full', 'disk_full'],
  [node, 'database_empty', 'database_lost'],
  [node, 'head_block_missing', 'database_lost'],
  [node, 'repaired_head', 'head_regression'],
  [service('relayer'), 'no_funds', 'wallet_without_funds'],
  [service('stats'), 'config_missing', 'stats_without_contract'],
  [service('frontend'), 'registry_unreachable', 'frontend_without_registry'],
])('of $component the pattern %s shows %s', (target, pattern, failure) => {
  expect(names(target, { logs: matched(pattern, t0) }, t0)).toEqual([failure]);
  expect(names(target, { logs: matched(pattern, t0) }, t0 + 10 * minute)).toEqual([]);
});

test('a target that names neither a container nor a log can show none', () => {
  const { container: _, ...bare } = node;
  expect(failuresOf(bare)).toEqual([]);
  expect(failuresOf({ ...bare, logFiles: [{ path: '/x', timezone: 'UTC' }] }).length).toBeGreaterThan(5);
});

test.each([node, service('relayer')])(
  'of $component each failure that has not been shown is named as that',
  (target) => {
    const failures = failuresOf(target);
    expect(failures.length).toBeGreaterThan(3);
    const none = { failures, shownFailures: [], endedFailures: [] };
    expect(judgeFailures(target, {}, t0)).toEqual(none);
    expect(judgeFailures(target, { container: running(t0), logs: matched('other', t0) as LogFacts }, t0)).toEqual(none);
  },
);

test('a container that runs well passes, whatever its program has shown', () => {
  const facts: Facts = {
    container: running(t0 - minute),
    logs: { sources: {}, patterns: { database_empty: { ...hit, at: t0 } } },
  };
  const judged = (seen: Facts) => checkTable.container.judge(aView(node, seen, { now: t0 }));
  expect(judged(facts)).toMatchObject({ verdict: 'pass', fix: undefined });
  const ended = found(t0, container(t0 - minute, { running: false, status: 'exited', exitCode: 0 }));
  expect(judged({ ...facts, container: ended })).toMatchObject({ verdict: 'fail' });
});

test('a fall is a loss, unless the chain was replaced within a minute and a half of it', () => {
  const fall = { from: 900, to: 10, at: t0, repeated: false };
  const fell = (replacedAt?: number) => {
    const replaced = replacedAt === undefined ? {} : { replaced: { at: replacedAt } };
    return findFall({ node: { latest: { fall }, chain: replaced } } as Facts)?.at;
  };
  expect([fell(), fell(t0 - 90_000), fell(t0 + 90_000)]).toEqual([t0, t0, t0]);
  expect([fell(t0 - 89_999), fell(t0), fell(t0 + 89_999)]).toEqual([undefined, undefined, undefined]);
});

test('a fall of the height and a repaired head of the run before are no loss of this run', () => {
  const observation = { answered: true, latest: { ok: true, value: { number: 1_305 } } };
  const latest = { number: 1_305, lastGoodAt: t0, fall: { from: 1_344, to: 252, at: t0, repeated: false } };
  const shown = (startedAt: number, logs?: LogEvidence) =>
    names(
      node,
      { container: running(startedAt), node: { observation, latest } as Evidence['node'], logs },
      t0 + minute,
    );
  expect(shown(t0 - 2_000)).toEqual(['head_regression']);
  expect(shown(t0 + 40_000)).toEqual([]);
  expect(shown(t0 + 40_000, matched('repaired_head', t0))).toEqual([]);
  expect(shown(t0 + 40_000, matched('repaired_head', t0 + 45_000))).toEqual(['head_regression']);
});

test('every entry has a symptom, a cause and a fix, and names are unique', () => {
  expect(new Set(knownFailures.map(({ name }) => name)).size).toBe(knownFailures.length);
  for (const { name, symptom, cause, fix } of knownFailures) {
    expect(name).toMatch(/^[a-z][a-z_]+$/);
    for (const sentence of [symptom, cause]) expect(sentence).toMatch(/^[A-Z].*[.`]$/);
    expect(fix).toMatch(/^[a-z].*[^.]$/);
  }
});
