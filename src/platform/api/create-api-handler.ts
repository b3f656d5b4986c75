import type { ReceivedRequest } from '../../model/received-request.ts';
import type { Scope } from '../model/platform-store.ts';
import type { Actor } from './actor.ts';
import { type Body, checkSpelling, type Spellings, toSpellings } from './check-value.ts';
import { createKeyUses } from './create-key-uses.ts';
import type { Services } from './create-services.ts';
import { type Caller, checkCredentials, KEY_HEADER, takeCredentials } from './credentials.ts';
import { answerFailure, answerOptions, answerSuccess, answerSuccessText, answerTagged } from './envelope.ts';
import type { Added } from './idempotent-add.ts';
import { joinLimitHeaders } from './limits.ts';
import { listRecords } from './list-records.ts';
import {
  allowedMethods,
  createFindOperation,
  isMethodOf,
  neededScope,
  type Operation,
  operationsOf,
  queryMembersOf,
  READ_METHODS,
  type RecordOperation,
} from './operations.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { readBody } from './read-body.ts';
import { weakTag } from './record-tag.ts';
import type { RequestContext } from './request-context.ts';
import { requireScope } from './scopes.ts';
import { addOnce, updateKnown } from './write-record.ts';

/** Answers the requests of the platform API. */
export interface ApiHandler {
  /** Always returns the envelope; never rejects. */
  answer(request: ReceivedRequest): Promise<Response>;
  /** Who sends a request outside `/api` that needs the scope. Never rejects. */
  authorize(request: ReceivedRequest, needed: Scope): Promise<Outcome<Caller>>;
}

/** What a request sends besides its path and headers. */
interface Input {
  readonly body: Body;
  readonly query: URLSearchParams | undefined;
}

/** A request with valid credentials, or with none where none is needed. */
interface IdentifiedRequest extends Input {
  readonly context: RequestContext;
  readonly actor: Actor;
}

/** The credentials of a query. */
const CREDENTIALS = toSpellings(['apiKey', 'token']);

/** Methods whose bodies are ignored, and methods that need one; the others may have one. */
const IGNORES_BODY = new Set(['GET', 'HEAD']);
const NEEDS_BODY = new Set(['POST', 'PUT', 'PATCH']);

