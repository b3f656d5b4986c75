import { expect, test } from 'vitest';
import type { ContractReading, ParentFacts, ParentObservation } from '../../../src/model/parent-chain.ts';
import { foldParent } from '../../../src/watch/rules/fold-subnet.ts';

/** 2026-11-22, as Unix seconds and as milliseconds. */
const SECONDS = 1_795_305_600;
const WALL = SECONDS * 1000;

const head = (timestamp = SECONDS): ParentObservation => ({ head: { ok: true, value: { number: 9, timestamp } } });
const silent: ParentObservation = { head: { ok: false, why: 'cannot be reached' } };

const at = (number: number): ParentObservation => {
  const block = { hash: `0x${number.toString(16).padStart(64, '0')}`, number };
  const value: ContractReading = { kind: 'checkpoint', checkpoint: { mode: 'full', latest: block, committed: block } };
  return { ...head(), contract: { ok: true, value } };
};

/** Folds what was seen at these watched times. */
const foldAll = (seen: readonly (readonly [number, ParentObservation])[]): ParentFacts | undefined =>
  seen.reduce<ParentFacts | undefined>(
    (facts, [ms, one]) => foldParent(facts, one, { at: ms, wallMs: WALL + ms }),
    undefined,
  );

test('the age of the newest block is by our clock at the time when it was read', () => {
  expect(foldAll([[90_000, head()]])).toEqual({
    observation: head(),
    at: 90_000,
    headAgeMs: 90_000,
    headSince: 90_000,
    highest: 9,
  });
  expect(foldAll([[90_000, silent]])?.headAgeMs).toBeUndefined();
});

test('the newest block stands since the first of the readings in a row that gave it', () => {
  const block = (number: number): ParentObservation => ({ head: { ok: true, value: { number, timestamp: SECONDS } } });
  const since = (...seen: readonly ParentObservation[]) =>
    foldAll(seen.map((one, index) => [index * 10_000, one] as const))?.headSince;
  expect(since(block(9), block(9), block(9))).toBe(0);
  expect(since(block(8), block(9), block(9))).toBe(10_000);
  // A node behind a balancer that is lower is another one.
  expect(since(block(9), block(8), block(9))).toBe(20_000);
  // Nobody knows what came while the chain did not answer.
  expect(since(block(9), silent, block(9))).toBe(20_000);
  expect(since(block(9), silent)).toBeUndefined();
});

test('the highest block is remembered while the chain is lower, and while it does not answer', () => {
  const block = (number: number): ParentObservation => ({ head: { ok: true, value: { number, timestamp: SECONDS } } });
  const highest = (...seen: readonly ParentObservation[]) => foldAll(seen.map((one) => [0, one] as const))?.highest;
  expect([highest(silent), highest(block(9), silent), highest(block(9), silent, block(3))]).toEqual([undefined, 9, 9]);
  expect(highest(block(9), block(10))).toBe(10);
});

test('probes without an answer are counted from the first one, until one has an answer', () => {
  const three = foldAll([
    [0, head()],
    [30_000, silent],
    [60_000, silent],
    [90_000, silent],
  ]);
  expect(three).toMatchObject({ unanswered: { since: 30_000, probes: 3 }, answersSince: undefined });
  const again = foldParent(three, head(), { at: 120_000, wallMs: WALL });
  expect(again).toMatchObject({ unanswered: undefined, answersSince: 120_000 });
  expect(foldParent(again, head(), { at: 150_000, wallMs: WALL }).answersSince).toBe(120_000);
});

