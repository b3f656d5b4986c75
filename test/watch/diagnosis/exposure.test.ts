import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type RpcExposure, toReach } from '../../../src/model/exposure.ts';
import { indexProblems, type Problem, type Suspicion } from '../../../src/model/problem.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import { type ClientName, DEFAULT_SETTINGS, type Target, targetKey } from '../../../src/model/target.ts';
import { findRpcExposures } from '../../../src/watch/diagnosis/setup/find-exposures.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { addressOf, diagnosedNode, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
/** What a stock node serves, by the recorded answer of a real one. */
const STOCK = ['XDPoS', 'debug', 'eth', 'miner', 'net', 'personal', 'rpc', 'txpool', 'web3'];
const SAFE = ['XDPoS', 'eth', 'net', 'rpc', 'txpool', 'web3'];

const at = (...ips: readonly string[]) => ips.map((ip) => ({ ip, port: 8545 }));
const seen = (ip: string, over: Partial<RpcExposure> = {}): RpcExposure => ({
  servedAt: at(ip),
  modules: STOCK,
  anyHost: false,
  anyOrigin: false,
  ...over,
});

/** Makes n1 no masternode, so that nothing says that its account is unlocked. */
const noMaster: Given = { chain: { address: '0xother' } };

/** What was found in the diagnosis before. */
const KNOWN = { severity: 'warning', alert: 'SubnetExposed', state: 'open', since: 0, seenAt: NOW } as const;

/** The same nodes of an inventory in each diagnosis. */
const TARGETS = NAMES.map((name) => diagnosedNode(name, NAMES).target);

function findOf(
  exposures: readonly RpcExposure[],
  given: Given = {},
  others: Given = {},
  before: readonly Suspicion[] = [],
  nodes: readonly Target[] = TARGETS,
) {
  const targets = nodes.map((target) => ({
    ...diagnosedNode(target.name, NAMES, target.name === 'n1' ? given : others),
    target,
  }));
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    targets: targets.map(({ target }) => target),
    settings: DEFAULT_SETTINGS,
  };
  const read = new Map(
    subnet.targets.flatMap((target, index) => {
      const value = exposures[index];
      return value === undefined ? [] : [[targetKey(target), { exposure: { ok: true, value } as const }] as const];
    }),
  );
  const setup = { observation: { targets: read, engines: new Map(), named: [] }, at: NOW };
  const known = before.map((one): Problem => ({ ...one, ...KNOWN }));
  return findRpcExposures(viewSubnet(subnet, judgeTargets(targets, NOW), NOW, { setup }, indexProblems(known)));
}

/** What is found of n1 alone. */
function find(exposure: RpcExposure, ...more: [given?: Given, others?: Given, before?: readonly Suspicion[]]) {
  const found = findOf([exposure], ...more);
  // What anyone on the internet reaches is a problem of its node, everything else one of all nodes.
  for (const { problem, component, name, nodes } of found)
    expect([component, name, nodes]).toEqual(
      problem.endsWith('_exposed') ? ['node', 'n1', undefined] : [undefined, undefined, ['n1']],
    );
  return found.map(({ problem, summary, evidence, fix }) => [problem, summary, evidence, fix]);
}

const names = (found: readonly (readonly string[])[]) => found.map(([problem]) => problem);

