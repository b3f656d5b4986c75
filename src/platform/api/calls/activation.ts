import { describeCause, isAway, isDatabaseFailure, isOverloaded } from '../../../lib/database-failure.ts';
import { LINKS_AT_ONCE } from '../../model/account-link.ts';
import { MAX_INTEGER, parametersOf, type Resource } from '../../model/resource.ts';
import { userNameKeyOf } from '../accounts/confirm-password.ts';
import { limitMails } from '../accounts/limit-mails.ts';
import { authorByLink, findLinkUser, linkMember } from '../accounts/links.ts';
import { readUserId, USER_ID } from '../accounts/named-user.ts';
import { newPasswordMember, readNewPassword } from '../accounts/new-password.ts';
import { PROOF_CODES, PROOF_MEMBER, proveCaller } from '../accounts/prove-caller.ts';
import type { Call, CallDeps } from '../call.ts';
import { checkWrite } from '../check-write.ts';
import { type Failure, fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword, makePassword } from '../passwords.ts';
import { authorOf, type IdentifiedRequest } from '../request-context.ts';
import { adminUser } from '../resources.ts';
import { addRecord } from '../write-record.ts';
import { DONE } from './passwords.ts';

type Answer = Promise<Outcome<unknown>>;

const NO_MAIL = 'subnetd sends no mail: its operator sets SUBNETD_SMTP_URL, or you add the admin user with a password';
const QUEUE_FULL = 'the account is there, but too many mails wait to be sent; send its activation again later';

const INVITED = {
  type: 'object',
  properties: { result: { type: 'string', const: 'success' }, UserID: { type: 'integer' } },
  required: ['result', 'UserID'],
};

/** Adds the user; a database that answers but does not take the account is no reason to call it down. */
async function addUser(
  request: IdentifiedRequest,
  checked: Parameters<typeof addRecord>[2],
  { now }: CallDeps,
): Promise<Outcome<number>> {
  try {
    return await addRecord(request.store, adminUser, checked, authorOf(request, checked.statedBy, now()));
  } catch (error) {
    const cause = describeCause(error);
    if (!isDatabaseFailure(error) || isAway(cause) || isOverloaded(cause)) throw error;
    request.context.reportError(error);
    return fail(1109, 'the account was not made, because the database did not take it; try again later');
  }
}

/**
 * Adds an admin user without a password, who is inactive until a mailed link is used; resolves to the id. The body is
 * that of an add; `Password` and `IsActive` in it do not count.
 */
export async function inviteUser(request: IdentifiedRequest, deps: CallDeps): Promise<Outcome<number>> {
  // Nobody knows this password.
  const body = { ...request.body, Password: makePassword(), IsActive: false };
  const checked = await checkWrite(request.store, adminUser, body);
  if (!checked.ok) return checked;
  const { mails } = deps;
  if (mails === undefined) return fail(1107, NO_MAIL);
  const limited = await limitMails(request, deps);
  if (!limited.ok) return limited;
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const added = await addUser(request, checked.value, deps);
  if (!added.ok) return added;
  const userId = added.value;
  request.context.record('invited', { caller: request.caller, subject: { resource: 'AdminUser', id: userId } });
  return (await mails.add({ kind: 'activation', userId })) ? succeed(userId) : fail(1107, QUEUE_FULL);
}

const memberOf = (resource: Resource, name: string) => {
  const member = parametersOf(resource).find((one) => one.name === name);
  if (member?.kind !== 'text') throw new Error(`${resource.name} has no text ${name}`);
  const { maxLength, format, example } = member;
  const schema = { type: 'string', minLength: 1, maxLength, ...(format && { format }), examples: [example] };
  return { name, isRequired: true, schema };
};

