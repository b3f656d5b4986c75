import type { PlatformStore } from '../model/platform-store.ts';
import { toNameKey } from '../model/resource.ts';
import { type Body, checkValue, requireMember } from './check-value.ts';
import type { Caller } from './credentials.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { verifyPassword } from './passwords.ts';
import { adminUser } from './resources/admin-user.ts';

/** Does the body try to sign in by user name and password? */
export const triesPassword = (body: Body): boolean =>
  Object.hasOwn(body, 'UserName') || Object.hasOwn(body, 'Password');

function readText(body: Body, name: string): Outcome<string> {
  const present = requireMember(body, name);
  if (!present.ok) return present;
  const member = adminUser.members.find((candidate) => candidate.name === name);
  if (typeof present.value !== 'string' || member?.kind !== 'text') {
    return typeof present.value === 'string' ? succeed(present.value) : fail(1003, `${name} must be a string`);
  }
  const checked = checkValue(member, present.value);
  return checked.ok ? succeed(present.value) : checked;
}

/** Signs in by `UserName` and `Password`. `mayTry` counts the attempt for the name before any work is done. */
export async function signIn(
  store: PlatformStore,
  body: Body,
  mayTry: (userNameKey: string) => Promise<Outcome<undefined>>,
): Promise<Outcome<Caller & { readonly passwordVersion: number }>> {
  const userName = readText(body, 'UserName');
  if (!userName.ok) return userName;
  const password = readText(body, 'Password');
  if (!password.ok) return password;
  if ([...password.value].length > 1_024) return fail(1005, 'Password exceeds the maximum of 1024 characters');
  const userNameKey = toNameKey(userName.value);
  const allowed = await mayTry(userNameKey);
  if (!allowed.ok) return allowed;
  const user = await store.findUser({ userNameKey });
  const isGood = await verifyPassword(user?.passwordHash, password.value);
  if (!isGood || user === undefined || !user.isActive)
    return fail(1104, 'the user name and password do not belong together, or the user is not active');
  return succeed({ owner: user.id, scope: 'write', credential: 'password', passwordVersion: user.passwordVersion });
}
