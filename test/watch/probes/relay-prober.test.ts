import { expect, onTestFinished, test } from 'vitest';
import type { ParentChain } from '../../../src/model/parent-chain.ts';
import type { Subnet } from '../../../src/model/target.ts';
import { createRelayProber } from '../../../src/watch/probes/relay-prober.ts';
import { nodeTarget, settings } from '../../support/views.ts';
import { type FakeChain, useFakeChain } from '../../support/zero-chains.ts';

const [PARENT_ID, SUBNET_ID] = [551, 28_656];
const ENDPOINT = `0x${'ee'.repeat(20)}` as const;
const CONTRACT = `0x${'cc'.repeat(20)}` as const;
const signal = new AbortController().signal;

/** Both directions; XDC writes addresses as xdc… too. */
const ZERO = {
  contract: CONTRACT,
  zeroContract: ENDPOINT,
  subnetZeroContract: `xdc${'EE'.repeat(20)}`,
  reverseContract: CONTRACT,
};

function proberOf(parent: FakeChain, own: FakeChain, named: Partial<ParentChain> = ZERO) {
  const subnet: Subnet = {
    name: 'd',
    consensus: 'XDPoS',
    targets: [nodeTarget('n1', { rpc: 'http://127.0.0.1:9' }), nodeTarget('n2', { rpc: own.url })],
    settings,
  };
  const prober = createRelayProber({ rpc: parent.url, ...named }, subnet);
  onTestFinished(prober.close);
  return () => prober.probe(signal);
}

async function useBoth() {
  const [parent, own] = [await useFakeChain(PARENT_ID), await useFakeChain(SUBNET_ID)];
  const sendFromSubnet = (block: number) => own.sent.push({ to: PARENT_ID, block });
  const sendFromParent = (block: number) => parent.sent.push({ to: SUBNET_ID, block });
  return { parent, own, sendFromSubnet, sendFromParent };
}

test('packets are pending in each direction until the other chain has received them', async () => {
  const { parent, own, sendFromSubnet, sendFromParent } = await useBoth();
  const probe = proberOf(parent, own);
  const none = { ok: true, value: { sent: 0, received: 0 } };
  expect((await probe()).packets).toEqual({ to_parent: none, to_subnet: none });
  for (const block of [99_990, 99_995, 99_999]) sendFromSubnet(block);
  sendFromParent(99_500);
  // One to a third chain has an index of its own.
  own.sent.push({ to: 50, block: 99_998 });
  parent.checkpoint = { mode: 'full', committed: 99_992, latest: 99_995 };
  const { packets } = await probe();
  expect(packets.to_parent).toMatchObject({
    value: { sent: 3, received: 0, oldestAt: 99_990, newestBlock: 99_999 },
  });
  expect(packets.to_parent?.ok && packets.to_parent.value.route).toMatchObject({
    isRegistered: true,
    isEndpoint: true,
    isContract: true,
    contract: { kind: 'checkpoint', checkpoint: { committed: { number: 99_992 } } },
  });
  expect(packets.to_subnet).toMatchObject({ value: { sent: 1, received: 0, oldestAt: 99_500 } });
  parent.received = 1;
  expect((await probe()).packets.to_parent).toMatchObject({ value: { sent: 3, received: 1, oldestAt: 99_995 } });
  [parent.received, own.received] = [3, 1];
  expect((await probe()).packets).toEqual({
    to_parent: { ok: true, value: { sent: 3, received: 3 } },
    to_subnet: { ok: true, value: { sent: 1, received: 1 } },
  });
});

test('an old packet is searched for further back, at each reading once', async () => {
  const { parent, own, sendFromSubnet } = await useBoth();
  sendFromSubnet(70_000);
  const probe = proberOf(parent, own);
  const ages: unknown[] = [];
  for (let reading = 0; reading < 3; reading += 1) {
    const { to_parent } = (await probe()).packets;
    ages.push(to_parent?.ok && to_parent.value.oldestAt);
  }
  expect(ages).toEqual([undefined, 70_000, 70_000]);
});

test('a node that serves few blocks of events is not asked for earlier ones', async () => {
  const { parent, own, sendFromSubnet } = await useBoth();
  own.searches = 1_000;
  sendFromSubnet(70_000);
  const probe = proberOf(parent, own);
  for (let reading = 0; reading < 3; reading += 1)
    expect((await probe()).packets.to_parent).toMatchObject({ ok: true, value: { sent: 1, oldestAt: undefined } });
  expect(own.asked.get('eth_getLogs')).toBe(5);
});

test('while nothing is pending, a reading is one request to each chain', async () => {
  const { parent, own } = await useBoth();
  const probe = proberOf(parent, own, { ...ZERO, subnetWallet: `0x${'01'.repeat(20)}` });
  await probe();
  const before = [parent.requests, own.requests];
  await probe();
  expect([parent.requests, own.requests]).toEqual(before.map((requests) => requests + 1));
});

test('what is not configured is not asked for, and a full contract only once for its mode', async () => {
  const { parent, own } = await useBoth();
  const probe = proberOf(parent, own, { contract: CONTRACT });
  expect(await probe()).toEqual({ packets: {}, wallets: {} });
  await probe();
  expect([parent.requests, own.requests]).toEqual([1, 0]);
  const oneWay = proberOf(parent, own, { ...ZERO, reverseContract: undefined });
  expect(Object.keys((await oneWay()).packets)).toEqual(['to_parent']);
});

test('a chain that does not answer leaves the packets of both directions unknown', async () => {
  const { parent, own } = await useBoth();
  const unreached = { ...own, url: 'http://127.0.0.1:9' };
  const { packets } = await proberOf(parent, unreached)();
  expect(packets.to_parent).toEqual({ ok: false, why: 'the subnet cannot be reached' });
  expect(packets.to_subnet).toEqual({
    ok: false,
    why: 'the parent chain was not asked, as the other chain does not give its id',
  });
});

test('the wallets are those of the inventory, or of the transactions that the contracts took', async () => {
  const { parent, own } = await useBoth();
  const named = `0x${'0a'.repeat(20)}`;
  parent.balances.set(parent.sender, 7);
  own.balances.set(own.sender, 8).set(named, 9);
  [parent.received, own.received] = [1, 1];
  const probe = proberOf(parent, own, { ...ZERO, subnetZeroWallet: `xdc${'0A'.repeat(20)}` });
  await probe();
  const balance = (value: bigint) => ({ ok: true, value });
  expect((await probe()).wallets).toEqual({
    parent_zero: { address: parent.sender, balance: balance(7n) },
    subnet: { address: own.sender, balance: balance(8n) },
    subnet_zero: { address: named, balance: balance(9n) },
  });
});

test('a lite contract says what it holds and has not committed', async () => {
  const { parent, own } = await useBoth();
  parent.checkpoint = { mode: 'lite', committed: 451, latest: 1_351 };
  parent.held.set(451, true).set(900, false).set(1_351, false);
  const probe = proberOf(parent, own, { contract: CONTRACT });
  expect(await probe()).toEqual({
    packets: {},
    wallets: {},
    lite: { epoch: 900, gap: 450, latest: 1_351, buffered: 2 },
  });
});
