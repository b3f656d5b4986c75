import { describe, expect, test } from 'vitest';
import type { ClockDisturbances } from '../../../src/lib/clock.ts';
import type { Facts, KnownTarget, LogFacts } from '../../../src/model/facts.ts';
import { indexSubjects, isJudged } from '../../../src/model/is-judged.ts';
import type { LogFault } from '../../../src/model/log.ts';
import type { Container, Fault } from '../../../src/model/observation.ts';
import type { SubnetFacts } from '../../../src/model/subnet-facts.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { containerOf, diagnosed, diagnosedNode, NOW, named } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const MINUTE = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const read = { up: true, lines: 9, since: 0 };
const others = ['n1', 'n3', 'n4'].map((name) => diagnosedNode(name, NAMES));

/** A subnet in which this is known of the log of n2. */
function subnetWith(
  logs: Partial<LogFacts>,
  over: { readonly files?: readonly string[]; readonly container?: Facts['container']; readonly fault?: Fault } = {},
) {
  const node = diagnosedNode('n2', NAMES, over.fault && { fault: over.fault });
  const n2: KnownTarget = {
    target: { ...node.target, logFiles: (over.files ?? []).map((path) => ({ path, timezone: 'UTC' })) },
    facts: {
      ...node.facts,
      ...(over.container && { container: over.container }),
      logs: { ...(node.facts.logs as LogFacts), ...logs },
    },
  };
  return [n2, ...others];
}

const sourceDown = (source: 'file' | 'container', what: LogFault['what']): Partial<LogFacts> => ({
  sources: { container: read, [source]: { ...read, up: false, fault: { what } } },
});
const told = (targets: readonly KnownTarget[]) =>
  diagnosed(targets).map(({ problem, name, summary, evidence, fix }) => [problem, name, summary, evidence, fix]);

const STOPPED = { running: false, status: 'exited', exitCode: 137, finishedAt: NOW - 1_000 };

test('a health check of a container that fails is not said to be something that subnetd does not see', () => {
  const said = (over: Partial<Container>, logs: Partial<LogFacts> = {}) =>
    told(subnetWith(logs, { container: containerOf('n2', over) })).map(([problem, , summary]) => [problem, summary]);
  const unhealthy = 'the health check of n2 fails';
  const unseen = 'subnetd sees less of n2 than it could';
  const silent = { node: { level: 2 } };
  expect(said({ isUnhealthy: true })).toEqual([['check_degraded', unhealthy]]);
  expect(said({}, silent)).toEqual([['check_degraded', unseen]]);
  expect(said({ isUnhealthy: true }, silent)).toEqual([['check_degraded', `${unseen}, and ${unhealthy}`]]);
});

