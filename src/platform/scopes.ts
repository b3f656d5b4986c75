import { SCOPES, type Scope } from '../model/platform-store.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** What each scope lets its holder do. `admin` and `operate` are apart from the others: they read no list. */
const GRANTS: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  lists: ['read', 'lists'],
  write: ['read', 'lists', 'write'],
  admin: ['admin'],
  operate: ['operate'],
};

/** All that the scopes let do, in the order of `SCOPES`. */
export const expandScopes = (scopes: readonly Scope[]): readonly Scope[] =>
  SCOPES.filter((scope) => scopes.some((given) => GRANTS[given].includes(scope)));

/** Reads scopes from one text, separated by blanks; undefined when one of them is none, or there is none. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const words = text.split(' ').filter(Boolean);
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  return scopes.length > 0 && new Set(words).size === scopes.length ? scopes : undefined;
}

/** The scopes by which one may do what `needed` lets do, for people: `read, lists or write`. */
export function listGranting(needed: Scope): string {
  const granting = SCOPES.filter((scope) => GRANTS[scope].includes(needed));
  return granting.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** One code for every scope that is missing, as the contract has it for a read key that writes; `has` is expanded. */
export const requireScope = (has: readonly Scope[], needed: Scope | undefined): Outcome<undefined> =>
  needed === undefined || has.includes(needed)
    ? succeed(undefined)
    : fail(1104, `this credential may not do that; use one with the scope ${listGranting(needed)}`);
