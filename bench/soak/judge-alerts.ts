import { problemCatalog } from '../../src/model/problem-catalog.ts';
import { type Demand, demandOf, findConfirmed, LATE_MS } from './demand.ts';
import { FAULTS, subjectsOf } from './faults.ts';
import { nodeName } from './fleet.ts';
import type { Episode } from './plan.ts';
import { type Span, seenSpans, subtract, type Truth } from './truth.ts';

/** One alert in one notification of Alertmanager's webhook. */
export interface Notification {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
}

/** What became of the alert of one fault. */
export interface AlertOutcome {
  readonly alert: string;
  readonly subject: string;
  readonly episode: Episode;
  readonly demand: Demand;
  readonly firing: number;
  readonly resolved: number;
  /** From when the problem must be open until the first notification; undefined without one. */
  readonly delayMs: number | undefined;
  /** How long Alertmanager was down meanwhile. */
  readonly downMs: number;
  /** From the end of the fault until the last notification of its end. */
  readonly endedAfterMs: number | undefined;
}

/** What was found in all notifications. */
export interface AlertResult {
  readonly outcomes: readonly AlertOutcome[];
  readonly missed: readonly string[];
  readonly doubled: readonly string[];
  readonly unwanted: readonly string[];
  readonly withoutEnd: readonly string[];
  /** Those that had to come and did later than `lateMs`, beside the time in which Alertmanager was down. */
  readonly late: readonly string[];
  /** Alerts about subnetd itself, and how often each fired. */
  readonly own: ReadonlyMap<string, number>;
}

/** What Alertmanager did not take while it was down comes again with the next resend. */
const RESEND_MS = 60_000;
const keyOf = (labels: Notification['labels']) =>
  [labels.alertname, labels.subnet ?? '', labels.name ?? labels.shard ?? labels.instance ?? ''].join(' ');

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { from, to }) => sum + (to - from), 0);

/** How long one of these was down between two moments. */
function downWithin(downs: readonly Span[], from: number, to: number): number {
  const whole = [{ from, to }];
  return lengthOf(whole) - lengthOf(subtract(whole, downs));
}

/** Judges all notifications of a run that is over. */
export function judgeAlerts(truth: Truth, all: readonly Notification[]): AlertResult {
  const byKey = Map.groupBy(all, ({ labels }) => keyOf(labels));
  const claimed = new Set<Notification>();
  const begins = new Map<string, number[]>();
  const expected = [...truth.episodes.keys()].flatMap((episode) =>
    subjectsOf(episode.fault, episode.subnet, episode.nodes).map(({ node }) => {
      const { problem } = FAULTS[episode.fault];
      const { alert } = problemCatalog[problem];
      const subject = node === undefined ? '' : nodeName(episode.subnet, node);
      const key = [alert, episode.subnet.name, subject].join(' ');
      const from = truth.episodes.get(episode)?.[0]?.from ?? 0;
      begins.set(key, [...(begins.get(key) ?? []), from]);
      return { alert, episode, node, key, from };
    }),
  );
  const outcomes = expected.map(({ alert, episode, node, key, from }): AlertOutcome => {
    const until = Math.min(...(begins.get(key) ?? []).filter((begin) => begin > from), Number.POSITIVE_INFINITY);
    const own = (byKey.get(key) ?? []).filter(({ at }) => at >= from && at < until);
    for (const one of own) claimed.add(one);
    const spans = seenSpans(truth, episode, node);
    const { dueMs } = FAULTS[episode.fault];
    const demand = demandOf(truth, episode, node);
    const confirmed = findConfirmed(spans, episode);
    const first = own.find(({ status }) => status === 'firing');
    const last = own.findLast(({ status }) => status === 'resolved');
    const dueAt = (confirmed?.from ?? 0) + dueMs;
    const downs = [...truth.alertmanagerDown];
    const over = spans.at(-1)?.to ?? from;
    return {
      ...{ alert, subject: `${episode.subnet.name}${node === undefined ? '' : `/${nodeName(episode.subnet, node)}`}` },
      ...{ episode, demand },
      firing: own.filter(({ status }) => status === 'firing').length,
      resolved: own.filter(({ status }) => status === 'resolved').length,
      delayMs: first === undefined || confirmed === undefined ? undefined : first.at - dueAt,
      downMs: first === undefined ? 0 : downWithin(downs, dueAt - RESEND_MS, first.at),
      endedAfterMs: last === undefined ? undefined : last.at - over,
    };
  });
  const describe = (one: AlertOutcome) =>
    `${one.alert} of ${one.subject} (${one.episode.fault}, ${one.episode.pattern}): ${one.firing} firing, ${one.resolved} resolved`;
  const own = new Map<string, number>();
  const unwanted = outcomes.filter(({ demand, firing }) => demand === 'must not' && firing > 0).map(describe);
  for (const one of all) {
    const { alertname = '' } = one.labels;
    if (claimed.has(one) || one.status !== 'firing') continue;
    if (alertname.startsWith('Subnetd') && one.labels.subnet === undefined) {
      const name = [alertname, one.labels.shard ?? one.labels.instance ?? ''].join(' ').trim();
      own.set(name, (own.get(name) ?? 0) + 1);
    } else unwanted.push(`${keyOf(one.labels)} at ${Math.round(one.at / 1_000)} s, of no fault`);
  }
  return {
    outcomes,
    missed: outcomes.filter(({ demand, firing }) => demand === 'must' && firing === 0).map(describe),
    doubled: outcomes.filter(({ firing, resolved }) => firing > 1 || resolved > 1).map(describe),
    unwanted,
    withoutEnd: [...byKey]
      .filter(([key, reported]) => !key.startsWith('SubnetdWatchdog') && reported.at(-1)?.status === 'firing')
      .map(([key]) => key),
    late: outcomes
      .filter(
        ({ demand, delayMs = 0, downMs }) =>
          demand === 'must' && delayMs > LATE_MS + downMs + (downMs > 0 ? RESEND_MS : 0),
      )
      .map((one) => `${describe(one)}, ${Math.round((one.delayMs ?? 0) / 1_000)} s late`),
    own,
  };
}
