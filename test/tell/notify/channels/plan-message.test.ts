import { describe, expect, it } from 'vitest';
import { alertKey, type TrackedAlert } from '../../../../src/tell/alerts/tracked-alert.ts';
import { groupAlerts } from '../../../../src/tell/notify/channels/create-channels.ts';
import { PLAIN, writeAlerts, writeTitle } from '../../../../src/tell/notify/channels/message-words.ts';
import { afterMessage, noteEnds, planMessage } from '../../../../src/tell/notify/channels/plan-message.ts';
import { toMessage } from '../../../../src/tell/notify/channels/to-message.ts';
import type { NotifiedGroup } from '../../../../src/tell/notify/notified-alert.ts';
import { alertsOf, firingAlert, haltedAlert, resolvedAlert } from '../../../support/alerts-at.ts';

const START = Date.UTC(2026, 10, 21);
const S = 1_000;
const REPEAT = 4 * 3_600_000;

/** The message that is due `after` the start, as short words. */
function plan(
  after: number,
  alerts: readonly TrackedAlert[],
  before?: NotifiedGroup,
  repeatMs: number | undefined = REPEAT,
) {
  const { firing } = groupAlerts(alertsOf(...alerts), START + after);
  return planMessage(firing.get('devnet') ?? new Map(), before, repeatMs, START + after);
}
const words = (planned: ReturnType<typeof plan>) => {
  const names = (alerts: readonly { readonly labels: Readonly<Record<string, string>> }[] = []) =>
    alerts.map(({ labels }) => labels.name ?? labels.alertname).join(' ');
  return planned && `${planned.kind}: +${names(planned.begun)} -${names(planned.ended)} =${names(planned.ongoing)}`;
};
/** What a channel was notified of after the message for these alerts. */
function notified(after: number, ...alerts: readonly TrackedAlert[]): NotifiedGroup {
  const planned = plan(after, alerts);
  if (planned === undefined) throw new Error('no message is due');
  return afterMessage(planned, undefined, { channel: 'ops', group: 'devnet', thread: 't', now: START + after });
}

const node = (name: string, after = 0) => firingAlert(name, START + after);

