import { describe, expect, test } from 'vitest';
import type { KnownTarget, LogFacts, RelayerLogFacts } from '../../../src/model/facts.ts';
import { foldWallet } from '../../../src/model/fold-wallet.ts';
import {
  type CheckpointProgress,
  isSpendJudged,
  type ParentFacts,
  type WalletFacts,
} from '../../../src/model/parent-chain.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { SubnetFacts } from '../../../src/model/subnet-facts.ts';
import { DEFAULT_SETTINGS, type Subnet } from '../../../src/model/target.ts';
import { diagnoseSubnet } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { diagnosedNode, diagnosedService, listCauses, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { stateOf } from '../../support/snapshots.ts';

const COIN = 10n ** 18n;
const MINUTE = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const WALLET = 'xdcCD0340a2214058390d204a826de05312deadbeef';

const service = diagnosedService('relayer');

/** A relayer in full mode, which submits. */
const relayer: KnownTarget = (() => {
  const mode = { cycleAt: NOW, phase: 'done', phaseAt: NOW, submittedAt: NOW, attempted: false } as const;
  const log: RelayerLogFacts = { submissions: 9, submittedAt: NOW, modes: ['full'], byMode: { full: mode } };
  return { ...service, facts: { ...service.facts, logs: { ...(service.facts.logs as LogFacts), relayer: log } } };
})();

/** A relayer whose log shows that its wallet cannot pay. */
const unpaid: KnownTarget = {
  ...relayer,
  facts: {
    ...relayer.facts,
    logs: {
      ...(relayer.facts.logs as LogFacts),
      patterns: { no_funds: { means: 'error', count: 3, at: NOW, order: 1, what: 'it cannot pay', own: false } },
    },
  },
};

/** A wallet that has paid a coin a minute for two hours, and has this many coins. */
function wallet(coins: number, readAt = NOW): WalletFacts {
  let facts: WalletFacts | undefined;
  for (let minute = 120; minute >= 0; minute--)
    facts = foldWallet(facts, BigInt(coins + minute) * COIN, readAt - minute * MINUTE);
  if (facts === undefined) throw new Error('no balance was read');
  return facts;
}

/** The relayer cannot pay since then. */
const since = (at: number): readonly Problem[] => [
  {
    ...{ problem: 'wallet_without_funds', component: 'relayer', name: 'relayer', state: 'open', severity: 'critical' },
    ...{ alert: 'SubnetRelayerWalletEmpty', summary: '', evidence: '', fix: '', explains: [], causes: [] },
    ...{ since: at, seenAt: NOW },
  } as Problem,
];

const causesOf = (
  facts: WalletFacts | undefined,
  services: readonly KnownTarget[] = [relayer],
  parentChain: NonNullable<Subnet['parentChain']> = { rpc: 'http://p', wallet: WALLET },
  before = since(NOW - 2 * MINUTE),
  progress?: CheckpointProgress,
  hasContract = true,
  highest = 77,
) => {
  const targets = [...NAMES.map((name) => diagnosedNode(name, NAMES)), ...services];
  const parent: ParentFacts = {
    observation: {
      head: { ok: true, value: { number: 77, timestamp: 1 } },
      ...(facts && { balance: { ok: true, value: facts.balance } }),
      ...(progress && { contract: { ok: true, value: { kind: 'checkpoint', checkpoint: progress.checkpoint } } }),
    },
    ...(progress && { progress }),
    ...(hasContract && { contractSince: 0 }),
    at: NOW,
    highest,
    headAgeMs: 2_000,
    firstChainId: 551,
    ...(facts && { wallet: facts }),
  };
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map(({ target }) => target),
    parentChain,
  };
  // The check has failed for the whole time.
  const states = judgeTargets(targets, NOW).map((one) => ({
    ...one,
    checks: one.checks.map((check) => ({ ...check, since: before[0]?.since ?? check.since })),
  }));
  return listCauses(viewSubnet(subnet, states, NOW, { parent }), before);
};

const problems = (...given: Parameters<typeof causesOf>) => causesOf(...given).map(({ problem }) => problem);

