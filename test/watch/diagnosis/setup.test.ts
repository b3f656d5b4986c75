import { describe, expect, test } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type {
  ContainerSetup,
  EngineSetup,
  ListedContainer,
  ProjectSetup,
  SetupObservation,
  TargetSetup,
} from '../../../src/model/setup.ts';
import { type ContainerRef, DEFAULT_SETTINGS, targetKey } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { toContainerSetup } from '../../../src/watch/docker/container-setup.ts';
import { containerOf, diagnosedNode, diagnosedService, type Given, listCauses, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const NETHERMIND = { name: 'nethermind', version: 'Nethermind/v1.40.0/linux-x64/dotnet10.0.1' } as const;
const FOUR = NAMES.map((name) => diagnosedNode(name, NAMES));

/** What was read beside the targets. */
type Beside = Partial<Omit<SetupObservation, 'targets'>>;

/** The findings in a subnet of these targets that are set up so, by the name of the target. */
function found(
  setups: Readonly<Record<string, TargetSetup>>,
  targets: readonly KnownTarget[] = FOUR,
  beside: Beside = {},
) {
  const read = targets.map(({ target }) => [targetKey(target), setups[target.name] ?? {}] as const);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    targets: targets.map(({ target }) => target),
    settings: DEFAULT_SETTINGS,
  };
  const observation = { engines: new Map(), named: [], ...beside, targets: new Map(read) };
  const setup = { observation, at: NOW };
  return listCauses(viewSubnet(subnet, judgeTargets(targets, NOW), NOW, { setup })).map(
    ({ problem, name, summary, evidence, fix }) => [problem, name, summary, evidence, fix],
  );
}

const made = (name: string, over: Partial<ContainerSetup> = {}): TargetSetup => ({
  container: {
    ok: true,
    value: {
      id: name,
      name: `generated-${name}-1`,
      image: 'xinfinorg/xdcsubnets:v0.3.2',
      imageId: `sha256:${'a'.repeat(64)}`,
      log: { driver: 'json-file', isReadable: true, rotation: { fileBytes: 20e6, files: 5 } },
      published: [],
      ports: { rpc: 8545, ws: 9555, p2p: 20303 },
      ...over,
    },
  },
});
const all = (setupOf: (name: string) => TargetSetup, names = NAMES) =>
  Object.fromEntries(names.map((name) => [name, setupOf(name)]));

const runs = (commit: string): TargetSetup => ({
  client: {
    ok: true,
    value: { version: { ok: true, value: `XDC/v2.0.0-unstable-${commit}/linux-amd64/go1.21.13` }, tookMs: [2, 1, 1] },
  },
});

/** The same nodes, the last of which runs another client. */
const MIXED = FOUR.map((one, index) =>
  index < 3 ? one : { ...one, facts: { ...one.facts, node: { ...one.facts.node, client: NETHERMIND } } },
) as readonly KnownTarget[];

