import { formatMinute } from '../../lib/duration.ts';
import { beginSentence, formatTimes } from '../../lib/words.ts';
import type { Standing } from '../../model/headline.ts';
import type { HistoryChange } from '../../model/history.ts';
import type { Incident, IncidentEnd, IncidentRecord } from '../../model/incident.ts';
import type { Planned } from '../../model/planned-work.ts';
import { CRASHED_ONCE } from '../../model/problem.ts';
import { FORECASTS, type ProblemName } from '../../model/problem-catalog.ts';
import { lastingExactly } from '../frame/times.ts';

/** What an incident was about. A forecast may have come true, and its time is another one than at first; of several that crash more may follow. */
export const summaryOf = ({ problem, first, last }: Incident): string =>
  ([...FORECASTS, 'containers_crashed'].includes(problem) ? last : first).summary;

/** The same with its subnet. */
export const titleOf = (incident: Incident): string => `${incident.subnet}: ${summaryOf(incident)}`;

/** Whether an incident is open, part of a graver one, not found any more but not for long enough, or over. */
export function stateOf(incident: Incident): { readonly standing: Standing; readonly word: string } {
  const { endedAt, clearSince, covered } = incident;
  if (endedAt !== undefined) return { standing: 'ok', word: 'ended' };
  if (clearSince !== undefined) return { standing: 'warn', word: 'clearing' };
  return covered === undefined ? { standing: 'bad', word: 'open' } : { standing: 'warn', word: 'covered' };
}

/** When its problem was last found by itself: what follows is only the wait for its return, or is told of what covers it. */
export const lastFoundAt = ({ clearSince, covered, endedAt }: Incident): number | undefined =>
  clearSince ?? covered?.since ?? endedAt;

/** What happens at one moment. */
const MOMENTS: readonly ProblemName[] = ['double_vote', 'chain_replaced', 'head_regression', 'monitor_suspended'];

/** Whether it happened at one moment, and was only reported for longer. A stop of Docker, which names nothing that it is about, lasts. */
export const isMoment = ({ problem, about, first, last }: Incident): boolean =>
  MOMENTS.includes(problem) ||
  (problem === 'containers_crashed' && about !== undefined) ||
  [first, last].every(({ summary }) => summary.endsWith(CRASHED_ONCE));

/** How long the problem was there; empty for what happened at one moment. */
export const durationOf = (incident: Incident, nowWall: number): string =>
  isMoment(incident) ? '' : lastingExactly((lastFoundAt(incident) ?? nowWall) - incident.foundAt);

/** How long the problem was there, and what covers it now or did at its end, as the end of a sentence; empty for what happened at one moment. */
export function describeLasting(incident: Incident, nowWall: number): string {
  const { clearSince, covered, endedAt } = incident;
  const lasted = `lasted ${durationOf(incident, nowWall)}`;
  if (isMoment(incident)) return '';
  if (covered === undefined || clearSince !== undefined) return lasted;
  return `${lasted}, then ${endedAt === undefined ? 'became' : 'was'} part of another problem (${covered.by})`;
}

const ENDS: Readonly<Record<IncidentEnd, string>> = {
  recovered: 'the problem is gone',
  removed: 'its subject was removed from the inventory',
  'not-found-again': 'the problem was no longer there after subnetd restarted',
};

/** The work during which an incident began. */
export const describeWork = ({ reason, until, by }: Planned): string =>
  `it began during planned work by ${by}, until ${formatMinute(until)}: ${reason}`;

/** A sentence for what was over for a while in between, with the space before it. */
export const describeReturns = ({ returns }: Incident): string =>
  returns === 0 ? '' : ` It came back ${formatTimes(returns)} in that time.`;

/** One or two sentences: what was seen last, and how it ended. */
export function describeIncident(incident: Incident, nowWall: number): string {
  const { last, end, clearSince, covered } = incident;
  const lasted = describeLasting(incident, nowWall);
  const isCovered = covered !== undefined && clearSince === undefined;
  const how =
    lasted === ''
      ? end === undefined || end === 'recovered'
        ? ''
        : ` It ended because ${ENDS[end]}.`
      : end !== undefined
        ? ` It ${lasted}${isCovered ? ',' : ''} and ended because ${ENDS[end]}.`
        : isCovered
          ? ` It ${lasted}.`
          : clearSince === undefined
            ? ` It has ${lasted} so far.`
            : ` It ${lasted} and has not been seen for ${lastingExactly(nowWall - clearSince)}.`;
  return `${beginSentence(last.evidence)}.${how}${describeReturns(incident)}`;
}

/** An entry of what changed: a change, a notification, a note, or the start and end of the incident itself. */
export interface TimelineEntry {
  readonly at: number;
  readonly standing: Standing;
  /** Whether it is the start or end of the incident. */
  readonly isOwn?: true;
  /** The name of a target, or of the subnet. */
  readonly subject: string;
  readonly text: string;
}

const BAD = new Set(['fail', 'open', 'exited', 'killed', 'dead', 'paused', 'restarting']);
const WARN = new Set(['degraded', 'clearing', 'penalised']);
const GOOD = new Set(['pass', 'ended', 'started', 'running', 'active']);

const standingOfChange = ({ is }: HistoryChange): Standing => {
  if (BAD.has(is)) return 'bad';
  if (GOOD.has(is)) return 'ok';
  return WARN.has(is) ? 'warn' : 'off';
};

function describeChange({ kind, what, was, is, reason }: HistoryChange): string {
  if (kind === 'inventory' || kind === 'masternode' || kind === 'setting') return reason;
  if (kind === 'version') return `image ${was} → ${is}: ${reason}`;
  if (kind === 'container') return `container ${is}: ${reason}`;
  return kind === 'problem' ? `${what} ${is}: ${reason}` : `${what}: ${was} → ${is}, ${reason}`;
}

/** What a change says: about what, and how it is now. */
export const toChangeEntry = (change: HistoryChange): TimelineEntry => ({
  at: change.at,
  standing: standingOfChange(change),
  subject: change.name ?? change.subnet,
  text: describeChange(change),
});

/** What changed around an incident, the oldest first. */
export function toEntries({ incident, timeline, notes }: IncidentRecord): readonly TimelineEntry[] {
  const { subnet, problem, component, name, alert, startedAt, endedAt, end } = incident;
  const subject = name ?? subnet;
  const { summary, evidence } = incident.first;
  const isOwnProblem = (change: HistoryChange) =>
    change.kind === 'problem' && change.what === problem && change.component === component && change.name === name;
  // Its own start and end are entries anyway.
  const changes = (timeline?.changes ?? []).filter((one) => !(isOwnProblem(one) && ['open', 'ended'].includes(one.is)));
  return [
    { at: startedAt, standing: 'bad' as const, isOwn: true as const, subject, text: `${summary}: ${evidence}` },
    ...(endedAt === undefined || end === undefined
      ? []
      : [{ at: endedAt, standing: 'ok' as const, isOwn: true as const, subject, text: `ended: ${ENDS[end]}` }]),
    ...changes.map(toChangeEntry),
    ...incident.notified.map(({ at, to, phase, isChannel }) => ({
      at,
      standing: 'off' as const,
      subject: alert,
      text: `${phase === 'firing' ? 'accepted' : 'accepted as resolved'} by the ${isChannel ? 'channel' : 'Alertmanager'} ${to}`,
    })),
    ...notes.map(({ at, author }) => ({ at, standing: 'off' as const, subject: author, text: 'added a note' })),
  ].sort((one, other) => one.at - other.at);
}