/** Makes an account, and lets its user choose the password. */
export const invite: Call = {
  id: 'inviteAdminUser',
  method: 'POST',
  path: '/Account/Invite',
  tag: 'Account',
  summary: 'Add an admin user, who chooses a password by a mailed link',
  description:
    'The user is inactive until the link is used, within 24 hours. An update of the user with IsActive false, or with another EmailID, ends the link.',
  isSpecified: false,
  scope: 'write',
  body: [
    ...['FirstName', 'LastName', 'UserName', 'EmailID'].map((name) => memberOf(adminUser, name)),
    {
      name: 'CreateBy',
      isRequired: true,
      schema: { type: 'integer', minimum: 1, maximum: MAX_INTEGER, examples: [1] },
    },
    PROOF_MEMBER,
  ],
  data: INVITED,
  codes: [1001, 1002, 1003, 1005, 1008, 1011, 1012, 1103, 1107, 1109, 1121, ...PROOF_CODES],
  answer: async (request, deps) => {
    const invited = await inviteUser(request, deps);
    return invited.ok ? succeed({ result: 'success', UserID: invited.value }) : invited;
  },
};

async function sendAgain(request: IdentifiedRequest, deps: CallDeps): Answer {
  const { context, store, body, caller } = request;
  const { mails, now } = deps;
  const id = readUserId(body);
  if (!id.ok) return id;
  const userId = id.value;
  const user = await store.findUser({ id: userId });
  if (user === undefined) return fail(1121, 'UserID: there is no admin user with that id');
  if (user.isActive) return fail(1012, 'UserID: that admin user is active already; send a link for a new password');
  if (mails === undefined) return fail(1107, NO_MAIL);
  if ((await store.countLinks(userId, 'activation', new Date(now()).toISOString())) >= LINKS_AT_ONCE)
    return fail(1107, 'the user has three links already that work; wait until one has expired');
  const limited = await limitMails(request, deps);
  if (!limited.ok) return limited;
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  context.record('invited', { caller, subject: { resource: 'AdminUser', id: userId } });
  return (await mails.add({ kind: 'activation', userId }))
    ? succeed({ result: 'success', UserID: userId })
    : fail(1107, QUEUE_FULL);
}

/** Sends the link again, also to a user who was active before. */
export const sendActivation: Call = {
  id: 'sendActivation',
  method: 'POST',
  path: '/Account/SendActivation',
  tag: 'Account',
  summary: 'Mail an inactive admin user another link that activates the account',
  isSpecified: false,
  scope: 'write',
  body: [USER_ID, PROOF_MEMBER],
  data: INVITED,
  codes: [1001, 1002, 1003, 1005, 1011, 1012, 1107, 1121, ...PROOF_CODES],
  answer: sendAgain,
};

const NO_SETUP: Failure = {
  code: 1120,
  message: 'the link has expired, was used before, or is not complete; ask an admin user for a new one',
};

async function activateUser(request: IdentifiedRequest, deps: CallDeps): Answer {
  const { context, store, body } = request;
  const found = await findLinkUser(request, 'ActivationToken', 'activation', NO_SETUP, deps);
  if (!found.ok) return found;
  const user = found.value;
  const { id: userId, passwordVersion } = user;
  const password = await readNewPassword(body, 'Password', await userNameKeyOf(store, userId));
  if (!password.ok) return password;
  const changed = await store.changePassword({
    userId,
    passwordVersion,
    activates: true,
    passwordHash: await hashPassword(password.value),
    author: authorByLink(request, 'activation', user, deps),
  });
  if (!changed) return { ok: false, failure: NO_SETUP };
  context.record('activated', { subject: { resource: 'AdminUser', id: userId } });
  return succeed({ result: 'success' });
}

/** Activates an account by a link. */
export const activate: Call = {
  id: 'activateAccount',
  method: 'POST',
  path: '/Account/Activate',
  tag: 'Account',
  summary: 'Activate your account and choose its password, by a link',
  description: 'The link works once, for 24 hours. It signs nobody in.',
  isSpecified: false,
  isOpen: true,
  body: [linkMember('ActivationToken'), newPasswordMember('Password')],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1006, 1007, 1012, 1120],
  answer: activateUser,
};

/** All of them, in the order of the reference. */
export const activationCalls: readonly Call[] = [invite, sendActivation, activate];
