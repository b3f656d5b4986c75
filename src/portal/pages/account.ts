import { html } from 'hono/html';
import { type Session, sessionLimits } from '../../model/session.ts';
import type { Html } from '../../pages/marks.ts';
import { ago } from '../../pages/times.ts';
import { checkDigits } from '../../platform/check-value.ts';
import { csrfField, doneNote } from '../form.ts';
import { type PortalSection, seeOther, type Visit } from '../visit.ts';

const PATH = '/portal/account';

const NOTES: Readonly<Record<string, string>> = {
  ended: 'The session has ended.',
  'all-ended': 'Every other session has ended.',
};

function sessionRow(one: Session, { session, csrf, now }: Visit): Html {
  const { id, browser, address, signedInAt, seenAt } = one;
  const end =
    id === session.id
      ? 'this one'
      : html`<form method="post" action="${PATH}/end-session">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><button type="submit" class="danger">End<span class="sr"> the session of ${browser}</span></button></form>`;
  return html`<tr role="row"><th scope="row" role="rowheader">${browser}</th><td role="cell">${end}</td><td role="cell" data-l="Address">${address ?? 'unknown'}</td><td role="cell" data-l="Signed in">${ago(Date.parse(signedInAt), now)}</td><td role="cell" data-l="Last seen">${ago(Date.parse(seenAt), now)}</td></tr>`;
}

function sessionsPanel(sessions: readonly Session[], visit: Visit): Html {
  return html`<section class="panel" aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Browser</th><th scope="col" role="columnheader">Session</th><th scope="col" role="columnheader">Address</th><th scope="col" role="columnheader">Signed in</th><th scope="col" role="columnheader">Last seen</th></tr></thead><tbody role="rowgroup">
${sessions.map((one) => sessionRow(one, visit))}
</tbody></table>
<p class="hint">A session ends 30 minutes after its last request, and 12 hours after its sign-in. All end with a new password.</p>
<form method="post" action="${PATH}/end-sessions">${csrfField(visit.csrf)}<button type="submit" class="danger">Sign out everywhere else</button></form></section>`;
}

async function show(visit: Visit) {
  const { store, session, query, now } = visit;
  const sessions = await store.listSessions(session.userId, sessionLimits(now));
  const done = NOTES[query.get('done') ?? ''];
  return {
    title: 'Your account',
    content: html`<h1>Your account</h1>
${done === undefined ? '' : doneNote(done)}
${sessionsPanel(sessions, visit)}`,
  };
}

async function endOne({ store, session, form, context, request }: Visit) {
  const id = checkDigits(form.id ?? '', 'id');
  const isEnded = id.ok && (await store.endSession(session.userId, id.value));
  if (isEnded) context.record('sessions ended', { caller: request().caller });
  return seeOther(`${PATH}?done=ended`);
}

async function endOthers({ store, session, context, request }: Visit) {
  await store.endSessions(session.userId, session.id);
  context.record('sessions ended', { caller: request().caller });
  return seeOther(`${PATH}?done=all-ended`);
}

/** What an admin user sees and changes of themselves. */
export const account: PortalSection = {
  path: PATH,
  name: 'Your account',
  routes: [
    { kind: 'signed in', method: 'GET', path: PATH, answer: show },
    { kind: 'signed in', method: 'POST', path: `${PATH}/end-session`, answer: endOne },
    { kind: 'signed in', method: 'POST', path: `${PATH}/end-sessions`, answer: endOthers },
  ],
};
