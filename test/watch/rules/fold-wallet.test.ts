import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldWallet } from '../../../src/model/fold-wallet.ts';
import { findSpend, formatCoins, formatDays, type WalletFacts } from '../../../src/model/parent-chain.ts';

const COIN = 10n ** 18n;
const T0 = 1e12;
const READ_MS = 30_000;
const HOUR = 3_600_000;

/** The facts after these balances, read every 30 seconds. */
const read = (balances: readonly bigint[], everyMs = READ_MS): WalletFacts => {
  let facts: WalletFacts | undefined;
  for (const [index, balance] of balances.entries()) facts = foldWallet(facts, balance, T0 + index * everyMs);
  if (facts === undefined) throw new Error('no balance was read');
  return facts;
};

/** Readings of a wallet that begins with `from` and pays `fee` before each further reading. */
const paying = (from: bigint, fee: bigint, readings: number): readonly bigint[] =>
  Array.from({ length: readings + 1 }, (_, index) => from - fee * BigInt(index));

const spentOf = ({ parts }: WalletFacts): bigint => parts.reduce((sum, { spent }) => sum + spent, 0n);

describe('what the wallet of the relayer spends', () => {
  test('is not known before ten minutes and three payments', () => {
    expect(findSpend(read(paying(100n * COIN, COIN, 19)))).toBeUndefined();
    expect(findSpend(read(paying(100n * COIN, COIN, 20)))).toMatchObject({ payments: 20, overMs: 20 * READ_MS });
    const [flat, one] = [Array.from({ length: 30 }, () => 9n * COIN), [8n * COIN, 7n * COIN]];
    expect(findSpend(read([...flat, ...one]))).toBeUndefined();
    expect(findSpend(read([...flat, ...one, 6n * COIN]))).toMatchObject({ payments: 3 });
  });

  test('is not known after ten minutes while the halves of that differ by more than a payment', () => {
    /** After payments of a coin, but for those before these readings. */
    const spendWithout = (...unpaid: readonly number[]) => {
      const paid = (reading: number) => BigInt(reading - unpaid.filter((one) => one <= reading).length);
      return findSpend(read(Array.from({ length: 21 }, (_, reading) => 100n * COIN - paid(reading) * COIN)))?.perDay;
    };
    expect([spendWithout(), spendWithout(1)]).toEqual([2_880n * COIN, 2_880n * COIN]);
    expect(spendWithout(18)).toBe((2_880n * 8n * COIN) / 9n);
    expect([spendWithout(1, 2), spendWithout(17, 18)]).toEqual([undefined, undefined]);
  });

  test('is what it paid in the time watched, as days left', () => {
    const spend = findSpend(read(paying(2_020n * COIN, COIN, 20)));
    expect(spend).toEqual({ payments: 20, overMs: 600_000, perDay: 2_880n * COIN, daysLeft: 0.694 });
  });

  test('is undefined for a wallet that pays nothing, as with a gas price of 0', () => {
    expect(findSpend(read(Array.from({ length: 3_000 }, () => COIN)))).toBeUndefined();
    expect(findSpend(read(paying(1_000n, 1n, 20)))?.perDay).toBe(2_880n);
  });

  test('is not changed by a top-up in the middle, whose time does not count', () => {
    const [one, two] = [paying(10n * COIN, COIN / 100n, 20), paying(500n * COIN, COIN / 100n, 20)];
    const facts = read([...one, ...two]);
    expect(findSpend(facts)).toMatchObject({ payments: 40, overMs: 40 * READ_MS, perDay: (2_880n * COIN) / 100n });
    expect(facts.balance).toBe(two.at(-1));
  });

  test('is not what somebody takes out at once, before a single payment was seen', () => {
    const emptied = [2_000n * COIN, 0n, 0n, ...paying(2_000n * COIN, COIN / 100n, 24)];
    expect(findSpend(read(emptied))?.perDay).toBe(2_880n * (COIN / 100n));
    expect(read(emptied).level).toBeUndefined();
  });

  test('leaves out coins that somebody took out, and takes a new price after some payments', () => {
    const fee = COIN / 100n;
    const taken = [...paying(1_000n * COIN, fee, 20), ...paying(500n * COIN, fee, 20)];
    expect(findSpend(read(taken))?.perDay).toBe(2_880n * fee);
    const dear = paying(900n * COIN, 30n * fee, 130);
    const perDay = findSpend(read([...paying(1_000n * COIN, fee, 20), ...dear]))?.perDay ?? 0n;
    // The first eight at the new price look like transfers.
    expect(perDay).toBe((2_880n * (20n + 30n * 123n) * fee) / 143n);
  });

  test('is in the first hour that of most minutes, not of those in which the relayer catches up', () => {
    const fee = COIN / 100n;
    const caughtUp = paying(1_000n * COIN, 5n * fee, 9);
    const [first = 0n] = caughtUp.slice(-1);
    const then = (readings: number) => findSpend(read([...caughtUp, ...paying(first, fee, readings).slice(1)]))?.perDay;
    expect(then(20)).toBe(2_880n * fee);
    expect(then(110)).toBe(2_880n * fee);
    expect(then(111)).toBe((2_880n * 156n * fee) / 120n);
  });

  test('counts what was paid while the parent chain did not answer', () => {
    let facts = read(paying(100n * COIN, COIN / 100n, 20));
    facts = foldWallet(facts, facts.balance - COIN, facts.readAt + 100 * READ_MS);
    expect(findSpend(facts)).toMatchObject({ overMs: 120 * READ_MS, perDay: (2_880n * COIN) / 100n });
  });

  test('is that of the last day', () => {
    let facts = read(paying(10_000n * COIN, COIN, 120));
    for (let reading = 0; reading < 2_880; reading++) facts = foldWallet(facts, facts.balance, facts.readAt + READ_MS);
    expect(spentOf(facts)).toBe(0n);
    expect(facts.parts.length).toBeLessThanOrEqual(24);
    expect(findSpend(facts)).toBeUndefined();
  });

  test('is never negative, never more than the falls, and no top-up raises it', () => {
    const step = fc.record({
      change: fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }),
      afterMs: fc.integer({ min: -1_000, max: HOUR }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.bigInt({ min: 1n, max: 10n ** 24n }), (steps, topUp) => {
        let facts = foldWallet(undefined, 10n ** 23n, T0);
        let falls = 0n;
        for (const { change, afterMs } of steps) {
          const before = facts;
          const next = before.balance + change;
          if (next < 0n) continue;
          if (change < 0n) falls -= change;
          facts = foldWallet(before, next, before.readAt + afterMs);
          if (change > 0n) expect(facts.parts).toEqual(before.parts);
        }
        expect(
          facts.parts.every(({ spent, watchedMs, payments }) => spent >= 0n && watchedMs > 0 && payments >= 0),
        ).toBe(true);
        expect(spentOf(facts)).toBeLessThanOrEqual(falls);
        const [spend, more] = [findSpend(facts), findSpend(foldWallet(facts, facts.balance + topUp, facts.readAt + 1))];
        expect(more?.perDay).toBe(spend?.perDay);
        expect(more?.daysLeft ?? 0).toBeGreaterThanOrEqual(spend?.daysLeft ?? 0);
        expect(
          spend === undefined || (spend.perDay > 0n && spend.daysLeft >= 0 && Number.isFinite(spend.daysLeft)),
        ).toBe(true);
      }),
    );
  });
});

