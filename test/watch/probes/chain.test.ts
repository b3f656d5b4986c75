import { describe, expect, onTestFinished, test } from 'vitest';
import { CHAIN_PARTS, type ChainPart } from '../../../src/model/chain.ts';
import type { NodeObservation } from '../../../src/model/observation.ts';
import { createHttpAndIpcProber } from '../../../src/watch/probes/http-and-ipc-prober.ts';
import { createIpcTransport } from '../../../src/watch/probes/ipc-transport.ts';
import { createNodeProber, type NodeProber } from '../../../src/watch/probes/node-prober.ts';
import { answerCall, type FakeNode, type Methods, type ReceivedCall, startNode } from '../../support/fake-node.ts';
import { startIpcNode } from '../../support/ipc-node.ts';
import { hashOf, recordedMethods } from '../../support/recorded-node.ts';

const GENESIS = '0xbf9d8238af20bee29360dadc383787b9a8cfa36bb53a8a63dbf8c1c2b7afbf16';
const [A80D, A8A8, D92F, F9B4] = [
  '0xa80d9a3332910fc227b2202a3113a756275afd53',
  '0xa8a8bca9b91504f61dc3636e2cb6873e9cf5967e',
  '0xd92f9d7c36e0d3ce848b719e4c17f376721e3cc8',
  '0xf9b4dd08d61017002474f53f8218f748e1a9db7c',
] as const;
const ZERO = `0x${'0'.repeat(40)}`;

const own = (prober: NodeProber): NodeProber => {
  onTestFinished(() => prober.close());
  return prober;
};
const start = async (...args: Parameters<typeof startNode>): Promise<FakeNode> => {
  const server = await startNode(...args);
  onTestFinished(server.stop);
  return server;
};
const probeOnce = async (methods: Methods): Promise<NodeObservation> =>
  own(createNodeProber((await start(methods)).url, 'XDPoS', Date.now)).probe(5_000);
const chainOf = async (methods: Methods) => (await probeOnce(methods)).chain;
const startIpc = (methods: Methods) =>
  startIpcNode((value, socket) => {
    const answer = (call: ReceivedCall) => answerCall(methods, call);
    socket.write(`${JSON.stringify(Array.isArray(value) ? value.map(answer) : answer(value as ReceivedCall))}\n`);
  });

