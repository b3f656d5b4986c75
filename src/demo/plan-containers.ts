import type { ContainerPlan } from './containers.ts';
import { SERVICES } from './effects.ts';
import type { NodeIdentity } from './node-identity.ts';

const MIB = 2 ** 20;

/** The public key of the bootnode. */
const BOOTNODE_ID = '5d'.repeat(64);

/** What of a node's environment its container is created with, as the deployment generator writes it. */
export const nodeEnv = ({ name, p2pPort }: NodeIdentity, level: number): readonly string[] => [
  `INSTANCE_NAME=${name}`,
  `PORT=${p2pPort}`,
  `LOG_LEVEL=${level}`,
  `BOOTNODES=enode://${BOOTNODE_ID}@192.168.24.51:20301`,
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
