import type { ParentChains } from '../../model/parent-chain.ts';
import type { MailQueue } from '../model/mail.ts';
import type { Scope } from '../model/platform-store.ts';
import { MAX_INTEGER, type Resource } from '../model/resource.ts';
import type { Sealer } from './accounts/sealer.ts';
import type { SignInLock } from './accounts/sign-in-lock.ts';
import type { Actor } from './actor.ts';
import { type Body, checkDigits, checkInteger, requireMember } from './check-value.ts';
import type { CredentialDeps } from './credentials.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Limits } from './limits.ts';
import { type Outcome, succeed } from './outcome.ts';

/** A JSON Schema, or another part of an OpenAPI document. */
export type Json = { readonly [name: string]: unknown };

/** The schema of an id, or of another integer that the API takes. */
export const INTEGER = { type: 'integer', minimum: 1, maximum: MAX_INTEGER } as const;

/** The schema of a value that may be null. */
export const orNull = (type: string, more: Json = {}): Json => ({ type: [type, 'null'], ...more });

/** The schema of an object that always has all of these members. */
export const objectOf = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** The member of data that only says that it succeeded. */
export const RESULT: Json = { result: { type: 'string', const: 'success' } };

/** The data of a call that only succeeds; the second of one that concerns an admin user. */
export const DONE = objectOf(RESULT);
export const USER_DONE = objectOf({ ...RESULT, UserID: { type: 'integer' } });

/** What the calls share with each other and with the portal. */
export interface CallDeps extends CredentialDeps {
  readonly resources: readonly Resource[];
  readonly limits: Limits;
  readonly lock: SignInLock;
  readonly parentChains: ParentChains;
  readonly sealer: () => Promise<Sealer>;
  /** Where mails are handed over; undefined without a mail server. */
  readonly mails: MailQueue | undefined;
}

/** One input of a call: a member of the body, a parameter of the query, or the end of the path. */
export interface Member<T = unknown> {
  readonly schema: Json;
  readonly isRequired?: boolean;
  /** The codes for a value that is not as it must be. */
  readonly codes: readonly ErrorCode[];
  /** Checks a value that was sent. What only the database or the caller can tell is checked by the call itself. */
  readonly read: (value: unknown, name: string) => Outcome<T>;
}

/** An input that must be sent. */
export interface RequiredMember<T = unknown> extends Member<T> {
  readonly isRequired: true;
}

/** The input as one that must be sent. */
export const required = <T>(member: Member<T>): RequiredMember<T> => ({ ...member, isRequired: true });

/** Inputs by their names, in the order of the reference. */
export type Members = Readonly<Record<string, Member>>;

type Value<M> = M extends Member<infer T> ? T : never;

/** The values of the inputs; undefined for one that was not sent. */
export type Input<M extends Members> = {
  readonly [N in keyof M]: M[N] extends RequiredMember ? Value<M[N]> : Value<M[N]> | undefined;
};

/** The value of the end of a path, which is always there. */
type End<S extends Members> = { readonly [N in keyof S]: Value<S[N]> };

/** The codes of the members, and of those that are missing. */
export const codesOfMembers = (members: Members): readonly ErrorCode[] =>
  Object.values(members).flatMap(({ codes, isRequired }) => (isRequired ? [1001, 1002, ...codes] : codes));

/** Reads the members of a body, one after the other. Members that are not declared are ignored. */
function readMembers(members: Members, body: Body): Outcome<Body> {
  const values: Record<string, unknown> = {};
  for (const [name, { isRequired, read }] of Object.entries(members)) {
    const present = isRequired ? requireMember(body, name) : succeed(undefined);
    if (!present.ok) return present;
    if (!Object.hasOwn(body, name)) continue;
    const value = read(body[name], name);
    if (!value.ok) return value;
    values[name] = value.value;
  }
  return succeed(values);
}

/** Reads the parameters of a query, the first of each name. Parameters that are not declared are ignored. */
export function readQuery(members: Members, query: URLSearchParams | undefined): Outcome<Body> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query ?? []) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member === undefined || Object.hasOwn(values, name)) continue;
    const value = member.read(text, name);
    if (!value.ok) return value;
    values[name] = value.value;
  }
  return succeed(values);
}

