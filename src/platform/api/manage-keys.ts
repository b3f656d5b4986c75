import { parseTrustedProxies } from '../../lib/addresses.ts';
import { HOUR_MS } from '../../lib/duration.ts';
import type { ApiKeyRow, NewApiKey, PlatformStore } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import { hashApiKey, hintOf, makeApiKey } from './api-key.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** For how many hours the old key of a rotation may stay valid. */
export const MAX_KEEP_HOURS = 24;

/** A key that ends within this time needs attention. */
const WARN_MS = 7 * 24 * HOUR_MS;

/** The end of the last year with four digits: times are compared as texts. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Does a key end soon? `expiresAt` is ISO 8601, `now` in Unix milliseconds. */
export const endsSoon = (expiresAt: string | null, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) - now <= WARN_MS;

/** The states of a key. `rotated`: it has a successor, and is still valid for a while. */
export const KEY_STATES = ['active', 'ends soon', 'rotated', 'expired', 'revoked'] as const;

/** The state of a key at a time in Unix milliseconds. */
export function keyState(
  { revokedAt, expiresAt, replacedBy }: Pick<ApiKeyRow, 'revokedAt' | 'expiresAt' | 'replacedBy'>,
  now: number,
): (typeof KEY_STATES)[number] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired';
  if (replacedBy !== null) return 'rotated';
  return endsSoon(expiresAt, now) ? 'ends soon' : 'active';
}

/** So many addresses and networks may be listed. */
export const MOST_ADDRESSES = 50;

/** From where a key may be used: addresses and networks, each once. */
export function checkAddresses(value: unknown, name: string): Outcome<readonly string[]> {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    return fail(1003, `${name} must be an array of strings such as ["192.0.2.0/24"]`);
  if (value.length > MOST_ADDRESSES) return fail(1005, `${name} exceeds the maximum of ${MOST_ADDRESSES} entries`);
  const addresses = [...new Set(value.map((one) => one.trim()))];
  const wrong = addresses.some((one) => one === '' || /[\s,]/.test(one) || !parseTrustedProxies(one).ok);
  return wrong
    ? fail(1012, `${name}: each must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24 or 2001:db8::/32`)
    : succeed(addresses);
}

/** A key that was made just now. Nobody can read `key` again. Times are ISO 8601. */
export interface MadeKey {
  readonly id: number;
  readonly key: string;
  readonly hint: string;
  readonly expiresAt: string | null;
}

/** Makes a key for an active admin user. */
export async function makeKey(
  store: PlatformStore,
  fresh: Omit<NewApiKey, 'hash' | 'hint'>,
  author: Author,
): Promise<Outcome<MadeKey>> {
  const user = await store.findUser({ id: fresh.owner });
  if (user === undefined) return fail(1121, `there is no admin user ${fresh.owner}; name another one`);
  const inactive = fail(1012, `admin user ${fresh.owner} is not active; name an active one`);
  if (!user.isActive) return inactive;
  const key = makeApiKey();
  const hint = hintOf(key);
  const id = await store.addKey({ ...fresh, hash: hashApiKey(key), hint }, author);
  // Somebody has deactivated the user in the meantime.
  return id === undefined ? inactive : succeed({ id, key, hint, expiresAt: fresh.expiresAt ?? null });
}

/** Finds a key by its id. */
export async function findKeyRow(store: PlatformStore, id: number): Promise<Outcome<ApiKeyRow>> {
  const [row] = await store.listKeys(id - 1, 1);
  return row?.id === id ? succeed(row) : fail(1004, `there is no API key ${id}; the list of keys has their ids`);
}

function refuseRotation(row: ApiKeyRow, now: number): Outcome<never> | undefined {
  const { id, replacedBy } = row;
  const state = keyState(row, now);
  if (replacedBy !== null) return fail(1012, `API key ${id} has already been rotated; rotate key ${replacedBy}`);
  if (state === 'expired' || state === 'revoked')
    return fail(1012, `API key ${id} is ${state} and cannot be rotated; create a new one`);
  return undefined;
}

/** How a key is rotated. */
export interface RotationWish {
  readonly id: number;
  /** For how many hours the old key stays valid, at most until its own end. */
  readonly keepHours: number;
  /** When the new key ends (ISO 8601); by default after as long as the old one was made for. */
  readonly expiresAt?: string | undefined;
}

/**
 * Makes a successor of a key, with the same name, scopes and owner. `oldExpiresAt` is when the old key ends, ISO 8601. A
 * key that is no longer valid has no successor.
 */
export async function rotateKey(
  store: PlatformStore,
  { id, keepHours, expiresAt: wished }: RotationWish,
  author: Author,
): Promise<Outcome<MadeKey & { readonly oldExpiresAt: string }>> {
  const now = Date.parse(author.at);
  const old = await findKeyRow(store, id);
  if (!old.ok) return old;
  const refused = refuseRotation(old.value, now);
  if (refused !== undefined) return refused;
  const { expiresAt: end, createdAt } = old.value;
  const toIso = (ms: number) => new Date(Math.min(ms, LAST_MS)).toISOString();
  const kept = now + keepHours * HOUR_MS;
  const oldExpiresAt = toIso(end === null ? kept : Math.min(kept, Date.parse(end)));
  const expiresAt = wished ?? (end === null ? null : toIso(now + Date.parse(end) - Date.parse(createdAt)));
  const key = makeApiKey();
  const hint = hintOf(key);
  const made = await store.rotateKey({ id, hash: hashApiKey(key), hint, expiresAt, oldExpiresAt }, author);
  if (made !== undefined) return succeed({ id: made, key, hint, expiresAt, oldExpiresAt });
  // Somebody else ended or rotated it in the meantime.
  const changed = await findKeyRow(store, id);
  const why = changed.ok ? refuseRotation(changed.value, now) : changed;
  return why ?? fail(1012, `API key ${id} was changed in the meantime; check the list of keys and try again`);
}
