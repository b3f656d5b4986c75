import type { ContainerPlan } from './containers.ts';
import { SERVICES } from './effects.ts';
import type { NodeIdentity } from './node-identity.ts';
import { shapeOf } from './node-shapes.ts';

const MIB = 2 ** 20;

/** The bootnode is in the image of a node; Nethermind has none. */
const bootnodeImage = (nodes: readonly NodeIdentity[]): string =>
  nodes.map((node) => shapeOf(node)).find(({ reportsStats }) => reportsStats)?.image ?? '';

/** The container of a node. */
export const planNode = (node: NodeIdentity, logLevel: number): ContainerPlan => ({
  service: node.name,
  env: shapeOf(node).env(node, logLevel),
  image: shapeOf(node).image,
  args: shapeOf(node).args,
  stoppedWith: shapeOf(node).stoppedWith,
  ip: node.ip,
  memoryLimitBytes: 2_048 * MIB,
});

/** A container for each program of the subnet. */
export const planContainers = (nodes: readonly NodeIdentity[], logLevel: number): readonly ContainerPlan[] => [
  ...nodes.map((node) => planNode(node, logLevel)),
  ...['bootnode', ...SERVICES].map((service, index) => ({
    service,
    env: [],
    image: service === 'bootnode' ? bootnodeImage(nodes) : `demo/${service}:v1`,
    args: service === 'bootnode' ? ['-verbosity', '6', '-nodekey', 'bootnode.key'] : [],
    // Those that ignore SIGTERM are killed in the end.
    stoppedWith: ['relayer', 'stats'].includes(service) ? 1 : 137,
    ip: `192.168.24.${51 + index}`,
    memoryLimitBytes: 512 * MIB,
  })),
];
