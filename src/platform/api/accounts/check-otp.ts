import { randomBytes } from 'node:crypto';
import type { CodeEnrolment, SignInStore } from '../../model/sign-in-store.ts';
import type { CallDeps, Member } from '../call.ts';
import { checkLookup } from '../check-text.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { verifyPassword } from '../passwords.ts';

/** Crockford's base32: no letter looks like a digit. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

const CODES = 10;
const LETTERS_EACH = 15;

const withDashes = (code: string): string => (code.match(/.{4}/g) ?? []).join('-');

/** New recovery codes of 75 bits, as in `3k7f-9q2m-x4tb-12ab`. The first character is the place in the list. */
export const makeRecoveryCodes = (): readonly string[] =>
  Array.from({ length: CODES }, (_, place) => {
    const letters = [...randomBytes(LETTERS_EACH)].map((byte) => LETTERS[byte & 31]);
    return withDashes(`${place}${letters.join('')}`);
  });

/** The code as it was made, and its place in the list; undefined for a text of another form. */
export function parseRecoveryCode(text: string): { readonly place: number; readonly code: string } | undefined {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  if (!new RegExp(`^\\d[${LETTERS}]{${LETTERS_EACH}}$`).test(letters)) return undefined;
  return { place: Number(letters[0]), code: withDashes(letters) };
}

/** A code as sent: of an app, or a recovery code; undefined if none was sent. */
export type SentOtp = { readonly digits: string } | { readonly place: number; readonly code: string } | undefined;

/** The longest text that is read as a code. */
const MAX_LENGTH = 40;

/** Reads a code. As with every credential, an empty one is none. */
export function readOtp(value: unknown): Outcome<SentOtp> {
  if (value === undefined || value === null || value === '') return succeed(undefined);
  const text = checkLookup(value, 'Otp', { kind: 'text', most: MAX_LENGTH });
  if (!text.ok) return text;
  const digits = text.value.replaceAll(/\s/g, '');
  if (digits === '') return succeed(undefined);
  const sent = /^\d{6}$/.test(digits) ? { digits } : parseRecoveryCode(text.value);
  return sent === undefined
    ? fail(1122, 'Otp must be the six digits from your authenticator app, or a recovery code')
    : succeed(sent);
}

/** The member `Otp` of a body. */
export const OTP: Member<SentOtp> = {
  schema: {
    type: 'string',
    maxLength: MAX_LENGTH,
    description:
      'The six digits from the authenticator app, or a recovery code. Required if the account has one-time codes.',
    examples: ['492039'],
  },
  codes: [1003, 1005, 1012, 1119, 1122, 1124],
  read: readOtp,
};

const NOT_READABLE =
  'the one-time codes of this account cannot be checked because the secret of subnetd has changed; send a recovery code, or ask an admin to remove them';

/** The refusal of a user who has no codes where every admin user needs them. */
export const NEEDS_CODES =
  'every admin user must use one-time codes here, and your account has none; sign in at /portal to set them up, then send Otp';

/** Loaded for the first who has one-time codes: it takes 6 MB. */
export const loadOneTimeCodes = () => import('./one-time-codes.ts');

/** Checks a code of the app against a sealed secret, and takes it, so that nobody uses it twice. */
export async function checkDigits(
  store: SignInStore,
  userId: number,
  secret: string,
  digits: string,
  { sealer, now }: CallDeps,
): Promise<Outcome<undefined>> {
  const opened = (await sealer()).unseal(secret);
  if (opened === undefined) return fail(1122, NOT_READABLE);
  const { checkCode } = await loadOneTimeCodes();
  const { check, step } = checkCode(opened, digits, now());
  if (check === 'past') return fail(1124, 'Otp has expired; send the code that the app shows now');
  if (check === 'wrong' || step === undefined)
    return fail(1119, 'Otp is wrong; check the clock of your phone and send the code that the app shows now');
  return (await store.takeStep(userId, step))
    ? succeed(undefined)
    : fail(1119, 'Otp was used before; wait for the next code');
}

async function checkRecoveryCode(
  store: SignInStore,
  userId: number,
  { place, code }: { readonly place: number; readonly code: string },
): Promise<Outcome<undefined>> {
  const isRight = await verifyPassword(await store.findRecoveryCode(userId, place), code);
  return isRight && (await store.takeRecoveryCode(userId, place))
    ? succeed(undefined)
    : fail(1119, 'Otp is not one of the remaining recovery codes; send another, or the code that the app shows now');
}

/** How a sign-in has shown the second factor; `none`: the account has no one-time codes. */
export type SecondFactor = 'none' | 'code' | 'recovery code';

/**
 * Checks the code of a user whose password is right. Only then may an answer tell whether the account has one-time
 * codes, or whether a code is of a past window.
 */
export async function checkOtp(
  store: SignInStore,
  userId: number,
  sent: SentOtp,
  deps: CallDeps,
): Promise<Outcome<SecondFactor>> {
  const enrolment: CodeEnrolment | undefined = await store.findCodes(userId);
  if (!enrolment?.isConfirmed)
    return sent === undefined
      ? succeed('none')
      : fail(
          1122,
          'Otp is not needed: this account has no one-time codes; leave it out, or enrol with POST /api/Otp/Enrol',
        );
  if (sent === undefined) return fail(1122, 'Otp is missing; this account needs a one-time code');
  const checked =
    'digits' in sent
      ? await checkDigits(store, userId, enrolment.secret, sent.digits, deps)
      : await checkRecoveryCode(store, userId, sent);
  return checked.ok ? succeed('digits' in sent ? 'code' : 'recovery code') : checked;
}