describe('the versions of the clients', () => {
  test('are compared among the nodes of one client, and so are their images', () => {
    const nethermind: TargetSetup = {
      ...made('n4', { image: 'nethermindeth/nethermind', imageId: `sha256:${'b'.repeat(64)}` }),
      client: { ok: true, value: { version: { ok: true, value: NETHERMIND.version }, tookMs: [1] } },
    };
    const same = all((name) => ({ ...made(name), ...runs('aa') }));
    expect(found({ ...same, n4: nethermind }, MIXED)).toEqual([]);
    expect(found({ ...same, n2: { ...made('n2'), ...runs('bb') }, n4: nethermind }, MIXED)).toMatchObject([
      ['client_versions_differ', undefined, expect.any(String), expect.not.stringContaining('n4'), expect.any(String)],
    ]);
  });

  test('that differ are one finding, with the nodes of each', () => {
    expect(found({ n1: runs('aa'), n2: runs('aa'), n3: runs('bb'), n4: runs('aa') })).toEqual([
      [
        'client_versions_differ',
        undefined,
        'the nodes run different versions of the client',
        '3 nodes run XDC/v2.0.0-unstable-aa/linux-amd64/go1.21.13 (n1, n2, n4), 1 runs XDC/v2.0.0-unstable-bb/linux-amd64/go1.21.13 (n3)',
        'give n3 the line `image:` of n1 in docker-compose.yml, or the others that of n3, and run `HOSTPWD=$PWD docker compose -p generated up -d n3` in the folder of its compose file, one node after another',
      ],
    ]);
  });

  test('count of a node that hangs as it last gave them, and are those of its last answer rather than of its set-up', () => {
    const last = (name: string, commit: string, given: Given = {}) => {
      const known = diagnosedNode(name, NAMES, given);
      const client = { name: 'xdc-subnet', version: `XDC/${commit}` };
      return { ...known, facts: { ...known.facts, node: { ...known.facts.node, client } } } as KnownTarget;
    };
    const hangs: Given = { fault: { kind: 'timeout', address: 'http://n4', afterMs: 5_000, received: false } };
    const silent: TargetSetup = { client: { ok: false, why: 'it does not answer' } };
    const [n1, n2, n3] = [last('n1', 'aa'), last('n2', 'aa'), last('n3', 'aa')] as const;
    const evidenceOf = (setups: Readonly<Record<string, TargetSetup>>, n4: KnownTarget) =>
      found(setups, [n1, n2, n3, n4]).flatMap(([problem, , , seen]) =>
        problem === 'client_versions_differ' ? seen : [],
      );
    expect(evidenceOf({ n4: silent }, last('n4', 'bb', hangs))).toEqual([
      '3 nodes run XDC/aa (n1, n2, n3), 1 runs XDC/bb (n4)',
    ]);
    // What was started since may be of another version.
    const anew = last('n4', 'bb', { ...hangs, container: { startedAt: NOW - 1_000 } });
    const latest = anew.facts.node?.latest && { ...anew.facts.node.latest, lastGoodAt: NOW - 2_000 };
    const unasked = { ...anew, facts: { ...anew.facts, node: { ...anew.facts.node, latest } } } as KnownTarget;
    expect(evidenceOf({ n4: silent }, unasked)).toEqual([]);
    expect(evidenceOf({ n4: runs('bb') }, last('n4', 'aa'))).toEqual([]);
  });

  test('that are the same, or that a node does not give, are not a finding', () => {
    const silent: TargetSetup = { client: { ok: false, why: 'it does not answer' } };
    expect(found({ n1: runs('aa'), n2: runs('aa'), n3: silent })).toEqual([]);
  });
});

test('images with different content are a finding, unless the versions show it', () => {
  const other = { imageId: `sha256:${'b'.repeat(64)}` };
  const images = { ...all((name) => made(name)), n2: made('n2', other) };
  // What has not said which client it is may be another one than those that have.
  const known = (name: string) => diagnosedNode(name, NAMES, name === 'n2' ? {} : { client: 'xdc-subnet' });
  expect(found(images, NAMES.map(known))).toEqual([]);
  expect(found(images)).toEqual([
    [
      'images_differ',
      undefined,
      'the containers of the nodes are made from different images',
      '3 nodes have xinfinorg/xdcsubnets:v0.3.2 with the content sha256:aaaaaaaaaaaa… (n1, n3, n4), 1 has xinfinorg/xdcsubnets:v0.3.2 with the content sha256:bbbbbbbbbbbb… (n2)',
      'pull the image of the other nodes for n2 with `docker compose pull`, name it in docker-compose.yml by a tag that does not move, and run `HOSTPWD=$PWD docker compose -p generated up -d n2` in the folder of its compose file, one node after another',
    ],
  ]);
  const both = {
    ...all((name) => ({ ...made(name), ...runs('aa') })),
    n2: { ...made('n2', other), ...runs('bb') },
  };
  expect(found(both).map(([problem]) => problem)).toEqual(['client_versions_differ']);
  expect(found(all((name) => made(name)))).toEqual([]);
});