describe('a log that cannot be read', () => {
  test('is said with its path or its container, and what to do', () => {
    expect(told(subnetWith(sourceDown('file', 'denied'), { files: ['/srv/n2/xdc.log'] }))).toEqual([
      [
        'log_source_down',
        'n2',
        'subnetd cannot read the log of n2',
        '/srv/n2/xdc.log cannot be read: subnetd may not read it',
        'give the user of subnetd the right to read it, for example with setfacl -m u:1000:r',
      ],
    ]);
    expect(told(subnetWith(sourceDown('container', 'broken')))).toEqual([
      [
        'log_source_down',
        'n2',
        'subnetd cannot read the log of n2',
        'the log of the service n2 of the compose project generated cannot be read: Docker refuses it, or breaks off while it is read',
        'wait while subnetd tries again; if it stays so, let the socket proxy pass GET of /containers/ID/logs, and see that the log driver of the container keeps lines',
      ],
    ]);
  });

  test('because its file is gone has another remedy once that file was read', () => {
    const saidOf = (lines: number) => {
      const file = { ...read, up: false, lines, fault: { what: 'missing' } } as const;
      return told(subnetWith({ sources: { container: read, file } }, { files: ['/srv/n2/xdc.log'] }))[0]?.slice(3);
    };
    expect(saidOf(0)).toEqual([
      '/srv/n2/xdc.log cannot be read: no file is there',
      'correct logFiles in the inventory, or mount the folder where subnetd runs, at the same path',
    ]);
    expect(saidOf(1)).toEqual([
      '/srv/n2/xdc.log cannot be read: the file that was read is gone',
      'restart the program that writes it, so that it opens a new one, and find out what removed it',
    ]);
  });

  test('is not yet one in the minute after its container was started, which may not have made its file', () => {
    const file = { ...read, up: false, fault: { what: 'missing' } } as const;
    const given = (startedAgo: number, node: LogFacts['node'] = {}) =>
      subnetWith(
        { sources: { container: read, file }, node },
        { files: ['/srv/n2/xdc.log'], container: containerOf('n2', { startedAt: NOW - startedAgo }) },
      );
    const saidOf = (startedAgo: number, node?: LogFacts['node']) =>
      judgeTargets(given(startedAgo, node), NOW)[0]?.checks.find(({ check }) => check === 'log_block')?.seen;
    expect(told(given(59_999))).toEqual([]);
    expect(saidOf(59_999)).toBe(
      'the log of n2 cannot be read yet: the file that was read is gone, and its container was started 59s ago',
    );
    expect(saidOf(60_000)).toBe('the log of n2 cannot be read: the file that was read is gone');
    // Of which it has shown a block since.
    const logged = (ago: number) => ({ height: 10, advancedAt: NOW - ago });
    expect(saidOf(20_000, logged(25_000))).toContain('cannot be read yet');
    // A last line of the container before may have been read late.
    expect(saidOf(20_000, logged(10_001))).toContain('cannot be read yet');
    expect(saidOf(20_000, logged(10_000))).toBe('the log of n2 cannot be read: the file that was read is gone');
  });

  test('is not one when Docker has just told of the start of its container, and not yet how it runs', () => {
    const file = { ...read, up: false, fault: { what: 'missing' } } as const;
    const given = subnetWith(
      { sources: { container: read, file }, node: { height: 10, advancedAt: NOW - 5_000 } },
      { files: ['/srv/n2/xdc.log'], container: { restarts: 0, oomKills: 0, inspected: true } },
    );
    expect(judgeTargets(given, NOW)[0]?.checks.find(({ check }) => check === 'log_block')?.seen).toBe(
      'the log of n2 cannot be read yet: the file that was read is gone, and its container was started just now',
    );
    expect(told(given).map(([problem]) => problem)).not.toContain('log_source_down');
    // Nor is its own log, which was asked for just before.
    const gone = sourceDown('container', 'no-container');
    const remade = subnetWith(gone, { container: { restarts: 0, oomKills: 0, inspected: true } });
    expect(judgeTargets(remade, NOW)[0]?.checks.find(({ check }) => check === 'log_block')?.seen).toBe(
      'the log of n2 cannot be read yet: its container was started just now',
    );
    expect(told(remade).map(([problem]) => problem)).not.toContain('log_source_down');
    expect(told(subnetWith(gone, { container: containerOf('n2') })).map(([problem]) => problem)).toContain(
      'log_source_down',
    );
  });

  test('is not one while its container does not run, of which nobody can restart a program', () => {
    const file = { ...read, up: false, fault: { what: 'missing' } } as const;
    const given = (over: Partial<Container>) =>
      subnetWith(
        { sources: { container: read, file }, node: { height: 10, advancedAt: NOW - 5_000 } },
        { files: ['/srv/n2/xdc.log'], container: containerOf('n2', over) },
      );
    const said = (over: Partial<Container>) =>
      judgeTargets(given(over), NOW)[0]?.checks.find(({ check }) => check === 'log_block');
    expect(said(STOPPED)).toMatchObject({
      ...{ verdict: 'unknown', fix: undefined },
      seen: 'the log of n2 cannot be read yet: the file that was read is gone, and its container does not run',
    });
    expect(told(given(STOPPED)).map(([problem]) => problem)).not.toContain('log_source_down');
    expect(said({})?.fix).toMatch(/^restart the program that writes it/);
    // Its container is being made anew, with a new folder.
    const removed: Facts['container'] = { ...containerOf('n2', {}), observation: { kind: 'missing' } } as never;
    const [n2] = subnetWith(
      { sources: { container: read, file } },
      { files: ['/srv/n2/xdc.log'], container: removed, fault: { kind: 'refused', address: 'x' } },
    );
    expect(n2 && judgeTargets([n2], NOW)[0]?.checks.find(({ check }) => check === 'log_block')).toMatchObject({
      ...{ verdict: 'unknown', fix: undefined },
      seen: 'the log of n2 cannot be read yet: the file that was read is gone, and its container does not run',
    });
  });

  test('is not one while Docker removes its container, whose log it refuses', () => {
    const of = (logs: Partial<LogFacts>, over: Partial<Container>) => {
      const given = subnetWith(logs, { container: containerOf('n2', { running: false, ...over }) });
      const check = judgeTargets(given, NOW)[0]?.checks.find((one) => one.check === 'log_block');
      return [check?.verdict, check?.seen, named(given).includes('log_source_down n2')];
    };
    const refused = sourceDown('container', 'broken');
    const notYet = ['unknown', 'the log of n2 cannot be read yet: its container does not run', false];
    expect(of(refused, { status: 'dead' })).toEqual(notYet);
    expect(of(refused, { status: 'removing' })).toEqual(notYet);
    expect(of(refused, { status: 'created' })).toEqual(notYet);
    const removed = { ...containerOf('n2', {}), observation: { kind: 'missing' } } as never;
    const [n2] = judgeTargets(subnetWith(refused, { container: removed }), NOW);
    expect(n2?.checks.find(({ check }) => check === 'log_block')?.seen).toBe(notYet[1]);
    const started = (ago: number) => of(refused, { running: true, status: 'running', startedAt: NOW - ago });
    expect(started(59_999)).toEqual([
      'unknown',
      'the log of n2 cannot be read yet: its container was started 59s ago',
      false,
    ]);
    expect(started(60_000)).toContain(true);
    expect(of(refused, { status: 'exited' })).toContain(
      'the log of n2 cannot be read: Docker refuses it, or breaks off while it is read',
    );
  });

  test('is not a problem before reading it has begun', () => {
    const notBegun = { ...read, up: false, lines: 0 };
    expect(told(subnetWith({ sources: { file: notBegun } }, { files: ['/srv/n2/xdc.log'] }))).toEqual([]);
    const given = subnetWith({ sources: { container: notBegun } });
    expect(told(given)).toEqual([]);
    const said = judgeTargets(given, NOW)[0]?.checks.find(({ check }) => check === 'log_block')?.seen;
    expect(said).toBe('the log of n2 cannot be read: reading it has not begun');
  });

  test('is not a problem of its own without its container, and cannot be judged while Docker does not answer', () => {
    const missing = { ...(subnetWith({})[0]?.facts.container as NonNullable<Facts['container']>) };
    const gone = subnetWith(sourceDown('container', 'no-container'), {
      container: { ...missing, observation: { kind: 'missing' } },
      fault: { kind: 'refused', address: 'http://n2' },
    });
    expect(named(gone)).toContain('container_down n2');
    expect(named(gone)).not.toContain('log_source_down n2');
    const lost = subnetWith(sourceDown('container', 'docker-unreachable'));
    expect(named(lost)).toEqual([]);
    // One that answers runs: another container with its key would sign twice.
    const renamed = judgeTargets(
      subnetWith(sourceDown('container', 'no-container'), { container: gone[0]?.facts.container }),
      NOW,
    );
    expect(renamed[0]?.checks.find(({ check }) => check === 'log_block')).toMatchObject({
      seen: 'the log of n2 cannot be read: there is no such container',
      fix: 'correct container in the inventory if it was renamed',
    });
    const ref = { problem: 'log_source_down', component: 'node', name: 'n2' } as const;
    expect(isJudged(indexSubjects(judgeTargets(lost, NOW))(ref), ref.problem)).toBe(false);
    expect(isJudged(indexSubjects(judgeTargets(subnetWith({}), NOW))(ref), ref.problem)).toBe(true);
  });
});

