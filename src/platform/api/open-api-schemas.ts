import { type Member, PASSWORD_MASK, type Parameter, parametersOf, type Resource, STAMPS } from '../model/resource.ts';
import { NOT_COMMON } from './accounts/new-password.ts';
import { PROOF } from './accounts/prove-caller.ts';
import { INTEGER, type Json, type Members, objectOf, RESULT } from './call.ts';
import { textRuleOf } from './check-value.ts';
import type { Operation } from './operations.ts';
import { BOOLEAN_TEXT, TEXT_PATTERNS, TEXT_RULES } from './published-patterns.ts';

const BOOLEAN = {
  anyOf: [{ type: 'boolean' }, { type: 'string', pattern: BOOLEAN_TEXT }],
  description: 'The strings "true" and "false" in any case are accepted too.',
};

const AS_KEPT = 'Lengths apply to the text as it is stored: in NFC, trimmed.';

/** The schema of a member in a request; with `isNew` the request adds the record. */
function schemaOf(member: Parameter, isNew: boolean): Json {
  if (member.kind === 'boolean') return { ...BOOLEAN, examples: [member.example] };
  const { kind, most, least = 1 } = textRuleOf(member);
  const text = { type: 'string', minLength: least, maxLength: most, pattern: TEXT_PATTERNS[kind] };
  const examples = [member.example];
  if (member.kind === 'reference')
    return { ...text, examples, description: `Names the ${member.to.noun}. ${AS_KEPT} ${TEXT_RULES[kind]}` };
  if (member.kind === 'text')
    return {
      ...text,
      examples,
      description: `${AS_KEPT} ${TEXT_RULES[kind]}`,
      ...(kind === 'email' && { format: 'idn-email' }),
    };
  const mask = isNew ? 'Anything but the mask shown in lists.' : 'The mask shown in lists keeps the current password.';
  return {
    ...text,
    format: 'password',
    examples,
    ...(isNew && { not: { const: PASSWORD_MASK } }),
    description: `${mask} ${NOT_COMMON} Kept as a hash of its NFC. ${TEXT_RULES[kind]}`,
  };
}

/** The schema of a member in a list; its value may be older than the current rules. */
function listedSchema(member: Member): Json {
  if (member.kind === 'unset') return { type: ['string', 'null'] };
  if (member.kind === 'password') return { type: 'string', const: PASSWORD_MASK };
  return { type: member.kind === 'boolean' ? 'boolean' : 'string', examples: [member.example] };
}

/** The schema of an object. */
export const object = (properties: Json, required: readonly string[]): Json => ({
  type: 'object',
  properties,
  required,
});

/** The envelope of a success. */
export const success = (data: Json): Json => objectOf({ status: { type: 'string', const: 'success' }, data });

/** A record as lists show it. */
export function recordSchema({ members, idMember }: Resource): Json {
  const own = members.flatMap((member): readonly (readonly [string, Json])[] => [
    ...(member.kind === 'reference' ? [[member.to.idMember, INTEGER] as const] : []),
    [member.name, listedSchema(member)],
  ]);
  const stamps = STAMPS.map(([name]) => {
    const type = name.endsWith('By') ? 'integer' : 'string';
    return [name, { type: [type, 'null'], ...(name.endsWith('Date') && { format: 'date-time' }) }] as const;
  });
  return objectOf(Object.fromEntries<Json>([[idMember, INTEGER], ...own, ...stamps]));
}

const CREDENTIALS = {
  apiKey: { type: 'string', description: 'An API key, instead of the query.' },
  token: { type: 'string', description: 'A token, instead of the header.' },
};

const schemasOf = (members: Members): Json =>
  Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema]));

/** The body of an operation's request. */
export function bodySchema(operation: Operation): Json {
  if (operation.kind === 'call') {
    const { body } = operation;
    const required = Object.keys(body).filter((name) => body[name]?.isRequired);
    return object({ ...schemasOf(body), ...CREDENTIALS }, required);
  }
  const { kind, resource } = operation;
  const own = Object.fromEntries(
    parametersOf(resource).map((member) => [member.name, schemaOf(member, kind === 'add')]),
  );
  const by = kind === 'add' ? 'CreateBy' : 'UpdateBy';
  const id =
    kind === 'update'
      ? { [resource.idMember]: { ...INTEGER, description: 'Selects the record; every other member may then change.' } }
      : {};
  const isOfUser = resource.members.some((member) => member.kind === 'password');
  const proof = isOfUser ? { Otp: PROOF.schema } : {};
  return object({ ...id, ...own, [by]: { ...INTEGER, examples: [1] }, ...proof, ...CREDENTIALS }, [
    ...Object.keys(own),
    by,
  ]);
}

/** The data of an operation's success. */
export function dataSchema(operation: Operation): Json {
  if (operation.kind === 'call') return operation.data;
  const { kind, resource } = operation;
  if (kind !== 'list') return objectOf({ ...RESULT, [resource.idMember]: INTEGER });
  const total = { type: 'integer', minimum: 0, description: 'How many records match; only if requested.' };
  const next = {
    ...INTEGER,
    description: 'The next `after`; absent only on the last page. Other pages of a search may be short or empty, too.',
  };
  return object({ items: { type: 'array', items: { $ref: `#/components/schemas/${resource.name}` } }, next, total }, [
    'items',
  ]);
}
