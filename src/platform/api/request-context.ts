import type { BlockList } from 'node:net';
import { clientAddress } from '../../lib/addresses.ts';
import { describeCause, isDatabaseFailure } from '../../lib/database-failure.ts';
import type { ReceivedRequest } from '../../model/received-request.ts';
import type { Subject } from '../model/security-event.ts';
import type { Client } from './actor.ts';
import type { Caller } from './credentials.ts';
import type { SecurityLog } from './security-log.ts';

/** A request on its way through the checks. */
export interface RequestContext extends Client {
  readonly request: Request;
  /** The headers of its answer, whether a success or a failure; each limit adds its own. */
  headers: Readonly<Record<string, string>>;
  /** The key that the request was sent with, itself or by a token of it, as soon as that is known; also of one that was refused. */
  keyId: number | undefined;
  /** Breaks the connection of an answer that cannot be completed. */
  readonly breakOff: (() => void) | undefined;
}

/** The dependencies of a request context. */
export interface ContextDeps {
  readonly trustedProxies: BlockList;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onError: (what: 'database' | 'bug', error: unknown, requestId: string | null) => void;
}

const subjectOf = ({ keyId, owner }: Caller): Subject =>
  keyId === undefined ? { resource: 'AdminUser', id: owner } : { resource: 'ApiKey', id: keyId };

/** Creates the context of a request. */
export function createRequestContext(
  { request, remoteAddress, breakOff }: ReceivedRequest,
  { trustedProxies, now, onError }: ContextDeps,
  log: SecurityLog,
): RequestContext {
  const forwarded = request.headers.get('x-forwarded-for') ?? undefined;
  const address = clientAddress(remoteAddress, forwarded, trustedProxies);
  const requestId = request.headers.get('x-request-id') ?? undefined;
  return {
    request,
    address,
    requestId,
    headers: {},
    keyId: undefined,
    breakOff,
    record: (action, { caller, subject, detail }) =>
      log.record({
        action,
        at: new Date(now()).toISOString(),
        subject: subject ?? (caller && subjectOf(caller)),
        owner: caller?.owner ?? null,
        credential: caller?.credential ?? 'none',
        ip: address === '' ? null : address,
        requestId: requestId ?? null,
        detail,
      }),
    reportError: (error) => {
      if (isDatabaseFailure(error)) onError('database', describeCause(error), requestId ?? null);
      else onError('bug', error, requestId ?? null);
    },
  };
}
