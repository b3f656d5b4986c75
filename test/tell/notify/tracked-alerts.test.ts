import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertFinding, alertKey, type TrackedAlerts } from '../../../src/tell/alerts/tracked-alert.ts';
import {
  convertTrackedAlerts,
  findDue,
  foldAlerts,
  isSameState,
  mergeTrackedAlerts,
  RESOLVED_FOR_MS,
} from '../../../src/tell/notify/tracked-alerts.ts';
import { alertsOf, firingAlert } from '../../support/alerts-at.ts';

const MINUTE = 60_000;
const labels = { alertname: 'SubnetNodeDown', severity: 'warning', subnet: 'd', name: 'a' };
const key = alertKey(labels);
const timing = { forMs: 2 * MINUTE, keepFiringForMs: 0 };
const active = (value = '1', more: Partial<AlertFinding> = {}): AlertFinding => ({
  ...timing,
  labels,
  annotations: { description: value },
  ...more,
  state: 'active',
});
const unknown: AlertFinding = { labels, state: 'unknown' };

type Step = readonly [minute: number, findings: readonly AlertFinding[]];

/** Folds the steps, and gives the phases that the alert was in after each, and the transitions of all. */
function run(steps: readonly Step[], start: TrackedAlerts = new Map()) {
  let trackedAlerts = start;
  const phases: (string | undefined)[] = [];
  const transitions: string[] = [];
  for (const [minute, findings] of steps) {
    const folded = foldAlerts(trackedAlerts, findings, minute * MINUTE);
    trackedAlerts = folded.trackedAlerts;
    phases.push(trackedAlerts.get(key)?.phase);
    transitions.push(...folded.transitions.map(({ to }) => `${minute} ${to}`));
  }
  return { trackedAlerts, phases, transitions };
}

