import { html } from 'hono/html';
import type { ProbeMinute } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';
import { clockTime, count } from '../frame/times.ts';

const MINUTES = 60;
const MINUTE_MS = 60_000;
const TOP = 24;
const BASE = 112;
const FULL = BASE - TOP;

/** The next of 1, 2, 5, 10, 20, 50 … at or above a number of milliseconds. */
export function toScale(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)));
  return ([1, 2, 5].find((step) => step * power >= ms) ?? 10) * power;
}

const format = (ms: number): string => (ms < 10 ? String(Math.round(ms * 10) / 10) : String(Math.round(ms)));

/** What the curve shows, in words. */
function describe(answered: readonly { readonly ms: number }[], unanswered: number): string {
  const last = answered.at(-1);
  const most = Math.max(...answered.map(({ ms }) => ms));
  const times =
    last === undefined ? 'no probe was answered' : `latest ${format(last.ms)} ms, highest ${format(most)} ms`;
  const minutes = unanswered === 1 ? 'one minute' : `${unanswered} minutes`;
  return `Probe latency in the last hour: ${times}${unanswered === 0 ? '' : `, ${minutes} without an answer`}`;
}

/** How long the probes took over the last hour, minute by minute. A minute without an answer is hatched. */
export function probeCurve(minutes: readonly ProbeMinute[], nowWall: number): Html {
  const first = Math.floor(nowWall / MINUTE_MS) - MINUTES + 1;
  const placed = minutes
    .map(({ at, ms }) => ({ x: Math.floor(at / MINUTE_MS) - first, ms }))
    .filter(({ x }) => x >= 0 && x < MINUTES);
  if (placed.length === 0) return html`<p class="empty">No probe has finished yet.</p>`;
  const answered = placed.flatMap(({ x, ms }) => (ms === undefined ? [] : [{ x, ms }]));
  const scale = toScale(Math.max(...answered.map(({ ms }) => ms), 1));
  const path = answered
    .map(({ x, ms }, index) => {
      const y = (100 - (ms / scale) * 100).toFixed(1);
      return `${answered[index - 1]?.x === x - 1 ? 'L' : 'M'}${x} ${y}H${x + 1}`;
    })
    .join('');
  const silent = placed.filter(({ ms }) => ms === undefined);
  const width = 100 / MINUTES;
  return html`<svg class="chart" height="132" role="img" aria-label="${describe(answered, silent.length)}">
<line class="axis" x1="0" x2="100%" y1="${TOP}" y2="${TOP}"/>
<svg x="0" y="${TOP}" width="100%" height="${FULL}" viewBox="0 0 ${MINUTES} 100" preserveAspectRatio="none"><path class="curve" vector-effect="non-scaling-stroke" d="${path}"/></svg>
${silent.map(({ x }) => html`<rect class="none" x="${(x * width).toFixed(2)}%" y="${TOP}" width="${width.toFixed(2)}%" height="${FULL}" fill="url(#hatch)"/>`)}
<line class="axis" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>
<text x="0" y="16">${count(scale)} ms</text>
<text x="0" y="128">${clockTime(first * MINUTE_MS, nowWall)}</text><text x="100%" y="128" text-anchor="end">${clockTime(nowWall, nowWall)}</text>
</svg>`;
}