test('a wallet with coins for less than a week says how many to send, and where', () => {
  const [one, ...more] = causesOf(wallet(9_000));
  expect(more).toEqual([]);
  expect(one).toEqual({
    problem: 'wallet_low',
    component: 'relayer',
    name: 'relayer',
    summary: 'the wallet of the relayer runs out in less than a week',
    evidence:
      'its balance is 9000 coins, and it spends 1440 a day (seen to fall 120 times in 2h), so 6.2 days are left',
    fix: 'send 34200 coins to 0xcd0340a2214058390d204a826de05312deadbeef (PARENTNET_WALLET) on the parent chain, which lasts for 30 days',
    explains: [],
    causes: [],
    readAt: NOW,
  });
});

test('one with coins for less than two days is another problem, in the place of the first', () => {
  const [one, ...more] = causesOf(wallet(500));
  expect(more).toEqual([]);
  expect(one).toMatchObject({
    problem: 'wallet_nearly_empty',
    summary: 'the wallet of the relayer runs out in less than two days',
    evidence: 'its balance is 500 coins, and it spends 1440 a day (seen to fall 120 times in 2h), so 8h 20m are left',
  });
});

test('one in which nothing is left is no problem once the relayer has paid since it was read', () => {
  expect(problems(wallet(0, NOW))).toEqual(['wallet_without_funds']);
  expect(problems(wallet(0, NOW - 1))).toEqual([]);
  expect(problems(wallet(500, NOW - 1))).toEqual(['wallet_nearly_empty']);
});

test('one with less than each of its last payments took is out of funds before the relayer says so', () => {
  // Half a coin each half minute.
  const drained = (coins: bigint) => foldWallet(wallet(500, NOW - 30_000), coins, NOW);
  const [one, ...more] = causesOf(drained(COIN / 4n));
  expect(more).toEqual([]);
  expect(one).toEqual({
    problem: 'wallet_without_funds',
    component: 'relayer',
    name: 'relayer',
    summary: 'the wallet of the relayer is out of funds',
    evidence:
      'its balance is 0.25 coins, and each of the last 15 times that it was seen to fall, it fell by at least 0.5',
    fix: 'send coins to 0xcd0340a2214058390d204a826de05312deadbeef (PARENTNET_WALLET) on the parent chain',
    explains: [],
    causes: ['wallet_low', 'wallet_nearly_empty', 'packets_stuck'].map((problem) => ({
      ...{ problem, component: 'relayer', name: 'relayer' },
    })),
    readAt: NOW,
  });
  // What takes more than half of it is no payment.
  const once = foldWallet(foldWallet(undefined, COIN, NOW - 60_000), (COIN * 6n) / 10n, NOW - 30_000);
  expect(causesOf(foldWallet(once, COIN / 4n, NOW))[0]?.evidence).toBe(
    'its balance is 0.25 coins, and when it was last seen to fall, it fell by 0.4',
  );
  expect(problems(drained(COIN / 2n))).toEqual(['wallet_nearly_empty']);
  // The relayer has submitted since, so that it pays from another wallet.
  const before = foldWallet(wallet(500, NOW - 30_000), COIN / 4n, NOW - 1);
  expect(problems(before)).toEqual([]);
  expect(problems(foldWallet(before, COIN / 4n, NOW))).toEqual(['wallet_nearly_empty']);
  expect(problems(foldWallet(drained(COIN / 4n), COIN / 4n, NOW + 30_000))).toEqual(['wallet_without_funds']);
  // What its log says counts more.
  expect(causesOf(drained(COIN / 4n), [unpaid]).map(({ evidence }) => evidence)).toEqual([
    expect.stringContaining('; 0xcd0340a2214058390d204a826de05312deadbeef has 0.25 coins'),
  ]);
});

test('one of a chain that has lost its contract is none that pays, until the contract is read again', () => {
  const block = { hash: '0xaa', number: 990 };
  const progress: CheckpointProgress = {
    ...{ checkpoint: { mode: 'full', latest: block, committed: block }, readAt: NOW, hasAdvanced: true },
    ...{ advancedAt: NOW, recent: [{ at: NOW, number: 990 }] },
  };
  const found = (coins: number, hasContract: boolean) =>
    problems(wallet(coins), undefined, undefined, [], progress, hasContract);
  expect([found(0, true), found(500, true)]).toEqual([['wallet_without_funds'], ['wallet_nearly_empty']]);
  expect([found(0, false), found(500, false)]).toEqual([[], []]);
});