describe('an alert', () => {
  it('fires when it has been so for its time, and not before', () => {
    const { phases, transitions, trackedAlerts } = run([
      [0, [active()]],
      [1.9, [active()]],
      [2, [active()]],
      [3, [active('new')]],
    ]);
    expect(phases).toEqual(['pending', 'pending', 'firing', 'firing']);
    expect(transitions).toEqual(['2 firing']);
    expect(trackedAlerts.get(key)).toMatchObject({
      activeAt: 0,
      firedAt: 2 * MINUTE,
      annotations: { description: 'new' },
    });
  });

  it('was last seen when what shows it was read', () => {
    const read = (readAt: number, more = {}) =>
      active('1', {
        ...{ forMs: 0, readAt },
        details: { summary: 'a is down', evidence: 'no answer', fix: '', ...more },
      } as Partial<AlertFinding>);
    const steps: readonly Step[] = [
      [1, [read(1 * MINUTE - 9_000)]],
      [2, [read(1 * MINUTE - 9_000, { isClearing: true })]],
    ];
    expect(run(steps).trackedAlerts.get(key)?.seenAt).toBe(51_000);
    // By a clock that was set back.
    expect(run([[1, [read(2 * MINUTE)]]]).trackedAlerts.get(key)?.seenAt).toBe(1 * MINUTE);
    // It is found again.
    expect(run([...steps, [4, [read(4 * MINUTE)]]]).trackedAlerts.get(key)?.seenAt).toBe(4 * MINUTE);
  });

  it('says when it was seen, and no more how long ago, once it is resolved', () => {
    const words = { summary: 'a is down', evidence: 'it ended 35s ago (06:11:24 UTC)', fix: '' };
    const { trackedAlerts } = run([
      [1, [active('1', { forMs: 0, details: words } as Partial<AlertFinding>)]],
      [2, []],
    ]);
    expect(trackedAlerts.get(key)).toMatchObject({
      phase: 'resolved',
      details: { evidence: 'it ended at 06:11:24 UTC' },
    });
  });

  it('keeps no age of what was seen while it cannot be judged', () => {
    const words = { summary: 'a has restarted', evidence: 'it restarted 35s ago (06:11:24 UTC)', fix: '' };
    const { trackedAlerts } = run([
      [1, [active('1', { forMs: 0, details: words } as Partial<AlertFinding>)]],
      [2, [unknown]],
    ]);
    expect(trackedAlerts.get(key)).toMatchObject({
      ...{ phase: 'firing', seenAt: MINUTE, details: { evidence: 'it restarted at 06:11:24 UTC' } },
    });
  });

  it('begins anew when what was clearing is of other nodes, and goes on when it is of the same', () => {
    const details = (about: string, isClearing?: true) =>
      active('1', {
        forMs: 0,
        details: {
          summary: 'no further node may fail',
          evidence: '',
          fix: '',
          about,
          ...(isClearing && { isClearing }),
        },
      } as Partial<AlertFinding>);
    const steps: readonly Step[] = [
      [1, [details('n1')]],
      [2, [details('n1', true)]],
    ];
    const same = run([...steps, [3, [details('n1')]]]).trackedAlerts.get(key);
    expect(same).toMatchObject({ phase: 'firing', activeAt: MINUTE, firedAt: MINUTE });
    const other = run([...steps, [3, [details('n2')]]]);
    expect(other.trackedAlerts.get(key)).toMatchObject({ phase: 'firing', activeAt: 3 * MINUTE, firedAt: 3 * MINUTE });
    // When the one before was last seen is known as long as this one goes on.
    const seen = (...more: readonly Step[]) =>
      run([[1, [details('n1')]], [2, [details('n2')]], ...more]).trackedAlerts.get(key)?.otherSeenAt;
    expect([seen(), seen([3, [details('n2')]]), seen([3, []], [4, [details('n2')]])]).toEqual([
      MINUTE,
      MINUTE,
      undefined,
    ]);
    // What has ended and is back soon is no other one, as nobody may have been told of its end.
    const since = (about: string) => [{ ...details(about), since: 4 * MINUTE } as AlertFinding];
    const back = since('n1, n2');
    const again = run([...steps, [3, []], [4, back]]).trackedAlerts.get(key);
    expect(again).toMatchObject({ phase: 'firing', firedAt: 4 * MINUTE });
    expect(again?.otherSeenAt).toBeUndefined();
    // What begins while it is clearing is, but not what comes and goes.
    const seenWith = (about: string) => run([...steps, [4, since(about)]]).trackedAlerts.get(key)?.otherSeenAt;
    expect([seenWith('n1, n2'), seenWith('n1')]).toEqual([2 * MINUTE, undefined]);
    // Nodes that join what goes on are of the same cause.
    expect(
      run([
        [1, [details('n1')]],
        [2, [details('n1, n2')]],
      ]).trackedAlerts.get(key)?.firedAt,
    ).toBe(MINUTE);
    // Planned work that has begun meanwhile holds nothing back of which people know.
    const planned = { reason: 'r', until: 9 * MINUTE, by: 'b', mutes: true };
    const during = run([...steps, [3, [{ ...details('n2'), planned } as AlertFinding]]]);
    expect(during.transitions).toEqual(['1 firing']);
  });

  it('fires at once when it has no time to wait', () => {
    expect(run([[0, [active('1', { forMs: 0 })]]]).transitions).toEqual(['0 firing']);
  });

  it('starts again when it was clear for a moment while it was pending', () => {
    expect(
      run([
        [0, [active()]],
        [1, []],
        [1.5, [active()]],
        [3, [active()]],
        [3.5, [active()]],
      ]).phases,
    ).toEqual(['pending', undefined, 'pending', 'pending', 'firing']);
  });

  it('neither fires nor ends while it cannot be judged', () => {
    expect(
      run([
        [0, [unknown]],
        [1, [active()]],
        [4, [unknown]],
        [5, [active()]],
        [60, [unknown]],
        [61, []],
      ]),
    ).toMatchObject({
      phases: [undefined, 'pending', 'pending', 'firing', 'firing', 'resolved'],
      transitions: ['5 firing', '61 resolved'],
    });
  });

  it('does not count the time in which it was not evaluated', () => {
    expect(
      run([
        [0, [active()]],
        [30, [active()]],
        [32, [active()]],
      ]).phases,
    ).toEqual(['pending', 'pending', 'firing']);
  });

  it('ends only when it has been clear for as long as it should', () => {
    const keep = { keepFiringForMs: 5 * MINUTE };
    expect(
      run([
        [0, [active('1', { forMs: 0, ...keep })]],
        [1, []],
        [4, [active('1', { forMs: 0, ...keep })]],
        [5, []],
        [9, []],
        [10, []],
      ]).transitions,
    ).toEqual(['0 firing', '10 resolved']);
  });

  it('is remembered as resolved for a quarter of an hour, and may fire again meanwhile', () => {
    const steps: Step[] = [
      [0, [active('1', { forMs: 0 })]],
      [1, []],
      [15, []],
      [16, []],
    ];
    expect(run(steps).phases).toEqual(['firing', 'resolved', 'resolved', undefined]);
    const again = run([...steps.slice(0, 2), [2, [active()]], [4, [active()]]]);
    expect(again.transitions).toEqual(['0 firing', '1 resolved', '4 firing']);
    expect(again.trackedAlerts.get(key)).toMatchObject({ activeAt: 2 * MINUTE, firedAt: 4 * MINUTE });
  });

  it('is identified by its labels in any order, and differs by each of them', () => {
    const other = { ...labels, name: 'b' };
    const turned = Object.fromEntries(Object.entries(labels).reverse());
    expect(alertKey(turned)).toBe(key);
    const { trackedAlerts } = run([[0, [active(), active('2', { labels: other })]]]);
    expect(trackedAlerts.size).toBe(2);
  });

  it('never fires before its condition was active for its time, after any steps', () => {
    const step = fc.tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('active', 'unknown', 'none'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let now = 0;
        let since: number | undefined;
        let trackedAlerts: TrackedAlerts = new Map();
        for (const [seconds, what] of steps) {
          now += seconds * 1000;
          const was = trackedAlerts.get(key)?.phase;
          if (what === 'active') since ??= now;
          if (what === 'none') since = undefined;
          const found = { active: [active()], unknown: [unknown], none: [] }[what] ?? [];
          trackedAlerts = foldAlerts(trackedAlerts, found, now).trackedAlerts;
          const phase = trackedAlerts.get(key)?.phase;
          if (phase === 'firing' && was !== 'firing')
            expect([what, now - (since ?? now) >= timing.forMs]).toEqual(['active', true]);
          if (was === 'firing' && phase !== 'firing') expect(what).toBe('none');
        }
      }),
    );
  });
});