describe('what a real node said about its chain', () => {
  test('is all read from a healthy one; nobody is missing in every vote', async () => {
    const chain = await chainOf(recordedMethods('healthy'));
    expect(chain).toEqual({
      chainId: 28_656,
      genesis: GENESIS,
      address: F9B4,
      consensus: {
        ...{ minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 },
        byRound: [{ round: 0, minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667 }],
      },
      masternodes: { number: 103, round: 109, active: [A80D, A8A8, D92F, F9B4], standby: [], penalised: [] },
      missedRounds: {
        epochBlock: 0,
        epochRound: 0,
        rounds: [85, 81, 77, 73, 69, 1].map((round) => ({ round, miner: A8A8 })),
        byMiner: { [A8A8]: 6 },
      },
      pool: {
        voteRounds: 6,
        neverSigned: [],
        timeouts: 0,
        timeoutRound: 0,
        votes: expect.any(Array),
      },
      block: { number: 64, hash: hashOf(64) },
      syncing: false,
      missing: { nodeId: 'not-served', peerIds: 'not-served' },
    });
  });

  test('names the one that is down, by its votes and by its missed rounds', async () => {
    const chain = await chainOf(recordedMethods('one-down'));
    expect(chain?.pool).toEqual({
      voteRounds: 6,
      neverSigned: [A8A8],
      timeouts: 0,
      timeoutRound: 0,
      votes: expect.any(Array),
    });
    const [first] = chain?.pool?.votes ?? [];
    expect(first).toMatchObject({
      key: expect.stringMatching(/^67:0:66:0x/),
      round: '67',
      signers: [F9B4, D92F, A80D],
    });
    expect(chain?.missedRounds?.byMiner).toEqual({ [A8A8]: 4 });
    expect(chain?.block).toEqual({ number: 32, hash: hashOf(32) });
  });

  test('gives the round in which the asked node waits, whose own signature the pool does not name', async () => {
    const chain = await chainOf(recordedMethods('one-down', 'two-down-pool'));
    expect(chain?.address).toBe(F9B4);
    expect(chain?.pool).toEqual({
      voteRounds: 6,
      neverSigned: [],
      timeouts: 1,
      timeoutRound: 359,
      votes: expect.any(Array),
    });
  });

  test('gives who signed which block, as far as the pool names the signer', async () => {
    const [one, other] = [`0x${'AB'.repeat(32)}`, `0x${'cd'.repeat(32)}`];
    const entry = { CurrentNumber: 2, CurrentSigners: [A8A8, ZERO], MissingSigners: [] };
    const pool = { vote: { [`7:450:460:${one}`]: entry, [`8:${other}`]: entry }, timeout: {} };
    const chain = await chainOf({ ...recordedMethods('one-down'), XDPoS_getLatestPoolStatus: () => pool });
    expect(chain?.pool?.votes).toEqual([
      { key: `7:450:460:${one}`, round: '7', signers: [A8A8] },
      { key: `8:${other}`, round: '8', signers: [A8A8] },
    ]);
  });

  test('does not say of anyone who signed that they are missing, even if the node does, nor of the address of nobody', async () => {
    const entry = { CurrentNumber: 1, CurrentSigners: [A8A8], MissingSigners: [A8A8, A80D, ZERO] };
    const vote = Object.fromEntries([7, 8, 9, 10].map((round) => [`${round}:0`, entry]));
    const pool = { vote, timeout: {} };
    const chain = await chainOf({ ...recordedMethods('one-down'), XDPoS_getLatestPoolStatus: () => pool });
    expect(chain?.pool).toMatchObject({ voteRounds: 4, neverSigned: [A80D] });
  });

  test.each([
    { masternodes: 3, lastSigned: 4, voteRounds: 6, neverSigned: [A80D] },
    { masternodes: 3, lastSigned: 5, voteRounds: 6, neverSigned: [] },
    { masternodes: 8, lastSigned: 2, voteRounds: 8, neverSigned: [A80D] },
    { masternodes: 8, lastSigned: 3, voteRounds: 8, neverSigned: [] },
  ])(
    'counts the newest rounds alone: of ten, one of $masternodes that signed until round $lastSigned',
    async ({ masternodes, lastSigned, ...expected }) => {
      const others = Array.from({ length: masternodes - 1 }, (_, index) => `0x${`${index}`.repeat(40)}`);
      const entryOf = (round: number) =>
        round <= lastSigned
          ? { CurrentSigners: [A80D, ...others], MissingSigners: [] }
          : { CurrentSigners: others, MissingSigners: [A80D] };
      // In the order of Go's maps, which is by their text.
      const rounds = [10, 1, 2, 3, 4, 5, 6, 7, 8, 9];
      const pool = { vote: Object.fromEntries(rounds.map((round) => [`${round}:0`, entryOf(round)])), timeout: {} };
      const chain = await chainOf({ ...recordedMethods('one-down'), XDPoS_getLatestPoolStatus: () => pool });
      expect(chain?.pool).toMatchObject(expected);
    },
  );

  test('names nobody by a pool in which the own signature cannot be recognised', async () => {
    const entry = { CurrentNumber: 2, CurrentSigners: [A8A8, ZERO], MissingSigners: [A80D] };
    const vote = Object.fromEntries([7, 8, 9, 10].map((round) => [`${round}:0`, entry]));
    const { eth_coinbase: _, ...methods } = recordedMethods('one-down');
    const chain = await chainOf({ ...methods, XDPoS_getLatestPoolStatus: () => ({ vote, timeout: {} }) });
    expect(chain?.missing.address).toBe('method-not-found');
    expect(chain?.pool).toMatchObject({ voteRounds: 4, neverSigned: [] });
  });

  test('gives the identity of another chain before its first commit, although it gives no height', async () => {
    const { latest, chain, answered } = await probeOnce(recordedMethods('other-genesis'));
    expect({ latest, answered }).toEqual({ latest: { ok: false, fault: { kind: 'no-committed' } }, answered: true });
    expect(chain).toMatchObject({
      chainId: 28_656,
      genesis: '0x02e6977c0a40a13ed10760809b68913cadd4ab032256c32842eff89dfc9615fc',
      address: D92F,
      masternodes: { number: 0, active: [A80D, A8A8, D92F, F9B4] },
      missedRounds: { epochBlock: 0, epochRound: 0, rounds: [], byMiner: {} },
      pool: { voteRounds: 0, neverSigned: [], timeouts: 1, timeoutRound: 1 },
    });
    expect(chain?.missing).toEqual({ block: 'not-yet', nodeId: 'not-served', peerIds: 'not-served' });
  });

  test('has the peer mesh by the socket, where HTTP does not serve it', async () => {
    const server = await start(recordedMethods('healthy'));
    const ipc = await startIpc(recordedMethods('ipc'));
    const { chain, peers } = await own(createHttpAndIpcProber(server.url, ipc.path, 'XDPoS', Date.now)).probe(5_000);
    expect(peers).toEqual({ ok: true, value: { count: 3, via: 'admin_peers' } });
    expect(chain?.nodeId).toBe('3d2011240da6ac87');
    expect(chain?.peerIds).toEqual(['0f0849cf48786869', '85492ed4458f5363', 'c6b0ee5cad34368b']);
    expect(chain?.missing).toEqual({});
    expect(server.requests.flat().some(({ method }) => method.startsWith('admin_'))).toBe(false);
  });

  test('has it by HTTP that serves admin, and by the socket alone', async () => {
    const methods = { ...recordedMethods('healthy', 'ipc'), rpc_modules: () => ({ admin: '1.0', XDPoS: '1.0' }) };
    const mesh = { nodeId: '3d2011240da6ac87', peerIds: expect.arrayContaining(['0f0849cf48786869']), missing: {} };
    expect(await chainOf(methods)).toMatchObject({ ...mesh, genesis: GENESIS });
    const ipc = await startIpc(methods);
    const { chain } = await own(createNodeProber(createIpcTransport(ipc.path), 'XDPoS', Date.now)).probe(5_000);
    expect(chain).toMatchObject({ ...mesh, genesis: GENESIS });
  });

  test('lacks it where the socket is missing, and the rest stays', async () => {
    const server = await start(recordedMethods('healthy'));
    const { chain } = await own(createHttpAndIpcProber(server.url, '/nowhere/XDC.ipc', 'XDPoS', Date.now)).probe(5_000);
    expect(chain).toMatchObject({ genesis: GENESIS, missing: { nodeId: 'no-answer', peerIds: 'no-answer' } });
  });
});

