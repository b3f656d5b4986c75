/** The chain on which the relayer submits the blocks of a subnet. Addresses are `0x` or `xdc` and 40 hexadecimal digits. */
export interface ParentChain {
  /** JSON-RPC over HTTP; may carry user info and a token, which no output shows. */
  readonly rpc: string;
  /** The checkpoint contract. */
  readonly contract?: string;
  /** The wallet of the relayer. */
  readonly wallet?: string;
}

/** A value read from the parent chain, or why there is none: a sentence about the chain without its subject. */
export type ParentResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** What a probe of the parent chain saw. */
export interface ParentObservation {
  /** The newest block; its time in Unix seconds. */
  readonly head: ParentResult<{ readonly number: number; readonly timestamp: number }>;
}

/** The parent chains of the inventory, and what is read from them. */
export interface ParentChains {
  /** The subnets that name their parent chain, in the order of the inventory. */
  readonly list: () => readonly { readonly subnet: string; readonly rpc: string }[];
  /** In the smallest unit. */
  readonly readBalance: (rpc: string, address: string) => Promise<ParentResult<bigint>>;
}
