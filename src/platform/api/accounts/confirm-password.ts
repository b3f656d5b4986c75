import { addressKey } from '../../../lib/addresses.ts';
import type { PlatformStore } from '../../model/platform-store.ts';
import { toNameKey } from '../../model/resource.ts';
import type { CallDeps, CallMember } from '../call.ts';
import { checkLookup } from '../check-text.ts';
import { requireMember } from '../check-value.ts';
import type { Caller } from '../credentials.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { verifyPassword } from '../passwords.ts';
import type { IdentifiedRequest } from '../request-context.ts';
import { adminUser } from '../resources.ts';
import { REMEMBER_MS, SIGN_IN } from '../sign-in.ts';
import { checkOtp, readOtp, type SecondFactor } from './check-otp.ts';

/** The member of a body with the caller's own password. */
export const PASSWORD_MEMBER: CallMember = {
  name: 'Password',
  isRequired: true,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: SIGN_IN.password.most,
    format: 'password',
    description: 'Your own password, once more.',
  },
};

/** The caller of a call that works only with a credential. */
export function callerOf({ caller }: IdentifiedRequest): Caller {
  if (caller === undefined) throw new Error('a call without a caller');
  return caller;
}

/** The natural key of a user's name. */
export async function userNameKeyOf(store: PlatformStore, userId: number): Promise<string> {
  const record = await store.find(adminUser, userId);
  return toNameKey(String(record?.UserName ?? ''));
}

/**
 * Runs a check of who the caller is. Attempts are limited as sign-ins are, also from many new addresses together, and failures
 * count for the lock; only a sign-in forgets them. A refusal is in the security log.
 */
export async function guardCheck<T>(
  request: IdentifiedRequest,
  { limits, lock, now }: Pick<CallDeps, 'limits' | 'lock' | 'now'>,
  check: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const { context, store, caller } = request;
  const address = addressKey(context.address);
  const { owner } = callerOf(request);
  const slowed = <Other>(refused: Outcome<Other>) => {
    context.record('slowed', { caller, detail: { name: 'Limit', value: 'sign-in' } });
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
    onLock: () => context.record('locked', { subject: { resource: 'AdminUser', id: owner } }),
  };
  const checked = await lock.guard(attempt, check);
  if (checked.ok) return checked;
  const { code } = checked.failure;
  if (code === 1102) return slowed(checked);
  if (code === 1118) context.record('password refused', { caller });
  if (code === 1119 || code === 1124) context.record('code refused', { caller });
  return checked;
}

/**
 * Asks for the caller's own password again, before a step that must not follow from a stolen token; with `withOtp` for
 * the one-time code too. Failures count for the lock. Code 1118 for a wrong password.
 */
export async function confirmPassword(
  request: IdentifiedRequest,
  deps: CallDeps,
  withOtp = false,
): Promise<Outcome<SecondFactor>> {
  const { store, body } = request;
  const present = requireMember(body, 'Password');
  if (!present.ok) return present;
  const password = checkLookup(present.value, 'Password', SIGN_IN.password);
  if (!password.ok) return password;
  const sent = withOtp ? requireMember(body, 'Otp') : succeed(undefined);
  if (!sent.ok) return sent;
  const otp = withOtp ? readOtp(body) : succeed(undefined);
  if (!otp.ok) return otp;
  const { owner } = callerOf(request);
  return guardCheck(request, deps, async () => {
    const user = await store.findUser({ id: owner });
    if (!(await verifyPassword(user?.passwordHash, password.value)))
      return fail(1118, 'Password is not the password of your account; send it again');
    return withOtp ? checkOtp(store, owner, otp.value, deps) : succeed<SecondFactor>('none');
  });
}
