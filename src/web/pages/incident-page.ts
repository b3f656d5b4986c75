import { html } from 'hono/html';
import { beginSentence, formatTimes } from '../../lib/words.ts';
import type { Incident, IncidentRecord } from '../../model/incident.ts';
import { page } from '../frame/frame.ts';
import { badge, type Html, shape, standingOfSeverity } from '../frame/marks.ts';
import { atSecond, lastingExactly } from '../frame/times.ts';
import { describeAcknowledgement } from './acknowledge-page.ts';
import { capsulePanel, changesPanel } from './incident-parts.ts';
import {
  describeIncident,
  describeWork,
  durationOf,
  isMoment,
  lastFoundAt,
  stateOf,
  summaryOf,
  titleOf,
} from './incident-words.ts';
import { spanChart } from './pace-chart.ts';
import { incidentPath, subnetPath, targetPath, withCommands } from './paths.ts';
import { runbookPath } from './problem-card.ts';

/** What the page of an incident shows. */
export interface IncidentInput {
  readonly record: IncidentRecord & { readonly isWhole: boolean };
  /** The incidents that it links to. */
  readonly linked: readonly Incident[];
  /** Whether subnetd itself sends alerts. */
  readonly isNotifying: boolean;
  /** Whether the browser names a user with each request, so that a note needs no other credential. */
  readonly isSignedIn: boolean;
  readonly nowWall: number;
}

