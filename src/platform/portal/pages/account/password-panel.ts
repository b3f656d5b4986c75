import { html } from 'hono/html';
import type { Html } from '../../../../web/frame/marks.ts';
import { changePassword } from '../../../api/calls/passwords.ts';
import { succeed } from '../../../api/outcome.ts';
import { type Field, form, newPasswordField, OTP_FIELD } from '../../form.ts';
import { type AccountPanel, actionPath, failureOf, type Refused } from '../../panels.ts';
import { seeOther, type Visit } from '../../visit.ts';
import { signedOutPath } from '../sign-in.ts';

const ACTION = 'password';

const FIELDS: readonly Field[] = [
  { name: 'Password', label: 'Current password', kind: 'password', autocomplete: 'current-password' },
  newPasswordField('NewPassword'),
];

const OTP: Field = {
  ...OTP_FIELD,
  inputMode: undefined,
  isOptional: true,
  hint: '6 digits, or a recovery code. Not needed within ten minutes of signing in with one.',
};

const show = async ({ csrf, store, session }: Visit, refused: Refused | undefined): Promise<Html> => {
  const hasCodes = (await store.findCodes(session.userId))?.isConfirmed === true;
  const fields = hasCodes ? [...FIELDS, OTP] : FIELDS;
  const failure = failureOf(refused, ACTION);
  return html`<section class="panel record" aria-labelledby="password-title"><h2 id="password-title">Password</h2>
${form({ id: ACTION, action: actionPath(ACTION), csrf, fields, submit: 'Change password', failure })}
<p class="hint">This ends every session and token, including this one. API keys stay valid.</p></section>`;
};

async function change({ actor, form: body, services, cookies }: Visit) {
  const changed = await changePassword.answer({ body }, actor, services);
  return changed.ok ? succeed(seeOther(signedOutPath('password-changed'), cookies.forget())) : changed;
}

/** The user's own password. */
export const passwordPanel: AccountPanel = { notes: {}, actions: [{ name: ACTION, run: change }], show };