test('consensus settings that differ on one chain are a finding, those of another chain are not', () => {
  const settings = { minePeriodMs: 2_000, timeoutPeriodMs: 20_000, certificateThreshold: 0.667, epoch: 900, gap: 450 };
  const with4 = (chain: Partial<ChainObservation>) => [
    ...FOUR.slice(0, 3),
    diagnosedNode('n4', NAMES, { chain: { consensus: settings, ...chain } }),
  ];
  expect(found({}, with4({}))).toEqual([
    [
      'consensus_differs',
      undefined,
      'the nodes follow different consensus settings',
      '3 nodes have a mine period of 2s, a timeout of 10s, the threshold 0.667, epochs of 900 blocks, a gap of 450 blocks (n1, n2, n3), 1 has a mine period of 2s, a timeout of 20s, the threshold 0.667, epochs of 900 blocks, a gap of 450 blocks (n4)',
      'compare genesis.json of n4 with that of n1 by `sha256sum genesis.json`, put the right file in its place, and run `HOSTPWD=$PWD docker compose -p generated up -d n4` in the folder of its compose file, one node after another',
    ],
  ]);
  expect(found({}, with4({ genesis: '0xother' })).map(([problem]) => problem)).not.toContain('consensus_differs');
  // What it said before its container was started is of another one, perhaps with another genesis.
  const [n4] = with4({}).slice(3);
  const since = (startedAt: number) =>
    ({ ...n4, facts: { ...n4?.facts, container: containerOf('n4', { startedAt }) } }) as KnownTarget;
  const saidAt = n4?.facts.node?.chain?.at ?? 0;
  const differs = (startedAt: number) =>
    found({}, [...FOUR.slice(0, 3), since(startedAt)]).some(([problem]) => problem === 'consensus_differs');
  expect([differs(saidAt), differs(saidAt + 1)]).toEqual([true, false]);
});

describe('published ports', () => {
  const publish = (containerPort: number, hostIp = '0.0.0.0', protocol = 'tcp') => ({
    ...{ containerPort, hostPort: containerPort, hostIp, protocol },
  });

  test('on all addresses are one finding that names the line of the compose file', () => {
    const both = ['0.0.0.0', '::'].flatMap((ip) => [publish(8545, ip), publish(9555, ip), publish(20303, ip)]);
    const stats = diagnosedService('stats');
    expect(
      found({ n1: made('n1', { published: both }), stats: made('stats', { published: [publish(5213)], ports: {} }) }, [
        ...FOUR,
        stats,
      ]),
    ).toEqual([
      [
        'ports_published',
        undefined,
        'Docker publishes ports to everybody who reaches its machine',
        'published on all addresses: n1 (8545, RPC; 9555, WebSocket), stats (5213, the stats server)',
        'below `ports:` in docker-compose.yml write the address before the port, for n1 `127.0.0.1:8545:8545` in place of `8545:8545`, or the address of a private network, and run `HOSTPWD=$PWD docker compose -p generated up -d n1` in the folder of its compose file; a firewall such as ufw does not stop what Docker publishes',
      ],
    ]);
  });

  test('on one address, of p2p, by udp, and of the frontend are none', () => {
    const published = [
      publish(8545, '127.0.0.1'),
      publish(9555, '10.0.0.5'),
      publish(20303),
      publish(8545, '::', 'udp'),
    ];
    expect(
      found({ n1: made('n1', { published }), frontend: made('frontend', { published: [publish(5214)], ports: {} }) }, [
        ...FOUR,
        diagnosedService('frontend'),
      ]),
    ).toEqual([]);
  });
});

