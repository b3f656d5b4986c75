import { toNameKey } from '../../model/resource.ts';
import { readUserId, USER_ID } from '../accounts/named-user.ts';
import { PROOF_CODES, PROOF_MEMBER, proveCaller } from '../accounts/prove-caller.ts';
import type { Call, CallDeps } from '../call.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';
import { adminUser } from '../resources.ts';

async function unlockUser(request: IdentifiedRequest, deps: CallDeps): Promise<Outcome<unknown>> {
  const { context, store, body, caller } = request;
  const id = readUserId(body);
  if (!id.ok) return id;
  const user = await store.find(adminUser, id.value);
  if (user === undefined) return fail(1121, 'UserID: there is no admin user with that id');
  if (user.IsActive !== true)
    return fail(1108, 'that admin user is not active, so sign-ins fail all the same; set IsActive to true first');
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const wasLocked = await deps.lock.unlock(store, toNameKey(String(user.UserName)));
  context.record('unlocked', { caller, subject: { resource: 'AdminUser', id: id.value } });
  return succeed({ result: 'success', UserID: id.value, HadFailures: wasLocked });
}

/** Ends the waits of a user after failed sign-ins. */
export const unlock: Call = {
  id: 'unlockAccount',
  method: 'POST',
  path: '/Account/Unlock',
  tag: 'Account',
  summary: 'Let an admin user sign in again at once, after failed sign-ins',
  description: 'Forgets the failed sign-ins of the user from every address.',
  isSpecified: false,
  scope: 'admin',
  body: [USER_ID, PROOF_MEMBER],
  data: {
    type: 'object',
    properties: {
      result: { type: 'string', const: 'success' },
      UserID: { type: 'integer' },
      HadFailures: { type: 'boolean', description: 'Whether there were failed sign-ins to forget.' },
    },
    required: ['result', 'UserID', 'HadFailures'],
  },
  codes: [1001, 1002, 1003, 1005, 1011, 1012, 1108, 1121, ...PROOF_CODES],
  answer: unlockUser,
};