describe('an alert about what planned work covers', () => {
  const plan = (mutes = true) => ({ planned: { reason: 'upgrade', until: 60 * MINUTE, by: 'ann', mutes } });
  const during = active('1', plan());
  /** The minutes at which the alert is sent, with its phase; each is judged every minute. */
  const sentOf = (steps: readonly Step[], start: TrackedAlerts = new Map()) => {
    let trackedAlerts = start;
    return steps.flatMap(([minute, findings]) => {
      trackedAlerts = foldAlerts(trackedAlerts, findings, minute * MINUTE).trackedAlerts;
      return [...findDue(trackedAlerts, new Map(), 0, MINUTE).values()].map(({ phase }) => `${minute} ${phase}`);
    });
  };

  it('is held back until the work ends, and sent then at once, with the time since when it fires', () => {
    const steps: Step[] = [
      [0, [during]],
      [2, [during]],
      [59, [unknown]],
      [60, [active()]],
      [61, []],
    ];
    expect(run(steps).transitions).toEqual(['2 held', '60 firing', '61 resolved']);
    expect(sentOf(steps)).toEqual(['60 firing', '61 resolved']);
    expect(run(steps.slice(0, 4)).trackedAlerts.get(key)).toMatchObject({ activeAt: 0, firedAt: 2 * MINUTE });
    expect(run(steps.slice(0, 4)).trackedAlerts.get(key)).not.toHaveProperty('planned');
  });

  it('is never sent when it ends during the work', () => {
    const steps: Step[] = [
      [0, [during]],
      [2, [during]],
      [10, []],
      [60, []],
    ];
    expect(run(steps)).toMatchObject({ phases: ['pending', 'firing', undefined, undefined], transitions: ['2 held'] });
    expect(sentOf(steps)).toEqual([]);
  });

  it('stays as it is when people were notified before the work, and its end is sent', () => {
    const steps: Step[] = [
      [0, [active('1', { forMs: 0 })]],
      [1, [during]],
      [2, []],
    ];
    expect(run(steps).transitions).toEqual(['0 firing', '2 resolved']);
    expect(sentOf(steps)).toEqual(['0 firing', '1 firing', '2 resolved']);
    expect(run(steps.slice(0, 2)).trackedAlerts.get(key)).toMatchObject(plan());
  });

  it('is sent when what it is about was open before the work', () => {
    expect(
      sentOf([
        [0, [active('1', plan(false))]],
        [2, [active('1', plan(false))]],
      ]),
    ).toEqual(['2 firing']);
  });

  it('that was resolved before the work is held back when it fires again', () => {
    const steps: Step[] = [
      [0, [active('1', { forMs: 0 })]],
      [1, []],
      [2, [active('1', { ...plan(), forMs: 0 })]],
    ];
    expect(run(steps).transitions).toEqual(['0 firing', '1 resolved', '2 held']);
  });

  it('is held back over a restart, and stays as it is if people were notified before', () => {
    const held = run([[0, [active('1', { ...plan(), forMs: 0 })]]]).trackedAlerts;
    const merged = mergeTrackedAlerts(new Map(), [...held.values()]);
    expect(
      sentOf(
        [
          [9, [unknown]],
          [10, [during]],
          [60, [active()]],
        ],
        merged,
      ),
    ).toEqual(['60 firing']);
    const notified = run([[0, [active('1', { forMs: 0 })]]]).trackedAlerts;
    const found = run([[9, [active('1', { ...plan(), forMs: 0 })]]]).trackedAlerts;
    expect(sentOf([[10, [during]]], mergeTrackedAlerts(found, [...notified.values()]))).toEqual(['10 firing']);
  });
});

