import { html } from 'hono/html';
import type { Failure } from '../../api/outcome.ts';
import { signIn } from '../../api/sign-in.ts';
import { doneNote, type Field, form, OTP_FIELD, warnNote } from '../form.ts';
import { formPage } from '../layout.ts';
import { startSession } from '../sessions.ts';
import { type Guest, type PortalPage, type PortalRoute, seeOther, type Visit } from '../visit.ts';

const SIGN_IN_PATH = '/portal/sign-in';

/** Where to go after a sign-in: a page of the portal, never another host. */
const nextOf = (text: string | null | undefined): string | undefined =>
  text && /^\/portal(?:\/[\w-]+)*(?:\?[\w=&.~%+-]*)?$/.test(text) ? text : undefined;

/** The sign-in page that leads on to the page that was asked for. */
export const signInPath = (next: string, isAgain = false): string =>
  `${SIGN_IN_PATH}?${new URLSearchParams({ next, ...(isAgain && { again: '1' }) })}`;

/** The page for a forgotten password. */
export const FORGOTTEN_PATH = '/portal/forgotten';

const NOTES = {
  'signed-out': 'You are signed out.',
  everywhere: 'You are signed out in every browser, and your tokens have ended.',
  'password-changed': 'Your password was changed, and every session has ended. Sign in with the new one.',
  activated: 'Your account is active. Sign in with your new password.',
} as const;

/** Why somebody is signed out. */
export type SignedOutNote = keyof typeof NOTES;

/** The sign-in page that says why somebody is signed out. */
export const signedOutPath = (done: SignedOutNote): string => `${SIGN_IN_PATH}?done=${done}`;

const noteOf = (done: string | null): string | undefined => Object.entries(NOTES).find(([name]) => name === done)?.[1];

interface SignInInput {
  readonly userName: string | undefined;
  readonly next: string | undefined;
  /** Whether the user is signed in, and confirms that it is still them. */
  readonly isAgain: boolean;
  readonly done?: string | undefined;
  readonly failure?: Failure;
}

function signInPage({ userName, next, isAgain, done, failure }: SignInInput): PortalPage {
  const fields: readonly Field[] = [
    { name: 'UserName', label: 'User name', autocomplete: 'username', value: userName },
    { name: 'Password', label: 'Password', kind: 'password', autocomplete: 'current-password' },
    {
      ...OTP_FIELD,
      isOptional: true,
      hint: '6 digits, or a recovery code. Leave it empty if you have not turned codes on.',
    },
    ...(next === undefined ? [] : [{ name: 'next', label: '', kind: 'hidden', value: next } as const]),
    ...(isAgain ? [{ name: 'again', label: '', kind: 'hidden', value: '1' } as const] : []),
  ];
  const title = isAgain ? 'Confirm that it is you' : 'Sign in';
  const content = html`<h1>${title}</h1>
${done === undefined ? '' : doneNote(done)}
${isAgain && failure === undefined ? warnNote('This page needs a recent sign-in. Nothing has changed yet.') : ''}
<div class="panel">${form({ id: 'sign-in', action: SIGN_IN_PATH, fields, submit: title === 'Sign in' ? title : 'Confirm', failure })}</div>
<p class="small"><a href="${FORGOTTEN_PATH}">Forgot your password?</a></p>
<p class="dim small">No account yet? An admin can create one in the portal, or on the server with <code>subnetd admin create</code>.</p>`;
  return { ...formPage(title, content, failure), headers: failure?.headers };
}

const show = async ({ query, session }: Guest) => {
  const next = nextOf(query.get('next'));
  const isAgain = session !== undefined && query.has('again');
  if (session !== undefined && !isAgain) return seeOther(next ?? '/portal');
  return signInPage({ userName: session?.userName, next, isAgain, done: noteOf(query.get('done')) });
};

async function enter(guest: Guest) {
  const { UserName = '', Password = '', Otp = '', next: sent } = guest.form;
  const next = nextOf(sent);
  const isAgain = guest.session !== undefined && guest.form.again !== undefined;
  const body = { UserName, Password, ...(Otp.trim() !== '' && { Otp }) };
  const signed = await signIn(body, guest.actor, guest.services);
  if (!signed.ok) return signInPage({ userName: UserName, next, isAgain, failure: signed.failure });
  return seeOther(next ?? '/portal', await startSession(guest, signed.value));
}

async function leave({ store, session, cookies, actor }: Visit) {
  await store.endSession(session.userId, session.id);
  actor.record('sign-out', { caller: actor.caller });
  return seeOther(signedOutPath('signed-out'), cookies.forget());
}

/** Sign-in and sign-out. */
export const signInRoutes: readonly PortalRoute[] = [
  { kind: 'open', method: 'GET', path: SIGN_IN_PATH, answer: show },
  { kind: 'open', method: 'POST', path: SIGN_IN_PATH, answer: enter },
  { kind: 'signed in', method: 'POST', path: '/portal/sign-out', withoutCode: 'always', answer: leave },
];
