import { describe, expect, onTestFinished, test } from 'vitest';
import {
  asksForEpoch,
  createChainTiming,
  isDue,
  recordOutcome,
  recordQuestion,
  toMark,
  toNextEpochMark,
  toPhaseMs,
  toTurns,
} from '../../../src/watch/probes/chain-question.ts';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { MAX_ANSWER_BYTES } from '../../../src/watch/probes/transport.ts';
import { blockResult, type FakeNode, type Methods, type ReceivedCall, startNode } from '../../support/fake-node.ts';
import { recordedMethods } from '../../support/recorded-node.ts';

const nodes = (count: number) => Array.from({ length: count }, () => ({ component: 'node' as const }));
/** These are asked for no epoch. */
const SERVICES = (['bootnode', 'relayer', 'stats', 'frontend'] as const).map((component) => ({ component }));

const recorded = recordedMethods('healthy');
const MISSED = 'XDPoS_getMissedRoundsInEpochByBlockNum';
const POOL = 'XDPoS_getLatestPoolStatus';
const NO_COMMIT = 'can not find latest committed block from consensus';

/** A recorded node at a height of the test's, and its prober on a clock of the test's. */
async function watch(methods: Methods = {}, respond?: Parameters<typeof startNode>[1], turns = 1) {
  const state = { height: 1000 as number | null, now: 0 };
  const server = await startNode(
    {
      ...recorded,
      XDPoS_getV2BlockByNumber: (call) =>
        call.params[0] === 'latest'
          ? blockResult(state.height, state.height === null ? NO_COMMIT : '')
          : recorded.XDPoS_getV2BlockByNumber?.(call),
      ...methods,
    },
    respond,
  );
  const prober = createNodeProber(server.url, 'XDPoS', () => state.now, createChainTiming(0, turns));
  onTestFinished(server.stop);
  onTestFinished(() => prober.close());
  /** Probes at a second of the clock, and says whether the chain was asked about. */
  const asksAt = async (second: number, height: number | null = 1_000 + second): Promise<boolean> => {
    Object.assign(state, { now: second * 1000, height });
    return (await prober.probe(5_000)).chain !== undefined;
  };
  return { server, prober, state, asksAt };
}
const methodsOf = ({ requests }: FakeNode): readonly string[] => requests.flat().map(({ method }) => method);
const countOf = (server: FakeNode, wanted: string): number =>
  methodsOf(server).filter((method) => method === wanted).length;

