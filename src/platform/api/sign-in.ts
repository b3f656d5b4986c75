import { addressKey } from '../../lib/addresses.ts';
import { SCOPES } from '../model/platform-store.ts';
import { toNameKey } from '../model/resource.ts';
import type { Subject } from '../model/security-event.ts';
import { checkOtp, readOtp, type SecondFactor } from './accounts/check-otp.ts';
import type { Actor } from './actor.ts';
import type { CallDeps } from './call.ts';
import { checkLookup, type TextRule } from './check-text.ts';
import { type Body, requireMember } from './check-value.ts';
import type { Caller } from './credentials.ts';
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

/** An admin user who has signed in. */
export interface SignedIn extends Caller {
  readonly passwordVersion: number;
  readonly secondFactor: SecondFactor;
}

async function checkSignIn(sent: Body, actor: Actor, deps: CallDeps): Promise<Outcome<SignedIn>> {
  const { store, record } = actor;
  const { limits, lock, now } = deps;
  const address = addressKey(actor.address);
  const userName = readText(sent, 'UserName', SIGN_IN.userName);
  if (!userName.ok) return userName;
  const password = readText(sent, 'Password', SIGN_IN.password);
  if (!password.ok) return password;
  const otp = readOtp(sent.Otp);
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
  const onLock = () => record('locked', { subject });
  const proved = await lock.guard({ store, userNameKey, address, isKnown, isSignIn: true, onLock }, async () => {
    const isGood = await verifyPassword(user?.passwordHash, password.value, asker);
    if (isGood && user?.isActive) return checkOtp(store, user.id, otp.value, deps);
    return fail(1104, 'wrong user name or password, or the user is inactive');
  });
  if (!proved.ok) return withSubject(proved.failure, subject);
  if (user === undefined) throw new Error('a sign-in without a user');
  if (!isKnown || now() - lastAt > REMEMBER_AGAIN_MS)
    await store.keepSignIn(user.id, address, new Date(now()).toISOString()).catch(() => {});
  const { id: owner, passwordVersion } = user;
  return succeed({ owner, scopes: SCOPES, credential: 'password', passwordVersion, secondFactor: proved.value });
}

/**
 * Signs in by `UserName`, `Password`, and `Otp` if the user has one-time codes, and records the result. Attempts are limited for
 * each address, and for the user name if the address is new for its user. So nobody can guess from many addresses, nor lock out
 * a user who comes from a known address. An unknown name takes the same steps.
 */
export async function signIn(sent: Body, actor: Actor, deps: CallDeps): Promise<Outcome<SignedIn>> {
  const { record } = actor;
  const signed = await checkSignIn(sent, actor, deps);
  if (signed.ok) {
    record('sign-in', { caller: signed.value });
    if (signed.value.secondFactor === 'recovery code') record('recovery code used', { caller: signed.value });
    return signed;
  }
  const { code, subject } = signed.failure;
  if (code === 1102) record('slowed', { subject, detail: { name: 'Limit', value: 'sign-in' } });
  if (code === 1104) record('sign-in refused', { subject });
  // Without a subject, 1122 is about the form of the code, before any password was checked.
  if (code === 1119 || code === 1124 || (code === 1122 && subject !== undefined)) record('code refused', { subject });
  return signed;
}
