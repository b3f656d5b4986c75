import { parse, serialize } from 'hono/utils/cookie';
import type { Cookies } from './visit.ts';

/** A browser takes this name only over TLS, for the whole host, from the host itself. */
const SECURE_NAME = '__Host-subnetd';
const PLAIN_NAME = 'subnetd-session';

/** Reads and writes the cookie of a session. `isSecure`: the browser came by TLS. */
export function createCookies(header: string | null, isSecure: boolean): Cookies {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  // Lax: a link of a mail or a chat leads to a page that knows its reader. Every change is a POST with a token.
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure } as const;
  return {
    token: parse(header ?? '', name)[name],
    keep: (token) => serialize(name, token, options),
    forget: () => serialize(name, '', { ...options, maxAge: 0 }),
  };
}
