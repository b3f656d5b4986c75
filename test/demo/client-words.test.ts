import { expect, test } from 'vitest';
import type { DemoClient } from '../../src/demo/demo-client.ts';
import { demoNodeNames, expectedProblems, type FaultName } from '../../src/demo/faults.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { eventually } from '../support/cli.ts';
import { KINDS, type Kind, type StagedSubnet, startStage } from '../support/demo-stage.ts';

const WAIT_MS = 100_000;

/** After the last problem has come, another one would still come within this time. */
const STAYS_MS = 8_000;

const checks = {
  rpc: { schedule: 'every 2s', timeout: '10s', stallAfter: '10s' },
  services: { schedule: 'every 2s', timeout: '10s' },
  containers: { schedule: 'every 2s', timeout: '10s' },
  logs: { schedule: 'every 2s', bootnodeWindow: '15s', submissionsWithin: '30s', blockDataWithin: '15s' },
};

const AT_RISK = [
  'quorum_at_risk',
  'no further node may fail',
  'bring back subnet2 before any other work, and restart no other node',
] as const;
/** With what to do about what keeps the node from voting. */
const atRiskBy = ([, , fix]: readonly [string, string, string]) =>
  [AT_RISK[0], AT_RISK[1], `${AT_RISK[2]}; for subnet2: ${fix}`] as const;
const AT_RISK_BY_GENESIS = [AT_RISK[0], AT_RISK[1], /^bring back subnet2 .*; for subnet2: .*genesis/] as const;
const STOPPED = [
  'container_down subnet2',
  'the container of subnet2 does not run',
  'start it with `docker start demo-subnet2-1`',
] as const;
const CUT_OFF = [
  'node_partitioned subnet2',
  'subnet2 is cut off from the other nodes',
  'open the p2p port of subnet2 to the other nodes (TCP and UDP), and check its bootnode address and the firewall; a restart does not help',
] as const;
const GARBLED = [
  'node_down subnet2',
  'subnetd cannot see subnet2',
  'correct the address in the inventory, or look at the page: it may be that of a proxy',
] as const;
const HALTED = [
  'subnet_halted',
  'the subnet is halted',
  /^if no block has come by ..:..:.. UTC, restart subnet1, subnet2, subnet3 and subnet4 with .*, all of them at once; wait until then, /,
] as const;
const FORKED = [
  'chain_forked',
  'subnet2 follows another chain',
  'stop subnet2, move only nethermind_db out of its data folder, and start it to sync again; keep what you take out for later, and restart no other node',
] as const;

const OUT_OF_FILES = [
  'too_many_open_files subnet2',
  'subnet2 has run out of file descriptors',
  'raise its limit of file descriptors: write `ulimits: { nofile: 65536 }` below its service in docker-compose.yml and recreate it, or `LimitNOFILE=65536` into its systemd unit and restart it',
] as const;
const LONG_PATH = [
  'ipc_path_too_long subnet2',
  'the path of the IPC socket of subnet2 is too long',
  'move the folder of the deployment (generated) to a shorter path, or, if the path in its log is one inside the container, change DATA_DIR or the volume in docker-compose.yml; then run `HOSTPWD=$PWD docker compose -p demo up -d subnet2` in the folder of its compose file, and recreate the other containers if that folder was moved',
] as const;
const UNLISTED = [
  'containers_unlisted',
  'the inventory lacks containers of its compose projects',
  'add what belongs to the subnet to the inventory, as with `container: { project: demo, service: subnet5 }`; give anything else the label `subnetd.ignore: "true"` in docker-compose.yml',
] as const;
const CRASHED = [
  'container_restarting subnet2',
  'the container of subnet2 has crashed and was restarted',
  'read why it ended with `docker logs --tail 100 demo-subnet2-1`',
] as const;
const MISNAMED = [
  'container_misnamed subnet2',
  'the inventory names the wrong container for subnet2',
  'correct the container of subnet2 in the inventory; find its name with `docker ps --filter label=com.docker.compose.service=subnet2`, or with `docker ps` if it was not made by Compose',
] as const;
const LOW_GAS_PRICE = [
  'relayer_stopped relayer',
  'the relayer submits no blocks',
  'set PARENTNET_URL to a node with a lower minimum, lower it there (`--gasprice`), or take a relayer that pays more; run `docker compose -p demo logs --tail 50 relayer`',
] as const;
const CLOCK_SET = [
  'monitor_suspended',
  'the clock of subnetd was set, or its machine was suspended',
  'let chrony keep the clock of its machine, and see in its journal whether it was suspended',
] as const;
const NEVER_REACHED = [
  'never_reached',
  'subnetd has not reached any node yet',
  'check the addresses under rpc in the inventory; starting a node does not help',
] as const;

