import type { Note } from '../../model/mail.ts';
import { checkDigits, loadOneTimeCodes, OTP_MEMBER, readOtp } from '../accounts/check-otp.ts';
import { callerOf, confirmPassword, guardCheck, PASSWORD_MEMBER, userNameKeyOf } from '../accounts/confirm-password.ts';
import { readUserId, USER_ID } from '../accounts/named-user.ts';
import { PROOF_CODES, PROOF_MEMBER, proveCaller } from '../accounts/prove-caller.ts';
import { makeRecoveryCodes } from '../accounts/recovery-codes.ts';
import type { Call, CallDeps, CallMember } from '../call.ts';
import { requireMember } from '../check-value.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword } from '../passwords.ts';
import { authorOf, type IdentifiedRequest } from '../request-context.ts';

type Answer<T> = Promise<Outcome<T>>;

const NONE = 'this account has no one-time codes; enrol by POST /api/Otp/Enrol';

const text = (description: string) => ({ type: 'string', description });
const RECOVERY_CODES = {
  type: 'object',
  properties: {
    RecoveryCodes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Each signs in once, in place of a code of the app. They are shown only now.',
    },
  },
  required: ['RecoveryCodes'],
};
const DONE = {
  type: 'object',
  properties: { result: { type: 'string', const: 'success' }, UserID: { type: 'integer' } },
  required: ['result', 'UserID'],
};
const REQUIRED_OTP: CallMember = { ...OTP_MEMBER, isRequired: true };

const authorOfCaller = (request: IdentifiedRequest, { now }: CallDeps) =>
  authorOf(request, callerOf(request).owner, now());

/** The mail to the user; none without a mail server. */
const noteOf = (kind: Note['kind'], userId: number, { mails }: CallDeps): Note | undefined => mails && { kind, userId };

async function hashAll(codes: readonly string[]): Promise<readonly string[]> {
  return Promise.all(codes.map(hashPassword));
}

async function readStatus(request: IdentifiedRequest): Answer<unknown> {
  const codes = await request.store.findCodes(callerOf(request).owner);
  return succeed({ IsEnrolled: codes?.isConfirmed === true, RecoveryCodesLeft: codes?.recoveryCodes ?? 0 });
}

/** The state of the caller's own one-time codes. */
export const otpStatus: Call = {
  id: 'getOtpStatus',
  method: 'GET',
  path: '/Otp/Status',
  tag: 'Otp',
  summary: 'Show whether your account has one-time codes',
  isSpecified: false,
  data: {
    type: 'object',
    properties: { IsEnrolled: { type: 'boolean' }, RecoveryCodesLeft: { type: 'integer' } },
    required: ['IsEnrolled', 'RecoveryCodesLeft'],
  },
  codes: [],
  answer: readStatus,
};

async function enrol(request: IdentifiedRequest, deps: CallDeps): Answer<unknown> {
  const confirmed = await confirmPassword(request, deps);
  if (!confirmed.ok) return confirmed;
  const { store } = request;
  const { owner } = callerOf(request);
  const { codeAddress, codePicture, makeCodeSecret } = await loadOneTimeCodes();
  const secret = makeCodeSecret();
  if (!(await store.startCodes(owner, (await deps.sealer()).seal(secret))))
    return fail(1012, 'this account has one-time codes already; remove them first, by POST /api/Otp/Remove');
  const address = codeAddress(secret, await userNameKeyOf(store, owner));
  return succeed({ Secret: secret, Address: address, Picture: codePicture(address) });
}

/** Starts an enrolment, which `confirmOtp` ends. Until then sign-ins ask for no code. */
export const enrolOtp: Call = {
  id: 'enrolOtp',
  method: 'POST',
  path: '/Otp/Enrol',
  tag: 'Otp',
  summary: 'Start to enrol an authenticator app',
  description: 'Sign-ins ask for a code only after POST /Otp/Confirm. A second call replaces an unconfirmed secret.',
  isSpecified: false,
  body: [PASSWORD_MEMBER],
  data: {
    type: 'object',
    properties: {
      Secret: text('The secret of the app in base32, to type in.'),
      Address: text('The same as an address of the scheme otpauth.'),
      Picture: text('The address as a QR code, an SVG.'),
    },
    required: ['Secret', 'Address', 'Picture'],
  },
  codes: [1001, 1002, 1003, 1005, 1012, 1118],
  answer: enrol,
};

