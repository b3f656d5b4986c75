import type { BlockList } from 'node:net';
import { describeCause, isDatabaseFailure } from '../model/database-failure.ts';
import type { Author, PlatformStore, Scope } from '../model/platform-store.ts';
import type { Resource } from '../model/resource.ts';
import type { SecurityEvent } from '../model/security-event.ts';
import type { Body } from './check-value.ts';
import { checkWrite } from './check-write.ts';
import { addressKey, clientAddress } from './client-address.ts';
import { createLimits, type LimitSettings } from './create-limits.ts';
import { createTokens, type Tokens } from './create-tokens.ts';
import { type Caller, checkCredentials, takeCredentials } from './credentials.ts';
import { answerFailure, answerSuccess } from './envelope.ts';
import { giveToken } from './give-token.ts';
import type { Take } from './limits.ts';
import { listRecords } from './list-records.ts';
import { createFindOperation, neededScope, type Operation, operationsOf } from './operations.ts';
import { type Failure, fail, type Outcome, succeed } from './outcome.ts';
import { readBody } from './read-body.ts';
import { requireScope } from './scopes.ts';
import { createSecurityLog } from './security-log.ts';
import { type ApiRequest, createVisit, type Visit } from './visit.ts';
import { addRecord, updateRecord } from './write-record.ts';

/** The dependencies of the API. */
export interface PlatformDeps {
  readonly resources: readonly Resource[];
  /** Rejects with a `DatabaseFailure` while the database is down. */
  readonly store: () => Promise<PlatformStore>;
  /** The limits that replicas share; undefined if they share none. */
  readonly sharedLimits: () => Promise<Take | undefined>;
  readonly limits: LimitSettings;
  readonly trustedProxies: BlockList;
  /** The secret of the tokens; by default generated and stored in the database. */
  readonly jwtSecret?: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onError: (what: 'database' | 'bug', error: unknown, requestId: string | null) => void;
  /** Receives each event of the security log; one may represent several. */
  readonly onSecurity: (event: SecurityEvent) => void;
}

/** The platform API. */
export interface Platform {
  /** Always returns the envelope; never rejects. */
  answer(request: ApiRequest): Promise<Response>;
  /** Why a request outside `/api` lacks the scope; undefined if it has it. */
  refuse(request: ApiRequest, needed: Scope): Promise<Failure | undefined>;
  /** The pattern of a path, for metrics. */
  routeOf(path: string): string;
  /** Writes the waiting events of the security log. */
  stop(): Promise<void>;
}

const TOUCH_EVERY_MS = 60_000;
/** Methods whose bodies are ignored, and methods that need one; the others may have one. */
const IGNORES_BODY = new Set(['GET', 'HEAD']);
const NEEDS_BODY = new Set(['POST', 'PUT', 'PATCH']);

type Headers = Readonly<Record<string, string>>;

