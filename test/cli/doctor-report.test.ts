import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeReport } from '../../src/cli/doctor.ts';
import { listFindings } from '../../src/cli/list-findings.ts';
import type { Facts, KnownTarget } from '../../src/model/facts.ts';
import { type ProblemKind, problemCatalog } from '../../src/model/problem-catalog.ts';
import type { ProjectSetup, SetupObservation, TargetSetup } from '../../src/model/setup.ts';
import { DEFAULT_SETTINGS, type Target, targetKey } from '../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../src/watch/diagnosis/diagnose-subnet.ts';
import { diagnosedNode, NOW } from '../support/diagnosed.ts';
import { judgeTargets } from '../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const FOUR = NAMES.map((name) => diagnosedNode(name, NAMES));

const WELL: TargetSetup = {
  client: { ok: true, value: { version: { ok: true, value: 'XDC' }, tookMs: [2, 1, 1] } },
  container: {
    ok: true,
    value: {
      ...{ id: 'a', name: 'a', published: [], ports: {} },
      log: { driver: 'local', isReadable: true, rotation: { fileBytes: 20e6, files: 5 } },
    },
  },
};

/** What the doctor says of a subnet in which this is known. */
function examine(
  targets: readonly KnownTarget[],
  setups: Readonly<Record<string, TargetSetup>> = {},
  engines: SetupObservation['engines'] = new Map([['default', { ok: true, value: { clockAheadMs: 0, projects: [] } }]]),
  monitor?: SetupObservation['monitor'],
) {
  const states = judgeTargets(targets, NOW);
  const read = targets.map(({ target }) => [targetKey(target), setups[target.name] ?? WELL] as const);
  const observation = { targets: new Map(read), engines, named: [], ...(monitor && { monitor }) };
  const facts = { setup: { observation, at: NOW } };
  const all: readonly Target[] = targets.map(({ target }) => target);
  const subnet = { name: 'devnet', consensus: 'XDPoS', targets: all, settings: DEFAULT_SETTINGS };
  const { problems } = diagnoseSubnet(subnet, states, NO_PROBLEMS, NOW, { facts });
  return listFindings([{ subnet, targets: states, facts, problems }]);
}

const withFacts = ({ target, facts }: KnownTarget, over: Partial<Facts>): KnownTarget => ({
  target,
  facts: { ...facts, ...over },
});
const others = FOUR.filter(({ target }) => target.name !== 'n2');
const n2 = diagnosedNode('n2', NAMES);

