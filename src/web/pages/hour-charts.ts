import { html } from 'hono/html';
import type { HistoryChange, Minute } from '../../model/history.ts';
import { isStanding, type Problem } from '../../model/problem.ts';
import { isOfSetup } from '../../model/problem-catalog.ts';
import type { Html } from '../frame/marks.ts';
import { clockTime } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { countWithout } from './pace-chart.ts';
import { SLOW } from './time-charts.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** The share of its minute that a bar fills. */
const BAR = 0.72;
/** A chart of blocks that are not final is at least as high as for so many: two or three are usual. */
const LEAST_GAP = 6;

/** What the charts of an hour are made of. */
export interface HourInput {
  readonly minutes: readonly Minute[];
  /** Blocks a minute. */
  readonly expected: number | undefined;
  readonly problems: readonly Problem[];
  /** The oldest first. */
  readonly changes: readonly HistoryChange[];
}

/** How a bar looks: of a minute without a block, of a slow one, or of any other. */
const kindOfMinute = ({ blocks }: Minute, expected: number | undefined): 'none' | 'slow' | 'pace' => {
  if (blocks === 0) return 'none';
  return expected !== undefined && blocks < expected * SLOW ? 'slow' : 'pace';
};

interface Span {
  readonly from: number;
  readonly to: number;
}

const isSame = (one: HistoryChange, other: HistoryChange): boolean =>
  one.what === other.what && one.component === other.component && one.name === other.name;

/** When problems were open within the hour, in wall time. */
function findTroubles({ problems, changes }: HourInput, start: number, { toWall, nowWall }: Moment): readonly Span[] {
  const open = problems
    .filter((one) => isStanding(one) && one.severity !== 'info')
    .map(({ openedAt, since }) => ({ from: Math.max(toWall(openedAt ?? since), start), to: nowWall }));
  const ofProblems = changes.filter(({ kind, what }) => kind === 'problem' && !isOfSetup(what as Problem['problem']));
  const ended = ofProblems
    .filter(({ is }) => is === 'ended')
    .map((end) => ({
      from: ofProblems.findLast((one) => one.is === 'open' && one.at <= end.at && isSame(one, end))?.at ?? start,
      to: end.at,
    }));
  return [...open, ...ended];
}

/** A chart that fills the room that it gets: places and sizes are in percent. */
interface Chart {
  readonly title: string;
  readonly hint: string;
  readonly words: string;
  readonly bars: readonly { readonly at: number; readonly value: number; readonly kind: string }[];
  readonly scale: number;
  readonly line?: number | undefined;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

function drawChart({ title, hint, words, bars, scale, line }: Chart, troubles: readonly Span[], start: number): Html {
  const xOf = (at: number) => percent((at - start) / (MINUTES * MINUTE_MS));
  return html`<div class="hour"><h3>${title} <small class="dim">${hint}</small></h3>
<svg class="chart" role="img" aria-label="${words}">${troubles.map(
    ({ from, to }) =>
      html`<rect class="trouble" x="${xOf(from)}" y="0" width="${percent((to - from) / (MINUTES * MINUTE_MS))}" height="100%"/>`,
  )}${bars.map(({ at, value, kind }) => {
    const height = kind === 'none' ? 1 : value / scale;
    const fill = kind === 'none' ? html` fill="url(#hatch)"` : '';
    return html`<rect class="${kind}" x="${xOf(at)}" y="${percent(1 - height)}" width="${percent(BAR / MINUTES)}" height="${percent(height)}"${fill}/>`;
  })}${line === undefined ? '' : html`<line class="axis" x1="0" x2="100%" y1="${percent(1 - line / scale)}" y2="${percent(1 - line / scale)}"/>`}</svg></div>`;
}

/** A moment of the hour, which the script puts into the reader's zone. */
const hour = (wallMs: number): Html =>
  html`<span data-at="${new Date(wallMs).toISOString()}">${clockTime(wallMs, wallMs)}</span>`;

/** The pace and the finality of a subnet over the last hour, one below the other, and behind them when problems were open. */
export function hourCharts(input: HourInput, moment: Moment): Html {
  const { expected } = input;
  const { nowWall } = moment;
  const start = (Math.floor(nowWall / MINUTE_MS) - MINUTES) * MINUTE_MS;
  const minutes = input.minutes.filter(({ at }) => at >= start);
  if (minutes.length === 0) return html`<p class="empty">No data yet. The charts start after one minute.</p>`;
  const gaps = minutes.flatMap(({ at, gap }) => (gap === undefined ? [] : [{ at, value: gap, kind: 'gap' }]));
  const highest = Math.max(...gaps.map(({ value }) => value));
  const charts: readonly Chart[] = [
    {
      title: 'Blocks a minute',
      hint: expected === undefined ? '' : `${expected} expected`,
      words: `Blocks a minute in the last hour: ${minutes.at(-1)?.blocks} in the last minute${countWithout(minutes)}`,
      bars: minutes.map((one) => ({ at: one.at, value: one.blocks, kind: kindOfMinute(one, expected) })),
      scale: Math.max(expected ?? 0, ...minutes.map(({ blocks }) => blocks), 1) * 1.1,
      line: expected,
    },
    ...(gaps.length === 0
      ? []
      : [
          {
            title: 'Unfinalised blocks',
            hint: `at the end of each minute, ${highest} at most`,
            words: `Unfinalised blocks in the last hour: ${gaps.at(-1)?.value} in the last minute, ${highest} at most`,
            bars: gaps,
            scale: Math.max(highest, LEAST_GAP),
          },
        ]),
  ];
  const troubles = findTroubles(input, start, moment);
  return html`${charts.map((chart) => drawChart(chart, troubles, start))}
<p class="hours dim">${[0, MINUTES / 2, MINUTES].map((minute) => hour(start + minute * MINUTE_MS))}</p>`;
}