describe('namespaces that change a node', () => {
  const rest = [
    'the RPC of n1 serves debug, miner and personal beyond its own machine',
    'n1 serves debug, miner and personal without a password: anybody there can rewind its chain (debug_setHead), stop its blocks (miner_stop) and guess the password of its account (personal_unlockAccount)',
    'set RPC_API=XDPoS,eth,net,txpool,web3 in n1.env and recreate n1; what needs them can use its IPC',
  ] as const;

  test('are a warning at a public address, and a note in a private network', () => {
    const [summary, evidence, fix] = rest;
    expect(find(seen('203.0.113.7'), noMaster)).toEqual([
      ['rpc_exposed', summary, `at 203.0.113.7:8545, a public address, ${evidence}`, fix],
    ]);
    expect(find(seen('192.168.25.11'), noMaster)).toEqual([
      ['rpc_open', summary, `at 192.168.25.11:8545, an address of a private network, ${evidence}`, fix],
    ]);
  });

  test('of a node whose container has another name than in the inventory are closed in the file of its own name', () => {
    const wrong = TARGETS.map((one) => ({ ...one, container: { project: 'generated', service: 'n9' } }));
    const fixOf = (container: Given['container'] = {}) =>
      findOf([seen('203.0.113.7')], { ...noMaster, container }, {}, undefined, wrong)[0]?.fix;
    expect(fixOf()).toMatch(/ in n9\.env and recreate n1;/);
    expect(fixOf(STOPPED)).toMatch(/ in n1\.env and recreate n1;/);
  });

  test('are nothing on the own machine, unless another address of it serves them too', () => {
    expect(find(seen('127.0.0.1'), noMaster)).toEqual([]);
    const both = { servedAt: at('127.0.0.1', '10.0.0.5', '10.1.0.5', '10.2.0.5') };
    const [[problem, , evidence] = []] = find(seen('', both), noMaster);
    expect(problem).toBe('rpc_open');
    expect(evidence).toMatch(
      /^at 10\.0\.0\.5:8545 and 10\.1\.0\.5:8545, each an address of a private network, n1 serves/,
    );
    const wide = { servedAt: at('127.0.0.1', '10.0.0.5', '2001:db8::5') };
    const [[worst, , where] = []] = find(seen('', wide), noMaster);
    expect(worst).toBe('rpc_exposed');
    expect(where).toMatch(/^at \[2001:db8::5\]:8545, a public address, n1 serves/);
  });

  test('are named alone, with admin as the worst of them', () => {
    const [[, summary, evidence, fix] = []] = find(seen('203.0.113.7', { modules: ['admin', 'rpc'] }), noMaster);
    expect([summary, evidence, fix]).toEqual([
      'the RPC of n1 serves admin beyond its own machine',
      'at 203.0.113.7:8545, a public address, n1 serves admin without a password: anybody there can cut it off from its peers (admin_removePeer)',
      'set RPC_API=net,web3 in n1.env and recreate n1; what needs them can use its IPC',
    ]);
  });

  test('are nothing where the node wants a password, or serves none of them', () => {
    expect(find(seen('203.0.113.7', { servedAt: [], modules: [] }), noMaster)).toEqual([]);
    expect(find(seen('203.0.113.7', { modules: SAFE, anyHost: true, anyOrigin: true }), noMaster)).toEqual([]);
  });
});

describe('an unlocked account', () => {
  const safe = (ip: string, over: Partial<RpcExposure> = {}) => seen(ip, { modules: SAFE, ...over });
  const rest = [
    'the unlocked account of n1 can be used from beyond its own machine',
    'it serves eth: anybody there can spend its coins and sign in its name without a password (eth_sendTransaction, eth_sign)',
    'publish the port as 127.0.0.1:8545:8545 in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes); no line of n1.env helps, as the start script always passes --unlock',
  ] as const;

  test('is known of a masternode that signs, as a locked key signs nothing', () => {
    const [summary, evidence, fix] = rest;
    const why = 'n1 signs blocks as a masternode, so its account is unlocked, and at';
    expect(find(safe('203.0.113.7'))).toEqual([
      ['account_exposed', summary, `${why} 203.0.113.7:8545, a public address, ${evidence}`, fix],
    ]);
    expect(find(safe('10.0.0.5'))).toEqual([
      ['account_unlocked', summary, `${why} 10.0.0.5:8545, an address of a private network, ${evidence}`, fix],
    ]);
    expect(find(safe('127.0.0.1', { anyHost: true, anyOrigin: true }))).toEqual([]);
    expect(find(safe('10.0.0.5'), noMaster)).toEqual([]);
    expect(find(safe('10.0.0.5', { modules: ['net', 'rpc'] }))).toEqual([]);
  });

  test('that is no longer one is not a finding, although nothing was read again', () => {
    const read = safe('10.0.0.5');
    const before = findOf([read]);
    const names = (given: Given) => find(read, given, {}, before).map(([problem]) => problem);
    expect([names({}), names(noMaster)]).toEqual([['account_unlocked'], []]);
  });

  describe('of a masternode that signs nothing', () => {
    const rounds = [1_995, 1_999].map((round) => ({ round, miner: addressOf('n1') }));
    const silent: Given = {
      chain: {
        pool: { voteRounds: 8, neverSigned: [addressOf('n1')], timeouts: 0, timeoutRound: 0 },
        missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n1')]: 2 } },
      },
    };

    test('is not known', () => {
      expect(find(safe('10.0.0.5'), silent, silent)).toEqual([]);
    });

    test.each([
      ['10.0.0.5', 'account_unlocked'],
      ['203.0.113.7', 'account_exposed'],
    ])(
      'is known from before: a node that is down or hangs comes back with its account unlocked (%s)',
      (ip, problem) => {
        const read = safe(ip);
        const before = findOf([read]);
        const down: Given = { fault: { kind: 'refused', address: 'n1' } };
        const signing = find(read);
        expect(names(signing)).toEqual([problem]);
        expect([find(read, silent, silent, before), find(read, down, {}, before)]).toEqual([signing, signing]);
        expect(find(read, down)).toEqual([]);
      },
    );
  });

  test('is what personal_listWallets says, where the inventory allows to ask', () => {
    expect(names(find(safe('10.0.0.5', { wallet: 'locked' })))).toEqual([]);
    const [[problem, , evidence] = []] = find(safe('10.0.0.5', { wallet: 'unlocked' }), noMaster);
    expect(problem).toBe('account_unlocked');
    expect(evidence).toMatch(/^by personal_listWallets, an account of n1 is unlocked, and at 10\.0\.0\.5:8545/);
  });
});

