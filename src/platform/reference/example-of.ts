import { exampleOf, type SchemaShapes } from '../api/example-of.ts';
import type { Field } from './read-operations.ts';

/** The body of an example request: what is required, and else everything. */
export function exampleBody(fields: readonly Field[], schemas: SchemaShapes): Readonly<Record<string, unknown>> {
  const required = fields.filter(({ isRequired }) => isRequired);
  const sent = required.length > 0 ? required : fields;
  return Object.fromEntries(sent.map(({ name, schema }) => [name, exampleOf(schema, schemas)]));
}
