import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import type { Capsule, CapsuleTarget, IncidentRecord } from '../../model/incident.ts';
import type { Vote } from '../../model/snapshot.ts';
import { badge, type Html, shape } from '../frame/marks.ts';
import { atSecond, count } from '../frame/times.ts';
import { toEntries } from './incident-words.ts';
import { withCommands } from './paths.ts';

/** What changed, from ten minutes before an incident to ten minutes after. */
export const changesPanel = (record: IncidentRecord): Html =>
  html`<section class="panel" aria-labelledby="changes"><h2 id="changes">What changed</h2>
<ol class="events">${toEntries(record).map(
    ({ at, standing, isOwn, subject, text }) =>
      html`<li${isOwn ? html` class="own"` : ''}>${atSecond(at)}${shape(standing)}<span><b>${subject}</b> ${withCommands(text)}</span></li>`,
  )}</ol></section>`;

const VOTES: Readonly<Record<Vote, Standing>> = {
  votes: 'ok',
  silent: 'bad',
  penalised: 'warn',
  standby: 'off',
  unknown: 'off',
};

const mib = (bytes: number): string => `${count(Math.round(bytes / 2 ** 20))} MiB`;

function describeContainer({ container }: CapsuleTarget): string {
  if (container === undefined) return '';
  const { status, exitCode, restarts, oomKills, memoryBytes, memoryLimitBytes } = container;
  return [
    status === 'running' || exitCode === undefined ? status : `${status} ${exitCode}`,
    ...(memoryBytes === undefined
      ? []
      : [`${mib(memoryBytes)}${memoryLimitBytes === undefined ? '' : ` of ${mib(memoryLimitBytes)}`}`]),
    ...(restarts === 0 ? [] : [`${restarts} restarts`]),
    ...(oomKills === 0 ? [] : [`${oomKills} out of memory`]),
  ].join(', ');
}

/** What the target answered last, and how long that took. */
export function describeAnswer({ exchanges }: CapsuleTarget): string {
  const exchange = exchanges.find(({ kind }) => kind === 'node' || kind === 'service');
  const call = exchange?.calls[0];
  if (exchange === undefined || call === undefined) return '';
  return `${call.answered}${exchange.tookMs === undefined ? '' : `, ${count(Math.round(exchange.tookMs))} ms`}`;
}

/** How a target was judged, in a word: its worst check. */
export function verdictOf({ checks }: CapsuleTarget): { readonly standing: Standing; readonly word: string } {
  const has = (verdict: string) => checks.some((one) => one.verdict === verdict);
  if (has('fail')) return { standing: 'bad', word: 'fail' };
  if (has('degraded')) return { standing: 'warn', word: 'degraded' };
  return has('pass') ? { standing: 'ok', word: 'OK' } : { standing: 'off', word: 'unknown' };
}

function targetRow(target: CapsuleTarget): Html {
  const { name, vote, height, peers, expectedPeers } = target;
  const { standing, word } = verdictOf(target);
  const shown = vote === undefined || vote === 'unknown' ? badge(standing, word) : badge(VOTES[vote], vote);
  return html`<tr role="row"><th scope="row" role="rowheader">${name}</th><td role="cell">${shown}</td><td role="cell" data-l="Height">${height === undefined ? '' : count(height)}</td><td role="cell" data-l="Peers">${peers === undefined ? '' : `${peers}${expectedPeers === undefined ? '' : ` of ${expectedPeers}`}`}</td><td role="cell" class="full" data-l="Last answer">${describeAnswer(target)}</td><td role="cell" class="full" data-l="Container">${describeContainer(target)}</td></tr>`;
}

function targetDetails({ name, checks, exchanges }: CapsuleTarget): Html {
  const wrong = checks.filter(({ verdict }) => verdict !== 'pass');
  return html`<details><summary>Checks and answers of ${name}</summary><ul>${wrong.map(
    ({ check, verdict, reason }) => html`<li><b>${check}</b> ${verdict}: ${withCommands(reason)}</li>`,
  )}${exchanges.flatMap(({ to, calls }) =>
    calls.map(({ asked, answered }) => html`<li><code>${to}</code> <code>${asked}</code> ${answered}</li>`),
  )}</ul></details>`;
}

/** As many targets have their checks and answers on the page; all of them are in the export. */
const MOST_DETAILS = 10;

/** What was known when an incident began. */
export function capsulePanel(capsule: Capsule | undefined): Html {
  if (capsule === undefined)
    return html`<section class="panel" aria-labelledby="capsule"><h2 id="capsule">Capsule</h2><p class="empty">Nothing was recorded when it began: too many problems began at once, or the record has expired.</p></section>`;
  const { at, targets, omitted, logs, quorum } = capsule;
  const size = Math.max(1, Math.round(Buffer.byteLength(JSON.stringify(capsule)) / 1_024));
  const votes =
    quorum &&
    html`<p class="hint">${quorum.voting} of ${quorum.total} masternodes voted, ${quorum.required} needed.</p>`;
  return html`<section class="panel" aria-labelledby="capsule"><h2 id="capsule">Capsule</h2><p class="hint">Taken at ${atSecond(at)}, ${size} KB, secrets redacted.</p>${votes}
<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Target</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">Height</th><th scope="col" role="columnheader">Peers</th><th scope="col" role="columnheader">Last answer</th><th scope="col" role="columnheader">Container</th></tr></thead><tbody role="rowgroup">
${targets.map(targetRow)}
</tbody></table>${omitted === 0 ? '' : html`<p class="hint">${omitted} more targets omitted.</p>`}
${targets
  .filter((target) => verdictOf(target).word !== 'OK')
  .slice(0, MOST_DETAILS)
  .map(targetDetails)}
${logs.map(({ name, lines, why }) =>
  lines.length === 0
    ? html`<p class="hint">The log of ${name} was not read: ${why ?? 'it has no lines'}.</p>`
    : html`<details><summary>Log of ${name}, ${lines.length} lines</summary><pre class="log" tabindex="0" role="region" aria-label="Log of ${name}">${lines.map(({ text }) => `${text}\n`)}</pre></details>`,
)}</section>`;
}