test('nor does one of a chain that is far below where it was pay: that was wiped, though its contract is not read yet', () => {
  const found = (highest: number) => problems(wallet(0), undefined, undefined, [], undefined, true, highest);
  expect([found(154), found(155)]).toEqual([['wallet_without_funds'], []]);
});

test('what is said of a wallet is of when that was read, or of the last line that says that it cannot pay', () => {
  const readAt = (balanceAt: number, failedAt: number) => {
    const { relayer: log, ...logs } = unpaid.facts.logs as LogFacts;
    const patterns = { no_funds: { ...logs.patterns.no_funds, at: failedAt } } as LogFacts['patterns'];
    const before = { ...log, submittedAt: NOW - MINUTE } as RelayerLogFacts;
    const failed = { ...unpaid, facts: { ...unpaid.facts, logs: { ...logs, patterns, relayer: before } } };
    return causesOf(wallet(0, balanceAt), [failed])[0]?.readAt;
  };
  expect(readAt(NOW - 9_000, NOW - 12_000)).toBe(NOW - 9_000);
  expect(readAt(NOW - 9_000, NOW - 6_000)).toBe(NOW - 6_000);
  expect(causesOf(wallet(500, NOW - 9_000))[0]?.readAt).toBe(NOW - 9_000);
});

test('while its spend was watched for less than an hour, it is told in round numbers, and for two weeks', () => {
  let facts: WalletFacts | undefined;
  for (let minute = 20; minute >= 0; minute--)
    facts = foldWallet(facts, BigInt(100 + minute) * COIN, NOW - minute * MINUTE);
  expect(causesOf(facts)).toMatchObject([
    {
      evidence:
        'its balance is 100 coins, and it spends about 1500 a day (seen to fall 20 times in 20m), so 1h 39m are left',
      fix: expect.stringMatching(/^send 21000 coins to .*, which lasts for 14 days$/),
    },
  ]);
});

test('its spend is told as soon as it is that of now: not by minutes in which little or much was paid, nor by a slower pace before', () => {
  /** What is said of the spend of a wallet that pays so much after each half minute, from this reading on. */
  const told = (paid: (reading: number) => bigint, from = 0) => {
    let balance = 800n * COIN;
    let facts: WalletFacts | undefined;
    const said = new Set<string | undefined>();
    for (let reading = 0; reading < 90; reading++) {
      facts = foldWallet(facts, balance, NOW + (reading - 90) * (MINUTE / 2));
      balance -= paid(reading);
      const [one] = reading < from ? [] : causesOf(facts, undefined, undefined, []);
      if (one) said.add(/it spends .* a day/.exec(one.evidence)?.[0]);
    }
    return [...said];
  };
  const usual = ['it spends about 2900 a day'];
  // The first part is low, or the second one is high.
  expect(told((reading) => (reading < 3 ? 0n : COIN))).toEqual(usual);
  expect(told((reading) => (reading < 9 || reading >= 18 ? COIN : 5n * COIN))).toEqual(usual);
  // Of four parts, two are slow.
  expect(told((reading) => (reading < 18 ? COIN / 2n : COIN), 36)).toEqual(usual);
});

test('one that pays for few more submissions is told before its spend is known, until it is filled', () => {
  /** A wallet of which somebody takes most after four minutes in which it has paid half a coin each half minute. */
  const drained = (left: number, ...then: readonly number[]) => {
    const balances = [3_004, 3_003.5, 3_003, 3_002.5, 3_002, 3_001.5, 3_001, 3_000.5, 3_000, left, ...then];
    let facts: WalletFacts | undefined;
    for (const [index, coins] of balances.entries())
      facts = foldWallet(facts, BigInt(coins * 10) * (COIN / 10n), NOW + (index + 1 - balances.length) * (MINUTE / 2));
    return facts as WalletFacts;
  };
  expect(causesOf(drained(20))).toMatchObject([
    {
      problem: 'wallet_nearly_empty',
      summary: 'the wallet of the relayer has coins for only a few more payments',
      evidence:
        'its balance is 20 coins, which is enough for about 40 more falls like its last 8; what it spends a day is not known yet',
      fix: 'send coins to 0xcd0340a2214058390d204a826de05312deadbeef (PARENTNET_WALLET) on the parent chain',
    },
  ]);
  expect(causesOf(drained(0.5))[0]?.evidence).toContain('for about 1 more fall like');
  expect([problems(drained(47.9)), problems(drained(48)), problems(drained(20, 3_020))]).toEqual([
    ['wallet_nearly_empty'],
    ...[[], []],
  ]);
  expect([drained(20), drained(20, 3_020)].map(isSpendJudged)).toEqual([false, true]);
});

