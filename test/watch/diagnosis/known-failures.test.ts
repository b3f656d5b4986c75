import { describe, expect, test } from 'vitest';
import { judgeSavedLog } from '../../../src/cli/judge-saved-log.ts';
import type { ContainerFacts, Facts, KnownTarget, PatternFacts } from '../../../src/model/facts.ts';
import type { Container, Fault } from '../../../src/model/observation.ts';
import type { Suspicion } from '../../../src/model/problem.ts';
import type { ClientName } from '../../../src/model/target.ts';
import { nethermindPack } from '../../../src/watch/logs/packs/nethermind-pack.ts';
import { nodePack } from '../../../src/watch/logs/packs/node-pack.ts';
import { relayerPack } from '../../../src/watch/logs/packs/relayer-pack.ts';
import {
  addressOf,
  containerOf,
  diagnosed,
  diagnosedNode,
  diagnosedService,
  type Given,
  NOW,
  named,
  STOPPED,
  withoutBlocks,
} from '../../support/diagnosed.ts';
import { writeLog } from '../../support/recordings.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const refused: Fault = { kind: 'refused', address: 'n' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const matched = (count: number, agoMs: number): PatternFacts => ({
  ...{ means: 'fatal', count, at: NOW - agoMs, order: 1, what: 'what it means', own: false },
});

/** A node whose container was started again so long ago, after crashes of its program. */
function restarted(
  startedMs: number,
  {
    crashes = [],
    isUp = true,
    takesBlocks = false,
    patterns = {},
    name = 'n2',
  }: {
    readonly crashes?: readonly number[];
    readonly isUp?: boolean;
    readonly takesBlocks?: boolean;
    readonly patterns?: Readonly<Record<string, PatternFacts>>;
    readonly name?: string;
  },
): KnownTarget {
  const well = diagnosedNode(name, NAMES, isUp ? {} : { fault: refused });
  const node = takesBlocks ? well : withoutBlocks(well, startedMs);
  const started: Partial<Container> = { startedAt: NOW - startedMs, restartCount: crashes.length + 1 };
  return {
    ...node,
    facts: {
      ...node.facts,
      container: {
        ...(containerOf(name, started) as NonNullable<Facts['container']>),
        restarts: crashes.length + 1,
        lastRestartAt: NOW - startedMs,
        lastRestartBy: 'policy',
        earlierCrashes: crashes.map((ago) => NOW - ago),
        lastExit: { code: 0, at: NOW - startedMs - 1_000 },
      },
      logs: { ...(node.facts.logs as NonNullable<Facts['logs']>), patterns },
    },
  };
}

const others = (peers?: readonly string[]) =>
  ['n1', 'n3', 'n4'].map((name) =>
    diagnosedNode(name, NAMES, peers ? { peers: peers.filter((one) => one !== name) } : {}),
  );

const evidenceOf = (targets: readonly KnownTarget[], problem: string) =>
  diagnosed(targets).find((one) => one.problem === problem)?.evidence;

test('a known failure says in words of its own what is wrong', () => {
  const patterns = { ipc_path_too_long: matched(1, 5_000) };
  const [found] = diagnosed([restarted(3_000, { patterns, isUp: false }), ...others()]);
  expect(found?.summary).toBe('the path of the IPC socket of n2 is too long');
});

