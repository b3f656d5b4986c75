import { type ApiKeyRow, SCOPES, type Scope } from '../../model/platform-store.ts';
import { PROOF, proveCaller } from '../accounts/prove-caller.ts';
import { authorOfCaller } from '../actor.ts';
import {
  type Call,
  type CallDeps,
  defineCall,
  INTEGER,
  idInPath,
  idMember,
  type Json,
  type Member,
  objectOf,
  orNull,
  RESULT,
  required,
} from '../call.ts';
import { checkText } from '../check-text.ts';
import { checkDate, checkInteger } from '../check-value.ts';
import {
  checkAddresses,
  findKeyRow,
  KEY_STATES,
  keyState,
  MAX_KEEP_HOURS,
  type MadeKey,
  MOST_ADDRESSES,
  makeKey,
  rotateKey,
} from '../manage-keys.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { DATE_TEXT, TEXT_PATTERNS, TEXT_RULES } from '../published-patterns.ts';
import { MAX_LIMIT, PAGE_MEMBERS, pageSchema, toPage } from '../read-page.ts';

/** The longest name of a key, in characters. */
const NAME_MAX = 200;

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
  AllowedIPs: row.allowedIps,
});

/** A key as the list shows it. */
export type KeyItem = ReturnType<typeof toItem>;

/** The keys with the states and the rates of now. */
async function toItems(rows: readonly ApiKeyRow[], { limits, now }: CallDeps): Promise<readonly KeyItem[]> {
  const rates = await limits.left(rows.map(({ id }) => `key ${id}`));
  return rows.map((row, place) => toItem(row, rates?.left[place] ?? null, rates?.of ?? null, now()));
}

const date = orNull('string', { format: 'date-time' });
const scopesSchema: Json = { type: 'array', minItems: 1, items: { type: 'string', enum: SCOPES } };

const addressesSchema: Json = {
  type: 'array',
  items: { type: 'string' },
  description: 'The addresses and networks (CIDR) from which it may be used; empty for anywhere.',
};

const item = objectOf({
  ApiKeyID: INTEGER,
  Name: { type: 'string' },
  Hint: orNull('string', { description: 'The first characters of the key.' }),
  Scopes: scopesSchema,
  UserID: { ...INTEGER, description: 'The admin user whose key it is.' },
  State: { type: 'string', enum: KEY_STATES },
  CallsLeft: orNull('integer', { description: 'Requests that the key has left; null if the limit is off.' }),
  CallsOf: orNull('integer', { description: 'Requests that it may send at once; null if the limit is off.' }),
  LastUsedDate: date,
  LastUsedIP: orNull('string'),
  CreateDate: { type: 'string', format: 'date-time' },
  ExpiryDate: date,
  ReplacedBy: orNull('integer', { description: 'The id of the key that replaced it.' }),
  RevokeDate: date,
  RevokeBy: orNull('integer', { description: 'The admin user who revoked it; null for the command line.' }),
  AllowedIPs: addressesSchema,
});

const EXAMPLE_KEY = `subnetd_${'7Qm4xV0b'.padEnd(43, 'x')}`;

const KEY_RESULT: Json = { ...RESULT, ApiKeyID: INTEGER };
const MADE: Json = {
  ...KEY_RESULT,
  ApiKey: {
    type: 'string',
    pattern: '^subnetd_[A-Za-z0-9_-]{43}$',
    description: 'The key. It is shown only once.',
    examples: [EXAMPLE_KEY],
  },
  Hint: { type: 'string' },
  ExpiryDate: date,
};

const toMade = ({ id, key, hint, expiresAt }: MadeKey) => ({
  result: 'success',
  ApiKeyID: id,
  ApiKey: key,
  Hint: hint,
  ExpiryDate: expiresAt,
});

/** The scopes of a key, in the order of `SCOPES`. */
function readScopes(value: unknown): Outcome<readonly Scope[]> {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    return fail(1003, 'Scopes must be an array of strings such as ["read"]');
  if (value.length === 0) return fail(1002, 'Scopes is empty; name a scope such as ["read"]');
  const scopes = SCOPES.filter((scope) => value.includes(scope));
  return scopes.length === new Set(value).size
    ? succeed(scopes)
    : fail(1012, `Scopes: each must be one of ${SCOPES.join(', ')}`);
}

const ALLOWED_IPS: Member<readonly string[]> = {
  schema: { ...addressesSchema, maxItems: MOST_ADDRESSES, examples: [['192.0.2.0/24', '2001:db8::/32']] },
  codes: [1003, 1005, 1012],
  read: checkAddresses,
};

/** The date on which a key ends; undefined when the request names none. */
const expiry = (description: string): Member<string | undefined> => ({
  schema: { type: ['string', 'null'], pattern: DATE_TEXT, examples: ['2999-01-31'], description },
  codes: [1003, 1009, 1011],
  read: (value, name) => (value === null ? succeed(undefined) : checkDate(value, name)),
});

/** Refuses a key that would have ended. */
const checkExpiry = (date: string | undefined, now: number): Outcome<undefined> =>
  date === undefined || Date.parse(date) > now
    ? succeed(undefined)
    : fail(1011, `ExpiryDate must be in the future; ${date} is not`);

const common = { tag: 'ApiKey', scope: 'admin' } as const;
const segment = { id: idInPath('The id of the key.', 1) };

