import { describe, expect, test } from 'vitest';
import type { Snapshot, SubnetState } from '../../../src/model/snapshot.ts';
import { createSteps } from '../../../src/tell/history/create-steps.ts';
import { diagnosedNode, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AT = Date.UTC(2026, 10, 22, 3);
const NAMES = ['n1', 'n2'];
const REFUSED = { kind: 'refused', address: 'x' } as const;
const subnetWith = (n2: Parameters<typeof diagnosedNode>[2] = {}): SubnetState =>
  stateOf(NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? n2 : {})));
const well = subnetWith();
const down = subnetWith({ fault: REFUSED, container: STOPPED });
const unseen: SubnetState = {
  ...well,
  targets: well.targets.map((one) => ({
    ...one,
    checks: one.checks.map((check) => ({ ...check, verdict: 'unknown' as const })),
  })),
};
const [n1, n2] = well.subnet.targets;
if (n1 === undefined || n2 === undefined) throw new Error('two nodes are needed');
const height = well.targets[0]?.facts.node?.latest?.number ?? 0;

/** A snapshot in which every probe took so long at a time. */
const probed = (state: SubnetState, run: number, ms: number): Snapshot => [
  {
    ...state,
    targets: state.targets.map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, lastRun: run, durationSeconds: ms / 1_000 })),
    })),
  },
];

/** Records a probe of each given time, one a second, in the minute that begins then. */
function probe(steps: ReturnType<typeof createSteps>, at: number, ms: readonly number[], state = well) {
  for (const [index, one] of ms.entries()) steps.record(probed(state, at + index, one), at + index * 1_000);
}

/** The last of the steps. */
const tail = (values: readonly (number | undefined)[], count: number) => values.slice(-count);

describe('the latency of probes', () => {
  test('is what half and 95 % of the answered probes of a minute took at most, and infinite where none was answered', () => {
    const steps = createSteps();
    probe(steps, AT, [4, 8, 16, 2_000]);
    probe(steps, AT + MINUTE, [5_000], down);
    probe(steps, AT + 3 * MINUTE, [9]);
    steps.record([well], AT + 4 * MINUTE);
    const { p50, p95 } = steps.targetStepsOf(n2, '1h', AT + 4 * MINUTE);
    expect(tail(p50, 5)).toEqual([undefined, 8, Number.POSITIVE_INFINITY, undefined, 9]);
    expect(tail(p95, 5)).toEqual([undefined, 2_000, Number.POSITIVE_INFINITY, undefined, 9]);
    expect(p50).toHaveLength(60);
    expect(tail(steps.targetStepsOf(n1, '1h', AT + 4 * MINUTE).p50, 4)).toEqual([8, 5_000, undefined, 9]);
  });

  test('of longer steps is known within a tenth, and one spike among many probes does not move it', () => {
    const steps = createSteps();
    const probes = [...Array(10).fill(10), ...Array(9).fill(30)];
    for (let minute = 0; minute < 29; minute += 1) probe(steps, AT + minute * MINUTE, probes);
    probe(steps, AT + 29 * MINUTE, [3_000]);
    steps.record([well], AT + 30 * MINUTE);
    for (const range of ['24h', '7d', '30d'] as const) {
      const { p50, p95 } = steps.targetStepsOf(n1, range, AT + 29 * MINUTE);
      expect(Math.abs((p50.at(-1) ?? 0) - 10)).toBeLessThanOrEqual(1);
      expect(Math.abs((p95.at(-1) ?? 0) - 30)).toBeLessThanOrEqual(3);
      expect(p50.filter((value) => value !== undefined)).toHaveLength(1);
    }
  });

  test('of a step is that of its own probes alone, however long the steps of other ranges are', () => {
    const steps = createSteps();
    const minutes = Array.from({ length: 60 }, (_, minute) => minute);
    for (const minute of minutes) probe(steps, AT + minute * MINUTE, minute < 30 ? [10, 10, 10] : [80, 80]);
    steps.record([well], AT + 60 * MINUTE);
    const last = (range: '24h' | '7d') => steps.targetStepsOf(n1, range, AT + 59 * MINUTE).p50.at(-1) ?? 0;
    expect(Math.abs(last('24h') - 80)).toBeLessThanOrEqual(8);
    expect(Math.abs(last('7d') - 10)).toBeLessThanOrEqual(1);
  });

  test('goes on in the newest minute when the clock was set back', () => {
    const steps = createSteps();
    probe(steps, AT + 10 * MINUTE, [4]);
    probe(steps, AT + 8 * MINUTE, [6]);
    probe(steps, AT + 11 * MINUTE, [8]);
    steps.record([well], AT + 12 * MINUTE);
    expect(tail(steps.targetStepsOf(n1, '1h', AT + 12 * MINUTE).p95, 4)).toEqual([undefined, undefined, 6, 8]);
  });
});