describe('wildcards', () => {
  const byEnv = 'set RPC_API=XDPoS,eth,net,txpool,web3 in n1.env and recreate n1; web pages then reach only these';
  const byScript = (flag: string, value: string) =>
    `mount a copy of start.sh that passes ${flag} ${value} over /work/start.sh in docker-compose.yml; no line of n1.env helps, as the start script always passes ${flag} "*"`;
  const hosts = (where: string, abused: string, fix: string) => [
    'hosts_wildcard',
    'the RPC of n1 answers under any host name',
    `at ${where} n1 answered for the host name subnetd-exposure.invalid: a web page that points its own name there can use ${abused} (DNS rebinding)`,
    fix,
  ];
  const origins = (where: string, abused: string, fix: string) => [
    'origins_wildcard',
    'the RPC of n1 lets any web page use it',
    `at ${where} n1 allowed the origin https://subnetd-exposure.invalid: any page that is opened in a browser there can use ${abused}`,
    fix,
  ];

  test('open to web pages what changes the node, also on its own machine', () => {
    const own = '127.0.0.1:8545, an address that only its own machine reaches,';
    expect(find(seen('127.0.0.1', { anyHost: true }))).toEqual([hosts(own, 'debug, miner and personal', byEnv)]);
    expect(find(seen('127.0.0.1', { anyOrigin: true }))).toEqual([origins(own, 'debug, miner and personal', byEnv)]);
  });

  test('open the account of a masternode in a network', () => {
    const inside = '10.0.0.5:8545, an address of a private network,';
    const found = find(seen('10.0.0.5', { modules: SAFE, anyHost: true, anyOrigin: true }));
    expect(found.slice(1)).toEqual([
      hosts(inside, 'eth', byScript('--rpcvhosts', 'localhost,n1')),
      origins(inside, 'eth', byScript('--rpccorsdomain', 'http://FRONTEND:5214')),
    ]);
    expect(names(find(seen('10.0.0.5', { modules: SAFE })))).toEqual(['account_unlocked']);
  });
});

