import { load } from 'js-yaml';
import { MAX_DEPTH, MAX_KEYS } from './parse-bounded.ts';
import { type Environment, replaceReferences } from './substitute.ts';

/** Longer texts may have more tokens than `parseBounded` takes. */
const MAX_LENGTH = 2.5 * 1024 * 1024;

/** Anchors, tags, and a carriage return by itself: the two parsers do not always read the same there. */
const SPECIAL = /(?:^|[\s[{,])[&!]|\r(?!\n)/;

/** A key that is a text with and without quotes. */
const KEY = /^(?!(?:true|false|null)$)[a-z][\w-]*$/i;

/**
 * The value with its references replaced; undefined when they or its keys are read with care only. Ten thousand nodes have 120,000 keys
 * and values, so it makes no lists of them.
 */
function finish(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string') return value.includes('${') ? replaceSame(value, environment) : value;
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  const members = value as Record<string | number, unknown>;
  let count = 0;
  for (const key in members) {
    count += 1;
    if (!isList && (count > MAX_KEYS || !KEY.test(key))) return undefined;
    const member = members[key];
    const finished = finish(member, environment);
    if (finished === undefined) return undefined;
    if (finished !== member) members[key] = finished;
  }
  return value;
}

/** The text with its references replaced; undefined when one cannot be, or when quotes around it make a difference. */
function replaceSame(text: string, environment: Environment): string | undefined {
  const { quoted, plain, broken } = replaceReferences(text, environment);
  return broken.length === 0 && quoted === plain ? quoted : undefined;
}

/**
 * Reads a document that is written plainly, with its references replaced; undefined for every other one, and for each with an error.
 * js-yaml knows no places, and takes a sixth of the time of `yaml`. That reads the rest, and says what is wrong where.
 */
export function readPlainYaml(text: string, environment: Environment): { readonly value: unknown } | undefined {
  if (text.length > MAX_LENGTH || SPECIAL.test(text)) return undefined;
  let value: unknown;
  try {
    value = load(text, { maxDepth: MAX_DEPTH, maxAliases: 0 });
  } catch {
    return undefined;
  }
  const finished = finish(value, environment);
  return finished === undefined ? undefined : { value: finished };
}
