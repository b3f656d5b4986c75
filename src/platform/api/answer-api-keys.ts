import { type ApiKeyRow, SCOPES, type Scope } from '../model/platform-store.ts';
import { proveCaller } from './accounts/prove-caller.ts';
import type { CallDeps } from './call.ts';
import { checkText } from './check-text.ts';
import { type Body, checkDate, checkDigits, checkInteger, requireMember } from './check-value.ts';
import { findKeyRow, keyState, MAX_KEEP_HOURS, type MadeKey, makeKey, rotateKey } from './manage-keys.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { readPage, toPage } from './read-page.ts';
import { authorOf, type IdentifiedRequest } from './request-context.ts';

/** The longest name of a key, in characters. */
export const KEY_NAME_MAX = 200;

/** `left` is how many requests the key has left now, of how many; null with the limit off. `now` is in Unix milliseconds. */
const toItem = (row: ApiKeyRow, left: number | null, of: number | null, now: number) => ({
  ApiKeyID: row.id,
  Name: row.name,
  Hint: row.hint,
  Scopes: row.scopes,
  UserID: row.owner,
  State: keyState(row, now),
  CallsLeft: left,
  CallsOf: of,
  LastUsedDate: row.lastUsedAt,
  LastUsedIP: row.lastUsedIp,
  CreateDate: row.createdAt,
  ExpiryDate: row.expiresAt,
  ReplacedBy: row.replacedBy,
  RevokeDate: row.revokedAt,
  RevokeBy: row.revokedBy,
});

/** A key as the list shows it. */
export type KeyItem = ReturnType<typeof toItem>;

/** The keys with the states and the rates of now. */
async function toItems(rows: readonly ApiKeyRow[], { limits, now }: CallDeps): Promise<readonly KeyItem[]> {
  const rates = await limits.left(rows.map(({ id }) => `key ${id}`));
  return rows.map((row, place) => toItem(row, rates?.left[place] ?? null, rates?.of ?? null, now()));
}

/** The list of keys, or the one whose id ends the path. */
export async function listKeys({ store, query }: IdentifiedRequest, deps: CallDeps, segment: string) {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  const page = readPage(query);
  if (!page.ok) return page;
  if (id.value !== 0) {
    const row = await findKeyRow(store, id.value);
    return row.ok ? succeed({ items: await toItems([row.value], deps) }) : row;
  }
  const rows = await store.listKeys(page.value.after, page.value.limit + 1);
  return succeed(toPage(await toItems(rows, deps), page.value.limit, 'ApiKeyID'));
}

function checkScopes(body: Body): Outcome<readonly Scope[]> {
  const present = requireMember(body, 'Scopes');
  if (!present.ok) return present;
  const { value } = present;
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    return fail(1003, 'Scopes must be an array of strings, as in ["read"]');
  if (value.length === 0) return fail(1002, 'Scopes is empty; name a scope, as in ["read"]');
  const scopes = SCOPES.filter((scope) => value.includes(scope));
  return scopes.length === new Set(value).size
    ? succeed(scopes)
    : fail(1012, `Scopes: each must be one of ${SCOPES.join(', ')}`);
}

/** The date on which a key ends; undefined when the request names none. */
function checkExpiry(body: Body, now: number): Outcome<string | undefined> {
  if (!Object.hasOwn(body, 'ExpiryDate') || body.ExpiryDate === null) return succeed(undefined);
  const date = checkDate(body.ExpiryDate, 'ExpiryDate');
  if (!date.ok || Date.parse(date.value) > now) return date;
  return fail(1011, `ExpiryDate must be in the future; ${date.value} is not`);
}

const toMade = ({ id, key, hint, expiresAt }: MadeKey) => ({
  result: 'success',
  ApiKeyID: id,
  ApiKey: key,
  Hint: hint,
  ExpiryDate: expiresAt,
});

/** Makes a key. The answer is the only one that shows it. */
export async function addKey(request: IdentifiedRequest, deps: CallDeps) {
  const { store, body, caller } = request;
  const { now } = deps;
  const present = requireMember(body, 'Name');
  const name = present.ok ? checkText(present.value, 'Name', { kind: 'text', most: KEY_NAME_MAX }) : present;
  if (!name.ok) return name;
  const scopes = checkScopes(body);
  if (!scopes.ok) return scopes;
  const owner = Object.hasOwn(body, 'UserID') ? checkInteger(body.UserID, 'UserID') : succeed(caller?.owner ?? 0);
  if (!owner.ok) return owner;
  const expiry = checkExpiry(body, now());
  if (!expiry.ok) return expiry;
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const fresh = { name: name.value, scopes: scopes.value, owner: owner.value, expiresAt: expiry.value };
  const made = await makeKey(store, fresh, authorOf(request, request.caller?.owner ?? null, now()));
  return made.ok ? succeed(toMade(made.value)) : made;
}

/** The id at the end of the path. */
const checkId = (segment: string) => checkDigits(segment, 'the number at the end of the path');

/** Makes the successor of a key. */
export async function replaceKey(request: IdentifiedRequest, deps: CallDeps, segment: string) {
  const { store, body } = request;
  const { now } = deps;
  const id = checkId(segment);
  if (!id.ok) return id;
  const keepHours = Object.hasOwn(body, 'KeepHours')
    ? checkInteger(body.KeepHours, 'KeepHours', 0, MAX_KEEP_HOURS)
    : succeed(MAX_KEEP_HOURS);
  if (!keepHours.ok) return keepHours;
  const expiry = checkExpiry(body, now());
  if (!expiry.ok) return expiry;
  const proved = await proveCaller(request, deps);
  if (!proved.ok) return proved;
  const wish = { id: id.value, keepHours: keepHours.value, expiresAt: expiry.value };
  const made = await rotateKey(store, wish, authorOf(request, request.caller?.owner ?? null, now()));
  return made.ok ? succeed({ ...toMade(made.value), OldExpiryDate: made.value.oldExpiresAt }) : made;
}

/** Ends a key. */
export async function endKey(request: IdentifiedRequest, { now }: CallDeps, segment: string) {
  const { store } = request;
  const id = checkId(segment);
  if (!id.ok) return id;
  const row = await findKeyRow(store, id.value);
  if (!row.ok) return row;
  await store.revokeKey(id.value, authorOf(request, request.caller?.owner ?? null, now()));
  return succeed({ result: 'success', ApiKeyID: id.value });
}