test('a mark for each probe is there from the first one on, even of one that told nothing, and at most for the last 24', () => {
  const steps = createSteps();
  expect(steps.probesOf(n2)).toEqual([]);
  probe(steps, AT, [4], unseen);
  probe(steps, AT + 2_000, [4]);
  probe(steps, AT + 5_000, [4], down);
  expect([steps.probesOf(n1), steps.probesOf(n2)]).toEqual([
    ['none', 'up', 'up'],
    ['none', 'up', 'down'],
  ]);
  probe(steps, AT + MINUTE, Array(40).fill(4));
  expect(steps.probesOf(n2)).toEqual(Array(24).fill('up'));
});

test('a node is as far behind as it came near the others in the minute, and unknown while it does not answer', () => {
  const steps = createSteps();
  const record = (state: SubnetState, reference: number, at: number) => steps.record([{ ...state, reference }], at);
  record(well, height + 5, AT);
  record(well, height + 2, AT + 10_000);
  record(well, height + 40, AT + MINUTE);
  record(down, height + 60, AT + 2 * MINUTE);
  record(well, height - 1, AT + 3 * MINUTE);
  record(well, height, AT + 4 * MINUTE);
  expect(tail(steps.targetStepsOf(n2, '1h', AT + 4 * MINUTE).lag, 4)).toEqual([2, 40, undefined, 0]);
  expect(steps.targetStepsOf(n2, '24h', AT + 4 * MINUTE).lag.at(-1)).toBe(40);
});

test.each([
  ['another chain is not behind, nor was it before its chain was known', false],
  ['a chain that is not known yet is not behind', undefined],
])('a node of %s, whatever its worst problem is', (_, isOnChain) => {
  const steps = createSteps();
  const behind = { ...well, reference: height + 40 };
  const members = well.members?.map((one) => ({ ...one, isOnChain }));
  steps.record([behind], AT);
  steps.record([{ ...behind, members }], AT + 10_000);
  steps.record([{ ...behind, members }], AT + MINUTE);
  expect(tail(steps.targetStepsOf(n2, '1h', AT + 2 * MINUTE).lag, 3)).toEqual([undefined, undefined, undefined]);
});

test('rounds that were missed before the first look are not counted, and those of a new epoch from its first', () => {
  const steps = createSteps();
  const record = (firstBlock: number, missedRounds: number, minute: number) =>
    steps.record(
      [
        {
          ...well,
          epoch: {
            ...{ firstBlock, isNextKnown: false, block: firstBlock, round: 1 },
            masternodes: [{ address: '0x1', name: 'n1', vote: 'votes', missedRounds }],
          },
        },
      ],
      AT + minute * MINUTE,
    );
  for (const [minute, [firstBlock, missed]] of [
    [900, 7],
    [900, 7],
    [900, 9],
    // On another branch for a moment.
    [900, 8],
    [900, 9],
    [1_800, 3],
    [1_800, 3],
  ].entries())
    record(firstBlock ?? 0, missed ?? 0, minute);
  expect(tail(steps.targetStepsOf(n1, '1h', AT + 6 * MINUTE).missed, 5)).toEqual([2, 0, 0, 3, 0]);
  expect(steps.targetStepsOf(n1, '24h', AT + 6 * MINUTE).missed.at(-1)).toBe(5);
  expect(steps.targetStepsOf(n2, '24h', AT + 5 * MINUTE).missed.at(-1)).toBeUndefined();
});