/** Each problem of a fault, with its summary and what to do about it, in which N is the number of an epoch or a block. */
const CASES: readonly (readonly [Kind, FaultName, readonly (readonly [string, string, string | RegExp])[]])[] = [
  ['mixed', 'ordered-then-killed', [CRASHED]],
  ['xdposchain', 'ordered-then-killed', [CRASHED]],
  ['mixed', 'node-down', [atRiskBy(STOPPED), STOPPED]],
  ['mixed', 'node-partitioned', [atRiskBy(CUT_OFF), CUT_OFF]],
  ['mixed', 'other-genesis', [AT_RISK_BY_GENESIS, ['other_chain subnet2', 'subnet2 is on another chain', /genesis/]]],
  ['mixed', 'rpc-garbage', [GARBLED]],
  ['mixed', 'subnet-halted', [HALTED]],
  ['mixed', 'fork', [FORKED]],
  ['mixed', 'rolling-restart', []],
  ['mixed', 'clock-step', [CLOCK_SET]],
  ['go', 'fd-limit', [atRiskBy(OUT_OF_FILES), OUT_OF_FILES]],
  ['xdposchain', 'fd-limit', [atRiskBy(OUT_OF_FILES), OUT_OF_FILES]],
  ['mixed', 'unlisted-node', [UNLISTED]],
  ['mixed', 'container-renamed', [MISNAMED]],
  ['mixed', 'no-gas-price', [LOW_GAS_PRICE]],
  ['xdposchain', 'unlisted-node', [UNLISTED]],
  ['xdposchain', 'container-renamed', [MISNAMED]],
  ['xdposchain', 'node-down', [atRiskBy(STOPPED), STOPPED]],
  ['xdposchain', 'node-partitioned', [atRiskBy(CUT_OFF), CUT_OFF]],
  [
    'xdposchain',
    'other-genesis',
    [
      AT_RISK_BY_GENESIS,
      ['other_chain subnet2', 'subnet2 is on another chain', /genesis.*, then stop subnet2, (?:move|remove) only /],
    ],
  ],
  ['xdposchain', 'rpc-garbage', [GARBLED]],
  ['xdposchain', 'subnet-halted', [HALTED]],
  ['xdposchain', 'ipc-path-too-long', [atRiskBy(LONG_PATH), LONG_PATH]],
  [
    'xdposchain',
    'penalty',
    [
      [
        'quorum_at_risk',
        'no node may fail, because subnet2 is penalised',
        'restart no other node until subnet2 takes part again; keep it running: it may take part again in epoch N, which begins with block N at the latest',
      ],
      [
        'masternode_penalised subnet2',
        'subnet2 is penalised and does not vote',
        'find out why subnet2 missed its rounds: its log, its clock and its peers; keep it running: it may take part again in epoch N, which begins with block N at the latest',
      ],
    ],
  ],
];

/** Of the last two, the last node runs Nethermind, as the generator makes it. */
const HEALTHY = { ...KINDS, generated: ['go', 'go', 'go', 'nethermind'] } as const;

