import { serialize } from 'hono/utils/cookie';
import { isToken } from './sessions.ts';
import type { Cookies } from './visit.ts';

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
