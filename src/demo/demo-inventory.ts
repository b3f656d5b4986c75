import { parse, stringify } from 'yaml';
import { DEMO_PROJECT } from './containers.ts';
import { CONTRACT, WALLET } from './parent-chain.ts';
import { PARENT_ENDPOINT, SUBNET_ENDPOINT } from './zero-endpoint.ts';

/** The simulated relayer and nodes have a quick rhythm, so that what is broken shows within a minute or so. */
const LOG_CHECKS = { schedule: 'every 5s', bootnodeWindow: '30s', submissionsWithin: '1m', blockDataWithin: '30s' };

/** Where a simulated subnet answers. */
export interface DemoServers {
  readonly nodes: readonly { readonly name: string; readonly rpc: string; readonly logFiles?: readonly string[] }[];
  readonly relayer: string;
  readonly stats: string;
  readonly frontend: string;
  /** A node of the parent chain. */
  readonly parent: string;
  /** The Docker Engine that has its containers. */
  readonly docker: string;
}

/** What the inventory of a simulated subnet names. */
export interface DemoAddresses extends DemoServers {
  /** The debug files of the stats server, as a glob. */
  readonly statsFiles: string;
  /** The Chromium that visits the frontend's page. */
  readonly browser?: string | undefined;
}

const containerOf = (service: string) => ({ container: { project: DEMO_PROJECT, service } });

/**
 * The inventory, as YAML, for a simulated subnet; its name is `demo`. `checks` is the value of that key, as an object
 * or as YAML; without it the defaults hold.
 */
export const toDemoInventory = (
  { nodes, statsFiles, relayer, stats, frontend, parent, docker, browser }: DemoAddresses,
  checks?: string | Readonly<Record<string, unknown>>,
): string => {
  const { hostname, port } = new URL(docker);
  return stringify({
    subnets: [
      {
        name: 'demo',
        consensus: 'XDPoS',
        nodes: nodes.map((node) => ({ ...node, ...containerOf(node.name) })),
        bootnode: containerOf('bootnode'),
        relayer: { url: relayer, ...containerOf('relayer') },
        stats: { url: stats, ...containerOf('stats'), logFiles: [statsFiles] },
        frontend: {
          url: frontend,
          ...containerOf('frontend'),
          ...(browser !== undefined && { browser: { executablePath: browser } }),
        },
        parentChain: {
          rpc: parent,
          contract: CONTRACT.replace('0x', 'xdc'),
          wallet: WALLET.replace('0x', 'xdc'),
          zeroContract: PARENT_ENDPOINT.replace('0x', 'xdc'),
          subnetZeroContract: SUBNET_ENDPOINT.replace('0x', 'xdc'),
        },
        checks: { logs: LOG_CHECKS, ...(typeof checks === 'string' ? parse(checks) : checks) },
      },
    ],
    docker: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) },
  });
};
