import type { RecordUpdate, Values } from '../../model/platform-store.ts';
import { type ApiRecord, PASSWORD_MASK, type Resource } from '../../model/resource.ts';
import type { CallDeps, CallMember } from '../call.ts';
import type { ErrorCode } from '../error-codes.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';
import { checkOtp, NEEDS_CODES, OTP_MEMBER, readOtp } from './check-otp.ts';
import { callerOf, guardCheck } from './confirm-password.ts';

/** How long a sign-in with a one-time code counts for the steps that need one, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** The member of the body of a step that calls `proveCaller`. */
export const PROOF_MEMBER: CallMember = {
  ...OTP_MEMBER,
  schema: {
    ...OTP_MEMBER.schema,
    description:
      'A code of your own app, or a recovery code. Needed if your account has one-time codes, unless the token is of a sign-in with one in the last ten minutes.',
  },
};

/** The codes that `proveCaller` answers, besides those of a wrong type or length. */
export const PROOF_CODES: readonly ErrorCode[] = [1119, 1122, 1124];

/** What the proof needs. */
export type ProofDeps = Pick<CallDeps, 'limits' | 'lock' | 'sealer' | 'now' | 'requiresOtp'>;

const MISSING = 'Otp is missing; your account has one-time codes, and this step needs one: send Otp';

/** Has the caller one-time codes, and shown none in the last minutes? With `requiresOtp`, all callers count as having them. */
export async function owesCode(
  request: IdentifiedRequest,
  { now, requiresOtp }: Pick<ProofDeps, 'now' | 'requiresOtp'>,
): Promise<boolean> {
  const { owner, codeAt } = callerOf(request);
  if (codeAt !== undefined && now() - codeAt <= RECENT_MS) return false;
  return requiresOtp || (await request.store.findCodes(owner))?.isConfirmed === true;
}

/**
 * Asks a caller with one-time codes for one before a step by which somebody could get an account: its password, its codes, its
 * address, a new user, another key. A stolen token or key is not enough for it. The code is in the request (`Otp`), or in a
 * sign-in of the last minutes, which an API key never has. Callers without codes go on.
 */
export async function proveCaller(request: IdentifiedRequest, deps: ProofDeps): Promise<Outcome<undefined>> {
  if (!(await owesCode(request, deps))) return succeed(undefined);
  const { context, store, body, caller } = request;
  const { owner } = callerOf(request);
  const refuse = (why: string) => {
    context.record('code refused', { caller });
    return fail(1122, why);
  };
  if ((await store.findCodes(owner))?.isConfirmed !== true) return refuse(NEEDS_CODES);
  const sent = readOtp(body);
  if (!sent.ok) return sent;
  if (sent.value === undefined) return refuse(MISSING);
  const checked = await guardCheck(request, deps, () => checkOtp(store, owner, sent.value, deps));
  if (!checked.ok) return checked;
  if (checked.value === 'recovery code') context.record('recovery code used', { caller });
  return succeed(undefined);
}

/** Does the update change who signs in, or how: the name, password, e-mail address or activity of a user? */
const changesSignIn = ({ members, flag }: Resource, before: ApiRecord | undefined, values: Values): boolean =>
  members.some((member) => {
    const { name, kind } = member;
    if (values[name] === undefined) return false;
    // Whether it is the same password is for callers who may set it: nobody else guesses it here.
    if (kind === 'password') return values[name] !== PASSWORD_MASK;
    const isNamed = kind === 'text' && member.key !== undefined;
    return (isNamed || name === flag.member) && values[name] !== before?.[name];
  });

/**
 * Asks for a one-time code of the caller before an update that changes how a user signs in. Resolves to the condition of the
 * update in its transaction: without a code, that it still changes no such thing.
 */
export async function proveUpdate(
  request: IdentifiedRequest,
  { resource, id, values, isKnown }: Pick<RecordUpdate, 'resource' | 'id' | 'values' | 'isKnown'>,
  deps: ProofDeps,
): Promise<Outcome<RecordUpdate['isKnown']>> {
  const isOfUser = resource.members.some(({ kind }) => kind === 'password');
  if (!isOfUser || !(await owesCode(request, deps))) return succeed(isKnown);
  if (changesSignIn(resource, await request.store.find(resource, id), values)) {
    const proved = await proveCaller(request, deps);
    return proved.ok ? succeed(isKnown) : proved;
  }
  return succeed((record) => !changesSignIn(resource, record, values) && (isKnown?.(record) ?? true));
}
