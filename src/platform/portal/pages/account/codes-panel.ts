import { html, raw } from 'hono/html';
import type { Html } from '../../../../web/frame/marks.ts';
import type { Call } from '../../../api/call.ts';
import { confirmOtp, enrolOtp, removeOtp, renewRecoveryCodes } from '../../../api/calls/one-time-codes.ts';
import { type Outcome, succeed } from '../../../api/outcome.ts';
import { type Field, form, OTP_FIELD, warnNote } from '../../form.ts';
import { ACCOUNT_PATH, type AccountPanel, actionPath, failureOf, type Refused } from '../../panels.ts';
import { type PortalAnswer, type PortalPage, seeOther, type Visit } from '../../visit.ts';

const PASSWORD: Field = { name: 'Password', label: 'Password', kind: 'password', autocomplete: 'current-password' };
const OTP_OR_RECOVERY: Field = { ...OTP_FIELD, inputMode: undefined, hint: '6 digits, or a recovery code.' };

const BACK = html`<p><a href="${ACCOUNT_PATH}">Back to your account</a></p>`;

/** A form of the panel, which says why it was refused if it was. */
const formOf = (
  id: string,
  submit: string,
  fields: readonly Field[],
  csrf: string,
  refused?: Refused,
  isDanger = false,
) => form({ id, action: actionPath(id), csrf, fields, submit, isDanger, failure: failureOf(refused, id) });

const whileOff = (csrf: string, refused: Refused | undefined): Html => html`
<p>Require a one-time code from an app on your phone as well as the password, so that a stolen password is not enough.</p>
${formOf('codes-enrol', 'Turn codes on', [PASSWORD], csrf, refused)}`;

const whileStarted = (csrf: string, refused: Refused | undefined): Html => html`
<p>Setup is not finished. Enter the code that the app shows now, or start again with a new QR code.</p>
${formOf('codes-confirm', 'Confirm', [OTP_FIELD], csrf, refused)}
<h3>Start again</h3>
${formOf('codes-enrol', 'Show a new QR code', [PASSWORD], csrf, refused)}`;

const whileOn = (csrf: string, left: number, refused: Refused | undefined): Html => html`
<p>Signing in requires a code from your app, or a recovery code. ${left === 1 ? '1 recovery code is' : `${left} recovery codes are`} left.</p>
${left < 3 ? warnNote('Create new recovery codes soon: without the app or a recovery code, only another admin can let you in.') : ''}
<h3>New recovery codes</h3>
${formOf('codes-renew', 'Replace the recovery codes', [PASSWORD, OTP_OR_RECOVERY], csrf, refused)}
<h3>Turn codes off</h3>
${formOf('codes-remove', 'Turn codes off', [PASSWORD, OTP_OR_RECOVERY], csrf, refused, true)}`;

async function show({ csrf, store, session }: Visit, refused: Refused | undefined): Promise<Html> {
  const codes = await store.findCodes(session.userId);
  const content =
    codes === undefined
      ? whileOff(csrf, refused)
      : codes.isConfirmed
        ? whileOn(csrf, codes.recoveryCodes, refused)
        : whileStarted(csrf, refused);
  return html`<section class="panel record" aria-labelledby="codes"><h2 id="codes">One-time codes</h2>${content}</section>`;
}

/** Calls the API for the user with the members of the form. */
const callApi = <Data>(call: Call<Data>, { actor, form: body, services }: Visit): Promise<Outcome<Data>> =>
  call.answer({ body }, actor, services);

const withCopy = (text: string, what: string): Html =>
  html`<div class="cmd"><code>${text}</code><button type="button" hidden data-copy="${text}"><span aria-live="polite">Copy</span><span class="sr"> ${what}</span></button></div>`;

async function enrol(visit: Visit): Promise<Outcome<PortalAnswer>> {
  const started = await callApi(enrolOtp, visit);
  if (!started.ok) return started;
  const { Secret, Picture } = started.value;
  const picture = Picture.replace(
    '<svg ',
    '<svg width="220" height="220" role="img" aria-label="QR code for the app" ',
  );
  return succeed<PortalPage>({
    title: 'Turn one-time codes on',
    content: html`<h1>Turn one-time codes on</h1>
<section class="panel record" aria-labelledby="scan"><h2 id="scan">1. Add subnetd to your app</h2>
<p>Scan this with an authenticator app, such as Aegis, FreeOTP or Google Authenticator. It is shown only once.</p>
${raw(picture)}
<p>Or enter this secret in the app:</p>${withCopy(Secret, 'the secret')}</section>
<section class="panel record" aria-labelledby="first"><h2 id="first">2. Enter the first code</h2>
${formOf('codes-confirm', 'Confirm', [OTP_FIELD], visit.csrf)}</section>${BACK}`,
  });
}

/** The codes that are shown once. */
const recoveryPage = (title: string, codes: readonly string[]): PortalPage => ({
  title,
  content: html`<h1>${title}</h1>
<section class="panel record" aria-labelledby="recovery"><h2 id="recovery">Recovery codes</h2>
${warnNote('Keep these where you keep passwords. They are shown only once. Each one signs you in once without the app.')}
<ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
${withCopy(codes.join(' '), 'all recovery codes')}</section>${BACK}`,
});

const showRecoveryCodes =
  (call: Call<{ readonly RecoveryCodes: readonly string[] }>, title: string) =>
  async (visit: Visit): Promise<Outcome<PortalAnswer>> => {
    const made = await callApi(call, visit);
    return made.ok ? succeed(recoveryPage(title, made.value.RecoveryCodes)) : made;
  };

/** Ends the enrolment, by a code of the app. So the session has shown one. */
async function confirm(visit: Visit): Promise<Outcome<PortalAnswer>> {
  const confirmed = await showRecoveryCodes(confirmOtp, 'One-time codes are on')(visit);
  if (confirmed.ok) await visit.store.proveSession(visit.session.id, new Date(visit.now).toISOString());
  return confirmed;
}

async function remove(visit: Visit): Promise<Outcome<PortalAnswer>> {
  const removed = await callApi(removeOtp, visit);
  return removed.ok ? succeed(seeOther(`${ACCOUNT_PATH}?done=codes-off`)) : removed;
}

/** The user's own one-time codes, by the calls of the API. */
export const codesPanel: AccountPanel = {
  notes: { 'codes-off': 'One-time codes are off. Signing in requires only the password.' },
  actions: [
    { name: 'codes-enrol', withoutCode: 'to enrol', run: enrol },
    { name: 'codes-confirm', withoutCode: 'to enrol', run: confirm },
    { name: 'codes-renew', run: showRecoveryCodes(renewRecoveryCodes, 'New recovery codes') },
    { name: 'codes-remove', run: remove },
  ],
  show,
};
