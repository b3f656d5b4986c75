import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { serialize } from 'hono/utils/cookie';
import type { SignedIn } from '../api/sign-in.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { type Session, sessionLimits } from '../model/session.ts';
import type { Cookies, Guest } from './visit.ts';

/** A browser takes this name only over TLS, for the whole host, from the host itself. */
const SECURE_NAME = '__Host-subnetd';
const PLAIN_NAME = 'subnetd-session';

/** So many cookies of one name are looked at. */
const MOST_TOKENS = 8;

/** The tokens of all cookies of that name: whoever serves another path or a neighbouring host may add one before ours. */
const tokensOf = (header: string, name: string): readonly string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter(isToken)
    .slice(0, MOST_TOKENS);

/** Reads and writes the cookie of a session. `isSecure`: the browser came by TLS. */
export function createCookies(header: string | null, isSecure: boolean): Cookies {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  // Lax: a link of a mail or a chat leads to a page that knows its reader. Every change is a POST with a token.
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure } as const;
  const tokens = tokensOf(header ?? '', name);
  return {
    tokens,
    keep: (token) => serialize(name, token, options),
    forget: () => (tokens.length === 0 ? undefined : serialize(name, '', { ...options, maxAge: 0 })),
  };
}

/** In this order, as most browsers also name the ones before them. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** A browser in words, as in `Firefox on Linux`, from its header `user-agent`. Quotes nothing of it. */
function describeBrowser(userAgent: string): string {
  const [, browser = 'another browser'] = BROWSERS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  const [, system] = SYSTEMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** A new token of 160 bits, so a plain digest is safe to store. */
const makeToken = (): string => randomBytes(20).toString('base64url');
const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{27}$/.test(text);
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