const pathOf = ({ url }: Request): string => /^[^:]+:\/\/[^/]*([^?#]*)/.exec(url)?.[1] ?? '';

const queryOf = ({ url }: Request): URLSearchParams | undefined => {
  const at = url.indexOf('?');
  return at < 0 ? undefined : new URLSearchParams(url.slice(at + 1));
};

/** The path of the API's description, which the server answers. */
const DESCRIPTION = /^\/api(?:\/v1)?\/openapi\.json$/;

/** Does the request only ask what a path takes? One with a credential or a body is answered as any other method. */
const isBareOptions = ({ method, url, headers }: Request): boolean =>
  method === 'OPTIONS' &&
  !url.includes('?') &&
  !headers.has('authorization') &&
  !headers.has(KEY_HEADER) &&
  !headers.has('transfer-encoding') &&
  Number(headers.get('content-length') ?? 0) === 0;

/** Creates the handler. `handle` holds the steps of a request, in the order in which they run. */
export function createApiHandler(services: Services): ApiHandler {
  const { now, store: openStore, limits, limitAddress } = services;
  const findOperation = createFindOperation(operationsOf(services.resources));
  const useKey = createKeyUses(now);
  const spellings = new Map<Operation, Spellings>();
  const spellingsOf = (operation: Operation): Spellings => {
    const known = spellings.get(operation) ?? toSpellings(Object.keys(queryMembersOf(operation)));
    spellings.set(operation, known);
    return known;
  };

  const limitCredential = async ({ context, actor: { caller } }: IdentifiedRequest): Promise<Outcome<unknown>> => {
    if (caller === undefined) return succeed(undefined);
    const { keyId, owner } = caller;
    const taken = await limits.credential(keyId === undefined ? `user ${owner}` : `key ${keyId}`);
    const { ok } = taken;
    context.headers = joinLimitHeaders(context.headers, ok ? taken.value : (taken.failure.headers ?? {}));
    if (ok) return taken;
    context.record('slowed', { caller, detail: { name: 'Limit', value: 'credential' } });
    return { ok, failure: { ...taken.failure, headers: context.headers } };
  };

  /** Reads the credentials, and checks them all. */
  const identify = async (
    context: RequestContext,
    { body, query }: Input,
    needsOne: boolean,
  ): Promise<Outcome<IdentifiedRequest>> => {
    const spelled = checkSpelling(query, CREDENTIALS);
    if (!spelled.ok) return spelled;
    const sent = takeCredentials(body, query, context.request.headers);
    if (needsOne && sent.apiKeys.length + sent.tokens.length === 0)
      return fail(
        1101,
        'send an API key or a token: apiKey or token in the body or the query, or an authorization header',
      );
    const store = await openStore();
    const checked = await checkCredentials(store, sent, { ...services, address: context.address });
    if (!checked.ok) {
      const { code, subject } = checked.failure;
      if (subject?.resource === 'ApiKey') context.keyId = subject.id;
      const isKey = code === 1123 || subject?.resource === 'ApiKey';
      context.record(isKey ? 'key refused' : 'token refused', { subject });
      return checked;
    }
    const caller = checked.value;
    context.keyId = caller?.keyId;
    useKey(store, context, caller);
    return succeed({ context, body, query, actor: { ...context, store, caller } });
  };

  const authorize = (
    { actor: { caller, record } }: IdentifiedRequest,
    needed: Scope | undefined,
  ): Outcome<undefined> => {
    const scoped = requireScope(caller?.scopes ?? [], needed);
    if (!scoped.ok && needed !== undefined)
      record('scope refused', { caller, detail: { name: 'Scope', value: needed } });
    return scoped;
  };

  /** Refuses a method that a known path does not take. */
  const refuseMethod = (path: string, found: ReturnType<typeof findOperation>, method: string) => {
    if (found === undefined)
      return DESCRIPTION.test(path) ? fail(1001, 'this path accepts only GET', { allow: READ_METHODS }) : undefined;
    const { operation } = found;
    if (isMethodOf(operation, method)) return undefined;
    return fail(1001, `this path accepts only ${operation.method}`, { allow: allowedMethods(operation) });
  };

  const callOperation = async (
    { context, actor, body, query }: IdentifiedRequest,
    operation: Operation & { readonly kind: 'call' },
    segment: string,
  ): Promise<Outcome<Response>> => {
    const called = await operation.answer({ segment, query, body }, actor, services);
    if (!called.ok) return called;
    const { request, headers } = context;
    if (operation.method !== 'GET') return succeed(answerSuccess(called.value, headers));
    const text = JSON.stringify(called.value);
    return succeed(await answerTagged(request, weakTag(text), headers, (tagged) => answerSuccessText(text, tagged)));
  };

  const addOrUpdate = async (
    { context, actor, body }: IdentifiedRequest,
    { kind, resource }: RecordOperation,
    updatedBy: string,
  ): Promise<Outcome<Response>> => {
    const sent = context.request.headers;
    const written =
      kind === 'add'
        ? await addOnce(actor, resource, body, sent.get('idempotency-key'), services)
        : await updateKnown(actor, resource, { updatedBy, body, ifMatch: sent.get('if-match') }, services);
    if (!written.ok) return written;
    const { id, isReplayed, tag }: Added & { readonly tag?: string | undefined } = written.value;
    const headers = {
      ...context.headers,
      ...(isReplayed && { 'idempotent-replayed': 'true' }),
      ...(tag !== undefined && { etag: tag }),
    };
    return succeed(answerSuccess({ result: 'success', [resource.idMember]: id }, headers));
  };

  /** Runs the operation of the path, if the method is that of the operation. */
  const dispatch = async (
    identified: IdentifiedRequest,
    path: string,
    found: ReturnType<typeof findOperation>,
  ): Promise<Outcome<Response>> => {
    const { context, actor, query } = identified;
    const refused = refuseMethod(path, found, context.request.method);
    if (refused !== undefined) return refused;
    if (found === undefined) return fail(1004, 'unknown path; /docs lists all paths');
    const { operation, segment } = found;
    const spelled = checkSpelling(query, spellingsOf(operation));
    if (!spelled.ok) return spelled;
    if (operation.kind === 'call') return callOperation(identified, operation, segment);
    if (operation.kind === 'list') return listRecords(context, actor.store, operation.resource, segment, query);
    return addOrUpdate(identified, operation, segment);
  };

  const handle = async (
    context: RequestContext,
    path: string,
    found: ReturnType<typeof findOperation>,
  ): Promise<Outcome<Response>> => {
    const { request } = context;
    const { method } = request;
    const call = found?.operation.kind === 'call' ? found.operation : undefined;

    const limited = await limitAddress(context);
    if (!limited.ok) return limited;

    if (isBareOptions(request) && (found !== undefined || DESCRIPTION.test(path)))
      return succeed(
        answerOptions(found === undefined ? READ_METHODS : allowedMethods(found.operation), context.headers),
      );

    const bodyMayBeMissing = call?.bodyIsOptional === true || !NEEDS_BODY.has(method);
    const body = IGNORES_BODY.has(method)
      ? succeed<Body>({})
      : await readBody(request, { mayBeMissing: bodyMayBeMissing, isForm: call?.isForm });
    // Of the two reasons for the same code the method says more: who corrects the body would learn of it next.
    if (!body.ok) return (body.failure.code === 1001 && refuseMethod(path, found, method)) || body;

    const mayBeAnonymous = call?.isOpen === true && isMethodOf(call, method);
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
    const body = hasJson ? await readBody(request, { mayBeMissing: true }) : succeed<Body>({});
    if (!body.ok) return body;
    const identified = await identify(context, { body: body.value, query: queryOf(request) }, true);
    if (!identified.ok) return identified;
    const { caller } = identified.value.actor;
    const authorized = authorize(identified.value, needed);
    if (!authorized.ok) return authorized;
    return caller === undefined ? fail(1101, 'send an API key or a token') : succeed(caller);
  };

  return {
    answer: async (request) => {
      const context = services.contextOf(request);
      const path = pathOf(request.request);
      const found = findOperation(path);
      request.onRoute?.(found === undefined ? '/api/*' : `/api${found.operation.path}`);
      let handled: Outcome<Response>;
      try {
        handled = await handle(context, path, found);
      } catch (error) {
        handled = { ok: false, failure: services.failureOf(context, error) };
      }
      const { method, headers } = request.request;
      const answer = handled.ok
        ? handled.value
        : answerFailure(handled.failure, context.headers, headers.get('prefer'));
      const { keyId, requestId } = context;
      if (keyId !== undefined) {
        const operation = `${method} ${found?.operation.path ?? 'unknown path'}`;
        const code = handled.ok ? 0 : handled.failure.code;
        services.keyJournal.note({ keyId, operation, status: answer.status, code, requestId });
      }
      return answer;
    },
    authorize: async (request, needed) => {
      const context = services.contextOf(request);
      try {
        return await checkScope(context, needed);
      } catch (error) {
        return { ok: false, failure: services.failureOf(context, error) };
      }
    },
  };
}
