import { type PlatformStore, SCOPES } from '../model/platform-store.ts';
import { toNameKey } from '../model/resource.ts';
import type { Subject } from '../model/security-event.ts';
import { checkLookup, type TextRule } from './check-text.ts';
import { type Body, requireMember } from './check-value.ts';
import type { Limits } from './create-limits.ts';
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

/** Only writes must follow the current rules of texts: a user with an older name can still sign in. */
function readText(body: Body, name: string, rule: TextRule): Outcome<string> {
  const present = requireMember(body, name);
  return present.ok ? checkLookup(present.value, name, rule) : present;
}

/** How long subnetd remembers an address from which a user has signed in. */
const REMEMBER_MS = 30 * 24 * 60 * 60 * 1_000;
const REMEMBER_AGAIN_MS = 60 * 60 * 1_000;

/** The inputs of a sign-in besides its body. */
export interface SignInContext {
  /** The key of the address for limits. */
  readonly address: string;
  readonly limits: Pick<Limits, 'signInFrom' | 'signInAs'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Signs in by `UserName` and `Password`. Attempts are limited for each address, and for the user name if the address
 * is new for its user. So nobody can guess from many addresses, nor lock out a user who comes from a known address.
 * An unknown name takes the same steps.
 */
export async function signIn(
  store: PlatformStore,
  body: Body,
  { address, limits, now }: SignInContext,
): Promise<Outcome<Caller & { readonly passwordVersion: number }>> {
  const userName = readText(body, 'UserName', SIGN_IN.userName);
  if (!userName.ok) return userName;
  const password = readText(body, 'Password', SIGN_IN.password);
  if (!password.ok) return password;
  const fromHere = await limits.signInFrom(address);
  if (!fromHere.ok) return fromHere;
  const userNameKey = toNameKey(userName.value);
  const user = await store.findUser({ userNameKey });
  const subject: Subject | undefined = user && { resource: 'AdminUser', id: user.id };
  const lastAt = Date.parse((await store.findSignIn(user?.id ?? 0, address)) ?? '');
  const isKnown = now - lastAt < REMEMBER_MS;
  const asUser = isKnown ? succeed(undefined) : await limits.signInAs(userNameKey);
  if (!asUser.ok) return { ok: false, failure: { ...asUser.failure, ...(subject && { subject }) } };
  const isGood = await verifyPassword(user?.passwordHash, password.value);
  if (!isGood || user === undefined || !user.isActive) {
    const why = 'the user name and password do not belong together, or the user is not active';
    return fail(1104, why, undefined, subject);
  }
  if (!isKnown || now - lastAt > REMEMBER_AGAIN_MS)
    await store.keepSignIn(user.id, address, new Date(now).toISOString()).catch(() => {});
  return succeed({ owner: user.id, scopes: SCOPES, credential: 'password', passwordVersion: user.passwordVersion });
}
