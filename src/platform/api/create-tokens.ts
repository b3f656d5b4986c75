import { randomUUID } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Scope } from '../model/platform-store.ts';
import { MAX_INTEGER } from '../model/resource.ts';
import { parseScopes } from './scopes.ts';

/** What a token is made of. */
export interface NewToken {
  readonly userId: number;
  readonly scopes: readonly Scope[];
  /** The key that the token was made with; the token ends with the key. */
  readonly keyId?: number;
  /** The version of the user's password at that time; the token ends when the version rises. */
  readonly passwordVersion: number;
  /** Whether it is of a sign-in that showed a one-time code. */
  readonly hasCode?: boolean;
}

/** The claims of a token. */
export interface TokenClaims extends Omit<NewToken, 'hasCode'> {
  /** Its own id, by which it is revoked. */
  readonly id: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** When its sign-in showed a one-time code, in Unix milliseconds; absent if it did not. */
  readonly codeAt?: number | undefined;
}

/** Makes and reads tokens (JWT, HS256 and nothing else). */
export interface Tokens {
  issue(token: NewToken): Promise<{ readonly token: string; readonly expiresAt: string }>;
  /** Undefined for a token that is malformed, expired or not ours. */
  read(token: string): Promise<TokenClaims | undefined>;
}

const LIFE_SECONDS = 24 * 60 * 60;
const ISSUER = 'subnetd';

/** The authentication method of a one-time code in `amr`. Source: RFC 8176. */
const BY_CODE = 'otp';

/** How many verified tokens are kept; the oldest goes first. */
const KEPT_TOKENS = 1_000;

/** An id that fits a column of the database; undefined for everything else. */
const toId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER ? value : undefined;

/**
 * Is there one way only to write the signature? Its last character has bits that no byte takes, and a decoder ignores them. A
 * token with others would be a second text for the same token.
 */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The claims of a payload whose signature and dates are good; undefined if one is missing or of the wrong type. */
function toClaims({ sub, scope, key: statedKey, pwv, jti, iat, exp, amr }: JWTPayload): TokenClaims | undefined {
  const userId = typeof sub === 'string' && /^\d+$/.test(sub) ? toId(Number(sub)) : undefined;
  const scopes = typeof scope === 'string' ? parseScopes(scope) : undefined;
  const keyId = toId(statedKey);
  if (userId === undefined || scopes === undefined || typeof pwv !== 'number') return undefined;
  if (statedKey !== undefined && keyId === undefined) return undefined;
  if (jti === undefined || iat === undefined || exp === undefined) return undefined;
  const codeAt = Array.isArray(amr) && amr.includes(BY_CODE) ? iat * 1000 : undefined;
  return {
    userId,
    scopes,
    passwordVersion: pwv,
    keyId,
    id: jti,
    expiresAt: new Date(exp * 1000).toISOString(),
    codeAt,
  };
}

/**
 * Tokens signed with `secret`. `now` is in Unix milliseconds. A token that was verified is kept until it expires, as its
 * signature cannot change and costs most of a request.
 */
export async function createTokens(secret: string, now: () => number): Promise<Tokens> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'sign',
    'verify',
  ]);
  const kept = new Map<string, { readonly claims: TokenClaims; readonly expiresMs: number }>();
  const keep = (token: string, claims: TokenClaims, expiresMs: number) => {
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= KEPT_TOKENS) kept.delete(oldest);
    kept.set(token, { claims, expiresMs });
  };
  return {
    issue: async ({ userId, scopes, keyId, passwordVersion, hasCode = false }) => {
      const claims = { scope: scopes.join(' '), pwv: passwordVersion, ...(hasCode && { amr: ['pwd', BY_CODE] }) };
      const issuedAt = Math.floor(now() / 1000);
      const token = await new SignJWT({ ...claims, ...(keyId !== undefined && { key: keyId }) })
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
      const known = kept.get(token);
      if (known !== undefined && now() < known.expiresMs) return known.claims;
      kept.delete(token);
      if (!hasCanonicalSignature(token)) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
          currentDate: new Date(now()),
        });
        const claims = toClaims(payload);
        if (claims !== undefined) keep(token, claims, (payload.exp ?? 0) * 1000);
        return claims;
      } catch {
        return undefined;
      }
    },
  };
}
