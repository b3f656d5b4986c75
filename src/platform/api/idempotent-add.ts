import { hash } from 'node:crypto';
import type { PlatformStore } from '../model/platform-store.ts';
import type { IdempotentAdd, UsedKey } from '../model/records.ts';
import { type Parameter, parametersOf, type Resource, toNameKey } from '../model/resource.ts';
import { type Body, checkValue } from './check-value.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { verifyPassword } from './passwords.ts';

/** How long a key counts. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1_000;

const MAX_LENGTH = 255;

const digest = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** The version of a password that nobody has changed since its add. */
const FIRST_VERSION = 1;

/** The id of a new record; `isReplayed`: it was added before, by a request with the same key. */
export interface Added {
  readonly id: number;
  readonly isReplayed?: boolean;
}

/** An add whose client sent a key. */
export interface RepeatableAdd {
  readonly once: IdempotentAdd;
  /** The answer if the key was used before: the record of that time, if the request is the same. */
  readonly answer: (used: UsedKey) => Promise<Outcome<Added>>;
}

/** A value as the API compares it; null for one that it refuses, which no add that was carried out has. */
function toCompared(member: Parameter, body: Body): string | boolean | null {
  const checked = checkValue(member, body[member.name], true);
  if (!checked.ok) return null;
  if (member.kind === 'reference') return toNameKey(String(checked.value));
  return member.kind === 'text' && member.key
    ? toNameKey(String(checked.value), member.key.ignoresCase)
    : checked.value;
}

/**
 * Is it the password that the add has set? One that was changed since is never compared, so that no repetition can
 * guess it.
 */
async function isPasswordOf(store: PlatformStore, id: number, password: unknown): Promise<boolean> {
  if (typeof password !== 'string') return false;
  const user = await store.findUser({ id });
  return user?.passwordVersion === FIRST_VERSION && verifyPassword(user.passwordHash, password);
}

/**
 * Reads an `Idempotency-Key`; undefined without it. The fingerprint leaves passwords out, because a digest of a password would
 * give it away: they are compared with the hash of the record. `owner` is whose credential it is, `now` is in Unix
 * milliseconds. Source: draft-ietf-httpapi-idempotency-key-header-07.
 */
export function readIdempotencyKey(
  { text, body, owner }: { readonly text: string | null; readonly body: Body; readonly owner: number },
  store: PlatformStore,
  resource: Resource,
  now: number,
): Outcome<RepeatableAdd | undefined> {
  if (text === null) return succeed(undefined);
  const key = text.replace(/^"(.*)"$/, '$1');
  if (key.length > MAX_LENGTH) return fail(1005, `Idempotency-Key exceeds the maximum of ${MAX_LENGTH} characters`);
  if (!/^[\x21-\x7e]+$/.test(key)) return fail(1012, 'Idempotency-Key must be visible ASCII, such as a UUID');
  const members = parametersOf(resource);
  const password = members.find(({ kind }) => kind === 'password');
  const compared = members.filter((member) => member !== password).map((member) => toCompared(member, body));
  const fingerprint = digest([resource.name, [...compared, body.CreateBy ?? null]]);
  const since = new Date(now - KEY_LIFE_MS).toISOString();
  return succeed({
    once: { key: digest([owner, key]), fingerprint, since },
    answer: async (used) => {
      const isSame =
        used.fingerprint === fingerprint &&
        (password === undefined || (await isPasswordOf(store, used.id, toCompared(password, body))));
      return isSame
        ? succeed({ id: used.id, isReplayed: true })
        : fail(1012, 'Idempotency-Key was used for another request within a day; send a new key');
    },
  });
}

/** The answer to an add whose key was used before; undefined if it was not, or there is none. */
export async function findAnswer(
  store: PlatformStore,
  repeatable: RepeatableAdd | undefined,
): Promise<Outcome<Added> | undefined> {
  if (repeatable === undefined) return undefined;
  const { key, since } = repeatable.once;
  const used = await store.findUsedKey(key, since);
  return used && repeatable.answer(used);
}