/** Creates the API. `answer` holds the checks of a request, in the order in which they run. */
export function createPlatform(deps: PlatformDeps): Platform {
  const { now, store: openStore, onError } = deps;
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
      return createTokens(deps.jwtSecret ?? (await store.keep('jwt_secret', make)), now);
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

  const visitOf = ({ request, peer }: ApiRequest): Visit => {
    const forwarded = request.headers.get('x-forwarded-for') ?? undefined;
    return createVisit(request, clientAddress(peer, forwarded, deps.trustedProxies), security, now);
  };
  const limitAddress = async ({ address, note }: Visit) => {
    const taken = await limits.address(addressKey(address));
    if (!taken.ok) note('slowed', { detail: { name: 'Limit', value: 'address' } });
    return taken;
  };
  const checkScope = ({ note }: Visit, caller: Caller | undefined, needed: Scope | undefined) => {
    const scoped = requireScope(caller?.scopes ?? [], needed);
    if (!scoped.ok && needed !== undefined) note('scope refused', { caller, detail: { name: 'Scope', value: needed } });
    return scoped;
  };
  const queryOf = ({ url }: Request) => {
    const at = url.indexOf('?');
    return at < 0 ? undefined : new URLSearchParams(url.slice(at + 1));
  };

  const identify = async (
    { request, note }: Visit,
    query: URLSearchParams | undefined,
    body: Body,
    needsOne: boolean,
  ): Promise<Outcome<{ readonly store: PlatformStore; readonly caller: Caller | undefined }>> => {
    const sent = takeCredentials(body, query, request.headers.get('authorization') ?? undefined);
    if (needsOne && sent.apiKeys.length + sent.tokens.length === 0)
      return fail(
        1101,
        'send an API key or a token: apiKey or token in the body or the query, or an authorization header',
      );
    const store = await openStore();
    const checked = await checkCredentials(store, () => getTokens(store), sent, now());
    if (!checked.ok) {
      const { code, subject } = checked.failure;
      note(code === 1123 ? 'key refused' : 'token refused', { subject });
      return checked;
    }
    touch(store, checked.value?.keyId);
    return succeed({ store, caller: checked.value });
  };

  const write = async (
    store: PlatformStore,
    { kind, resource }: Operation & { readonly resource: Resource },
    body: Body,
    segment: string,
    author: Omit<Author, 'statedBy'>,
    headers: Headers,
  ) => {
    const checked = await checkWrite(store, resource, body, kind === 'update' ? segment : undefined);
    if (!checked.ok) return answerFailure(checked.failure, headers);
    const by: Author = { ...author, statedBy: checked.value.statedBy };
    const writeRecord = kind === 'add' ? addRecord : updateRecord;
    const written = await writeRecord(store, resource, checked.value, by);
    return written.ok
      ? answerSuccess({ result: 'success', [resource.idMember]: written.value }, headers)
      : answerFailure(written.failure, headers);
  };

  const answer = async (from: ApiRequest, state: { headers: Headers }): Promise<Response> => {
    const visit = visitOf(from);
    const { request, address, requestId } = visit;
    const { method } = request;
    const path = /^[^:]+:\/\/[^/]*([^?#]*)/.exec(request.url)?.[1] ?? '';
    const found = findOperation(path);
    const isToken = found?.operation.kind === 'token';

    const atAddress = await limitAddress(visit);
    if (!atAddress.ok) return answerFailure(atAddress.failure);
    state.headers = atAddress.value;

    const mayBeMissing = isToken || !NEEDS_BODY.has(method);
    const read = IGNORES_BODY.has(method) ? succeed<Body>({}) : await readBody(request, mayBeMissing);
    if (!read.ok) return answerFailure(read.failure, state.headers);
    const body = read.value;

    const mayBeAnonymous = isToken && method === 'POST';
    const query = queryOf(request);
    const identified = await identify(visit, query, body, !mayBeAnonymous);
    if (!identified.ok) return answerFailure(identified.failure, state.headers);
    const { store, caller } = identified.value;

    if (caller !== undefined) {
      const withCredential = await limits.credential(
        caller.keyId === undefined ? `user ${caller.owner}` : `key ${caller.keyId}`,
      );
      if (!withCredential.ok) {
        visit.note('slowed', { caller, detail: { name: 'Limit', value: 'credential' } });
        return answerFailure(withCredential.failure);
      }
      state.headers = { ...state.headers, ...withCredential.value };
    }
    const { headers } = state;
    const scoped = checkScope(visit, caller, neededScope(found?.operation, method));
    if (!scoped.ok) return answerFailure(scoped.failure, headers);

    if (found === undefined) {
      const failure = /^\/api(?:\/v1)?\/openapi\.json$/.test(path)
        ? fail(1001, 'this path takes GET only', { allow: 'GET' })
        : fail(1004, 'there is no such path; /docs lists them');
      return answerFailure(failure.failure, headers);
    }
    const { operation, segment } = found;
    const { resource } = operation;
    const isRead = operation.method === 'GET' && method === 'HEAD';
    if (method !== operation.method && !isRead)
      return answerFailure(
        fail(1001, `this path takes ${operation.method} only`, { allow: operation.method }).failure,
        headers,
      );
    if (resource === undefined) {
      const context = { store, tokens: () => getTokens(store), limits, now: now() };
      const given = await giveToken(context, caller, body, visit);
      return given.ok ? answerSuccess(given.value, headers) : answerFailure(given.failure, headers);
    }
    if (operation.kind === 'list')
      return listRecords(
        store,
        resource,
        segment,
        query,
        headers,
        (error) => void toFailure(error, from),
        from.breakOff,
      );
    const author = {
      owner: caller?.owner ?? null,
      credential: caller?.credential ?? '',
      at: new Date(now()).toISOString(),
      ip: address === '' ? null : address,
      requestId,
    };
    return write(store, { ...operation, resource }, body, segment, author, headers);
  };

  const toFailure = (error: unknown, { request }: ApiRequest): Failure => {
    const isDatabase = isDatabaseFailure(error);
    onError(
      isDatabase ? 'database' : 'bug',
      isDatabase ? describeCause(error) : error,
      request.headers.get('x-request-id'),
    );
    return isDatabase
      ? { code: 1106, message: 'the database failed; try again later' }
      : { code: 1105, message: 'subnetd failed on this request; its log says more' };
  };

  return {
    answer: async (from) => {
      const state: { headers: Headers } = { headers: {} };
      try {
        return await answer(from, state);
      } catch (error) {
        return answerFailure(toFailure(error, from), state.headers);
      }
    },
    refuse: async (from, needed) => {
      try {
        const visit = visitOf(from);
        const atAddress = await limitAddress(visit);
        if (!atAddress.ok) return atAddress.failure;
        const hasJson = /^application\/json\b/i.test(from.request.headers.get('content-type') ?? '');
        const read = hasJson ? await readBody(from.request, true) : succeed<Body>({});
        if (!read.ok) return read.failure;
        const identified = await identify(visit, queryOf(from.request), read.value, true);
        if (!identified.ok) return identified.failure;
        const scoped = checkScope(visit, identified.value.caller, needed);
        return scoped.ok ? undefined : scoped.failure;
      } catch (error) {
        return toFailure(error, from);
      }
    },
    routeOf: (path) => {
      const found = findOperation(path);
      return found === undefined ? '/api/*' : `/api${found.operation.path}`;
    },
    stop: security.stop,
  };
}
