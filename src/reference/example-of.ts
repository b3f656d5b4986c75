import type { Field, Schema } from './read-operations.ts';

/** The schemas of the document by the end of their references. */
export type Schemas = Readonly<Record<string, Schema>>;

const DATE_TIME = '2026-01-31T12:00:00.000Z';

function exampleOfText({ format, minLength = 0 }: Schema): string {
  if (format === 'date-time') return DATE_TIME;
  return 'text'.padEnd(minLength, 'x');
}

/** A value that the schema allows, by its own example if it has one. */
export function exampleOf(schema: Schema, schemas: Schemas = {}): unknown {
  const { $ref, examples = [], anyOf = [], enum: choices = [], properties, items, minimum = 1 } = schema;
  if ($ref !== undefined) return exampleOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, schemas);
  if ('const' in schema) return schema.const;
  if (examples.length > 0) return examples[0];
  if (schema.default !== undefined) return schema.default;
  if (choices.length > 0) return choices[0];
  if (anyOf[0] !== undefined) return exampleOf(anyOf[0], schemas);
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one, schemas)]));
  const [type] = [schema.type ?? 'null'].flat();
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, schemas)];
  if (type === 'integer' || type === 'number') return minimum;
  if (type === 'boolean') return true;
  return type === 'string' ? exampleOfText(schema) : null;
}

/** The body of an example request: what is required, and else everything. */
export function exampleBody(fields: readonly Field[], schemas: Schemas): Readonly<Record<string, unknown>> {
  const required = fields.filter(({ isRequired }) => isRequired);
  const sent = required.length > 0 ? required : fields;
  return Object.fromEntries(sent.map(({ name, schema }) => [name, exampleOf(schema, schemas)]));
}
