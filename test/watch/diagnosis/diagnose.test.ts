import { describe, expect, test } from 'vitest';
import type { ContainerFacts, Facts, KnownTarget } from '../../../src/model/facts.ts';
import type { Container, DockerFault, Fault } from '../../../src/model/observation.ts';
import { DEFAULT_SETTINGS, type NodeTarget } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import {
  containerOf,
  diagnosed,
  diagnosedService,
  listCauses,
  NOW,
  named as namesOf,
  STOPPED,
  withoutBlocks,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const STALL_MS = 60_000;

/** What is seen of a node: its height, since when it stands, and its peers; or a fault of the way to it. */
interface Given {
  readonly height?: number;
  readonly standsMs?: number;
  readonly peers?: number;
  readonly fault?: Fault;
  readonly container?: Partial<Container>;
}

const node = (
  name: string,
  { height = 100, standsMs = 2_000, peers = 3, fault, container: given }: Given,
): KnownTarget => {
  const at = NOW - standsMs;
  const target: NodeTarget = {
    subnet: 'devnet',
    component: 'node',
    name,
    rpc: `http://192.0.2.1:85${name.slice(-1)}`,
    container: { project: 'generated', service: name },
    consoleExec: false,
    expectedPeers: 3,
    logFiles: [],
    patterns: [],
  };
  const latest = { number: height, advancedAt: at, riseDueSince: at, passedAt: at, lastGoodAt: NOW, risen: true };
  return {
    target,
    facts: {
      container: containerOf(name, given),
      node: fault
        ? { observation: { answered: false, latest: { ok: false, fault } }, latest }
        : {
            observation: {
              answered: true,
              latest: { ok: true, value: { number: height } },
              peers: { ok: true, value: { count: peers, via: 'admin_peers' } },
            },
            latest,
          },
    },
  };
};

const found = (...nodes: readonly KnownTarget[]) => diagnosed(nodes);
const named = (...nodes: readonly KnownTarget[]) => namesOf(nodes);
const timeout = (name: string): Fault => ({ kind: 'timeout', address: name, afterMs: 5_000, received: false });
const down = (name: string): Given => ({ fault: { kind: 'unreachable', address: name }, container: STOPPED });

describe('a healthy subnet', () => {
  test('has no problem', () => {
    expect(found(node('subnet1', {}), node('subnet2', {}), node('subnet3', {}), node('subnet4', {}))).toEqual([]);
  });

  test('of a single node has no problem', () => {
    expect(found(node('subnet1', {}))).toEqual([]);
  });
});

describe('one of four', () => {
  test('stopped is a container that is down, and no further node may fail', () => {
    const problems = found(
      node('subnet1', { peers: 2 }),
      node('subnet2', down('subnet2')),
      node('subnet3', { peers: 2 }),
      node('subnet4', { peers: 2 }),
    );
    expect(problems.map(({ problem, summary, evidence, fix }) => [problem, summary, evidence, fix])).toEqual([
      [
        'container_down',
        'the container of subnet2 does not run',
        'generated-subnet2-1 exited at 1970-01-01T02:45:30Z with code 137 (killed, as a plain docker stop does; Docker does not report it as out of memory)',
        'start it with `docker start generated-subnet2-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-subnet2-1`',
      ],
      [
        'quorum_at_risk',
        'no further node may fail',
        '3 of 4 masternodes vote and 3 are needed, without subnet2, because the container of subnet2 does not run',
        'bring back subnet2 before any other work, and restart no other node; for subnet2: start it with `docker start generated-subnet2-1`',
      ],
    ]);
  });

  test('and one more, which stops now, leave too few votes before the halt is seen', () => {
    const problems = found(
      node('subnet1', { peers: 1 }),
      node('subnet2', down('subnet2')),
      node('subnet3', down('subnet3')),
      node('subnet4', { peers: 1 }),
    );
    expect(problems.find(({ problem }) => problem === 'quorum_at_risk')).toMatchObject({
      summary: 'too few nodes vote for another block',
      evidence:
        '2 of 4 masternodes vote and 3 are needed, without subnet2, subnet3, because the container of subnet2 does not run, the container of subnet3 does not run',
      fix: 'bring back subnet2, subnet3: 1 more must vote; restart no other node; for subnet2 and subnet3: start them with `docker start generated-subnet2-1 generated-subnet3-1`',
    });
  });

  test('frozen hangs, though its container runs', () => {
    const [first] = found(
      node('subnet1', {}),
      node('subnet2', { fault: timeout('subnet2') }),
      node('subnet3', {}),
      node('subnet4', {}),
    );
    expect(first).toMatchObject({
      problem: 'node_hanging',
      name: 'subnet2',
      evidence: 'the container of subnet2 is running, but subnet2 has not answered within 5s',
      fix: 'restart it with `docker restart generated-subnet2-1`; if it hangs again, check the disk and the processor of its machine',
    });
  });

  test('cut off long ago by its height is confirmed as soon as its last peer is gone', () => {
    const started = { startedAt: NOW - 600_000 };
    const [first] = found(
      node('subnet1', { peers: 2 }),
      node('subnet2', { peers: 0, standsMs: 90_000, height: 90, container: started }),
      node('subnet3', { peers: 2 }),
      node('subnet4', { peers: 2 }),
    );
    expect([first?.problem, first?.lastedMs]).toEqual(['node_partitioned', 90_000]);
  });

  test('cut off from its peers is not to be restarted, and explains the peers that the others miss', () => {
    const problems = found(
      node('subnet1', { peers: 2 }),
      node('subnet2', { peers: 0, standsMs: 90_000 }),
      node('subnet3', { peers: 2 }),
      node('subnet4', { peers: 2 }),
    );
    expect(problems.map(({ problem }) => problem)).toEqual(['node_partitioned', 'quorum_at_risk']);
    expect(problems[0]?.fix).toContain('a restart does not help');
    expect(problems[0]?.explains).toContainEqual({ component: 'node', name: 'subnet4', check: 'peers' });
  });

  test('that stands with all its peers is stalled', () => {
    expect(
      found(
        node('subnet1', {}),
        node('subnet2', { height: 90, standsMs: 90_000 }),
        node('subnet3', {}),
        node('subnet4', {}),
      )[0],
    ).toMatchObject({
      problem: 'node_stalled',
      evidence: 'subnet2 has been at block 90 for 1m 30s with 3 peers, while subnet1 rises',
    });
  });

  test('that stands for less than the limit is not a problem', () => {
    expect(
      named(
        node('subnet1', {}),
        node('subnet2', { standsMs: STALL_MS - 1, height: 95 }),
        node('subnet3', {}),
        node('subnet4', {}),
      ),
    ).toEqual([]);
    expect(
      named(
        node('subnet1', {}),
        node('subnet2', { standsMs: STALL_MS, height: 95 }),
        node('subnet3', {}),
        node('subnet4', {}),
      ),
    ).toEqual(['node_stalled subnet2', 'quorum_at_risk']);
  });

  test('that has just started is not a problem and no witness', () => {
    const started = { startedAt: NOW - 5_000 };
    expect(
      named(
        node('subnet1', {}),
        node('subnet2', { peers: 0, standsMs: 90_000, container: started }),
        node('subnet3', {}),
        node('subnet4', {}),
      ),
    ).toEqual([]);
  });
});

describe('a node in a restart loop', () => {
  test('whose known failure is the cause explains the peers that the others miss', () => {
    const looping = node('subnet2', { fault: timeout('subnet2'), container: { running: false, status: 'restarting' } });
    const known: KnownTarget = {
      ...looping,
      facts: {
        ...looping.facts,
        logs: {
          sources: { container: { up: true, lines: 9, since: 0 } },
          patterns: {
            ipc_path_too_long: { means: 'fatal', count: 1, at: NOW - 1_000, order: 1, what: 'too long', own: false },
          },
        },
      },
    };
    const others = [1, 3, 4].map((n) => node(`subnet${n}`, { peers: 2 }));
    expect(named(known, ...others)).toEqual(['ipc_path_too_long subnet2', 'quorum_at_risk']);
  });

  test('is called one only after a second crash', () => {
    const summaryAfter = (restartCount: number, ranMs = 30_000, seen: Partial<ContainerFacts> = {}) => {
      const { target, facts } = node('subnet2', {
        container: { running: false, status: 'restarting', restartCount, startedAt: NOW - ranMs },
      });
      const ended = { target, facts: { ...facts, container: { ...facts.container, ...seen } } } as KnownTarget;
      return diagnosed([node('subnet1', {}), ended, node('subnet3', {}), node('subnet4', {})]).find(
        ({ problem }) => problem === 'container_restarting',
      )?.summary;
    };
    expect(summaryAfter(1)).toBe('the container of subnet2 has crashed and is restarted');
    expect(summaryAfter(2)).toBe('the container of subnet2 restarts again and again');
    // Docker never forgets the restarts of long ago.
    expect(summaryAfter(2, 119_999)).toBe('the container of subnet2 restarts again and again');
    expect(summaryAfter(2, 120_000)).toBe('the container of subnet2 has crashed and is restarted');
    // Nor is it called one by the restart that was seen a while ago, and that Docker counts too.
    const seen = { lastRestartAt: NOW - 100_000, lastRestartBy: 'policy' } as const;
    expect(summaryAfter(2, 100_000, seen)).toBe('the container of subnet2 has crashed and is restarted');
    expect(summaryAfter(3, 100_000, seen)).toBe('the container of subnet2 restarts again and again');
  });

  test('that was recreated is not called one by the crashes of the container before it', () => {
    const summaryOf = (createdAt: number) => {
      const { target, facts } = node('subnet2', {
        container: { running: false, status: 'restarting', restartCount: 1, createdAt, startedAt: NOW - 20_000 },
      });
      const earlierCrashes = [NOW - 60_000, NOW - 40_000];
      const container = { ...facts.container, earlierCrashes, lastRestartBy: 'recreation' } as Facts['container'];
      const ended = { target, facts: { ...facts, container } };
      return diagnosed([node('subnet1', {}), ended, node('subnet3', {}), node('subnet4', {})]).flatMap(
        ({ problem, summary, evidence }) => (problem === 'container_restarting' ? [summary, evidence] : []),
      );
    };
    expect(summaryOf(NOW - 21_000)).toEqual([
      'the container of subnet2 has crashed and is restarted',
      expect.not.stringContaining('times'),
    ]);
    expect(summaryOf(NOW - 90_000)).toEqual([
      'the container of subnet2 restarts again and again',
      'generated-subnet2-1 crashed 2 times within 10 minutes',
    ]);
  });

  test('does not count as voting between two crashes, and one that was restarted once does', () => {
    const restarted = (crashes: number, takesBlocks = false) => {
      const well = node('subnet2', { container: { startedAt: NOW - 3_000, restartCount: crashes } });
      const looping = takesBlocks ? well : withoutBlocks(well, 3_000);
      const earlierCrashes = [NOW - 60_000, NOW - 30_000].slice(0, crashes);
      const container = { ...looping.facts.container, restarts: crashes, earlierCrashes } as Facts['container'];
      return named(
        node('subnet1', {}),
        { ...looping, facts: { ...looping.facts, container } },
        node('subnet3', {}),
        node('subnet4', {}),
      );
    };
    expect(restarted(2)).toEqual(['container_restarting subnet2', 'quorum_at_risk']);
    expect(restarted(2, true)).toEqual(['container_restarting subnet2']);
    expect(restarted(1)).toEqual([]);
  });
});

describe('a halt', () => {
  const standing = { standsMs: 90_000, peers: 1 };

  test('of two stopped nodes names them, and how many must vote, and tells nobody to restart the others', () => {
    const problems = found(
      node('subnet1', standing),
      node('subnet2', standing),
      node('subnet3', down('subnet3')),
      node('subnet4', down('subnet4')),
    );
    expect(problems.map(({ problem, name }) => [problem, name])).toEqual([
      ['container_down', 'subnet3'],
      ['container_down', 'subnet4'],
      ['subnet_halted', undefined],
    ]);
    expect(problems[2]).toMatchObject({
      evidence:
        'no block after 100 for 1m 30s; 2 of 4 masternodes can vote, 3 needed, without subnet3 (stopped), subnet4 (stopped)',
      fix: 'bring back subnet3, subnet4: 1 more must vote; restart no other node; for subnet3 and subnet4: start them with `docker start generated-subnet3-1 generated-subnet4-1`',
    });
    expect(problems[2]?.explains).toEqual(
      ['subnet1', 'subnet2'].map((name) => ({ component: 'node', name, check: 'latest_block' })),
    );
  });

  test('of two frozen nodes is the same halt', () => {
    expect(
      named(
        node('subnet1', standing),
        node('subnet2', standing),
        node('subnet3', { fault: timeout('subnet3') }),
        node('subnet4', { fault: timeout('subnet4') }),
      ),
    ).toEqual(['node_hanging subnet3', 'node_hanging subnet4', 'subnet_halted']);
  });

  test('is not blamed on the node that reaches the limit a second before the others', () => {
    const problems = named(
      node('subnet1', { standsMs: STALL_MS + 500 }),
      node('subnet2', { standsMs: STALL_MS - 500 }),
      node('subnet3', { fault: timeout('subnet3') }),
      node('subnet4', { fault: timeout('subnet4') }),
    );
    expect(problems).toEqual(['node_hanging subnet3', 'node_hanging subnet4', 'subnet_halted']);
  });

  test('although enough nodes answer is not blamed on any of them', () => {
    const [halt, ...rest] = found(...[1, 2, 3, 4].map((n) => node(`subnet${n}`, { standsMs: 90_000 })));
    expect(rest).toEqual([]);
    expect(halt?.fix).toMatch(
      /^if no block has come by .* UTC, restart subnet1, subnet2, subnet3 and subnet4 with .*, all of them at once; (?:wait until then, as|that time has passed, so)/,
    );
  });

  test('in which nodes have just started says until when to wait for them, as they join the round later', () => {
    const started = { standsMs: 90_000, container: { startedAt: NOW - 20_000 } };
    const [halt] = found(
      ...[1, 2].map((n) => node(`subnet${n}`, { standsMs: 90_000 })),
      ...[3, 4].map((n) => node(`subnet${n}`, started)),
    );
    expect(halt?.fix).toMatch(/^if no block has come by 02:47:50 UTC, restart subnet1, /);
  });
});

test('a check that fails by itself gives its problem all that was seen and all there is to do, whatever its marks', () => {
  const what = 'its health is UP; its chain is DOWN';
  expect(diagnosed([node('subnet1', {}), diagnosedService('stats', { fault: { kind: 'body', what } })])).toMatchObject([
    {
      problem: 'service_down',
      evidence: `the stats server is unhealthy: its answer is not that of a healthy stats: ${what}`,
      fix: 'run `docker compose -p generated logs --tail 50 stats`',
    },
  ]);
});

test('a service that is not reached while Docker does not answer may run: its port ended with Docker', () => {
  const fault = { kind: 'refused', address: 'http://127.0.0.1:80' } as const;
  const stats = diagnosedService('stats', { fault });
  const told = (why: DockerFault) => {
    const container = { ...stats.facts.container, observation: { kind: 'docker-unreachable', why } };
    const targets = [node('subnet1', {}), { ...stats, facts: { ...stats.facts, container } } as KnownTarget];
    return diagnosed(targets).find(({ problem }) => problem === 'service_down')?.fix;
  };
  const address = 'unix:///var/run/docker.sock';
  // It is busy with this container: nobody is told to restart Docker, which ends all others.
  expect(told({ address, code: 'timeout', answersOthers: true })).not.toContain('Docker');
  expect(told({ address, code: 'ENOENT' })).toBe(
    'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too: the ports of its containers may have ended with it, and stats itself may run',
  );
});

test('nor is it blamed for a probe from before its Docker Engine was back', () => {
  const stats = diagnosedService('stats', { fault: { kind: 'refused', address: 'http://127.0.0.1:80' } });
  const subnet = { name: 'devnet', consensus: 'XDPoS', targets: [stats.target], settings: DEFAULT_SETTINGS };
  const found = (runsSince: number) => {
    const { container } = stats.facts;
    const facts = { ...stats.facts, ...(container && { container: { ...container, runsSince } }) };
    const states = judgeTargets([{ ...stats, facts }], NOW);
    return listCauses(viewSubnet(subnet, states, NOW)).map(({ problem }) => problem);
  };
  expect(found(NOW)).toEqual(['service_down']);
  expect(found(NOW + 1)).toEqual([]);
});

test('a service is not blamed for a probe from before its start until it has had time to start', () => {
  const fault = { kind: 'refused', address: 'http://192.0.2.1:80' } as const;
  const found = (startedMs: number) => {
    const stats = diagnosedService('stats', { fault, container: { startedAt: NOW - startedMs } });
    // It was judged when the container did not run.
    const judgedBefore = judgeTargets([stats], NOW + 60_000);
    const subnet = { name: 'devnet', consensus: 'XDPoS', targets: [stats.target], settings: DEFAULT_SETTINGS };
    return listCauses(viewSubnet(subnet, judgedBefore, NOW)).map(({ problem }) => problem);
  };
  expect(found(19_999)).toEqual([]);
  expect(found(20_000)).toEqual(['service_down']);
});

test.each([
  [
    { project: 'generated', service: 'subnet1' },
    'run `HOSTPWD=$PWD docker compose -p generated up -d --force-recreate subnet1` in the folder of its compose file',
  ],
  [{ name: 'subnet1' }, 'connect it again with `docker network connect docker_net generated-subnet1-1`'],
])('a node whose container %o was taken out of its network is told how it gets back', (container, fix) => {
  const cut = node('subnet1', { fault: { kind: 'closed', address: 'a' }, container: { lostNetwork: 'docker_net' } });
  const one = { ...cut, target: { ...cut.target, container } } as KnownTarget;
  const others = [2, 3, 4].map((n) => node(`subnet${n}`, {}));
  expect(diagnosed([one, ...others]).find(({ problem }) => problem === 'node_down')).toMatchObject({
    summary: 'subnet1 is connected to no network',
    evidence: 'the container of subnet1 is running, but is no longer in any Docker network; it was made for docker_net',
    fix,
  });
});

describe('subnetd itself', () => {
  const stats = diagnosedService('stats');
  const heardAt = (nodes: readonly KnownTarget[], ms: number) =>
    nodes.map((one) => {
      const facts = one.facts.node;
      const latest = facts?.latest && { ...facts.latest, lastGoodAt: NOW - ms };
      return { ...one, facts: { ...one.facts, node: facts && { ...facts, latest } } };
    });

  test('is offline when every node is unreachable at once, and no node is said to be down', () => {
    expect(named(...[1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: timeout(`subnet${n}`) })))).toEqual([
      'monitor_offline',
    ]);
  });

  test('is not offline before it has asked each node since its start', () => {
    const nodes = [1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: timeout(`subnet${n}`) }));
    const { target, facts } = nodes.pop() as KnownTarget;
    const { node: _, ...others } = facts;
    expect(named(...nodes, { target, facts: others } as KnownTarget)).not.toContain('monitor_offline');
  });

  test('is offline although a service answered before the nodes were last heard, and not when it has answered since', () => {
    const nodes = [1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: timeout(`subnet${n}`) }));
    expect(named(...heardAt(nodes, 10_000), stats)).toEqual(['monitor_offline']);
    expect(named(...heardAt(nodes, 10_001), stats)).not.toContain('monitor_offline');
  });

  test('is offline where no connection comes through to nodes that run, although a service answers', () => {
    const cut = (name: string, given: Given = {}) =>
      node(name, { fault: { kind: 'unreachable', address: `http://${name}`, afterMs: 5_000 }, ...given });
    const nodes = [1, 2, 3, 4].map((n) => cut(`subnet${n}`));
    expect(diagnosed([...heardAt(nodes, 60_000), stats])).toMatchObject([
      {
        problem: 'monitor_offline',
        evidence:
          'all 4 nodes became unreachable from here (connections are not accepted), and none is known to be stopped',
        fix: 'see whether a firewall between here and the RPC ports of the nodes drops packets, as stats is reached; the subnet itself may be well',
      },
    ]);
    for (const container of ['stopped', 'unknown'] as const) {
      const [first, ...others] = heardAt(nodes, 60_000);
      const { container: _, ...facts } = first?.facts ?? {};
      const one =
        container === 'stopped' ? cut('subnet1', { container: STOPPED }) : ({ ...first, facts } as KnownTarget);
      expect(named(one, ...others, stats)).not.toContain('monitor_offline');
    }
  });

  test('says no halt because no node has answered in time, before no block can have come for the stall limit', () => {
    const nodes = [1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: timeout(`subnet${n}`) }));
    const stall = 60_000;
    expect(named(...heardAt(nodes, stall - 1), stats)).not.toContain('subnet_halted');
    expect(named(...heardAt(nodes, stall), stats)).toContain('subnet_halted');
  });

  test('says no halt at the moment at which the link is back and the old connections break', () => {
    const closed = (name: string): Fault => ({ kind: 'closed', address: name });
    const nodes = [1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: n === 1 ? closed('a') : timeout(`subnet${n}`) }));
    expect(named(...nodes)).not.toContain('subnet_halted');
    const refused = [1, 2, 3, 4].map((n) => node(`subnet${n}`, { fault: { kind: 'refused', address: 'a' } }));
    expect(named(...refused)).toContain('subnet_halted');
  });

  test('calls a subnet halted whose containers are all stopped, however their nodes failed to answer', () => {
    const stopped = [1, 2, 3, 4].map((n) =>
      node(`subnet${n}`, { container: STOPPED, fault: { kind: 'closed', address: 'a' } }),
    );
    expect(named(...stopped)).toContain('subnet_halted');
  });

  test('is not offline when Docker says that all containers are stopped', () => {
    expect(named(...[1, 2, 3, 4].map((n) => node(`subnet${n}`, down(`subnet${n}`))))).toEqual([
      ...[1, 2, 3, 4].map((n) => `container_down subnet${n}`),
      'subnet_halted',
    ]);
  });
});

describe('a container', () => {
  test('that is paused explains all checks of its node', () => {
    const [paused] = found(
      node('subnet1', {}),
      node('subnet2', { fault: timeout('subnet2'), container: { running: false, status: 'paused' } }),
      node('subnet3', {}),
      node('subnet4', {}),
    );
    expect(paused).toMatchObject({
      problem: 'container_paused',
      fix: 'resume it with `docker unpause generated-subnet2-1`',
    });
    expect(paused?.explains.map(({ check }) => check)).toEqual(['latest_block', 'container']);
  });

  test('whose name a shell would run is quoted in the command', () => {
    const name = 'x; reboot';
    const [paused] = found(node('subnet1', { container: { name, running: false, status: 'paused' } }));
    expect(paused?.fix).toBe("resume it with `docker unpause 'x; reboot'`");
  });
});