describe('a restart loop with a known cause', () => {
  const crashes = [95_000, 80_000];
  const loop = (startedMs: number, isUp: boolean, signMs: number, takesBlocks = false, name = 'ipc_path_too_long') => [
    restarted(startedMs, { crashes, isUp, takesBlocks, patterns: { [name]: matched(3, signMs) } }),
    ...others(isUp ? undefined : NAMES.filter((name) => name !== 'n2')),
  ];

  test('is told with what was seen: how often, when last, and how the program ended', () => {
    expect(evidenceOf(loop(3_000, false, 4_000), 'ipc_path_too_long')).toBe(
      'its log says that what it means, 3 times since subnetd began to read it, last 4s ago (02:46:36 UTC); generated-n2-1 runs but restarted 3s ago (02:46:37 UTC) after exit code 0 (which the container of a node does even when its process died of a fatal error); Docker has restarted it 3 times. The path of the socket XDC.ipc is longer than 107 bytes, the limit of a unix socket. Usually the folder of the deployment is nested too deeply',
    );
  });

  test('of a node has one name and one count, whichever of its lines came last', () => {
    const told = (fatalMs: number, warningMs: number, isBehind = false) => {
      const warning = { ...matched(9, warningMs), order: -warningMs, what: 'the path is long' };
      const patterns = { ipc_path_long: warning, ipc_path_too_long: { ...matched(3, fatalMs), order: -fatalMs } };
      const { target, facts } = restarted(3_000, { crashes, isUp: false, patterns });
      const logs = facts.logs && { ...facts.logs, isBehind };
      const [found] = diagnosed([{ target, facts: { ...facts, logs } } as KnownTarget, ...others()]);
      return found?.evidence.split(';')[0];
    };
    const most =
      'its log says that the path is long, 9 times since subnetd began to read it, last 4s ago (02:46:36 UTC)';
    expect(told(4_000, 5_000)).toBe(most);
    expect(told(5_000, 4_000)).toBe(most);
    // It is written faster than it is read.
    expect(told(5_000, 4_000, true)).toBe(`${most} in what is read so far`);
    // What it said long before is of something else.
    expect(told(4_000, 604_000)).toMatch(/^its log says that what it means, 3 times .* last 4s ago/);
  });

  test('brings the blocks that it costs each time', () => {
    const patterns = { too_many_open_files: matched(3, 4_000), repaired_head: matched(3, 2_900) };
    const problems = diagnosed([restarted(3_000, { crashes, isUp: false, patterns }), ...others()]);
    expect(problems.map(({ problem }) => problem)).toEqual(['too_many_open_files', 'quorum_at_risk']);
    expect(problems[0]?.causes).toContainEqual(
      expect.objectContaining({ problem: 'head_regression', component: 'node', name: 'n2' }),
    );
  });

  test('is over together with the risk that it brings, and leaves nothing behind', () => {
    expect(named(loop(59_000, true, 60_000))).toEqual(['ipc_path_too_long n2', 'quorum_at_risk']);
    expect(named(loop(60_000, true, 61_000))).toEqual([]);
    expect(named(loop(60_000, false, 61_000))).toContain('ipc_path_too_long n2');
  });

  test('is over as soon as the node has taken a block since its last start, and then the node counts again', () => {
    for (const name of ['ipc_path_too_long', 'disk_full', 'disk_read_only']) {
      expect(named(loop(5_000, true, 6_000, true, name))).toEqual([]);
      expect(named(loop(5_000, true, 4_000, true, name))).not.toEqual([]);
      expect(named(loop(5_000, true, 6_000, false, name))).toContain('quorum_at_risk');
    }
  });

  test('is the only thing that is told of the node, also while it runs between two crashes', () => {
    expect(named(loop(3_000, false, 4_000))).toEqual(['ipc_path_too_long n2', 'quorum_at_risk']);
    const silent = restarted(3_000, { crashes, isUp: false });
    expect(named([silent, ...others(NAMES.filter((name) => name !== 'n2'))])).toEqual([
      'silent_restart_loop n2',
      'quorum_at_risk',
    ]);
  });

  test('that has none says what may kill it, where its log was read', () => {
    const silent = restarted(3_000, { crashes, isUp: false });
    const wordsOf = (one: KnownTarget) => {
      const [found] = diagnosed([one, ...others(NAMES.filter((name) => name !== 'n2'))]);
      return [found?.problem, found?.evidence.split('. ').at(-1), found?.fix];
    };
    expect(wordsOf(silent)).toEqual([
      'silent_restart_loop',
      'Its log shows no fatal error before it ends, so something kills it',
      'find out what kills it: the kernel when memory runs out, as `dmesg -T` on its machine says, or somebody who sends it a signal',
    ]);
    const { facts } = silent;
    const unread = { ...silent, facts: { ...facts, logs: undefined } } as unknown as KnownTarget;
    expect(wordsOf(unread)[2]).toBe(
      'read the last lines that begin with Fatal: or CRIT in the log of the node, which name the cause',
    );
  });

  test('that has none is over after a minute, too', () => {
    const silent = (startedMs: number) => named([restarted(startedMs, { crashes }), ...others()]);
    expect(silent(59_000)).toEqual(['silent_restart_loop n2', 'quorum_at_risk']);
    expect(silent(60_000)).toEqual([]);
  });
});

test('a halt says of a node that crashes again and again and answers when it was started again', () => {
  const standing = { height: 1_000, stalledMs: 60_000 };
  const crashing = restarted(20_000, { crashes: [40_000, 30_000] });
  const stopped = diagnosedNode('n3', NAMES, { ...standing, container: STOPPED, fault: refused });
  const nodes = [crashing, stopped, ...['n1', 'n4'].map((name) => diagnosedNode(name, NAMES, standing))];
  expect(evidenceOf(nodes, 'subnet_halted')).toContain('without n2 (restarted 20s ago after a crash), n3 (stopped)');
});

test('a halt says why nodes that have just started again do not stay up', () => {
  const standing = { height: 1_000, stalledMs: 60_000 };
  const loop = (name: string) => restarted(3_000, { crashes: [40_000, 30_000, 20_000], takesBlocks: true, name });
  const nodes = [loop('n2'), loop('n3'), ...['n1', 'n4'].map((name) => diagnosedNode(name, NAMES, standing))];
  const [halt] = diagnosed(nodes).filter(({ problem }) => problem === 'subnet_halted');
  expect(halt?.evidence).toContain('because n2 ends again and again with exit code 0, n3 ends again and again');
  expect(halt?.fix).toContain('; for each of n2 and n3: find out what kills it');
});

test('so does a halt that began since they were started, as they may end again', () => {
  const standing = { height: 1_000, stalledMs: 40_000 };
  const loop = (name: string): KnownTarget => {
    const { target, facts } = restarted(50_000, { crashes: [150_000, 100_000], takesBlocks: true, name });
    const at = NOW - 40_000;
    const latest = { ...facts.node?.latest, advancedAt: at, riseDueSince: at, timestamp: at / 1_000 };
    return { target, facts: { ...facts, node: { ...facts.node, latest } } } as KnownTarget;
  };
  const nodes = [loop('n2'), loop('n3'), ...['n1', 'n4'].map((name) => diagnosedNode(name, NAMES, standing))];
  expect(evidenceOf(nodes, 'subnet_halted')).toContain('because n2 ends again and again with exit code 0, n3 ends');
});

test('too few votes are not laid to a node that crashed again and again and takes blocks', () => {
  const stopped = ['n2', 'n3'].map((name) => diagnosedNode(name, NAMES, { container: STOPPED, fault: refused }));
  const risk = (takesBlocks: boolean) => {
    const { target, facts } = restarted(30_000, { crashes: [50_000, 40_000], takesBlocks, name: 'n4' });
    const latest = facts.node?.latest && { ...facts.node.latest, ...(takesBlocks && { timestamp: NOW / 1_000 }) };
    const looping = { target, facts: { ...facts, node: { ...facts.node, latest } } } as KnownTarget;
    return evidenceOf([looping, diagnosedNode('n1', NAMES), ...stopped], 'quorum_at_risk');
  };
  expect(risk(true)).not.toContain('n4');
  expect(risk(false)).toContain('n4 ends again and again');
});