describe('the report', () => {
  test('of a subnet that is well says how much was examined', () => {
    const report = examine(FOUR);
    expect(report.findings).toEqual([]);
    expect(describeReport(report).at(-1)).toBe('nothing to change: 30 things were examined');
  });

  test('lists the worst first, each with what was seen and what to do', () => {
    const old: TargetSetup = { client: { ok: true, value: { version: { ok: true, value: 'old' }, tookMs: [1] } } };
    const stopped = diagnosedNode('n3', NAMES, {
      container: { running: false, status: 'exited', exitCode: 137, finishedAt: NOW - 70_000 },
      fault: { kind: 'refused', address: 'http://192.0.2.1:853' },
    });
    const lines = describeReport(examine([...FOUR.filter(({ target }) => target.name !== 'n3'), stopped], { n1: old }));
    const titles = lines.filter((line) => /^(?:\w|\s\s\w)/.test(line) && !line.startsWith('not examined'));
    expect(titles).toEqual([
      'Critical',
      '  devnet: no further node may fail',
      'Warning',
      '  devnet n3: the container of n3 does not run',
      'Info',
      '  devnet: the nodes run different versions of the client',
      '3 findings: 1 critical, 1 warning, 1 info; 28 things were examined, 1 could not be',
    ]);
    expect(lines).toContain(
      '    seen: generated-n3-1 exited at 1970-01-01T02:45:30Z with code 137 (killed, as a plain docker stop does; Docker does not report it as out of memory)',
    );
    expect(lines.filter((line) => line.startsWith('    fix: '))).toHaveLength(3);
  });

  test('prints once what several nodes have alike', () => {
    const exposure: TargetSetup['exposure'] = {
      ok: true,
      value: { servedAt: [{ ip: '10.0.0.5', port: 8545 }], modules: ['admin', 'net'], anyOrigin: false },
    };
    const report = examine(FOUR, { n1: { ...WELL, exposure }, n3: { ...WELL, exposure }, n4: { ...WELL, exposure } });
    expect(report.findings.map(({ finding, name }) => [finding, name])).toEqual([['rpc_open', undefined]]);
    expect(describeReport(report).filter((line) => !line.startsWith('not examined'))).toEqual([
      'Info',
      '  devnet: the RPC of n1, n3, n4 serves admin beyond its own machine',
      '    seen: at 10.0.0.5:8545 (n1), 10.0.0.5:8545 (n3), 10.0.0.5:8545 (n4), each an address of a private network, each node serves admin without a password: anybody there can cut it off from its peers (admin_removePeer)',
      '    fix: set RPC_API=net in n1.env, n3.env, n4.env and recreate n1, n3, n4; what needs them can use its IPC',
      '',
      '',
      '1 finding: 1 info; 33 things were examined',
    ]);
  });

  test('names an engine that does not answer once, with what fails and the fix', () => {
    const fault = { address: 'unix:///var/run/docker.sock', code: 'EACCES' } as const;
    const blind = FOUR.map((one) =>
      withFacts(one, {
        container: {
          observation: { kind: 'docker-unreachable', why: fault },
          restarts: 0,
          oomKills: 0,
          inspected: true,
        },
      }),
    );
    const why = { ok: false, why: 'Docker cannot be asked' } as const;
    const report = examine(blind, {}, new Map([['default', why]]));
    expect(report.findings).toEqual([
      {
        finding: 'docker_unreachable',
        severity: 'warning',
        subnet: 'devnet',
        summary: 'the Docker Engine default cannot be asked, so nothing is known of 4 containers',
        evidence: 'Docker cannot be asked at unix:///var/run/docker.sock, permission denied',
        fix: 'let the user of subnetd into the group docker (`usermod -aG docker USER`, then restart subnetd), or point docker.host and docker.port in the inventory to a socket proxy',
      },
    ]);
    expect(describeReport(report)).toContain(
      'not examined: default (devnet): the containers of this engine, because Docker cannot be asked',
    );
  });

  test('has a finding for a log level that shows nothing, and one for an IPC socket that may not be opened', () => {
    const node = n2.facts.node as NonNullable<Facts['node']>;
    const denied = { kind: 'socket', path: '/srv/n2/XDC.ipc', state: 'denied', owner: 'root', mode: '600' } as const;
    const quiet = withFacts(n2, {
      node: {
        ...node,
        observation: {
          ...node.observation,
          peers: { ok: true, value: { count: 3, via: 'net_peerCount' } },
          ipcFault: denied,
        },
      },
      logs: { ...(n2.facts.logs as NonNullable<Facts['logs']>), node: {}, created: { level: 2 } },
    });
    expect(
      examine([...others, quiet]).findings.map(({ finding, name, evidence, fix }) => [finding, name, evidence, fix]),
    ).toEqual([
      [
        'check_degraded',
        undefined,
        'n2 has 3 peers by net_peerCount, which tells no more than a number, and its IPC socket is of no help: subnetd may not open the socket /srv/n2/XDC.ipc (it belongs to root, mode 600); n2 runs with log level 2, at which a healthy node is silent',
        'run subnetd as its owner, or take ipc out of the inventory; to see its blocks in the log set LOG_LEVEL=3 in n2.env and recreate the node, or add its xdc.log to logFiles',
      ],
    ]);
  });

  test('names what subnetd itself shows, once for the whole subnet, and says when that is not known', () => {
    const here = { servedAt: [{ ip: '10.0.0.5', port: 10_545 }] };
    expect(describeReport(examine(FOUR, {}, undefined, { ok: true, value: here })).slice(1, 4)).toEqual([
      '  devnet: subnetd itself shows all that it knows to anyone',
      '    seen: at 10.0.0.5:10545, an address of a private network, subnetd shows its metrics and pages without a password, with the addresses of all nodes and lines of their logs',
      '    fix: set SUBNETD_LISTEN=127.0.0.1:10545, or name a file with basic_auth_users and tls_server_config in SUBNETD_WEB_CONFIG, and start subnetd again',
    ]);
    const unknown = examine(FOUR, {}, undefined, { ok: false, why: 'nothing answers' });
    expect(describeReport(unknown).filter((line) => line.includes('subnetd'))).toEqual([
      'not examined: subnetd (devnet): what subnetd itself shows to anyone, because nothing answers; set SUBNETD_LISTEN as for the daemon',
    ]);
    expect(describeReport(unknown).at(-1)).toBe('nothing to change: 30 things were examined');
  });

  test('says of a folder that cannot be read that it was not compared, which is no failure', () => {
    const withDrift = (drift: ProjectSetup['drift']): SetupObservation['engines'] => {
      const projects = [{ project: 'generated', containers: [], ...(drift && { drift }) }];
      return new Map([['default', { ok: true, value: { clockAheadMs: 0, projects } }]]);
    };
    const report = examine(FOUR, {}, withDrift({ ok: false, why: '/srv/generated does not exist' }));
    expect(describeReport(report)).toContain(
      'not examined: generated (devnet): whether the folder of the deployment is what runs, because /srv/generated does not exist',
    );
    expect(describeReport(report).at(-1)).toBe('nothing to change: 30 things were examined');
    const read = examine(FOUR, {}, withDrift({ ok: true, value: undefined }));
    expect(describeReport(read).at(-1)).toBe('nothing to change: 31 things were examined');
  });

  test('never passes what could not be examined in silence', () => {
    const silent: TargetSetup = { client: { ok: false, why: 'it does not answer' } };
    const report = examine(FOUR, { n1: silent, n2: silent });
    expect(report.findings).toEqual([]);
    expect(report.unexamined.filter(({ failed }) => failed)).toEqual([
      {
        subnet: 'devnet',
        what: 'the client version, and how fast it answers',
        names: ['n1', 'n2'],
        because: 'it does not answer',
        failed: true,
      },
    ]);
    expect(describeReport(report).at(-1)).toBe(
      'nothing to change in what was seen: 26 things were examined, 2 could not be',
    );
  });
});

