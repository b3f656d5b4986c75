import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContainerFacts } from '../../../src/model/facts.ts';
import type { Container, ContainerObservation, DockerFault } from '../../../src/model/observation.ts';
import type { Component, ContainerRef, Target } from '../../../src/model/target.ts';
import { foldContainer, foldContainerEvent } from '../../../src/watch/rules/fold-container.ts';
import { judgeContainer } from '../../../src/watch/rules/judge-container.ts';
import { asRead, aView, nodeTarget } from '../../support/views.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const minute = 60_000;
const byName = { name: 'subnet1' };
const byLabels = { project: 'generated', service: 'subnet1' };
const running: Container = {
  ...{ id: 'a', name: 'subnet1', running: true, status: 'running', oomKilled: false, restartCount: 0 },
  startedAt: now - 60 * minute,
};
const stopped = (status: string, changes: Partial<Container> = {}): Container => ({
  ...running,
  ...{ running: false, status, finishedAt: now - minute },
  ...changes,
});

const factsOf = (observation: ContainerObservation, previous?: ContainerFacts) =>
  foldContainer(previous, observation, now);
const found = (container: Container, previous?: ContainerFacts) => factsOf({ kind: 'found', container }, previous);
const judge = (container: ContainerFacts | undefined, ref: ContainerRef = byName) =>
  asRead(judgeContainer(aView(nodeTarget('subnet1', { container: ref }), { container }, { now })));

test('a container that runs passes, and says for how long', () => {
  expect(judge(found(running))).toEqual({ verdict: 'pass', reason: 'subnet1 has been running for 1h' });
});

test('a container that runs beside another of its service passes, and its reason says which one is watched', () => {
  const twins = { kind: 'found', container: running, twins: 2 } as const;
  expect(judge(factsOf(twins), byLabels)).toEqual({
    verdict: 'pass',
    reason: 'subnet1 has been running for 1h, and is the one of 2 containers with its label that subnetd watches',
  });
  const restarting = { ...twins, container: stopped('restarting', { exitCode: 1 }) };
  expect(judge(factsOf(restarting), byLabels)).toMatchObject({
    verdict: 'fail',
    reason: expect.stringMatching(/, and is the one of 2 containers with its label that subnetd watches; read /),
  });
});

test('a container that was never inspected is unknown, also after an event', () => {
  expect(judge(undefined).verdict).toBe('unknown');
  expect(judge(foldContainerEvent(undefined, { action: 'oom', id: 'a', at: now })).verdict).toBe('unknown');
});

test('a missing container fails with what to type, by its name or by its labels', () => {
  const missing = factsOf({ kind: 'missing' });
  expect(judge(missing)).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('--filter name=subnet1') });
  const { reason } = judge(missing, byLabels);
  expect(reason).toContain(
    'look for it with `docker ps -a --filter label=com.docker.compose.service=subnet1`: if it is there under another name, correct the inventory, else create it with `HOSTPWD=$PWD docker compose -p generated up -d subnet1` in the folder of its compose file',
  );
});