describe('the level of the wallet', () => {
  /** The level after an hour at a fee of a coin each reading, with coins for this many days left. */
  const levelAt = (days: number, readings = 120) =>
    read(paying(BigInt(Math.round(days * 2_880) + readings) * COIN, COIN, readings)).level;

  test('begins below seven and below two days', () => {
    expect([7.01, 6.99, 2.01, 1.99, 0].map((days) => levelAt(days))).toEqual([
      undefined,
      'low',
      'low',
      'nearly_empty',
      'nearly_empty',
    ]);
  });

  test('needs half as many days in the first hour, as a relayer that catches up spends more', () => {
    expect([3.51, 3.49, 1.01, 0.99].map((days) => levelAt(days, 20))).toEqual([
      undefined,
      'low',
      'low',
      'nearly_empty',
    ]);
  });

  test('is over only when somewhat more is left, so that it does not come and go', () => {
    let facts = read(paying(BigInt(Math.round(1.9 * 2_880) + 120) * COIN, COIN, 120));
    const topUp = (days: number) => {
      facts = foldWallet(facts, BigInt(Math.round(days * 2_880)) * COIN, facts.readAt + READ_MS);
      return facts.level;
    };
    expect(facts.level).toBe('nearly_empty');
    expect([2.4, 2.6, 7.9, 8.1, 7.9].map(topUp)).toEqual(['nearly_empty', 'low', 'low', undefined, undefined]);
    // Also from the graver level at once.
    expect([1.9, 7.9].map(topUp)).toEqual(['nearly_empty', 'low']);
  });
});

test('coins and days are short for people', () => {
  const amounts = [0n, 1n, 123_456_789_012_345n, COIN / 3n, 12_345n * (COIN / 1_000n), 1_234_567n * COIN];
  expect(amounts.map(formatCoins)).toEqual(['0', '0.000000000000000001', '0.0001235', '0.3333', '12.35', '1234567']);
  const round = [10n * COIN, 999_960n * (COIN / 1_000n), 1_000n * COIN, 1_999_600n * (COIN / 1_000n)];
  expect(round.map(formatCoins)).toEqual(['10', '1000', '1000', '2000']);
  expect([0, 0.222, 1.99, 6.96, 10.9, 400].map(formatDays)).toEqual([
    '0ms',
    '5h 20m',
    '1.9 days',
    '6.9 days',
    '10 days',
    '400 days',
  ]);
});
