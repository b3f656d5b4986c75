import { html } from 'hono/html';
import { MINUTE_MS } from '../../lib/duration.ts';
import type { Minute } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';
import { clockTime } from '../frame/times.ts';

const TOP = 24;
const BASE = 112;
const FULL = BASE - TOP;
/** The share of its minute that a bar fills. */
const BAR = 0.72;

const toIso = (minute: number): string => new Date(minute * MINUTE_MS).toISOString();

/** How many minutes had no block, as the end of a sentence. */
const countWithout = (minutes: readonly Minute[]): string => {
  const without = minutes.filter(({ blocks }) => blocks === 0).length;
  return without === 0 ? '' : `, ${without} minutes without a block`;
};

/** Around a time that lasts for longer, only the minutes of its first part are drawn. */
const LONGEST = 120;
const AROUND = 10;

/**
 * Blocks a minute from ten minutes before a time to ten minutes after, with its start and end. A minute without a block is hatched, one
 * that nobody watched is empty.
 */
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
  const known = minutes.filter(({ at }) => at / MINUTE_MS >= first && at / MINUTE_MS < first + count);
  if (known.length === 0) return html`<p class="empty">No data from around that time.</p>`;
  const end = clearSince ?? endedAt;
  const isEndShown = end !== undefined && end / MINUTE_MS < first + count;
  const total = known.reduce((sum, { blocks }) => sum + blocks, 0);
  // A start and an end that are near each other would lie on each other.
  const marks = [
    { at: startedAt, word: 'began' },
    ...(isEndShown && (end - startedAt) / MINUTE_MS > count / 4 ? [{ at: end, word: 'last seen' }] : []),
  ];
  const scale = Math.max(...known.map(({ blocks }) => blocks), 1);
  const width = 100 / count;
  const xOf = (at: number) => `${((at / MINUTE_MS - first) * width).toFixed(2)}%`;
  const bar = `${(width * BAR).toFixed(2)}%`;
  const bars = known.map(({ at, blocks }) => {
    const x = xOf(at);
    if (blocks === 0)
      return html`<rect class="none" x="${x}" y="${TOP}" width="${bar}" height="${FULL}" fill="url(#hatch)"/>`;
    const height = (blocks / scale) * FULL;
    return html`<rect class="pace" x="${x}" y="${(BASE - height).toFixed(1)}" width="${bar}" height="${height.toFixed(1)}"/>`;
  });
  return html`<svg class="chart" height="132" role="img" aria-label="Blocks a minute around the incident: ${total} in ${known.length} minutes${countWithout(known)}">
${bars}
${marks.map(({ at, word }) => html`<line class="event" x1="${xOf(at)}" x2="${xOf(at)}" y1="18" y2="${BASE}"/><text x="${xOf(at)}" y="14" text-anchor="middle">${word}</text>`)}
<line class="axis" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>
<text x="0" y="20">${scale} a minute</text>
<text x="0" y="128" data-at="${toIso(first)}">${clockTime(first * MINUTE_MS, nowWall)}</text><text x="100%" y="128" text-anchor="end" data-at="${toIso(first + count)}">${clockTime((first + count) * MINUTE_MS, nowWall)}</text>
</svg>`;
}
