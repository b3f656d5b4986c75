import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import type { Inventory } from '../../model/target.ts';
import { findConflicts } from './find-conflicts.ts';
import { findNearKey } from './find-near-key.ts';
import { parseBounded } from './parse-bounded.ts';
import { inventorySchema } from './schema.ts';
import { type Environment, substitute } from './substitute.ts';
import { toInventory } from './to-inventory.ts';

/** One error of an inventory; line and column count from 1. */
export interface InventoryError {
  readonly line: number;
  readonly column: number;
  /** The path in the document, such as `subnets[0].nodes[1].rpc`; empty for the document itself. */
  readonly path: string;
  readonly what: string;
}

/** An error as one line of text: `file:line:column: path: what`. */
export const formatInventoryError = (file: string, error: InventoryError): string =>
  `${file}:${error.line}:${error.column}: ${error.path === '' ? 'inventory' : error.path}: ${error.what}`;

/** A plain key as written, any other in quotes with its control characters escaped. */
const formatKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

/** A path of keys and indexes as text: `subnets[0].nodes[1].rpc`. */
const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${formatKey(String(part))}`))
    .join('');

/** An inventory, or every error of its text in the order of the text. */
export type ParsedInventory =
  | { readonly ok: true; readonly inventory: Inventory }
  | { readonly ok: false; readonly errors: readonly InventoryError[] };

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly what: string;
  /** The finding is about the key that ends the path, not about its value. */
  readonly onKey?: boolean;
}

/** What each alias stands for. To resolve one reads the document up to it, which takes too long for each of many findings. */
type Resolved = Map<Alias, unknown>;

function resolve(document: Document, node: unknown, resolved: Resolved): unknown {
  if (!isAlias(node)) return node;
  if (!resolved.has(node)) resolved.set(node, node.resolve(document));
  return resolved.get(node);
}

/** The offset of the value at a path, or of the nearest ancestor in the text. */
function offsetOf(document: Document, { path, onKey }: Finding, aliases: Resolved): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const [depth, part] of [...path, undefined].entries()) {
    const resolved = resolve(document, node, aliases);
    const range = (node as Node | null | undefined)?.range;
    if (range) offset = range[0];
    if (part === undefined) break;
    if (isMap(resolved)) {
      const pair = resolved.items.find((item) => isScalar(item.key) && item.key.value === part);
      if (pair === undefined) break;
      const key = pair.key as Node;
      if (key.range) offset = key.range[0];
      if (onKey && depth === path.length - 1) break;
      node = pair.value;
    } else if (isSeq(resolved) && typeof part === 'number') node = resolved.items[part];
    else break;
  }
  return offset;
}

/**
 * The issues of the one alternative of a union that a value was meant as: it fits except for what is deeper in it. Undefined if none or
 * several do.
 */
function findMeant(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const [meant, ...others] = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  return others.length > 0 ? undefined : meant;
}

/** The keys that no alternative of a union knows. */
function findForeign({ errors: [first = [], ...others] }: z.core.$ZodIssueInvalidUnion): readonly string[] {
  const unknownIn = (issues: readonly z.core.$ZodIssue[]) =>
    issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []));
  return unknownIn(first).filter((key) => others.every((issues) => unknownIn(issues).includes(key)));
}

const toUnknownKey = (path: readonly PropertyKey[], key: string): Finding => {
  const near = findNearKey(path, key);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  // Another alternative of a union has it.
  const what = near === key ? 'does not go with the keys beside it' : `is not a known key${hint}`;
  return { path: [...path, key], what, onKey: true };
};

/** The findings of a zod issue; each unknown key is one. */
const toFindings = (issue: z.core.$ZodIssue, at: readonly PropertyKey[] = []): readonly Finding[] => {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => toUnknownKey(path, key));
  if (issue.code === 'invalid_union') {
    const meant = findMeant(issue);
    if (meant !== undefined) return meant.flatMap((one) => toFindings(one, path));
    const mistyped = findForeign(issue).filter((key) => findNearKey(path, key) !== undefined);
    if (mistyped.length > 0) return mistyped.map((key) => toUnknownKey(path, key));
  }
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return [{ path, what: `must be ${issue.expected === 'object' ? 'a mapping' : `a ${issue.expected}`}` }];
  return [{ path, what: issue.message }];
};

/** A syntax error without its quotation of the text, which may contain a secret. */
function saySyntax(error: YAMLError, text: string): string {
  const [start, end] = [text.lastIndexOf('\n', error.pos[0]) + 1, text.indexOf('\n', error.pos[0])];
  const line = text.slice(start, end === -1 ? undefined : end);
  const hint = /[[{].*\$\{/.test(line) ? "; inside [ ] or { } write a reference in quotes, as '${NAME}'" : '';
  return `is not valid YAML: ${error.message.replace(/: ".*$/s, '')}${hint}`;
}

/** Finds errors of a good inventory in what it names, such as files; each at a path of the document. */
export type CheckMore = (inventory: Inventory) => readonly Pick<Finding, 'path' | 'what'>[];

/** Parses an inventory's text and finds all errors at once. */
export function parseInventory(text: string, environment: Environment, checkMore?: CheckMore): ParsedInventory {
  const lines = new LineCounter();
  const errors: (InventoryError & { readonly offset: number })[] = [];
  const add = (offset: number, path: string, what: string) => {
    const { line, col } = lines.linePos(offset);
    errors.push({ offset, line: Math.max(line, 1), column: Math.max(col, 1), path, what });
  };
  // One syntax error causes others after it; the first of a line is the one to fix.
  const finish = (): ParsedInventory => ({
    ok: false,
    errors: errors
      .sort((a, b) => a.offset - b.offset)
      .filter(({ line, path }, i, all) => path !== '' || line !== all[i - 1]?.line)
      .map(({ line, column, path, what }) => ({ line, column, path, what })),
  });

  const read = parseBounded(text, lines);
  if ('excess' in read) {
    add(read.excess.offset, '', read.excess.what);
    return finish();
  }
  const { document } = read;
  for (const error of [...document.errors, ...document.warnings]) add(error.pos[0], '', saySyntax(error, text));
  if (errors.length > 0) return finish();

  substitute(document, environment, (node, path, what) => add(node.range?.[0] ?? 0, formatPath(path), what));
  const unset = new Set(errors.map(({ offset }) => offset));
  const aliases: Resolved = new Map();

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    add(0, '', `cannot be read: ${(error as Error).message}`);
    return finish();
  }
  const parsed = inventorySchema.safeParse(value, { reportInput: false });
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => toFindings(issue));
  const findings: readonly Finding[] = [...issues, ...findConflicts(value)];
  for (const finding of findings) {
    const offset = offsetOf(document, finding, aliases);
    // A value with a missing variable is already reported; further errors of its text would mislead.
    if (!unset.has(offset)) add(offset, formatPath(finding.path), finding.what);
  }
  if (!parsed.success || errors.length > 0) return finish();
  const inventory = toInventory(parsed.data, environment);
  for (const finding of checkMore?.(inventory) ?? [])
    add(offsetOf(document, finding, aliases), formatPath(finding.path), finding.what);
  return errors.length === 0 ? { ok: true, inventory } : finish();
}