/** Lists the keys: 0 lists all, any other number the one with that id. */
export const listKeys = defineCall({
  ...common,
  id: 'listApiKeys',
  method: 'GET',
  path: '/ApiKey/ListAll/{id}',
  summary: 'List API keys',
  description: 'All keys without their secrets, including ended ones.',
  segment: { id: idInPath('0 lists all keys; any other number selects the key with that id.', 0) },
  query: PAGE_MEMBERS,
  data: pageSchema(item),
  codes: [1004],
  run: async ({ id, limit = MAX_LIMIT, after = 0 }, { store }, deps) => {
    if (id !== 0) {
      const row = await findKeyRow(store, id);
      return row.ok ? succeed(toPage(await toItems([row.value], deps), 1, 'ApiKeyID')) : row;
    }
    const rows = await store.listKeys(after, limit + 1);
    return succeed(toPage(await toItems(rows, deps), limit, 'ApiKeyID'));
  },
});

/** Makes a key. The answer is the only one that shows it. */
export const addKey = defineCall({
  ...common,
  id: 'addApiKey',
  method: 'POST',
  path: '/ApiKey/Add',
  summary: 'Create an API key',
  description:
    'The answer shows the key, which is never shown again. A caller with the scope admin can grant any scope.',
  body: {
    Name: required<string>({
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: NAME_MAX,
        pattern: TEXT_PATTERNS.text,
        description: TEXT_RULES.text,
        examples: ['billing'],
      },
      codes: [1003, 1005, 1012],
      read: (value, name) => checkText(value, name, { kind: 'text', most: NAME_MAX }),
    }),
    Scopes: required<readonly Scope[]>({
      schema: { ...scopesSchema, examples: [['read']] },
      codes: [1002, 1003, 1012],
      read: readScopes,
    }),
    UserID: idMember({ description: 'The admin user whose key it is; by default the caller.' }),
    ExpiryDate: expiry('When the key ends: a day from its start in UTC, or a time.'),
    AllowedIPs: ALLOWED_IPS,
    Otp: PROOF,
  },
  data: objectOf(MADE),
  codes: [1012, 1121],
  run: async ({ Name, Scopes, UserID, ExpiryDate, AllowedIPs: allowedIps, Otp }, actor, deps) => {
    const { store, caller } = actor;
    const ends = checkExpiry(ExpiryDate, deps.now());
    if (!ends.ok) return ends;
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    const owner = UserID ?? caller?.owner ?? 0;
    const fresh = { name: Name, scopes: Scopes, owner, expiresAt: ExpiryDate, allowedIps };
    const made = await makeKey(store, fresh, authorOfCaller(actor, deps.now()));
    return made.ok ? succeed(toMade(made.value)) : made;
  },
});

/** Makes the successor of a key. */
export const replaceKey = defineCall({
  ...common,
  id: 'rotateApiKey',
  method: 'POST',
  path: '/ApiKey/Rotate/{id}',
  summary: 'Rotate an API key',
  description:
    'Creates a new key with the same name, scopes, owner and addresses. The old one stays valid for KeepHours, at most until its own end.',
  bodyIsOptional: true,
  segment,
  body: {
    KeepHours: {
      schema: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_KEEP_HOURS,
        default: MAX_KEEP_HOURS,
        description: 'Hours for which the old key stays valid.',
      },
      codes: [1003, 1011],
      read: (value: unknown, name: string) => checkInteger(value, name, 0, MAX_KEEP_HOURS),
    },
    ExpiryDate: expiry('When the new key ends; by default after the same lifetime as the old one.'),
    Otp: PROOF,
  },
  data: objectOf({ ...MADE, OldExpiryDate: { type: 'string', format: 'date-time' } }),
  codes: [1004, 1012],
  run: async ({ id, KeepHours: keepHours = MAX_KEEP_HOURS, ExpiryDate: expiresAt, Otp }, actor, deps) => {
    const ends = checkExpiry(expiresAt, deps.now());
    if (!ends.ok) return ends;
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    const made = await rotateKey(actor.store, { id, keepHours, expiresAt }, authorOfCaller(actor, deps.now()));
    return made.ok ? succeed({ ...toMade(made.value), OldExpiryDate: made.value.oldExpiresAt }) : made;
  },
});

/** Limits the addresses from which a key may be used. */
export const restrictKey = defineCall({
  ...common,
  id: 'restrictApiKey',
  method: 'POST',
  path: '/ApiKey/Restrict/{id}',
  summary: 'Restrict an API key to addresses',
  description:
    'The key and the tokens made with it are then refused with 1104 from anywhere else. An empty list allows any address.',
  segment,
  body: { AllowedIPs: required(ALLOWED_IPS), Otp: PROOF },
  data: objectOf(KEY_RESULT),
  codes: [1004],
  run: async ({ id, AllowedIPs, Otp }, actor, deps) => {
    const proved = await proveCaller(actor, Otp, deps);
    if (!proved.ok) return proved;
    const row = await findKeyRow(actor.store, id);
    if (!row.ok) return row;
    await actor.store.restrictKey(id, AllowedIPs, authorOfCaller(actor, deps.now()));
    return succeed({ result: 'success', ApiKeyID: id });
  },
});

/** Ends a key. */
export const endKey = defineCall({
  ...common,
  id: 'revokeApiKey',
  method: 'POST',
  path: '/ApiKey/Revoke/{id}',
  summary: 'Revoke an API key',
  description: 'Ends the key and the tokens made with it at once.',
  bodyIsOptional: true,
  segment,
  data: objectOf(KEY_RESULT),
  codes: [1004],
  run: async ({ id }, actor, deps) => {
    const row = await findKeyRow(actor.store, id);
    if (!row.ok) return row;
    await actor.store.revokeKey(id, authorOfCaller(actor, deps.now()));
    return succeed({ result: 'success', ApiKeyID: id });
  },
});

/** The API keys, for callers with the scope `admin`. Beyond the specification. */
export const apiKeyCalls: readonly Call[] = [listKeys, addKey, replaceKey, restrictKey, endKey];