describe('a node is asked about its chain', () => {
  test('at the first probe, and then every minute', async () => {
    const { asksAt } = await watch();
    const asked: number[] = [];
    for (let second = 0; second <= 180; second += 10) if (await asksAt(second, 1_000 + second)) asked.push(second);
    expect(asked).toEqual([0, 60, 120, 180]);
  });

  test('every ten seconds while its height stands, and less often in a large subnet', async () => {
    const askedBy = async (turns: number) => {
      const { asksAt } = await watch({}, undefined, turns);
      const asked: number[] = [];
      for (let second = 0; second <= 170; second += 10)
        if (await asksAt(second, 1_000 + Math.min(Math.max(second, 30), 110))) asked.push(second);
      return asked;
    };
    expect(await askedBy(1)).toEqual([0, 20, 30, 60, 120, 130, 140, 150, 160, 170]);
    expect(await askedBy(4)).toEqual([0, 60, 120, 160]);
  });

  test('with the block with which its next epoch begins at the latest, where epochs go by rounds', () => {
    const timing = createChainTiming(0);
    const memory = { settings: { epoch: 60, gap: 30 }, nextEpochBy: 1_363 };
    const isChangedAt = (height: number) => {
      recordOutcome(timing, 0, true, height, memory);
      return timing.isChanged;
    };
    expect([1_319, 1_320, 1_362, 1_363].map(isChangedAt)).toEqual([false, false, false, true]);
  });

  test('again once its connection breaks, unless it never lasts from one probe to the next', async () => {
    const { server, asksAt } = await watch();
    expect([await asksAt(0), await asksAt(10), await asksAt(20)]).toEqual([true, false, false]);
    server.breakConnections();
    expect([await asksAt(30), await asksAt(40)]).toEqual([true, false]);
    for (const second of [50, 60, 70, 80, 90]) {
      server.breakConnections();
      expect(await asksAt(second)).toBe(second === 60 || second === 50);
    }
  });

  test('apart from the others with which it was asked first', () => {
    const asked = Array.from({ length: 600 }, (_, i) => {
      const timing = createChainTiming(toPhaseMs(`["subnet","node","subnet${i}"]`));
      const times: number[] = [];
      for (let second = 0; second < 180; second += 10)
        if (isDue(timing, second * 1000)) {
          recordQuestion(timing, second * 1000);
          times.push(second);
        }
      return times;
    });
    const countAt = (second: number) => asked.filter((times) => times.includes(second)).length;
    expect(countAt(0)).toBe(600);
    expect(Math.max(...[10, 20, 30, 40, 50, 60, 70, 80].map(countAt))).toBeLessThan(200);
    expect(asked.filter((times) => times.length < 3 || times.length > 4)).toEqual([]);
  });

  test('and for the epoch in one minute of three in a subnet of 24, but in each one while the chain does not move', async () => {
    expect([1, 15, 16, 24, 25, 10_000].map((count) => toTurns([...nodes(count), ...SERVICES]))).toEqual([
      1, 1, 2, 3, 3, 1_250,
    ]);
    const { prober, state } = await watch({}, undefined, toTurns(nodes(24)));
    const isEpochAskedAt = async (minute: number, height: number): Promise<boolean> => {
      Object.assign(state, { now: minute * 60_000, height });
      const { chain } = await prober.probe(5_000);
      expect(chain?.chainId).toBe(28_656);
      const { masternodes, missedRounds, pool } = chain ?? {};
      const isKnown = masternodes !== undefined;
      expect([missedRounds !== undefined, pool !== undefined]).toEqual([isKnown, isKnown]);
      if (!isKnown) expect(Object.keys(chain?.missing ?? {})).toEqual(['nodeId', 'peerIds']);
      return isKnown;
    };
    const asked: number[] = [];
    for (const minute of [1, 2, 3, 4, 5, 6, 7]) if (await isEpochAskedAt(minute, 1_000 + minute)) asked.push(minute);
    expect(asked).toEqual([1, 3, 6]);
    expect(await isEpochAskedAt(8, 1_007)).toBe(true);
    expect(await isEpochAskedAt(10, 1_008)).toBe(false);
    expect(await isEpochAskedAt(11, 990)).toBe(true);
  });

  test('for the epoch by some nodes of a large subnet in each minute', () => {
    const timings = Array.from({ length: 100 }, (_, i) => {
      const timing = createChainTiming(toPhaseMs(`["subnet","node","subnet${i}"]`), toTurns(nodes(100)));
      timing.height = 1;
      recordQuestion(timing, 0);
      return timing;
    });
    const counts = Array.from({ length: 24 }, (_, minute) => {
      const now = (minute + 1) * 60_000;
      return timings.filter((timing) => asksForEpoch({ ...timing, height: minute + 2 }, now)).length;
    });
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
  });

  test('again with the first block of an epoch that it shows, some nodes of a large subnet', async () => {
    const { asksAt } = await watch();
    expect([await asksAt(0, 1_000), await asksAt(10, 1_799), await asksAt(20, 1_800)]).toEqual([true, false, true]);
    expect([await asksAt(30, 1_801), await asksAt(40, 1_802)]).toEqual([false, false]);
    const settings = { epoch: 900, gap: 450 };
    const asked = Array.from({ length: 100 }, (_, i) => {
      const timing = createChainTiming(toPhaseMs(`["subnet","node","subnet${i}"]`), toTurns(nodes(100)));
      recordOutcome(timing, 0, true, 1_799, { settings });
      recordOutcome(timing, 0, true, 1_800, { settings });
      return timing.isChanged;
    }).filter(Boolean);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThan(30);
  });

  test('again when its height fell or is lost, but not at once again', async () => {
    const { asksAt } = await watch();
    await asksAt(0, 1000);
    expect(await asksAt(5, 400)).toBe(false);
    expect(await asksAt(10, 401)).toBe(true);
    expect(await asksAt(20, 402)).toBe(false);
    expect(await asksAt(30, null)).toBe(true);
    expect(await asksAt(40, null)).toBe(false);
  });

  test('again when it answers after silence', async () => {
    let isSilent = false;
    const { asksAt, prober } = await watch({}, (answers, response) => {
      if (isSilent) response.statusCode = 503;
      response.end(JSON.stringify(answers));
    });
    expect(await asksAt(0)).toBe(true);
    isSilent = true;
    expect(await asksAt(10)).toBe(false);
    expect((await prober.probe(5_000)).answered).toBe(false);
    isSilent = false;
    expect(await asksAt(20)).toBe(true);
    expect(await asksAt(30)).toBe(false);
  });

  test('in one batch, which the other probes do not have', async () => {
    const { asksAt, server } = await watch();
    for (const second of [0, 10, 20, 60]) await asksAt(second);
    const sizes = server.requests.map(({ length }) => length);
    // The client and the namespaces are asked for once.
    expect(sizes).toEqual([3, 2, 9, 3, 3, 3, 9]);
  });

  test('by no height above its own, and never for the committed block', async () => {
    const { asksAt, server } = await watch();
    const heights = [1000, 1032, 50, 47, 16, null, 3, 48];
    for (const [i, height] of heights.entries()) await asksAt(i * 60, height);
    const questions = server.requests.filter((request) => request.some(({ params }) => params[0] === 'earliest'));
    const tags = (request: readonly ReceivedCall[]) => request.flatMap(({ params }) => params.map(String));
    const always = ['earliest', 'latest', 'latest'];
    expect(questions.map((request) => tags(request).filter((tag) => !always.includes(tag)))).toEqual([
      ...[['0x3c0'], ['0x3e0'], ['0x20'], [], [], [], [], ['0x20']],
    ]);
  });

  test('for a mark at least 16 below its height', () => {
    expect([undefined, 0, 15, 47, 48, 79, 80, 1e6].map(toMark)).toEqual([
      ...[undefined, undefined, undefined, undefined, 32, 32, 64, 999_968],
    ]);
  });

  test('not again by a method that it does not have, until another process may answer', async () => {
    const { [POOL]: _, ...others } = recorded;
    const server = await startNode(others);
    let at = 0;
    const prober = createNodeProber(server.url, 'XDPoS', () => at);
    onTestFinished(server.stop);
    onTestFinished(() => prober.close());
    const probeAt = async (minute: number) => {
      at = minute * 60_000;
      return (await prober.probe(5_000)).chain?.missing.pool;
    };
    for (const minute of [0, 1, 2]) expect(await probeAt(minute)).toBe('method-not-found');
    expect(countOf(server, POOL)).toBe(1);
    server.breakConnections();
    await probeAt(3);
    expect(countOf(server, POOL)).toBe(2);
    for (const minute of [50, 64]) await probeAt(minute);
    expect(countOf(server, POOL)).toBe(3);
  });
});

