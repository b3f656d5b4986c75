import { type PlatformStore, SCOPES } from '../model/platform-store.ts';
import { toNameKey } from '../model/resource.ts';
import { checkLookup, type TextRule } from './check-text.ts';
import { type Body, requireMember } from './check-value.ts';
import type { Caller } from './credentials.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { verifyPassword } from './passwords.ts';

/** Does the body try to sign in by user name and password? */
export const triesPassword = (body: Body): boolean =>
  Object.hasOwn(body, 'UserName') || Object.hasOwn(body, 'Password');

/** The longest texts that a sign-in takes. */
export const SIGN_IN = {
  userName: { kind: 'text', most: 200 },
  password: { kind: 'password', most: 1_024 },
} as const satisfies Readonly<Record<string, TextRule>>;

/** Today's rules of texts hold for what is kept anew; who was named before them signs in as before. */
function readText(body: Body, name: string, rule: TextRule): Outcome<string> {
  const present = requireMember(body, name);
  return present.ok ? checkLookup(present.value, name, rule) : present;
}

/** Signs in by `UserName` and `Password`. `mayTry` counts the attempt for the name before any work is done. */
export async function signIn(
  store: PlatformStore,
  body: Body,
  mayTry: (userNameKey: string) => Promise<Outcome<undefined>>,
): Promise<Outcome<Caller & { readonly passwordVersion: number }>> {
  const userName = readText(body, 'UserName', SIGN_IN.userName);
  if (!userName.ok) return userName;
  const password = readText(body, 'Password', SIGN_IN.password);
  if (!password.ok) return password;
  const userNameKey = toNameKey(userName.value);
  const allowed = await mayTry(userNameKey);
  if (!allowed.ok) return allowed;
  const user = await store.findUser({ userNameKey });
  const isGood = await verifyPassword(user?.passwordHash, password.value);
  if (!isGood || user === undefined || !user.isActive)
    return fail(1104, 'the user name and password do not belong together, or the user is not active');
  return succeed({ owner: user.id, scopes: SCOPES, credential: 'password', passwordVersion: user.passwordVersion });
}
