import { type PlatformStore, SCOPES } from '../model/platform-store.ts';
import { toNameKey } from '../model/resource.ts';
import type { Subject } from '../model/security-event.ts';
import { checkOtp, type OtpDeps, readOtp, type SecondFactor } from './accounts/check-otp.ts';
import type { SignInLock } from './accounts/sign-in-lock.ts';
import { checkLookup, type TextRule } from './check-text.ts';
import { type Body, requireMember } from './check-value.ts';
import type { Caller } from './credentials.ts';
import type { Limits } from './limits.ts';
import { type Failure, fail, type Outcome, succeed } from './outcome.ts';
import { findQueueFailure, verifyPassword } from './passwords.ts';

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

const withSubject = (failure: Failure, subject: Subject | undefined): Outcome<never> => ({
  ok: false,
  failure: { ...failure, ...(subject && { subject }) },
});

/** How long subnetd remembers an address from which a user has signed in, in milliseconds. */
export const REMEMBER_MS = 30 * 24 * 60 * 60 * 1_000;
const REMEMBER_AGAIN_MS = 60 * 60 * 1_000;

/** The inputs of a sign-in besides its body. */
export interface SignInContext extends OtpDeps {
  /** The key of the address for limits. */
  readonly address: string;
  readonly limits: Pick<Limits, 'signInFrom' | 'signInAs'>;
  readonly lock: SignInLock;
  /** Called when a failure makes the next attempt from this address wait. */
  readonly onLock?: (subject: Subject | undefined) => void;
}

/** An admin user who has signed in. */
export interface SignedIn extends Caller {
  readonly passwordVersion: number;
  readonly secondFactor: SecondFactor;
}

/**
 * Signs in by `UserName`, `Password`, and `Otp` if the user has one-time codes. Attempts are limited for each address,
 * and for the user name if the address is new for its user. So nobody can guess from many addresses, nor lock out a user
 * who comes from a known address. An unknown name takes the same steps.
 */
export async function signIn(store: PlatformStore, body: Body, context: SignInContext): Promise<Outcome<SignedIn>> {
  const { address, limits, lock, now, onLock } = context;
  const userName = readText(body, 'UserName', SIGN_IN.userName);
  if (!userName.ok) return userName;
  const password = readText(body, 'Password', SIGN_IN.password);
  if (!password.ok) return password;
  const otp = readOtp(body.Otp);
  if (!otp.ok) return otp;
  const fromHere = await limits.signInFrom(address);
  if (!fromHere.ok) return fromHere;
  const userNameKey = toNameKey(userName.value);
  const user = await store.findUser({ userNameKey });
  const subject: Subject | undefined = user && { resource: 'AdminUser', id: user.id };
  const lastAt = Date.parse((await store.findSignIn(user?.id ?? 0, address)) ?? '');
  const isKnown = now() - lastAt < REMEMBER_MS;
  const asker = isKnown ? 'known' : 'stranger';
  // Before anything is counted: a flood costs neither writes nor attempts of the user.
  const queueFailure = findQueueFailure(asker);
  if (queueFailure !== undefined) return withSubject(queueFailure, subject);
  const asUser = isKnown ? succeed(undefined) : await limits.signInAs(userNameKey);
  if (!asUser.ok) return withSubject(asUser.failure, subject);
  const attempt = { store, userNameKey, address, isKnown, isSignIn: true, onLock: () => onLock?.(subject) };
  const proved = await lock.guard(attempt, async () => {
    const isGood = await verifyPassword(user?.passwordHash, password.value, asker);
    if (isGood && user?.isActive) return checkOtp(store, user.id, otp.value, context);
    return fail(1104, 'the user name and password do not belong together, or the user is not active');
  });
  if (!proved.ok) return withSubject(proved.failure, subject);
  if (user === undefined) throw new Error('a sign-in without a user');
  if (!isKnown || now() - lastAt > REMEMBER_AGAIN_MS)
    await store.keepSignIn(user.id, address, new Date(now()).toISOString()).catch(() => {});
  const { id: owner, passwordVersion } = user;
  return succeed({ owner, scopes: SCOPES, credential: 'password', passwordVersion, secondFactor: proved.value });
}