test('lines that Docker threw away count for ten minutes', () => {
  const lost = (agoMs: number) =>
    told(
      subnetWith({
        patterns: { log_lines_lost: { means: 'note', count: 3, at: NOW - agoMs, order: 1, what: '', own: false } },
      }),
    );
  expect(lost(9 * MINUTE)).toEqual([
    [
      'log_lines_lost',
      'n2',
      'Docker throws away lines of n2 before they are read',
      'Docker rotated the log of the service n2 of the compose project generated and threw lines away before they were read 3 times since subnetd started, last 9m ago (02:37:40 UTC)',
      'give its log more room with the option max-size of its logging driver, or let it print less, and recreate it',
    ],
  ]);
  expect(lost(10 * MINUTE)).toEqual([]);
});

test('lines that Docker threw away are told when it does so again after ten minutes, and are of one container', () => {
  const seen = (agoMs: number, foundMs: number, startedMs = 60 * MINUTE, isThere = true) => {
    const lost = { means: 'note', count: 3, at: NOW - agoMs, order: 1, what: '', own: false } as const;
    const { container } = diagnosedNode('n2', NAMES, { container: { startedAt: NOW - startedMs } }).facts;
    const observed = container && (isThere ? container : { ...container, observation: { kind: 'missing' } as const });
    const targets = subnetWith({ patterns: { log_lines_lost: lost } }, observed && { container: observed });
    const judged = judgeTargets(targets, NOW);
    const view = { name: 'devnet', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };
    const [first] = diagnoseSubnet(view, judged, NO_PROBLEMS, NOW).problems;
    const before = first && { ...first, since: NOW - foundMs, seenAt: NOW - 2_000 };
    const { problems } = diagnoseSubnet(view, judged, { problems: before ? [before] : [], ended: [] }, NOW);
    return problems.map(({ problem, state }) => `${problem} ${state}`);
  };
  expect(seen(59_000, 10 * MINUTE)).toEqual(['log_lines_lost open']);
  expect(seen(59_000, 10 * MINUTE - 1)).toEqual(['log_lines_lost suspected']);
  // Nine minutes after the last loss there is none any more.
  expect(seen(9 * MINUTE, 10 * MINUTE)).toEqual(['log_lines_lost suspected']);
  expect([seen(9 * MINUTE, 10 * MINUTE, 9 * MINUTE - 1), seen(9 * MINUTE, 10 * MINUTE, 9 * MINUTE)]).toEqual([
    [],
    ['log_lines_lost suspected'],
  ]);
  // While its container is made anew there is none that loses lines.
  expect(seen(59_000, 10 * MINUTE, 60 * MINUTE, false)).toEqual(['container_misnamed open']);
});

