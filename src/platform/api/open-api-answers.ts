import { PROOF } from './accounts/prove-caller.ts';
import { codesOfMembers, type Json } from './call.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { exampleOf, type SchemaShapes } from './example-of.ts';
import { dataSchema, object, success } from './open-api-schemas.ts';
import { type Operation, queryMembersOf } from './operations.ts';

const ANY: readonly ErrorCode[] = [1001, 1005, 1012, 1101, 1102, 1104, 1105, 1106, 1123];
const BODY: readonly ErrorCode[] = [1001, 1002, 1003, 1005, 1011, 1012, 1121];

/** Every code in the operation's answers. */
function codesOf(operation: Operation): readonly ErrorCode[] {
  if (operation.kind === 'call') return [...new Set([...ANY, ...operation.codes])].sort();
  const { kind, resource } = operation;
  const own: ErrorCode[] = [];
  if (kind === 'list') own.push(...codesOfMembers(queryMembersOf(operation)));
  else {
    own.push(...BODY);
    for (const member of resource.members) {
      if (member.kind === 'password') own.push(1006, ...PROOF.codes);
      if (member.kind === 'text' && member.format === 'email') own.push(1008);
      if (member.kind === 'reference') own.push(member.to.codes.missing);
    }
    own.push(resource.codes.duplicate);
  }
  if (kind !== 'add') own.push(resource.codes.missing);
  return [...new Set([...ANY, ...own])].sort();
}

/** A body of JSON, with an example or several. */
export const json = (schema: Json, examples: Json): Json => ({
  content: { 'application/json': { schema, ...examples } },
});

/** The header of each answer, by its name in `components`. */
const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

/** Does the operation read, so that its answers have a tag? */
const isRead = (operation: Operation): boolean => operation.method === 'GET';

function headersOf(operation: Operation): Json {
  const { kind } = operation;
  return {
    'X-Request-Id': header('RequestId'),
    RateLimit: header('RateLimit'),
    'RateLimit-Policy': header('RateLimitPolicy'),
    'Api-Key-Expires': header('ApiKeyExpires'),
    ...((isRead(operation) || kind === 'update') && { ETag: header('ETag') }),
    ...(kind === 'add' && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
  };
}

const failureExample = (code: ErrorCode): Json => ({
  summary: ERROR_CODES[code][1],
  value: { status: 'failed', appErrorCode: code, errMessage: ERROR_CODES[code][1] },
});

/** The answers of an operation by their HTTP status, with an example of each and of each code. */
export function responsesOf(operation: Operation, schemas: SchemaShapes): Json {
  const failures = Map.groupBy(codesOf(operation), (code) => ERROR_CODES[code][0]);
  const entries = [...failures].map(([status, codes]): [string, Json] => [
    String(status),
    {
      description: codes.map((code) => `${code}: ${ERROR_CODES[code][1]}`).join('. '),
      ...(codes.includes(1102) && { headers: { 'Retry-After': header('RetryAfter') } }),
      ...json(
        object(
          {
            status: { type: 'string', const: 'failed' },
            appErrorCode: { type: 'integer', enum: codes },
            errMessage: { type: 'string' },
            link: { type: 'string', description: 'Where /docs explains the code; only with Prefer: link.' },
          },
          ['status', 'appErrorCode', 'errMessage'],
        ),
        { examples: Object.fromEntries(codes.map((code) => [String(code), failureExample(code)])) },
      ),
    },
  ]);
  const data = dataSchema(operation);
  const example = { status: 'success', data: exampleOf(data, schemas) };
  const ok = { description: 'Success', headers: headersOf(operation), ...json(success(data), { example }) };
  const same = { description: 'Not modified: the tag in If-None-Match still holds', headers: { ETag: header('ETag') } };
  return Object.fromEntries([['200', ok], ...(isRead(operation) ? [['304', same] as const] : []), ...entries]);
}

const text = (description: string): Json => ({ description, schema: { type: 'string' } });

/** The headers that answers refer to. */
export const HEADERS: Json = {
  RequestId: text('The id of the request, also in the log and the audit trail.'),
  RateLimit: text('What remains of each limit: the requests left, and the seconds until it is fully restored.'),
  RateLimitPolicy: text('Each limit: its burst size, and the seconds until it is fully restored.'),
  RetryAfter: { description: 'Seconds to wait after the code 1102.', schema: { type: 'integer', minimum: 1 } },
  ApiKeyExpires: text('When the API key ends, in its last seven days.'),
  ETag: text('The tag of this answer, for If-None-Match. That of one record is for If-Match, too.'),
  IdempotentReplayed: text('true if an earlier request with the same Idempotency-Key added the record.'),
};