describe('a stock network, whose nodes all serve the same', () => {
  const stock = (port: number, over: Partial<RpcExposure> = {}) =>
    seen('', { servedAt: [{ ip: '192.168.25.1', port }], anyHost: true, anyOrigin: true, ...over });
  const network = (over: Partial<RpcExposure> = {}) => [stock(8545), stock(8546), stock(8547), stock(8548, over)];
  const four =
    'at 192.168.25.1:8545 (n1), 192.168.25.1:8546 (n2), 192.168.25.1:8547 (n3), 192.168.25.1:8548 (n4), each an address of a private network, each node';

  test('has one problem of each kind, which names the nodes', () => {
    const found = findOf(network());
    expect(found.map(({ problem, component, nodes }) => [problem, component, nodes])).toEqual([
      ['rpc_open', undefined, NAMES],
      ['account_unlocked', undefined, NAMES],
      ['hosts_wildcard', undefined, NAMES],
      ['origins_wildcard', undefined, NAMES],
    ]);
    expect(found.map(({ summary }) => summary)).toEqual([
      'the RPC of n1, n2, n3, n4 serves debug, miner and personal beyond its own machine',
      'the unlocked account of n1, n2, n3, n4 can be used from beyond its own machine',
      'the RPC of n1, n2, n3, n4 answers under any host name',
      'the RPC of n1, n2, n3, n4 lets any web page use it',
    ]);
    expect(found.map(({ evidence }) => evidence)).toEqual([
      `${four} serves debug, miner and personal without a password: anybody there can rewind its chain (debug_setHead), stop its blocks (miner_stop) and guess the password of its account (personal_unlockAccount)`,
      `each of n1, n2, n3, n4 signs blocks as a masternode, so its account is unlocked, and ${four} serves eth: anybody there can spend its coins and sign in its name without a password (eth_sendTransaction, eth_sign)`,
      `${four} answered for the host name subnetd-exposure.invalid: a web page that points its own name there can use debug, eth, miner and personal (DNS rebinding)`,
      `${four} allowed the origin https://subnetd-exposure.invalid: any page that is opened in a browser there can use debug, eth, miner and personal`,
    ]);
    expect(found.map(({ fix }) => fix)).toEqual([
      'set RPC_API=XDPoS,eth,net,txpool,web3 in n1.env, n2.env, n3.env, n4.env and recreate n1, n2, n3, n4; what needs them can use its IPC',
      'publish each port for 127.0.0.1 only, as 127.0.0.1:8545:8545 of n1, in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes); no line of an env file helps, as the start script always passes --unlock',
      'mount a copy of start.sh that passes --rpcvhosts localhost,NAME over /work/start.sh in docker-compose.yml, of n1, n2, n3, n4; no line of an env file helps, as the start script always passes --rpcvhosts "*"',
      'mount a copy of start.sh that passes --rpccorsdomain http://FRONTEND:5214 over /work/start.sh in docker-compose.yml, of n1, n2, n3, n4; no line of an env file helps, as the start script always passes --rpccorsdomain "*"',
    ]);
  });

  test('tells a node that serves something else apart', () => {
    const [open] = findOf(network({ modules: ['XDPoS', 'admin', 'eth', 'rpc'] }));
    expect(open?.summary).toBe(
      'the RPC of n1, n2, n3, n4 serves admin, debug, miner and personal beyond its own machine',
    );
    expect(open?.evidence).toMatch(
      /8547 \(n3\), each an address of a private network, each node serves debug, miner and personal .*; at 192\.168\.25\.1:8548, an address of a private network, n4 serves admin without a password: anybody there can cut it off from its peers \(admin_removePeer\)$/,
    );
    expect(open?.fix).toBe(
      'set RPC_API=XDPoS,eth,net,txpool,web3 in n1.env, n2.env, n3.env and recreate n1, n2, n3; set RPC_API=XDPoS,eth in n4.env and recreate n4; what needs them can use its IPC',
    );
  });

  test('has a warning of its own for each node that everybody reaches', () => {
    const found = findOf(network({ servedAt: [{ ip: '203.0.113.7', port: 8548 }] }));
    expect(found.map(({ problem, name, nodes }) => [problem, name, nodes])).toEqual([
      ['rpc_exposed', 'n4', undefined],
      ['rpc_open', undefined, ['n1', 'n2', 'n3']],
      ['account_exposed', 'n4', undefined],
      ['account_unlocked', undefined, ['n1', 'n2', 'n3']],
      ['hosts_wildcard', undefined, NAMES],
      ['origins_wildcard', undefined, NAMES],
    ]);
  });
});