test('a masternode that no node of the inventory runs is followed by its address, and stored, while an epoch has it', () => {
  const steps = createSteps();
  const record = (address: string, missedRounds: number, minute: number) => {
    const masternodes = [{ address, vote: 'votes' as const, missedRounds }];
    const epoch = { firstBlock: 900, isNextKnown: false, block: 900, round: 1, masternodes };
    steps.record([{ ...well, epoch }], AT + minute * MINUTE);
  };
  for (const [minute, missed] of [4, 4, 6, 7].entries()) record('0x1', missed, minute);
  const at = AT + 4 * MINUTE;
  const tailOf = (own: typeof steps) =>
    own.strangersOf('devnet', '1h', at).map(({ name, missed }) => [name, ...tail(missed, 4)]);
  expect(tailOf(steps)).toEqual([['0x1', undefined, 2, 1, undefined]]);
  const restored = createSteps();
  restored.begin([well]);
  restored.restore([...steps.rows([well])]);
  expect(tailOf(restored)).toEqual([['0x1', undefined, 2, 1, undefined]]);
  record('0x2', 9, 4);
  expect(steps.strangersOf('devnet', '1h', at).map(({ name }) => name)).toEqual(['0x2']);
});

describe('the steps of a subnet', () => {
  const minutes = (steps: ReturnType<typeof createSteps>, first: number, blocks: readonly number[]) => {
    steps.begin([well]);
    for (const [index, one] of blocks.entries())
      steps.addMinute('devnet', { at: first + index * MINUTE, blocks: one, gap: 2 + (index % 2) });
  };

  test('are the blocks a minute on average of what was watched, and the largest gap', () => {
    const steps = createSteps();
    minutes(steps, AT, [30, 0, 30]);
    minutes(steps, AT + 40 * MINUTE, [12]);
    expect(tail(steps.stepsOf('devnet', '1h', AT + 3 * MINUTE).blocks, 4)).toEqual([undefined, 30, 0, 30]);
    const { blocks, gap, coins } = steps.stepsOf('devnet', '24h', AT + 40 * MINUTE);
    expect([tail(blocks, 3), tail(gap, 3)]).toEqual([
      [undefined, 20, 12],
      [undefined, 3, 2],
    ]);
    expect(coins).toEqual(Array(48).fill(undefined));
    expect(steps.stepsOf('gone', '24h', AT)).toEqual({
      blocks: Array(48).fill(undefined),
      gap: Array(48).fill(undefined),
      coins,
    });
  });

  test('are forgotten when they are older than their range, and coarser ones are still there', () => {
    const steps = createSteps();
    minutes(steps, AT, [30]);
    minutes(steps, AT + 2 * DAY, [20]);
    const known = (range: '1h' | '24h' | '7d' | '30d') =>
      steps.stepsOf('devnet', range, AT + 2 * DAY + MINUTE).blocks.filter((value) => value !== undefined);
    expect([known('1h'), known('24h'), known('7d'), known('30d')]).toEqual([[20], [20], [30, 20], [30, 20]]);
    minutes(steps, AT + 40 * DAY, [10]);
    expect(steps.stepsOf('devnet', '30d', AT + 40 * DAY).blocks.filter((value) => value !== undefined)).toEqual([10]);
  });

  test('have the coins of the wallet, as long as the parent chain gives them', () => {
    const steps = createSteps();
    const withCoins = (coins: bigint, ok: boolean): SubnetState => ({
      ...well,
      facts: {
        parent: {
          at: 0,
          observation: {
            head: { ok: false, why: '' },
            balance: ok ? { ok: true, value: coins } : { ok: false, why: '' },
          },
          wallet: { balance: coins * 10n ** 18n, readAt: 0, richSince: 0, changedAt: 0, parts: [], recent: [] },
        },
      } as SubnetState['facts'],
    });
    steps.record([withCoins(41n, true)], AT);
    steps.record([withCoins(40n, true)], AT + 1_000);
    steps.record([withCoins(40n, false)], AT + MINUTE);
    expect(tail(steps.stepsOf('devnet', '1h', AT + 2 * MINUTE).coins, 3)).toEqual([undefined, 40, undefined]);
  });
});

