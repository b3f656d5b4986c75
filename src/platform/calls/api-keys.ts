import { type ApiKeyRow, SCOPES, type Scope } from '../../model/platform-store.ts';
import { MAX_INTEGER } from '../../model/resource.ts';
import { authorOf } from '../author-of.ts';
import type { Call, CallDeps, CallMember, Json } from '../call.ts';
import { checkDate } from '../check-date.ts';
import { checkText, PATTERNS } from '../check-text.ts';
import { type Body, checkDigits, checkInteger, requireMember } from '../check-value.ts';
import { findKeyRow, KEY_STATES, keyState, MAX_KEEP_HOURS, type MadeKey, makeKey, rotateKey } from '../manage-keys.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { PAGE_MEMBERS, pageSchema, readPage, toPage } from '../read-page.ts';
import type { IdentifiedRequest } from '../request-context.ts';

const NAME_MAX = 200;

/** A key as the list shows it, with the state and the rate of now. */
async function toItem(row: ApiKeyRow, { limits, now }: CallDeps) {
  const rate = await limits.left(`key ${row.id}`);
  return {
    ApiKeyID: row.id,
    Name: row.name,
    Hint: row.hint,
    Scopes: row.scopes,
    UserID: row.owner,
    State: keyState(row, now()),
    CallsLeft: rate?.left ?? null,
    CallsOf: rate?.of ?? null,
    LastUsedDate: row.lastUsedAt,
    LastUsedIP: row.lastUsedIp,
    CreateDate: row.createdAt,
    ExpiryDate: row.expiresAt,
    ReplacedBy: row.replacedBy,
    RevokeDate: row.revokedAt,
    RevokeBy: row.revokedBy,
  };
}

async function listKeys({ store, query }: IdentifiedRequest, deps: CallDeps, segment: string) {
  const id = checkDigits(segment, 'the number at the end of the path', 0);
  if (!id.ok) return id;
  if (id.value !== 0) {
    const row = await findKeyRow(store, id.value);
    return row.ok ? succeed({ items: [await toItem(row.value, deps)] }) : row;
  }
  const page = readPage(query);
  if (!page.ok) return page;
  const rows = await store.listKeys(page.value.after, page.value.limit + 1);
  return succeed(toPage(await Promise.all(rows.map((row) => toItem(row, deps))), page.value.limit, 'ApiKeyID'));
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
  ...{ result: 'success', ApiKeyID: id, ApiKey: key, Hint: hint, ExpiryDate: expiresAt },
});

async function addKey(request: IdentifiedRequest, { now }: CallDeps) {
  const { store, body, caller } = request;
  const present = requireMember(body, 'Name');
  const name = present.ok ? checkText(present.value, 'Name', { kind: 'text', most: NAME_MAX }) : present;
  if (!name.ok) return name;
  const scopes = checkScopes(body);
  if (!scopes.ok) return scopes;
  const owner = Object.hasOwn(body, 'UserID') ? checkInteger(body.UserID, 'UserID') : succeed(caller?.owner ?? 0);
  if (!owner.ok) return owner;
  const expiry = checkExpiry(body, now());
  if (!expiry.ok) return expiry;
  const fresh = { name: name.value, scopes: scopes.value, owner: owner.value, expiresAt: expiry.value };
  const made = await makeKey(store, fresh, authorOf(request, request.caller?.owner ?? null, now()));
  return made.ok ? succeed(toMade(made.value)) : made;
}

/** The id at the end of the path. */
const checkId = (segment: string) => checkDigits(segment, 'the number at the end of the path');

async function rotate(request: IdentifiedRequest, { now }: CallDeps, segment: string) {
  const { store, body } = request;
  const id = checkId(segment);
  if (!id.ok) return id;
  const keepHours = Object.hasOwn(body, 'KeepHours')
    ? checkInteger(body.KeepHours, 'KeepHours', 0, MAX_KEEP_HOURS)
    : succeed(MAX_KEEP_HOURS);
  if (!keepHours.ok) return keepHours;
  const expiry = checkExpiry(body, now());
  if (!expiry.ok) return expiry;
  const wish = { id: id.value, keepHours: keepHours.value, expiresAt: expiry.value };
  const made = await rotateKey(store, wish, authorOf(request, request.caller?.owner ?? null, now()));
  return made.ok ? succeed({ ...toMade(made.value), OldExpiryDate: made.value.oldExpiresAt }) : made;
}

async function revoke(request: IdentifiedRequest, { now }: CallDeps, segment: string) {
  const { store } = request;
  const id = checkId(segment);
  if (!id.ok) return id;
  const row = await findKeyRow(store, id.value);
  if (!row.ok) return row;
  await store.revokeKey(id.value, authorOf(request, request.caller?.owner ?? null, now()));
  return succeed({ result: 'success', ApiKeyID: id.value });
}

