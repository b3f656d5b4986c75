import { hash } from 'node:crypto';
import type { IdempotentAdd, UsedKey } from '../model/idempotency.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import { parametersOf, type Resource } from '../model/resource.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import type { IdentifiedRequest } from './request-context.ts';

/** How long a key counts. */
export const KEY_LIFE_MS = 24 * 60 * 60 * 1_000;

const MAX_LENGTH = 255;

/** The header that marks an answer of an add that was carried out before. */
const REPLAYED = { 'idempotent-replayed': 'true' };

const digest = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** An add whose client sent a key. */
export interface RepeatableAdd {
  readonly once: IdempotentAdd;
  /** The answer if the key was used before: the record of that time, if the request is the same. */
  readonly answer: (used: UsedKey) => Outcome<number>;
}

/**
 * Reads the header `Idempotency-Key`; undefined without it. The fingerprint leaves passwords out, because a digest of a
 * password would give it away. `now` is in Unix milliseconds. Source: draft-ietf-httpapi-idempotency-key-header-07.
 */
export function readIdempotencyKey(
  { context, body, caller }: Pick<IdentifiedRequest, 'context' | 'body' | 'caller'>,
  resource: Resource,
  now: number,
): Outcome<RepeatableAdd | undefined> {
  const text = context.request.headers.get('idempotency-key');
  if (text === null) return succeed(undefined);
  const key = text.replace(/^"(.*)"$/, '$1');
  if (key.length > MAX_LENGTH) return fail(1005, `Idempotency-Key exceeds the maximum of ${MAX_LENGTH} characters`);
  if (!/^[\x21-\x7e]+$/.test(key)) return fail(1012, 'Idempotency-Key must be visible ASCII, such as a UUID');
  const members = parametersOf(resource).filter(({ kind }) => kind !== 'password');
  const values = [...members.map(({ name }) => name), 'CreateBy'].map((name) => body[name] ?? null);
  const fingerprint = digest([resource.name, values]);
  const since = new Date(now - KEY_LIFE_MS).toISOString();
  return succeed({
    once: { key: digest([caller?.owner ?? 0, key]), fingerprint, since },
    answer: (used) => {
      if (used.fingerprint !== fingerprint)
        return fail(1012, 'Idempotency-Key was used for another request within a day; send a new key');
      context.headers = { ...context.headers, ...REPLAYED };
      return succeed(used.id);
    },
  });
}

/** The answer to an add whose key was used before; undefined if it was not, or there is none. */
export async function findAnswer(
  store: PlatformStore,
  repeatable: RepeatableAdd | undefined,
): Promise<Outcome<number> | undefined> {
  if (repeatable === undefined) return undefined;
  const { key, since } = repeatable.once;
  const used = await store.findUsedKey(key, since);
  return used && repeatable.answer(used);
}
