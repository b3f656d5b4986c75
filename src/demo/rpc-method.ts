import { type Param, parseParams } from './rpc-params.ts';
import type { NodeView } from './simulated-subnet.ts';

/** How a call ends. */
export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: null } };

/** A JSON-RPC method: from what the node knows and the call's `params` to the outcome. */
export type RpcMethod = (view: NodeView, params: unknown) => RpcOutcome;

/** What a Go panic inside a method looks like from outside (XDC-Subnet rpc/service.go). */
export const CRASHED: RpcOutcome = { error: { code: -32000, message: 'method handler crashed' } };

/** A method that reads its arguments by position, and refuses them with -32602. */
export const rpcMethod =
  <A extends readonly unknown[]>(
    params: { readonly [K in keyof A]: Param<A[K]> },
    run: (view: NodeView, ...args: A) => RpcOutcome,
  ): RpcMethod =>
  (view, given) => {
    const parsed = parseParams(given, params);
    if (!parsed.ok) return { error: { code: -32602, message: parsed.cause } };
    return run(view, ...(parsed.value as A));
  };

/** A method without arguments that cannot fail. */
export const plain = (result: (view: NodeView) => unknown): RpcMethod =>
  rpcMethod([], (view) => ({ result: result(view) }));