const integer: Json = { type: 'integer', minimum: 1, maximum: MAX_INTEGER };
const orNull = (type: string, more: Json = {}): Json => ({ type: [type, 'null'], ...more });
const date = orNull('string', { format: 'date-time' });
const scopesSchema: Json = { type: 'array', minItems: 1, items: { type: 'string', enum: SCOPES } };

const object = (properties: Json): Json => ({ type: 'object', properties, required: Object.keys(properties) });

const item = object({
  ApiKeyID: integer,
  Name: { type: 'string' },
  Hint: orNull('string', { description: 'The first characters of the key.' }),
  Scopes: scopesSchema,
  UserID: { ...integer, description: 'The admin user whose key it is.' },
  State: { type: 'string', enum: KEY_STATES },
  CallsLeft: orNull('integer', { description: 'Requests that the key has left now; null with the limit off.' }),
  CallsOf: orNull('integer', { description: 'Requests that it may send at once; null with the limit off.' }),
  LastUsedDate: date,
  LastUsedIP: orNull('string'),
  CreateDate: { type: 'string', format: 'date-time' },
  ExpiryDate: date,
  ReplacedBy: orNull('integer', { description: 'The id of the key that it was rotated to.' }),
  RevokeDate: date,
  RevokeBy: orNull('integer', { description: 'The admin user who revoked it; null on the command line.' }),
});

const RESULT: Json = { result: { type: 'string', const: 'success' }, ApiKeyID: integer };
const MADE: Json = {
  ...RESULT,
  ApiKey: { type: 'string', pattern: '^subnetd_[A-Za-z0-9_-]{43}$', description: 'The key. It is shown only now.' },
  Hint: { type: 'string' },
  ExpiryDate: date,
};

const segment: CallMember = { name: 'id', schema: { ...integer, description: 'The id of the key.' } };
const expiryMember: CallMember = {
  name: 'ExpiryDate',
  schema: { type: 'string', description: 'When the key ends: a day from its start in UTC, or a time.' },
};
const common = { tag: 'ApiKey', isSpecified: false, scope: 'admin' } as const;

/** The API keys, for callers with the scope `admin`. Beyond the specification. */
export const apiKeyCalls: readonly Call[] = [
  {
    ...common,
    id: 'listApiKeys',
    method: 'GET',
    path: '/ApiKey/ListAll/{id}',
    summary: 'List API keys',
    description: 'Every key without its secret, also those that have ended.',
    segment: {
      name: 'id',
      schema: { ...integer, minimum: 0, description: '0 lists every key, any other number the one with that id.' },
    },
    query: PAGE_MEMBERS,
    data: pageSchema(item),
    codes: [1003, 1004, 1011],
    answer: listKeys,
  },
  {
    ...common,
    id: 'addApiKey',
    method: 'POST',
    path: '/ApiKey/Add',
    summary: 'Make an API key',
    description: 'The answer shows the key, and nothing shows it again. Who has the scope admin can give any scope.',
    body: [
      {
        name: 'Name',
        isRequired: true,
        schema: { type: 'string', minLength: 1, maxLength: NAME_MAX, pattern: PATTERNS.text, examples: ['billing'] },
      },
      { name: 'Scopes', isRequired: true, schema: { ...scopesSchema, examples: [['read']] } },
      { name: 'UserID', schema: { ...integer, description: 'The admin user whose key it is; by default the caller.' } },
      expiryMember,
    ],
    data: object(MADE),
    codes: [1001, 1002, 1003, 1005, 1009, 1011, 1012, 1121],
    answer: addKey,
  },
  {
    ...common,
    id: 'rotateApiKey',
    method: 'POST',
    path: '/ApiKey/Rotate/{id}',
    summary: 'Rotate an API key',
    description:
      'Makes a new key with the same name, scopes and owner. The old one stays valid for KeepHours, at most until its own end.',
    bodyIsOptional: true,
    segment,
    body: [
      {
        name: 'KeepHours',
        schema: {
          ...{ type: 'integer', minimum: 0, maximum: MAX_KEEP_HOURS, default: MAX_KEEP_HOURS },
          description: 'For how many hours the old key stays valid.',
        },
      },
      {
        ...expiryMember,
        schema: {
          ...expiryMember.schema,
          description: 'When the new key ends; by default after the time of the old one.',
        },
      },
    ],
    data: object({ ...MADE, OldExpiryDate: { type: 'string', format: 'date-time' } }),
    codes: [1003, 1004, 1009, 1011, 1012],
    answer: rotate,
  },
  {
    ...common,
    id: 'revokeApiKey',
    method: 'POST',
    path: '/ApiKey/Revoke/{id}',
    summary: 'Revoke an API key',
    description: 'Ends the key, and the tokens that were made from it, at once.',
    bodyIsOptional: true,
    segment,
    data: object(RESULT),
    codes: [1003, 1004, 1011],
    answer: revoke,
  },
];
