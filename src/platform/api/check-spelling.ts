import { fail, type Outcome, succeed } from './outcome.ts';

/** Names of parameters by their small letters. */
export type Spellings = ReadonlyMap<string, string>;

export const toSpellings = (names: readonly string[]): Spellings =>
  new Map(names.map((name) => [name.toLowerCase(), name]));

/** Refuses a parameter that differs from a known one in its case only, which would ask for more than was meant. */
export function checkSpelling(query: URLSearchParams | undefined, known: Spellings): Outcome<undefined> {
  for (const name of query?.keys() ?? []) {
    const right = known.get(name.toLowerCase());
    if (right !== undefined && right !== name)
      return fail(1012, `${name} must be spelled ${right}: the names of parameters are case-sensitive`);
  }
  return succeed(undefined);
}
