import { html } from 'hono/html';
import { HOUR_MS } from '../../lib/duration.ts';
import type { CheckBar, CheckHistory, TargetHistory, Uptime } from '../../model/history.ts';
import type { Html } from '../frame/marks.ts';

/** A bar says something once it was watched for this long. */
const SEEN_MS = 30_000;

type Kind = CheckBar;

const watched = ({ ok, fail, planned }: Uptime): number => ok + fail + planned;

/** What a bar shows: standing for up, split for up in part, hanging for down, a dot for no data. */
function kindOf(uptime: Uptime | undefined): Kind {
  if (uptime === undefined || watched(uptime) < SEEN_MS) return 'none';
  if (uptime.fail === 0) return 'up';
  return uptime.ok + uptime.planned === 0 ? 'down' : 'part';
}

const SHAPE: Readonly<Record<Kind, string>> = {
  up: ' 0v20',
  part: ' 0v8m0 4v8',
  down: ' 8v20',
  none: ' 9v3',
};

/** The share of the watched time in which it was up, in percent; undefined when nothing was watched. */
export function upPercent(uptimes: readonly (Uptime | undefined)[]): number | undefined {
  let up = 0;
  let all = 0;
  for (const one of uptimes) {
    if (one === undefined) continue;
    up += one.ok + one.planned;
    all += watched(one);
  }
  return all === 0 ? undefined : (up * 100) / all;
}

/** A share for people: never 100 % when there was a failure. */
export function formatPercent(percent: number | undefined): string {
  if (percent === undefined) return 'no data';
  const cut = Math.floor(percent * 10) / 10;
  return `${percent >= 100 ? '100' : cut.toFixed(1)} %`;
}

/** Bars, the oldest first. One path for each kind keeps a row small. */
function draw(kinds: readonly Kind[], label: string): Html {
  const paths = new Map<Kind, string>();
  for (const [index, kind] of kinds.entries()) paths.set(kind, `${paths.get(kind) ?? ''}M${index}.5${SHAPE[kind]}`);
  return html`<svg class="bars" viewBox="0 0 ${kinds.length} 28" preserveAspectRatio="none" role="img" aria-label="${label}">${[
    ...paths,
  ].map(([kind, path]) => html`<path class="${kind}" d="${path}"/>`)}</svg>`;
}

/** The places for probes, as many as hours have. */
const PROBES = 24;

/** A mark for each of the last probes, with the share of those that were up. `name` is that of the check, if it is one. */
function probeBars(probes: readonly CheckBar[], name = ''): Html {
  const shown = probes.slice(-PROBES);
  const up = shown.filter((one) => one === 'up').length;
  const known = up + shown.filter((one) => one === 'down').length;
  const percent = formatPercent(known === 0 ? undefined : (up * 100) / known);
  const places: readonly Kind[] = [...Array<Kind>(PROBES - shown.length).fill('none'), ...shown];
  const label = `last ${shown.length === 1 ? 'probe' : `${shown.length} probes`}`;
  const words = `${name && `${name}, `}${label}: ${known === 0 ? percent : `up ${percent}`}`;
  return html`<div class="share">${draw(places, words)}<span>${percent}<br>${label}</span></div>`;
}

/** The bars of a check in the last 24 hours, half an hour each; until an hour was watched, a mark for each of its last probes. */
export function checkBars({ halfHours, probes }: CheckHistory, check: string): Html {
  const count = (kind: CheckBar) => halfHours.filter((one) => one === kind).length;
  const known = halfHours.length - count('none');
  if (probes.length > 0 && known <= 2) return probeBars(probes, check);
  const bad = count('down') + count('part');
  const words = bad === 0 ? 'no failures' : `failed in ${bad} of ${known} half-hours`;
  return draw(halfHours, `${check}, 24 hours: ${known === 0 ? 'no data' : words}`);
}

/** The last 24 hours of a target; in its first hour a mark for each of its last probes, from the first one on. */
export function dayBars({ hours, probes = [] }: TargetHistory): Html {
  const watchedMs = hours.reduce((sum, one) => sum + (one === undefined ? 0 : watched(one)), 0);
  // Until an hour was watched, probes say more than hours.
  if (probes.length === 0 || watchedMs >= HOUR_MS) return uptimeBars(hours, '24 hours');
  return probeBars(probes);
}

/** The bars of a target, the oldest first, with the share of its uptime. */
export function uptimeBars(uptimes: readonly (Uptime | undefined)[], span: string): Html {
  const percent = formatPercent(upPercent(uptimes));
  return html`<div class="share">${draw(uptimes.map(kindOf), `${span}: ${percent === 'no data' ? percent : `up ${percent}`}`)}<span>${percent}</span></div>`;
}

/** What the bars of a table mean. */
export const uptimeKey: Html = html`<p class="line dim key"><span><i class="up"></i>up</span><span><i class="part"></i>partly up</span><span><i class="down"></i>down</span><span><i class="none"></i>no data</span></p>`;