test('a subnet with findings about its set-up alone is well, and they are problems of severity info', () => {
  const log = { driver: 'json-file', isReadable: true };
  const endless = (id: string): TargetSetup => ({
    container: { ok: true, value: { id, name: id, published: [], ports: {}, log } },
  });
  const read = FOUR.map(({ target }) => [targetKey(target), endless(target.name)] as const);
  const observation = { targets: new Map(read), engines: new Map(), named: [] };
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: FOUR.map(({ target }) => target),
  };
  const diagnoseAt = (now: number, before = NO_PROBLEMS) =>
    diagnoseSubnet(subnet, judgeTargets(FOUR, NOW), before, now, { facts: { setup: { observation, at: NOW } } });
  const early = diagnoseAt(NOW - 30_000, diagnoseAt(NOW - 61_000));
  expect(early.problems.map(({ state }) => state)).toEqual(['suspected']);
  const { problems, headline } = diagnoseAt(NOW, early);
  expect(problems).toEqual([
    expect.objectContaining({
      ...{ problem: 'log_rotation_missing', severity: 'info', alert: 'SubnetSetupDrift', state: 'open' },
    }),
  ]);
  expect(headline).toMatchObject({ standing: 'ok', sentence: 'devnet is healthy: it can lose 1 more node' });
});

test('the page names every finding about the set-up', () => {
  const page = readFileSync(new URL('../../docs/doctor.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| `\w+`/.test(line) && !/`(?:findings|unexamined|examined)`/.test(line));
  const named = rows.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const isOfSetup = ([, { alert }]: [string, ProblemKind]) => ['SubnetSetupDrift', 'SubnetExposed'].includes(alert);
  const problems = Object.entries<ProblemKind>(problemCatalog).filter(isOfSetup);
  const own = ['check_failed', 'check_degraded', 'docker_unreachable', 'chainspec_differs', 'disk_low', 'memory_low'];
  expect(named.toSorted()).toEqual([...own, ...problems.map(([name]) => name)].toSorted());
});
