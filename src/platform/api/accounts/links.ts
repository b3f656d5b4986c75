import { hashLinkToken, LINK_TOKEN_SIZE, type LinkKind } from '../../model/account-link.ts';
import type { UserAccess } from '../../model/platform-store.ts';
import type { Author } from '../../model/records.ts';
import type { CallDeps, CallMember } from '../call.ts';
import { checkLookup } from '../check-text.ts';
import { checkSize, requireMember } from '../check-value.ts';
import { type Failure, type Outcome, succeed } from '../outcome.ts';
import { authorOf, type IdentifiedRequest } from '../request-context.ts';

/** The longest text that is read as the token of a link. */
const MAX_LENGTH = 200;

/** What is so long that it was most likely a token. */
const MAY_BE_CUT = /^[\w-]{20,}$/;

/** The member of a body with the token of a link. */
export const linkMember = (name: string): CallMember => ({
  name,
  isRequired: true,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_LENGTH,
    description: 'What the link in the mail has after `token=`.',
    examples: ['mZ0rTzq3vN8w5uYb1cXe7dKf2gHj4kLp6sQa9RtUoVi'],
  },
});

/**
 * The user of the link whose token a body sends as `name`. `refused` is the failure of one that is unknown, used or past its time,
 * or from before the last change of the password.
 */
export async function findLinkUser(
  { context, store, body }: IdentifiedRequest,
  name: string,
  kind: LinkKind,
  refused: Failure,
  { now }: CallDeps,
): Promise<Outcome<UserAccess>> {
  const present = requireMember(body, name);
  if (!present.ok) return present;
  const token = checkLookup(present.value, name, { kind: 'text', most: MAX_LENGTH });
  if (!token.ok) return token;
  // Mail programs cut long links. Such a link has not expired, but is not whole.
  const whole = MAY_BE_CUT.test(token.value) ? checkSize(token.value, name, LINK_TOKEN_SIZE) : token;
  if (!whole.ok) return whole;
  const link = await store.findLink(hashLinkToken(token.value), kind, new Date(now()).toISOString());
  const user = link && (await store.findUser({ id: link.userId }));
  const isCurrent = user !== undefined && user.passwordVersion === link?.passwordVersion;
  // Only its user knows the link, so an answer about an inactive one tells nobody else anything.
  const isOfInactive = kind === 'reset' && user?.isActive === false;
  if (user !== undefined && (isCurrent || isOfInactive)) return succeed(user);
  context.record('link refused', {});
  return { ok: false, failure: refused };
}

/** The author of a change by a link: the user whom it was sent to. */
export const authorByLink = (
  request: IdentifiedRequest,
  kind: LinkKind,
  user: UserAccess,
  { now }: CallDeps,
): Author => ({ ...authorOf(request, user.id, now()), owner: user.id, credential: `${kind} link` });
