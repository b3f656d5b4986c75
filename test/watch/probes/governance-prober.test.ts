import { expect, onTestFinished, test } from 'vitest';
import { createGovernanceProber } from '../../../src/watch/probes/governance-prober.ts';
import { nodeTarget, settings } from '../../support/views.ts';
import { type FakeChain, useFakeChain } from '../../support/zero-chains.ts';

const signal = new AbortController().signal;
const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const CONTRACT = address('c0');

function proberOf(own: FakeChain, parent?: FakeChain, rpcs: readonly string[] = [own.url]) {
  const prober = createGovernanceProber({
    name: 'd',
    consensus: 'XDPoS',
    targets: rpcs.map((rpc, index) => nodeTarget(`n${index}`, { rpc })),
    settings,
    ...(parent && { parentChain: { rpc: parent.url, contract: CONTRACT } }),
  });
  onTestFinished(prober.close);
  return () => prober.probe(signal);
}

test('the candidates and the code behind the checkpoint contract are read in turn, by one request', async () => {
  const [own, parent] = [await useFakeChain(28_656), await useFakeChain(551)];
  own.candidates = [address('bb'), address('00'), address('aa')];
  parent.slot = `0x${'00'.repeat(12)}${'dd'.repeat(20)}`;
  const probe = proberOf(own, parent);
  // The contract leaves a zero where a candidate has resigned.
  expect(await probe()).toEqual({ candidates: [address('aa'), address('bb')] });
  expect([own.requests, parent.requests]).toEqual([1, 0]);
  expect(await probe()).toEqual({ implementation: address('dd') });
  expect([own.requests, parent.requests]).toEqual([1, 1]);
  expect(await probe()).toHaveProperty('candidates');
});

test('a contract that is no proxy, a chain without candidates and one that does not answer show nothing', async () => {
  const [own, parent] = [await useFakeChain(28_656), await useFakeChain(551)];
  const probe = proberOf(own, parent);
  expect([await probe(), await probe()]).toEqual([{}, {}]);
  const alone = proberOf(own);
  await alone();
  expect([await alone(), own.requests]).toEqual([{}, 2]);
  const away = proberOf({ ...own, url: 'http://127.0.0.1:9' });
  expect(await away()).toEqual({});
});

test.each([
  '0x',
  '0x1234',
  `0x${'00'.repeat(31)}20${'00'.repeat(31)}02${'aa'.repeat(32)}`,
  `0x${'00'.repeat(31)}20${'ff'.repeat(32)}`,
  `0x${'00'.repeat(31)}20${'00'.repeat(31)}02`,
])('an answer that is no list of addresses is no list of candidates: %s', async (result) => {
  const own = await useFakeChain(28_656);
  own.raw = result;
  expect(await proberOf(own)()).toEqual({});
});
