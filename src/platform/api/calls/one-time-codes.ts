import type { Note } from '../../model/mail.ts';
import { checkDigits, loadOneTimeCodes, makeRecoveryCodes, OTP, type SentOtp } from '../accounts/check-otp.ts';
import { confirmPassword, guardCheck, OWN_PASSWORD, userNameKeyOf } from '../accounts/confirm-password.ts';
import { PROOF, proveCaller } from '../accounts/prove-caller.ts';
import { type Actor, authorOfCaller, callerOf } from '../actor.ts';
import { type Call, type CallDeps, defineCall, objectOf, required, USER_DONE, USER_ID } from '../call.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { hashPassword } from '../passwords.ts';

const NONE = 'this account has no one-time codes; enrol with POST /api/Otp/Enrol';

const text = (description: string) => ({ type: 'string', description });
const RECOVERY_CODES = objectOf({
  RecoveryCodes: {
    type: 'array',
    items: { type: 'string' },
    description: 'Each signs in once, instead of a code from the app. They are shown only once.',
  },
});
const REQUIRED_OTP = required(OTP);
const common = { tag: 'Otp', method: 'POST' } as const;

/** The mail to the user; none without a mail server. */
const noteOf = (kind: Note['kind'], userId: number, { mails }: CallDeps): Note | undefined => mails && { kind, userId };

/** New recovery codes, and the hashes to keep of them. */
async function makeHashedCodes() {
  const codes = makeRecoveryCodes();
  return { codes, hashes: await Promise.all(codes.map(hashPassword)) };
}

/** The state of the caller's own one-time codes. */
const otpStatus = defineCall({
  ...common,
  id: 'getOtpStatus',
  method: 'GET',
  path: '/Otp/Status',
  summary: 'Show whether your account has one-time codes',
  data: objectOf({ IsEnrolled: { type: 'boolean' }, RecoveryCodesLeft: { type: 'integer' } }),
  run: async (_, actor) => {
    const codes = await actor.store.findCodes(callerOf(actor).owner);
    return succeed({ IsEnrolled: codes?.isConfirmed === true, RecoveryCodesLeft: codes?.recoveryCodes ?? 0 });
  },
});

/** Starts an enrolment, which `confirmOtp` ends. Until then sign-ins ask for no code. */
export const enrolOtp = defineCall({
  ...common,
  id: 'enrolOtp',
  path: '/Otp/Enrol',
  summary: 'Start to enrol an authenticator app',
  description: 'Sign-ins ask for a code only after POST /Otp/Confirm. A second call replaces an unconfirmed secret.',
  body: { Password: OWN_PASSWORD },
  data: objectOf({
    Secret: text('The secret for the app in base32, to type in.'),
    Address: text('The same as an otpauth URI.'),
    Picture: text('The URI as a QR code in SVG.'),
  }),
  codes: [1012],
  run: async ({ Password }, actor, deps) => {
    const confirmed = await confirmPassword(actor, Password, deps);
    if (!confirmed.ok) return confirmed;
    const { store } = actor;
    const { owner } = callerOf(actor);
    const { codeAddress, codePicture, makeCodeSecret } = await loadOneTimeCodes();
    const secret = makeCodeSecret();
    if (!(await store.startCodes(owner, (await deps.sealer()).seal(secret))))
      return fail(1012, 'this account already has one-time codes; remove them first with POST /api/Otp/Remove');
    const address = codeAddress(secret, await userNameKeyOf(store, owner));
    return succeed({ Secret: secret, Address: address, Picture: codePicture(address) });
  },
});

