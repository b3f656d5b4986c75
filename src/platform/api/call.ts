import type { ParentChains } from '../../model/parent-chain.ts';
import type { MailQueue } from '../model/mail.ts';
import type { Scope } from '../model/platform-store.ts';
import type { Sealer } from './accounts/sealer.ts';
import type { SignInLock } from './accounts/sign-in-lock.ts';
import type { CredentialDeps } from './credentials.ts';
import type { ErrorCode } from './error-codes.ts';
import type { Limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import type { IdentifiedRequest } from './request-context.ts';

/** A JSON Schema, or another part of an OpenAPI document. */
export type Json = { readonly [name: string]: unknown };

/** What the calls share with each other and with the portal. */
export interface CallDeps extends CredentialDeps {
  readonly limits: Limits;
  readonly lock: SignInLock;
  readonly parentChains: ParentChains;
  readonly sealer: () => Promise<Sealer>;
  /** Where mails are handed over; undefined without a mail server. */
  readonly mails: MailQueue | undefined;
}

/** One member of a call's body, or one parameter of its query. */
export interface CallMember {
  readonly name: string;
  readonly schema: Json;
  readonly isRequired?: boolean;
}

/** An operation of the API that is no list, add or update of a resource. Routes, scopes and OpenAPI come from here. */
export interface Call {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path below `/api` or `/api/v1`, with a variable last segment in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** More for people: what it does, and what it does not. */
  readonly description?: string;
  /** Whether the specification has it; the reference marks what is beyond it. */
  readonly isSpecified: boolean;
  /** The scope that the caller needs; undefined if a valid credential is enough. */
  readonly scope?: Scope;
  /** Whether it works without a credential. One that is sent must be good all the same. */
  readonly isOpen?: boolean;
  readonly bodyIsOptional?: boolean;
  /** The variable segment of the path. */
  readonly segment?: CallMember;
  readonly query?: readonly CallMember[];
  /** Members of the body besides the credentials. */
  readonly body?: readonly CallMember[];
  /** The data of a success, as a JSON Schema. */
  readonly data: Json;
  /** The codes that it answers besides those of every operation. */
  readonly codes: readonly ErrorCode[];
  /** Checks the request and resolves to the data of a success. `segment` is the end of the path, decoded. */
  readonly answer: (request: IdentifiedRequest, deps: CallDeps, segment: string) => Promise<Outcome<unknown>>;
}