test('one with less than any submission costs is out of funds as soon as it is read, before it was seen to pay', () => {
  const few = (readAt: number) => foldWallet(undefined, COIN / 10_000n, readAt);
  expect(causesOf(few(NOW))).toMatchObject([
    {
      problem: 'wallet_without_funds',
      evidence:
        'its balance is 0.0001 coins, and a submission costs more than 0.005 coins at the gas price of a stock relayer',
      fix: 'send coins to 0xcd0340a2214058390d204a826de05312deadbeef (PARENTNET_WALLET) on the parent chain',
    },
  ]);
  expect(problems(foldWallet(undefined, 0n, NOW))).toEqual(['wallet_without_funds']);
  // It has submitted since, so that it pays less, or from another wallet.
  expect(problems(few(NOW - 1))).toEqual([]);
});

test('one with enough coins is not a problem, nor is one whose spend is not known', () => {
  expect(problems(wallet(20_000))).toEqual([]);
  expect(problems(foldWallet(undefined, COIN / 200n, NOW))).toEqual([]);
});

test('what was seen before subnetd was started of a wallet that the inventory does not name stays until such wallets are read', () => {
  const targets = [...NAMES.map((name) => diagnosedNode(name, NAMES)), relayer];
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets: targets.map(({ target }) => target) },
    parentChain: { rpc: 'http://p', contract: `0x${'c0'.repeat(20)}` },
  };
  const stored = since(NOW - MINUTE).map((one) => ({
    ...one,
    ...({ problem: 'wallet_low', restoredAt: NOW - 4_000, fix: 'send 9 coins' } as const),
  }));
  const told = (facts: SubnetFacts) =>
    diagnoseSubnet(subnet, judgeTargets(targets, NOW), { problems: stored, ended: [] }, NOW, { facts }).problems.map(
      ({ state, fix }) => [state, fix],
    );
  expect(told({})).toEqual([['open', 'send 9 coins']]);
  const relay = { observation: { packets: {}, wallets: {} }, packets: {}, wallets: {} };
  expect(told({ relay })[0]?.[0]).toBe('clearing');
});

test('without a relayer in the inventory it is a problem of the whole subnet', () => {
  const [one] = causesOf(wallet(9_000), []);
  expect(one).not.toHaveProperty('component');
});

test('a balance that was not just read keeps what is known, and says how old it is', () => {
  const evidenceAt = (readAt: number) => causesOf(wallet(9_000, readAt))[0]?.evidence;
  expect(evidenceAt(NOW - 25_000)).toContain('its balance is 9000 coins, read 25s ago (02:46:15 UTC), and');
  const [one] = causesOf(wallet(9_000, NOW - 5 * MINUTE));
  expect(one?.evidence).toContain('its balance is 9000 coins, read 5m ago (02:41:40 UTC), and');
});

test('a relayer that says that it cannot pay has that problem only', () => {
  expect(problems(wallet(1), [unpaid])).toEqual(['wallet_without_funds']);
  // What was foretold is not over.
  const [{ causes } = { causes: [] }] = causesOf(wallet(1), [unpaid]);
  for (const problem of ['wallet_low', 'wallet_nearly_empty'])
    expect(causes).toContainEqual({ problem, component: 'relayer', name: 'relayer' });
});