test('a loop ends when somebody stops or removes the container', () => {
  const node = restarted(20_000, { crashes: [40_000, 30_000], isUp: false });
  const { container } = node.facts;
  const withContainer = (over: Partial<NonNullable<Facts['container']>>) =>
    named([
      { ...node, facts: { ...node.facts, container: { ...container, ...over } as Facts['container'] } },
      ...others(),
    ]);
  const exited = { ...STOPPED, startedAt: NOW - 20_000, finishedAt: NOW - 2_000 };
  const { observation } = containerOf('n2', exited) ?? {};
  const stopped = { observation, lastExit: { code: 0, at: NOW - 2_000 } };
  expect(withContainer(stopped)).toContain('silent_restart_loop n2');
  const ordered = withContainer({ ...stopped, lastStopRequest: { id: 'n2', at: NOW - 2_500 } });
  const removed = withContainer({ observation: { kind: 'missing' } });
  for (const found of [ordered, removed]) expect(found).toEqual(['container_down n2', 'quorum_at_risk']);
});

test('a loop whose exit code is an error is told until the container has outlasted it', () => {
  const loop = (startedMs: number) => {
    const node = restarted(startedMs, { crashes: [startedMs + 20_000, startedMs + 10_000] });
    const container = { ...node.facts.container, lastExit: { code: 1, at: NOW - startedMs - 100 } };
    return named([{ ...node, facts: { ...node.facts, container: container as Facts['container'] } }, ...others()]);
  };
  expect(loop(59_000)).toEqual(['container_restarting n2', 'quorum_at_risk']);
  expect(loop(60_000)).toEqual([]);
});

test('a failure that leaves its program running does not explain what others miss of it', () => {
  const patterns = { repaired_head: { ...matched(1, 2 * MINUTE), means: 'note' as const } };
  const hanging = restarted(3 * MINUTE, { isUp: false, patterns });
  const found = diagnosed([hanging, ...others(NAMES.filter((name) => name !== 'n2'))]);
  const explainOthers = found.filter(({ explains }) => explains.some(({ name }) => name !== 'n2'));
  expect(found.map(({ problem }) => problem)).toContain('head_regression');
  expect(explainOthers.map(({ problem, name }) => `${problem} ${name}`)).toEqual(['node_down n2']);
});

describe('a node that may open no more files', () => {
  const outOfFiles = { too_many_open_files: { ...matched(72, 400), means: 'error' as const } };
  const withPatterns = (node: KnownTarget, patterns: Readonly<Record<string, PatternFacts>>): KnownTarget => ({
    ...node,
    facts: { ...node.facts, logs: { ...(node.facts.logs as NonNullable<Facts['logs']>), patterns } },
  });
  const RISK = 'quorum_at_risk';
  const address = addressOf('n2');
  const silent = {
    pool: { voteRounds: 8, neverSigned: [address], timeouts: 0, timeoutRound: 0 },
    missedRounds: {
      ...{ epochBlock: 0, epochRound: 0, byMiner: { [address]: 2 } },
      rounds: [1_999, 1_992].map((round) => ({ round, miner: address })),
    },
  };

  test.each<[string, Given]>([
    [
      'accepts no connection to its RPC',
      { fault: { kind: 'timeout', address: 'n', afterMs: 5_000, received: false }, container: {} },
    ],
    ['opens no file of its database', { height: 950, stalledMs: 90_000 }],
    ['is behind', { height: 940 }],
    ['is connected to no other node', { peers: [] }],
    ['does not vote', { chain: silent }],
  ])('%s, for that one cause', (_, given) => {
    const node = withPatterns(diagnosedNode('n2', NAMES, given), outOfFiles);
    const { chain = {} } = given;
    const rest = ['n1', 'n3', 'n4'].map((name) => diagnosedNode(name, NAMES, { chain }));
    expect(named([node, ...rest])).toEqual(['too_many_open_files n2', RISK]);
  });

  test('and so answers no RPC: that this cannot be reached is no second problem, whatever turns it took', () => {
    const fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } as const;
    const mesh = (patterns: Readonly<Record<string, PatternFacts>>) =>
      named(
        NAMES.map((name) =>
          withPatterns(
            diagnosedNode(name, NAMES, name === 'n2' ? { fault, height: 900 } : {}),
            name === 'n2' ? patterns : {},
          ),
        ),
      );
    expect(mesh({})).toEqual(['rpc_closed n2']);
    expect(mesh(outOfFiles)).toEqual(['too_many_open_files n2']);
  });

  test('and so takes no connection of others: no p2p port is to be opened, and no firewall to be checked', () => {
    /** Nodes of which the second one is not connected to these, and may have no file descriptor. */
    const meshWith = (lost: readonly string[], patterns: Readonly<Record<string, PatternFacts>> = {}, ranMs = HOUR) =>
      NAMES.map((name) => {
        const away = name === 'n2' ? lost : lost.includes(name) ? ['n2'] : [];
        const peers = NAMES.filter((one) => one !== name && !away.includes(one));
        const container = { startedAt: NOW - (name === 'n2' ? ranMs : HOUR) };
        const node = diagnosedNode(name, NAMES, { peers, container, chain: { nodeId: name, peerIds: peers } });
        return name === 'n2' ? withPatterns(node, patterns) : node;
      });
    const listExplained = (cause: Suspicion | undefined) =>
      new Set(cause?.explains.flatMap(({ check, name }) => (check === 'peers' ? [name] : [])));
    expect(named(meshWith(['n1', 'n3']))).toEqual(['peers_missing n2']);
    expect(named(meshWith(['n1']))).toEqual(['peers_missing n1']);
    for (const lost of [['n1', 'n3'], ['n1']]) {
      const [cause, ...others] = diagnosed(meshWith(lost, outOfFiles));
      expect([cause?.problem, others]).toEqual(['too_many_open_files', []]);
      expect(listExplained(cause)).toEqual(new Set(['n2', ...lost]));
    }
    // Right after its start the others have not found it yet, whatever its log shows.
    const [cause] = diagnosed(meshWith(['n1', 'n3'], outOfFiles, 5_000));
    expect([cause?.problem, listExplained(cause)]).toEqual(['too_many_open_files', new Set(['n2'])]);
  });

  test('ends at a gap block for that cause, and again and again', () => {
    const patterns = { ...outOfFiles, masternode_update_failed: matched(1, 300) };
    const crashed = restarted(3_000, { isUp: false, patterns });
    const besides = others(NAMES.filter((name) => name !== 'n2'));
    expect(named([crashed, ...besides])).toEqual(['too_many_open_files n2', RISK]);
    const loop = restarted(3_000, { isUp: false, patterns, crashes: [95_000, 80_000] });
    expect(named([loop, ...besides])).toEqual(['too_many_open_files n2', RISK]);
    const { masternode_update_failed } = patterns;
    expect(named([restarted(3_000, { isUp: false, patterns: { masternode_update_failed } }), ...besides])).toEqual([
      'masternode_update_failed n2',
      RISK,
    ]);
  });
});

