import { expect, onTestFinished, test } from 'vitest';
import { type Effects, NO_EFFECTS } from '../../src/demo/effects.ts';
import type { FaultName } from '../../src/demo/faults.ts';
import { openListener } from '../../src/demo/listener.ts';
import { CONTRACT, createParentChain, WALLET } from '../../src/demo/parent-chain.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { type Checkpoint, findSpend, type ParentFacts } from '../../src/model/parent-chain.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { createParentProber } from '../../src/watch/probes/parent-prober.ts';
import { foldParent } from '../../src/watch/rules/fold-subnet.ts';
import { eventually } from '../support/cli.ts';

const CYCLE_MS = 20_000;

/** A simulated subnet at the end of a cycle of its relayer, with a clock that only the test moves. */
async function simulate(faults: readonly FaultName[]) {
  let time = Math.ceil(Date.now() / CYCLE_MS) * CYCLE_MS + 1_000;
  const simulation = await startSimulation({ nodes: 4, faults, now: () => time });
  onTestFinished(() => simulation.stop());
  const parsed = parseInventory(simulation.inventory(), {});
  if (!parsed.ok) throw new Error('the inventory of the demo is bad');
  const [subnet] = parsed.inventory.subnets;
  const chain = subnet?.parentChain;
  if (subnet === undefined || chain === undefined) throw new Error('the demo has a subnet and a parent chain');
  const prober = createParentProber(chain, subnet);
  onTestFinished(prober.close);
  let facts: ParentFacts | undefined;
  const read = async () => {
    facts = foldParent(facts, await prober.probe(new AbortController().signal), {
      at: time,
      wallMs: time,
    });
    return facts;
  };
  return {
    simulation,
    read,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const checkpointOf = ({ observation: { contract } }: ParentFacts): Checkpoint | undefined =>
  contract?.ok && contract.value.kind === 'checkpoint' ? contract.value.checkpoint : undefined;

test('the wallet of the demo pays for each submission', async () => {
  const { read, pass } = await simulate([]);
  const balanceNow = async () => (await read()).wallet?.balance ?? 0n;
  const first = await balanceNow();
  expect(first).toBeGreaterThan(1_999n * 10n ** 18n);
  for (const payments of [1n, 2n]) {
    pass(CYCLE_MS);
    await eventually(async () => expect(await balanceNow()).toBe(first - (payments * 10n ** 18n) / 100n));
  }
});

test('the contract of the demo holds what the relayer has submitted, and the subnet has it too', async () => {
  const { read, pass } = await simulate([]);
  const first = await read();
  expect(first).toMatchObject({
    firstChainId: 551,
    observation: { balance: { ok: true } },
  });
  expect(first.headAgeMs).toBeLessThan(2_000);
  const checkpoint = checkpointOf(first);
  expect(checkpoint).toMatchObject({ mode: 'full', onSubnet: { found: 'same' } });
  expect(checkpoint?.committed.number).toBe((checkpoint?.latest.number ?? 0) - 3);
  pass(CYCLE_MS);
  await eventually(async () => expect((await read()).progress?.hasAdvanced).toBe(true));
});

test('the contract of the demo takes the next block of the subnet, until it misses an epoch change', async () => {
  const { simulation, read, pass } = await simulate([]);
  await read();
  pass(10_000);
  const next = async () => checkpointOf(await read())?.next;
  const { number = 0 } = (await next()) ?? {};
  expect(number).toBe((checkpointOf(await read())?.latest.number ?? 0) + 1);
  await simulation.setFaults(['contract-refuses']);
  pass(CYCLE_MS);
  await eventually(async () => expect(await next()).toEqual({ number, refusal: 'Mismatched Validators' }));
  await simulation.setFaults([]);
  expect(await next()).toEqual({ number });
});

test('faults of the parent chain are there until they are taken away', async () => {
  const { simulation, read } = await simulate([]);
  await simulation.setFaults(['parent-down']);
  expect((await read()).observation.head).toEqual({ ok: false, why: 'cannot be reached' });
  await simulation.setFaults(['contract-gone', 'wallet-empty']);
  expect((await read()).observation).toMatchObject({
    contract: { ok: true, value: { kind: 'missing' } },
    balance: { ok: true, value: 0n },
  });
  await simulation.setFaults([]);
  expect(checkpointOf(await read())).toMatchObject({ onSubnet: { found: 'same' } });
});

test('a parent chain that halts shows its last block from then on, and the pace of those before', async () => {
  const { simulation, read, pass } = await simulate([]);
  const before = await read();
  expect(before.observation).toMatchObject({ head: { ok: true }, paceMs: 2_000 });
  await simulation.setFaults(['parent-halted']);
  pass(60_000);
  const halted = await read();
  expect(halted.observation).toMatchObject({ head: before.observation.head, paceMs: 2_000 });
  expect(halted).toMatchObject({ headSince: before.at });
  await simulation.setFaults([]);
  expect((await read()).headAgeMs).toBeLessThan(2_000);
});

test('a restart of the parent chain lasts ten seconds, between two cycles of the relayer', async () => {
  const { simulation, read, pass } = await simulate([]);
  await simulation.setFaults(['parent-restarted']);
  const answers = async () => (await read()).observation.head.ok;
  pass(CYCLE_MS);
  expect(await answers()).toBe(true);
  pass(1_000);
  expect(await answers()).toBe(false);
  pass(10_000);
  expect(await answers()).toBe(true);
  pass(CYCLE_MS);
  expect(await answers()).toBe(true);
});

test('a reorganisation of the parent chain takes back the last checkpoint, until the next cycle of the relayer', async () => {
  const { simulation, read, pass } = await simulate([]);
  const height = async () => checkpointOf(await read())?.committed.number ?? 0;
  const before = await height();
  pass(CYCLE_MS);
  await eventually(async () => expect(await height()).toBeGreaterThan(before));
  const after = await height();
  await simulation.setFaults(['parent-reorganised']);
  expect(await height()).toBe(before);
  pass(CYCLE_MS);
  await eventually(async () => expect(await height()).toBeGreaterThan(after));
});

/** A parent chain alone, whose relayer is the test. */
async function startParent() {
  let effects = NO_EFFECTS;
  let time = 1e12;
  let facts: ParentFacts | undefined;
  const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
  const parent = createParentChain({ hashOf, now: () => time, effects: () => effects, since: () => 0 });
  const listener = await openListener('127.0.0.1', parent.handler);
  onTestFinished(() => listener.close());
  await listener.open();
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };
  const prober = createParentProber({ rpc: listener.url, contract: CONTRACT, wallet: WALLET }, subnet);
  onTestFinished(prober.close);
  return {
    submit: parent.submit,
    breakBy: (broken: Partial<Effects>) => {
      effects = { ...NO_EFFECTS, ...broken };
    },
    /** Reads it once more, a cycle of the relayer later. */
    read: async () => {
      time += CYCLE_MS;
      const observation = await prober.probe(new AbortController().signal);
      facts = foldParent(facts, observation, { at: time, wallMs: time });
      return facts;
    },
  };
}

test('a contract that is not that of the relayer takes nothing of what the relayer submits, which still pays', async () => {
  const { submit, breakBy, read } = await startParent();
  submit(20);
  const first = await read();
  breakBy({ checkpointLost: true });
  submit(30);
  const lost = await read();
  expect(checkpointOf(lost)?.latest.number).toBe(20);
  expect(lost.wallet?.balance).toBe((first.wallet?.balance ?? 0n) - 10n ** 16n);
  breakBy({});
  submit(40);
  expect(checkpointOf(await read())?.latest.number).toBe(40);
  // What was there before has its blocks, also where the demo begins with this.
  const other = await startParent();
  other.breakBy({ checkpointLost: true });
  other.submit(20);
  other.submit(30);
  expect(checkpointOf(await other.read())?.latest.number).toBe(20);
});

test('a wallet that is low pays on and has three days left, by what it is seen to pay, until it is filled up', async () => {
  const { submit, breakBy, read } = await startParent();
  let number = 20;
  const work = async (cycles: number) => {
    let wallet: ParentFacts['wallet'];
    for (let cycle = 0; cycle < cycles; cycle++) {
      submit(number++);
      ({ wallet } = await read());
    }
    return { level: wallet?.level, daysLeft: wallet && findSpend(wallet)?.daysLeft };
  };
  expect(await work(30)).toEqual({ level: undefined, daysLeft: undefined });
  const before = await work(1);
  expect(before.level).toBeUndefined();
  expect(before.daysLeft).toBeGreaterThan(40);
  breakBy({ walletLow: true });
  const low = await work(1);
  expect(low.level).toBe('low');
  expect(low.daysLeft).toBeCloseTo(3, 2);
  expect((await work(60)).daysLeft).toBeLessThan(2.99);
  breakBy({});
  expect((await work(1)).level).toBeUndefined();
});
