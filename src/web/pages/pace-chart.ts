import { html } from 'hono/html';
import type { Minute } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';
import { clockTime } from '../frame/times.ts';

const MINUTES = 60;
const TOP = 24;
const BASE = 112;
const FULL = BASE - TOP;
/** Below this share of the expected pace, a bar is marked. */
const SLOW = 0.6;
/** The share of its minute that a bar fills. */
const BAR = 0.72;

const MINUTE_MS = 60_000;

/** How a bar looks: of a minute without a block, of a slow one, or of any other. */
export const kindOfMinute = ({ blocks }: Minute, expected: number | undefined): 'none' | 'slow' | 'pace' => {
  if (blocks === 0) return 'none';
  return expected !== undefined && blocks < expected * SLOW ? 'slow' : 'pace';
};

/** What a chart of minutes shows. */
interface Chart {
  readonly minutes: readonly Minute[];
  /** The first minute, counted since 1970, and how many there are. */
  readonly first: number;
  readonly count: number;
  readonly expected?: number | undefined;
  /** Moments with a line, in wall time. */
  readonly marks?: readonly { readonly at: number; readonly word: string }[];
  readonly words: string;
  /** What is said at the top of the scale. */
  readonly label: (scale: number) => string;
  readonly nowWall: number;
}

function chart({ minutes, first, count, expected, marks = [], words, label, nowWall }: Chart): Html {
  const scale = Math.max(expected ?? 0, ...minutes.map(({ blocks }) => blocks), 1);
  const width = 100 / count;
  const xOf = (at: number) => `${((at / MINUTE_MS - first) * width).toFixed(2)}%`;
  const bar = `${(width * BAR).toFixed(2)}%`;
  const bars = minutes.map((minute) => {
    const { at, blocks } = minute;
    const x = xOf(at);
    const kind = kindOfMinute(minute, expected);
    if (kind === 'none')
      return html`<rect class="none" x="${x}" y="${TOP}" width="${bar}" height="${FULL}" fill="url(#hatch)"/>`;
    const height = (blocks / scale) * FULL;
    return html`<rect class="${kind}" x="${x}" y="${(BASE - height).toFixed(1)}" width="${bar}" height="${height.toFixed(1)}"/>`;
  });
  const y = BASE - ((expected ?? 0) / scale) * FULL;
  return html`<svg class="chart" height="132" role="img" aria-label="${words}">
${expected === undefined ? '' : html`<line class="axis" x1="0" x2="100%" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/>`}
${bars}
${marks.map(({ at, word }) => html`<line class="event" x1="${xOf(at)}" x2="${xOf(at)}" y1="18" y2="${BASE}"/><text x="${xOf(at)}" y="14" text-anchor="middle">${word}</text>`)}
<line class="axis" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>
<text x="0" y="${marks.length > 0 ? 26 : 16}">${label(scale)}</text>
<text x="0" y="128">${clockTime(first * MINUTE_MS, nowWall)}</text><text x="100%" y="128" text-anchor="end">${clockTime((first + count) * MINUTE_MS, nowWall)}</text>
</svg>`;
}

/** How many minutes had no block, as the end of a sentence. */
export const countWithout = (minutes: readonly Minute[]): string => {
  const without = minutes.filter(({ blocks }) => blocks === 0).length;
  return without === 0 ? '' : `, ${without} minutes without a block`;
};

const inSpan = (minutes: readonly Minute[], first: number, count: number): readonly Minute[] =>
  minutes.filter(({ at }) => at / MINUTE_MS >= first && at / MINUTE_MS < first + count);

/** Blocks a minute over the last hour. A minute without a block is hatched, a minute that nobody watched is empty. */
export function paceChart(minutes: readonly Minute[], expected: number | undefined, nowWall: number): Html {
  const first = Math.floor(nowWall / MINUTE_MS) - MINUTES;
  const known = inSpan(minutes, first, MINUTES);
  if (known.length === 0) return html`<p class="empty">No data yet. The chart starts after one minute.</p>`;
  return chart({
    minutes: known,
    first,
    count: MINUTES,
    expected,
    nowWall,
    words: `Blocks a minute in the last hour: ${known.at(-1)?.blocks ?? 0} in the last minute${expected === undefined ? '' : `, ${expected} expected`}${countWithout(known)}`,
    label: (scale) => `${scale} a minute`,
  });
}

/** Around a time that lasts for longer, only the minutes of its first part are drawn. */
const LONGEST = 120;
const AROUND = 10;

/** Blocks a minute from ten minutes before a time to ten minutes after, with its start and end. */
export function spanChart(
  minutes: readonly Minute[],
  {
    startedAt,
    clearSince,
    endedAt,
  }: { readonly startedAt: number; readonly clearSince?: number; readonly endedAt?: number },
  nowWall: number,
): Html {
  const start = Math.floor(startedAt / MINUTE_MS);
  const first = start - AROUND;
  const last = Math.min(
    Math.floor(nowWall / MINUTE_MS),
    start + LONGEST,
    endedAt === undefined ? Number.POSITIVE_INFINITY : Math.floor(endedAt / MINUTE_MS) + AROUND,
  );
  const count = last - first + 1;
  const known = inSpan(minutes, first, count);
  if (known.length === 0) return html`<p class="empty">No data from around that time.</p>`;
  const end = clearSince ?? endedAt;
  const isEndShown = end !== undefined && end / MINUTE_MS < first + count;
  const total = known.reduce((sum, { blocks }) => sum + blocks, 0);
  return chart({
    minutes: known,
    first,
    count,
    nowWall,
    // A start and an end that are near each other would lie on each other.
    marks: [
      { at: startedAt, word: 'began' },
      ...(isEndShown && (end - startedAt) / MINUTE_MS > count / 4 ? [{ at: end, word: 'last seen' }] : []),
    ],
    words: `Blocks a minute around the incident: ${total} in ${known.length} minutes${countWithout(known)}`,
    label: (scale) => `${scale} a minute`,
  });
}
