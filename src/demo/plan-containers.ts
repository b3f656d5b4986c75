import type { ContainerPlan } from './containers.ts';
import { SERVICES } from './effects.ts';
import type { NodeIdentity } from './node-identity.ts';

const MIB = 2 ** 20;

/** Where the bootnode answers: not in 192.168.25.0/24 as in a real deployment, because a hundred nodes fill the addresses there. */
export const BOOTNODE = `enode://${'5d'.repeat(64)}@192.168.24.51:20301`;

/** What of a node's environment its container is created with, as the deployment generator writes it. */
export const nodeEnv = ({ name, p2pPort }: NodeIdentity, level: number): readonly string[] => [
  `INSTANCE_NAME=${name}`,
  `PORT=${p2pPort}`,
  `LOG_LEVEL=${level}`,
  `BOOTNODES=${BOOTNODE}`,
];

/** A container for each program of the subnet. */
export const planContainers = (nodes: readonly NodeIdentity[], logLevel: number): readonly ContainerPlan[] => [
  ...nodes.map((node) => ({
    service: node.name,
    env: nodeEnv(node, logLevel),
    ip: node.ip,
    memoryLimitBytes: 2_048 * MIB,
  })),
  ...['bootnode', ...SERVICES].map((service, index) => ({
    service,
    env: [],
    ip: `192.168.24.${51 + index}`,
    memoryLimitBytes: 512 * MIB,
  })),
];
