import { html } from 'hono/html';
import { HOUR_MS } from '../../lib/duration.ts';
import type { Incident } from '../../model/incident.ts';
import { firstStep, RANGE_NAMES, RANGES, type RangeName, rangeQuery } from '../../model/time-range.ts';
import { type Html, standingOfSeverity } from '../frame/marks.ts';
import { clockTime } from '../frame/times.ts';
import { lastFoundAt } from './incident-words.ts';

/** The time that charts one below the other share, in wall time. */
export interface Axis {
  readonly range: RangeName;
  readonly from: number;
  readonly until: number;
  readonly stepMs: number;
  readonly steps: number;
  readonly nowWall: number;
}

export function toAxis(range: RangeName, nowWall: number): Axis {
  const { stepMs, steps } = RANGES[range];
  const from = firstStep(range, nowWall) * stepMs;
  return { range, from, until: from + steps * stepMs, stepMs, steps, nowWall };
}

/** The place of a moment, in percent of the width. */
export const xOf = ({ from, until }: Axis, at: number): number =>
  Math.round(Math.min(100, Math.max(0, ((at - from) / (until - from)) * 100)) * 100) / 100;

/** How far labels are from each other: few enough for a phone. */
const TICKS_MS: Readonly<Record<RangeName, number>> = {
  '1h': HOUR_MS / 4,
  '24h': 6 * HOUR_MS,
  '7d': 48 * HOUR_MS,
  '30d': 6 * 24 * HOUR_MS,
};

/** The moments that have a label. */
function ticksOf({ range, from, until }: Axis): readonly number[] {
  const every = TICKS_MS[range];
  const first = Math.ceil(from / every) * every;
  return Array.from({ length: Math.floor((until - first) / every) + 1 }, (_, index) => first + index * every);
}

/** A moment as a step is named: by its day where steps are long. */
const labelOf = ({ range, nowWall }: Axis, at: number): string =>
  range === '1h' || range === '24h' ? clockTime(at, nowWall).slice(-5) : new Date(at).toISOString().slice(5, 10);

/** Thin lines that lead the eye from chart to chart. */
export const tickLines = (axis: Axis, height: number | '100%'): readonly Html[] =>
  ticksOf(axis).map(
    (at) => html`<line class="tick" x1="${xOf(axis, at)}%" x2="${xOf(axis, at)}%" y1="0" y2="${height}"/>`,
  );

/** The hours, which the script puts into the reader's zone, or days below all charts. Labels at the ends would leave the chart. */
export const tickLabels = (axis: Axis, y: number | '1em'): Html =>
  html`${ticksOf(axis)
    .map((at) => ({ at, x: xOf(axis, at), label: labelOf(axis, at) }))
    .filter(({ x }) => x >= 5 && x <= 85)
    .map(
      ({ at, x, label }) =>
        html`<text x="${x}%" y="${y}" text-anchor="middle"${label.includes(':') ? html` data-at="${new Date(at).toISOString()}"` : ''}>${label}</text>`,
    )}<text x="100%" y="${y}" text-anchor="end">now</text>`;

/** An incident on the axis. */
export interface Mark {
  readonly incident: Incident;
  readonly from: number;
  readonly until: number;
}

/** The incidents that somebody should have looked at within the time, the oldest first. */
export const toMarks = (axis: Axis, incidents: readonly Incident[]): readonly Mark[] =>
  incidents
    .map((incident) => ({ incident, from: incident.startedAt, until: lastFoundAt(incident) ?? axis.until }))
    .filter(({ incident, from, until }) => incident.severity !== 'info' && until >= axis.from && from <= axis.nowWall)
    .sort((one, other) => one.from - other.from);

/** The time of each incident behind a chart. */
export const bands = (axis: Axis, marks: readonly Mark[]): readonly Html[] =>
  marks.map(({ incident, from, until }) => {
    const [start, end] = [xOf(axis, from), xOf(axis, until)];
    return html`<rect class="band ${standingOfSeverity(incident.severity)}" x="${start}%" y="0" width="${Math.max(0.1, Math.round((end - start) * 100) / 100)}%" height="100%"/>`;
  });

/** Links to the charts with this id on the same page with another range; `query` has the other parameters of its address. */
export const rangeLinks = (of: string, range: RangeName, query: Readonly<Record<string, string>>, id: string): Html =>
  html`<nav class="ranges" aria-label="Time range of ${of}">${RANGE_NAMES.map((name) => {
    const href = `?${new URLSearchParams({ ...query, ...rangeQuery(name) })}#${encodeURIComponent(id)}`;
    return name === range
      ? html`<a href="${href}" aria-current="true">${RANGES[name].word}</a>`
      : html`<a href="${href}">${RANGES[name].word}</a>`;
  })}</nav>`;