describe('a container that does not run fails', () => {
  test.each<readonly [Container, readonly string[], readonly string[]]>([
    [
      stopped('exited', { exitCode: 0 }),
      ['exited at 2026-03-01T11:59:00Z', 'code 0', 'fatal error', 'docker logs'],
      ['memory'],
    ],
    [stopped('exited', { exitCode: 1 }), ['code 1 (an error)', 'docker logs --tail 100 subnet1'], ['docker stop']],
    [
      stopped('exited', { exitCode: 137 }),
      ['code 137', 'docker stop', 'Docker does not report it as out of memory', 'docker start subnet1'],
      ['raise'],
    ],
    [stopped('exited', { exitCode: 143 }), ['SIGTERM'], ['memory']],
    [stopped('exited', { exitCode: 2 }), ['code 2', 'docker logs --tail 100 subnet1'], ['memory']],
    [
      stopped('exited', { exitCode: 137, oomKilled: true, memoryLimitBytes: 16 * 2 ** 20 }),
      ['out of memory (OOMKilled)', '16 MiB'],
      ['docker stop'],
    ],
    [
      stopped('exited', { exitCode: 137, name: '2bb5fca96518_generated-subnet1-1' }),
      ['wait a moment, as compose is making it anew; if it stays so, '],
      ['docker start'],
    ],
    [stopped('paused'), ['paused', 'docker unpause subnet1'], ['exited']],
    [stopped('restarting', { exitCode: 0 }), ['next restart', 'exit code 0', 'docker logs'], ['exited']],
    [stopped('restarting', { exitCode: 137, oomKilled: true }), ['out of memory (OOMKilled)'], ['docker stop']],
    [stopped('created'), ['never started', 'docker start subnet1'], ['exited']],
    [stopped('created', { exitCode: 127 }), ['could not be started'], ['never']],
    [stopped('dead'), ['dead', 'docker rm -f subnet1'], ['exited']],
    [stopped('removing'), ['being removed'], ['exited']],
    [stopped('unheardof'), ['not running'], ['unheardof']],
  ])('$status in its own words', (container, wanted, unwanted) => {
    const { verdict, reason } = judge(found(container));
    expect(verdict).toBe('fail');
    for (const part of wanted) expect(reason).toContain(part);
    for (const part of unwanted) expect(reason).not.toContain(part);
    // A name is one word of each command to copy.
    expect(judge(found({ ...container, name: 'x; y' })).reason).not.toMatch(/`docker [^`]*(?<!'(?:name=)?)x; y/);
  });
});

test('of which no line is kept, is not to be read by `docker logs`', () => {
  const judgeKept = (what?: 'not-kept' | 'broken') => {
    const source = { up: what === undefined, lines: 0, since: 0, ...(what && { fault: { what } }) };
    const facts = {
      container: found(stopped('exited', { exitCode: 1 })),
      logs: { sources: { container: source }, patterns: {} },
    };
    return judgeContainer(aView(nodeTarget('subnet1', { container: byName }), facts, { now })).fix;
  };
  const start = 'start it with `docker start subnet1`; if it ends again, ';
  expect(judgeKept()).toBe(`${start}read why it ended with \`docker logs --tail 100 subnet1\``);
  expect(judgeKept('broken')).toBe(judgeKept());
  expect(judgeKept('not-kept')).toBe(
    `${start}give it the log driver json-file or local, as its own keeps no line that says why it ended`,
  );
});

describe('how a container has ended is told by what is known of it:', () => {
  const ended = stopped('exited', { finishedAt: now - minute });
  const judged = (component: Component, exitCode: number, ...actions: readonly string[]) => {
    const events = actions.map((action) => ({ action, id: 'a', exitCode, at: now - minute - 200 }));
    const container = found({ ...ended, exitCode }, events.reduce(foldContainerEvent, found(running)));
    const target = { ...nodeTarget('subnet1'), component, container: byName } as Target;
    return judgeContainer(aView(target, { container }, { now })).seen;
  };
  const when = 'subnet1 exited at 2026-03-01T11:59:00Z';

  test.each([
    ['bootnode', 2, 'as a plain docker stop also does'],
    ['relayer', 1, 'as a plain docker stop also does'],
    ['stats', 1, 'as a plain docker stop also does'],
    ['frontend', 137, 'killed, as a plain docker stop does; Docker does not report it as out of memory'],
    ['relayer', 2, 'an error'],
    ['bootnode', 0, 'no error'],
  ] as const)(
    'a %s that ends with code %i may have been stopped before subnetd followed it',
    (component, code, means) => {
      expect(judged(component, code)).toBe(`${when} with code ${code} (${means})`);
    },
  );

  test.each([
    ['bootnode', 2, 'an error'],
    ['relayer', 1, 'an error'],
    ['frontend', 137, 'killed; Docker does not report it as out of memory'],
  ] as const)(
    'a %s that ends with code %i has not been stopped where Docker told of no order',
    (component, code, means) => {
      expect(judged(component, code, 'die')).toBe(`${when} with code ${code} (${means})`);
    },
  );

  test.each(['kill', 'stop'])('after the order to %s it, its code says nothing', (action) => {
    const seen = 'subnet1 was stopped on request at 2026-03-01T11:59:00Z, by a person, a program or a stop of Docker';
    expect(judged('bootnode', 2, action, 'die')).toBe(seen);
    expect(judged('bootnode', 2, 'die', action)).toBe(seen);
    expect(judged('node', 137, action, 'die')).toBe(seen);
  });

  test('by its stop, where it had crashed before and waited for its restart', () => {
    const events = [['die', minute] as const, ['stop', minute / 2] as const].map(([action, agoMs]) => ({
      ...{ action, id: 'a', exitCode: 0, at: now - agoMs },
    }));
    const container = found(ended, events.reduce(foldContainerEvent, found(running)));
    expect(judgeContainer(aView(nodeTarget('subnet1', { container: byName }), { container }, { now })).seen).toBe(
      'subnet1 was stopped on request at 2026-03-01T11:59:30Z, by a person, a program or a stop of Docker',
    );
  });

  test('of a restart policy, which starts nothing that was stopped', () => {
    const container = found(stopped('restarting', { exitCode: 137 }));
    expect(judgeContainer(aView(nodeTarget('subnet1', { container: byName }), { container }, { now })).seen).toBe(
      'subnet1 has ended and waits for its next restart after exit code 137 (killed; Docker does not report it as out of memory)',
    );
  });
});

describe('a container that runs but restarted', () => {
  const restarted = (agoMs: number) => found({ ...running, startedAt: now - agoMs, restartCount: 1 }, found(running));

  test('fails within the error window and passes after it', () => {
    expect(judge(restarted(5 * minute - 1)).verdict).toBe('fail');
    expect(judge(restarted(5 * minute)).verdict).toBe('pass');
  });

  test('fails at the first inspection when its restart policy has just restarted it', () => {
    expect(judge(found({ ...running, startedAt: now - minute, restartCount: 3 })).verdict).toBe('fail');
    expect(judge(found({ ...running, startedAt: now - minute })).verdict).toBe('pass');
    expect(judge(found({ ...running, restartCount: 3 })).verdict).toBe('pass');
  });

  test('says after which exit, and that 0 of a node means little', () => {
    const died = foldContainerEvent(found(running), { action: 'die', id: 'a', exitCode: 0, at: now - minute - 100 });
    const { reason } = judge(found({ ...running, startedAt: now - minute, restartCount: 1 }, died));
    expect(reason).toContain('restarted 1m ago (11:59:00 UTC) after exit code 0');
    expect(reason).toContain('the container of a node does even when its process died of a fatal error');
    expect(reason).toContain('docker logs');
  });

  const orderedAt = now - 41_000;
  const order = [
    { action: 'kill', id: 'a', at: orderedAt },
    { action: 'die', id: 'a', exitCode: 137, at: orderedAt + 200 },
    { action: 'stop', id: 'a', at: orderedAt + 210 },
  ];

  test('on order says so, and that there is nothing to do if that was planned', () => {
    const ordered = order.reduce(foldContainerEvent, found(running));
    const facts = found({ ...running, startedAt: now - 40_000 }, ordered);
    expect(judge(facts)).toEqual({
      verdict: 'fail',
      reason:
        'subnet1 was restarted on request 40s ago (11:59:20 UTC), by a person, a program or a start of Docker, and runs; if that was planned there is nothing to do, and this passes in 4m 20s',
    });
  });

  test('with Docker itself says so, where nothing listened on the socket of the engine then', () => {
    const fault = (code: 'ENOENT' | 'ECONNREFUSED' | 'timeout', address = 'unix:/var/run/docker.sock') => ({
      address,
      code,
    });
    const withOutage = (why: ReturnType<typeof fault>, afterMs: number) => {
      const ordered = order.reduce(foldContainerEvent, found(running));
      const down = [0, 12_000].reduce(
        (facts: ContainerFacts, ms) =>
          foldContainer(facts, { kind: 'docker-unreachable', why }, orderedAt + afterMs + ms),
        ordered,
      );
      const ended = found(
        { ...running, running: false, status: 'exited', exitCode: 137, finishedAt: orderedAt + 200 },
        down,
      );
      return [judge(ended).reason, judge(found({ ...running, startedAt: now - 20_000 }, ended)).reason];
    };
    expect(withOutage(fault('ENOENT'), 1_000)).toEqual([
      'subnet1 was stopped at 2026-03-01T11:59:19Z as Docker itself was; start it with `docker start subnet1`',
      'subnet1 was restarted with Docker itself 20s ago (11:59:40 UTC), and runs; if that was planned there is nothing to do, and this passes in 4m 40s',
    ]);
    // It may answer for seconds while it stops its containers, or be seen to be silent before it has.
    for (const afterMs of [-11_000, 15_000])
      expect(withOutage(fault('ECONNREFUSED'), afterMs)[0]).toContain('as Docker itself was');
    for (const afterMs of [-11_900, 15_200])
      expect(withOutage(fault('ECONNREFUSED'), afterMs)[0]).toContain('on request');
    // It was busy, or a proxy was stopped too.
    for (const why of [fault('timeout'), fault('ECONNREFUSED', 'http://10.0.0.2:2375')])
      expect(withOutage(why, 1_000).map((reason) => reason.includes('on request'))).toEqual([true, true]);
  });

  test('by being recreated says so, and that there is nothing to do if that was planned', () => {
    const ordered = order.reduce(foldContainerEvent, found(running));
    const facts = found({ ...running, id: 'b', startedAt: now - 40_000 }, ordered);
    expect(judge(facts)).toEqual({
      verdict: 'fail',
      reason:
        'subnet1 was recreated 40s ago (11:59:20 UTC), as `docker compose up` does after a change, and runs; if that was planned there is nothing to do, and this passes in 4m 20s',
    });
  });

  test('by its policy again after it was recreated says how it ended', () => {
    const died = foldContainerEvent(found(running), { action: 'die', id: 'b', exitCode: 2, at: now - 40_100 });
    const withCount = (restartCount: number) =>
      judge(found({ ...running, id: 'b', startedAt: now - 40_000, restartCount }, died)).reason;
    // It was made anew on order, which is no restart by Docker.
    expect(withCount(2)).toContain('after exit code 2 (an error); Docker has restarted it 2 times; read why');
    expect(withCount(1)).toBe(
      'subnet1 runs but restarted 40s ago (11:59:20 UTC) after exit code 2 (an error); read why it ended with `docker logs --tail 100 subnet1`',
    );
  });

  test('while it waits for its next restart counts that one only when it has started', () => {
    const waits = found(stopped('restarting', { exitCode: 0, restartCount: 1 }), found(running));
    const { reason } = judge(found({ ...running, startedAt: now - minute, restartCount: 1 }, waits));
    expect(reason).toMatch(/^subnet1 runs but restarted 1m ago \(11:59:00 UTC\) after exit code 0 \([^)]*\); read/);
  });

  test('says that it ran out of memory when Docker said so', () => {
    const events = [
      { action: 'oom', id: 'a', at: now - minute - 120 },
      { action: 'die', id: 'a', exitCode: 137, at: now - minute - 100 },
    ];
    const killed = events.reduce(foldContainerEvent, found(running));
    const { reason } = judge(found({ ...running, startedAt: now - minute, restartCount: 1 }, killed));
    expect(reason).toContain('out of memory (OOMKilled)');
    expect(reason).not.toContain('docker stop');
  });
});

