import { html } from 'hono/html';
import { formatSecond } from '../../lib/format-instant.ts';
import type { LogFacts } from '../../model/facts.ts';
import type { MatchingLine } from '../../model/last-lines.ts';
import { type Html, shape } from '../frame/marks.ts';
import { ago, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';

/** A pack has more patterns than a page needs. */
const MOST_PATTERNS = 12;

const isFault = (means: MatchingLine['means']): boolean => means === 'error' || means === 'fatal';

/** The last lines that matched, the oldest first. What is wrong stands out. */
function matchingLines(lines: readonly MatchingLine[], { toWall }: Moment): Html {
  const shown = lines.map(({ at, text, means }) => {
    const line = html`${formatSecond(toWall(at)).slice(11, 19)} ${text}\n`;
    return isFault(means) ? html`<mark>${line}</mark>` : line;
  });
  return html`<h3>The last lines that matched</h3><pre class="log" tabindex="0" role="region" aria-label="The last lines that matched a pattern">${shown}</pre><p class="hint">Secrets are left out, and long lines are cut. Marked lines are errors.</p>`;
}

/** What each pattern found in the log of a target, and the last lines that matched one. */
export function matchingLinesPanel(logs: LogFacts | undefined, lines: readonly MatchingLine[], moment: Moment): Html {
  const { toWall, nowWall } = moment;
  const { sources = {}, patterns = {} } = logs ?? {};
  const read = Object.entries(sources).map(
    ([source, { up, lines: total }]) => `${source}: ${up ? `${count(total)} lines read` : 'cannot be read'}`,
  );
  if (read.length === 0)
    return html`<p class="empty">No log is followed. Name a container or log files in the inventory.</p>`;
  const rows = Object.entries(patterns)
    .toSorted(([, one], [, other]) => other.order - one.order)
    .slice(0, MOST_PATTERNS)
    .map(
      ([name, { means, count: times, at: last, what }]) =>
        html`<li>${shape(isFault(means) ? 'bad' : 'ok')}<b>${name}</b><span>${times} times, the last ${ago(toWall(last), nowWall)}<br><span class="dim">${what}</span></span></li>`,
    );
  const none = html`<p class="empty">No line has matched a pattern yet.</p>`;
  return html`<p class="hint">${read.join(', ')}.</p>${lines.length === 0 ? '' : matchingLines(lines, moment)}${rows.length === 0 ? none : html`<ul class="services">${rows}</ul>`}`;
}
