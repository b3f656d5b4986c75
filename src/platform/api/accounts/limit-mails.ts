import { addressKey } from '../../../lib/addresses.ts';
import type { CallDeps } from '../call.ts';
import { fail, type Outcome } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';

/**
 * Counts a mail to an address that the caller can choose as a sign-in from the caller's address. Nobody floods others by a
 * stolen key.
 */
export async function limitMails(
  { context, caller }: IdentifiedRequest,
  { limits }: Pick<CallDeps, 'limits'>,
): Promise<Outcome<unknown>> {
  const limited = await limits.signInFrom(addressKey(context.address));
  if (limited.ok) return limited;
  context.record('slowed', { caller, detail: { name: 'Limit', value: 'sign-in' } });
  return fail(1102, 'too many mails and sign-ins; wait as Retry-After says', limited.failure.headers);
}
