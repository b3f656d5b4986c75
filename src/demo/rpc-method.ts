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

/** Why a value is not what a method takes, in the node's words; or the value. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly cause: string };

/** How one positional argument is read. `absent` stands in for one that is missing or null, if it may be. */
export interface Param<T> {
  readonly parse: (json: unknown) => Parsed<T>;
  readonly absent?: T;
}

/** The requested block. */
export type BlockTag = 'latest' | 'committed' | 'earliest' | number;

/** The number by which a node calls the block that it is about to make, and which it never has. */
const PENDING = -2;

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (cause: string): Parsed<never> => ({ ok: false, cause });

/** Reads a block tag or number; anything else is refused in the words of XDC-Subnet common/hexutil. */
const parseBlockTag = (json: unknown): Parsed<BlockTag> => {
  if (json === 'latest' || json === 'committed' || json === 'earliest') return ok(json);
  if (json === 'pending') return ok(PENDING);
  if (typeof json !== 'string' || !json.startsWith('0x')) return bad('hex string without 0x prefix');
  return /^0x[0-9a-f]{1,12}$/i.test(json) ? ok(Number(json)) : bad('invalid hex string');
};

/** A block tag that may be left out, and then means `latest`. */
export const optionalBlockTag: Param<BlockTag> = { parse: parseBlockTag, absent: 'latest' };

/** A yes or a no that may be left out. */
export const optionalFlag: Param<boolean> = {
  parse: (json) => (typeof json === 'boolean' ? ok(json) : bad('json: cannot unmarshal into Go value of type bool')),
  absent: false,
};

/** Reads `params` by position, refusing what XDC-Subnet rpc/json.go refuses. Missing and null `params` mean none. */
const parseParams = (given: unknown, params: readonly Param<unknown>[]): Parsed<readonly unknown[]> => {
  if (given !== undefined && given !== null && !Array.isArray(given)) return bad('non-array args');
  const args: readonly unknown[] = given ?? [];
  if (args.length > params.length) return bad(`too many arguments, want at most ${params.length}`);
  const values: unknown[] = [];
  for (const [index, param] of params.entries()) {
    const parsed =
      param.absent !== undefined && (args[index] ?? null) === null ? ok(param.absent) : param.parse(args[index]);
    if (!parsed.ok) return bad(`invalid argument ${index}: ${parsed.cause}`);
    values.push(parsed.value);
  }
  return ok(values);
};