/** Ends an enrolment: from here on sign-ins by password ask for a code. */
export const confirmOtp = defineCall({
  ...common,
  id: 'confirmOtp',
  path: '/Otp/Confirm',
  summary: 'Confirm the enrolment with the first code, and get recovery codes',
  description: 'From then on, signing in with a password requires a code. API keys and tokens stay valid.',
  body: { Otp: REQUIRED_OTP },
  data: RECOVERY_CODES,
  codes: [1012],
  run: async ({ Otp }, actor, deps) => {
    const { store } = actor;
    const { owner } = callerOf(actor);
    const enrolled = await store.findCodes(owner);
    if (enrolled === undefined) return fail(1122, NONE);
    const { secret, isConfirmed } = enrolled;
    if (isConfirmed) return fail(1012, 'the one-time codes of this account are already confirmed');
    if (Otp === undefined || !('digits' in Otp))
      return fail(1122, 'Otp must be the six digits from your authenticator app');
    const checked = await guardCheck(actor, deps, () => checkDigits(store, owner, secret, Otp.digits, deps));
    if (!checked.ok) return checked;
    const { codes, hashes } = await makeHashedCodes();
    const author = authorOfCaller(actor, deps.now());
    return (await store.confirmCodes(owner, { secret, hashes }, author, noteOf('codes-on', owner, deps)))
      ? succeed({ RecoveryCodes: codes })
      : fail(1122, 'the enrolment was restarted in the meantime; confirm it with a code from the newer secret');
  },
});

/** Asks for password and code of an account that has codes. */
async function confirmBoth(
  { Password, Otp }: { readonly Password: string; readonly Otp: SentOtp },
  actor: Actor,
  deps: CallDeps,
): Promise<Outcome<unknown>> {
  const confirmed = await confirmPassword(actor, Password, deps, { sent: Otp });
  return confirmed.ok && confirmed.value === 'none' ? fail(1122, NONE) : confirmed;
}

/** New recovery codes; the old ones end. */
export const renewRecoveryCodes = defineCall({
  ...common,
  id: 'renewRecoveryCodes',
  path: '/Otp/RecoveryCodes',
  summary: 'Replace the recovery codes with new ones',
  body: { Password: OWN_PASSWORD, Otp: REQUIRED_OTP },
  data: RECOVERY_CODES,
  run: async (input, actor, deps) => {
    const confirmed = await confirmBoth(input, actor, deps);
    if (!confirmed.ok) return confirmed;
    const { codes, hashes } = await makeHashedCodes();
    return (await actor.store.replaceRecoveryCodes(callerOf(actor).owner, hashes, authorOfCaller(actor, deps.now())))
      ? succeed({ RecoveryCodes: codes })
      : fail(1122, NONE);
  },
});

/** Removes the caller's own one-time codes. */
export const removeOtp = defineCall({
  ...common,
  id: 'removeOtp',
  path: '/Otp/Remove',
  summary: 'Remove the one-time codes of your account',
  body: { Password: OWN_PASSWORD, Otp: REQUIRED_OTP },
  data: USER_DONE,
  run: async (input, actor, deps) => {
    const confirmed = await confirmBoth(input, actor, deps);
    if (!confirmed.ok) return confirmed;
    const { owner } = callerOf(actor);
    await actor.store.removeCodes(owner, authorOfCaller(actor, deps.now()), noteOf('codes-off', owner, deps));
    return succeed({ result: 'success', UserID: owner });
  },
});

/** Removes the one-time codes of somebody who has lost the app and the recovery codes. */
export const resetOtp = defineCall({
  ...common,
  id: 'resetOtp',
  path: '/Otp/Reset',
  summary: 'Remove the one-time codes of another admin user who has lost them',
  scope: 'admin',
  body: { UserID: USER_ID, Otp: PROOF },
  data: USER_DONE,
  codes: [1012, 1121],
  run: async ({ UserID, Otp }, actor, deps) => {
    const { store } = actor;
    // Else a stolen token could take the second factor away.
    if (UserID === callerOf(actor).owner)
      return fail(1012, 'UserID is your own; remove your one-time codes with POST /api/Otp/Remove');
    if ((await store.findUser({ id: UserID })) === undefined)
      return fail(1121, 'UserID: there is no admin user with that id');
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    return (await store.removeCodes(UserID, authorOfCaller(actor, deps.now()), noteOf('codes-off', UserID, deps)))
      ? succeed({ result: 'success', UserID })
      : fail(1122, 'that admin user has no one-time codes');
  },
});

/** All of them, in the order of the reference. */
export const oneTimeCodeCalls: readonly Call[] = [
  ...[otpStatus, enrolOtp, confirmOtp, renewRecoveryCodes, removeOtp, resetOtp],
];
