import { describe, expect, it } from 'vitest';
import { demandOf } from '../../bench/soak/demand.ts';
import { type SimulatedSubnet, STALL_MS } from '../../bench/soak/fleet.ts';
import { judgeAlerts, type Notification } from '../../bench/soak/judge-alerts.ts';
import { createSampleJudge } from '../../bench/soak/judge-samples.ts';
import type { Episode } from '../../bench/soak/plan.ts';
import { toTrend } from '../../bench/soak/resources.ts';
import { beginSpan, createTruth, endSpan, setListed, setMood, subtract } from '../../bench/soak/truth.ts';
import type { Status } from '../../src/web/to-status.ts';

const subnet: SimulatedSubnet = { name: 'net0', shard: 0, first: 0, size: 3 };

/** A subnet that shard 0 has watched since the start. */
function createWorld() {
  const truth = createTruth([subnet], 1);
  beginSpan(truth.lives[0] ?? [], 0);
  return truth;
}

/** What a shard tells: the block of each node that it lists, and its open problems. */
function tell(
  blocks: readonly string[],
  problems: readonly (readonly [string, string | undefined, string])[] = [],
): Status {
  const targets = blocks.flatMap((verdict, index) => {
    const of = (check: string, value: string) => ({ check, verdict: value, reason: '', since: '', lastRun: null });
    const peers = blocks.some((other, place) => other === 'fail' && place !== index) ? 'fail' : 'pass';
    return verdict === 'absent'
      ? []
      : [{ component: 'node', name: `n${index}`, checks: [of('latest_block', verdict), of('peers', peers)] }];
  });
  const reported = problems.map(([problem, name, state]) => ({ problem, name, state }));
  return { subnets: [{ name: 'net0', targets, problems: reported }] } as unknown as Status;
}

const episode: Episode = { fault: 'refuses', pattern: 'long', subnet, nodes: [2] };

/** The node 2 refuses from one second to another. */
function refuse(truth: ReturnType<typeof createWorld>, from: number, to?: number) {
  const spans = truth.episodes.get(episode) ?? [];
  truth.episodes.set(episode, spans);
  beginSpan(spans, from * 1_000);
  setMood(truth, subnet, [2], 'refuses', from * 1_000);
  if (to === undefined) return;
  endSpan(spans, to * 1_000);
  setMood(truth, subnet, [2], 'well', to * 1_000);
}