test('a stats server that refuses all nodes that run is one cause, of its own', () => {
  const refusing = (name: string, given: Given = {}) => {
    const node = diagnosedNode(name, NAMES, given);
    const patterns = { stats_unauthorized: { ...matched(1, 5_000), means: 'error' as const } };
    const logs = { ...(node.facts.logs as NonNullable<Facts['logs']>), patterns };
    return { ...node, facts: { ...node.facts, logs } } as KnownTarget;
  };
  let stats = diagnosedService('stats', {});
  const told = (...nodes: readonly KnownTarget[]) =>
    diagnosed([...nodes, stats]).filter(({ problem }) => problem === 'stats_refused');
  const [found, ...more] = told(...NAMES.map((name) => refusing(name)));
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    ...{ component: 'stats', name: 'stats', nodes: NAMES },
    summary: 'the stats server refuses all 4 nodes',
    evidence: expect.stringMatching(/^of n1, its log says that .* STATS_SECRET differs from that of the stats server$/),
    fix: 'see that the stats server has the STATS_SECRET of common.env, and run `HOSTPWD=$PWD docker compose -p generated up -d --force-recreate stats` in the folder of its compose file; if it has that, recreate the nodes',
  });
  const [first, second, third, last] = NAMES.map((name) => refusing(name));
  const well = diagnosedNode('n4', NAMES, {});
  const names = (ones: readonly (KnownTarget | undefined)[]) =>
    told(...ones.filter((one) => one !== undefined)).map(({ name }) => name);
  expect(names([first, second, third, well])).toEqual(['n1', 'n2', 'n3']);
  // One that does not run shows nothing.
  const stopped = diagnosedNode('n4', NAMES, { fault: refused, container: STOPPED });
  expect(names([first, second, third, stopped])).toEqual(['stats']);
  expect(names([last])).toEqual(['n4']);
  // What the server before has said is no word of the one of now.
  const startedBy = (lastRestartBy: 'request' | 'policy', startedAgo: number) => {
    const { target, facts } = diagnosedService('stats', { container: { startedAt: NOW - startedAgo } });
    const container = { ...(facts.container as ContainerFacts), lastRestartAt: NOW - startedAgo, lastRestartBy };
    stats = { target, facts: { ...facts, container } };
    return [names([first, second, third, last]), names([last])];
  };
  expect(startedBy('request', 4_999)).toEqual([[], []]);
  expect(startedBy('request', 5_000)).toEqual([['stats'], ['n4']]);
  expect(startedBy('policy', 4_999)).toEqual([['stats'], ['n4']]);
});

test('an error of another kind in the same log is told beside a failure that is over', () => {
  const patterns = { address_in_use: matched(1, 62_000), bad_hash: { ...matched(1, 5_000), means: 'error' as const } };
  expect(named([restarted(MINUTE, { patterns }), ...others()])).toEqual(['node_log_fault n2']);
});

const meansOf = (name: string): PatternFacts['means'] =>
  [...nodePack, ...nethermindPack].find((one) => one.name === name)?.means ?? 'fatal';

