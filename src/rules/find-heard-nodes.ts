import type { NodeTarget } from '../model/target.ts';
import type { Known } from './view.ts';

/** How the bootnode's log and the inventory fit together. */
export interface HeardNodes {
  /** Each node of the inventory with when the bootnode last heard it, in Unix milliseconds. */
  readonly nodes: readonly { readonly name: string; readonly address?: string; readonly heardAt?: number }[];
}

const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);

const toNode = ({ target, facts }: Known) => {
  const { name, p2p } = target as NodeTarget;
  return { name, address: p2p ?? facts.logs?.created?.p2p };
};

/**
 * Finds each node among the addresses that the bootnode heard: by its address, else by its port where no other node has the
 * same, as an address is not the node's own behind a NAT. Nodes whose address nobody knows share out what is left over.
 */
export function findHeardNodes(subnet: readonly Known[], heard: ReadonlyMap<string, number>): HeardNodes {
  const nodes = subnet.filter(({ target }) => target.component === 'node').map(toNode);
  const left = new Map([...heard].sort(([, a], [, b]) => a - b));
  const ports = nodes.flatMap(({ address }) => (address === undefined ? [] : [portOf(address)]));
  const isOnlyOne = (port: string) => ports.filter((other) => other === port).length === 1;

  const take = (matches: (address: string) => boolean): number | undefined => {
    const taken = [...left].filter(([address]) => matches(address));
    for (const [address] of taken) left.delete(address);
    return taken.at(-1)?.[1];
  };
  const found = nodes.map(({ name, address }) => {
    if (address === undefined) return { name };
    const port = portOf(address);
    const heardAt = take((other) => other === address || (isOnlyOne(port) && portOf(other) === port));
    return { name, address, ...(heardAt !== undefined && { heardAt }) };
  });
  return {
    nodes: found.map((node) => {
      if ('address' in node) return node;
      const [address, heardAt] = [...left].at(-1) ?? [];
      if (address === undefined || heardAt === undefined) return node;
      left.delete(address);
      return { ...node, heardAt };
    }),
  };
}