describe('the samples of a soak', () => {
  const found = ['node_down', 'n2', 'open'] as const;

  it('are wrong from when the truth changes until a sample is right', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    judge.take(0, tell(['pass', 'pass', 'pass']), 9_000);
    refuse(truth, 10);
    judge.take(0, tell(['pass', 'pass', 'pass']), 14_000);
    judge.take(0, tell(['pass', 'pass', 'pass']), 18_000);
    judge.take(0, tell(['pass', 'pass', 'fail']), 22_000);
    const { worst, tooLong } = judge.result();
    expect(worst.get('latest_block')).toMatchObject({
      subject: 'net0/n2',
      reported: 'pass',
      truth: 'fail',
      forMs: 8_000,
    });
    expect(tooLong).toEqual([]);
  });

  it('name what is wrong for longer than is allowed, once', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    refuse(truth, 10);
    for (let second = 12; second <= 28; second += 4) judge.take(0, tell(['pass', 'pass', 'pass']), second * 1_000);
    const { tooLong } = judge.result();
    expect(tooLong.map(({ compared, subject, forMs }) => [compared, subject, forMs]).toSorted()).toEqual([
      ['latest_block', 'net0/n2', 18_000],
      ['peers', 'net0/n0', 18_000],
      ['peers', 'net0/n1', 18_000],
    ]);
  });

  it('tell a stalled node from one that only began to be', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    setMood(truth, subnet, [1], 'stalled', 10_000);
    judge.take(0, tell(['pass', 'pass', 'pass']), 10_000 + STALL_MS - 1);
    expect(judge.result().wrong).toBe(0);
    judge.take(0, tell(['pass', 'pass', 'pass']), 10_000 + STALL_MS);
    expect(judge.result().wrong).toBe(1);
  });

  it('miss a problem that is not open, and find one without a fault', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    refuse(truth, 10);
    judge.take(0, tell(['pass', 'pass', 'fail'], [['node_down', 'n2', 'suspected']]), 60_000);
    judge.take(0, tell(['pass', 'pass', 'fail'], [found, ['subnet_halted', undefined, 'open']]), 80_000);
    expect([...judge.result().worst.values()].map(({ compared, subject }) => [compared, subject])).toEqual([
      ['problem that must be open', 'net0: node_down of n2'],
      ['problem that must not be open', 'net0: subnet_halted'],
    ]);
  });

  it('expect a problem to be clearing after its fault, and gone when that is over', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    refuse(truth, 10, 100);
    const clearing = ['node_down', 'n2', 'clearing'] as const;
    judge.take(0, tell(['pass', 'pass', 'pass'], [clearing]), 219_000);
    expect(judge.result().wrong).toBe(0);
    judge.take(0, tell(['pass', 'pass', 'pass'], [clearing]), 221_000);
    expect(judge.result().wrong).toBe(1);
    judge.take(0, tell(['pass', 'pass', 'pass'], [clearing]), 246_000);
    expect(judge.result().tooLong).toEqual([]);
    judge.take(0, tell(['pass', 'pass', 'pass'], [clearing]), 247_000);
    expect(judge.result().tooLong).toMatchObject([
      { compared: 'problem that must have cleared', subject: 'net0: node_down of n2', forMs: 27_000 },
    ]);
  });

  it('expect a problem not to be open for longer than a round after its fault', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    refuse(truth, 10, 100);
    judge.take(0, tell(['pass', 'pass', 'pass'], [found]), 116_000);
    expect(judge.result().tooLong).toEqual([]);
    judge.take(0, tell(['pass', 'pass', 'pass'], [found]), 117_000);
    expect(judge.result().tooLong).toMatchObject([{ compared: 'problem that must not be open', forMs: 17_000 }]);
  });

  it('expect what left the inventory to be absent', () => {
    const truth = createWorld();
    const judge = createSampleJudge(truth);
    setListed(truth, [0], false, 10_000);
    judge.take(0, tell(['absent', 'pass', 'pass']), 12_000);
    expect(judge.result().wrong).toBe(0);
    judge.take(0, tell(['pass', 'pass', 'pass']), 16_000);
    expect(judge.result().worst.get('latest_block')).toMatchObject({ reported: 'pass', truth: 'absent' });
  });
});

describe('the alerts of a soak', () => {
  const labels = { alertname: 'SubnetNodeDown', subnet: 'net0', name: 'n2' };
  const at = (second: number, status: Notification['status'], of = labels): Notification => ({
    at: second * 1_000,
    status,
    labels: of,
  });
  const judge = (to: number, ...reported: readonly Notification[]) => {
    const truth = createWorld();
    refuse(truth, 10, to);
    const { missed, doubled, unwanted, withoutEnd, late } = judgeAlerts(truth, reported);
    return { missed, doubled, unwanted, withoutEnd, late };
  };
  const none = { missed: [], doubled: [], unwanted: [], withoutEnd: [], late: [] };
  const what = 'SubnetNodeDown of net0/n2 (refuses, long)';

  it('are one for a fault, and one for its end', () => {
    expect(judge(100, at(40, 'firing'), at(400, 'resolved'))).toEqual(none);
  });

  it('are missed, doubled, late or without end', () => {
    expect(judge(100)).toEqual({ ...none, missed: [`${what}: 0 firing, 0 resolved`] });
    expect(judge(100, at(40, 'firing'), at(50, 'firing'), at(400, 'resolved'))).toEqual({
      ...none,
      doubled: [`${what}: 2 firing, 1 resolved`],
    });
    expect(judge(100, at(40, 'firing'))).toEqual({ ...none, withoutEnd: ['SubnetNodeDown net0 n2'] });
    expect(judge(100, at(71, 'firing'), at(400, 'resolved'))).toEqual({
      ...none,
      late: [`${what}: 1 firing, 1 resolved, 41 s late`],
    });
  });

  it('are not late when nobody could take them before their shard died', () => {
    const lateWith = (diesAt: number) => {
      const truth = createWorld();
      refuse(truth, 10, 100);
      truth.alertmanagerDown.push({ from: 40_000, to: 80_000 });
      endSpan(truth.lives[0] ?? [], diesAt * 1_000);
      beginSpan(truth.lives[0] ?? [], 300_000);
      return judgeAlerts(truth, [at(310, 'firing'), at(400, 'resolved')]).late;
    };
    expect(lateWith(123)).toEqual([]);
    expect(lateWith(124)).toEqual([`${what}: 1 firing, 1 resolved, 280 s late`]);
  });

  it('are unwanted for a fault that was over at once, and for none', () => {
    expect(judge(15)).toEqual(none);
    expect(judge(15, at(40, 'firing'), at(400, 'resolved')).unwanted).toEqual([`${what}: 1 firing, 1 resolved`]);
    const other = { ...labels, name: 'n1' };
    expect(judge(15, at(40, 'firing', other), at(400, 'resolved', other)).unwanted).toEqual([
      'SubnetNodeDown net0 n1 at 40 s, of no fault',
    ]);
  });
});

