import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import type { Client, ClientAdvice } from '../../../src/model/client.ts';
import type { ClientName } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { CLIENTS, fixOf } from '../../../src/watch/clients/clients.ts';
import { xdcSubnet } from '../../../src/watch/clients/xdc-subnet.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { knownFailures } from '../../../src/watch/rules/known-failures.ts';
import { eventually } from '../../support/cli.ts';
import { addressOf, diagnosed, diagnosedNode, type Given } from '../../support/diagnosed.ts';
import { healthy, type Methods, startNode } from '../../support/fake-node.ts';

/** A client that nobody has written: its value is all that subnetd is given. */
const NAME = 'fourth' as ClientName;
const say =
  (what: string) =>
  (...given: readonly unknown[]) =>
    `the fourth client's ${what} of ${JSON.stringify(given)}`;
const advice: ClientAdvice = {
  envFile: say('environment'),
  openNamespace: say('openNamespace'),
  serveOnly: say('serveOnly'),
  refusePages: say('refusePages'),
  showBlocks: say('showBlocks'),
  acceptHosts: "the fourth client's acceptHosts",
  findCallError: "the fourth client's findCallError",
  setNetworkId: say('setNetworkId'),
  replaceNodeKey: say('replaceNodeKey'),
  giveGenesis: say('giveGenesis'),
  resync: say('resync'),
  repairDatabase: say('repairDatabase'),
  checkKey: say('checkKey'),
  compareGenesis: say('compareGenesis'),
};
const { unlockFlag: _, ...base } = xdcSubnet;
const fourth: Client = {
  ...base,
  name: NAME,
  title: 'Fourth',
  recognises: (version) => version.startsWith('Fourth/'),
  calls: (consensus) => ({
    ...xdcSubnet.calls(consensus),
    latest: { method: 'fourth_head', params: [] },
    committed: { method: 'fourth_final', params: [] },
  }),
  hasAdmin: false,
  hasConsole: false,
  logFile: 'fourth.log',
  deployment: { ...xdcSubnet.deployment, isOf: ({ image }) => image.includes('fourth') },
  advice,
};

beforeAll(() => {
  Object.assign(CLIENTS, { [NAME]: fourth });
});
afterAll(() => {
  Reflect.deleteProperty(CLIENTS, NAME);
});

/** What only a node of one of the clients that there are has; common.env is that of the services, whatever the nodes run. */
const OTHERS =
  /chaindata|nethermind_db|nodekey|keystore|genesis\.json|chainspec|RPC_API|LOG_LEVEL|NETWORK_ID|PRIVATE_KEY|NETHERMIND|xdc-nmc|start\.sh|vhosts|XDC attach|XDC\.ipc|(?<!common)\.env\b/;

describe('a fourth client', () => {
  const methods: Methods = {
    ...healthy,
    fourth_head: () => healthy.XDPoS_getV2BlockByNumber?.({ id: 1, method: '', params: ['latest'] }),
    fourth_final: () => healthy.XDPoS_getV2BlockByNumber?.({ id: 1, method: '', params: ['committed'] }),
    web3_clientVersion: () => 'Fourth/v9.1.0/linux',
  };
  const { XDPoS_getV2BlockByNumber: _ofOthers, admin_peers: _admin, ...served } = methods;

  test('is recognised and asked for its own methods, with its own words when one is missing', async () => {
    const node = await startNode(served);
    const blind = await startNode({ ...served, net_peerCount: () => ({ error: { code: -32601, message: 'no' } }) });
    onTestFinished(node.stop);
    onTestFinished(blind.stop);
    const monitor = createMonitor({
      clock: createProcessClock(),
      scheduled: true,
      onBug: (error) => {
        throw error;
      },
    });
    onTestFinished(monitor.stop);
    const text = `subnets: [{ name: d, nodes: [{ name: a, rpc: '${node.url}' }, { name: b, rpc: '${blind.url}' }], checks: { rpc: { schedule: every 200ms } } }]\n`;
    const parsed = parseInventory(text, {});
    if (!parsed.ok) throw new Error(parsed.errors.map(({ what }) => what).join());
    monitor.load(parsed.inventory);
    const stateOf = (name: string) => monitor.snapshot()[0]?.targets.find(({ target }) => target.name === name);
    const reasonOf = (name: string, check: string) => {
      const found = stateOf(name)?.checks.find((one) => one.check === check);
      return [found?.verdict, found && formatReason(found)];
    };
    await eventually(() => {
      expect(stateOf('a')?.facts.node).toMatchObject({
        observation: { client: { name: 'fourth', version: 'Fourth/v9.1.0/linux' } },
        latest: { number: 1234 },
        committed: { number: 1231 },
      });
      expect(reasonOf('a', 'latest_block')[0]).toBe('pass');
      expect(reasonOf('b', 'peers')[1]).toContain('the fourth client\'s openNamespace of ["net"');
    });
  });

  test('has its own words in every fix of a known failure of nodes', () => {
    const node = diagnosedNode('n1', ['n1', 'n2'], { client: NAME });
    const fixes = knownFailures
      .filter(({ advise }) => advise !== undefined)
      .map((failure) => [failure.name, fixOf(failure, node)]);
    expect(fixes.length).toBeGreaterThan(10);
    expect(fixes.filter(([, fix]) => OTHERS.test(String(fix)))).toEqual([]);
    expect(Object.fromEntries(fixes).snapshot_lost).toContain("the fourth client's resync");
  });

  const NAMES = ['n1', 'n2', 'n3', 'n4'];
  const pool = { voteRounds: 8, neverSigned: [addressOf('n2')], timeouts: 0, timeoutRound: 0 };
  const rounds = [1_999, 1_992].map((round) => ({ round, miner: addressOf('n2') }));
  const missedRounds = { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n2')]: 2 } };
  test.each<[string, (name: string) => Given]>([
    ['other_chain n2', (name) => (name === 'n2' ? { chain: { genesis: '0x1234567890' } } : {})],
    ['other_chain n2', (name) => (name === 'n2' ? { chain: { chainId: 7 } } : {})],
    ['chain_forked', (name) => ({ chain: { block: { number: 992, hash: name === 'n2' ? '0xother00' : '0xsame00' } } })],
    ['node_partitioned n2', (name) => (name === 'n2' ? { peers: [], chain: { nodeId: 'id-n1' } } : {})],
    ['node_not_voting n2', () => ({ chain: { pool, missedRounds } })],
    ['node_partitioned n2', (name) => (name === 'n2' ? { peers: [], height: 900, stalledMs: 300_000 } : {})],
    ['node_stalled n2', (name) => (name === 'n2' ? { height: 900, stalledMs: 300_000 } : {})],
    ['node_down n2', (name) => (name === 'n2' ? { fault: { kind: 'refused', address: 'n' } } : {})],
  ])('%s is said without a word of another client', (problem, given) => {
    const found = diagnosed(NAMES.map((name) => diagnosedNode(name, NAMES, { client: NAME, ...given(name) })));
    expect(found.map((one) => (one.name ? `${one.problem} ${one.name}` : one.problem)).join()).toContain(
      problem.split(' ')[0],
    );
    for (const { fix, evidence } of found) expect(`${evidence}; ${fix}`).not.toMatch(OTHERS);
  });
});
