import type { Subject } from '../model/security-event.ts';
import type { ErrorCode } from './error-codes.ts';

/** Why a request is refused. The message is for people and quotes no secret. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user or key concerned, for the security log only. */
  readonly subject?: Subject;
}

/** A value, or why there is none. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** An outcome with a value. */
export const succeed = <T>(value: T): Outcome<T> => ({ ok: true, value });

/** An outcome without one. */
export const fail = (
  code: ErrorCode,
  message: string,
  headers?: Failure['headers'],
  subject?: Subject,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { code, message, ...(headers && { headers }), ...(subject && { subject }) },
});

/** An error that the client sees as this failure: for what is refused deep inside, where nobody expects it. */
export const refusal = (failure: Failure): Error & { readonly failure: Failure } =>
  Object.assign(new Error(failure.message), { name: 'Refusal', failure });

/** The failure of a refusal; undefined if the error is another one. */
export const failureIn = (error: unknown): Failure | undefined =>
  error instanceof Error && error.name === 'Refusal' ? (error as ReturnType<typeof refusal>).failure : undefined;