test('kills inside a running container are reported, and do not fail it', () => {
  const facts = foldContainerEvent(found(running), { action: 'oom', id: 'a', at: now });
  expect(judge(facts)).toEqual({
    verdict: 'pass',
    reason: 'subnet1 has been running for 1h, after 1 out-of-memory kill seen',
  });
});

describe('while Docker cannot be asked the verdict is unknown', () => {
  const unix = 'unix:///var/run/docker.sock';
  test.each<readonly [DockerFault, readonly string[]]>([
    [{ address: unix, code: 'ENOENT' }, ['no such socket', 'systemctl start docker', 'docker.socketPath']],
    [{ address: unix, code: 'EACCES' }, ['permission denied', 'usermod -aG docker', 'socket proxy']],
    [{ address: unix, code: 'ECONNREFUSED' }, ['nothing listens', 'systemctl start docker']],
    [{ address: 'tcp://10.0.0.1:2375', code: 'ECONNREFUSED' }, ['refused', 'docker.host']],
    [{ address: unix, code: 'timeout' }, ['in time', `docker -H ${unix} ps`]],
    [{ address: unix, code: 'timeout', answersOthers: true }, ['not about this container in time', '`docker inspect`']],
    [{ address: 'ssh://10.0.0.2:22', code: 'ECONNREFUSED' }, ['refused', 'start sshd', 'docker.ssh']],
    [
      { address: 'ssh://10.0.0.2:22', code: 'timeout' },
      ['in time', '`ssh -p 22 10.0.0.2 docker ps` answers, and read `journalctl -u docker` there'],
    ],
    [
      { address: 'ssh://10.0.0.2:22', code: 'other' },
      ['not a Docker Engine, or breaks off', '`ssh -p 22 10.0.0.2 docker ps -a` says'],
    ],
    [{ address: 'ssh://h:22', code: 'ssh-unreachable' }, ['no ssh server answers', '`ssh -v -p 22 h`']],
    [{ address: 'ssh://[::1]:2222', code: 'ssh-unknown-host' }, ['`ssh-keyscan -p 2222 ::1`', 'docker.knownHosts']],
    [{ address: 'ssh://[::1]:2222', code: 'ssh-changed-host' }, ["`ssh-keygen -R '[::1]:2222'`", 'intercepting']],
    [{ address: 'ssh://h:22', code: 'ssh-changed-host' }, ['`ssh-keygen -R h`']],
    [{ address: 'ssh://h:22', code: 'ssh-no-key' }, ['docker.identityFile', 'SSH_AUTH_SOCK']],
    [{ address: 'ssh://h:22', code: 'ssh-bad-key' }, ['docker.identityFile', 'docker.passphraseFile']],
    [{ address: 'ssh://h:22', code: 'ssh-no-agent' }, ['SSH_AUTH_SOCK', 'docker.identityFile']],
    [{ address: 'ssh://h:22', code: 'ssh-denied' }, ['accepts no key', 'authorized_keys']],
    [{ address: 'ssh://h:22', code: 'ssh-no-program' }, ['`docker system dial-stdio`', '`ssh -p 22 h docker version`']],
    [{ address: 'ssh://h:22', code: 'ssh-no-right' }, ['usermod -aG docker']],
    [{ address: 'ssh://h:22', code: 'ssh-engine-down' }, ['systemctl start docker', 'journalctl -u docker']],
    [
      { address: unix, code: 'timeout' },
      ['in time', `\`docker -H ${unix} ps\` answers, and read \`journalctl -u docker\``],
    ],
    [{ address: unix, code: 'other' }, ['not a Docker Engine, or refuses', `docker -H ${unix} ps -a`, 'socket proxy']],
  ])('by $code at $address, with what to do', (why, wanted) => {
    const { verdict, reason } = judge(factsOf({ kind: 'docker-unreachable', why }, found(running)));
    expect(verdict).toBe('unknown');
    for (const part of [why.address, ...wanted]) expect(reason).toContain(part);
  });
});

test('every reason is one sentence, and a container passes only when it runs', () => {
  const containers = fc.record({
    id: fc.constantFrom('a', 'b'),
    name: fc.constant('subnet1'),
    running: fc.boolean(),
    status: fc.constantFrom('running', 'exited', 'paused', 'restarting', 'created', 'dead', 'removing'),
    startedAt: fc.integer({ min: now - 600_000, max: now }),
    oomKilled: fc.boolean(),
    restartCount: fc.nat(5),
    exitCode: fc.constantFrom(0, 1, 2, 137, 143),
  });
  fc.assert(
    fc.property(fc.array(containers, { minLength: 1, maxLength: 5 }), (sequence) => {
      const facts = sequence.reduce<ContainerFacts | undefined>((last, container) => found(container, last), undefined);
      const { verdict, reason } = judge(facts);
      if (sequence.at(-1)?.running !== true) expect(verdict).toBe('fail');
      expect(reason).not.toMatch(/\n|undefined|NaN|\.$/);
    }),
  );
});