describe('a subnetd', () => {
  const seen = (clock: ClockDisturbances, facts: SubnetFacts = {}, logs: Partial<LogFacts> = {}) =>
    diagnoseSubnet(
      { name: 'devnet', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS },
      judgeTargets(subnetWith(logs), NOW),
      NO_PROBLEMS,
      NOW,
      { clock, facts },
    ).problems.map(({ problem, name, state, summary, evidence }) => [problem, name, state, summary, evidence]);

  test('that was suspended says so for five minutes, and nothing of a short pause', () => {
    const gap = (realMs: number, agoMs: number) => seen({ gap: { endedAt: NOW - agoMs, realMs } });
    expect(gap(200_000, 60_000)).toEqual([
      [
        'monitor_suspended',
        undefined,
        'open',
        'subnetd was suspended',
        'subnetd did not run for 3m 20s and resumed 1m ago (02:45:40 UTC)',
      ],
    ]);
    expect(gap(200_000, 5 * MINUTE)).toEqual([]);
    expect(gap(14_999, 0)).toEqual([]);
  });

  test('whose clock was set says by how much and where to', () => {
    const step = (byMs: number, agoMs = 30_000) => seen({ step: { at: NOW - agoMs, byMs } });
    const summary = 'the clock of subnetd was set, or its machine was suspended';
    const own = (evidence: string) => [['monitor_suspended', undefined, 'open', summary, evidence]];
    expect(step(-90_000)).toEqual(own('the clock of its machine went back by 1m 30s, 30s ago'));
    expect(step(5_000)).toEqual(own('the clock of its machine went forward by 5s, 30s ago'));
    expect(step(4_999)).toEqual([]);
    expect(step(5_000, 5 * MINUTE)).toEqual([]);
  });

  test('whose clock was set does not blame that of Docker while it says so', () => {
    const engines = new Map([['default', { ok: true, value: { projects: [], clockAheadMs: -120_000 } }]]) as never;
    const setup = { observation: { targets: new Map(), engines, named: [] }, at: NOW };
    const named = (agoMs: number) =>
      seen({ step: { at: NOW - agoMs, byMs: -120_000 } }, { setup }).map(([problem]) => problem);
    expect(named(5 * MINUTE - 1)).toEqual(['monitor_suspended']);
    expect(named(5 * MINUTE)).toEqual(['docker_clock_skewed']);
  });

  test('whose clock was set blames no log until new lines have come', () => {
    const old = { node: { height: 1_001, advancedAt: NOW - 132_000, level: 4 } };
    const named = (agoMs: number) =>
      seen({ step: { at: NOW - agoMs, byMs: 120_000 } }, {}, old).map(([problem, name]) => [problem, name]);
    expect(named(59_999)).toEqual([['monitor_suspended', undefined]]);
    expect(named(60_000)).toContainEqual(['node_log_fault', 'n2']);
  });

  test('whose clock went forward does not blame the parent chain for that, but for what was old before', () => {
    const step = { at: NOW - 30_000, byMs: 120_000 };
    const namesAt = (headAgeMs: number, clock: ClockDisturbances, at = NOW) => {
      const head = { ok: true, value: { number: 77, timestamp: 1 } } as const;
      const parent = { observation: { head, chainId: { ok: true, value: 551 } }, at, headAgeMs } as const;
      return seen(clock, { parent }).map(([problem]) => problem);
    };
    expect(namesAt(122_000, { step })).toEqual(['monitor_suspended']);
    expect(namesAt(239_999, { step })).toEqual(['monitor_suspended']);
    expect(namesAt(240_000, { step })).toContain('parent_behind');
    expect(namesAt(122_000, { step: { ...step, byMs: -120_000 } })).toContain('parent_behind');
    // For as long as the clock is wrong.
    const longAgo = { ...step, at: NOW - 50 * MINUTE };
    expect(namesAt(122_000, { step: longAgo })).toEqual(['monitor_suspended']);
    expect(namesAt(240_000, { step: longAgo })).toEqual(['parent_behind']);
    expect(namesAt(119_999, { step: longAgo })).toEqual([]);
    // What was read before the clock was set back is read again.
    const back = { ...step, byMs: -120_000 };
    expect(namesAt(122_000, { step: back }, back.at - 1)).toEqual(['monitor_suspended']);
    expect(namesAt(122_000, { step: back }, back.at)).toContain('parent_behind');
  });

  test('whose clock went forward still says of a parent chain that it stands, by its own pace', () => {
    const step = { at: NOW - 30_000, byMs: 120_000 };
    const namesAt = (headAgeMs: number) => {
      const head = { ok: true, value: { number: 77, timestamp: 1 } } as const;
      const observation = { head, chainId: { ok: true, value: 551 }, paceMs: 2_000 } as const;
      const parent = { observation, at: NOW, headAgeMs, headSince: NOW - 10_000 };
      return seen({ step }, { parent }).map(([problem]) => problem);
    };
    expect(namesAt(139_999)).toEqual(['monitor_suspended']);
    expect(namesAt(140_000)).toContain('parent_behind');
  });
});