describe('what to do is said in the words of the client', () => {
  /** Imported with a prefix, so that a node has another name than its service. */
  const fixesOf = (client: ClientName, modules: readonly string[], given: Given = {}) =>
    findOf(
      [seen('10.0.0.5', { modules, anyHost: true, anyOrigin: true })],
      given,
      given,
      undefined,
      TARGETS.map((target) => ({ ...target, client, container: { project: 'a', service: `its-${target.name}` } })),
    ).map(({ problem, fix }) => [problem, fix]);
  const pages = 'web pages then reach only these';

  test('XDC-Subnet', () => {
    const set = 'set RPC_API=eth,net in its-n1.env and recreate n1';
    expect(fixesOf('xdc-subnet', ['admin', 'eth', 'net', 'rpc'], noMaster)).toEqual([
      ['rpc_open', `${set}; what needs them can use its IPC`],
      ['hosts_wildcard', `${set}; ${pages}`],
      ['origins_wildcard', `${set}; ${pages}`],
    ]);
  });

  test('XDPoSChain, whose start script takes no namespaces', () => {
    const mount =
      'mount a copy of start.sh that serves only XDPoS,eth,net (--http-api, or --rpcapi in older images) over /work/start.sh in docker-compose.yml, and recreate n1';
    expect(fixesOf('xdposchain', ['XDPoS', 'debug', 'eth', 'net', 'rpc'], noMaster)).toEqual([
      ['rpc_open', `${mount}; what needs them can use its IPC`],
      ['hosts_wildcard', `${mount}; ${pages}`],
      ['origins_wildcard', `${mount}; ${pages}`],
    ]);
    const byScript = (now: string, older: string) =>
      `mount a copy of start.sh that passes --http-${now} (--rpc${older} in older images) over /work/start.sh in docker-compose.yml; no line of its-n1.env helps, as the start script always passes --http-${now.split(' ')[0]} "*"`;
    expect(fixesOf('xdposchain', SAFE)).toEqual([
      [
        'account_unlocked',
        'publish the port as 127.0.0.1:8545:8545 in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes); no line of its-n1.env helps, as the start script always passes --unlock',
      ],
      ['hosts_wildcard', byScript('vhosts localhost,its-n1', 'vhosts')],
      ['origins_wildcard', byScript('corsdomain http://FRONTEND:5214', 'corsdomain')],
    ]);
  });

  test('Nethermind, which has no IPC, and of which signing does not say that the account is unlocked', () => {
    const modules = ['xdc', 'eth', 'txPool', 'rpc'];
    expect(fixesOf('nethermind', modules)).toEqual([]);
    const set = 'set JsonRpc.EnabledModules in xdc-nmc-subnet.json to ["Xdc","Eth","TxPool","Rpc"] and recreate n1';
    expect(fixesOf('nethermind', [...modules, 'admin'])).toEqual([
      ['rpc_open', set],
      ['hosts_wildcard', `${set}; ${pages}`],
      ['origins_wildcard', `${set}; ${pages}`],
    ]);
  });
});

test('an address is of its own machine, of a private network, or public', () => {
  const of = (reach: string, ...ips: readonly string[]) =>
    expect(ips.map((ip) => [ip, toReach(ip)])).toEqual(ips.map((ip) => [ip, reach]));
  of('loopback', '127.0.0.1', '127.1.2.3', '::1', '0.0.0.0', '::');
  of(
    'private',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.25.11',
    '100.64.0.1',
    '169.254.1.1',
    'fd00::1',
    'fe80::1',
  );
  of('public', '172.15.255.255', '172.32.0.1', '100.128.0.1', '203.0.113.7', '8.8.8.8', '2001:db8::5', '192.169.0.1');
});

test('the table in docs/exposure.md is what is found', () => {
  const lines = readFileSync('docs/exposure.md', 'utf8').split('\n');
  const both = { anyHost: true, anyOrigin: true };
  const wanted: readonly (readonly [string, Partial<RpcExposure>, Given, RegExp])[] = [
    ['`personal`, `miner`, `debug` or `admin`', {}, noMaster, /^rpc_/],
    ['`eth`, and an account is unlocked', { modules: SAFE }, {}, /^account_/],
    ['any host name, with `personal`, `miner`, `debug` or `admin`', { anyHost: true }, noMaster, /^hosts_/],
    ['any host name, with `eth` and an unlocked account', { modules: SAFE, anyHost: true }, {}, /^hosts_/],
    ['any origin, with `personal`, `miner`, `debug` or `admin`', { anyOrigin: true }, noMaster, /^origins_/],
    ['any origin, with `eth` and an unlocked account', { modules: SAFE, anyOrigin: true }, {}, /^origins_/],
    ['any host name and any origin, without these', { modules: SAFE, ...both }, noMaster, /./],
    ['the question for a password', { servedAt: [], modules: [] }, {}, /./],
  ];
  const toCell = (ip: string, over: Partial<RpcExposure>, given: Given, of: RegExp) => {
    const [problem, more] = find(seen(ip, over), given).flatMap(([name]) => (name && of.test(name) ? [name] : []));
    expect(more).toBeUndefined();
    const severity = Object.entries(problemCatalog).find(([name]) => name === problem)?.[1].severity;
    return problem === undefined ? '–' : `\`${problem}\` (${severity})`;
  };
  const rows = wanted.map(
    ([what, over, given, of]) =>
      `| ${[what, ...['127.0.0.1', '10.0.0.5', '203.0.113.7'].map((ip) => toCell(ip, over, given, of))].join(' | ')} |`,
  );
  const from = lines.indexOf('| what anyone gets | own machine | private network | public address |') + 2;
  expect(lines.slice(from, from + rows.length)).toEqual(rows);
});