test('after a restart the steps go on where they were, with a gap for the time between', () => {
  const first = createSteps();
  first.begin([well]);
  probe(first, AT, [4]);
  first.addMinute('devnet', { at: AT, blocks: 30, gap: 2 });
  first.record([well], AT + MINUTE);
  const stored = [...first.rows([well])];
  expect(stored.map(({ component, name }) => `${component} ${name}`)).toEqual(['subnet ', 'node n1', 'node n2']);
  const second = createSteps();
  second.begin([well]);
  probe(second, AT + 5 * MINUTE, [8]);
  second.addMinute('devnet', { at: AT + 5 * MINUTE, blocks: 24, gap: 3 });
  second.restore([...stored, { ...(stored[1] as (typeof stored)[number]), cells: 'AAAA' }]);
  // Minutes are stored on their own too: what the steps have is not counted twice.
  second.restoreMinutes([
    { subnet: 'devnet', at: AT, blocks: 30, gap: 2 },
    { subnet: 'devnet', at: AT + 2 * MINUTE, blocks: 12, gap: 2 },
  ]);
  second.record([well], AT + 6 * MINUTE);
  const { p50 } = second.targetStepsOf(n1, '1h', AT + 6 * MINUTE);
  expect(tail(p50, 6)).toEqual([4, undefined, undefined, undefined, undefined, 8]);
  const { blocks } = second.stepsOf('devnet', '1h', AT + 6 * MINUTE);
  expect(tail(blocks, 6)).toEqual([30, undefined, 12, undefined, undefined, 24]);
  const half = second.stepsOf('devnet', '24h', AT + 6 * MINUTE);
  expect([half.blocks.at(-1), half.gap.at(-1)]).toEqual([22, 3]);
});

test('the first probes after a restart do not stand for all of a half-hour, but enough of them do', () => {
  const first = createSteps();
  probe(first, AT, Array(30).fill(4));
  first.record([well], AT + MINUTE);
  const second = createSteps();
  second.begin([well]);
  second.restore([...first.rows([well])]);
  const halfHour = () => second.targetStepsOf(n1, '24h', AT + 9 * MINUTE).p50.at(-1) ?? 0;
  probe(second, AT + 4 * MINUTE, [900]);
  probe(second, AT + 5 * MINUTE, Array(20).fill(40));
  expect(halfHour()).toBeLessThan(5);
  second.record([well], AT + 6 * MINUTE);
  expect(Math.abs(halfHour() - 40)).toBeLessThan(4);
  expect(second.targetStepsOf(n1, '1h', AT + 6 * MINUTE).p50.slice(-2)).toEqual([900, 40]);
});

test('what is stored of a target stays small, however long it is watched', () => {
  const steps = createSteps();
  const ms = (minute: number) => 4 + 9 * Math.abs(Math.sin(minute * minute));
  const month = 31 * 24 * 60;
  for (let minute = 0; minute < month; minute += minute < month - 60 ? 30 : 1)
    probe(steps, AT + minute * MINUTE, [ms(minute), 2 * ms(minute + 7)]);
  const [, node] = steps.rows([well]);
  expect(node?.cells.length).toBeLessThan(1_000);
  // Only a text of the same form joins.
  const other = createSteps();
  other.begin([well]);
  for (const cells of ['', 'AAAA', `${node?.cells.slice(0, 40)}`])
    other.restore([{ ...(node as NonNullable<typeof node>), cells }]);
  expect(other.targetStepsOf(n1, '30d', AT + 31 * DAY).p50).toEqual(Array(60).fill(undefined));
});