describe('a node that was created with another bootnode than most', () => {
  const [right, wrong] = ['ab', 'cd'].map((byte) => byte.repeat(64)) as [string, string];
  const created = (name: string, bootnodes: readonly string[] | undefined, peers?: readonly string[]): KnownTarget => {
    const node = diagnosedNode(name, NAMES, peers && { peers });
    const logs = { ...(node.facts.logs as LogFacts), ...(bootnodes && { created: { bootnodes } }) };
    return { ...node, facts: { ...node.facts, logs } };
  };
  const usual = [`${right}@10.0.0.5:20301`];
  const among = (n2: KnownTarget) => [n2, ...['n1', 'n3', 'n4'].map((name) => created(name, usual))];

  test('and has peers all the same is told as that', () => {
    expect(told(among(created('n2', [`${wrong}@10.0.0.9:20301`])))).toEqual([
      [
        'bootnode_unused',
        'n2',
        'n2 does not use the bootnode of the other nodes',
        'n2 was created with the bootnode cdcdcdcd…@10.0.0.9:20301, and most nodes with abababab…@10.0.0.5:20301; it has 3 peers because the others found it',
        'correct the bootnode in n2.env and recreate the node; until then it may find no peer after a restart',
      ],
    ]);
  });

  test('is not told by the peers of the container before', () => {
    const n2 = created('n2', [`${wrong}@10.0.0.9:20301`]);
    const found = (runsSince: number) => {
      const container = { ...(n2.facts.container as NonNullable<KnownTarget['facts']['container']>), runsSince };
      return named(among({ ...n2, facts: { ...n2.facts, container } }));
    };
    expect(found(NOW)).toEqual(['bootnode_unused n2']);
    expect(found(NOW + 1)).toEqual([]);
  });

  test('is told although it has but one of the two of the others', () => {
    const both = [...usual, `${wrong}@10.0.0.9:20301`];
    const others = ['n1', 'n3', 'n4'].map((name) => created(name, both));
    expect(named([...others, created('n2', usual)])).toEqual(['bootnode_unused n2']);
  });

  test('is nothing to tell when it is the same one at another address, unknown, or there is no majority', () => {
    expect(named(among(created('n2', [`${right.toUpperCase()}@203.0.113.7:20301`])))).toEqual([]);
    expect(named(among(created('n2', undefined)))).toEqual([]);
    const pair = ['n1', 'n2'].map((name) => created(name, [`${name === 'n1' ? right : wrong}@10.0.0.5:20301`]));
    expect(named([...pair, ...['n3', 'n4'].map((name) => created(name, undefined))])).toEqual([]);
  });

  test('and has no peer is cut off', () => {
    expect(named(among(created('n2', [`${wrong}@10.0.0.9:20301`], [])))).not.toContain('bootnode_unused n2');
  });
});

