import { z } from 'zod';
import { findSimilar } from '../../lib/find-similar.ts';
import { inventorySchema } from './schema.ts';

/** The schemas of the values below a part of a path. */
function stepInto(schema: z.core.$ZodType, part: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return stepInto(schema.def.innerType, part);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => stepInto(option, part));
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodObject && Object.hasOwn(schema.shape, part)) return [schema.shape[String(part)]];
  return [];
}

function keysOf(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return keysOf(schema.def.innerType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(keysOf);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The typing mistakes that a word of this length may have. */
const mistakesIn = (key: string): number => Math.ceil(key.length / 4);

/** The known key at a path of the inventory that may have been meant by an unknown one there. */
export function findNearKey(path: readonly PropertyKey[], key: string): string | undefined {
  let schemas: readonly z.core.$ZodType[] = [inventorySchema];
  for (const part of path) schemas = schemas.flatMap((schema) => stepInto(schema, part));
  const known = [...new Set(schemas.flatMap(keysOf))];
  const [near = known.find((name) => name.startsWith(key))] = findSimilar(key, known, mistakesIn(key));
  return near;
}
