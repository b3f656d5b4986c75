import type { SecurityAction, SecurityEvent, Subject } from '../model/security-event.ts';
import type { Caller } from './credentials.ts';
import type { SecurityLog } from './security-log.ts';

/** One request from the server, which has put its id into the header `x-request-id`. */
export interface ApiRequest {
  readonly request: Request;
  /** The remote address of the socket. */
  readonly peer: string | undefined;
  /** Breaks the connection of an answer that cannot be completed. */
  readonly breakOff?: () => void;
}

/** The parts of an event that vary. */
interface Noted {
  readonly caller?: Caller | undefined;
  readonly subject?: Subject | undefined;
  readonly detail?: NonNullable<SecurityEvent['detail']>;
}

/** A request with its caller and the log of its events. */
export interface Visit {
  readonly request: Request;
  /** The address of the client; empty if unknown. */
  readonly address: string;
  readonly requestId: string | undefined;
  /** Adds an event to the security log. */
  note(action: SecurityAction, noted: Noted): void;
}

const subjectOf = ({ keyId, owner }: Caller): Subject =>
  keyId === undefined ? { resource: 'AdminUser', id: owner } : { resource: 'ApiKey', id: keyId };

/** Makes the visit of a request. `now` is in Unix milliseconds. */
export function createVisit(request: Request, address: string, log: SecurityLog, now: () => number): Visit {
  const requestId = request.headers.get('x-request-id') ?? undefined;
  return {
    request,
    address,
    requestId,
    note: (action, { caller, subject, detail }) =>
      log.note({
        ...{ action, at: new Date(now()).toISOString() },
        subject: subject ?? (caller && subjectOf(caller)),
        ...{ owner: caller?.owner ?? null, credential: caller?.credential ?? 'none' },
        ...{ ip: address === '' ? null : address, requestId: requestId ?? null, ...(detail && { detail }) },
      }),
  };
}
