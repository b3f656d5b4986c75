import { parse, stringify } from 'yaml';

/** Where a simulated subnet answers. */
export interface DemoAddresses {
  readonly nodes: readonly { readonly name: string; readonly rpc: string }[];
  readonly relayer: string;
  readonly stats: string;
  readonly frontend: string;
}

/**
 * The inventory, as YAML, for a simulated subnet; its name is `demo`. `checks` is what stands under that key, as an object
 * or as YAML; without it the defaults hold.
 */
export const toDemoInventory = (
  { nodes, relayer, stats, frontend }: DemoAddresses,
  checks?: string | Readonly<Record<string, unknown>>,
): string =>
  stringify({
    subnets: [
      {
        name: 'demo',
        consensus: 'XDPoS',
        nodes,
        relayer: { url: relayer },
        stats: { url: stats },
        frontend: { url: frontend },
        ...(checks === undefined ? {} : { checks: typeof checks === 'string' ? parse(checks) : checks }),
      },
    ],
  });
