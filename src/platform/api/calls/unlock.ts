import { toNameKey } from '../../model/resource.ts';
import { PROOF, proveCaller } from '../accounts/prove-caller.ts';
import { defineCall, objectOf, RESULT, USER_ID } from '../call.ts';
import { fail, succeed } from '../outcome.ts';
import { adminUser } from '../resources.ts';

/** Ends the waits of a user after failed sign-ins. */
export const unlock = defineCall({
  id: 'unlockAccount',
  method: 'POST',
  path: '/Account/Unlock',
  tag: 'Account',
  summary: 'Let an admin user sign in again at once, after failed sign-ins',
  description: 'Forgets the failed sign-ins of the user from every address.',
  scope: 'admin',
  body: { UserID: USER_ID, Otp: PROOF },
  data: objectOf({
    ...RESULT,
    UserID: { type: 'integer' },
    HadFailures: { type: 'boolean', description: 'Whether there were failed sign-ins to forget.' },
  }),
  codes: [1108, 1121],
  run: async ({ UserID, Otp }, actor, deps) => {
    const { store, caller, record } = actor;
    const user = await store.find(adminUser, UserID);
    if (user === undefined) return fail(1121, 'UserID: there is no admin user with that id');
    if (user.IsActive !== true)
      return fail(1108, 'that admin user is inactive, so signing in would still fail; set IsActive to true first');
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    const wasLocked = await deps.lock.unlock(store, toNameKey(String(user.UserName)));
    record('unlocked', { caller, subject: { resource: 'AdminUser', id: UserID } });
    return succeed({ result: 'success', UserID, HadFailures: wasLocked });
  },
});
