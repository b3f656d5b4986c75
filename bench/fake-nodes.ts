import { createServer } from 'node:net';
import { heightNow, type SimulatedNode, serveNode, toPeer } from './simulated-node.ts';

/**
 * A child process that plays many nodes, each on a loopback address of its own: `node bench/fake-nodes.ts NODES PEERS GROUP`. They are
 * healthy: the height rises every two seconds, and each node is connected to others of its group. It prints the URLs of the nodes as
 * JSON when it listens. With PEERS of `hanging` it accepts connections and never answers. All share one port: a port for each of 10,000
 * nodes would leave too few to the system, and take as many descriptors.
 */
const [nodes = 0, peers = 0, group = nodes] = process.argv.slice(2).map((word) => Number(word) || 0);
const isHanging = process.argv[3] === 'hanging';

/** The others of a node's group that come after it, in a ring. */
const peersOf = (node: number): readonly number[] => {
  const first = node - (node % group);
  const size = Math.min(group, nodes - first);
  return Array.from({ length: peers }, (_, step) => first + ((node - first + 1 + step) % size));
};

const peerTexts = new Map<number, string>();
const readPeers = (node: number): string => {
  const text = peerTexts.get(node) ?? `[${peersOf(node).map(toPeer).join()}]`;
  peerTexts.set(node, text);
  return text;
};

const toNode = (index: number): SimulatedNode => ({
  index,
  place: index % group,
  height: heightNow,
  peers: () => readPeers(index),
  isHanging: () => isHanging,
});

const NETWORK = '127.64.';
const toAddress = (node: number): string => `${NETWORK}${node >> 8}.${node & 255}`;
const toIndex = (address = ''): number => {
  const [, , high = 0, low = 0] = address.split('.').map(Number);
  return high * 256 + low;
};

const server = createServer((socket) => {
  // At an address that others reach too, what a node serves to anyone would be a problem of its set-up.
  if (socket.localAddress?.startsWith(NETWORK)) serveNode(toNode(toIndex(socket.localAddress)), socket);
  else socket.destroy();
});
server.listen(0, '0.0.0.0', 4_096, () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const urls = Array.from({ length: nodes }, (_, node) => `http://${toAddress(node)}:${port}`);
  process.stdout.write(`${JSON.stringify(urls)}\n`);
});
process.on('disconnect', () => process.exit());