/** What was sent to a call. */
export interface Sent {
  /** The end of the path, decoded. */
  readonly segment?: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: Body;
}

/** What the reference says of a call, and who may use it. */
interface CallAbout {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path below `/api` or `/api/v1`, with a variable last segment in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** More for people: what it does, and what it does not. */
  readonly description?: string;
  /** Whether the specification has it; the reference marks what is beyond it. */
  readonly isSpecified?: boolean;
  /** The scope that the caller needs; undefined if a valid credential is enough. */
  readonly scope?: Scope;
  /** Whether it works without a credential. One that is sent must be good all the same. */
  readonly isOpen?: boolean;
  readonly bodyIsOptional?: boolean;
  /** Whether its body is a form of the type `multipart/form-data`, with a file, instead of JSON. */
  readonly isForm?: boolean;
  /** The data of a success, as a JSON Schema. */
  readonly data: Json;
}

/** An operation of the API that is not a list, add or update of a resource. Routes, scopes and OpenAPI come from here. */
export interface Call<Data = unknown> extends CallAbout {
  /** The variable end of the path, if there is one. */
  readonly segment: Members;
  readonly query: Members;
  /** Members of the body besides the credentials. */
  readonly body: Members;
  /** The codes that it answers besides those of every operation. */
  readonly codes: readonly ErrorCode[];
  /** Reads what was sent, and resolves to the data of a success. */
  readonly answer: (sent: Sent, actor: Actor, deps: CallDeps) => Promise<Outcome<Data>>;
}

type None = Readonly<Record<never, never>>;

/** A call as it is declared. */
interface DeclaredCall<Data, S extends Members, Q extends Members, B extends Members> extends CallAbout {
  readonly segment?: S;
  readonly query?: Q;
  readonly body?: B;
  /** The codes besides those of its inputs, and of every operation. */
  readonly codes?: readonly ErrorCode[];
  readonly run: (input: End<S> & Input<Q> & Input<B>, actor: Actor, deps: CallDeps) => Promise<Outcome<Data>>;
}

/** A call from its declaration: what it takes is said once, for reading it, for OpenAPI, and for the codes. */
export function defineCall<Data, S extends Members = None, Q extends Members = None, B extends Members = None>({
  run,
  ...declared
}: DeclaredCall<Data, S, Q, B>): Call<Data> {
  const { segment = {}, query = {}, body = {}, codes = [] } = declared;
  const [end] = Object.entries<Member>(segment);
  return {
    ...declared,
    segment,
    query,
    body,
    codes: [...codesOfMembers({ ...segment, ...query, ...body }), ...codes],
    answer: async (sent, actor, deps) => {
      const ofPath = end === undefined ? succeed(undefined) : end[1].read(sent.segment ?? '', end[0]);
      if (!ofPath.ok) return ofPath;
      const ofQuery = readQuery(query, sent.query);
      if (!ofQuery.ok) return ofQuery;
      const ofBody = readMembers(body, sent.body ?? {});
      if (!ofBody.ok) return ofBody;
      const input = { ...(end && { [end[0]]: ofPath.value }), ...ofQuery.value, ...ofBody.value };
      return run(input as Parameters<typeof run>[0], actor, deps);
    },
  };
}

/** The member of a body that is an id. */
export const idMember = (schema: Json): Member<number> => ({
  schema: { ...INTEGER, ...schema },
  codes: [1003, 1011],
  read: checkInteger,
});

/** The member by which a call names an admin user, who may not exist. */
export const USER_ID = required(idMember({ examples: [2] }));

/** The id at the end of the path; with `least` 0 it may be that number, which stands for all. */
export const idInPath = (description: string, least: 0 | 1): Member<number> => ({
  schema: { ...INTEGER, minimum: least, description },
  codes: [1003, 1011],
  read: (text) => checkDigits(String(text), 'the number at the end of the path', least),
});

/** A value as it was sent: the call checks it later, as it needs to know more for that. */
export const asSent: Member['read'] = (value) => succeed(value);
