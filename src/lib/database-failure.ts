/** The database failed; the cause is for the log only. */
export interface DatabaseFailure extends Error {
  readonly name: 'DatabaseFailure';
}

/** Creates a `DatabaseFailure`. */
export const databaseFailure = (cause: unknown): DatabaseFailure =>
  Object.assign(new Error('the database failed', { cause }), { name: 'DatabaseFailure' as const });

const AWAY = 'DATABASE_AWAY';

/** The failure of a call while the database is known to be unreachable. */
export const databaseAway = (): DatabaseFailure =>
  databaseFailure(Object.assign(new Error('the database is away'), { code: AWAY }));

/** Is the database merely known to be unreachable, which was logged once? Takes the result of `describeCause`. */
export const isAway = ({ code }: { readonly code?: string }): boolean => code === AWAY;

const OVERLOADED = 'DATABASE_OVERLOADED';

/** The failure of a call that has waited too long for its turn. The database works, and the call has stored nothing. */
export const databaseOverloaded = (): DatabaseFailure =>
  databaseFailure(Object.assign(new Error('too many calls wait for the database'), { code: OVERLOADED }));

/** Did the call only wait too long for its turn? Takes the result of `describeCause`. */
export const isOverloaded = ({ code }: { readonly code?: string }): boolean => code === OVERLOADED;

/** Is this a `DatabaseFailure`? */
export const isDatabaseFailure = (error: unknown): error is DatabaseFailure =>
  error instanceof Error && error.name === 'DatabaseFailure';

/** PostgreSQL's codes (SQLSTATE) for invalid values: their messages quote the value. */
const QUOTES_A_VALUE = /^(?:22|23)...$/;

/**
 * What a log may contain of a driver's error: code and text, without details or quoted values. Node's error for a
 * stored value that is not JSON quotes it.
 */
export function describeCause(error: unknown): { readonly code?: string; readonly message: string } {
  const { cause } = isDatabaseFailure(error) ? error : { cause: error };
  if (cause instanceof SyntaxError) return { message: 'a stored value is not JSON' };
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const text = String(message || code || cause);
  if (typeof code !== 'string') return { message: text };
  return { code, message: QUOTES_A_VALUE.test(code) ? text.replace(/: .*/s, '') : text };
}
