import { expect, onTestFinished, test } from 'vitest';
import type { ElectionReading } from '../../../src/model/next-set.ts';
import { createNextSetSource } from '../../../src/watch/probes/next-set-source.ts';
import { type Methods, startNode } from '../../support/fake-node.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const word = (hex: string) => hex.replace('0x', '').padStart(64, '0');
const listOf = (...addresses: readonly string[]) =>
  `0x${[word('20'), word(addresses.length.toString(16)), ...addresses.map(word)].join('')}`;
const NOBODY = `0x${'0'.repeat(40)}`;

/** A chain at the wire: two masternodes and one penalised; what changes from one reading to the next is set from outside. */
async function use(over: Methods = {}) {
  const sent = new Map([A, B, C].map((address) => [address, 7]));
  const chain = { height: 1_000, sent, missed: [] as string[], isCalm: false };
  const config = { minePeriod: 2, timeoutPeriod: 10, certificateThreshold: 0.667, maxMasternodes: 2 };
  const node = await startNode({
    XDPoS_getMasternodesByNumber: ({ params: [tag] }) => {
      const Number_ = tag === 'latest' ? chain.height : Number(tag);
      const Masternodes = tag === 'latest' ? [A, B] : [A, B, C];
      return {
        Number: Number_,
        Round: Number_ + 10,
        Masternodes,
        Penalty: chain.isCalm ? [] : [C],
        Standbynodes: [],
        Error: null,
      };
    },
    XDPoS_getMissedRoundsInEpochByBlockNum: ({ params: [tag] }) => {
      if (tag === 'latest')
        return {
          EpochRound: 910,
          EpochBlockNumber: 900,
          MissedRounds: chain.missed.map((Miner) => ({ Round: 911, Miner })),
        };
      const MissedRounds = chain.isCalm ? null : [459, 460, 463].map((Round) => ({ Round, Miner: C }));
      return { EpochRound: 0, EpochBlockNumber: 0, MissedRounds };
    },
    XDPoS_getV2BlockByNumber: ({ params: [tag] }) => ({ Number: Number(tag), Round: Number(tag) + 10, Error: '' }),
    XDPoS_networkInformation: () => ({
      ConsensusConfigs: { epoch: 900, gap: 450, v2: { config, allConfigs: { 0: config } } },
    }),
    eth_call: ({ params: [call] }) => {
      const { to, data } = call as { readonly to: string; readonly data: string };
      expect(to).toBe('0x0000000000000000000000000000000000000088');
      if (data === '0x06a49fce') return listOf(A, NOBODY, B, C);
      return `0x${word(data.endsWith(A.slice(2)) ? '2' : 'ffffffffffffffffffff')}`;
    },
    eth_getTransactionCount: ({ params: [address] }) => `0x${chain.sent.get(String(address))?.toString(16)}`,
    ...over,
  });
  onTestFinished(() => node.stop());
  const target = { ...nodeTarget('n1'), rpc: node.url };
  const source = createNextSetSource({ name: 'd', consensus: 'XDPoS', targets: [target], settings }, () => true);
  onTestFinished(source.close);
  const read = async (): Promise<ElectionReading | undefined> =>
    (await source.probe(new AbortController().signal)).seen;
  const asked = () =>
    node.requests.splice(0).map((calls) => calls.map(({ method }) => method.replace(/^.*_/, '')).join());
  return { chain, read, asked };
}

test('the candidates, with their stakes where there are too many, who signs, and who missed the last part of the epoch before', async () => {
  const { chain, read, asked } = await use();
  const first = await read();
  expect(first).toEqual({
    block: 1_000,
    candidates: [
      { address: A, stake: 2n },
      { address: B, stake: 0xffff_ffff_ffff_ffff_ffffn },
      { address: C, stake: 0xffff_ffff_ffff_ffff_ffffn },
    ],
    // The gap block before is 450, in round 460.
    before: { active: [A, B, C], fromRound: 460, toRound: 909, missed: new Map([[C, 2]]) },
    sent: new Map(),
    againMs: 60_000,
  });
  expect(asked()).toEqual([
    'getMasternodesByNumber,getMissedRoundsInEpochByBlockNum,networkInformation,call',
    'getMasternodesByNumber,getMissedRoundsInEpochByBlockNum,getV2BlockByNumber',
    'call,call,call',
    'getTransactionCount',
  ]);

  chain.height = 1_030;
  expect((await read())?.sent).toEqual(new Map([[C, { since: 1_000 }]]));
  // What was read of this epoch stays as it is.
  expect(asked()).toEqual([
    'getMasternodesByNumber,getMissedRoundsInEpochByBlockNum,networkInformation,call',
    'getTransactionCount',
  ]);

  chain.height = 1_060;
  chain.sent.set(C, 9);
  chain.missed = [A];
  expect((await read())?.sent).toEqual(new Map([[C, { since: 1_030, after: 1_030 }]]));
  chain.height = 1_090;
  expect((await read())?.sent).toEqual(
    new Map([
      [C, { since: 1_060, after: 1_030 }],
      [A, { since: 1_060 }],
    ]),
  );
});

test('while nobody has missed a round and nobody is penalised, one request in some minutes is enough', async () => {
  const { chain, read, asked } = await use();
  chain.isCalm = true;
  expect((await read())?.againMs).toBe(225_000);
  asked();
  chain.height = 1_100;
  expect((await read())?.againMs).toBe(225_000);
  expect(asked()).toHaveLength(1);
  chain.height = 1_200;
  chain.missed = [B];
  expect((await read())?.againMs).toBe(60_000);
});

test('a node that has come no further says nothing new', async () => {
  const { chain, read } = await use();
  await read();
  expect(await read()).toBeUndefined();
  chain.height = 1_001;
  expect(await read()).toMatchObject({ block: 1_001 });
});

test('where the node serves nothing of eth, the known masternodes are the candidates, and it is not asked again', async () => {
  const missing = () => ({ error: { code: -32601, message: 'the method eth_call does not exist/is not available' } });
  const { chain, read, asked } = await use({ eth_call: missing, eth_getTransactionCount: missing });
  expect(await read()).toMatchObject({ candidates: [{ address: A }, { address: B }, { address: C }] });
  expect(asked().join()).toContain('call');
  chain.height = 1_030;
  const second = await read();
  expect(second).toMatchObject({ block: 1_030, sent: new Map() });
  expect(asked()).toEqual(['getMasternodesByNumber,getMissedRoundsInEpochByBlockNum,networkInformation']);
});

test('in the first epoch there is none before, and one that is not answered is asked for again', async () => {
  const young = await use();
  young.chain.height = 400;
  expect(await young.read()).not.toHaveProperty('before');
  let isFirst = true;
  const { chain, read } = await use({
    XDPoS_getV2BlockByNumber: () => {
      if (!isFirst) return { Number: 450, Round: 460, Error: '' };
      isFirst = false;
      return { error: { code: -32000, message: 'method handler crashed' } };
    },
  });
  expect(await read()).not.toHaveProperty('before');
  chain.height = 1_030;
  expect(await read()).toHaveProperty('before.fromRound', 460);
});
