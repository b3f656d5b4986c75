import { html } from 'hono/html';
import type { Html } from '../../../../web/frame/marks.ts';
import { ago } from '../../../../web/frame/times.ts';
import { checkDigits } from '../../../api/check-value.ts';
import { succeed } from '../../../api/outcome.ts';
import { type Session, sessionLimits } from '../../../model/session.ts';
import { csrfField, failureNote } from '../../form.ts';
import { ACCOUNT_PATH, type AccountPanel, actionPath, failureOf, type Refused } from '../../panels.ts';
import { cell, column, row, rowsTable } from '../../rows.ts';
import { seeOther, type Visit } from '../../visit.ts';
import { signedOutPath } from '../sign-in.ts';

function sessionRow(one: Session, { session, csrf, now }: Visit): Html {
  const { id, browser, address, signedInAt, seenAt } = one;
  const end =
    id === session.id
      ? 'this one'
      : html`<form method="post" action="${actionPath('end-session')}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><button type="submit" class="danger">End<span class="sr"> the session of ${browser}</span></button></form>`;
  return row(browser, [
    cell(end),
    cell(address ?? 'unknown', 'Address'),
    cell(ago(Date.parse(signedInAt), now), 'Signed in'),
    cell(ago(Date.parse(seenAt), now), 'Last seen'),
  ]);
}

async function show(visit: Visit, refused: Refused | undefined): Promise<Html> {
  const failure = failureOf(refused, 'end-session');
  const sessions = await visit.store.listSessions(visit.session.userId, sessionLimits(visit.now));
  const table = rowsTable(
    ['Browser', 'Session', 'Address', 'Signed in', 'Last seen'].map(column),
    sessions.map((one) => sessionRow(one, visit)),
  );
  return html`<section class="panel" aria-labelledby="sessions"><h2 id="sessions">Sessions</h2>
${failure && failureNote(failure)}
${table}
<p class="hint">A session ends 30 minutes after its last request, and 12 hours after signing in. Changing the password ends all of them. Signing out everywhere also ends your tokens; API keys stay valid.</p>
<form method="post" action="${actionPath('end-sessions')}">${csrfField(visit.csrf)}<button type="submit" class="danger">Sign out everywhere</button></form></section>`;
}

async function endOne({ store, session, form, actor }: Visit) {
  const id = checkDigits(form.id ?? '', 'id');
  if (!id.ok) return id;
  if (await store.endSession(session.userId, id.value)) actor.record('sessions ended', { caller: actor.caller });
  return succeed(seeOther(`${ACCOUNT_PATH}?done=ended`));
}

async function endAll({ store, session, actor, cookies }: Visit) {
  await store.signOut(session.userId);
  actor.record('tokens revoked', { caller: actor.caller });
  return succeed(seeOther(signedOutPath('everywhere'), cookies.forget()));
}

/** The browsers in which the user is signed in. */
export const sessionsPanel: AccountPanel = {
  notes: { ended: 'The session has ended.' },
  actions: [
    { name: 'end-session', run: endOne },
    { name: 'end-sessions', run: endAll },
  ],
  show,
};