describe('the alert of a fault while Alertmanager is down', () => {
  /** The node 2 refuses from 10 s to 100 s, so its problem is open from 56 s until 220 s, or until the node is removed. */
  const demandWith = (downs: readonly (readonly [number, number])[], unlistedAt?: number) => {
    const truth = createWorld();
    refuse(truth, 10, 100);
    truth.alertmanagerDown.push(...downs.map(([from, to]) => ({ from: from * 1_000, to: to * 1_000 })));
    if (unlistedAt !== undefined) setListed(truth, [2], false, unlistedAt * 1_000);
    return demandOf(truth, episode, 2);
  };

  it('must be notified of when it fired long enough before', () => {
    expect(demandWith([[70, 400]])).toBe('must');
    expect(demandWith([[69, 400]])).toBe('undeliverable');
  });

  it('must be notified of when it fires after a shard has tried again', () => {
    expect(demandWith([[5, 176]])).toBe('must');
    expect(demandWith([[5, 177]])).toBe('undeliverable');
  });

  it('must be notified of between two times', () => {
    expect(
      demandWith([
        [5, 50],
        [94, 400],
      ]),
    ).toBe('must');
    expect(
      demandWith([
        [5, 50],
        [93, 400],
      ]),
    ).toBe('undeliverable');
  });

  it('ends when its node leaves the inventory, or its shard dies', () => {
    expect(demandWith([], 90)).toBe('must');
    expect(demandWith([[5, 46]], 90)).toBe('must');
    expect(demandWith([[5, 47]], 90)).toBe('undeliverable');
    const truth = createWorld();
    refuse(truth, 10, 100);
    truth.alertmanagerDown.push({ from: 5_000, to: 70_000 });
    endSpan(truth.lives[0] ?? [], 113_000);
    expect(demandOf(truth, episode, 2)).toBe('undeliverable');
  });

  it('is not missed when it could not be delivered, and is when it could', () => {
    const judge = (to: number) => {
      const truth = createWorld();
      refuse(truth, 10, 100);
      truth.alertmanagerDown.push({ from: 5_000, to: to * 1_000 });
      return judgeAlerts(truth, []).missed.length;
    };
    expect([judge(177), judge(176)]).toEqual([0, 1]);
  });
});

it('what is left of a time without other times', () => {
  const others = [
    { from: 2, to: 3 },
    { from: 5, to: 20 },
  ];
  expect(subtract([{ from: 0, to: 10 }], others)).toEqual([
    { from: 0, to: 2 },
    { from: 3, to: 5 },
  ]);
});

it('a trend compares the second quarter with the last', () => {
  const samples = [5, 100, 10, 30, 50, 20].map((value, index) => ({ at: [0, 10, 30, 60, 74, 80][index] ?? 0, value }));
  expect(toTrend(samples, 100)).toEqual({ second: 10, last: 20, times: 2 });
});