describe('what the log of a node names by itself', () => {
  /** The summary and the fix of a node whose log has shown these patterns, and what else is said of it. */
  const tell = (client: ClientName, ...patterns: readonly string[]) => {
    const isSilent = patterns.includes('rpc_not_bound');
    const node = diagnosedNode('n2', NAMES, { client, ...(isSilent && { fault: refused }) });
    const shown = Object.fromEntries(patterns.map((name) => [name, { ...matched(1, 5_000), means: meansOf(name) }]));
    const logs = { ...(node.facts.logs as NonNullable<Facts['logs']>), patterns: shown };
    const found = diagnosed([{ ...node, facts: { ...node.facts, logs } }, ...others()]);
    return found
      .filter(({ name }) => name !== undefined)
      .map(({ problem, name, summary, fix }) => [`${problem} ${name}`, summary, fix]);
  };
  const RESYNC = 'stop n2, move only XDC/chaindata out of its data folder, and start it to sync again';
  const RESYNC_NETHERMIND = 'stop n2, move only nethermind_db out of its data folder, and start it to sync again';
  const REPAIR = `restart n2, as it repairs its database when it starts; if the line comes back, ${RESYNC_NETHERMIND}`;
  const IN_USE = 'end the other process, or give each node a data folder of its own';
  const READ_ERROR = 'read the error that its log gives with that line, which names the reason';

  test.each<[ClientName, string, string, string, string]>([
    [
      'xdc-subnet',
      'other_genesis',
      'wrong_genesis n2',
      'n2 cannot start with the genesis it was given',
      `give n2 the genesis file of the subnet; if it has that, ${RESYNC}`,
    ],
    [
      'nethermind',
      'genesis_unexpected',
      'wrong_genesis n2',
      'n2 cannot start with the genesis it was given',
      `run \`scripts/check-chainspec.sh\` in the folder of the deployment, which replaces a chainspec.json that differs from genesis.json; if it has that, ${RESYNC_NETHERMIND}`,
    ],
    ['xdposchain', 'folder_in_use', 'folder_in_use n2', 'another process has the data folder of n2 open', IN_USE],
    ['xdc-subnet', 'database_locked', 'folder_in_use n2', 'another process has the data folder of n2 open', IN_USE],
    ['nethermind', 'folder_locked', 'folder_in_use n2', 'another process has the data folder of n2 open', IN_USE],
    [
      'xdposchain',
      'unknown_flag',
      'unknown_flag n2',
      'n2 was started with a flag that it does not know',
      'correct its command, or take the image that its start script was written for',
    ],
    [
      'xdposchain',
      'unlock_failed',
      'unlock_failed n2',
      'n2 cannot read or unlock its key',
      'check PRIVATE_KEY in n2.env, which is imported only into an empty data folder, and the keystore in that folder; if the folder was emptied, run `HOSTPWD=$PWD docker compose -p generated up -d --force-recreate n2` in the folder of its compose file',
    ],
    [
      'xdc-subnet',
      'too_many_open_files',
      'too_many_open_files n2',
      'n2 has run out of file descriptors',
      'raise its limit of file descriptors: write `ulimits: { nofile: 65536 }` below its service in docker-compose.yml and recreate it, or `LimitNOFILE=65536` into its systemd unit and restart it',
    ],
    [
      'nethermind',
      'rpc_not_bound',
      'rpc_not_bound n2',
      'n2 runs without RPC',
      'end the program that has that port, or give the node another one by NETHERMIND_JSONRPCCONFIG_PORT in n2nmc.env, then restart it',
    ],
    [
      'nethermind',
      'cannot_sign',
      'cannot_sign n2',
      'n2 cannot sign',
      'check NETHERMIND_KEYSTORECONFIG_TESTNODEKEY in n2nmc.env, and recreate n2',
    ],
    [
      'nethermind',
      'processing_dead',
      'processing_dead n2',
      'n2 no longer processes blocks',
      'free its disk if that is full, and restart it',
    ],
    [
      'xdc-subnet',
      'database_corrupt',
      'database_corrupt n2',
      'the database of n2 is corrupt',
      `check its disk, then restore a backup of its data folder, or ${RESYNC}`,
    ],
    ['nethermind', 'database_marked', 'database_corrupt n2', 'the database of n2 is corrupt', REPAIR],
    ['nethermind', 'parent_corrupt', 'database_corrupt n2', 'the database of n2 is corrupt', REPAIR],
    [
      'nethermind',
      'disk_nearly_full',
      'disk_nearly_full n2',
      'the disk of n2 is nearly full',
      'free space on it before the node ends itself, which it does below 1 %',
    ],
    ['xdc-subnet', 'bad_block', 'bad_block n2', 'n2 refuses a block', READ_ERROR],
    ['nethermind', 'block_failed', 'bad_block n2', 'n2 refuses a block', READ_ERROR],
    [
      'xdc-subnet',
      'bad_block_differs',
      'bad_block n2',
      'n2 refuses a block',
      'compare the versions and the genesis.json of all nodes, as it computes another result for that block',
    ],
    [
      'xdc-subnet',
      'bad_block_state',
      'snapshot_lost n2',
      'n2 has lost a snapshot or state that it needs',
      `restore a backup of its data folder from before that, or ${RESYNC}`,
    ],
    [
      'nethermind',
      'snapshot_recovery_failed',
      'snapshot_lost n2',
      'n2 has lost a snapshot or state that it needs',
      `restore a backup of its data folder from before that, or ${RESYNC_NETHERMIND}`,
    ],
  ])('of %s by %s is said once, with the fix of that client', (client, pattern, ...expected) => {
    expect(tell(client, pattern)).toEqual([expected]);
  });

  const at = (level: string) => `${level.padEnd(5)}[11-21|07:00:00] `;
  const badBlock = (why: string) =>
    `${at('ERROR')}\n########## BAD BLOCK #########\nNumber: 1800\n\n\nError: ${why}\n##############################`;
  const restore = `restore a backup of its data folder from before that, or ${RESYNC}`;

  test.each([
    [
      `${at('ERROR')}Failed to close database err="open /d/1.ldb: too many open files"`,
      'too_many_open_files n2',
      /LimitN/,
    ],
    [
      'Fatal: Error starting protocol stack: database contains incompatible genesis (have 6d, new 41)',
      'wrong_genesis n2',
      /^give/,
    ],
    [
      `${at('ERROR')}Failed to store it err="write /d/1.log: no space left on device" number=42`,
      'disk_full n2',
      /^free space/,
    ],
    [`${at('WARN')}Write key failed err="write /d/1.log: disk quota exceeded"`, 'disk_full n2', /raise its quota/],
    [
      `${at('ERROR')}Head header is not matched with genesis\nFatal: Error starting protocol stack: leveldb/table: corruption on data-block (pos=1)`,
      'database_corrupt n2',
      /^check its disk, then restore/,
    ],
    [
      `${at('ERROR')}Can't create new DB error="resource temporarily unavailable"\npanic: runtime error: invalid memory address`,
      'folder_in_use n2',
      /^end the other process/,
    ],
    [
      `${at('WARN')}Stats login failed err=unauthorized`,
      'stats_refused n2',
      'compare STATS_SECRET in common.env with that of n2.env and of the stats server, and recreate what runs with another one',
    ],
    [badBlock('leveldb: not found'), 'snapshot_lost n2', restore],
    [badBlock('missing trie node 00f8 (path )'), 'snapshot_lost n2', restore],
    [badBlock('invalid gas used (remote: 1 local: 2)'), 'bad_block n2', /^compare the versions and the genesis.json/],
    [badBlock('unknown ancestor'), 'bad_block n2', READ_ERROR],
  ])('the lines %j say what it is', async (text, problem, fix) => {
    const { patterns } = await judgeSavedLog('node', writeLog(`${text}\n`));
    const told = tell('xdc-subnet', ...patterns.map(({ name }) => name));
    expect(told).toEqual([[problem, expect.any(String), typeof fix === 'string' ? fix : expect.stringMatching(fix)]]);
  });

  test('a node without RPC is not said to be down as well, and one that lost a snapshot is not said to be stalled', () => {
    const of = (given: Given, pattern: string) => {
      const node = diagnosedNode('n2', NAMES, given);
      const logs = {
        ...(node.facts.logs as NonNullable<Facts['logs']>),
        patterns: { [pattern]: matched(1, 5_000) },
      };
      return named([{ ...node, facts: { ...node.facts, logs } }, ...others()]).filter((one) => one.endsWith(' n2'));
    };
    expect(of({ fault: refused }, 'rpc_not_bound')).toEqual(['rpc_not_bound n2']);
    // Nor is its RPC said to be out of reach, where it takes its turns.
    expect(of({ fault: refused, height: 900 }, 'rpc_not_bound')).toEqual(['rpc_not_bound n2']);
    expect(of({ fault: refused }, 'unknown_flag')).toEqual(['unknown_flag n2']);
    expect(of({ fault: refused }, 'bad_block')).toEqual(['bad_block n2', 'node_down n2']);
    expect(of({ height: 900, stalledMs: 300_000 }, 'bad_block_state')).toEqual(['snapshot_lost n2']);
    // It drops its peers one after another.
    for (const peers of [[], ['n1']])
      expect(of({ height: 900, stalledMs: 300_000, peers }, 'bad_block_state')).toEqual(['snapshot_lost n2']);
    expect(of({ height: 900, stalledMs: 300_000 }, 'database_empty')).toContain('node_stalled n2');
  });
});