test('the contract is there since the first of the readings in a row that gave it, whatever could not be read between', () => {
  const gone: ParentObservation = { ...head(), contract: { ok: true, value: { kind: 'missing' } } };
  const unread: ParentObservation = { ...head(), contract: { ok: false, why: 'did not answer in time' } };
  const since = (...seen: readonly ParentObservation[]) =>
    foldAll(seen.map((one, index) => [index * 10_000, one] as const))?.contractSince;
  expect(since(at(1), at(2))).toBe(0);
  expect(since(at(1), unread, at(2))).toBe(0);
  expect(since(at(1), gone, at(2))).toBe(20_000);
  expect(since(at(1), gone)).toBeUndefined();
  const back = foldAll([at(1), gone, gone, at(1)].map((one, index) => [index * 10_000, one] as const));
  expect(back).toMatchObject({ contractSince: 30_000, answersSince: 30_000 });
  expect(foldParent(undefined, gone, { at: 0, wallMs: WALL }).answersSince).toBeUndefined();
  expect(foldAll([gone, gone].map((one, index) => [index, one] as const))?.answersSince).toBeUndefined();
});

test('the first chain id that was given is remembered, whatever comes later', () => {
  const id = (value: number): ParentObservation => ({ ...head(), chainId: { ok: true, value } });
  const silent = { ...head(), chainId: { ok: false, why: 'answers HTTP 500' } } as const;
  expect(foldAll([[0, silent]])).toMatchObject({ firstChainId: undefined, headSince: 0 });
  expect(
    foldAll([
      [0, head()],
      [1, id(551)],
      [2, id(31_337)],
    ])?.firstChainId,
  ).toBe(551);
});

test('what another chain has at the address of the contract is not a checkpoint', () => {
  const id = (value: number, number: number): ParentObservation => ({ ...at(number), chainId: { ok: true, value } });
  expect(
    foldAll([
      [0, id(551, 7)],
      [30_000, id(50, 900)],
    ])?.progress,
  ).toMatchObject({ readAt: 0, checkpoint: { committed: { number: 7 } } });
});

test('a contract has advanced when its committed block rose, and a first reading is the base', () => {
  expect(
    foldAll([
      [0, at(7)],
      [30_000, at(7)],
    ])?.progress,
  ).toMatchObject({ advancedAt: 0, hasAdvanced: false });
  const risen = foldAll([
    [0, at(7)],
    [30_000, at(8)],
    [60_000, at(8)],
  ]);
  expect(risen?.progress).toMatchObject({ advancedAt: 30_000, hasAdvanced: true, readAt: 60_000 });
  expect(risen?.progress?.recent).toEqual([
    { at: 0, number: 7 },
    { at: 30_000, number: 8 },
    { at: 60_000, number: 8 },
  ]);
});

test('what was read of a contract stays while it cannot be read, and for five minutes counts for its pace', () => {
  const kept = foldAll([
    [0, at(7)],
    [30_000, silent],
    [60_000, { ...head(), contract: { ok: true, value: { kind: 'missing' } } }],
  ]);
  expect(kept?.progress).toMatchObject({ readAt: 0, checkpoint: { committed: { number: 7 } } });
  expect(
    foldAll([
      [0, at(7)],
      [299_999, at(8)],
    ])?.progress?.recent,
  ).toHaveLength(2);
  expect(
    foldAll([
      [0, at(7)],
      [300_000, at(8)],
    ])?.progress?.recent,
  ).toEqual([{ at: 300_000, number: 8 }]);
});

test('a contract that comes after there was none is another one, and nothing of the one before counts', () => {
  const missing: ParentObservation = { ...head(), contract: { ok: true, value: { kind: 'missing' } } };
  const deployed = foldAll([
    [0, at(7)],
    [30_000, at(9)],
    [60_000, missing],
    [90_000, at(1)],
  ]);
  expect(deployed?.contractSince).toBe(90_000);
  expect(deployed?.progress).toMatchObject({
    advancedAt: 90_000,
    hasAdvanced: false,
    recent: [{ at: 90_000, number: 1 }],
  });
});

test('a fall of the contract, as by a reorganisation of the parent chain, is no advance, and its pace begins again', () => {
  const fallen = foldAll([
    [0, at(7)],
    [30_000, at(9)],
    [60_000, at(8)],
  ]);
  expect(fallen?.progress).toMatchObject({ advancedAt: 30_000, recent: [{ at: 60_000, number: 8 }] });
});
