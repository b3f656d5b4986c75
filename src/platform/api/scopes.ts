import { SCOPES, type Scope } from '../model/platform-store.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** What each scope allows. `admin` and `operate` are separate from the others: they read no list. */
const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  lists: ['read', 'lists'],
  write: ['read', 'lists', 'write'],
  admin: ['admin'],
  operate: ['operate'],
};

/** Everything that the scopes allow, in the order of `SCOPES`. */
export const expandScopes = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.length === 1 && scopes[0] !== undefined
    ? GRANTS[scopes[0]]
    : SCOPES.filter((scope) => scopes.some((given) => GRANTS[given].includes(scope)));

/** Parses scopes separated by blanks; undefined if one is unknown or there is none. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const words = text.split(' ').filter(Boolean);
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  return scopes.length > 0 && new Set(words).size === scopes.length ? scopes : undefined;
}

/** The scopes that include `needed`, for people: `read, lists or write`. */
export function listGranting(needed: Scope): string {
  const granting = SCOPES.filter((scope) => GRANTS[scope].includes(needed));
  return granting.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** The refusal of a missing scope. The code is that of the contract for a read key that writes. `has` is expanded. */
export const requireScope = (has: readonly Scope[], needed: Scope | undefined): Outcome<undefined> =>
  needed === undefined || has.includes(needed)
    ? succeed(undefined)
    : fail(1104, `this credential is not allowed to do that; use one with the scope ${listGranting(needed)}`);
