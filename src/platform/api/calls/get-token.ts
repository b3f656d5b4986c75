import { NEEDS_CODES, OTP } from '../accounts/check-otp.ts';
import { asSent, defineCall, type Member, objectOf } from '../call.ts';
import type { Caller } from '../credentials.ts';
import { fail, succeed } from '../outcome.ts';
import { SIGN_IN, type SignedIn, signIn, triesPassword } from '../sign-in.ts';

/** A text of a sign-in, which `signIn` reads: both are needed as soon as one of them is sent. */
const textOf = (most: number, more = {}): Member => ({
  schema: { type: 'string', minLength: 1, maxLength: most, ...more },
  codes: [1001, 1002, 1003, 1005, 1012],
  read: asSent,
});

/**
 * Issues a token to the caller with an API key, else to a user name and password. If both are sent, both must be valid.
 * Source: section 5 of the specification, which leaves the call open.
 */
export const getToken = defineCall({
  id: 'getToken',
  method: 'POST',
  path: '/Auth/Token',
  tag: 'Auth',
  summary: 'Get a token with an API key, or with UserName and Password',
  description:
    'A token lasts 24 hours. It ends early when its key ends, when its user gets a new password or becomes inactive, or through POST /Auth/Revoke.',
  isSpecified: true,
  isOpen: true,
  bodyIsOptional: true,
  body: {
    UserName: textOf(SIGN_IN.userName.most),
    Password: textOf(SIGN_IN.password.most, { format: 'password' }),
    Otp: { ...OTP, read: asSent },
  },
  data: objectOf({ token: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } }),
  run: async (input, actor, deps) => {
    const { store, caller, record } = actor;
    const isByKey = caller?.credential.startsWith('key ') === true;
    if (!isByKey && !triesPassword(input)) return fail(1101, 'send an API key, or UserName and Password');
    let by: (Caller & Partial<SignedIn>) | undefined = caller;
    if (triesPassword(input)) {
      const signed = await signIn(input, actor, deps);
      if (!signed.ok) return signed;
      if (deps.requiresOtp && signed.value.secondFactor === 'none') {
        record('code refused', { caller: signed.value });
        return fail(1122, NEEDS_CODES);
      }
      by = isByKey ? caller : signed.value;
    }
    const user = by && (await store.findUser({ id: by.owner }));
    if (by === undefined || user === undefined) throw new Error('a caller without a user');
    const passwordVersion = by.passwordVersion ?? user.passwordVersion;
    const { owner: userId, scopes, keyId } = by;
    const hasCode = by.secondFactor === 'code' || by.secondFactor === 'recovery code';
    const claims = { userId, scopes, passwordVersion, ...(keyId !== undefined && { keyId }), hasCode };
    const issued = await (await deps.tokens()).issue(claims);
    record('token', { caller: by, subject: { resource: 'AdminUser', id: userId } });
    return succeed(issued);
  },
});
