import { type Document, isNode, visit, YAMLMap } from 'yaml';
import { isRecord } from '../../lib/record.ts';

/** Stand for the tags `!reset` and `!override`, which a value of the document loses on its way to JavaScript. */
const RESET = '\0reset';
const OVERRIDE = '\0override';

/** Keeps the tags of Compose in the values of a document. */
export function markTags(document: Document): void {
  visit(document, {
    Pair(_, pair) {
      const tag = isNode(pair.value) ? pair.value.tag : undefined;
      if (tag === '!reset') pair.value = document.createNode(RESET);
      if (tag !== '!override' || !isNode(pair.value)) return;
      pair.value.tag = undefined;
      const marked = new YAMLMap(document.schema);
      marked.set(OVERRIDE, pair.value);
      pair.value = marked;
    },
  });
}

/** A list of `NAME=value` or of names as a mapping; the other form that Compose allows for some keys. */
const toMapping = (value: readonly unknown[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    value.map((entry): [string, unknown] => {
      const [, name = String(entry), text = null] = /^([^=]*)=(.*)$/s.exec(String(entry)) ?? [];
      return [name, text];
    }),
  );

const withoutReset = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== RESET));

/**
 * One compose file over another (https://docs.docker.com/reference/compose-file/merge/): mappings are merged, lists are
 * appended, and everything else is replaced, as are the lists of a command.
 */
export function mergeCompose(under: unknown, over: unknown, key = ''): unknown {
  if (isRecord(over) && OVERRIDE in over) return over[OVERRIDE];
  if (Array.isArray(under) && isRecord(over)) return mergeCompose(toMapping(under), over, key);
  if (isRecord(under) && Array.isArray(over)) return mergeCompose(under, toMapping(over), key);
  if (isRecord(over)) {
    const base = isRecord(under) ? under : {};
    const merged = Object.entries(over).map(([name, value]) => [name, mergeCompose(base[name], value, name)]);
    return withoutReset({ ...base, ...Object.fromEntries(merged) });
  }
  if (key === 'env_file' && under !== undefined && over !== undefined) return [under, over].flat();
  if (Array.isArray(under) && Array.isArray(over) && !['command', 'entrypoint'].includes(key))
    return [...under, ...over];
  return over ?? under;
}
