import { addressKey } from '../../../lib/addresses.ts';
import { NEEDS_CODES, OTP_MEMBER } from '../accounts/check-otp.ts';
import type { Call, CallDeps } from '../call.ts';
import type { Tokens } from '../create-tokens.ts';
import type { Caller } from '../credentials.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';
import { SIGN_IN, type SignedIn, signIn, triesPassword } from '../sign-in.ts';

/** Signs in, and records the result. */
export async function tryPassword(
  { context, store, body }: IdentifiedRequest,
  { limits, lock, sealer, now }: CallDeps,
): Promise<Outcome<SignedIn>> {
  const signed = await signIn(store, body, {
    address: addressKey(context.address),
    limits,
    lock,
    sealer,
    now,
    onLock: (subject) => context.record('locked', { subject }),
  });
  if (signed.ok) {
    context.record('sign-in', { caller: signed.value });
    if (signed.value.secondFactor === 'recovery code') context.record('recovery code used', { caller: signed.value });
  } else {
    const { code, subject } = signed.failure;
    if (code === 1102) context.record('slowed', { subject, detail: { name: 'Limit', value: 'sign-in' } });
    if (code === 1104) context.record('sign-in refused', { subject });
    // Without a subject, 1122 is about the form of the code, before any password was checked.
    const isOfCode = code === 1119 || code === 1124 || (code === 1122 && subject !== undefined);
    if (isOfCode) context.record('code refused', { subject });
  }
  return signed;
}

/**
 * Issues a token to the caller with an API key, else to a user name and password. If both are sent, both must be
 * valid.
 */
async function giveToken(
  request: IdentifiedRequest,
  deps: CallDeps,
): Promise<Outcome<Awaited<ReturnType<Tokens['issue']>>>> {
  const { context, store, body, caller } = request;
  const isByKey = caller?.credential.startsWith('key ') === true;
  if (!isByKey && !triesPassword(body)) return fail(1101, 'send an API key, or UserName and Password');
  let by: (Caller & Partial<SignedIn>) | undefined = caller;
  if (triesPassword(body)) {
    const signed = await tryPassword(request, deps);
    if (!signed.ok) return signed;
    if (deps.requiresOtp && signed.value.secondFactor === 'none') {
      context.record('code refused', { caller: signed.value });
      return fail(1122, NEEDS_CODES);
    }
    by = isByKey ? caller : signed.value;
  }
  const user = by && (await store.findUser({ id: by.owner }));
  if (by === undefined || user === undefined) throw new Error('a caller without a user');
  const passwordVersion = by.passwordVersion ?? user.passwordVersion;
  const { owner: userId, scopes, keyId } = by;
  const hasCode = by.secondFactor === 'code' || by.secondFactor === 'recovery code';
  const claims = { userId, scopes, passwordVersion, keyId, hasCode };
  const issued = await (await deps.tokens()).issue(claims);
  context.record('token', { caller: by, subject: { resource: 'AdminUser', id: userId } });
  return succeed(issued);
}

/** Issues a token. Source: section 5 of the specification, which leaves the call open. */
export const getToken: Call = {
  id: 'getToken',
  method: 'POST',
  path: '/Auth/Token',
  tag: 'Auth',
  summary: 'Get a token by an API key, or by UserName and Password',
  description:
    'A token lasts 24 hours, and ends with the key, the password or the activity of its user, or by POST /Auth/Revoke.',
  isSpecified: true,
  isOpen: true,
  bodyIsOptional: true,
  body: [
    { name: 'UserName', schema: { type: 'string', minLength: 1, maxLength: SIGN_IN.userName.most } },
    {
      name: 'Password',
      schema: { type: 'string', minLength: 1, maxLength: SIGN_IN.password.most, format: 'password' },
    },
    OTP_MEMBER,
  ],
  data: {
    type: 'object',
    properties: { token: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } },
    required: ['token', 'expiresAt'],
  },
  codes: [1001, 1002, 1003, 1005, 1012, 1119, 1122, 1124],
  answer: giveToken,
};
