import { html } from 'hono/html';
import { beginSentence } from '../../lib/words.ts';
import type { Incident, IncidentQuery, ListedIncidents } from '../../model/incident.ts';
import { page } from '../frame/frame.ts';
import { badge, type Html, standingOfSeverity } from '../frame/marks.ts';
import { at } from '../frame/times.ts';
import { durationOf, stateOf, summaryOf } from './incident-words.ts';
import { incidentPath, subnetPath } from './paths.ts';

/** As many incidents are on one page. */
export const INCIDENTS_ON_A_PAGE = 50;

/** What the list of incidents shows. */
export interface IncidentListInput {
  readonly listed: ListedIncidents;
  /** The names of the subnets of the inventory. */
  readonly subnets: readonly string[];
  readonly subnet?: string | undefined;
  readonly onlyGrave: boolean;
  /** Whether this is a page of older ones. */
  readonly isLater: boolean;
  /** Whether a link asked for an incident that is not there. */
  readonly isMissing: boolean;
  readonly nowWall: number;
}

/** A place in the list: what follows this incident. */
const toCursor = ({ startedAt, id, endedAt }: Incident): string => `${startedAt}_${endedAt ?? ''}_${id}`;

/** Undefined if it is none. */
export function parseCursor(text: string): IncidentQuery['before'] {
  const [, startedAt, endedAt, id] = /^(\d{1,15})_(\d{0,15})_([\w-]{1,80})$/.exec(text) ?? [];
  if (id === undefined) return undefined;
  return { startedAt: Number(startedAt), id, ...(endedAt && { endedAt: Number(endedAt) }) };
}

function row(incident: Incident, nowWall: number): Html {
  const { id, subnet, severity, foundAt } = incident;
  const { standing, word } = stateOf(incident);
  return html`<tr role="row"><td role="cell">${badge(standing, word)}</td><th scope="row" role="rowheader" class="full"><a href="${incidentPath(id)}">${beginSentence(summaryOf(incident))}</a></th><td role="cell" data-l="Subnet"><a href="${subnetPath(subnet)}">${subnet}</a></td><td role="cell" data-l="Severity">${badge(standingOfSeverity(severity), severity)}</td><td role="cell" data-l="Began">${at(foundAt, nowWall)}</td><td role="cell" data-l="Lasted">${durationOf(incident, nowWall)}</td></tr>`;
}

function form({ subnets, subnet, onlyGrave }: IncidentListInput): Html {
  const options = subnets.map((name) =>
    name === subnet ? html`<option selected>${name}</option>` : html`<option>${name}</option>`,
  );
  return html`<form class="bar" method="get" action="/incidents"><label for="subnet">Subnet</label><select id="subnet" name="subnet"><option value="">all</option>${options}</select><label><input type="checkbox" name="grave" value="1"${onlyGrave ? html` checked` : ''}> only critical and warning</label><button type="submit">Show</button></form>`;
}

const EMPTY = html`<p class="empty">No incidents yet. An incident opens when a problem is confirmed. It records the state of all nodes at that moment, logs, what changed around it, who was notified, and your notes.</p>`;

/** The page at `/incidents`. */
export function incidentList(input: IncidentListInput, { footer }: { readonly footer: readonly Html[] }): Html {
  const { listed, subnet, onlyGrave, isLater, isMissing, nowWall } = input;
  const shown = listed.incidents.slice(0, INCIDENTS_ON_A_PAGE);
  const last = shown.at(-1);
  const isFiltered = subnet !== undefined || onlyGrave || isLater;
  const open = shown.filter((one) => !['ended', 'covered'].includes(stateOf(one).word)).length;
  const query = (over: Readonly<Record<string, string>>) =>
    new URLSearchParams({ ...(subnet !== undefined && { subnet }), ...(onlyGrave && { grave: '1' }), ...over });
  const table = html`<table class="rows incidents" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">What</th><th scope="col" role="columnheader">Subnet</th><th scope="col" role="columnheader">Severity</th><th scope="col" role="columnheader">Began</th><th scope="col" role="columnheader">Lasted</th></tr></thead><tbody role="rowgroup">
${shown.map((one) => row(one, nowWall))}
</tbody></table>`;
  const none = isFiltered
    ? html`<p class="empty">No matching incidents. <a href="/incidents">Show all</a>.</p>`
    : EMPTY;
  return page({
    title: 'Incidents',
    room: '/incidents',
    madeAt: nowWall,
    footer,
    content: html`<div><h1>${open === 0 || isLater ? 'Incidents' : open === 1 ? 'Incidents, 1 open' : `Incidents, ${open} open`}</h1></div>
${isMissing ? html`<p class="empty">The linked incident does not exist yet, or has expired. Here are the others.</p>` : ''}
${listed.isWhole ? '' : html`<p class="empty">The database does not answer, so only incidents seen by this subnetd process are listed.</p>`}
${form(input)}
<section class="panel" aria-label="Incidents">${shown.length === 0 ? none : table}</section>
<p class="line">${isLater ? html`<a href="/incidents?${query({})}">Newest</a>` : ''}${
      last !== undefined && listed.incidents.length > shown.length
        ? html`<a href="/incidents?${query({ before: toCursor(last) })}">Older</a>`
        : ''
    }<a href="/feed.atom">Atom feed</a></p>`,
  });
}
