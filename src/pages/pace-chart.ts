import { html } from 'hono/html';
import type { Minute } from '../model/history.ts';
import type { Html } from './marks.ts';
import { clockTime } from './times.ts';

const MINUTES = 60;
const TOP = 24;
const BASE = 112;
const FULL = BASE - TOP;
/** Below this share of the expected pace, a bar is marked. */
const SLOW = 0.6;

const MINUTE_MS = 60_000;

/** Blocks a minute over the last hour. A minute without a block is hatched, a minute that nobody watched is empty. */
export function paceChart(minutes: readonly Minute[], expected: number | undefined, nowWall: number): Html {
  const first = Math.floor(nowWall / MINUTE_MS) - MINUTES;
  const known = minutes.filter(({ at }) => at / MINUTE_MS >= first && at / MINUTE_MS < first + MINUTES);
  if (known.length === 0)
    return html`<p class="empty">No minute has passed yet. The chart begins when subnetd has watched for one.</p>`;
  const scale = Math.max(expected ?? 0, ...known.map(({ blocks }) => blocks), 1);
  const width = 100 / MINUTES;
  const bars = known.map(({ at, blocks }) => {
    const x = `${((at / MINUTE_MS - first) * width).toFixed(2)}%`;
    if (blocks === 0)
      return html`<rect class="none" x="${x}" y="${TOP}" width="1.2%" height="${FULL}" fill="url(#hatch)"/>`;
    const height = (blocks / scale) * FULL;
    const kind = expected !== undefined && blocks < expected * SLOW ? 'slow' : 'pace';
    return html`<rect class="${kind}" x="${x}" y="${(BASE - height).toFixed(1)}" width="1.2%" height="${height.toFixed(1)}"/>`;
  });
  const last = known.at(-1);
  const without = known.filter(({ blocks }) => blocks === 0).length;
  const words = `Blocks a minute in the last hour: ${last?.blocks ?? 0} in the last minute${expected === undefined ? '' : `, ${expected} expected`}${without === 0 ? '' : `, ${without} minutes without a block`}`;
  const y = BASE - ((expected ?? 0) / scale) * FULL;
  return html`<svg class="chart" height="132" role="img" aria-label="${words}">
${expected === undefined ? '' : html`<line class="axis" x1="0" x2="100%" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/>`}
${bars}
<line class="axis" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>
<text x="0" y="16">${scale} a minute</text>
<text x="0" y="128">${clockTime(first * MINUTE_MS, nowWall)}</text><text x="100%" y="128" text-anchor="end">${clockTime(nowWall, nowWall)}</text>
</svg>`;
}