describe('an alert whose cause changes', () => {
  const because = (summary: string, fix: string, isClearing = false): AlertFinding =>
    active('1', { forMs: 0, details: { summary, evidence: 'it was seen', fix, ...(isClearing && { isClearing }) } });
  const causeAt = (...findings: readonly AlertFinding[]) =>
    run(findings.map((one, minute): Step => [minute, [one]])).trackedAlerts.get(key)?.causeAt;

  it('has it since then, by what is wrong or what to do', () => {
    const first = because('2 nodes are down', 'start n1 and n2');
    expect(causeAt(first, first)).toBeUndefined();
    expect(causeAt(first, because('2 nodes hang', 'start n1 and n2'), because('2 nodes hang', 'start n1 and n2'))).toBe(
      MINUTE,
    );
    expect(causeAt(first, first, because('3 nodes are down', 'start n1, n2 and n3'))).toBe(2 * MINUTE);
    expect(causeAt(first, { ...unknown, details: { summary: 'x', evidence: '', fix: '' } })).toBe(MINUTE);
  });

  it('has the same one while only numbers and times differ, and while it clears, but another one when it is back', () => {
    const disk = (free: string, left: string) => because('the disk is full', `free ${free}: it is full in ${left}`);
    expect(causeAt(disk('5 MB', '1m'), disk('0.5 MB', '59s'), disk('1,018 MB', '1m 3s'))).toBeUndefined();
    expect(causeAt(disk('5 MB', '1m'), because('the disk is full', 'nothing to do', true))).toBeUndefined();
    expect(causeAt(disk('5 MB', '1m'), because('the disk is full', 'nothing to do', true), disk('5 MB', '1m'))).toBe(
      2 * MINUTE,
    );
    // What follows the first step may be of one node or another.
    expect(causeAt(because('a', 'look at x; for n1: y'), because('a', 'look at x; for n2: z'))).toBeUndefined();
  });
});

describe('what is stored of an alert that goes on', () => {
  const told = (summary: string, about = 'n4', more = {}) =>
    active('1', { forMs: 0, details: { summary, about, evidence: 'seen', fix: 'act', ...more } } as never);
  const first = told('n4 will have no turns in epoch 7');
  const isStoredAgain = (second: AlertFinding) => {
    const [one, other] = [[first], [first, second]].map((findings) =>
      run(findings.map((each, minute): Step => [minute, [each]])).trackedAlerts.get(key),
    );
    return one === undefined || other === undefined ? undefined : !isSameState(one, other);
  };

  it('is written again when its words tell of another cause, or of more nodes', () => {
    expect(isStoredAgain(told('n4 has no turns in epoch 7'))).toBe(true);
    expect(isStoredAgain(told('n4 will have no turns in epoch 7', 'n3, n4'))).toBe(true);
  });

  it('is written when it begins to clear, as it is known then when it was last seen', () => {
    expect(isStoredAgain(told('n4 will have no turns in epoch 7', 'n4', { fix: '', isClearing: true }))).toBe(true);
  });

  it('is not written while only numbers and evidence change', () => {
    expect(isStoredAgain(first)).toBe(false);
    expect(isStoredAgain(told('n4 will have no turns in epoch 8', 'n4', { evidence: 'seen 5s ago' }))).toBe(false);
  });
});