describe('the masternodes of the next epoch', () => {
  const HEADER = 'eth_getBlockByNumber';
  const addresses = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
  const header = { number: '0x547', nextValidators: addresses, penalties: [addresses[2]], hash: 'whatever' };
  const tagsOf = ({ requests }: FakeNode) =>
    requests.flat().flatMap(({ method, params }) => (method === HEADER ? [params] : []));

  test('are asked for with the question, once the gap block is passed and the node has said how long an epoch is', async () => {
    const { asksAt, prober, server, state } = await watch({ [HEADER]: () => header });
    for (const [minute, height] of [1_400, 1_300, 1_366].entries()) await asksAt(minute * 60, height);
    expect(tagsOf(server)).toEqual([]);
    Object.assign(state, { now: 180_000, height: 1_367 });
    const { chain } = await prober.probe(5_000);
    expect(tagsOf(server)).toEqual([['0x547', false]]);
    expect(chain?.nextEpoch).toEqual({ block: 1_351, candidates: addresses, penalised: [addresses[2]] });
    expect(chain?.missing).toEqual({ nodeId: 'not-served', peerIds: 'not-served' });
    await asksAt(240, 1_800);
    expect(tagsOf(server)).toHaveLength(1);
  });

  test('are in the header after the gap block, which is left alone until it stays', () => {
    const marks = (epoch: number, gap: number) =>
      [undefined, 0, 466, 467, 899, 900, 1_366, 1_367].map((height) => toNextEpochMark(height, { epoch, gap }));
    const none = undefined;
    expect(marks(900, 450)).toEqual([none, none, none, 451, 451, none, none, 1_351]);
    expect(marks(900, 900)).toEqual(Array(8).fill(none));
    expect(marks(900, 0)).toEqual(Array(8).fill(none));
    expect(toNextEpochMark(1_400, undefined)).toBeUndefined();
  });

  test.each([
    ['null', null, 'not-yet'],
    ['another block', { ...header, number: '0x548' }, 'malformed'],
    ['no list of penalties', { ...header, penalties: 'none' }, 'malformed'],
    ['no candidate', { ...header, nextValidators: null }, 'error'],
    ['an error', { error: { code: -32000, message: 'no' } }, 'error'],
  ])('are missing alone, when the node answers %s', async (_, answer, reason) => {
    const { asksAt, prober, state } = await watch({ [HEADER]: () => answer });
    await asksAt(0, 1_400);
    state.now = 60_000;
    const { chain } = await prober.probe(5_000);
    expect(chain?.nextEpoch).toBeUndefined();
    expect(chain?.missing).toEqual({ nodeId: 'not-served', peerIds: 'not-served', nextEpoch: reason });
  });
});

