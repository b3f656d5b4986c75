import { randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Scope } from '../model/platform-store.ts';
import { MAX_INTEGER } from '../model/resource.ts';
import { parseScopes } from './scopes.ts';

/** The claims of a token. */
export interface TokenClaims {
  readonly userId: number;
  readonly scopes: readonly Scope[];
  /** The key that the token was made with; the token ends with the key. */
  readonly keyId?: number;
  /** The version of the user's password at that time; the token ends when the version rises. */
  readonly passwordVersion: number;
}

/** Makes and reads tokens (JWT, HS256 and nothing else). */
export interface Tokens {
  issue(claims: TokenClaims): Promise<{ readonly token: string; readonly expiresAt: string }>;
  /** Undefined for a token that is malformed, expired or not ours. */
  read(token: string): Promise<TokenClaims | undefined>;
}

const LIFE_SECONDS = 24 * 60 * 60;
const ISSUER = 'subnetd';

/** An id that fits a column of the database; undefined for everything else. */
const toId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER ? value : undefined;

/** Tokens signed with `secret`. `now` is in Unix milliseconds. */
export async function createTokens(secret: string, now: () => number): Promise<Tokens> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'sign',
    'verify',
  ]);
  return {
    issue: async ({ userId, scopes, keyId, passwordVersion }) => {
      const scope = scopes.join(' ');
      const issuedAt = Math.floor(now() / 1000);
      const token = await new SignJWT({ scope, pwv: passwordVersion, ...(keyId !== undefined && { key: keyId }) })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(String(userId))
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + LIFE_SECONDS)
        .sign(key);
      return { token, expiresAt: new Date((issuedAt + LIFE_SECONDS) * 1000).toISOString() };
    },
    read: async (token) => {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
          currentDate: new Date(now()),
        });
        const { sub, scope, key: statedKey, pwv } = payload;
        const userId = typeof sub === 'string' && /^\d+$/.test(sub) ? toId(Number(sub)) : undefined;
        const scopes = typeof scope === 'string' ? parseScopes(scope) : undefined;
        const keyId = toId(statedKey);
        if (userId === undefined || scopes === undefined || typeof pwv !== 'number') return undefined;
        if (statedKey !== undefined && keyId === undefined) return undefined;
        return { userId, scopes, passwordVersion: pwv, keyId };
      } catch {
        return undefined;
      }
    },
  };
}