describe('the log of a container', () => {
  const log = (fileBytes: number, files: number) => ({
    log: { driver: 'json-file', isReadable: true, rotation: { fileBytes, files } },
  });

  test('of which Docker keeps less than a busy node prints in minutes is a finding', () => {
    expect(found({ n1: made('n1', log(50_000, 1)), n2: made('n2', log(500_000, 2)) })).toEqual([
      [
        'log_rotation_small',
        'n1',
        'Docker keeps too little of the log of n1',
        'Docker keeps 1 file of 50 kB of generated-n1-1, which a busy node fills in 10s',
        'write `logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }` below n1 in docker-compose.yml, and run `HOSTPWD=$PWD docker compose -p generated up -d n1` in the folder of its compose file',
      ],
    ]);
  });

  test('that is never cut is one finding for all', () => {
    const endless = { log: { driver: 'json-file', isReadable: true } };
    const journal = { log: { driver: 'journald', isReadable: true } };
    expect(
      found({ n1: made('n1', endless), n2: made('n2', endless), n3: made('n3', journal), n4: made('n4') }),
    ).toEqual([
      [
        'log_rotation_missing',
        undefined,
        'Docker never throws log lines away, so they fill the disk',
        'the log driver json-file has no max-size for 2 of 4 containers: n1, n2',
        'write `"log-opts": { "max-size": "20m", "max-file": "5" }` into /etc/docker/daemon.json and restart Docker, or `logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }` below each service in docker-compose.yml; then recreate each container, for n1: run `HOSTPWD=$PWD docker compose -p generated up -d n1` in the folder of its compose file',
      ],
    ]);
  });

  test('of Podman is no finding, as Podman tells of each driver as json-file without options', () => {
    const logOf = (Env: readonly string[]) =>
      toContainerSetup(
        { id: 'a', name: 'n' },
        { Config: { Env }, HostConfig: { LogConfig: { Type: 'json-file', Config: null } } },
        true,
      ).log;
    const of = (...env: readonly string[]) =>
      found({ n1: made('n1', { log: logOf(env) }) }).map(([problem]) => problem);
    expect(of('PATH=/bin')).toEqual(['log_rotation_missing']);
    expect(of('PATH=/bin', 'container=podman')).toEqual([]);
  });

  test('of a bootnode that prints no pings is a finding', () => {
    const { target } = diagnosedService('stats');
    const bootnode: KnownTarget = {
      target: { ...target, component: 'bootnode', name: 'bootnode', container: { name: 'boot' } },
      facts: {},
    };
    const at = (verbosity: number) => found({ bootnode: made('bootnode', { verbosity }) }, [...FOUR, bootnode]);
    expect(at(4)).toEqual([
      [
        'bootnode_log_quiet',
        'bootnode',
        'the log of the bootnode does not show whom it hears',
        'generated-bootnode-1 runs with -verbosity 4, and pings are printed from 5 on',
        'write `command: ["-verbosity", "6", "-nodekey", "bootnode.key"]` below bootnode in docker-compose.yml, and recreate the container boot',
      ],
    ]);
    expect(at(5)).toEqual([]);
  });
});

