import { toNameKey } from '../../model/resource.ts';
import { confirmPassword, limitMails, OWN_PASSWORD, userNameKeyOf } from '../accounts/confirm-password.ts';
import { authorByLink, findLinkUser, LINK_TOKEN } from '../accounts/links.ts';
import { newPasswordMember, readNewPassword } from '../accounts/new-password.ts';
import { PROOF, proveCaller } from '../accounts/prove-caller.ts';
import { type Actor, authorOf, callerOf } from '../actor.ts';
import { type Call, DONE, defineCall, required } from '../call.ts';
import { checkText } from '../check-text.ts';
import { type Failure, fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';

const EMAIL = { kind: 'email', most: 254 } as const;

const done = succeed({ result: 'success' });

const common = { tag: 'Account', method: 'POST', data: DONE } as const;

/** What is missing without a mail server, and what works without one. */
const NO_MAIL =
  'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or to run subnetd admin reset-password';

/** For an admin, who sees the list of users anyway. */
async function checkEmail({ store }: Actor, emailKey: string): Promise<Outcome<undefined>> {
  const user = await store.findUser({ emailKey });
  if (user === undefined) return fail(1111, 'EmailID: no admin user has that address');
  return user.isActive
    ? succeed(undefined)
    : fail(1117, 'EmailID: that admin user is inactive; activate the user first');
}

/** Sends a link for a new password. */
export const forgotPassword = defineCall({
  ...common,
  id: 'forgotPassword',
  path: '/Account/ForgotPassword',
  summary: 'Mail a password reset link',
  description:
    'Answers the same, in the same time, whether or not an active admin user has the address. Only a caller with the scope admin gets 1111 and 1117. The link works once, for 10 minutes.',
  isOpen: true,
  body: {
    EmailID: required<string>({
      schema: { type: 'string', format: 'email', maxLength: EMAIL.most, examples: ['grace@example.com'] },
      codes: [1003, 1005, 1008, 1012],
      read: (value, name) => checkText(value, name, EMAIL),
    }),
  },
  codes: [1110, 1111, 1117],
  run: async ({ EmailID }, actor, deps) => {
    const { caller, record } = actor;
    const { mails } = deps;
    if (mails === undefined) return fail(1110, NO_MAIL);
    const limited = await limitMails(actor, deps);
    if (!limited.ok) return limited;
    const emailKey = toNameKey(EmailID, true);
    // From here on nothing depends on whether a user has the address, but for an admin.
    if (caller?.scopes.includes('admin')) {
      const known = await checkEmail(actor, emailKey);
      if (!known.ok) return known;
    }
    record('reset asked', { caller });
    return (await mails.add({ kind: 'reset', address: emailKey }))
      ? done
      : fail(1110, 'too many mails are waiting to be sent; try again later, or tell the operator of subnetd');
  },
});

const EXPIRED: Failure = {
  code: 1112,
  message: 'the link has expired, was used before, or is not complete; ask for a new one',
};

/** Sets a new password by a link. */
export const resetPassword = defineCall({
  ...common,
  id: 'resetPassword',
  path: '/Account/ResetPassword',
  summary: 'Set a new password with a link',
  description:
    'Ends every token, session and link of the user, and mails the user a note. It does not sign the user in. Users with one-time codes still need one to sign in.',
  isOpen: true,
  body: { ResetToken: LINK_TOKEN, Password: required(newPasswordMember()) },
  codes: [1112, 1117],
  run: async (input, actor, deps) => {
    const { store, record } = actor;
    const link = await findLinkUser(actor, input.ResetToken, 'reset', EXPIRED, deps);
    if (!link.ok) return link;
    const { id: userId, passwordVersion, isActive } = link.value;
    const userNameKey = await userNameKeyOf(store, userId);
    const password = await readNewPassword(input, 'Password', userNameKey);
    if (!password.ok) return password;
    if (!isActive) return fail(1117, 'your account is not active; ask another admin user to activate it');
    const changed = await store.changePassword({
      userId,
      passwordVersion,
      passwordHash: await hashPassword(password.value),
      author: authorByLink(actor, 'reset', link.value, deps),
      mail: deps.mails && { kind: 'password-changed', userId },
    });
    if (!changed) return { ok: false, failure: EXPIRED };
    // Who forgets a password has tried several.
    await deps.lock.unlock(store, userNameKey);
    record('password reset', { subject: { resource: 'AdminUser', id: userId } });
    return done;
  },
});

/** Changes the caller's own password. */
export const changePassword = defineCall({
  ...common,
  id: 'changePassword',
  path: '/Account/ChangePassword',
  summary: 'Change your own password',
  description: 'Ends every token and session of the user, including this one, and mails the user a note.',
  body: { Password: OWN_PASSWORD, NewPassword: required(newPasswordMember()), Otp: PROOF },
  codes: [1113],
  run: async (input, actor, deps) => {
    const { store, caller, record } = actor;
    const { owner: userId, keyId } = callerOf(actor);
    if (keyId !== undefined)
      return fail(1113, 'an API key cannot change a password; get a token with UserName and Password and send that');
    const password = await readNewPassword(input, 'NewPassword', await userNameKeyOf(store, userId));
    if (!password.ok) return password;
    const user = await store.findUser({ id: userId });
    const confirmed = await confirmPassword(actor, input.Password, deps);
    if (!confirmed.ok) return confirmed;
    if (user === undefined || (await verifyPassword(user.passwordHash, password.value)))
      return fail(1113, 'NewPassword is already your password; choose another one');
    const proved = await proveCaller(actor, input.Otp, deps);
    if (!proved.ok) return proved;
    const changed = await store.changePassword({
      userId,
      passwordVersion: user.passwordVersion,
      passwordHash: await hashPassword(password.value),
      author: authorOf(actor, userId, deps.now()),
      mail: deps.mails && { kind: 'password-changed', userId },
    });
    if (!changed) return fail(1113, 'the password was changed by another request in the meantime; sign in again');
    record('password changed', { caller });
    return done;
  },
});

/** All of them, in the order of the reference. */
export const passwordCalls: readonly Call[] = [forgotPassword, resetPassword, changePassword];