test('a relayer that cannot pay has had that problem since its balance showed it', () => {
  const [nearly] = since(NOW - 25_000).map((one) => ({ ...one, problem: 'wallet_nearly_empty' as const }));
  const lasted = (before: readonly Problem[], readAt: number) =>
    causesOf(wallet(1, readAt), [unpaid], undefined, before).map((one) => [one.problem, one.lastedMs]);
  for (const readAt of [NOW, NOW - 30_000]) {
    expect(lasted([nearly as Problem], readAt)).toEqual([['wallet_without_funds', 25_000]]);
    expect(lasted([], readAt)).toEqual([['wallet_without_funds', 0]]);
  }
});

test('a relayer that cannot pay is told with the address and the balance of its wallet, where the inventory names it', () => {
  const tell = (facts: WalletFacts | undefined, parentChain?: NonNullable<Subnet['parentChain']>) =>
    causesOf(facts, [unpaid], parentChain).map(({ evidence, fix }) => [evidence.replace(/^.*\. /, ''), fix]);
  const seen = 'The wallet that pays on the parent chain is out of funds';
  const address = '0xcd0340a2214058390d204a826de05312deadbeef';
  const fix = `send coins to ${address} (PARENTNET_WALLET) on the parent chain`;
  expect(tell(wallet(2))).toEqual([[`${seen}; ${address} has 2 coins`, fix]]);
  const notRead = `send coins to the wallet that it pays from; the inventory names ${address} (PARENTNET_WALLET)`;
  expect(tell(undefined)).toEqual([[seen, notRead]]);
  expect(tell(wallet(2, NOW - 2 * MINUTE))).toEqual([[seen, notRead]]);
  expect(tell(undefined, { rpc: 'http://p' })).toEqual([
    [seen, 'send coins to the wallet of PARENTNET_WALLET_PK on the parent chain'],
  ]);
});