describe('an engine', () => {
  const engineOf = (value: Partial<EngineSetup>): Beside => ({
    engines: new Map([['default', { ok: true, value: { projects: [], ...value } }]]),
  });

  test('whose clock differs by seconds from ours is a finding', () => {
    expect(found({}, FOUR, engineOf({ clockAheadMs: -12_300 }))).toEqual([
      [
        'docker_clock_skewed',
        undefined,
        'the clock of Docker differs from that of subnetd',
        'by the times of their answers, that of the engine default is 12s behind ours',
        'see on both machines which clock is wrong with `chronyc tracking`, and set it with `chronyc makestep`; until then the times of containers and of their log lines are wrong by as much',
      ],
    ]);
    expect(found({}, FOUR, engineOf({ clockAheadMs: 4_900 }))).toEqual([]);
  });

  test('with containers of a project that the inventory lacks is a finding, but for those that have done their work', () => {
    const list = (service: string, over: Partial<ListedContainer> = {}): ListedContainer => ({
      ...{ name: `generated-${service}-1`, service, status: 'running', isIgnored: false },
      ...over,
    });
    const containers = [
      list('n1'),
      list('n5'),
      list('csc', { status: 'exited', exitCode: 0 }),
      list('faucet', { status: 'exited', exitCode: 1 }),
      list('new', { status: 'created' }),
      list('monitor', { isIgnored: true }),
    ];
    const seen = engineOf({ projects: [{ project: 'generated', containers }] });
    const named = FOUR.flatMap(({ target }) => target.container ?? []);
    expect(found({}, FOUR, { ...seen, named })).toEqual([
      [
        'containers_unlisted',
        undefined,
        'the inventory lacks containers of its compose projects',
        'not in the inventory: generated-n5-1 (running), generated-faucet-1 (exited with code 1)',
        'add what belongs to the subnet to the inventory, as with `container: { project: generated, service: n5 }`; give anything else the label `subnetd.ignore: "true"` in docker-compose.yml',
      ],
    ]);
    // A subnet has its own containers at hand, and asks for the others only.
    let reads = 0;
    const count = () => {
      reads += 1;
      return 'other';
    };
    const others = Object.defineProperty({ service: 'x' }, 'project', { get: count }) as ContainerRef;
    found({}, FOUR, { ...seen, named: [others] });
    expect(reads).toBe(2);
    const elsewhere = { project: 'generated', service: 'n5', engine: 'machine2' };
    const listed = [...named, { name: 'generated-faucet-1' }, { project: 'generated', service: 'n5' }];
    expect(found({}, FOUR, { ...seen, named: [...named, elsewhere] })).toHaveLength(1);
    expect(found({}, FOUR, { ...seen, named: listed })).toEqual([]);
  });
});

test('a folder that differs from its containers is one finding of the subnet, in the words of the comparison', () => {
  const texts = { evidence: 'common.env:24 sets NETWORK_ID to 5', fix: 'correct it' };
  const withDrift = (drift: ProjectSetup['drift']): Beside => ({
    engines: new Map([
      [
        'default',
        { ok: true, value: { projects: [{ project: 'generated', containers: [], ...(drift && { drift }) }] } },
      ],
    ]),
  });
  expect(found({}, FOUR, withDrift({ ok: true, value: texts }))).toEqual([
    ['deployment_differs', undefined, 'the folder of the deployment is not what runs', ...Object.values(texts)],
  ]);
  expect(found({}, FOUR, withDrift({ ok: true, value: undefined }))).toEqual([]);
  // Of a container that is made anew since it was compared nothing is said, until the next comparison.
  const stats = diagnosedService('stats');
  const compared = (id: string, container = stats.facts.container) => {
    const targets = [...FOUR, { ...stats, facts: { ...stats.facts, container } } as KnownTarget];
    const setups = { ...all(made), stats: made('stats', { id }) };
    const told = found(setups, targets, withDrift({ ok: true, value: texts })).map(([problem]) => problem);
    return told.includes('deployment_differs');
  };
  expect([compared('stats'), compared('before')]).toEqual([true, false]);
  // Docker, which does not answer, says of none that it was made anew.
  const { observation: _, ...unseen } = stats.facts.container ?? {};
  expect(compared('before', unseen as KnownTarget['facts']['container'])).toBe(true);
  expect(found({}, FOUR, withDrift({ ok: false, why: '/srv/generated does not exist' }))).toEqual([]);
});

describe('a slow node', () => {
  const took = (...tookMs: number[]): TargetSetup => ({
    client: { ok: true, value: { version: { ok: true, value: 'XDC' }, tookMs } },
  });

  test('is one that takes a second, or ten times as long as the others', () => {
    const usual = { n1: took(8, 12, 9), n2: took(10, 11, 9), n4: took(8, 8, 8) };
    expect(found({ ...usual, n3: took(90, 800, 130) })).toEqual([
      [
        'node_slow',
        'n3',
        'n3 answers slowly',
        'of 3 requests in a row the median took 130ms and the longest 800ms; the median of all nodes is 9ms, measured just now (02:46:40 UTC)',
        'look at the processor, the disk and the network of its machine, and run `docker compose -p generated logs --tail 50 n3`',
      ],
    ]);
    const fast = found({ n1: took(0.3), n2: took(0.999), n3: took(130, 130, 130), n4: took(0.4) });
    expect(fast.map(([, , , evidence]) => evidence)).toEqual([
      'of 3 requests in a row the median took 130ms and the longest 130ms; the median of all nodes is under 1 ms, measured just now (02:46:40 UTC)',
    ]);
    const even = found({ n1: took(1), n2: took(1), n3: took(130), n4: took(1) });
    expect(even.map(([, , , evidence]) => evidence)).toEqual([
      expect.stringMatching(/; the median of all nodes is 1ms, measured /),
    ]);
    expect(found({ ...usual, n3: took(99, 95, 2_000) })).toEqual([]);
    expect(found({ ...usual, n3: took(100, 100, 100) })).toHaveLength(1);
    const slow = found(all(() => took(1_200, 1_000, 900)));
    expect(slow.map(([, name]) => name)).toEqual(NAMES);
  });
});

