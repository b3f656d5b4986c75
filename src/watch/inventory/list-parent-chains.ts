import type { Snapshot } from '../../model/snapshot.ts';

/** The parent chains that the watched subnets name, each with its subnet. */
export const listParentChains = (snapshot: Snapshot): readonly { readonly subnet: string; readonly rpc: string }[] =>
  snapshot.flatMap(({ subnet: { name, parentChain } }) =>
    parentChain === undefined ? [] : [{ subnet: name, rpc: parentChain.rpc }],
  );
