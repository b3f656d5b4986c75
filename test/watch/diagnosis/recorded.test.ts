import { afterEach, expect, test } from 'vitest';
import { isStanding } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { type Methods, type ReceivedCall, startNode } from '../../support/fake-node.ts';
import { recordedMethods } from '../../support/recorded-node.ts';
import { nodeTarget } from '../../support/views.ts';

const ADDRESSES = [
  '0xf9b4dd08d61017002474f53f8218f748e1a9db7c',
  '0xa8a8bca9b91504f61dc3636e2cb6873e9cf5967e',
  '0xd92f9d7c36e0d3ce848b719e4c17f376721e3cc8',
  '0xa80d9a3332910fc227b2202a3113a756275afd53',
];
const ROUND_MS = 10_000;
const ROUNDS = 14;

let stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

/** A node of the recorded network; undefined is one that does not run. */
interface Recorded {
  readonly recordings: readonly string[];
  readonly peers: number;
  /** Its blocks come; a recording itself has one height. */
  readonly rises: boolean;
}

/** The recorded answers of a node, with its own address, and a height that rises with the rounds. */
function methodsOf({ recordings, peers, rises }: Recorded, address: string | undefined, round: () => number): Methods {
  const methods = recordedMethods(...recordings);
  const block = methods.XDPoS_getV2BlockByNumber as (call: ReceivedCall) => { readonly Number: number };
  return {
    ...methods,
    eth_coinbase: () => address,
    net_peerCount: () => `0x${peers.toString(16)}`,
    XDPoS_getV2BlockByNumber: (call) => {
      const answer = block(call);
      const isMoving = rises && ['latest', 'committed'].includes(String(call.params[0]));
      return isMoving ? { ...answer, Number: answer.Number + 5 * round() } : answer;
    },
  };
}

/** The confirmed problems after the real prober has asked these nodes for some rounds. */
async function problemsOf(nodes: readonly (Recorded | undefined)[]): Promise<readonly string[]> {
  let round = 0;
  const watched = await Promise.all(
    nodes.map(async (node, index) => {
      const server = await startNode(node === undefined ? {} : methodsOf(node, ADDRESSES[index], () => round));
      if (node === undefined) await server.stop();
      else stops.push(server.stop);
      const prober = createNodeProber(server.url, 'XDPoS', () => round * ROUND_MS);
      stops.push(async () => prober.close());
      return { prober, target: nodeTarget(`subnet${index + 1}`, { rpc: server.url }) };
    }),
  );
  const board = createBoard();
  const targets = watched.map(({ target }) => target);
  board.load(
    {
      subnets: [{ name: 'd', consensus: 'XDPoS', targets, settings: DEFAULT_SETTINGS }],
      engines: {},
      alertmanager: { urls: [] },
    },
    0,
  );
  for (; round < ROUNDS; round += 1) {
    const now = round * ROUND_MS;
    for (const { prober, target } of watched)
      board.recordRun(target, 'rpc', { kind: 'node', seen: await prober.probe(5_000) }, 0, now);
    board.diagnose('d', now);
  }
  const [subnet] = board.snapshot();
  return (subnet?.problems ?? [])
    .filter((problem) => isStanding(problem) && problem.severity !== 'info')
    .map(({ problem, name }) => [problem, name].filter((part) => part !== undefined).join(' '))
    .toSorted();
}

const healthy: Recorded = { recordings: ['healthy'], peers: 3, rises: true };
const beside = (recordings: readonly string[], peers: number, rises = true): Recorded => ({ recordings, peers, rises });

test('the recorded answers of four healthy nodes are not a problem', async () => {
  expect(await problemsOf([healthy, healthy, healthy, healthy])).toEqual([]);
});

test('those of three while one is down are that node, and that no further one may fail', async () => {
  const up = beside(['healthy', 'one-down'], 2);
  expect(await problemsOf([up, undefined, up, up])).toEqual(['node_down subnet2', 'quorum_at_risk']);
});

test('those of two while two are down are a halt and these two', async () => {
  const up = beside(['healthy', 'one-down', 'two-down-pool'], 1, false);
  expect(await problemsOf([up, undefined, undefined, up])).toEqual([
    'node_down subnet2',
    'node_down subnet3',
    'subnet_halted',
  ]);
});

test('those of one with another genesis are another chain, and nothing is said of its height or its peers', async () => {
  const up = beside(['healthy', 'one-down'], 2);
  const other = beside(['other-genesis'], 0, false);
  expect(await problemsOf([up, other, up, up])).toEqual(['other_chain subnet2', 'quorum_at_risk']);
});
