import { html } from 'hono/html';
import { toShellWord } from '../../../lib/words.ts';
import type { Html } from '../../../web/frame/marks.ts';
import type { Call } from '../../api/call.ts';
import { inviteUser, sendActivation } from '../../api/calls/activation.ts';
import { resetOtp } from '../../api/calls/one-time-codes.ts';
import { forgotPassword } from '../../api/calls/passwords.ts';
import { unlock } from '../../api/calls/unlock.ts';
import { csrfField, failureNote } from '../form.ts';
import type { RecordAction, RecordPanel } from '../panels.ts';
import type { Visit } from '../visit.ts';
import { addRecord, type ListedResource } from './record-list.ts';

interface ActionForm {
  readonly name: string;
  readonly button: string;
  readonly hint: Html | string;
}

const UNLOCK: ActionForm = {
  name: 'unlock',
  button: 'Unlock',
  hint: 'Clears failed sign-ins, so that the user can sign in again at once.',
};
const SEND_LINK: ActionForm = {
  name: 'send-link',
  button: 'Send a password reset link',
  hint: 'By mail. The link works once, for 10 minutes, and only its user sees it.',
};
const SEND_ACTIVATION: ActionForm = {
  name: 'send-activation',
  button: 'Send an activation link',
  hint: 'By mail. The user chooses a password and becomes active. The link works once, for 24 hours.',
};
const REMOVE_CODES: ActionForm = {
  name: 'remove-codes',
  button: 'Remove one-time codes',
  hint: 'For a user who has lost the authenticator app and the recovery codes. Signing in then requires only the password.',
};

const actionForm = ({ name, button, hint }: ActionForm, path: string, { csrf }: Visit): Html =>
  html`<form method="post" action="${path}/${name}">${csrfField(csrf)}<button type="submit" aria-describedby="${name}-hint">${button}</button><p class="hint" id="${name}-hint">${hint}</p></form>`;

/** What is done by a call of the API with one member of the record. */
const actionOf = ({ name }: ActionForm, done: string, call: Call, member: 'UserID' | 'EmailID'): RecordAction => ({
  name,
  done,
  run: ({ actor, services }, { [member]: value }) => call.answer({ body: { [member]: value } }, actor, services),
});

/** What an admin does for the account of another one, by the calls of the API. */
export const userPanel: RecordPanel = {
  actions: [
    actionOf(UNLOCK, 'The failed sign-ins were cleared.', unlock, 'UserID'),
    actionOf(SEND_LINK, 'A mail with a password reset link is on its way.', forgotPassword, 'EmailID'),
    actionOf(SEND_ACTIVATION, 'A mail with an activation link is on its way.', sendActivation, 'UserID'),
    actionOf(REMOVE_CODES, 'The one-time codes were removed.', resetOtp, 'UserID'),
  ],
  show: async (visit, { UserID, UserName, IsActive }, path, failure) => {
    const id = Number(UserID);
    const codes = await visit.store.findCodes(id);
    const hasCodes = codes?.isConfirmed === true && id !== visit.session.userId;
    const hasMail = visit.services.mails !== undefined;
    const forms = [
      UNLOCK,
      ...(hasMail ? [IsActive === true ? SEND_LINK : SEND_ACTIVATION] : []),
      ...(hasCodes ? [REMOVE_CODES] : []),
    ];
    const byHand = html`<p class="hint">subnetd cannot send mail. On its machine, <code>subnetd admin reset-password ${toShellWord(String(UserName))}</code> prints a link for a new password.</p>`;
    return html`<section class="panel record" aria-labelledby="sign-in"><h2 id="sign-in">Sign-in</h2>${
      failure && failureNote(failure)
    }${forms.map((form) => actionForm(form, path, visit))}${hasMail ? '' : byHand}</section>`;
  },
};

/** Adds an admin user. Without a password, and with a mail server, the user chooses one by a mailed link. */
export const addUser: typeof addRecord = (resource, visit, body) =>
  body.Password === '' && visit.services.mails !== undefined
    ? inviteUser(body, visit.actor, visit.services)
    : addRecord(resource, visit, body);

const INVITE_HINT = 'Leave it empty to mail the user a link to choose one. They become active when they do.';

/** With a mail server, the password of a new admin user may be left to the user. */
export const adaptUserField: NonNullable<ListedResource['adapt']> = (field, { services }) =>
  field.name === 'Password' && services.mails !== undefined
    ? { ...field, isOptional: true, hint: `${INVITE_HINT} ${field.hint}` }
    : field;