describe('a relayer that cannot pay while the wallet of the inventory has coins', () => {
  const address = '0xcd0340a2214058390d204a826de05312deadbeef';
  const full = (readAt: number) => foldWallet(undefined, 97n * COIN, readAt);

  test('pays from another wallet', () => {
    const [one] = causesOf(full(NOW - MINUTE), [unpaid]);
    expect(one?.summary).toBe(
      'the relayer pays from a wallet that is out of funds, which is not the one in the inventory',
    );
    expect(one?.evidence).toMatch(
      new RegExp(`is out of funds; that is not ${address} \\(PARENTNET_WALLET\\), which has 97 coins$`),
    );
    expect(one?.fix).toBe(
      `put the key of ${address} into PARENTNET_WALLET_PK of common.env and run \`HOSTPWD=$PWD docker compose -p generated up -d relayer\` in the folder of its compose file, or send coins to the wallet of the key that is there`,
    );
  });

  test('may have said so before the wallet was filled', () => {
    // Its last line came at NOW.
    expect(problems(full(NOW + 1), [unpaid])).toEqual([]);
    expect(problems(foldWallet(foldWallet(undefined, 0n, NOW - MINUTE), 97n * COIN, NOW + 1), [unpaid])).toEqual([]);
    expect(problems(full(NOW), [unpaid])).toEqual(['wallet_without_funds']);
    // It was over, and its line is still remembered.
    expect(causesOf(full(NOW + 1), [unpaid], undefined, [])).toEqual([]);
  });

  test('is to be waited for once its wallet was filled after its last try', () => {
    const at = NOW - 40_000;
    const what = 'the wallet of the relayer is out of funds';
    const error = { pattern: 'no_funds', at };
    const mode = { cycleAt: at, phase: 'failed', phaseAt: at, attempted: true, error } as const;
    const log = { submissions: 9, submittedAt: at - 1, modes: ['full'], byMode: { full: mode } } as RelayerLogFacts;
    const logs = { ...(relayer.facts.logs as LogFacts), relayer: log };
    const patterns = {
      no_funds: { means: 'error', count: 1, at, order: 1, what, fix: 'fund it', own: false },
    } as const;
    const failing = { ...relayer, facts: { ...relayer.facts, logs: { ...logs, patterns } } };
    const told = (facts: WalletFacts) =>
      causesOf(facts, [failing]).map(({ problem, evidence, fix }) => [problem, evidence, fix]);
    expect(told(full(NOW - 6_000))).toEqual([
      [
        'relayer_stopped',
        `the relayer (FULL) has been failing since its last submission: ${what}; ${address} was seen to be filled 6s ago (02:46:34 UTC) and has 97 coins`,
        'wait for its next try: its wallet was empty when it failed, and has been filled since',
      ],
    ]);
    expect(told(full(at)).map(([problem]) => problem)).toEqual(['wallet_without_funds']);
  });

  test('and then fails for another reason has that problem at once, while the first one clears', () => {
    const failing = (pattern: string, at: number): KnownTarget => {
      const error = { pattern, at };
      const mode = { cycleAt: at, phase: 'failed', phaseAt: at, attempted: true, error } as const;
      const log: RelayerLogFacts = {
        submissions: 9,
        submittedAt: NOW - 9 * MINUTE,
        modes: ['full'],
        byMode: { full: mode },
      };
      const patterns = { [pattern]: { means: 'error', count: 1, at, order: 1, what: 'it fails', own: false } as const };
      return {
        ...relayer,
        facts: { ...relayer.facts, logs: { ...(relayer.facts.logs as LogFacts), relayer: log, patterns } },
      };
    };
    // Coins for some days are not why it fails now.
    const low = causesOf(wallet(500), [failing('underpriced', NOW)]).map(({ problem, fix }) => `${problem}: ${fix}`);
    expect(low.find((one) => one.startsWith('relayer_stopped'))).not.toContain('send');
    expect(low.map((one) => one.split(':')[0])).toContain('wallet_nearly_empty');
    const clearing = since(NOW - 5 * MINUTE).map((one) => ({
      ...one,
      explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' } as const],
      seenAt: NOW - MINUTE,
    }));
    const found = (at: number, progress?: CheckpointProgress) =>
      causesOf(undefined, [failing('underpriced', at)], undefined, clearing, progress);
    expect(found(NOW - MINUTE + 1).map(({ problem }) => problem)).toEqual(['relayer_stopped']);
    expect(found(NOW - MINUTE)).toEqual([]);
    // In between it could pay once. That block does not show that it can now.
    const block = { hash: '0xaa', number: 990 };
    const paid = (advancedAt: number): CheckpointProgress => ({
      ...{ checkpoint: { mode: 'full', latest: block, committed: block }, readAt: NOW, hasAdvanced: true, advancedAt },
      recent: [{ at: advancedAt, number: 990 }],
    });
    expect(found(NOW, paid(NOW - MINUTE + 40_000)).map(({ problem }) => problem)).toEqual(['relayer_stopped']);
    expect(found(NOW, paid(NOW - MINUTE + 40_001))).toEqual([]);
  });

  test('is not known to pay from another one before a balance is read since it fails', () => {
    const begun = (at: number) => causesOf(full(NOW - MINUTE), [unpaid], undefined, since(at))[0];
    expect(begun(NOW - MINUTE - 1)?.summary).toContain('which is not the one in the inventory');
    expect(begun(NOW - MINUTE)?.summary).toBe('the wallet of the relayer is out of funds');
    expect(begun(NOW - MINUTE)?.evidence).toMatch(/The wallet that pays on the parent chain is out of funds$/);
    expect(causesOf(full(NOW - MINUTE), [unpaid], undefined, [])[0]?.fix).toMatch(
      /^send coins to the wallet that it pays from/,
    );
  });

  test('needs more than there is for one submission', () => {
    expect(causesOf(foldWallet(undefined, COIN - 1n, NOW - MINUTE), [unpaid])[0]?.fix).toMatch(/^send coins to /);
    expect(causesOf(foldWallet(undefined, COIN, NOW - MINUTE), [unpaid])[0]?.fix).toMatch(/^put the key of /);
  });
});

test('a wallet that pays for one more submission has a moment left', () => {
  const [one] = causesOf(wallet(1));
  expect(one?.evidence).toMatch(/^its balance is 1 coins, and it spends \d+ a day .*, so less than 2m are left$/);
});

test('a wallet that the inventory does not name any more is not a problem', () => {
  expect(problems(wallet(1), [relayer], { rpc: 'http://p' })).toEqual([]);
});