describe('the question costs a check nothing', () => {
  test('when it is not answered', async () => {
    const { prober, state } = await watch({}, (answers, response) => {
      if (!Array.isArray(answers) || answers.length < 9) response.end(JSON.stringify(answers));
    });
    for (const second of [0, 60]) {
      state.now = second * 1000;
      // The time limit of the probe holds for the request that hangs, too.
      const { latest, committed, peers, chain } = await prober.probe(500);
      expect([latest.ok, committed?.ok, peers?.ok]).toEqual([true, true, true]);
      expect(chain?.missing).toMatchObject({ genesis: 'no-answer', pool: 'no-answer' });
    }
    state.now = 70_000;
    expect(await prober.probe(500)).toMatchObject({ latest: { ok: true }, committed: { ok: true } });
  });

  test.each([
    ['an error', { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'the batch is too long' } }, 200],
    ['HTTP 413', {}, 413],
  ])('when its batch is refused by %s: the calls go singly, and the others stay a batch', async (_, body, status) => {
    const { asksAt, prober, server, state } = await watch({}, (answers, response) => {
      const isLong = Array.isArray(answers) && answers.length > 5;
      if (isLong) response.statusCode = status;
      response.end(JSON.stringify(isLong ? body : answers));
    });
    expect((await prober.probe(5_000)).chain?.missing).toEqual({ nodeId: 'not-served', peerIds: 'not-served' });
    await asksAt(10);
    expect(server.requests.at(-1)).toHaveLength(3);
    state.now = 60_000;
    expect((await prober.probe(5_000)).chain?.genesis).toBeDefined();
    expect(server.requests.filter(({ length }) => length > 5)).toHaveLength(1);
  });

  test('when one answer is too large: only that part is missing', async () => {
    const { prober, state, server } = await watch({ [POOL]: () => 'x'.repeat(MAX_ANSWER_BYTES) });
    for (const second of [0, 60]) {
      state.now = second * 1000;
      const { latest, chain } = await prober.probe(5_000);
      expect(latest.ok).toBe(true);
      expect(chain?.missing).toEqual({ nodeId: 'not-served', peerIds: 'not-served', pool: 'too-large' });
    }
    expect(server.requests.filter(({ length }) => length > 5)).toHaveLength(1);
  });
});

test('of a whole epoch of missed rounds the newest 200 are kept, and all are counted', async () => {
  const miners = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
  const MissedRounds = Array.from({ length: 900 }, (_, i) => ({
    Round: i + 1,
    Miner: miners[i % 3],
    CurrentBlockHash: `0x${'1'.repeat(64)}`,
    CurrentBlockNum: i,
    ParentBlockHash: `0x${'2'.repeat(64)}`,
    ParentBlockNum: i - 1,
  }));
  const { prober } = await watch({ [MISSED]: () => ({ EpochRound: 0, EpochBlockNumber: 0, MissedRounds }) });
  const { chain } = await prober.probe(5_000);
  expect(chain?.missedRounds?.rounds.map(({ round }) => round)).toEqual(Array.from({ length: 200 }, (_, i) => 900 - i));
  expect(chain?.missedRounds?.byMiner).toEqual(Object.fromEntries(miners.map((miner) => [miner, 300])));
  expect(chain?.missing.missedRounds).toBe('truncated');
});
