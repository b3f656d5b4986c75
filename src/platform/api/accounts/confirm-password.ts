import { addressKey } from '../../../lib/addresses.ts';
import type { PlatformStore } from '../../model/platform-store.ts';
import { toNameKey } from '../../model/resource.ts';
import { type Actor, callerOf } from '../actor.ts';
import { type CallDeps, required } from '../call.ts';
import { checkLookup } from '../check-text.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { verifyPassword } from '../passwords.ts';
import { adminUser } from '../resources.ts';
import { REMEMBER_MS, SIGN_IN } from '../sign-in.ts';
import { checkOtp, type SecondFactor, type SentOtp } from './check-otp.ts';

/** The member of a body with the caller's own password. */
export const OWN_PASSWORD = required<string>({
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: SIGN_IN.password.most,
    format: 'password',
    description: 'Your own password, as confirmation.',
  },
  codes: [1003, 1005, 1012, 1118],
  read: (value, name) => checkLookup(value, name, SIGN_IN.password),
});

/** The natural key of a user's name. */
export async function userNameKeyOf(store: PlatformStore, userId: number): Promise<string> {
  const record = await store.find(adminUser, userId);
  return toNameKey(String(record?.UserName ?? ''));
}

/** Adds to the security log that an actor came too often. */
const recordSlowed = ({ record, caller }: Actor): void =>
  record('slowed', { caller, detail: { name: 'Limit', value: 'sign-in' } });

/**
 * Counts a mail to an address that the caller can choose as a sign-in from the caller's address. Nobody floods others by a
 * stolen key.
 */
export async function limitMails(actor: Actor, { limits }: CallDeps): Promise<Outcome<unknown>> {
  const limited = await limits.signInFrom(addressKey(actor.address));
  if (limited.ok) return limited;
  recordSlowed(actor);
  return fail(1102, 'too many mails and sign-ins; retry after the time in Retry-After', limited.failure.headers);
}

/**
 * Runs a check of who the caller is. Attempts are limited as sign-ins are, also from many new addresses together, and failures
 * count for the lock; only a sign-in forgets them. A refusal is in the security log.
 */
export async function guardCheck<T>(
  actor: Actor,
  { limits, lock, now }: CallDeps,
  check: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { store, caller, record } = actor;
  const address = addressKey(actor.address);
  const { owner } = callerOf(actor);
  const slowed = <Other>(refused: Outcome<Other>) => {
    recordSlowed(actor);
    return refused;
  };
  const limited = await limits.signInFrom(address);
  if (!limited.ok) return slowed(limited);
  const lastAt = Date.parse((await store.findSignIn(owner, address)) ?? '');
  const isKnown = now() - lastAt < REMEMBER_MS;
  const userNameKey = await userNameKeyOf(store, owner);
  const asUser = isKnown ? succeed(undefined) : await limits.signInAs(userNameKey);
  if (!asUser.ok) return slowed(asUser);
  const attempt = {
    store,
    userNameKey,
    address,
    isKnown,
    isSignIn: false,
    onLock: () => record('locked', { subject: { resource: 'AdminUser', id: owner } }),
  };
  const checked = await lock.guard(attempt, check);
  if (checked.ok) return checked;
  const { code } = checked.failure;
  if (code === 1102) return slowed(checked);
  if (code === 1118) record('password refused', { caller });
  if (code === 1119 || code === 1124) record('code refused', { caller });
  return checked;
}

/**
 * Asks for the caller's own password again, before a step that must not follow from a stolen token; with `otp` for the
 * one-time code too. Failures count for the lock. Code 1118 for a wrong password.
 */
export async function confirmPassword(
  actor: Actor,
  password: string,
  deps: CallDeps,
  otp?: { readonly sent: SentOtp },
): Promise<Outcome<SecondFactor>> {
  const { store } = actor;
  const { owner } = callerOf(actor);
  return guardCheck(actor, deps, async () => {
    const user = await store.findUser({ id: owner });
    if (!(await verifyPassword(user?.passwordHash, password)))
      return fail(1118, 'Password is wrong; send the current password of your account');
    return otp === undefined ? succeed<SecondFactor>('none') : checkOtp(store, owner, otp.sent, deps);
  });
}