const figure = (name: string, value: Html | string, besides: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd><dd>${besides}</dd></div>`;

const day = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 10);

function figures({ incident }: IncidentRecord, nowWall: number): Html {
  const { startedAt, foundAt, endedAt, notified, returns } = incident;
  const found = lastFoundAt(incident);
  const left = stateOf(incident).word === 'covered' ? 'since then part of another problem' : 'over unless it returns';
  const first = notified.find(({ phase }) => phase === 'firing');
  const later = startedAt - foundAt >= 1_000 ? `, confirmed ${lastingExactly(startedAt - foundAt)} later` : '';
  return html`<dl class="figures">${figure('Began', atSecond(foundAt), `${day(foundAt)}${later}`)}${
    found === undefined
      ? figure('Ended', 'not yet', 'still present')
      : figure('Last seen', atSecond(found), endedAt === undefined ? left : html`ended at ${atSecond(endedAt)}`)
  }${
    isMoment(incident)
      ? ''
      : figure(
          'Lasted',
          durationOf(incident, nowWall),
          returns === 0 ? 'without a break' : `came back ${formatTimes(returns)}`,
        )
  }${
    first === undefined
      ? ''
      : figure('First notification', lastingExactly(first.at - foundAt), html`after it began, at ${atSecond(first.at)}`)
  }</dl>`;
}

function notifiedPanel({ incident }: IncidentRecord, isNotifying: boolean): Html {
  const { notified, alert, severity } = incident;
  const none = isNotifying
    ? severity === 'info'
      ? 'Informational only: it pages nobody.'
      : 'No receiver has accepted its alert yet. A more serious problem of the subnet may be sent instead.'
    : 'Prometheus sends this alert, and subnetd cannot see to whom. With an Alertmanager or a channel in the inventory, subnetd sends alerts itself.';
  const list = html`<ul>${notified.map(
    ({ at, to, phase, isChannel }) =>
      html`<li>${shape('ok')} ${phase === 'firing' ? '' : 'Resolved: '}${isChannel ? 'channel ' : ''}${to} <span class="dim">${atSecond(at)}</span></li>`,
  )}</ul><p class="hint">These receivers accepted ${alert}. Whom an Alertmanager then notified is not visible here.</p>`;
  return html`<section class="panel" aria-labelledby="notified"><h2 id="notified">Notified</h2>${notified.length === 0 ? html`<p class="empty">${none}</p>` : list}</section>`;
}

const credentialField = (id: string): Html =>
  html`<div><label for="${id}">API key or token with the scope operate</label><input id="${id}" name="credential" type="password" autocomplete="off" required></div>`;

function acknowledgePanel({ incident, acknowledged }: IncidentRecord, isSignedIn: boolean): Html | string {
  if (acknowledged === undefined && incident.endedAt !== undefined) return '';
  const content =
    acknowledged === undefined
      ? html`<p class="empty">Nobody yet.</p><form class="form" method="post" action="${incidentPath(incident.id, '/acknowledge')}">${isSignedIn ? '' : credentialField('acknowledge-token')}<button type="submit">I’m on it</button></form>`
      : html`<p>${describeAcknowledgement(acknowledged)}.</p>`;
  return html`<section class="panel" aria-labelledby="acknowledged"><h2 id="acknowledged">Acknowledged</h2>${content}</section>`;
}

function notesPanel({ incident, notes }: IncidentRecord, isSignedIn: boolean): Html {
  const list = notes.map(
    ({ at, author, text }) =>
      html`<li><p class="hint">${author}, ${day(at)} ${atSecond(at)}</p><p class="note-text">${text}</p></li>`,
  );
  const credential = isSignedIn ? '' : credentialField('token');
  return html`<section class="panel" aria-labelledby="notes"><h2 id="notes">Notes</h2>
${notes.length === 0 ? html`<p class="empty">No notes yet. Notes become part of the post-mortem.</p>` : html`<ol class="notes">${list}</ol>`}
<form class="form" method="post" action="${incidentPath(incident.id, '/notes')}"><div><label for="note">Your note</label><textarea id="note" name="note" rows="4" maxlength="2000" required></textarea></div>${credential}<button type="submit">Add note</button></form></section>`;
}

/** A link to another incident, with its state. */
const linkTo = (one: Incident): Html =>
  html`<li>${badge(stateOf(one).standing, stateOf(one).word)} <a href="${incidentPath(one.id)}">${beginSentence(summaryOf(one))}</a></li>`;

function linksPanel({ incident }: IncidentRecord, linked: readonly Incident[]): Html {
  const { subnet, name, component, alert, last, causes, effects, earlier, endedAt } = incident;
  const of = (title: string, ids: readonly string[]) => {
    const found = linked.filter(({ id }) => ids.includes(id));
    return found.length === 0 ? '' : html`<h3>${title}</h3><ul class="linked">${found.map(linkTo)}</ul>`;
  };
  const target =
    name === undefined || component === undefined ? '' : html`<a href="${targetPath(subnet, name)}">${name}</a>`;
  return html`<section class="panel" aria-labelledby="links"><h2 id="links">${endedAt === undefined ? 'What to do' : 'What to do if it returns'}</h2>
<p class="advice">${withCommands(beginSentence(last.fix))}.</p>
<p class="line"><a href="${runbookPath(alert, subnet, name)}">Runbook ${alert}</a>${target}<a href="${subnetPath(subnet)}">${subnet}</a></p>
${of('Caused by', causes)}${of('Led to', effects)}${of('Previous occurrence', earlier === undefined ? [] : [earlier])}</section>`;
}

/** The page of an incident: how long, why, what ended it; then the pace, what changed, and what was known. */
export function incidentPage(input: IncidentInput, { footer }: { readonly footer: readonly Html[] }): Html {
  const { record, linked, isNotifying, isSignedIn, nowWall } = input;
  const { incident, timeline, capsule, isWhole } = record;
  const { standing, word } = stateOf(incident);
  const title = titleOf(incident);
  return page({
    title,
    room: '/incidents',
    madeAt: nowWall,
    footer,
    content: html`<div><p class="hint"><a href="/incidents">Incidents</a> / ${incident.id}</p>
<h1>${title}</h1>
<p class="tags">${badge(standing, word)}${badge(standingOfSeverity(incident.severity), incident.severity)}</p>
<p class="story">${describeIncident(incident, nowWall)}</p>
${incident.planned === undefined ? '' : html`<p class="hint">${beginSentence(describeWork(incident.planned))}. No notifications until that ends.</p>`}
${isWhole ? '' : html`<p class="empty">The database does not answer, so only what this subnetd process knows is shown.</p>`}</div>
${figures(record, nowWall)}
<div class="grid aside">
<div class="stack">
<section class="panel" aria-labelledby="pace"><h2 id="pace">Blocks a minute</h2>${spanChart(timeline?.minutes ?? [], incident, nowWall)}</section>
${changesPanel(record)}
${capsulePanel(capsule)}
</div>
<div class="stack">
${linksPanel(record, linked)}
${acknowledgePanel(record, isSignedIn)}
${notifiedPanel(record, isNotifying)}
${notesPanel(record, isSignedIn)}
<section class="panel" aria-labelledby="export"><h2 id="export">Export</h2><p class="bar"><a class="btn" href="${incidentPath(incident.id, '.md')}">Markdown</a><a class="btn" href="${incidentPath(incident.id, '.json')}">JSON</a></p></section>
</div>
</div>`,
  });
}
