import { withArticle } from '../../lib/words.ts';
import { MAX_INTEGER, type Resource } from '../model/resource.ts';
import { INTEGER, type Json, type Members } from './call.ts';
import { KEY_HEADER } from './credentials.ts';
import { API_VERSION } from './error-codes.ts';
import { exampleOf, type SchemaShapes } from './example-of.ts';
import { HEADERS, json, responsesOf } from './open-api-answers.ts';
import { bodySchema, recordSchema } from './open-api-schemas.ts';
import { type Operation, operationsOf, queryMembersOf } from './operations.ts';
import { listGranting } from './scopes.ts';

const toParameter = (place: 'path' | 'query' | 'header', name: string, { description, ...schema }: Json): Json => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema,
});

const toParameters = (place: 'path' | 'query', members: Members): readonly Json[] =>
  Object.entries(members).map(([name, { schema }]) => toParameter(place, name, schema));

const BEYOND = 'x-beyond-specification';

const IF_MATCH = toParameter('header', 'If-Match', {
  type: 'string',
  description: 'The ETag of the record as it was read; if it has changed since, the update is refused with 1012.',
});
const IF_NONE_MATCH = toParameter('header', 'If-None-Match', {
  type: 'string',
  description: 'The ETag of an earlier answer; HTTP 304 without content if it is the same.',
});
const IDEMPOTENCY_KEY = toParameter('header', 'Idempotency-Key', {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Such as a UUID. The same request with the same key within a day is carried out once.',
});

function parametersOf(operation: Operation): readonly Json[] {
  const query = toParameters('query', queryMembersOf(operation));
  if (operation.kind === 'call')
    return [
      ...toParameters('path', operation.segment),
      ...query,
      ...(operation.method === 'GET' ? [IF_NONE_MATCH] : []),
    ];
  const beyond = (parameter: Json): Json => ({ ...parameter, [BEYOND]: true });
  if (operation.kind === 'add') return [beyond(IDEMPOTENCY_KEY)];
  if (operation.kind === 'update')
    return [toParameter('path', 'updatedby', { description: 'Equals UpdateBy.', ...INTEGER }), beyond(IF_MATCH)];
  const id = {
    description: '0 lists all records; any other number selects the record with that id.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_INTEGER,
  };
  return [toParameter('path', 'id', id), ...[...query, IF_NONE_MATCH].map(beyond)];
}

const SECURITY = [{ apiKeyHeader: [] }, { apiKey: [] }, { token: [] }, { authorization: [] }, { bearer: [] }];

/** What people read of an operation first. */
function titleOf(operation: Operation): { readonly summary: string; readonly tag: string } {
  if (operation.kind === 'call') return operation;
  const { kind, resource } = operation;
  const { noun, plural, name: tag } = resource;
  if (kind === 'list') return { summary: `List ${plural}`, tag };
  return { summary: `${kind === 'add' ? 'Add' : 'Update'} ${withArticle(noun)}`, tag };
}

function securityOf(operation: Operation): readonly Json[] {
  if (operation.kind !== 'call' || !operation.isOpen) return SECURITY;
  return operation.id === 'getToken' ? [...SECURITY.slice(0, 2), {}] : [{}];
}

/** What the specification says of the list of a resource, where it calls it by another name. */
const specifiedList = (operation: Operation) =>
  operation.kind === 'list' ? operation.resource.listInSpecification : undefined;

/** What an operation does and needs. */
function descriptionOf(operation: Operation): string {
  const { scope } = operation;
  const isOpen = operation.kind === 'call' && operation.isOpen === true;
  const anyCredential = isOpen ? '' : 'Needs any valid credential.';
  const needed = scope === undefined ? anyCredential : `Needs a credential with the scope ${listGranting(scope)}.`;
  const more = operation.kind === 'call' ? operation.description : specifiedList(operation)?.about;
  return [more, needed].filter(Boolean).join(' ');
}

function bodyOf(operation: Operation, schemas: SchemaShapes): Json {
  const schema = bodySchema(operation);
  const { properties, required } = schema as {
    readonly properties: SchemaShapes;
    readonly required: readonly string[];
  };
  const own = Object.keys(properties).filter((name) => name !== 'apiKey' && name !== 'token');
  const names = required.length > 0 ? required : own;
  const example = Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, schemas)]));
  const isRequired = operation.kind !== 'call' || !operation.bodyIsOptional;
  const isForm = operation.kind === 'call' && operation.isForm === true;
  if (isForm) return { required: isRequired, content: { 'multipart/form-data': { schema } } };
  return { required: isRequired, ...json({ ...schema, examples: [example] }, {}) };
}

function describe(operation: Operation, schemas: SchemaShapes): Json {
  const { id, method } = operation;
  const { summary, tag } = titleOf(operation);
  const isExtra = operation.kind === 'call' && !operation.isSpecified;
  const named = specifiedList(operation);
  return {
    operationId: id,
    summary,
    description: descriptionOf(operation),
    ...(named && { 'x-specification-title': named.title }),
    ...(isExtra && { [BEYOND]: true }),
    tags: [tag],
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(method !== 'GET' && { requestBody: bodyOf(operation, schemas) }),
    responses: responsesOf(operation, schemas),
  };
}

/** What the groups of calls are about; those of resources say it themselves. */
const TAGS: Readonly<Record<string, string>> = {
  Auth: 'Tokens for programs and people.',
  Otp: 'One-time codes from an authenticator app.',
  Account: 'Passwords, invitations and locks of admin users.',
  Image: 'Images of sectors and industries.',
  ApiKey: 'API keys: who uses the API, and for how long.',
  Audit: 'Who changed what, and who tried.',
  Wallet: 'Balances on the parent chain.',
};

/** The OpenAPI 3.1 document of the API, from the declarations. */
export function createOpenApi(resources: readonly Resource[]): Json {
  const operations = operationsOf(resources);
  const schemas: SchemaShapes = Object.fromEntries(
    resources.map((resource) => [resource.name, recordSchema(resource)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'subnetd platform API',
      version: API_VERSION,
      description:
        'Admin users, project types, sectors and industries of the trade and finance platform. `x-beyond-specification` marks additions to its specification. [Versions](/docs#versions) says what stays stable, and for how long.',
      contact: { name: 'The operator of this subnetd' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }, { url: '/api' }],
    tags: [...new Set(operations.map((operation) => titleOf(operation).tag))].map((name) => ({
      name,
      description: TAGS[name] ?? `Lists, adds and updates ${resources.find((one) => one.name === name)?.plural}.`,
    })),
    paths: Object.fromEntries(
      operations.map((operation) => [
        operation.path,
        { [operation.method.toLowerCase()]: describe(operation, schemas) },
      ]),
    ),
    components: {
      schemas,
      headers: HEADERS,
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: KEY_HEADER },
        apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
        token: { type: 'apiKey', in: 'query', name: 'token' },
        authorization: { type: 'apiKey', in: 'header', name: 'authorization', description: 'A token alone.' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
