import { problemCatalog } from '../../src/model/problem-catalog.ts';
import { FAULTS } from './faults.ts';
import { OPEN_LIMIT_MS } from './judge-samples.ts';
import type { Episode } from './plan.ts';
import { breaksOf, type Span, seenSpans, subtract, type Truth } from './truth.ts';

/**
 * Whether a fault must, may or must not be notified of. One is `undeliverable` when Alertmanager took nothing for as long as
 * the alert fired.
 */
export type Demand = 'must' | 'may' | 'undeliverable' | 'must not';

/** From when its problem must be open until an alert is notified: an evaluation, and Alertmanager's group. */
const NOTIFY_MS = 14_000;
/** How long an alert may take beside the time to confirm. */
export const LATE_MS = OPEN_LIMIT_MS + NOTIFY_MS;
/** What is found for less than this is not confirmed by any probe. */
const LEAST_MS = 8_500;
/** The longest pause of a shard between two attempts to send to an Alertmanager that is down (src/tell/notify/create-sender.ts). */
export const SEND_PAUSE_MS = 30_000;

const lengthOf = ({ from, to }: Span) => to - from;

/** The first time for which a fault was seen long enough that it must be notified of. */
export const findConfirmed = (spans: readonly Span[], { fault }: Episode): Span | undefined =>
  spans.find((span) => lengthOf(span) >= FAULTS[fault].dueMs + LATE_MS);

/**
 * From when the problem of a fault must be open until it is over. It clears for some time after the fault, unless the node
 * leaves the inventory or the shard dies.
 */
function firingOf({ from, to }: Span, { fault }: Episode, breaks: readonly Span[]): Span {
  const { problem, dueMs } = FAULTS[fault];
  const ends = breaks.map((one) => one.from).filter((at) => at >= to);
  return { from: from + dueMs + OPEN_LIMIT_MS, to: Math.min(to + problemCatalog[problem].clearMs, ...ends) };
}

/** What must become of the alert of one fault; `node` when it is about one. */
export function demandOf(truth: Truth, episode: Episode, node: number | undefined): Demand {
  const spans = seenSpans(truth, episode, node);
  const { dueMs } = FAULTS[episode.fault];
  const long = spans.filter((span) => lengthOf(span) >= dueMs + LATE_MS);
  if (long.length === 0) return spans.some((span) => lengthOf(span) > LEAST_MS) ? 'may' : 'must not';
  const silent = truth.alertmanagerDown.map(({ from, to }) => ({ from, to: to + SEND_PAUSE_MS }));
  const firing = long.map((span) => firingOf(span, episode, breaksOf(truth, episode, node)));
  return subtract(firing, silent).some((span) => lengthOf(span) >= NOTIFY_MS) ? 'must' : 'undeliverable';
}
