import { describeCause, isDatabaseFailure, isOverloaded } from '../model/database-failure.ts';
import type { PlatformStore, Scope } from '../model/platform-store.ts';
import type { Resource } from '../model/resource.ts';
import type { SecurityEvent } from '../model/security-event.ts';
import type { Body } from './check-value.ts';
import { addressKey } from './client-address.ts';
import { createLimits, type LimitSettings } from './create-limits.ts';
import { createTokens, type Tokens } from './create-tokens.ts';
import { type Caller, checkCredentials, takeCredentials } from './credentials.ts';
import { answerFailure, answerSuccess } from './envelope.ts';
import { giveToken } from './give-token.ts';
import type { Take } from './limits.ts';
import { listRecords } from './list-records.ts';
import { createFindOperation, neededScope, operationsOf } from './operations.ts';
import { type Failure, fail, type Outcome, succeed } from './outcome.ts';
import { readBody } from './read-body.ts';
import {
  type ApiRequest,
  type ContextDeps,
  createRequestContext,
  type IdentifiedRequest,
  type RequestContext,
} from './request-context.ts';
import { requireScope } from './scopes.ts';
import { createSecurityLog } from './security-log.ts';
import { writeRecord } from './write-record.ts';

/** The dependencies of the handler. */
export interface ApiHandlerDeps extends ContextDeps {
  readonly resources: readonly Resource[];
  /** Rejects with a `DatabaseFailure` while the database is down. */
  readonly store: () => Promise<PlatformStore>;
  /** The limits that replicas share; undefined if they share none. */
  readonly sharedLimits: () => Promise<Take | undefined>;
  readonly limits: LimitSettings;
  /** The secret of the tokens; by default generated and stored in the database. */
  readonly jwtSecret?: string;
  /** Receives each event of the security log; one may represent several. */
  readonly onSecurity: (event: SecurityEvent) => void;
}

/** Answers the requests of the platform API. */
export interface ApiHandler {
  /** Always returns the envelope; never rejects. */
  answer(request: ApiRequest): Promise<Response>;
  /** Who sends a request outside `/api` that needs the scope. Never rejects. */
  authorize(request: ApiRequest, needed: Scope): Promise<Outcome<Caller>>;
  /** The pattern of a path, for metrics. */
  routeOf(path: string): string;
  /** Writes the waiting events of the security log. */
  stop(): Promise<void>;
}

/** What a request sends besides its path and headers. */
interface Input {
  readonly body: Body;
  readonly query: URLSearchParams | undefined;
}

const TOUCH_EVERY_MS = 60_000;
/** Seconds until a request may come again that found too many others before it. */
const RETRY_AFTER = '5';
/** Methods whose bodies are ignored, and methods that need one; the others may have one. */
const IGNORES_BODY = new Set(['GET', 'HEAD']);
const NEEDS_BODY = new Set(['POST', 'PUT', 'PATCH']);

const pathOf = ({ url }: Request): string => /^[^:]+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? '';

const queryOf = ({ url }: Request): URLSearchParams | undefined => {
  const at = url.indexOf('?');
  return at < 0 ? undefined : new URLSearchParams(url.slice(at + 1));
};

function failureOf(error: unknown): Failure {
  if (!isDatabaseFailure(error)) return { code: 1105, message: 'subnetd failed on this request; its log says more' };
  if (!isOverloaded(describeCause(error))) return { code: 1106, message: 'the database failed; try again later' };
  const message = 'too many requests wait for the database, and this one was not carried out; wait as Retry-After says';
  return { code: 1102, message, headers: { 'retry-after': RETRY_AFTER } };
}

