import {
  MAX_INTEGER,
  type Member,
  PASSWORD_MASK,
  type Parameter,
  parametersOf,
  type Resource,
  STAMPS,
} from '../model/resource.ts';
import type { CallMember, Json } from './call.ts';
import { PATTERNS } from './check-text.ts';
import { textRuleOf } from './check-value.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { type Operation, operationsOf } from './operations.ts';
import { PAGE_MEMBERS } from './read-page.ts';
import { recordQueryMembers } from './read-record-query.ts';
import { listGranting } from './scopes.ts';

const ANY: readonly ErrorCode[] = [1001, 1005, 1101, 1102, 1104, 1105, 1106, 1123];
const BODY: readonly ErrorCode[] = [1001, 1002, 1003, 1005, 1011, 1012, 1121];

/** Every code in the operation's answers. */
function codesOf(operation: Operation): readonly ErrorCode[] {
  if (operation.kind === 'call') return [...new Set([...ANY, ...operation.codes])].sort();
  const { kind, resource } = operation;
  const own: ErrorCode[] = [];
  if (kind === 'list') own.push(1002, 1003, 1005, 1009, 1011, 1012);
  else {
    own.push(...BODY);
    for (const member of resource.members) {
      if (member.kind === 'password') own.push(1006);
      if (member.kind === 'text' && member.format === 'email') own.push(1008);
      if (member.kind === 'reference') own.push(member.to.codes.missing);
    }
    own.push(resource.codes.duplicate);
  }
  if (kind !== 'add') own.push(resource.codes.missing);
  return [...new Set([...ANY, ...own])].sort();
}