describe('a part that a node does not give', () => {
  const HEALTHY: Methods = {
    ...recordedMethods('healthy', 'ipc'),
    rpc_modules: () => ({ admin: '1.0', XDPoS: '1.0' }),
  };
  const { XDPoS_getV2BlockByNumber: getBlock } = HEALTHY;
  const resultOf = (method: string) => HEALTHY[method]?.({ id: 1, method, params: [] });
  /** With less of what comes many times, or is no part, so that fewer garbled answers are tried, and each is small. */
  const SMALL: Methods = {
    ...HEALTHY,
    XDPoS_getLatestPoolStatus: () => withTwoEntries(resultOf('XDPoS_getLatestPoolStatus')),
    admin_nodeInfo: () => ({ ...Object(resultOf('admin_nodeInfo')), protocols: { eth: { network: 28_656 } } }),
  };

  test('is missing with the reason, for each method of the question, and costs no check its observation', async () => {
    const { answered, latest, chain } = await probeOnce({ XDPoS_getV2BlockByNumber: getBlock as never });
    expect({ answered, ok: latest.ok }).toEqual({ answered: true, ok: true });
    const { missing, ...given } = chain ?? { missing: {} };
    expect(Object.keys(given).sort()).toEqual(['block', 'genesis']);
    const [absent, unserved] = ['method-not-found', 'not-served'];
    expect(missing).toEqual({
      ...{ chainId: absent, address: absent, syncing: absent, consensus: absent, masternodes: absent },
      ...{ pool: absent, missedRounds: absent, nodeId: unserved, peerIds: unserved },
    });
  });

  test('because of an error has its reason', async () => {
    const failing = (message: string) => () => ({ error: { code: -32000, message } });
    const chain = await chainOf({
      ...HEALTHY,
      eth_coinbase: failing('etherbase must be explicitly specified'),
      XDPoS_getMasternodesByNumber: failing('method handler crashed'),
      XDPoS_networkInformation: failing('node not started'),
    });
    expect(chain?.missing).toEqual({ address: 'error', masternodes: 'crashed', consensus: 'not-started' });
  });

  const members: Readonly<Record<string, ChainPart>> = {
    eth_chainId: 'chainId',
    eth_coinbase: 'address',
    eth_syncing: 'syncing',
    admin_nodeInfo: 'nodeId',
    admin_peers: 'peerIds',
    XDPoS_networkInformation: 'consensus',
    XDPoS_getMasternodesByNumber: 'masternodes',
    XDPoS_getMissedRoundsInEpochByBlockNum: 'missedRounds',
    XDPoS_getLatestPoolStatus: 'pool',
  };
  const isPlain = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

  /** A value with each of its members, at any depth, replaced by each value of a wrong type. */
  function* spoil(value: unknown): Generator<unknown> {
    for (const wrong of [null, 'x', -1, 1.5, 1e300, true, [], [null], [[]], {}, { a: {} }, '0x', '']) yield wrong;
    if (Array.isArray(value) && value.length > 0) for (const other of spoil(value[0])) yield [other, ...value.slice(1)];
    if (!isPlain(value)) return;
    for (const key of Object.keys(value)) for (const other of spoil(value[key])) yield { ...value, [key]: other };
  }

  test.each(Object.entries(members))('whose %s is garbage is absent or still of its type', async (method, part) => {
    const params = /Number|BlockNum/.test(method) ? ['latest'] : [];
    const right = SMALL[method]?.({ id: 1, method, params });
    const whole = await chainOf(SMALL);
    expect(whole?.missing[part]).toBeUndefined();
    let garbage: unknown = right;
    const server = await start({ ...SMALL, [method]: () => garbage });
    let at = 0;
    const prober = own(createNodeProber(server.url, 'XDPoS', () => at));
    let absent = 0;
    for (garbage of spoil(right)) {
      at += 61_000;
      const { latest, chain } = await prober.probe(5_000);
      const text = JSON.stringify(garbage)?.slice(0, 300);
      expect(latest.ok, text).toBe(true);
      expect(chain?.missing, text).toEqual(chain?.[part] === undefined ? { [part]: expect.any(String) } : {});
      if (chain?.[part] === undefined) absent += 1;
      else expect(typeof chain[part], text).toBe(typeof whole?.[part]);
      expect(shapeOf(chain?.[part]) ?? shapeOf(whole?.[part]), text).toEqual(shapeOf(whole?.[part]));
    }
    expect(absent).toBeGreaterThan(5);
  });

  test.each([
    ['the genesis', 'earliest', 'genesis'],
    ['a block at a height', '0x40', 'block'],
  ] as const)('that is %s is absent without a hash, or with that of another height', async (_, tag, part) => {
    for (const bad of [
      null,
      7,
      'x',
      [],
      {},
      { Number: 9, Hash: GENESIS },
      { Number: 64, Hash: `0x${'0'.repeat(64)}` },
    ]) {
      const chain = await chainOf({
        ...HEALTHY,
        XDPoS_getV2BlockByNumber: (call) => (call.params[0] === tag ? bad : getBlock?.(call)),
      });
      expect(chain?.missing, JSON.stringify(bad)).toEqual({ [part]: 'malformed' });
    }
  });

  test('is not taken from an answer that hides an error', async () => {
    const unknown = { Hash: GENESIS, Number: 64, Error: 'can not find block from this number' };
    const masternodes = { Number: 1, Round: 1, Masternodes: null, Penalty: null, Standbynodes: null, Error: {} };
    const chain = await chainOf({
      ...HEALTHY,
      XDPoS_getV2BlockByNumber: (call) => (call.params[0] === '0x40' ? unknown : getBlock?.(call)),
      XDPoS_getMasternodesByNumber: () => masternodes,
    });
    expect(chain?.missing).toEqual({ block: 'error', masternodes: 'error' });
  });

  test('is not taken from values that no chain can have', async () => {
    const members = { Number: 1, Round: 1, Penalty: null, Standbynodes: null, Error: null };
    for (const Masternodes of [null, [], [ZERO], [A80D, '0x1']]) {
      const chain = await chainOf({ ...HEALTHY, XDPoS_getMasternodesByNumber: () => ({ ...members, Masternodes }) });
      expect(chain?.missing, JSON.stringify(Masternodes)).toEqual({ masternodes: 'malformed' });
    }
    const config = { minePeriod: 2, timeoutPeriod: 10, certificateThreshold: 0.667 };
    for (const wrong of [{ certificateThreshold: 1.01 }, { certificateThreshold: 0 }, { minePeriod: 0 }]) {
      const ConsensusConfigs = { epoch: 900, gap: 450, v2: { config: { ...config, ...wrong } } };
      const chain = await chainOf({ ...HEALTHY, XDPoS_networkInformation: () => ({ ConsensusConfigs }) });
      expect(chain?.missing, JSON.stringify(wrong)).toEqual({ consensus: 'malformed' });
    }
  });

  test('is the chain id before EIP-155 if nothing else gives it, and the address that is zero', async () => {
    const { XDPoS_networkInformation: _, ...methods }: Methods = {
      ...HEALTHY,
      eth_chainId: () => '0x0',
      eth_coinbase: () => ZERO,
    };
    expect((await chainOf(methods))?.missing).toEqual({
      chainId: 'not-yet',
      address: 'malformed',
      consensus: 'method-not-found',
    });
  });

  test('is every part, when the answer to the question is nonsense', async () => {
    const silent = await start(HEALTHY, (answers, response) => {
      const isChain = !Array.isArray(answers) || answers.length > 4;
      response.end(isChain ? 'nonsense' : JSON.stringify(answers));
    });
    const { latest, chain } = await own(createNodeProber(silent.url, 'XDPoS', Date.now)).probe(5_000);
    expect(latest.ok).toBe(true);
    expect(Object.keys(chain?.missing ?? {}).sort()).toEqual(
      // Before the first answer, nobody knows how long an epoch is.
      CHAIN_PARTS.filter((part) => part !== 'nextEpoch').sort(),
    );
  });
});

/** Its status with two entries of each kind. */
function withTwoEntries(status: unknown): unknown {
  const { vote } = status as { readonly vote: Readonly<Record<string, unknown>> };
  const [entry] = Object.values(vote);
  return { vote: { '1:0:1:0xaa': entry }, timeout: { '2:0': entry } };
}

/** The types of a value's members, without the lengths of lists. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return value === undefined ? undefined : typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'byMiner' ? 'record' : shapeOf(member)]),
  );
}
