import type { RecordUpdate, Values } from '../../model/platform-store.ts';
import { type ApiRecord, PASSWORD_MASK, type Resource } from '../../model/resource.ts';
import { type Actor, callerOf } from '../actor.ts';
import { asSent, type CallDeps, type Member } from '../call.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { checkOtp, NEEDS_CODES, OTP, readOtp } from './check-otp.ts';
import { guardCheck } from './confirm-password.ts';

/** How long a sign-in with a one-time code counts for the steps that need one, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** The member `Otp` of the body of a step that calls `proveCaller`, which alone reads it, of those who need one. */
export const PROOF: Member = {
  schema: {
    ...OTP.schema,
    description:
      'A code from your own app, or a recovery code. Required if your account has one-time codes, unless the token comes from a sign-in with a code in the last ten minutes.',
  },
  codes: OTP.codes,
  read: asSent,
};

const MISSING = 'Otp is missing; this step needs a one-time code, because your account has them turned on';

/** Has the caller one-time codes, and shown none in the last minutes? With `requiresOtp`, all callers count as having them. */
export async function owesCode(actor: Actor, { now, requiresOtp }: CallDeps): Promise<boolean> {
  const { owner, codeAt } = callerOf(actor);
  if (codeAt !== undefined && now() - codeAt <= RECENT_MS) return false;
  return requiresOtp || (await actor.store.findCodes(owner))?.isConfirmed === true;
}

/**
 * Asks a caller with one-time codes for one before a step by which somebody could get an account: its password, its codes, its
 * address, a new user, another key. A stolen token or key is not enough for it. The code is `otp`, as it was sent, or in a
 * sign-in of the last minutes, which an API key never has. Callers without codes go on.
 */
export async function proveCaller(actor: Actor, otp: unknown, deps: CallDeps): Promise<Outcome<undefined>> {
  if (!(await owesCode(actor, deps))) return succeed(undefined);
  const { store, caller, record } = actor;
  const { owner } = callerOf(actor);
  const refuse = (why: string) => {
    record('code refused', { caller });
    return fail(1122, why);
  };
  if ((await store.findCodes(owner))?.isConfirmed !== true) return refuse(NEEDS_CODES);
  const sent = readOtp(otp);
  if (!sent.ok) return sent;
  if (sent.value === undefined) return refuse(MISSING);
  const checked = await guardCheck(actor, deps, () => checkOtp(store, owner, sent.value, deps));
  if (!checked.ok) return checked;
  if (checked.value === 'recovery code') record('recovery code used', { caller });
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
  actor: Actor,
  { resource, id, values, isKnown }: Pick<RecordUpdate, 'resource' | 'id' | 'values' | 'isKnown'>,
  otp: unknown,
  deps: CallDeps,
): Promise<Outcome<RecordUpdate['isKnown']>> {
  const isOfUser = resource.members.some(({ kind }) => kind === 'password');
  if (!isOfUser || !(await owesCode(actor, deps))) return succeed(isKnown);
  if (changesSignIn(resource, await actor.store.find(resource, id), values)) {
    const proved = await proveCaller(actor, otp, deps);
    return proved.ok ? succeed(isKnown) : proved;
  }
  return succeed((record) => !changesSignIn(resource, record, values) && (isKnown?.(record) ?? true));
}