describe('a node that was killed minutes ago and runs again', () => {
  const killed = (over: Partial<NonNullable<Facts['container']>>): KnownTarget => {
    const node = diagnosedNode('n2', NAMES, { peers: ['n3', 'n4'] });
    const container = {
      ...(containerOf('n2', { startedAt: NOW - 3 * MINUTE }) as NonNullable<Facts['container']>),
      ...{ restarts: 1, lastRestartAt: NOW - 3 * MINUTE, lastExit: { code: 137, at: NOW - 3 * MINUTE - 500 } },
      ...over,
    };
    return { ...node, facts: { ...node.facts, container } };
  };
  const unrequestedKill = { id: 'n2', at: NOW - 3 * MINUTE - 500 };

  test('is said to have run out of memory only when Docker counted that', () => {
    const tell = (over: Partial<NonNullable<Facts['container']>>) =>
      diagnosed([killed(over), ...others()]).map(({ summary, fix }) => [summary, fix])[0];
    const fix = 'give the container or Docker more memory, or free memory on the machine';
    expect(tell({ unrequestedKill })).toEqual([
      'n2 was killed, as happens when memory runs out',
      `${fix}; if \`dmesg -T\` there shows no such kill, find out who sent SIGKILL`,
    ]);
    // What Docker counted is no question.
    expect(tell({ oomKills: 1, lastOomAt: unrequestedKill.at, unrequestedKill })).toEqual([
      'n2 ran out of memory',
      fix,
    ]);
  });

  test('misses the peer that hangs because that one hangs', () => {
    const hanging = diagnosedNode('n1', NAMES, {
      fault: { kind: 'timeout', address: 'n', afterMs: 5_000, received: false },
    });
    const rest = ['n3', 'n4'].map((name) =>
      diagnosedNode(name, NAMES, { peers: NAMES.filter((one) => !['n1', name].includes(one)) }),
    );
    const found = diagnosed([hanging, killed({ unrequestedKill }), ...rest]);
    const whoExplains = (name: string) =>
      found.find(({ explains }) => explains.some((each) => each.name === name && each.check === 'peers'));
    expect(['n2', 'n3', 'n4'].map((name) => whoExplains(name)?.summary)).toEqual(['n1 hangs', 'n1 hangs', 'n1 hangs']);
  });
});