describe('alerts from before a restart', () => {
  const fired = run([[0, [active('1', { forMs: 0 })]]]).trackedAlerts;

  it('keep firing, and are resolved when they are found clear', () => {
    const merged = mergeTrackedAlerts(new Map(), [...fired.values()]);
    expect(
      run(
        [
          [9, [unknown]],
          [10, []],
        ],
        merged,
      ),
    ).toMatchObject({
      phases: ['firing', 'resolved'],
      transitions: ['10 resolved'],
    });
  });

  it('keep the time since when it is so when it was found again before they were read', () => {
    const pending = run([[9, [active('2')]]]).trackedAlerts;
    expect(mergeTrackedAlerts(pending, [...fired.values()]).get(key)).toMatchObject({
      phase: 'firing',
      activeAt: 0,
      annotations: { description: '2' },
    });
    // Since when it is over is as that of now, too.
    const [stored] = [...fired.values()];
    const kept = stored ? [{ ...stored, overAt: 1 }] : [];
    expect(mergeTrackedAlerts(pending, kept).get(key)?.overAt).toBeUndefined();
  });

  it('that are resolved do not resolve a later alert', () => {
    const ended = run([[1, []]], fired).trackedAlerts;
    const again = run([[2, [active()]]]).trackedAlerts;
    expect(mergeTrackedAlerts(again, [...ended.values()]).get(key)?.phase).toBe('pending');
  });
});

describe('what is sent', () => {
  const { trackedAlerts } = run([[0, [active('1', { forMs: 0 })]]]);
  const due = (list: TrackedAlerts, at: number, phase: 'firing' | 'resolved', now: number) =>
    findDue(list, new Map([[key, { at, phase }]]), now, MINUTE).size;

  it('is sent at once, then each minute', () => {
    expect(findDue(trackedAlerts, new Map(), 0, MINUTE).size).toBe(1);
    expect([due(trackedAlerts, 0, 'firing', MINUTE - 1), due(trackedAlerts, 0, 'firing', MINUTE)]).toEqual([0, 1]);
  });

  it('is not sent while it is pending', () => {
    expect(findDue(run([[0, [active()]]]).trackedAlerts, new Map(), 0, MINUTE).size).toBe(0);
  });

  it('is sent at once when it has ended, and each minute until it is forgotten', () => {
    const resolved = run([[0.1, []]], trackedAlerts).trackedAlerts;
    expect(due(resolved, 0, 'firing', 0.1 * MINUTE)).toBe(1);
    expect(due(resolved, 0.1 * MINUTE, 'resolved', 0.2 * MINUTE)).toBe(0);
    const late = 0.1 * MINUTE + RESOLVED_FOR_MS - 1;
    expect(due(foldAlerts(resolved, [], late).trackedAlerts, 0.1 * MINUTE, 'resolved', late)).toBe(1);
  });

  it('is sent although the clock was set back', () => {
    expect(due(trackedAlerts, 90 * MINUTE, 'firing', 0)).toBe(1);
  });
});

it('what was last seen of an alert for sure is stored with its time', () => {
  const tracked = firingAlert('n1', 5_000, { foundAs: { seenAt: 4_000 }, overAt: 6_000 });
  const [stored] = convertTrackedAlerts(alertsOf(tracked), (at) => at + 1).values();
  expect(stored).toMatchObject({ seenAt: 5_001, overAt: 6_001, foundAs: { seenAt: 4_001 } });
  expect([isSameState(tracked, { ...tracked }), isSameState(tracked, { ...tracked, overAt: 6_001 })]).toEqual([
    true,
    false,
  ]);
});