const openOf = ({ problems }: SubnetState) =>
  problems
    .filter(({ state }) => state !== 'suspected')
    .map(({ problem, name, summary, fix }) => ({
      problem: [problem, name].filter(Boolean).join(' '),
      summary,
      fix: fix.replaceAll(/(?<=epoch |block )\d+/g, 'N'),
    }))
    .toSorted((a, b) => (a.problem < b.problem ? -1 : 1));

const badOf = ({ targets }: SubnetState): readonly string[] =>
  targets.flatMap(({ target, checks: all }) =>
    all
      .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
      .map(({ check, verdict }) => `${target.name} ${check} ${verdict}`),
  );

/** Watches a simulated network of its own: those of all tests at once would be more than a slow machine can run. */
const watch = async (
  clients: readonly DemoClient[],
  faults: readonly FaultName[],
  look: (subnet: StagedSubnet) => Promise<void>,
) => {
  const stage = await startStage([{ name: 'words', clients }], { checks, roundTimeoutMs: 2_000, faults });
  try {
    await look(stage.subnets[0] as StagedSubnet);
    expect(stage.bugs).toEqual([]);
  } finally {
    await stage.stop();
  }
};

const stays = async (isSo: () => void) => {
  const until = performance.now() + STAYS_MS;
  while (performance.now() < until) {
    isSo();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};

const isWell = ({ state }: StagedSubnet) => {
  expect(badOf(state())).toEqual([]);
  expect(openOf(state())).toEqual([]);
};

// What takes longest comes first.
test.concurrent.each(Object.keys(KINDS) as readonly Kind[])(
  '%s: addresses that were wrong from the start on have these words, and nothing else was ever suspected',
  async (kind) => {
    await watch(KINDS[kind], ['never-reached'], async (subnet) => {
      const found = new Set<string>();
      const [problem, summary, fix] = NEVER_REACHED;
      await eventually(() => {
        for (const one of subnet.state().problems) if (one.severity !== 'info') found.add(one.problem);
        expect(openOf(subnet.state())).toEqual([{ problem, summary, fix }]);
      }, WAIT_MS);
      expect([...found]).toEqual(['never_reached']);
      expect(subnet.state().problems[0]?.evidence).toMatch(
        /^none of its 4 nodes has answered since subnetd started, while the log of subnet1, subnet2, subnet3, subnet4 goes on; subnet1 did not return its latest block: nothing listens at /,
      );
      await subnet.simulation.setFaults([]);
      await eventually(() => isWell(subnet), 2 * WAIT_MS);
    });
  },
  4 * WAIT_MS,
);

test.concurrent.each(CASES)(
  '%s: %s has its causes with these words, and no other',
  async (kind, fault, words) => {
    const expected = words
      .map(([problem, summary, fix]) => ({
        problem,
        summary,
        fix: typeof fix === 'string' ? fix : expect.stringMatching(fix),
      }))
      .toSorted((a, b) => (a.problem < b.problem ? -1 : 1));
    await watch(KINDS[kind], [], async (subnet) => {
      await eventually(() => isWell(subnet), WAIT_MS);
      await subnet.simulation.setFaults([fault]);
      await eventually(() => expect(openOf(subnet.state())).toEqual(expected), 2 * WAIT_MS);
      await stays(() => expect(openOf(subnet.state())).toEqual(expected));
    });
    expect(words.map(([problem]) => problem).toSorted()).toEqual(
      expectedProblems([fault], { nodes: demoNodeNames(4), clients: KINDS[kind], browser: false }).toSorted(),
    );
  },
  4 * WAIT_MS,
);

test.concurrent.each(Object.entries(HEALTHY))(
  'a healthy network of the kind %s has no problem, and all of its checks pass',
  async (_name, clients) => {
    await watch(clients, [], async (subnet) => {
      await eventually(() => isWell(subnet), WAIT_MS);
      // As long as the faults of the others take.
      for (let round = 0; round < 4; round++) await stays(() => isWell(subnet));
    });
  },
  2 * WAIT_MS,
);
