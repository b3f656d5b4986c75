import type { Inventory } from '../../model/target.ts';

/** The parent chains that an inventory names, each with its subnet. */
export const listParentChains = ({
  subnets,
}: Inventory): readonly { readonly subnet: string; readonly rpc: string }[] =>
  subnets.flatMap(({ name, parentChain }) =>
    parentChain === undefined ? [] : [{ subnet: name, rpc: parentChain.rpc }],
  );
