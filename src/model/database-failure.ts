/** The database failed; the cause is for the log only. */
export interface DatabaseFailure extends Error {
  readonly name: 'DatabaseFailure';
}

/** Makes a `DatabaseFailure`. */
export const databaseFailure = (cause: unknown): DatabaseFailure =>
  Object.assign(new Error('the database failed', { cause }), { name: 'DatabaseFailure' as const });

/** Is this a `DatabaseFailure`? */
export const isDatabaseFailure = (error: unknown): error is DatabaseFailure =>
  error instanceof Error && error.name === 'DatabaseFailure';

/** What a log may say of a driver's error: its code and text, not its details, which can quote a stored value. */
export function describeCause(error: unknown): { readonly code?: string; readonly message: string } {
  const { cause } = isDatabaseFailure(error) ? error : { cause: error };
  const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return { ...(typeof code === 'string' && { code }), message: String(message || code || cause) };
}
