import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import type { Meaning } from '../../../model/log.ts';
import type { Pattern } from '../../../model/target.ts';

const require = createRequire(import.meta.url);

/**
 * Compiles an expression with RE2; throws when RE2 cannot run it. The library is large and most inventories have no
 * patterns, so the first pattern loads it.
 */
export const compileRe2 = (source: string): RE2JS =>
  (require('re2js') as { readonly RE2JS: typeof RE2JS }).RE2JS.compile(source);

/** What a pattern extracted from a line. */
export interface Match {
  readonly value?: string;
}

/** An operator's own pattern, compiled. */
export interface OwnPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Tests a line of text, without its line break. */
  readonly test: (line: string) => Match | undefined;
}

/**
 * Compiles an operator's own pattern with RE2, whose time grows linearly with the line. No literal prefilter: RE2's
 * parser already knows which text a match needs, and a wrong guess would hide lines. Throws when RE2 cannot run the
 * pattern, as with look-around and back-references. The inventory is validated by the same call.
 */
export function compileOwnPattern({ name, means, match, value }: Pattern): OwnPattern {
  const compiled = compileRe2(match);
  if (value !== undefined && !Object.keys(compiled.namedGroups()).includes(value))
    throw new Error(`there is no group (?<${value}>…) in the pattern`);
  return {
    name,
    means,
    test: (line) => {
      // Without capture groups RE2 is several times faster than `find`.
      if (!compiled.test(line)) return undefined;
      if (value === undefined) return {};
      const matcher = compiled.matcher(line);
      const text = matcher.find() ? matcher.group(value) : null;
      return text === null ? {} : { value: text };
    },
  };
}