describe('a message', () => {
  it('waits a quarter of a minute for other alerts, and lists all of them', () => {
    expect(words(plan(14 * S, [node('n1')]))).toBeUndefined();
    expect(words(plan(15 * S, [node('n1'), node('n2', 10 * S)]))).toBe('change: +n1 n2 - =');
  });

  it('goes out after five seconds when one alert pages, with the worst first', () => {
    const forked = firingAlert('', START, {
      labels: { alertname: 'SubnetChainForked', severity: 'critical', subnet: 'devnet' },
    });
    const relayer = firingAlert('relayer', START, {
      labels: {
        alertname: 'SubnetRelayerDead',
        severity: 'warning',
        subnet: 'devnet',
        component: 'relayer',
        name: 'relayer',
      },
    });
    expect(words(plan(4 * S, [relayer, forked]))).toBeUndefined();
    expect(words(plan(5 * S, [relayer, forked]))).toBe('change: +SubnetChainForked relayer - =');
  });

  it('says nothing of an alert that seems to be over before anybody was notified of it, until it is there again', () => {
    const details = { summary: 'n1 is down', evidence: 'it was seen', fix: 'start it' };
    const withDetails = (isClearing: boolean) =>
      firingAlert('n1', START, { details: { ...details, ...(isClearing && { isClearing: true as const }) } });
    expect(words(plan(60 * S, [withDetails(true)]))).toBeUndefined();
    expect(words(plan(60 * S, [withDetails(true), node('n2')]))).toBe('change: +n2 - =');
    expect(words(plan(60 * S, [withDetails(false)]))).toBe('change: +n1 - =');
    // Who was notified hears of it until it is over.
    const before = notified(60 * S, withDetails(false));
    expect(words(plan(180 * S, [withDetails(true), node('n2', 61 * S)], before))).toBe('change: +n2 - =n1');
  });

  it('leaves out what a graver alert inhibits, and what planned work holds back', () => {
    expect(words(plan(60 * S, [node('n1'), haltedAlert(START)]))).toBe('change: +SubnetHalted - =');
    expect(words(plan(60 * S, [{ ...node('n1'), isHeld: true }]))).toBeUndefined();
    // What nobody is notified of inhibits nothing.
    expect(words(plan(60 * S, [node('n1'), { ...haltedAlert(START), isHeld: true }]))).toBe('change: +n1 - =');
  });

  it('leaves out nothing that began after the graver alert was last seen', () => {
    const seen = { summary: 'n1 is down', evidence: 'it was seen', fix: 'start it' };
    const stopped = (isClearing: boolean): TrackedAlert => ({
      ...firingAlert('n1', START, {
        labels: { ...node('n1').labels, alertname: 'SubnetContainerDown' },
        details: { ...seen, ...(isClearing && { isClearing: true as const }) },
      }),
      seenAt: START + 20 * S,
    });
    expect(words(plan(60 * S, [stopped(false), node('n1', 21 * S)]))).toBe('change: +n1 - =');
    expect(words(plan(60 * S, [stopped(true), node('n1', 20 * S)]))).toBeUndefined();
    expect(plan(60 * S, [stopped(true), node('n1', 21 * S)])?.begun[0]?.labels.alertname).toBe('SubnetNodeDown');
  });

  it('leaves out nothing for what cleared before anybody was told of it', () => {
    const halted = (seenMs: number): TrackedAlert => ({
      ...haltedAlert(START),
      details: { summary: 'the subnet is halted', evidence: 'no block', fix: '', isClearing: true },
      seenAt: START + seenMs,
    });
    expect(words(plan(20 * S, [node('n1'), halted(4_499)]))).toBe('change: +n1 - =');
    expect(words(plan(20 * S, [node('n1'), halted(4_500)]))).toBeUndefined();
  });

  it('about a new alert waits a minute after the last one about a new alert, not after one that only tells of ends', () => {
    const first = notified(15 * S, node('n1'));
    const also = (name: string, after: number) =>
      firingAlert(name, START + after, {
        labels: { alertname: 'Also', severity: 'warning', subnet: 'devnet', component: 'node', name },
      });
    expect(words(plan(74 * S, [node('n1'), also('n1', 20 * S)], first))).toBeUndefined();
    expect(words(plan(75 * S, [node('n1'), also('n1', 20 * S)], first))).toBe('change: +n1 - =n1');
    // About another target it waits for a third of that, so that what one fault brings is still one message.
    expect(words(plan(34 * S, [node('n1'), also('n2', 16 * S)], first))).toBeUndefined();
    expect(words(plan(35 * S, [node('n1'), also('n2', 16 * S), also('n3', 34 * S)], first))).toBe(
      'change: +n2 n3 - =n1',
    );
    // So it does about the whole subnet, as after what only one thing was told of it.
    const ofAll = (alertname: string, after: number) =>
      firingAlert('', START + after, { labels: { alertname, severity: 'warning', subnet: 'devnet' } });
    const once = notified(15 * S, ofAll('Double', 0));
    expect(words(plan(34 * S, [ofAll('Double', 0), ofAll('Crash', 16 * S)], once))).toBeUndefined();
    expect(words(plan(35 * S, [ofAll('Double', 0), ofAll('Crash', 16 * S)], once))).toBe('change: +Crash - =Double');
    const warned = notified(20 * S, node('n1', 5 * S));
    expect(words(plan(39 * S, [node('n1'), also('n2', 20 * S)], warned))).toBeUndefined();
    expect(words(plan(40 * S, [node('n1'), also('n2', 20 * S)], warned))).toBe('change: +n2 - =n1');
    const ended = noteEnds(first, new Map(), () => ({ endsAt: START + 60 * S }));
    const end = plan(80 * S, [], ended);
    expect(words(end)).toBe('change: + -n1 =');
    if (end === undefined) throw new Error('the end is due');
    const place = { channel: 'ops', group: 'devnet', thread: 't', now: START + 80 * S };
    const after = afterMessage(end, ended, place);
    expect(words(plan(100 * S, [node('n3', 85 * S)], after))).toBe('change: +n3 - =');
    expect(words(plan(99 * S, [node('n3', 85 * S)], after))).toBeUndefined();
  });

  it('about a warning does not wait for one that told only of what can wait, and that waits for each', () => {
    const note = (name: string, after: number) =>
      firingAlert(name, START + after, { labels: { alertname: 'Note', severity: 'info', subnet: 'devnet', name } });
    const first = notified(15 * S, note('a', 0));
    expect(words(plan(34 * S, [note('a', 0), node('n1', 20 * S)], first))).toBeUndefined();
    expect(words(plan(35 * S, [note('a', 0), node('n1', 20 * S)], first))).toBe('change: +n1 - =a');
    expect(words(plan(74 * S, [note('a', 0), note('b', 20 * S)], first))).toBeUndefined();
    expect(words(plan(75 * S, [note('a', 0), note('b', 20 * S)], first))).toBe('change: +b - =a');
    const warned = notified(15 * S, node('n1'));
    expect(words(plan(74 * S, [node('n1'), note('b', 20 * S)], warned))).toBeUndefined();
  });

  it('is sent once, then after the repeat interval, and never again without one', () => {
    const before = notified(30 * S, node('n1'));
    expect(words(plan(REPEAT + 29 * S, [node('n1')], before))).toBeUndefined();
    expect(words(plan(REPEAT + 30 * S, [node('n1')], before))).toBe('reminder: + - =n1');
    // Nobody needs one because the clock was set back a little.
    expect(words(plan(28 * S, [node('n1')], before))).toBeUndefined();
    expect(words(plan(30 * S - REPEAT, [node('n1')], before))).toBe('reminder: + - =n1');
    const { firing } = groupAlerts(alertsOf(node('n1')), START);
    expect(planMessage(firing.get('devnet') ?? new Map(), before, undefined, START + 9 * REPEAT)).toBeUndefined();
  });

  it('does not list what something graver brings: what was known of that is of before', () => {
    const before = notified(30 * S, node('n1'));
    const n1 = node('n1');
    expect(words(plan(70 * S, [n1, node('n2', 50 * S)], before))).toBe('change: +n2 - =n1');
    expect(words(plan(70 * S, [{ ...n1, isCovered: true }, node('n2', 50 * S)], before))).toBe('change: +n2 - =');
  });

  it('reminds nobody of what planned work covers, before it ends', () => {
    const before = notified(30 * S, node('n1'));
    const planned = { reason: 'upgrade', until: START + 9 * REPEAT, by: 'ann', mutes: false };
    expect(words(plan(2 * REPEAT, [{ ...node('n1'), planned }], before))).toBeUndefined();
    expect(words(plan(2 * REPEAT, [node('n1')], before))).toBe('reminder: + - =n1');
    expect(words(plan(2 * REPEAT, [], before))).toBe('change: + -n1 =');
  });

  it('comes at most once a minute, but at once for a new alert that pages', () => {
    const before = notified(30 * S, node('n1'));
    const labels = { alertname: 'Also', severity: 'warning', subnet: 'devnet', component: 'node', name: 'n1' };
    const both = [node('n1'), firingAlert('n1', START + 31 * S, { labels })];
    expect(words(plan(89 * S, both, before))).toBeUndefined();
    expect(words(plan(90 * S, both, before))).toBe('change: +n1 - =n1');
    expect(words(plan(60 * S, [node('n1'), haltedAlert(START + 50 * S)], before))).toBe('change: +SubnetHalted - =');
  });

  it('reports an end a quarter of a minute after it, even of an alert that is inhibited or forgotten by now', () => {
    const before = notified(30 * S, node('n1'), node('n2'));
    const alerts = [resolvedAlert(node('n1'), START + 100 * S), node('n2'), haltedAlert(START + 110 * S)];
    const { firing, endOf } = groupAlerts(alertsOf(...alerts), START + 100 * S);
    const noted = noteEnds(before, firing.get('devnet') ?? new Map(), endOf);
    expect(words(plan(114 * S, alerts, noted))).toBeUndefined();
    expect(words(plan(115 * S, alerts, noted))).toBe('change: +SubnetHalted -n1 =');
    expect(plan(115 * S, alerts, noted)?.ended[0]?.endsAt).toBe(START + 100 * S);
    // What was seen of it says when it was over, which was sure some time later.
    const endedAs = (more = {}, seenAt = START + 80 * S) => ({
      details: { summary: 'n1 is down', evidence: '', fix: '', ...more },
      seenAt,
    });
    const endsAt = (more = {}, seenAt?: number) => {
      const ends = noteEnds(before, firing.get('devnet') ?? new Map(), () => ({
        endsAt: START + 100 * S,
        endedAs: endedAs(more, seenAt),
      }));
      return plan(115 * S, alerts, ends)?.ended[0]?.endsAt;
    };
    expect([endsAt(), endsAt({ isRestored: true })]).toEqual([START + 80 * S, START + 100 * S]);
    // An earlier process has seen it clear.
    expect(endsAt({ isRestored: true, isClearing: true })).toBe(START + 80 * S);
    // What showed it may have been read before it fired.
    expect(endsAt({}, START - 5 * S)).toBe(START);
    // After a long time without subnetd nothing is known of it any more.
    const later = noteEnds(before, new Map(), () => ({ endsAt: START + 9_000 * S }));
    expect(words(plan(9_015 * S, [], later))).toBe('change: + -n1 n2 =');
  });

  it('tells again of an alert that is about others now, but not of one about the same, or that others join', () => {
    const risk = (about: string, isClearing = false) => {
      const words = { summary: 'no further node may fail', evidence: `without ${about}`, fix: 'bring it back' };
      const details = { ...words, about, ...(isClearing && { isClearing: true as const }) };
      return firingAlert('', START, { details, labels: { alertname: 'Risk', severity: 'critical', subnet: 'devnet' } });
    };
    const first = notified(30 * S, risk('n1'));
    const note = (before: NotifiedGroup, alert: TrackedAlert) =>
      noteEnds(before, groupAlerts(alertsOf(alert), START).firing.get('devnet') ?? new Map(), () => ({
        endsAt: START,
      }));
    expect(words(plan(60 * S, [risk('n1, n2')], note(first, risk('n1, n2'))))).toBeUndefined();
    const cleared = note(first, risk('n1', true));
    expect(note(cleared, risk('n1', true))).toBe(cleared);
    expect(words(plan(60 * S, [risk('n1', true)], cleared))).toBeUndefined();
    expect(words(plan(60 * S, [risk('n1')], note(cleared, risk('n1'))))).toBeUndefined();
    const again = plan(60 * S, [risk('n2')], note(cleared, risk('n2')));
    expect(words(again)).toBe('change: +Risk - =');
    if (again === undefined) throw new Error('a message is due');
    const place = { channel: 'ops', group: 'devnet', thread: 't', now: START + 60 * S };
    expect(words(plan(90 * S, [risk('n2')], afterMessage(again, cleared, place)))).toBeUndefined();
  });

  it('tells once of another cause that lasts, and only after five minutes of one that was told before', () => {
    const parent = (summary: string, causeAt: number, more: Partial<TrackedAlert['details']> = {}) =>
      firingAlert('relayer', START, {
        ...{ causeAt: START + causeAt, labels: { alertname: 'Parent', severity: 'critical', subnet: 'devnet' } },
        details: { summary, evidence: 'it was seen', fix: `do something about ${summary}`, ...more },
      });
    const first = notified(15 * S, parent('429', 0));
    const second = parent('the key is refused', 40 * S);
    expect(words(plan(74 * S, [second], first))).toBeUndefined();
    const planned = plan(75 * S, [second], first);
    expect(words(planned)).toBe('change: + - =Parent');
    if (planned === undefined) throw new Error('a message is due');
    const place = { channel: 'ops', group: 'devnet', thread: 't', now: START + 75 * S };
    const message = toMessage(planned, first, { ...place, instance: 'watcher' });
    expect(writeTitle(message)).toBe('CRITICAL devnet: now the key is refused');
    expect(writeAlerts(message, PLAIN, 1_000)).toContain(
      'now critical: the key is refused\nIt was seen. Since 2026-11-21 00:00 UTC',
    );
    const told = afterMessage(planned, first, place);
    expect(words(plan(1_000 * S, [second], told))).toBeUndefined();
    // The fix that people know is wrong, so a new one waits for no more than the pause after a message.
    const third = parent('it is down', 100 * S);
    expect(words(plan(134 * S, [third], told))).toBeUndefined();
    const next = plan(135 * S, [third], told);
    expect(words(next)).toBe('change: + - =Parent');
    if (next === undefined) throw new Error('a message is due');
    const then = afterMessage(next, told, { ...place, now: START + 135 * S });
    for (const known of [first.alerts, told.alerts].flatMap((alerts) => Object.values(alerts))) {
      const again = parent(known.details?.summary ?? '', 140 * S);
      expect(words(plan(434 * S, [again], then))).toBeUndefined();
      expect(words(plan(435 * S, [again], then))).toBe('change: + - =Parent');
    }
    // Nor does it wait for a message that only told of what clears or ends.
    const ended = { ...first, sentAt: START + 65 * S };
    expect(words(plan(75 * S, [second], ended))).toBe('change: + - =Parent');
    // What is sent for another reason says so of a cause that is new.
    const fresh = parent('the key is refused', 60 * S);
    const other = plan(75 * S, [fresh, node('n1', 50 * S)], first);
    expect([words(other), other?.renewed?.size]).toEqual(['change: +n1 - =Parent', 1]);
    if (other === undefined) throw new Error('a message is due');
    expect(words(plan(200 * S, [fresh, node('n1', 50 * S)], afterMessage(other, first, place)))).toBeUndefined();
    // What has stood for less than 25 s, clears, is planned or is a note is not sent.
    expect(words(plan(375 * S, [parent('it is down', 351 * S)], told))).toBeUndefined();
    expect(words(plan(375 * S, [parent('it is down', 100 * S, { isClearing: true })], told))).toBeUndefined();
    const work = { reason: 'upgrade', until: START + REPEAT, by: 'ann', mutes: false };
    expect(words(plan(375 * S, [{ ...third, planned: work }], told))).toBeUndefined();
    expect(words(plan(375 * S, [{ ...third, details: second.details }], told))).toBeUndefined();
  });

  it('tells as soon as of a new alert that one is back which it has told to be clearing, and again after five minutes', () => {
    const parent = (causeAt: number, more: Partial<TrackedAlert['details']> = {}) =>
      firingAlert('relayer', START, {
        ...{ causeAt: START + causeAt, labels: { alertname: 'Parent', severity: 'critical', subnet: 'devnet' } },
        details: { summary: 'it is down', evidence: 'it was seen', fix: 'start it', ...more },
      });
    const tell = (at: number, alerts: Parameters<typeof plan>[1], before: NotifiedGroup | undefined) => {
      const planned = plan(at * S, alerts, before);
      if (planned === undefined) throw new Error('a message is due');
      return afterMessage(planned, before, { channel: 'ops', group: 'devnet', thread: 't', now: START + at * S });
    };
    const clears = parent(0, { isClearing: true });
    const first = notified(5 * S, parent(0));
    // Nobody was told that it cleared.
    expect(words(plan(200 * S, [parent(100 * S)], first))).toBeUndefined();
    const told = tell(70, [clears, node('n1', 50 * S)], first);
    expect(words(plan(200 * S, [clears, node('n1', 50 * S)], told))).toBeUndefined();
    const back = [parent(150 * S), node('n1', 50 * S)];
    expect(words(plan(154 * S, back, told))).toBeUndefined();
    expect(words(plan(155 * S, back, told))).toBe('change: + - =Parent n1');
    const again = tell(155, back, told);
    expect(words(plan(300 * S, back, again))).toBeUndefined();
    // What was only seen before a restart of subnetd is no news.
    const restored = tell(70, [parent(0, { isClearing: true, isRestored: true }), node('n1', 50 * S)], first);
    expect(words(plan(155 * S, back, restored))).toBeUndefined();
    // It comes and goes.
    const flaps = tell(230, [clears, node('n1', 50 * S), node('n2', 210 * S)], again);
    const more = [parent(300 * S), node('n1', 50 * S), node('n2', 210 * S)];
    expect(words(plan(454 * S, more, flaps))).toBeUndefined();
    expect(words(plan(455 * S, more, flaps))).toBe('change: + - =Parent n1 n2');
  });

  it('tells of four new causes of an alert one after another, and of the next one five minutes later', () => {
    const about = (cause: number) =>
      firingAlert('n1', START, {
        ...{ causeAt: START, details: { summary: `cause ${'abcdefgh'[cause]}`, evidence: 'seen', fix: 'repair it' } },
      });
    let before = notified(15 * S, about(0));
    const sentAt: number[] = [];
    for (let at = 16; at < 900; at++) {
      const planned = plan(at * S, [about(sentAt.length + 1)], before);
      if (planned === undefined) continue;
      sentAt.push(at);
      before = afterMessage(planned, before, { channel: 'ops', group: 'devnet', thread: 't', now: START + at * S });
    }
    expect(sentAt).toEqual([75, 135, 195, 255, 555, 615, 675, 735]);
  });

  it('keeps the time of each end, and reports one that came soon after a message a minute after that', () => {
    const before = notified(30 * S, node('n1'), node('n2'));
    const firing = (...alerts: readonly TrackedAlert[]) =>
      groupAlerts(alertsOf(...alerts), START).firing.get('devnet') ?? new Map();
    const one = noteEnds(before, firing(node('n2')), () => ({ endsAt: START + 31 * S }));
    expect(words(plan(89 * S, [node('n2')], one))).toBeUndefined();
    expect(words(plan(90 * S, [node('n2')], one))).toBe('change: + -n1 =n2');
    const both = noteEnds(one, firing(), () => ({ endsAt: START + 900 * S }));
    expect(Object.values(both.alerts).map(({ endsAt }) => endsAt)).toEqual([START + 31 * S, START + 900 * S]);
  });

  it('reports no end while what has ended may last after all, and then what was known last', () => {
    const first = notified(30 * S, node('n1'));
    const words = { summary: 'n1 is stuck', evidence: 'it stands at 7', fix: '' };
    const over = { ...resolvedAlert(node('n1'), START + 100 * S), details: words };
    const at = (after: number, alert: TrackedAlert, before: NotifiedGroup) => {
      const { firing, endOf } = groupAlerts(alertsOf(alert), START + after * S);
      const noted = noteEnds(before, firing.get('devnet') ?? new Map(), endOf);
      return { noted, planned: plan(after * S, [alert], noted) };
    };
    const ended = at(105, over, first);
    expect(ended.planned).toBeUndefined();
    const doubted = at(115, { ...over, isDoubted: true }, ended.noted);
    expect(doubted.noted).toBe(ended.noted);
    expect([doubted.planned, at(4_000, { ...over, isDoubted: true }, doubted.noted).planned]).toEqual([
      undefined,
      undefined,
    ]);
    const { planned } = at(120, over, doubted.noted);
    expect(planned?.ended).toMatchObject([{ details: words, endsAt: START + 100 * S }]);
    // It inhibits nothing either.
    const halted = { ...resolvedAlert(haltedAlert(START), START + 1), isDoubted: true } as const;
    expect(plan(60 * S, [node('n2'), halted])?.begun.map(({ labels }) => labels.name)).toEqual(['n2']);
  });

  it('ends what was told when one about others begins, though that is too short to be told', () => {
    const about = (whom: string) => ({ summary: `without ${whom}`, evidence: '', fix: '', about: whom });
    const told = notified(30 * S, { ...node('n1'), details: about('n3') });
    const endOf = (whom: string, firedAt: number) => {
      const other = {
        ...node('n1', firedAt),
        details: about(whom),
        ...(firedAt > 0 && { otherSeenAt: START + firedAt }),
      };
      const over = resolvedAlert(other, START + 100 * S);
      const note = (alert: TrackedAlert, before: NotifiedGroup) => {
        const { firing, endOf } = groupAlerts(alertsOf(alert), START + 105 * S);
        return noteEnds(before, firing.get('devnet') ?? new Map(), endOf);
      };
      return plan(120 * S, [over], note(over, note(other, note(other, told))))?.ended;
    };
    expect(endOf('n4', 90 * S)).toMatchObject([{ startsAt: START, endsAt: START + 90 * S, details: about('n3') }]);
    expect(endOf('n3, n4', 0)).toMatchObject([{ startsAt: START, endsAt: START + 100 * S, details: about('n3, n4') }]);
    // Where n4 has joined n3, and n3 is back since, it goes on.
    expect(endOf('n4', 0)).toMatchObject([{ startsAt: START, endsAt: START + 100 * S, details: about('n4') }]);
  });

  it('reports neither end nor start of an alert that was away for less than the wait, else both', () => {
    const before = notified(30 * S, node('n1'));
    const away = noteEnds(before, new Map(), () => ({ endsAt: START + 100 * S }));
    const again = (back: TrackedAlert, group = away) => {
      const { firing, endOf } = groupAlerts(alertsOf(back), START + 110 * S);
      return noteEnds(group, firing.get('devnet') ?? new Map(), endOf);
    };
    const soon = node('n1', 114 * S);
    expect(again(soon)).toEqual(before);
    expect(words(plan(600 * S, [soon], again(soon)))).toBeUndefined();
    const later = node('n1', 115 * S);
    expect(again(later)).toBe(away);
    expect(words(plan(129 * S, [later], away))).toBeUndefined();
    const planned = plan(130 * S, [later], away);
    expect(words(planned)).toBe('change: +n1 -n1 =');
    expect(planned?.ended).toMatchObject([{ startsAt: START, endsAt: START + 100 * S }]);
    if (planned === undefined) throw new Error('a message is due');
    const told = afterMessage(planned, away, { channel: 'ops', group: 'devnet', thread: 't', now: START + 130 * S });
    expect(told.alerts).toMatchObject({ [alertKey(later.labels)]: { startsAt: START + 115 * S } });
    expect(again(later, told)).toBe(told);
    // Until it is seen again for sure, it is listed neither as over nor as firing.
    const clearing = { ...later, details: { summary: 'n1', evidence: '', fix: '', isClearing: true as const } };
    expect(words(plan(130 * S, [clearing, node('n2', 100 * S)], away))).toBe('change: +n2 - =');
  });

  it('about a warning does not wait a minute for one of the same target that has ended', () => {
    const before = notified(30 * S, node('n1'));
    const labels = { alertname: 'Also', severity: 'warning', subnet: 'devnet', component: 'node', name: 'n1' };
    const also = firingAlert('n1', START + 40 * S, { labels });
    const ended = noteEnds(before, new Map(), () => ({ endsAt: START + 35 * S }));
    expect(words(plan(55 * S, [node('n1'), also], before))).toBeUndefined();
    expect(words(plan(55 * S, [also], ended))).toBe('change: +n1 -n1 =');
  });

  it('is not held up by a clock that was set back', () => {
    expect(words(plan(-3_600 * S, [node('n1')]))).toBe('change: +n1 - =');
  });
});
