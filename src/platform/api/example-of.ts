/** A JSON Schema, as far as an example needs it. */
export interface SchemaShape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly items?: SchemaShape;
  readonly anyOf?: readonly SchemaShape[];
  readonly properties?: Readonly<Record<string, SchemaShape>>;
}

/** The schemas of a document by the end of their references. */
export type SchemaShapes = Readonly<Record<string, SchemaShape>>;

const DATE_TIME = '2026-01-31T12:00:00.000Z';

function exampleOfText({ format, minLength = 0 }: SchemaShape): string {
  if (format === 'date-time') return DATE_TIME;
  return 'text'.padEnd(minLength, 'x');
}

/** A value that the schema allows, by its own example if it has one. */
export function exampleOf(schema: SchemaShape, schemas: SchemaShapes): unknown {
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