describe('a node without peers', () => {
  const created = (
    name: string,
    networkId: number | undefined,
    peers: readonly string[],
    ranMs = 3_600_000,
  ): KnownTarget => {
    const node = diagnosedNode(name, NAMES, { peers, container: { startedAt: NOW - ranMs } });
    const logs = { ...(node.facts.logs as LogFacts), ...(networkId !== undefined && { created: { networkId } }) };
    return { ...node, facts: { ...node.facts, logs } };
  };
  const tellOf = (n2: number | undefined, [n1, n3, n4]: readonly (number | undefined)[], ranMs?: number) => {
    const rest = [['n1', n1] as const, ['n3', n3] as const, ['n4', n4] as const].map(([name, id]) =>
      created(
        name,
        id,
        ['n1', 'n3', 'n4'].filter((other) => other !== name),
      ),
    );
    return told([created('n2', n2, [], ranMs), ...rest]).find(([problem]) => problem === 'node_partitioned');
  };
  const seen = 'n2 answers and has 0 of 3 peers, while others are connected: n1, n3, n4';
  const CUT_OFF = [
    'node_partitioned',
    'n2',
    'n2 is cut off from the other nodes',
    seen,
    'open the p2p port of n2 to the other nodes (TCP and UDP), and check its bootnode address and the firewall; a restart does not help',
  ];

  test('that was created with another network id than all others is told that', () => {
    expect(tellOf(9_999, [551, 551, 551])).toEqual([
      ...CUT_OFF.slice(0, 3),
      `${seen}; it was created with NETWORK_ID=9999, and the others with NETWORK_ID=551`,
      'set NETWORK_ID=551 in n2.env and recreate n2; nodes of another network id refuse it',
    ]);
    expect(tellOf(9_999, [551, undefined, 551])?.[4]).toContain('set NETWORK_ID=551');
    // No other node will take it, however long it waits.
    expect(tellOf(9_999, [551, 551, 551], 5_000)?.[4]).toContain('set NETWORK_ID=551');
    expect(tellOf(551, [551, 551, 551], 5_000)).toBeUndefined();
  });

  test('is cut off by something else when its network id is that of others, or nobody can say', () => {
    expect(tellOf(551, [551, 551, 551])).toEqual(CUT_OFF);
    expect(tellOf(undefined, [551, 551, 551])).toEqual(CUT_OFF);
    expect(tellOf(9_999, [551, 9_999, 551])).toEqual(CUT_OFF);
    expect(tellOf(9_999, [551, 552, 551])).toEqual(CUT_OFF);
    expect(tellOf(9_999, [551, undefined, undefined])).toEqual(CUT_OFF);
  });
});

test('a node that serves too few methods is told at once after its start, and soon confirmed, while other faults have a minute', () => {
  const told = (known: 'method-not-found' | 'rate-limit', foundAgoMs: number) => {
    const fault: Fault = { kind: 'rpc-error', code: -32601, known };
    const { target, facts } = diagnosedNode('n2', NAMES, { fault, container: { startedAt: NOW - 20_000 } });
    const node = { ...facts.node, observation: { ...facts.node?.observation, answered: true } };
    const targets = [...others, { target, facts: { ...facts, node } } as KnownTarget];
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      targets: targets.map((one) => one.target),
      settings: DEFAULT_SETTINGS,
    };
    const states = judgeTargets(targets, NOW);
    const first = diagnoseSubnet(subnet, states, NO_PROBLEMS, NOW);
    const problems = first.problems.map((one) => ({ ...one, since: NOW - foundAgoMs }));
    const again = diagnoseSubnet(subnet, states, { problems, ended: [] }, NOW);
    return again.problems.map(({ summary, state }) => [summary, state]);
  };
  const summary = 'n2 does not return its latest block';
  expect(told('method-not-found', 14_999)).toEqual([[summary, 'suspected']]);
  expect(told('method-not-found', 15_000)).toEqual([[summary, 'open']]);
  expect(told('rate-limit', 15_000)).toEqual([]);
});
