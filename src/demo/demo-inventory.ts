import { parse, stringify } from 'yaml';
import type { SubnetLogFiles } from './write-subnet-logs.ts';

/** The simulated relayer and nodes have a quick rhythm, so that what is broken shows within a minute or so. */
const LOG_CHECKS = { schedule: 'every 5s', bootnodeWindow: '30s', submissionsWithin: '1m', blockDataWithin: '30s' };

/** Where a simulated subnet answers. */
export interface DemoAddresses {
  readonly nodes: readonly { readonly name: string; readonly rpc: string; readonly p2p: string }[];
  readonly logs: SubnetLogFiles;
  readonly relayer: string;
  readonly stats: string;
  readonly frontend: string;
}

/**
 * The inventory, as YAML, for a simulated subnet; its name is `demo`. `checks` is what stands under that key, as an object
 * or as YAML; without it the defaults hold.
 */
export const toDemoInventory = (
  { nodes, logs, relayer, stats, frontend }: DemoAddresses,
  checks?: string | Readonly<Record<string, unknown>>,
): string =>
  stringify({
    subnets: [
      {
        name: 'demo',
        consensus: 'XDPoS',
        nodes: nodes.map((node) => ({ ...node, logFiles: [logs.nodes[node.name]] })),
        bootnode: { logFiles: [logs.bootnode] },
        relayer: { url: relayer, logFiles: [logs.relayer] },
        stats: { url: stats, logFiles: [logs.stats] },
        frontend: { url: frontend, logFiles: [logs.frontend] },
        checks: { logs: LOG_CHECKS, ...(typeof checks === 'string' ? parse(checks) : checks) },
      },
    ],
  });
