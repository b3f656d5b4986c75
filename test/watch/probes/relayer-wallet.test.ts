import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { findSpend, type ParentChain, type ParentFacts } from '../../../src/model/parent-chain.ts';
import type { Subnet } from '../../../src/model/target.ts';
import { findWalletProblem } from '../../../src/watch/diagnosis/find-wallet-problem.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { createParentProber } from '../../../src/watch/probes/parent-prober.ts';
import { foldParent } from '../../../src/watch/rules/fold-subnet.ts';
import { type Anvil, FRIEND, RELAYER, startAnvil } from '../../support/anvil.ts';
import { settings } from '../../support/views.ts';

const HALF_MINUTE = 30_000;
const PER_DAY = 2_880n;

let chain: Anvil;
let contract: `0x${string}`;
let full: unknown;
beforeAll(async () => {
  chain = await startAnvil();
  contract = await chain.deploy('full');
  // The first submission writes where nothing was, which costs more than all others.
  await chain.submit(contract, 100);
});
afterAll(() => chain.remove());
beforeEach(async () => {
  if (full !== undefined) await chain.call('evm_revert', full);
  full = await chain.call('evm_snapshot');
});

/** What subnetd knows of the wallet of the relayer, by a clock that only the test moves. */
function watchWallet() {
  let now = 1e12;
  let parent: ParentFacts | undefined;
  const parentChain: ParentChain = { rpc: chain.url, contract, wallet: RELAYER };
  const subnet: Subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings, parentChain };
  const prober = createParentProber(parentChain, subnet);
  onTestFinished(prober.close);
  const wallet = () => {
    if (parent?.wallet === undefined) throw new Error('no balance was read');
    return parent.wallet;
  };
  const read = async () => {
    now += HALF_MINUTE;
    const observation = await prober.probe(new AbortController().signal);
    parent = foldParent(parent, observation, { at: now, wallMs: now });
  };
  return {
    read,
    /** Submits so many times, and reads the balance after each; gives what they have cost. */
    pay: async (times: number) => {
      let paid = 0n;
      for (let time = 1; time <= times; time++) {
        paid += await chain.submit(contract, 100 + time);
        await read();
      }
      return paid;
    },
    /** Leaves this many coins: somebody takes the others out. */
    keep: async (coins: bigint) => {
      await chain.transfer(RELAYER, FRIEND, wallet().balance - coins - chain.transferFee);
      await read();
    },
    spend: () => findSpend(wallet()),
    balance: () => wallet().balance,
    problems: () =>
      [findWalletProblem(viewSubnet(subnet, [], now, parent && { parent }))].filter((one) => one !== undefined),
  };
}

it('a wallet that pays for real submissions is said to spend what they have cost, after ten minutes', async () => {
  const { read, pay, spend, balance, problems } = watchWallet();
  await read();
  const before = balance();
  const paid = await pay(19);
  expect(paid).toBeGreaterThan(0n);
  expect(before - balance()).toBe(paid);
  expect(spend()).toBeUndefined();
  const all = paid + (await pay(1));
  expect(spend()).toMatchObject({ payments: 20, overMs: 600_000, perDay: (all * PER_DAY) / 20n });
  expect(problems()).toEqual([]);
});

it('a wallet with coins for three days is low, by words with its balance, spend, days, and how many to send', async () => {
  const { read, pay, keep, spend, problems } = watchWallet();
  await read();
  await pay(20);
  const { perDay = 0n, ...before } = spend() ?? {};
  await keep(perDay * 3n);
  // What somebody takes out is not a spend.
  expect(spend()).toEqual({ ...before, perDay, daysLeft: 3 });
  expect(problems()).toEqual([
    {
      problem: 'wallet_low',
      summary: 'the wallet of the relayer runs out in less than a week',
      evidence:
        'its balance is 0.09681 coins, and it spends about 0.033 a day (seen to fall 20 times in 10m), so 3 days are left',
      fix: `send 0.36 coins to ${RELAYER} (PARENTNET_WALLET) on the parent chain, which lasts for 14 days`,
      explains: [],
      causes: [],
      readAt: expect.any(Number),
    },
  ]);
});

it('a top-up ends the problem at once, and the wallet spends as before', async () => {
  const { read, pay, keep, spend, balance, problems } = watchWallet();
  await read();
  await pay(20);
  const { perDay = 0n } = spend() ?? {};
  await keep(perDay * 3n);
  const low = balance();
  await chain.transfer(FRIEND, RELAYER, perDay * 30n);
  await read();
  expect(balance()).toBe(low + perDay * 30n);
  expect(spend()).toMatchObject({ perDay, daysLeft: 33 });
  expect(problems()).toEqual([]);
  await pay(20);
  expect(spend()).toMatchObject({ payments: 40, overMs: 1_200_000, perDay });
  expect(problems()).toEqual([]);
});

it('a wallet that goes on paying is nearly empty before the chain takes no transaction of it any more', async () => {
  const { read, pay, keep, balance, problems } = watchWallet();
  await read();
  await pay(20);
  await keep(550_000_000_000_000n);
  const left = () => problems().map(({ problem, evidence }) => `${problem}: ${evidence.split(', so ')[1]}`);
  expect(left()).toEqual(['wallet_nearly_empty: 24m 29s are left']);
  await expect(pay(9)).rejects.toThrow(/insufficient funds/i);
  expect(balance()).toBeGreaterThan(0n);
  expect(left()).toEqual(['wallet_nearly_empty: 23m 2s are left']);
});
