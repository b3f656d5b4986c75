import type { Scope } from '../model/platform-store.ts';
import type { Resource } from '../model/resource.ts';
import type { Call, Members } from './call.ts';
import { activationCalls } from './calls/activation.ts';
import { apiKeyCalls } from './calls/api-keys.ts';
import { getToken } from './calls/get-token.ts';
import { addImage } from './calls/images.ts';
import { listAudit } from './calls/list-audit.ts';
import { oneTimeCodeCalls } from './calls/one-time-codes.ts';
import { ownCredentialCalls } from './calls/own-credential.ts';
import { passwordCalls } from './calls/passwords.ts';
import { testMail } from './calls/test-mail.ts';
import { unlock } from './calls/unlock.ts';
import { wallet } from './calls/wallet.ts';
import { recordQueryMembers } from './read-record-query.ts';

/** Every call besides the operations of the resources, in the order of the reference. */
const calls: readonly Call[] = [
  ...[getToken, ...ownCredentialCalls, ...oneTimeCodeCalls, ...passwordCalls, ...activationCalls, testMail, unlock],
  addImage,
  ...apiKeyCalls,
  listAudit,
  wallet,
];

/** An operation on the records of a resource. */
export interface RecordOperation {
  readonly kind: 'list' | 'add' | 'update';
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path below `/api` or `/api/v1`, with a variable last segment in braces. */
  readonly path: string;
  readonly resource: Resource;
  /** The scope that the caller needs. */
  readonly scope: Scope;
}

/** One operation of the API: a method on a path. */
export type Operation = RecordOperation | (Call & { readonly kind: 'call' });

/** The operations of the resources, and the calls besides them. */
export const operationsOf = (resources: readonly Resource[]): readonly Operation[] => [
  ...resources.flatMap((resource): readonly Operation[] => {
    const { name, operations, writeScope: scope = 'write' } = resource;
    return [
      { id: operations.list, kind: 'list', method: 'GET', path: `/${name}/ListAll/{id}`, resource, scope: 'read' },
      { id: operations.add, kind: 'add', method: 'POST', path: `/${name}/Add`, resource, scope },
      { id: operations.update, kind: 'update', method: 'PUT', path: `/${name}/Update/{updatedby}`, resource, scope },
    ];
  }),
  ...calls.map((call) => ({ ...call, kind: 'call' as const })),
];

/** The parameters of an operation's query besides the credentials. */
export function queryMembersOf(operation: Operation): Members {
  if (operation.kind === 'call') return operation.query;
  return operation.kind === 'list' ? recordQueryMembers(operation.resource) : {};
}

/** Is this the method of the operation? HEAD is a GET whose answer has no body. */
export const isMethodOf = (operation: Operation, method: string): boolean =>
  method === operation.method || (method === 'HEAD' && operation.method === 'GET');

/** The methods of a path that is read, as the header `Allow` names them. */
export const READ_METHODS = 'GET, HEAD, OPTIONS';

/** The methods of the operation's path, as the header `Allow` names them. */
export const allowedMethods = ({ method }: Operation): string =>
  method === 'GET' ? READ_METHODS : `${method}, OPTIONS`;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The scope that a request needs, which is checked before its path and method. A wrong request that would read needs
 * the scope of a list, and one that would write the scope of some write.
 */
export function neededScope(operation: Operation | undefined, method: string): Scope | undefined {
  if (operation?.kind === 'call' && isMethodOf(operation, method)) return operation.scope;
  if (READS.has(method)) return 'read';
  return operation?.kind === 'add' || operation?.kind === 'update' ? operation.scope : 'lists';
}

/**
 * A path with decoded segments, as RFC 3986 compares them. Undefined if one cannot be decoded, or then contains a
 * slash.
 */
function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment.includes('/')) ? undefined : segments.join('/');
  } catch {
    return undefined;
  }
}

/** Finds the operation of a path below `/api`, for any method, and the value of its variable segment. */
export function createFindOperation(operations: readonly Operation[]) {
  const exact = new Map<string, Operation>();
  const prefix = new Map<string, Operation>();
  for (const operation of operations) {
    const brace = operation.path.indexOf('{');
    if (brace < 0) exact.set(operation.path, operation);
    else prefix.set(operation.path.slice(0, brace), operation);
  }
  return (fullPath: string): { readonly operation: Operation; readonly segment: string } | undefined => {
    const path = decodePath(fullPath)?.replace(/^\/api(?:\/v1(?=\/|$))?/, '');
    if (path === undefined) return undefined;
    const whole = exact.get(path);
    if (whole !== undefined) return { operation: whole, segment: '' };
    const cut = path.lastIndexOf('/') + 1;
    const operation = prefix.get(path.slice(0, cut));
    return operation && cut < path.length ? { operation, segment: path.slice(cut) } : undefined;
  };
}
