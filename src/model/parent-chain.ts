/** The chain on which the relayer submits the blocks of a subnet. Addresses are `0x` or `xdc` and 40 hexadecimal digits. */
export interface ParentChain {
  /** JSON-RPC over HTTP; may carry user info and a token, which no output shows. */
  readonly rpc: string;
  /** The checkpoint contract. */
  readonly contract?: string;
  /** The wallet of the relayer. */
  readonly wallet?: string;
}

/** A balance in the smallest unit, or why there is none: a sentence about the chain without its subject. */
export type Balance = { readonly ok: true; readonly wei: bigint } | { readonly ok: false; readonly why: string };

/** The parent chains of the inventory, and what is read from them. */
export interface ParentChains {
  /** The subnets that name their parent chain, in the order of the inventory. */
  readonly list: () => readonly { readonly subnet: string; readonly rpc: string }[];
  readonly readBalance: (rpc: string, address: string) => Promise<Balance>;
}
