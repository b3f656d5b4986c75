import { hashLinkToken, LINK_TOKEN_SIZE, type LinkKind } from '../../model/account-link.ts';
import type { UserAccess } from '../../model/platform-store.ts';
import type { Author } from '../../model/records.ts';
import { type Actor, authorOf } from '../actor.ts';
import { type CallDeps, required } from '../call.ts';
import { checkLookup } from '../check-text.ts';
import { checkSize } from '../check-value.ts';
import { type Failure, type Outcome, succeed } from '../outcome.ts';

/** The longest text that is read as the token of a link. */
const MAX_LENGTH = 200;

/** What is so long that it was most likely a token. */
const MAY_BE_CUT = /^[\w-]{20,}$/;

/** The member of a body with the token of a link. */
export const LINK_TOKEN = required<string>({
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_LENGTH,
    description: 'The value after `token=` in the mailed link.',
    examples: ['mZ0rTzq3vN8w5uYb1cXe7dKf2gHj4kLp6sQa9RtUoVi'],
  },
  codes: [1003, 1005, 1007, 1012],
  read: (value, name) => {
    const token = checkLookup(value, name, { kind: 'text', most: MAX_LENGTH });
    // Mail programs cut long links. Such a link has not expired, but is not whole.
    return token.ok && MAY_BE_CUT.test(token.value) ? checkSize(token.value, name, LINK_TOKEN_SIZE) : token;
  },
});

/**
 * The user of the link with the token. `refused` is the failure of one that is unknown, used or past its time, or from before
 * the last change of the password.
 */
export async function findLinkUser(
  { store, record }: Actor,
  token: string,
  kind: LinkKind,
  refused: Failure,
  { now }: CallDeps,
): Promise<Outcome<UserAccess>> {
  const link = await store.findLink(hashLinkToken(token), kind, new Date(now()).toISOString());
  const user = link && (await store.findUser({ id: link.userId }));
  const isCurrent = user !== undefined && user.passwordVersion === link?.passwordVersion;
  // Only its user knows the link, so an answer about an inactive one tells nobody else anything.
  const isOfInactive = kind === 'reset' && user?.isActive === false;
  if (user !== undefined && (isCurrent || isOfInactive)) return succeed(user);
  record('link refused', {});
  return { ok: false, failure: refused };
}

/** The author of a change by a link: the user whom it was sent to. */
export const authorByLink = (actor: Actor, kind: LinkKind, user: UserAccess, { now }: CallDeps): Author => ({
  ...authorOf(actor, user.id, now()),
  owner: user.id,
  credential: `${kind} link`,
});
