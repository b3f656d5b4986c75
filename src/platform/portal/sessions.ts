import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignedIn } from '../api/sign-in.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { type Session, sessionLimits } from '../model/session.ts';
import { describeBrowser } from './describe-browser.ts';
import type { Guest } from './visit.ts';

/** A new token of 160 bits, so a plain digest is safe to store. */
const makeToken = (): string => randomBytes(20).toString('base64url');
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{27}$/.test(text);
const hashToken = (token: string): string => hash('sha256', token);

const SEEN_EVERY_MS = 60_000;

/**
 * Starts a session for the user who has just signed in, and ends the browser's session before it. Resolves to the header
 * `set-cookie`.
 */
export async function startSession(
  { context, store, cookies, session, now }: Guest,
  { owner, passwordVersion, secondFactor }: SignedIn,
): Promise<string> {
  const token = makeToken();
  const signedInAt = new Date(now).toISOString();
  await store.addSession({
    hash: hashToken(token),
    userId: owner,
    passwordVersion,
    signedInAt,
    address: context.address === '' ? null : context.address,
    browser: describeBrowser(context.request.headers.get('user-agent') ?? ''),
    codeAt: secondFactor === 'none' ? null : signedInAt,
  });
  if (session !== undefined) await store.endSession(session.userId, session.id);
  return cookies.keep(token);
}

/** The first session that goes on, and its token; it is seen now. `now` is in Unix milliseconds. */
export async function findSession(
  store: PlatformStore,
  tokens: readonly string[],
  now: number,
): Promise<{ readonly session: Session; readonly token: string } | undefined> {
  for (const token of tokens) {
    const session = await store.findSession(hashToken(token), sessionLimits(now));
    if (session === undefined) continue;
    if (now - Date.parse(session.seenAt) >= SEEN_EVERY_MS)
      await store.touchSession(session.id, new Date(now).toISOString()).catch(() => {});
    return { session, token };
  }
  return undefined;
}

/** The CSRF token of a session: made of its secret token, so it needs no place, and ends with it. */
export const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url');

/** Does the form carry the CSRF token of the session? */
export function isOwnForm(sent: string | undefined, token: string): boolean {
  const own = Buffer.from(csrfTokenOf(token));
  const other = Buffer.from(sent ?? '');
  return own.length === other.length && timingSafeEqual(own, other);
}
