import { describeCause, isAway, isDatabaseFailure, isOverloaded } from '../../../lib/database-failure.ts';
import { LINKS_AT_ONCE } from '../../model/account-link.ts';
import { parametersOf } from '../../model/resource.ts';
import { limitMails, userNameKeyOf } from '../accounts/confirm-password.ts';
import { authorByLink, findLinkUser, LINK_TOKEN } from '../accounts/links.ts';
import { newPasswordMember, readNewPassword } from '../accounts/new-password.ts';
import { PROOF, proveCaller } from '../accounts/prove-caller.ts';
import { type Actor, authorOf } from '../actor.ts';
import { type Call, type CallDeps, DONE, defineCall, idMember, required, USER_DONE, USER_ID } from '../call.ts';
import { type Body, checkValue } from '../check-value.ts';
import { checkWrite } from '../check-write.ts';
import type { ErrorCode } from '../error-codes.ts';
import { type Failure, fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword, makePassword } from '../passwords.ts';
import { adminUser } from '../resources.ts';
import { addRecord } from '../write-record.ts';

const NO_MAIL =
  'subnetd cannot send mail: ask its operator to set SUBNETD_SMTP_URL, or add the admin user with a password';
const QUEUE_FULL =
  'the account was created, but too many mails are waiting to be sent; send its activation again later';

const common = { tag: 'Account', method: 'POST' } as const;

/** Adds the user; a database that answers but does not take the account is no reason to call it down. */
async function addUser(
  actor: Actor,
  checked: Parameters<typeof addRecord>[2],
  { now }: CallDeps,
): Promise<Outcome<number>> {
  try {
    const added = await addRecord(actor.store, adminUser, checked, authorOf(actor, checked.statedBy, now()));
    return added.ok ? succeed(added.value.id) : added;
  } catch (error) {
    const cause = describeCause(error);
    if (!isDatabaseFailure(error) || isAway(cause) || isOverloaded(cause)) throw error;
    actor.reportError(error);
    return fail(1109, 'the account was not created because the database rejected it; try again later');
  }
}

/** Mails the user a link that activates the account. */
async function mailActivation(actor: Actor, userId: number, { mails }: CallDeps): Promise<Outcome<number>> {
  actor.record('invited', { caller: actor.caller, subject: { resource: 'AdminUser', id: userId } });
  return (await mails?.add({ kind: 'activation', userId })) ? succeed(userId) : fail(1107, QUEUE_FULL);
}

/**
 * Adds an admin user without a password, who is inactive until a mailed link is used; resolves to the id. `sent` is the body
 * of an add; `Password` and `IsActive` in it do not count.
 */
export async function inviteUser(sent: Body, actor: Actor, deps: CallDeps): Promise<Outcome<number>> {
  // Nobody knows this password.
  const checked = await checkWrite(actor.store, adminUser, { ...sent, Password: makePassword(), IsActive: false });
  if (!checked.ok) return checked;
  if (deps.mails === undefined) return fail(1107, NO_MAIL);
  const limited = await limitMails(actor, deps);
  if (!limited.ok) return limited;
  const proved = await proveCaller(actor, sent.Otp, deps);
  if (!proved.ok) return proved;
  const added = await addUser(actor, checked.value, deps);
  return added.ok ? mailActivation(actor, added.value, deps) : added;
}

/** A text of admin users as the member of an invitation. */
function textOf(name: string) {
  const member = parametersOf(adminUser).find((one) => one.name === name);
  if (member?.kind !== 'text') throw new Error(`admin users have no text ${name}`);
  const { maxLength, format, example } = member;
  const codes: readonly ErrorCode[] = [1003, 1005, 1012, ...(format === 'email' ? [1008 as const] : [])];
  return required({
    schema: { type: 'string', minLength: 1, maxLength, ...(format && { format }), examples: [example] },
    codes,
    read: (value) => checkValue(member, value),
  });
}

/** Makes an account, and lets its user choose the password. */
const invite = defineCall({
  ...common,
  id: 'inviteAdminUser',
  path: '/Account/Invite',
  summary: 'Add an admin user, who chooses a password through a mailed link',
  description:
    'The user is inactive until the link is used, within 24 hours. An update of the user with IsActive false, or with another EmailID, ends the link.',
  scope: 'write',
  body: {
    FirstName: textOf('FirstName'),
    LastName: textOf('LastName'),
    UserName: textOf('UserName'),
    EmailID: textOf('EmailID'),
    CreateBy: required(idMember({ examples: [1] })),
    Otp: PROOF,
  },
  data: USER_DONE,
  codes: [1012, 1103, 1107, 1109, 1121],
  run: async (input, actor, deps) => {
    const invited = await inviteUser(input, actor, deps);
    return invited.ok ? succeed({ result: 'success', UserID: invited.value }) : invited;
  },
});

/** Sends the link again, also to a user who was active before. */
export const sendActivation = defineCall({
  ...common,
  id: 'sendActivation',
  path: '/Account/SendActivation',
  summary: 'Mail an inactive admin user another activation link',
  scope: 'write',
  body: { UserID: USER_ID, Otp: PROOF },
  data: USER_DONE,
  codes: [1012, 1107, 1121],
  run: async ({ UserID, Otp }, actor, deps) => {
    const { store } = actor;
    const user = await store.findUser({ id: UserID });
    if (user === undefined) return fail(1121, 'UserID: there is no admin user with that id');
    if (user.isActive)
      return fail(1012, 'UserID: that admin user is already active; send a password reset link instead');
    if (deps.mails === undefined) return fail(1107, NO_MAIL);
    if ((await store.countLinks(UserID, 'activation', new Date(deps.now()).toISOString())) >= LINKS_AT_ONCE)
      return fail(1107, 'the user already has three valid links; wait until one has expired');
    const limited = await limitMails(actor, deps);
    if (!limited.ok) return limited;
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    const mailed = await mailActivation(actor, UserID, deps);
    return mailed.ok ? succeed({ result: 'success', UserID }) : mailed;
  },
});

const NO_SETUP: Failure = {
  code: 1120,
  message: 'the link has expired, was used before, or is not complete; ask an admin user for a new one',
};

/** Activates an account by a link. */
export const activate = defineCall({
  ...common,
  id: 'activateAccount',
  path: '/Account/Activate',
  summary: 'Activate your account and choose its password with a link',
  description: 'The link works once, for 24 hours. It does not sign the user in.',
  isOpen: true,
  body: { ActivationToken: LINK_TOKEN, Password: required(newPasswordMember()) },
  data: DONE,
  codes: [1120],
  run: async (input, actor, deps) => {
    const { store, record } = actor;
    const found = await findLinkUser(actor, input.ActivationToken, 'activation', NO_SETUP, deps);
    if (!found.ok) return found;
    const { id: userId, passwordVersion } = found.value;
    const password = await readNewPassword(input, 'Password', await userNameKeyOf(store, userId));
    if (!password.ok) return password;
    const changed = await store.changePassword({
      userId,
      passwordVersion,
      activates: true,
      passwordHash: await hashPassword(password.value),
      author: authorByLink(actor, 'activation', found.value, deps),
    });
    if (!changed) return { ok: false, failure: NO_SETUP };
    record('activated', { subject: { resource: 'AdminUser', id: userId } });
    return succeed({ result: 'success' });
  },
});

/** All of them, in the order of the reference. */
export const activationCalls: readonly Call[] = [invite, sendActivation, activate];