test('after a restart an open problem of the wallet stays as it is until its spend is known, or an hour has passed', () => {
  const stateWith = (facts: WalletFacts | undefined, named = true) => {
    const head = { ok: true, value: { number: 77, timestamp: 1 } } as const;
    const parent: ParentFacts = { observation: { head }, at: NOW, ...(facts && { wallet: facts }) };
    const { subnet, targets } = stateOf([relayer]);
    const parentChain = { rpc: 'http://p', ...(named && { wallet: WALLET }) };
    const [low] = causesOf(wallet(10));
    if (low === undefined) throw new Error('10 coins are few');
    const restored = {
      ...low,
      alert: 'SubnetRelayerWalletLow',
      severity: 'warning',
      restoredAt: NOW - 2 * MINUTE,
    } as const;
    const before = { ...restored, state: 'open', since: NOW - 9 * MINUTE, seenAt: NOW - MINUTE } as const;
    const after = diagnoseSubnet({ ...subnet, parentChain }, targets, { problems: [before], ended: [] }, NOW, {
      facts: { parent },
    });
    return after.problems.filter(({ problem }) => problem === low.problem).map(({ state }) => state);
  };
  const idle = (minutes: number) => foldWallet(foldWallet(undefined, COIN, NOW - minutes * MINUTE), COIN, NOW);
  expect(stateWith(undefined)).toEqual(['open']);
  expect(stateWith(undefined, false)).toEqual(['clearing']);
  expect(stateWith(idle(59))).toEqual(['open']);
  expect(stateWith(idle(60))).toEqual(['clearing']);
  expect(stateWith(wallet(20_000))).toEqual(['clearing']);
});

test('after a restart an empty wallet stays until its spend is known, or the relayer has submitted', () => {
  const stateWith = (facts: WalletFacts, submittedAt: number) => {
    const head = { ok: true, value: { number: 77, timestamp: 1 } } as const;
    const { logs } = relayer.facts;
    const log = { ...(logs?.relayer as RelayerLogFacts), submittedAt };
    const known = { ...relayer, facts: { ...relayer.facts, logs: { ...(logs as LogFacts), relayer: log } } };
    const { subnet, targets } = stateOf([known]);
    const before = since(NOW - MINUTE).map((one) => ({ ...one, restoredAt: NOW - 5_000 }));
    const parentChain = { rpc: 'http://p', wallet: WALLET };
    const parent = { observation: { head }, at: NOW, wallet: facts };
    return diagnoseSubnet({ ...subnet, parentChain }, targets, { problems: before, ended: [] }, NOW, {
      facts: { parent },
    }).problems.map(({ problem, state }) => `${problem} ${state}`);
  };
  const poor = foldWallet(undefined, COIN / 4n, NOW);
  expect(stateWith(poor, NOW - MINUTE)).toEqual(['wallet_without_funds open']);
  expect(stateWith(poor, NOW - MINUTE + 1)).toEqual(['wallet_without_funds clearing']);
  expect(stateWith(wallet(20_000), NOW - MINUTE)).toEqual(['wallet_without_funds clearing']);
});

test('after a restart an empty wallet stays as it was told, until the log of the relayer has been read', () => {
  const afterLog = (sources: LogFacts['sources']) => {
    const logs = { sources, patterns: {} };
    const { subnet, targets } = stateOf([{ ...relayer, facts: { ...relayer.facts, logs } }]);
    const told = { summary: 'the wallet of the relayer is out of funds', fix: 'send coins' };
    const before = since(NOW - MINUTE).map((one) => ({ ...one, ...told, restoredAt: NOW - 5_000 }));
    const { problems, headline } = diagnoseSubnet(subnet, targets, { problems: before, ended: [] }, NOW);
    return [headline?.sentence, problems.map(({ state, fix }) => `${state}: ${fix}`)];
  };
  const unread = { up: false, lines: 0, since: NOW } as const;
  const open = ['devnet is running, but the wallet of the relayer is out of funds', ['open: send coins']];
  expect(afterLog({})).toEqual(open);
  expect(afterLog({ container: unread })).toEqual(open);
  expect(afterLog({ container: { ...unread, up: true } })).toEqual([
    'devnet is recovering',
    ['clearing: nothing to do about this: it is over unless it comes back'],
  ]);
});