test('a log driver that keeps nothing to read is why a log cannot be read', () => {
  const read = { up: true, lines: 9, since: 0 };
  const unread = { container: { ...read, up: false, fault: { what: 'broken' } } } as const;
  const n1 = { ...(FOUR[0] as KnownTarget) };
  const blind = [{ ...n1, facts: { ...n1.facts, logs: { sources: unread, patterns: {} } } }, ...FOUR.slice(1)];
  const withDriver = (driver: string, isReadable: boolean) =>
    found({ n1: made('n1', { log: { driver, isReadable } }) }, blind).map(([, , , evidence, fix]) => [evidence, fix]);
  const cannot = 'the log of the service n1 of the compose project generated cannot be read: ';
  const fix =
    'write `logging: { driver: json-file, options: { max-size: 20m, max-file: "5" } }` below n1 in docker-compose.yml, and run `HOSTPWD=$PWD docker compose -p generated up -d n1` in the folder of its compose file';
  expect(withDriver('none', false)).toEqual([
    [`${cannot}its log driver is none, of which Docker keeps nothing to read`, fix],
  ]);
  expect(withDriver('syslog', false)).toEqual([
    [`${cannot}its log driver is syslog, of which Docker keeps nothing to read, as cache-disabled is set`, fix],
  ]);
  expect(withDriver('local', true)[0]?.[0]).toBe(`${cannot}Docker refuses it, or breaks off while it is read`);
});

describe('a node of Nethermind whose engine is off', () => {
  const lacking = (client: 'nethermind' | 'xdc-subnet', consensus: 'module-off' | 'method-not-found' | 'error') =>
    NAMES.map((name) =>
      name === 'n4'
        ? diagnosedNode(name, NAMES, { client, chain: { consensus: undefined, missing: { consensus } } as object })
        : diagnosedNode(name, NAMES),
    );
  const engineOff = (...asked: Parameters<typeof lacking>) =>
    found({}, lacking(...asked)).filter(([problem]) => problem === 'engine_off');

  test('is found, with the line for its configuration', () => {
    expect(engineOff('nethermind', 'module-off')).toEqual([
      [
        'engine_off',
        'n4',
        'n4 does not serve the methods of the consensus engine',
        'n4 gives its blocks, but its module for XDPoS_networkInformation is off, so it tells nothing about masternodes, missed rounds and votes',
        'add "Xdc" to JsonRpc.EnabledModules in xdc-nmc-subnet.json and recreate n4; in an older file, which lacks that line, write all of them: ["Xdc", "Eth", "Subscribe", "Trace", "TxPool", "Web3", "Proof", "Net", "Parity", "Health", "Rpc"]',
      ],
    ]);
  });

  test('is found too where it does not know the methods at all, which a wrong prefix also causes', () => {
    const [[, , , evidence, fix] = []] = engineOff('nethermind', 'method-not-found');
    expect(evidence).toContain('n4 gives its blocks, but it does not know XDPoS_networkInformation, so it tells');
    expect(fix).toMatch(/, or correct consensus in the inventory$/);
  });

  test('is not found where that call fails by itself', () => {
    expect(engineOff('nethermind', 'error')).toEqual([]);
  });
});
