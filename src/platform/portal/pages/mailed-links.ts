import { html } from 'hono/html';
import type { Html } from '../../../web/frame/marks.ts';
import type { Call } from '../../api/call.ts';
import { activate } from '../../api/calls/activation.ts';
import { forgotPassword, resetPassword } from '../../api/calls/passwords.ts';
import type { Failure } from '../../api/outcome.ts';
import { doneNote, type Field, form, newPasswordField } from '../form.ts';
import { formPage } from '../layout.ts';
import { type Guest, type PortalPage, type PortalRoute, seeOther } from '../visit.ts';
import { FORGOTTEN_PATH, type SignedOutNote, signedOutPath } from './sign-in.ts';

const SENT =
  'If an active admin user has that address, a mail with a link has been sent. The link works once, for 10 minutes.';

function forgottenPage({ query, form: sent }: Guest, failure?: Failure): PortalPage {
  const title = 'Forgot your password?';
  const fields: readonly Field[] = [
    { name: 'EmailID', label: 'E-mail', kind: 'email', autocomplete: 'email', inputMode: 'email', value: sent.EmailID },
  ];
  const isSent = failure === undefined && query.get('done') === 'sent';
  const content = html`<h1>${title}</h1>
${isSent ? doneNote(SENT) : ''}
<div class="panel">${form({ id: 'forgotten', action: FORGOTTEN_PATH, fields, submit: 'Send a link', failure })}</div>
<p class="small"><a href="/portal/sign-in">Back to sign-in</a></p>`;
  return formPage(title, content, failure);
}

async function sendLink(guest: Guest) {
  // Nobody's own session makes this answer differ from that of others.
  const asked = await forgotPassword.answer({ body: guest.form }, guest.actor, guest.services);
  return asked.ok ? seeOther(`${FORGOTTEN_PATH}?done=sent`) : forgottenPage(guest, asked.failure);
}

/** A page that a mailed link opens, where its reader chooses a password. */
interface LinkPage {
  readonly path: string;
  readonly title: string;
  readonly submit: string;
  /** The call, and its member for the token. */
  readonly call: Call;
  readonly token: string;
  /** What the sign-in page says after it. */
  readonly done: SignedOutNote;
  /** Where to get another link. */
  readonly instead: Html;
}

function linkPage({ path, title, submit, token, instead }: LinkPage, sent: string, failure?: Failure): PortalPage {
  const fields: readonly Field[] = [
    { name: token, label: '', kind: 'hidden', value: sent },
    newPasswordField('Password'),
  ];
  const content = html`<h1>${title}</h1>
<div class="panel">${form({ id: 'link', action: path, fields, submit, failure })}</div>
<p class="small">${instead}</p>`;
  return formPage(title, content, failure);
}

const routesOf = (link: LinkPage): readonly PortalRoute[] => [
  {
    kind: 'open',
    method: 'GET',
    path: link.path,
    // A mail scanner that opens the link uses nothing up.
    answer: async ({ query }) => linkPage(link, query.get('token') ?? ''),
  },
  {
    kind: 'open',
    method: 'POST',
    path: link.path,
    answer: async ({ actor, form: sent, services, cookies }) => {
      const done = await link.call.answer({ body: sent }, actor, services);
      if (!done.ok) return linkPage(link, sent[link.token] ?? '', done.failure);
      return seeOther(signedOutPath(link.done), cookies.forget());
    },
  },
];

/** The pages for a forgotten password, and those that mailed links open. */
export const mailedLinkRoutes: readonly PortalRoute[] = [
  { kind: 'open', method: 'GET', path: FORGOTTEN_PATH, answer: async (guest) => forgottenPage(guest) },
  { kind: 'open', method: 'POST', path: FORGOTTEN_PATH, answer: sendLink },
  ...routesOf({
    path: '/portal/reset',
    title: 'Choose a new password',
    submit: 'Set password',
    call: resetPassword,
    token: 'ResetToken',
    done: 'password-changed',
    instead: html`Link expired? <a href="${FORGOTTEN_PATH}">Ask for a new one</a>.`,
  }),
  ...routesOf({
    path: '/portal/activate',
    title: 'Activate your account',
    submit: 'Activate',
    call: activate,
    token: 'ActivationToken',
    done: 'activated',
    instead: html`Link expired? An admin user can send you a new one.`,
  }),
];