test('a single crash with a known cause is not told again as a restart when the cause is over', () => {
  const crash = (patterns: Readonly<Record<string, PatternFacts>>) =>
    named([restarted(MINUTE, { patterns }), ...others()]);
  expect(crash({ address_in_use: matched(1, MINUTE + 1_500) })).toEqual([]);
  expect(crash({})).toEqual(['container_restarting n2']);
});

describe('the evidence of', () => {
  const facts = (name: string, over: Partial<Facts>): KnownTarget => {
    const node = diagnosedNode(name, NAMES);
    return { ...node, facts: { ...node.facts, ...over } };
  };
  const container = (over: Partial<NonNullable<Facts['container']>>): Facts['container'] => ({
    ...(containerOf('n2') as NonNullable<Facts['container']>),
    ...over,
  });

  test('out of memory says how often Docker counted it, or who killed it', () => {
    const of = (over: Partial<NonNullable<Facts['container']>>) =>
      evidenceOf([facts('n2', { container: container(over) }), ...others()], 'out_of_memory');
    expect(of({ oomKills: 2, lastOomAt: NOW - 5_000 })).toMatch(
      /^Docker counted 2 out-of-memory kills since subnetd started, last 5s ago \(02:46:35 UTC\)\. The container has reached its memory limit/,
    );
    expect(of({ unrequestedKill: { id: 'n2', at: NOW - 7_000 } })).toMatch(
      /^SIGKILL ended it 7s ago \(02:46:33 UTC\), and nobody had requested that\. /,
    );
  });

  test('a head that fell says from where to where', () => {
    const node = diagnosedNode('n2', NAMES);
    const latest = node.facts.node?.latest;
    const fall = { from: 1_230, to: 990, at: NOW - 9_000, repeated: false };
    const fallen = facts('n2', { node: { ...node.facts.node, latest: { ...latest, fall } } as Facts['node'] });
    expect(evidenceOf([fallen, ...others()], 'head_regression')).toMatch(
      /^its height fell from 1230 to 990 9s ago \(02:46:31 UTC\)\. The node was killed/,
    );
  });

  function deadRelayer(because: string, patterns: Readonly<Record<string, PatternFacts>> = {}): KnownTarget {
    const relayer = diagnosedService('relayer');
    const died = { at: NOW - 20_000, because };
    const logs = relayer.facts.logs as NonNullable<Facts['logs']>;
    const facts = { ...relayer.facts, logs: { ...logs, patterns, relayer: { byMode: {}, submissions: 0, died } } };
    return { ...relayer, facts };
  }

  test('a dead relayer says when, and the line before', () => {
    expect(evidenceOf([deadRelayer('unreachable_at_start')], 'relayer_dead')).toMatch(
      /^its process ended 20s ago \(02:46:20 UTC\), after a line of unreachable_at_start\. The process of the relayer has ended, but/,
    );
  });

  test('a relayer that submits nothing, as its process has ended, says that once', () => {
    const evidence = evidenceOf([deadRelayer('unreachable_at_start')], 'relayer_stopped');
    expect(evidence).toMatch(/^the relayer died 20s ago \(02:46:20 UTC\) while its container lives on/);
    expect(evidence).not.toContain('because');
  });

  test('a dead relayer whose log says why has the fix of that, and is made again, as its settings change', () => {
    const { what, fix } = relayerPack.find(({ name }) => name === 'wrong_contract') ?? { what: '' };
    const line: PatternFacts = { means: 'note', count: 1, at: NOW - 20_000, order: 1, what, fix, own: false };
    const dead = deadRelayer('wrong_contract', { wrong_contract: line });
    const [found] = diagnosed([dead]).filter(({ problem }) => problem === 'relayer_dead');
    expect(found?.evidence).toBe(
      'its process ended 20s ago (02:46:20 UTC), after a line of wrong_contract. The process of the relayer has ended, but redis keeps the container alive: there is no contract at CHECKPOINT_CONTRACT on the parent chain',
    );
    expect(found?.fix).toBe(
      'correct CHECKPOINT_CONTRACT in common.env, then run `HOSTPWD=$PWD docker compose -p generated up -d --force-recreate relayer` in the folder of its compose file',
    );
  });

  test.each([
    ['killed', 'give its container or the machine more memory'],
    [
      'heap_exhausted',
      expect.stringMatching(/^set NODE_OPTIONS=\S+ \(MB\) in its environment, give its container as much memory$/),
    ],
  ])('a relayer that ended with %s is made again once, not restarted too', (pattern, first) => {
    const { what, fix } = relayerPack.find(({ name }) => name === pattern) ?? { what: '' };
    const line: PatternFacts = { means: 'fatal', count: 1, at: NOW - 20_000, order: 1, what, fix, own: false };
    const found = diagnosed([deadRelayer(pattern, { [pattern]: line })]).find(
      ({ problem }) => problem === 'relayer_dead',
    );
    expect(found?.fix.split(', then run ')).toEqual([first, expect.stringContaining('--force-recreate relayer')]);
  });
});

