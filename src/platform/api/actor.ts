import type { PlatformStore } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import type { SecurityAction, SecurityEvent, Subject } from '../model/security-event.ts';
import type { Caller } from './credentials.ts';

/** The parts of an event that vary. */
export interface RecordedDetails {
  readonly caller?: Caller | undefined;
  readonly subject?: Subject | undefined;
  readonly detail?: NonNullable<SecurityEvent['detail']>;
}

/** Where something is asked from, before it is known by whom. */
export interface Client {
  /** The address of the client; empty if unknown. */
  readonly address: string;
  readonly requestId: string | undefined;
  /** Adds an event to the security log. */
  record(action: SecurityAction, noted: RecordedDetails): void;
  /** Logs an error that the client only sees as a code. */
  reportError(error: unknown): void;
}

/** Who asks a service for something, over the API or in the portal, and the open database. */
export interface Actor extends Client {
  readonly store: PlatformStore;
  /** Whose credential it is; undefined where none is needed. */
  readonly caller: Caller | undefined;
}

/** The caller of what works only with a credential. */
export function callerOf({ caller }: Pick<Actor, 'caller'>): Caller {
  if (caller === undefined) throw new Error('a call without a caller');
  return caller;
}

/** The author of a change; `statedBy` is the admin user whom the body names. `now` is in Unix milliseconds. */
export const authorOf = ({ caller, address, requestId }: Actor, statedBy: number | null, now: number): Author => ({
  statedBy,
  owner: caller?.owner ?? null,
  credential: caller?.credential ?? '',
  at: new Date(now).toISOString(),
  ip: address === '' ? null : address,
  ...(requestId !== undefined && { requestId }),
});

/** The author of a change that the caller makes of what is the caller's to change. */
export const authorOfCaller = (actor: Actor, now: number): Author => authorOf(actor, callerOf(actor).owner, now);
