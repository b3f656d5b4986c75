import type { Meaning } from '../../model/log.ts';
import type { Pattern } from '../../model/target.ts';
import { compileRe2 } from './compile-re2.ts';

/** What a line that matched carries. */
export interface Match {
  readonly value?: string;
}

/** An operator's own pattern, ready to look at lines. */
export interface OwnPattern {
  readonly name: string;
  readonly means: Meaning;
  /** Takes a line as text, without its line break. */
  readonly test: (line: string) => Match | undefined;
}

/**
 * An operator's own pattern, run by RE2, whose time grows with the length of the line and nothing else. RE2 decides alone:
 * its own parser knows which text a match needs, and a second guess here could only hide lines. Throws when RE2 cannot run
 * it, as with look-around and back-references; the inventory is checked by the same call.
 */
export function compileOwnPattern({ name, means, match, value }: Pattern): OwnPattern {
  const compiled = compileRe2(match);
  if (value !== undefined && !Object.keys(compiled.namedGroups()).includes(value))
    throw new Error(`there is no group (?<${value}>…) in the pattern`);
  return {
    name,
    means,
    test: (line) => {
      // Without groups RE2 is several times faster than `find`.
      if (!compiled.test(line)) return undefined;
      if (value === undefined) return {};
      const matcher = compiled.matcher(line);
      const text = matcher.find() ? matcher.group(value) : null;
      return text === null ? {} : { value: text };
    },
  };
}