async function confirm(request: IdentifiedRequest, deps: CallDeps): Answer<unknown> {
  const { store, body } = request;
  const present = requireMember(body, 'Otp');
  if (!present.ok) return present;
  const sent = readOtp(body);
  if (!sent.ok) return sent;
  const { owner } = callerOf(request);
  const codes = await store.findCodes(owner);
  if (codes === undefined) return fail(1122, NONE);
  if (codes.isConfirmed) return fail(1012, 'the one-time codes of this account are confirmed already');
  if (sent.value === undefined || !('digits' in sent.value))
    return fail(1122, 'Otp must be the six digits of your authenticator app');
  const { digits } = sent.value;
  const checked = await guardCheck(request, deps, () => checkDigits(store, owner, codes.secret, digits, deps));
  if (!checked.ok) return checked;
  const recoveryCodes = makeRecoveryCodes();
  const confirmed = { secret: codes.secret, hashes: await hashAll(recoveryCodes) };
  return (await store.confirmCodes(owner, confirmed, authorOfCaller(request, deps), noteOf('codes-on', owner, deps)))
    ? succeed({ RecoveryCodes: recoveryCodes })
    : fail(1122, 'the enrolment was started again meanwhile; confirm it by a code of the newer secret');
}

/** Ends an enrolment: from here on sign-ins by password ask for a code. */
export const confirmOtp: Call = {
  id: 'confirmOtp',
  method: 'POST',
  path: '/Otp/Confirm',
  tag: 'Otp',
  summary: 'Confirm the enrolment by the first code, and get recovery codes',
  description: 'From then on a sign-in by password needs a code. API keys and tokens stay valid.',
  isSpecified: false,
  body: [REQUIRED_OTP],
  data: RECOVERY_CODES,
  codes: [1001, 1002, 1003, 1005, 1012, 1119, 1122, 1124],
  answer: confirm,
};

/** Asks for password and code of an account that has codes. */
async function confirmBoth(request: IdentifiedRequest, deps: CallDeps): Promise<Outcome<undefined>> {
  const confirmed = await confirmPassword(request, deps, true);
  if (!confirmed.ok) return confirmed;
  return confirmed.value === 'none' ? fail(1122, NONE) : succeed(undefined);
}

async function renew(request: IdentifiedRequest, deps: CallDeps): Answer<unknown> {
  const confirmed = await confirmBoth(request, deps);
  if (!confirmed.ok) return confirmed;
  const recoveryCodes = makeRecoveryCodes();
  const hashes = await hashAll(recoveryCodes);
  const { owner } = callerOf(request);
  return (await request.store.replaceRecoveryCodes(owner, hashes, authorOfCaller(request, deps)))
    ? succeed({ RecoveryCodes: recoveryCodes })
    : fail(1122, NONE);
}

/** New recovery codes; the old ones end. */
export const renewRecoveryCodes: Call = {
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: '/Otp/RecoveryCodes',
  tag: 'Otp',
  summary: 'Get new recovery codes in place of the old ones',
  isSpecified: false,
  body: [PASSWORD_MEMBER, REQUIRED_OTP],
  data: RECOVERY_CODES,
  codes: [1001, 1002, 1003, 1005, 1012, 1118, 1119, 1122, 1124],
  answer: renew,
};

async function remove(request: IdentifiedRequest, deps: CallDeps): Answer<unknown> {
  const confirmed = await confirmBoth(request, deps);
  if (!confirmed.ok) return confirmed;
  const { owner } = callerOf(request);
  await request.store.removeCodes(owner, authorOfCaller(request, deps), noteOf('codes-off', owner, deps));
  return succeed({ result: 'success', UserID: owner });
}

/** Removes the caller's own one-time codes. */
export const removeOtp: Call = {
  id: 'removeOtp',
  method: 'POST',
  path: '/Otp/Remove',
  tag: 'Otp',
  summary: 'Remove the one-time codes of your account',
  isSpecified: false,
  body: [PASSWORD_MEMBER, REQUIRED_OTP],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1012, 1118, 1119, 1122, 1124],
  answer: remove,
};

async function reset(request: IdentifiedRequest, deps: CallDeps): Answer<unknown> {
  const { store, body } = request;
  const id = readUserId(body);
  if (!id.ok) return id;
  // Else a stolen token could take the second factor away.
  if (id.value === callerOf(request).owner)
    return fail(1012, 'UserID is your own; remove your one-time codes by POST /api/Otp/Remove');
  if ((await store.findUser({ id: id.value })) === undefined)
    return fail(1121, 'UserID: there is no admin user with that id');
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  return (await store.removeCodes(id.value, authorOfCaller(request, deps), noteOf('codes-off', id.value, deps)))
    ? succeed({ result: 'success', UserID: id.value })
    : fail(1122, 'that admin user has no one-time codes');
}

/** Removes the one-time codes of somebody who has lost the app and the recovery codes. */
export const resetOtp: Call = {
  id: 'resetOtp',
  method: 'POST',
  path: '/Otp/Reset',
  tag: 'Otp',
  summary: 'Remove the one-time codes of another admin user, who has lost them',
  isSpecified: false,
  scope: 'admin',
  body: [USER_ID, PROOF_MEMBER],
  data: DONE,
  codes: [1001, 1002, 1003, 1005, 1011, 1012, 1121, ...PROOF_CODES],
  answer: reset,
};

/** All of them, in the order of the reference. */
export const oneTimeCodeCalls: readonly Call[] = [
  ...[otpStatus, enrolOtp, confirmOtp, renewRecoveryCodes, removeOtp, resetOtp],
];
