import { html } from 'hono/html';
import type { Incident } from '../../model/incident.ts';
import { type Acknowledgement, LONGEST_NAME } from '../../model/problem.ts';
import { page } from '../frame/frame.ts';
import { badge, type Html } from '../frame/marks.ts';
import { atSecond } from '../frame/times.ts';
import { describeIncident, stateOf, titleOf } from './incident-words.ts';
import { incidentPath } from './paths.ts';

/** Who is on an incident, and since when. */
export const describeAcknowledgement = ({ by, at }: Acknowledgement): Html =>
  html`Acknowledged by <b>${by}</b> at ${atSecond(at)}`;

/** What the page of a link shows. */
export interface AcknowledgeInput {
  readonly incident: Incident;
  readonly acknowledged?: Acknowledgement | undefined;
  /** Where the form goes. */
  readonly action: string;
  readonly nowWall: number;
}

/** The page of the link in a message: it asks for a name, as a preview of the link must not acknowledge anything. */
export function acknowledgePage({ incident, acknowledged, action, nowWall }: AcknowledgeInput): Html {
  const { standing, word } = stateOf(incident);
  const title = titleOf(incident);
  const form = html`<form class="form" method="post" action="${action}"><div><label for="by">Your name</label><input id="by" name="by" maxlength="${LONGEST_NAME}" autocomplete="name" required></div><button type="submit">I’m on it</button></form>
<p class="hint">This stops reminders and escalation until the incident ends. Others see your name.</p>`;
  const over = html`<p class="empty">The incident is over. There is nothing to acknowledge.</p>`;
  return page({
    title,
    madeAt: nowWall,
    content: html`<div><h1>${title}</h1>
<p class="tags">${badge(standing, word)}</p>
<p class="story">${describeIncident(incident, nowWall)}</p></div>
<section class="panel" aria-labelledby="acknowledge"><h2 id="acknowledge">Acknowledge</h2>
${acknowledged === undefined ? (incident.endedAt === undefined ? form : over) : html`<p>${describeAcknowledgement(acknowledged)}.</p>`}
<p class="line"><a href="${incidentPath(incident.id)}">Incident</a></p></section>`,
  });
}
