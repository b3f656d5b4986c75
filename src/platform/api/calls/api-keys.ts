import { SCOPES } from '../../model/platform-store.ts';
import { MAX_INTEGER } from '../../model/resource.ts';
import { PROOF_CODES, PROOF_MEMBER } from '../accounts/prove-caller.ts';
import { addKey, endKey, KEY_NAME_MAX, listKeys, replaceKey } from '../answer-api-keys.ts';
import type { Call, CallMember, Json } from '../call.ts';
import { KEY_STATES, MAX_KEEP_HOURS } from '../manage-keys.ts';
import { DATE_TEXT, TEXT_PATTERNS, TEXT_RULES } from '../published-patterns.ts';
import { PAGE_MEMBERS, pageSchema } from '../read-page.ts';

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

const EXAMPLE_KEY = `subnetd_${'7Qm4xV0b'.padEnd(43, 'x')}`;

const RESULT: Json = { result: { type: 'string', const: 'success' }, ApiKeyID: integer };
const MADE: Json = {
  ...RESULT,
  ApiKey: {
    type: 'string',
    pattern: '^subnetd_[A-Za-z0-9_-]{43}$',
    description: 'The key. It is shown only now.',
    examples: [EXAMPLE_KEY],
  },
  Hint: { type: 'string' },
  ExpiryDate: date,
};

const segment: CallMember = { name: 'id', schema: { ...integer, description: 'The id of the key.' } };
const expiryMember: CallMember = {
  name: 'ExpiryDate',
  schema: {
    type: ['string', 'null'],
    pattern: DATE_TEXT,
    examples: ['2999-01-31'],
    description: 'When the key ends: a day from its start in UTC, or a time.',
  },
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
        schema: {
          type: 'string',
          minLength: 1,
          maxLength: KEY_NAME_MAX,
          pattern: TEXT_PATTERNS.text,
          description: TEXT_RULES.text,
          examples: ['billing'],
        },
      },
      { name: 'Scopes', isRequired: true, schema: { ...scopesSchema, examples: [['read']] } },
      { name: 'UserID', schema: { ...integer, description: 'The admin user whose key it is; by default the caller.' } },
      expiryMember,
      PROOF_MEMBER,
    ],
    data: object(MADE),
    codes: [1001, 1002, 1003, 1005, 1009, 1011, 1012, 1121, ...PROOF_CODES],
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
          type: 'integer',
          minimum: 0,
          maximum: MAX_KEEP_HOURS,
          default: MAX_KEEP_HOURS,
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
      PROOF_MEMBER,
    ],
    data: object({ ...MADE, OldExpiryDate: { type: 'string', format: 'date-time' } }),
    codes: [1003, 1004, 1005, 1009, 1011, 1012, ...PROOF_CODES],
    answer: replaceKey,
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
    answer: endKey,
  },
];