const integer = { type: 'integer', minimum: 1, maximum: MAX_INTEGER };
const BOOLEAN = {
  anyOf: [{ type: 'boolean' }, { type: 'string', pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$' }],
  description: 'The strings "true" and "false" in any case are taken too.',
};

const AS_KEPT = 'Lengths and pattern are those of the text as it is kept: in NFC, without blanks around it.';

/** The schema of a member in a request; with `isNew` the request adds the record. */
function schemaOf(member: Parameter, isNew: boolean): Json {
  if (member.kind === 'boolean') return { ...BOOLEAN, examples: [member.example] };
  const { kind, most, least = 1 } = textRuleOf(member);
  const text = { type: 'string', minLength: least, maxLength: most, pattern: PATTERNS[kind] };
  const examples = [member.example];
  if (member.kind === 'reference') return { ...text, examples, description: `Names the ${member.to.noun}. ${AS_KEPT}` };
  if (member.kind === 'text')
    return { ...text, examples, description: AS_KEPT, ...(kind === 'email' && { format: 'idn-email' }) };
  return {
    ...text,
    format: 'password',
    examples,
    ...(isNew
      ? { not: { const: PASSWORD_MASK }, description: 'Any but the mask that lists show. Kept as a hash of its NFC.' }
      : { description: 'The mask that lists show keeps the password. Kept as a hash of its NFC.' }),
  };
}

/** The schema of a member in a list; its value may be older than the current rules. */
function listedSchema(member: Member): Json {
  if (member.kind === 'unset') return { type: ['string', 'null'] };
  if (member.kind === 'password') return { type: 'string', const: PASSWORD_MASK };
  return { type: member.kind === 'boolean' ? 'boolean' : 'string', examples: [member.example] };
}

const object = (properties: Json, required: readonly string[]): Json => ({ type: 'object', properties, required });

const success = (data: Json): Json =>
  object({ status: { type: 'string', const: 'success' }, data }, ['status', 'data']);

function recordSchema({ members, idMember }: Resource): Json {
  const own = members.flatMap((member): readonly (readonly [string, Json])[] => [
    ...(member.kind === 'reference' ? [[member.to.idMember, integer] as const] : []),
    [member.name, listedSchema(member)],
  ]);
  const stamps = STAMPS.map(([name]) => {
    const type = name.endsWith('By') ? 'integer' : 'string';
    return [name, { type: [type, 'null'], ...(name.endsWith('Date') && { format: 'date-time' }) }] as const;
  });
  const properties = Object.fromEntries<Json>([[idMember, integer], ...own, ...stamps]);
  return object(properties, Object.keys(properties));
}

const CREDENTIALS = {
  apiKey: { type: 'string', description: 'An API key, instead of the query.' },
  token: { type: 'string', description: 'A token, instead of the header.' },
};

const membersOf = (members: readonly CallMember[]): Json =>
  Object.fromEntries(members.map(({ name, schema }) => [name, schema]));

function bodySchema(operation: Operation): Json {
  if (operation.kind === 'call') {
    const { body = [] } = operation;
    const required = body.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    return object({ ...membersOf(body), ...CREDENTIALS }, required);
  }
  const { kind, resource } = operation;
  const own = Object.fromEntries(
    parametersOf(resource).map((member) => [member.name, schemaOf(member, kind === 'add')]),
  );
  const by = kind === 'add' ? 'CreateBy' : 'UpdateBy';
  const id =
    kind === 'update'
      ? { [resource.idMember]: { ...integer, description: 'Finds the record; then all else may change.' } }
      : {};
  return object({ ...id, ...own, [by]: { ...integer, examples: [1] }, ...CREDENTIALS }, [...Object.keys(own), by]);
}

function dataSchema(operation: Operation): Json {
  if (operation.kind === 'call') return operation.data;
  const { kind, resource } = operation;
  if (kind !== 'list')
    return object({ result: { type: 'string', const: 'success' }, [resource.idMember]: integer }, [
      'result',
      resource.idMember,
    ]);
  const total = { type: 'integer', minimum: 0, description: 'How many match; only if it was asked for.' };
  const next = { ...integer, description: 'The next `after`; absent on the last page.' };
  return object({ items: { type: 'array', items: { $ref: `#/components/schemas/${resource.name}` } }, next, total }, [
    'items',
  ]);
}

const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

function responsesOf(operation: Operation): Json {
  const failures = Map.groupBy(codesOf(operation), (code) => ERROR_CODES[code][0]);
  const entries = [...failures].map(([status, codes]): [string, Json] => [
    String(status),
    {
      description: codes.map((code) => `${code}: ${ERROR_CODES[code][1]}`).join('. '),
      ...json(
        object(
          {
            status: { type: 'string', const: 'failed' },
            appErrorCode: { type: 'integer', enum: codes },
            errMessage: { type: 'string' },
          },
          ['status', 'appErrorCode', 'errMessage'],
        ),
      ),
    },
  ]);
  return Object.fromEntries([['200', { description: 'Success', ...json(success(dataSchema(operation))) }], ...entries]);
}

const toParameter = (place: 'path' | 'query', { name, schema, isRequired = place === 'path' }: CallMember): Json => {
  const { description, ...rest } = schema;
  return { name, in: place, required: isRequired, description, schema: rest };
};

function parametersOfPath(operation: Operation): readonly Json[] {
  if (operation.kind === 'call') {
    const { segment, query: sent = [] } = operation;
    return [
      ...(segment === undefined ? [] : [toParameter('path', segment)]),
      ...sent.map((one) => toParameter('query', one)),
    ];
  }
  if (operation.kind === 'list')
    return [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: '0 lists every record, any other number the one with that id.',
        schema: { type: 'integer', minimum: 0, maximum: MAX_INTEGER },
      },
      ...[...PAGE_MEMBERS, ...recordQueryMembers(operation.resource)].map((one) => ({
        ...toParameter('query', one),
        'x-beyond-specification': true,
      })),
    ];
  if (operation.kind !== 'update') return [];
  return [{ name: 'updatedby', in: 'path', required: true, description: 'Equals UpdateBy.', schema: integer }];
}

const SECURITY = [{ apiKey: [] }, { token: [] }, { authorization: [] }, { bearer: [] }];

/** What people read of an operation first. */
function titleOf(operation: Operation): { readonly summary: string; readonly tag: string } {
  if (operation.kind === 'call') return operation;
  const { kind, resource } = operation;
  const { noun, plural, name: tag } = resource;
  if (kind === 'list') return { summary: `List ${plural}`, tag };
  return { summary: `${kind === 'add' ? 'Add' : 'Update'} ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`, tag };
}

function securityOf(operation: Operation): readonly Json[] {
  if (operation.kind !== 'call' || !operation.isOpen) return SECURITY;
  return operation.id === 'getToken' ? [...SECURITY.slice(0, 1), {}] : [{}];
}

function describe(operation: Operation): Json {
  const { id, method, scope } = operation;
  const { summary, tag } = titleOf(operation);
  const needed = scope === undefined ? [] : [`Needs a credential with the scope ${listGranting(scope)}.`];
  const more = operation.kind === 'call' && operation.description !== undefined ? [operation.description] : [];
  const isExtra = operation.kind === 'call' && !operation.isSpecified;
  const description = [...more, ...needed].join(' ');
  const required = operation.kind !== 'call' || !operation.bodyIsOptional;
  return {
    operationId: id,
    summary,
    ...(description !== '' && { description }),
    ...(isExtra && { 'x-beyond-specification': true }),
    tags: [tag],
    security: securityOf(operation),
    parameters: parametersOfPath(operation),
    ...(method !== 'GET' && { requestBody: { required, ...json(bodySchema(operation)) } }),
    responses: responsesOf(operation),
  };
}

/** The OpenAPI 3.1 document of the API, from the declarations. */
export function createOpenApi(resources: readonly Resource[], version: string): Json {
  const operations = operationsOf(resources);
  return {
    openapi: '3.1.0',
    info: {
      title: 'subnetd platform API',
      version,
      description: 'Admin users, project types, sectors and industries of the trade and finance platform.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }, { url: '/api' }],
    tags: [...new Set(operations.map((operation) => titleOf(operation).tag))].map((name) => ({ name })),
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path, { [operation.method.toLowerCase()]: describe(operation) }]),
    ),
    components: {
      schemas: Object.fromEntries(resources.map((resource) => [resource.name, recordSchema(resource)])),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
        token: { type: 'apiKey', in: 'query', name: 'token' },
        authorization: { type: 'apiKey', in: 'header', name: 'authorization', description: 'A token alone.' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
