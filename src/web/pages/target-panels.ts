import { html } from 'hono/html';
import { formatSecond } from '../../lib/duration.ts';
import { formatCount } from '../../lib/words.ts';
import type { AskedAndAnswered, Exchange } from '../../model/exchange.ts';
import type { MatchingLine } from '../../model/last-lines.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { type Html, shape } from '../frame/marks.ts';
import { ago, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';

/** Where Grafana and Prometheus are for people, without a slash at the end; each absent when nobody has said. */
export interface OutsideAddresses {
  readonly grafanaUrl?: string | undefined;
  readonly prometheusUrl?: string | undefined;
}

/** A text in a query of Prometheus, whose escapes are those of Go. */
const quote = (text: string): string => JSON.stringify(text);

/** The series of a target: whether its checks pass, and how long its probes take; of a node also its height. */
export function queriesOf({ subnet, component, name }: Target): readonly string[] {
  const own = `subnet=${quote(subnet)},component=${quote(component)},name=${quote(name)}`;
  const node = `subnet=${quote(subnet)},name=${quote(name)}`;
  return [
    `subnet_check_success{${own}}`,
    `subnet_check_duration_seconds{${own}}`,
    ...(component === 'node' ? [`subnet_node_block_number{${node}}`] : []),
  ];
}

/** The dashboard of a target in Grafana, and its series in Prometheus's graph. */
export function outsideLinks(target: Target, { grafanaUrl, prometheusUrl }: OutsideAddresses): readonly Html[] {
  const { subnet, component, name } = target;
  const dashboard = component === 'node' ? 'subnetd-node' : 'subnetd-services';
  const variables = new URLSearchParams({ 'var-subnet': subnet, 'var-name': name });
  const graphs = new URLSearchParams(
    queriesOf(target).flatMap((query, index) => [
      [`g${index}.expr`, query],
      [`g${index}.tab`, '0'],
      [`g${index}.range_input`, '1h'],
    ]),
  );
  return [
    ...(grafanaUrl === undefined ? [] : [html`<a href="${grafanaUrl}/d/${dashboard}?${variables}">Grafana</a>`]),
    ...(prometheusUrl === undefined ? [] : [html`<a href="${prometheusUrl}/graph?${graphs}">Prometheus</a>`]),
  ];
}

/** A pack has more patterns than a page needs. */
const MOST_PATTERNS = 12;

const isFault = (means: MatchingLine['means']): boolean => means === 'error' || means === 'fatal';

/** Latest matching lines, the oldest first. What is wrong stands out. */
function matchingLines(lines: readonly MatchingLine[], { toWall }: Moment): Html {
  const shown = lines.map(({ at, text, means }) => {
    const line = html`${formatSecond(toWall(at)).slice(11, 19)} ${text}\n`;
    return isFault(means) ? html`<mark>${line}</mark>` : line;
  });
  return html`<h3>Latest matching lines</h3><pre class="log" tabindex="0" role="region" aria-label="Latest lines that matched a pattern">${shown}</pre><p class="hint">Secrets redacted, long lines truncated. Highlighted lines are errors.</p>`;
}

/** What each pattern found in the log of a target, and the last lines that matched one. */
export function matchingLinesPanel(
  { target: { container, logFiles }, facts: { logs } }: TargetState,
  lines: readonly MatchingLine[],
  moment: Moment,
): Html {
  const { toWall, nowWall } = moment;
  const { sources = {}, patterns = {} } = logs ?? {};
  const read = Object.entries(sources).map(
    ([source, { up, lines: total }]) => `${source}: ${up ? `${count(total)} lines read` : 'cannot be read'}`,
  );
  if (read.length === 0)
    return html`<p class="empty">${
      container === undefined && logFiles.length === 0
        ? 'No log is followed. Name a container or log files in the inventory.'
        : 'Its log has not been read yet.'
    }</p>`;
  const rows = Object.entries(patterns)
    .toSorted(([, one], [, other]) => other.order - one.order)
    .slice(0, MOST_PATTERNS)
    .map(
      ([name, { means, count: times, at: last, what }]) =>
        html`<li>${shape(isFault(means) ? 'bad' : 'ok')}<b>${name}</b><span>${formatCount(times, 'match', 'matches')}, last ${ago(toWall(last), nowWall)}<br><span class="dim">${what}</span></span></li>`,
    );
  const none = html`<p class="empty">No line has matched a pattern yet.</p>`;
  return html`<p class="hint">${read.join(', ')}.</p>${lines.length === 0 ? '' : matchingLines(lines, moment)}${rows.length === 0 ? none : html`<ul class="services">${rows}</ul>`}`;
}

const call = ({ asked, answered, isFault }: AskedAndAnswered): Html =>
  html`<li><code>${asked}</code><span>${isFault ? html`${shape('bad')} failed: ` : ''}${answered}</span></li>`;

const calls = (all: readonly AskedAndAnswered[]): Html => html`<ul class="asked">${all.map(call)}</ul>`;

function exchange({ kind, to, at, tookMs, status, calls: all }: Exchange, { toWall, nowWall }: Moment): Html {
  const took = tookMs === undefined ? '' : `, took ${tookMs < 10 ? tookMs : count(Math.round(tookMs))} ms`;
  const head = html`<code>${to}</code>${status === undefined ? '' : `, HTTP ${status}`}${took}, ${ago(toWall(at), nowWall)}`;
  if (kind !== 'chain') return html`<div><p class="hint">${head}</p>${calls(all)}</div>`;
  const faults = all.filter(({ isFault }) => isFault).length;
  const few = faults === 0 ? '' : `, ${faults} unanswered`;
  return html`<details><summary>Chain details, asked once a minute: ${all.length} calls${few}</summary><p class="hint">${head}</p>${calls(all)}</details>`;
}

/** What a target was asked last, and what it answered. */
export const exchangePanel = (exchanges: readonly Exchange[], moment: Moment): Html =>
  html`<section class="panel" aria-labelledby="asked"><h2 id="asked">Last requests</h2>${
    exchanges.length === 0
      ? html`<p class="empty">No requests yet: the first round is still running, or the inventory names nothing to ask.</p>`
      : html`${exchanges.map((one) => exchange(one, moment))}<p class="hint">Secrets redacted.</p>`
  }</section>`;