/** Creates the handler. `handle` holds the steps of a request, in the order in which they run. */
export function createApiHandler(deps: ApiHandlerDeps): ApiHandler {
  const { now, store: openStore } = deps;
  const findOperation = createFindOperation(operationsOf(deps.resources));
  const limits = createLimits(deps.limits, () => performance.now(), deps.sharedLimits);
  const security = createSecurityLog({
    write: async (events) => (await openStore()).addSecurityEvents(events),
    log: deps.onSecurity,
  });
  const touched = new Map<number, number>();

  let tokens: Promise<Tokens> | undefined;
  const getTokens = (store: PlatformStore): Promise<Tokens> => {
    tokens ??= (async () => {
      const make = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
      return createTokens(deps.jwtSecret ?? (await store.getOrCreate('jwt_secret', make)), now);
    })();
    tokens.catch(() => {
      tokens = undefined;
    });
    return tokens;
  };

  /** Records the use of a key at most once a minute; nothing waits for it. */
  const touch = (store: PlatformStore, keyId: number | undefined) => {
    const at = now();
    if (keyId === undefined || at - (touched.get(keyId) ?? 0) < TOUCH_EVERY_MS) return;
    touched.set(keyId, at);
    store.touchKey(keyId, new Date(at).toISOString()).catch(() => {});
  };

  const limitAddress = async (context: RequestContext): Promise<Outcome<unknown>> => {
    const taken = await limits.address(addressKey(context.address));
    if (taken.ok) context.headers = taken.value;
    else context.record('slowed', { detail: { name: 'Limit', value: 'address' } });
    return taken;
  };

  const limitCredential = async ({ context, caller }: IdentifiedRequest): Promise<Outcome<unknown>> => {
    if (caller === undefined) return succeed(undefined);
    const { keyId, owner } = caller;
    const taken = await limits.credential(keyId === undefined ? `user ${owner}` : `key ${keyId}`);
    if (taken.ok) context.headers = { ...context.headers, ...taken.value };
    else context.record('slowed', { caller, detail: { name: 'Limit', value: 'credential' } });
    return taken;
  };

  /** Reads the credentials, and checks them all. */
  const identify = async (
    context: RequestContext,
    { body, query }: Input,
    needsOne: boolean,
  ): Promise<Outcome<IdentifiedRequest>> => {
    const sent = takeCredentials(body, query, context.request.headers.get('authorization') ?? undefined);
    if (needsOne && sent.apiKeys.length + sent.tokens.length === 0)
      return fail(
        1101,
        'send an API key or a token: apiKey or token in the body or the query, or an authorization header',
      );
    const store = await openStore();
    const checked = await checkCredentials(store, () => getTokens(store), sent, now());
    if (!checked.ok) {
      const { code, subject } = checked.failure;
      context.record(code === 1123 ? 'key refused' : 'token refused', { subject });
      return checked;
    }
    const caller = checked.value;
    touch(store, caller?.keyId);
    return succeed({ context, body, query, store, caller });
  };

  const authorize = ({ context, caller }: IdentifiedRequest, needed: Scope | undefined): Outcome<undefined> => {
    const scoped = requireScope(caller?.scopes ?? [], needed);
    if (!scoped.ok && needed !== undefined)
      context.record('scope refused', { caller, detail: { name: 'Scope', value: needed } });
    return scoped;
  };

  /** Runs the operation of the path, if the method is that of the operation. */
  const dispatch = async (
    identified: IdentifiedRequest,
    path: string,
    found: ReturnType<typeof findOperation>,
  ): Promise<Outcome<Response>> => {
    const { request, headers } = identified.context;
    const { method } = request;
    if (found === undefined)
      return /^\/api(?:\/v1)?\/openapi\.json$/.test(path)
        ? fail(1001, 'this path takes GET only', { allow: 'GET' })
        : fail(1004, 'there is no such path; /docs lists them');
    const { operation, segment } = found;
    const { kind, resource } = operation;
    const isRead = operation.method === 'GET' && method === 'HEAD';
    if (method !== operation.method && !isRead)
      return fail(1001, `this path takes ${operation.method} only`, { allow: operation.method });
    if (resource === undefined) {
      const given = await giveToken(identified, { tokens: () => getTokens(identified.store), limits, now: now() });
      return given.ok ? succeed(answerSuccess(given.value, headers)) : given;
    }
    if (kind === 'list') return listRecords(identified, resource, segment);
    const written = await writeRecord(identified, resource, kind === 'update' ? segment : undefined, now());
    return written.ok
      ? succeed(answerSuccess({ result: 'success', [resource.idMember]: written.value }, headers))
      : written;
  };

  const handle = async (context: RequestContext): Promise<Outcome<Response>> => {
    const { request } = context;
    const { method } = request;
    const path = pathOf(request);
    const found = findOperation(path);
    const isToken = found?.operation.kind === 'token';

    const limited = await limitAddress(context);
    if (!limited.ok) return limited;

    const bodyMayBeMissing = isToken || !NEEDS_BODY.has(method);
    const body = IGNORES_BODY.has(method) ? succeed<Body>({}) : await readBody(request, bodyMayBeMissing);
    if (!body.ok) return body;

    const mayBeAnonymous = isToken && method === 'POST';
    const identified = await identify(context, { body: body.value, query: queryOf(request) }, !mayBeAnonymous);
    if (!identified.ok) return identified;

    const credentialLimited = await limitCredential(identified.value);
    if (!credentialLimited.ok) return credentialLimited;

    const authorized = authorize(identified.value, neededScope(found?.operation, method));
    return authorized.ok ? dispatch(identified.value, path, found) : authorized;
  };

  const checkScope = async (context: RequestContext, needed: Scope): Promise<Outcome<Caller>> => {
    const { request } = context;
    const limited = await limitAddress(context);
    if (!limited.ok) return limited;
    const hasJson = /^application\/json\b/i.test(request.headers.get('content-type') ?? '');
    const body = hasJson ? await readBody(request, true) : succeed<Body>({});
    if (!body.ok) return body;
    const identified = await identify(context, { body: body.value, query: queryOf(request) }, true);
    if (!identified.ok) return identified;
    const { caller } = identified.value;
    const authorized = authorize(identified.value, needed);
    if (!authorized.ok) return authorized;
    return caller === undefined ? fail(1101, 'send an API key or a token') : succeed(caller);
  };

  return {
    answer: async (request) => {
      const context = createRequestContext(request, deps, security);
      try {
        const handled = await handle(context);
        return handled.ok ? handled.value : answerFailure(handled.failure, context.headers);
      } catch (error) {
        context.reportError(error);
        return answerFailure(failureOf(error), context.headers);
      }
    },
    authorize: async (request, needed) => {
      const context = createRequestContext(request, deps, security);
      try {
        return await checkScope(context, needed);
      } catch (error) {
        context.reportError(error);
        return { ok: false, failure: failureOf(error) };
      }
    },
    routeOf: (path) => {
      const found = findOperation(path);
      return found === undefined ? '/api/*' : `/api${found.operation.path}`;
    },
    stop: security.stop,
  };
}
