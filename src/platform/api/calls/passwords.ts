import { toNameKey } from '../../model/resource.ts';
import { callerOf, confirmPassword, PASSWORD_MEMBER, userNameKeyOf } from '../accounts/confirm-password.ts';
import { limitMails } from '../accounts/limit-mails.ts';
import { authorByLink, findLinkUser, linkMember } from '../accounts/links.ts';
import { newPasswordMember, readNewPassword } from '../accounts/new-password.ts';
import { PROOF_CODES, PROOF_MEMBER, proveCaller } from '../accounts/prove-caller.ts';
import type { Call, CallDeps, CallMember } from '../call.ts';
import { checkText } from '../check-text.ts';
import { requireMember } from '../check-value.ts';
import { type Failure, fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';
import { authorOf, type IdentifiedRequest } from '../request-context.ts';

type Answer = Promise<Outcome<unknown>>;

const EMAIL = { kind: 'email', most: 254 } as const;
const EMAIL_MEMBER: CallMember = {
  name: 'EmailID',
  isRequired: true,
  schema: { type: 'string', format: 'email', maxLength: EMAIL.most, examples: ['grace@example.com'] },
};

/** The data of a call that only succeeds. */
export const DONE = {
  type: 'object',
  properties: { result: { type: 'string', const: 'success' } },
  required: ['result'],
} as const;
const done = succeed({ result: 'success' });

/** What is missing without a mail server, and what works without one. */
const NO_MAIL = 'subnetd sends no mail: its operator sets SUBNETD_SMTP_URL, or runs subnetd admin reset-password';

/** For an admin, who sees the list of users anyway. */
async function checkEmail({ store }: IdentifiedRequest, emailKey: string): Promise<Outcome<undefined>> {
  const user = await store.findUserByEmail(emailKey);
  if (user === undefined) return fail(1111, 'EmailID: no admin user has that address');
  return user.isActive
    ? succeed(undefined)
    : fail(1117, 'EmailID: that admin user is not active; activate the user first');
}

async function forgot(request: IdentifiedRequest, deps: CallDeps): Answer {
  const { context, body, caller } = request;
  const { mails } = deps;
  const present = requireMember(body, 'EmailID');
  if (!present.ok) return present;
  const email = checkText(present.value, 'EmailID', EMAIL);
  if (!email.ok) return email;
  if (mails === undefined) return fail(1110, NO_MAIL);
  const limited = await limitMails(request, deps);
  if (!limited.ok) return limited;
  const emailKey = toNameKey(email.value, true);
  // From here on nothing depends on whether a user has the address, but for an admin.
  if (caller?.scopes.includes('admin')) {
    const known = await checkEmail(request, emailKey);
    if (!known.ok) return known;
  }
  context.record('reset asked', { caller });
  return (await mails.add({ kind: 'reset', address: emailKey }))
    ? done
    : fail(1110, 'too many mails wait to be sent; try again later, or tell the operator of subnetd');
}

/** Sends a link for a new password. */
export const forgotPassword: Call = {
  id: 'forgotPassword',
  method: 'POST',
  path: '/Account/ForgotPassword',
  tag: 'Account',
  summary: 'Mail a link for a new password',
  description:
    'Answers the same, in the same time, whether or not an active admin user has the address. Only a caller with the scope admin gets 1111 and 1117. The link works once, for 10 minutes.',
  isSpecified: false,
  isOpen: true,
  body: [EMAIL_MEMBER],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1008, 1012, 1110, 1111, 1117],
  answer: forgot,
};

const EXPIRED: Failure = {
  code: 1112,
  message: 'the link has expired, was used before, or is not complete; ask for a new one',
};

async function reset(request: IdentifiedRequest, deps: CallDeps): Answer {
  const { context, store, body } = request;
  const link = await findLinkUser(request, 'ResetToken', 'reset', EXPIRED, deps);
  if (!link.ok) return link;
  const user = link.value;
  const { id: userId, passwordVersion } = user;
  const password = await readNewPassword(body, 'Password', await userNameKeyOf(store, userId));
  if (!password.ok) return password;
  if (!user.isActive) return fail(1117, 'your account is not active; ask another admin user to activate it');
  const changed = await store.changePassword({
    userId,
    passwordVersion,
    passwordHash: await hashPassword(password.value),
    author: authorByLink(request, 'reset', link.value, deps),
    mail: deps.mails && { kind: 'password-changed', userId },
  });
  if (!changed) return { ok: false, failure: EXPIRED };
  // Who forgets a password has tried several.
  await deps.lock.unlock(store, await userNameKeyOf(store, userId));
  context.record('password reset', { subject: { resource: 'AdminUser', id: userId } });
  return done;
}

/** Sets a new password by a link. */
export const resetPassword: Call = {
  id: 'resetPassword',
  method: 'POST',
  path: '/Account/ResetPassword',
  tag: 'Account',
  summary: 'Set a new password by a link',
  description:
    'Ends every token, session and link of the user, and mails the user a note. It signs nobody in. Whoever has one-time codes still needs one to sign in.',
  isSpecified: false,
  isOpen: true,
  body: [linkMember('ResetToken'), newPasswordMember('Password')],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1006, 1007, 1012, 1112, 1117],
  answer: reset,
};

async function change(request: IdentifiedRequest, deps: CallDeps): Answer {
  const { context, store, body } = request;
  const { owner: userId, keyId } = callerOf(request);
  if (keyId !== undefined)
    return fail(1113, 'an API key changes no password; get a token by UserName and Password, and send that');
  const present = requireMember(body, 'Password');
  if (!present.ok) return present;
  const password = await readNewPassword(body, 'NewPassword', await userNameKeyOf(store, userId));
  if (!password.ok) return password;
  const user = await store.findUser({ id: userId });
  const confirmed = await confirmPassword(request, deps);
  if (!confirmed.ok) return confirmed;
  if (user === undefined || (await verifyPassword(user.passwordHash, password.value)))
    return fail(1113, 'NewPassword is your password already; choose another one');
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const changed = await store.changePassword({
    userId,
    passwordVersion: user.passwordVersion,
    passwordHash: await hashPassword(password.value),
    author: authorOf(request, userId, deps.now()),
    mail: deps.mails && { kind: 'password-changed', userId },
  });
  if (!changed) return fail(1113, 'the password was changed by another request meanwhile; sign in again');
  context.record('password changed', { caller: request.caller });
  return done;
}

/** Changes the caller's own password. */
export const changePassword: Call = {
  id: 'changePassword',
  method: 'POST',
  path: '/Account/ChangePassword',
  tag: 'Account',
  summary: 'Change your own password',
  description: 'Ends every token and session of the user, this one too, and mails the user a note.',
  isSpecified: false,
  body: [PASSWORD_MEMBER, newPasswordMember('NewPassword'), PROOF_MEMBER],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1006, 1012, 1113, 1118, ...PROOF_CODES],
  answer: change,
};

/** All of them, in the order of the reference. */
export const passwordCalls: readonly Call[] = [forgotPassword, resetPassword, changePassword];
