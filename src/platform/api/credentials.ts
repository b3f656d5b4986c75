import { isListed, parseTrustedProxies } from '../../lib/addresses.ts';
import type { KeyAccess, PlatformStore, Scope } from '../model/platform-store.ts';
import type { Subject } from '../model/security-event.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Body } from './check-value.ts';
import type { Tokens } from './create-tokens.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { expandScopes } from './scopes.ts';

/** The credentials of a request, as sent. */
export interface SentCredentials {
  readonly apiKeys: readonly unknown[];
  readonly tokens: readonly unknown[];
}

/** The caller of a request. */
export interface Caller {
  readonly owner: number;
  /** Everything that the caller may do. */
  readonly scopes: readonly Scope[];
  readonly keyId?: number;
  /** When the key of the credential ends, ISO 8601; absent without a key or an end. */
  readonly keyEndsAt?: string;
  /** The token of the request, and when it ends, ISO 8601. */
  readonly token?: { readonly id: string; readonly expiresAt: string };
  /** When the sign-in of the credential showed a one-time code, in Unix milliseconds; absent if it did not. */
  readonly codeAt?: number | undefined;
  /** For the audit trail and the limits. */
  readonly credential: string;
}

const hasExpired = ({ expiresAt }: KeyAccess, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

const aboutKey = (id: number | undefined): Subject | undefined =>
  id === undefined ? undefined : { resource: 'ApiKey', id };

const endOf = ({ expiresAt }: KeyAccess) => expiresAt !== null && { keyEndsAt: expiresAt };

const ASK = 'ask for a new one (subnetd apikey create)';

const NO_CODE =
  'the token was made without a one-time code, which every admin user needs here; get a new one from POST /api/Auth/Token with Otp';

/** What the check of credentials needs. */
export interface CredentialDeps {
  readonly tokens: () => Promise<Tokens>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Whether every admin user needs one-time codes. */
  readonly requiresOtp: boolean;
}

/** Where a request comes from. */
interface From {
  /** The address of the client; empty if unknown. */
  readonly address: string;
}

const isSent = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

/** The header with an API key. */
export const KEY_HEADER = 'x-api-key';

/** Collects the credentials of the body, the query and the headers, without empty ones. */
export function takeCredentials(body: Body, query: URLSearchParams | undefined, headers: Headers): SentCredentials {
  const own = (name: string) => (Object.hasOwn(body, name) ? [body[name]] : []);
  const sent = (name: string) => [...own(name), ...(query?.getAll(name) ?? [])].filter(isSent);
  // A repeated header arrives joined by commas, which no key or token contains. The scheme Basic is meant for the web
  // config, or for a proxy in front.
  const inHeader = (name: string) => (headers.get(name) ?? '').split(',').map((one) => one.trim());
  const bearers = inHeader('authorization')
    .filter((one) => !/^Basic(?:\s|$)/i.test(one))
    .map((one) => one.replace(/^Bearer(?:\s+|$)/i, ''));
  return {
    apiKeys: [...sent('apiKey'), ...inHeader(KEY_HEADER).filter(isSent)],
    tokens: [...sent('token'), ...bearers.filter(isSent)],
  };
}

/** Refuses a key, or a token of it, from an address that the key does not allow. */
function checkAddress({ id, allowedIps }: KeyAccess, address: string): Outcome<undefined> {
  if (allowedIps.length === 0) return succeed(undefined);
  const allowed = parseTrustedProxies(allowedIps.join(' '));
  if (allowed.ok && isListed(address, allowed.proxies)) return succeed(undefined);
  const from = address === '' ? 'an unknown address' : address;
  return fail(1104, `the API key may not be used from ${from}; ask an admin user to allow it`, undefined, aboutKey(id));
}

async function checkKey(
  store: PlatformStore,
  key: unknown,
  { now, address }: Pick<CredentialDeps, 'now'> & From,
): Promise<Outcome<Caller>> {
  const refused = (why: string, id?: number) => fail(1123, `the API key ${why}`, undefined, aboutKey(id));
  if (typeof key !== 'string' || !isApiKey(key.trim())) return refused(`is not valid; ${ASK}`);
  const found = await store.findKey({ hash: hashApiKey(key.trim()) });
  if (found === undefined) return refused(`is not valid; ${ASK}`);
  const { owner, scopes, id, expiresAt } = found;
  if (found.isRevoked || !found.ownerIsActive) return refused(`was revoked; ${ASK}`, id);
  if (hasExpired(found, now())) {
    const next = found.isReplaced ? 'it was rotated: use the new one' : ASK;
    return refused(`ended on ${expiresAt}; ${next}`, id);
  }
  const allowed = checkAddress(found, address);
  if (!allowed.ok) return allowed;
  return succeed({ owner, scopes: expandScopes(scopes), keyId: id, credential: `key ${id}`, ...endOf(found) });
}

async function checkToken(
  store: PlatformStore,
  token: unknown,
  { tokens, now, requiresOtp, address }: CredentialDeps & From,
): Promise<Outcome<Caller>> {
  const claims = typeof token === 'string' ? await (await tokens()).read(token.trim()) : undefined;
  const subject: Subject | undefined = claims && { resource: 'AdminUser', id: claims.userId };
  const why =
    typeof token === 'string' && isApiKey(token.trim())
      ? 'this is an API key, not a token; send it as apiKey in the query or the body'
      : 'the token is invalid or has ended; get a new one from POST /api/Auth/Token';
  const refused = fail(1104, why, undefined, subject);
  if (claims === undefined) return refused;
  const { userId, keyId, id, expiresAt, codeAt } = claims;
  let scopes = expandScopes(claims.scopes);
  const user = await store.findTokenUser(userId, id);
  if (user === undefined || !user.isActive || user.passwordVersion !== claims.passwordVersion) return refused;
  if (requiresOtp && keyId === undefined && codeAt === undefined) return fail(1104, NO_CODE, undefined, subject);
  let end: ReturnType<typeof endOf> = false;
  if (keyId !== undefined) {
    const key = await store.findKey({ id: keyId });
    if (key === undefined || key.isRevoked || hasExpired(key, now())) return refused;
    const allowed = checkAddress(key, address);
    if (!allowed.ok) return allowed;
    const ofKey = expandScopes(key.scopes);
    scopes = scopes.filter((scope) => ofKey.includes(scope));
    end = endOf(key);
  }
  const credential = keyId === undefined ? 'token' : `token of key ${keyId}`;
  return succeed({ owner: userId, scopes, credential, keyId, token: { id, expiresAt }, codeAt, ...end });
}

/**
 * Checks every credential: all must be valid, and the request has the scopes that they have in common. The first one is
 * the caller; undefined without credentials.
 */
export async function checkCredentials(
  store: PlatformStore,
  sent: SentCredentials,
  deps: CredentialDeps & From,
): Promise<Outcome<Caller | undefined>> {
  let caller: Caller | undefined;
  const check = (value: unknown, isKey: boolean) =>
    isKey ? checkKey(store, value, deps) : checkToken(store, value, deps);
  for (const [values, isKey] of [
    [sent.apiKeys, true],
    [sent.tokens, false],
  ] as const)
    for (const value of values) {
      const checked = await check(value, isKey);
      if (!checked.ok) return checked;
      const { scopes } = checked.value;
      caller = caller ? { ...caller, scopes: caller.scopes.filter((scope) => scopes.includes(scope)) } : checked.value;
    }
  return succeed(caller);
}