describe('a node whose height fell', () => {
  const fallen = (
    from: number,
    to: number,
    patterns: Readonly<Record<string, PatternFacts>> = {},
    ranMs = 20_000,
  ): KnownTarget => {
    const node = restarted(ranMs, { patterns });
    const { container, ...facts } = node.facts;
    const latest = { ...facts.node?.latest, number: to, fall: { from, to, at: NOW - 10_000, repeated: false } };
    return {
      ...node,
      facts: {
        ...facts,
        container: { ...container, run: { id: 'n2', startedAt: NOW - ranMs, restartCount: 0 } },
        node: { ...facts.node, latest },
      },
    } as KnownTarget;
  };
  const told = (node: KnownTarget) => {
    const one = diagnosed([node, ...others()]).find(({ problem }) => problem === 'head_regression');
    return [one?.summary, one?.evidence.replace(/^.*\. /, ''), one?.fix];
  };
  const killed = [
    'n2 has lost its newest blocks',
    'The node was killed, as by each `docker stop`, and has lost its recent state, which it keeps in memory; or it was given an older copy of its data',
    'wait until it has caught up; if it falls again and again, check its disk and its memory',
  ];
  const wiped = [
    'n2 has lost all of its blocks',
    'It began with an empty data folder, so it takes all blocks from the others again',
    'wait until it has caught up; if nobody emptied the folder, see that the volume of its container is the one of before',
  ];

  test('is well when it has all of its blocks again', () => {
    const regained = (number: number) => {
      const node = fallen(1_000, 743);
      const latest = { ...node.facts.node?.latest, number };
      return told({ ...node, facts: { ...node.facts, node: { ...node.facts.node, latest } } } as KnownTarget)[0];
    };
    expect(regained(999)).toBe('n2 has lost its newest blocks');
    expect(regained(1_000)).toBeUndefined();
  });

  test('is not said to have begun empty by a line of the start before the one of its log', () => {
    const node = fallen(200, 0, { genesis_written: matched(1, 19_000) });
    const startedAgo = (ms: number) => {
      const logs = { ...node.facts.logs, node: { startedAt: NOW - ms } };
      return { ...node, facts: { ...node.facts, logs } } as KnownTarget;
    };
    expect(told(startedAgo(20_000))).toEqual(wiped);
    expect(told(startedAgo(9_000))).toEqual(killed);
  });

  test('that somebody has just started with an empty folder is told so', () => {
    const node = fallen(1_229, 5);
    const container = { ...node.facts.container, lastRestartAt: NOW - 20_000, lastRestartBy: 'request' };
    expect(told({ ...node, facts: { ...node.facts, container } } as KnownTarget)).toEqual(wiped);
  });

  test('by no more than a kill costs was killed', () => {
    expect(told(fallen(1_000, 743))).toEqual(killed);
    expect(told(fallen(200, 0))).toEqual(killed);
  });

  test('as its head was set back has lost what that was meant to cost', () => {
    const setBack = [
      'n2 has lost its newest blocks',
      'Its head was set back, as by debug_setHead, which its log says',
      'nothing, if that was done on purpose; if not, find out who may call debug_setHead of it',
    ];
    expect(told(fallen(1_000, 743, { rewound: matched(1, 309_999) }))).toEqual(setBack);
    expect(told(fallen(1_000, 743, { rewound: matched(1, 310_000) }))).toEqual(killed);
  });

  test('to the block of another chain is on that chain, and has lost nothing', () => {
    const node = diagnosedNode('n2', NAMES, { height: 7, stalledMs: 90_000, chain: { genesis: '0x1234567890' } });
    const latest = { ...node.facts.node?.latest, fall: { from: 1_229, to: 0, at: NOW - 10_000, repeated: false } };
    const foreign = { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest } } } as KnownTarget;
    const found = diagnosed([foreign, ...others()]).map(({ problem, name }) => [problem, name].join(' ').trim());
    expect(found).toContain('other_chain n2');
    expect(found).not.toContain('head_regression n2');
  });

  test('further has lost its data, whatever its last exit was', () => {
    expect(told(fallen(1_229, 5))).toEqual(wiped);
  });

  test('further has not, if its log says that it had data, as an older copy of them', () => {
    expect(told(fallen(1_229, 34, { repaired_head: matched(1, 19_000) }))).toEqual(killed);
    expect(told(fallen(1_229, 34, { repaired_head: matched(1, 26_000) }))).toEqual(wiped);
  });

  test('is told of this run only, also where its log has repaired its head since', () => {
    const since = (ms: number) => {
      const node = fallen(990, 252, { repaired_head: matched(4, ms - 1_000) }, ms);
      const latest = { ...node.facts.node?.latest, lastGoodAt: NOW - 10_000 };
      const unread = { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest } } } as KnownTarget;
      return diagnosed([unread, ...others()]).find(({ problem }) => problem === 'head_regression');
    };
    expect(since(12_000)).toMatchObject({
      summary: 'n2 has lost its newest blocks',
      evidence: expect.stringContaining('its height fell from 990 to 252 10s ago'),
    });
    const own = since(4_000);
    expect(own?.summary).toBe('n2 has lost its newest blocks');
    expect(own?.evidence).not.toContain('fell');
  });

  test('on a young chain has lost its data if its log says so since it started', () => {
    expect(told(fallen(200, 0, { genesis_written: matched(1, 19_000) }))).toEqual(wiped);
    expect(told(fallen(200, 0, { genesis_written: matched(1, 26_000) }))).toEqual(killed);
    expect(told(fallen(200, 0, { loaded_genesis: matched(1, 19_000) }))).toEqual(wiped);
  });

  test('has lost its data by its log alone, where no container is known', () => {
    const alone = (startedAgo: number) => {
      const { target, facts } = fallen(200, 0, { loaded_genesis: matched(1, 19_000) });
      const { container: _, logs, ...others } = facts;
      const node = { ...logs?.node, startedAt: NOW - startedAgo };
      return { target, facts: { ...others, logs: logs && { ...logs, node } } } as KnownTarget;
    };
    expect(told(alone(19_000))).toEqual(wiped);
    // Of a start before.
    expect(told(alone(13_000))).toEqual(killed);
  });
});
