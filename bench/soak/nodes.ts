import { createServer, type Server, type Socket } from 'node:net';
import { heightNow, type SimulatedNode, serveNode, toPeer } from '../simulated-node.ts';
import { addressOf, listSubnets, nodesOf, RPC_PORT, type SimulatedSubnet } from './fleet.ts';

/**
 * A child process that plays all nodes of the fleet at the wire, each at an address of its own. In a subnet each node is
 * connected to every other one that runs. The parent sends which nodes change their mood; `ready` is sent when all listen.
 */
export type Mood = 'well' | 'refuses' | 'hangs' | 'stalled';

/** A message of the parent. */
export interface MoodChange {
  readonly nodes: readonly number[];
  readonly mood: Mood;
}

interface Node extends SimulatedNode {
  readonly subnet: SimulatedSubnet;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  mood: Mood;
  /** Its height when its mood last changed. */
  heightBefore: number;
  /** The text of its peers, until one of them starts or ends. */
  peersText: string | undefined;
  /** One opening or closing after the other. */
  changing: Promise<void>;
}

const nodes: Node[] = [];
const peerTexts: string[] = [];

const renderPeers = ({ index, subnet }: Node): string =>
  `[${nodesOf(subnet)
    .filter((other) => other !== index && nodes[other]?.mood !== 'refuses')
    .map((other) => peerTexts[other])
    .join()}]`;

function createNode(subnet: SimulatedSubnet, index: number): Node {
  const node: Node = {
    ...{ index, place: index - subnet.first, subnet },
    ...{ mood: 'well', heightBefore: 0, peersText: undefined, changing: Promise.resolve() },
    height: () => (node.mood === 'stalled' ? node.heightBefore : heightNow()),
    peers: () => {
      node.peersText ??= renderPeers(node);
      return node.peersText;
    },
    isHanging: () => node.mood === 'hangs',
    sockets: new Set<Socket>(),
    server: createServer((socket) => {
      node.sockets.add(socket);
      socket.on('close', () => node.sockets.delete(socket));
      serveNode(node, socket);
    }),
  };
  return node;
}

const listen = ({ server, index }: Node) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: RPC_PORT, host: addressOf(index), backlog: 16 }, () => {
      server.off('error', reject);
      resolve();
    });
  });

const breakConnections = ({ sockets }: Node) => {
  for (const socket of sockets) socket.destroy();
};

function setMood(node: Node, mood: Mood) {
  const before = node.mood;
  node.mood = mood;
  node.heightBefore = heightNow();
  // What arrived while it hung is never answered.
  if (before === 'hangs' || mood === 'refuses') breakConnections(node);
  if ((before === 'refuses') === (mood === 'refuses')) return;
  for (const other of nodesOf(node.subnet)) {
    const peer = nodes[other];
    if (peer !== undefined) peer.peersText = undefined;
  }
  node.changing = node.changing.then(async () => {
    if (node.mood === 'refuses') node.server.close();
    else if (!node.server.listening) await listen(node);
  });
}

for (const subnet of listSubnets())
  for (const index of nodesOf(subnet)) {
    const node = createNode(subnet, index);
    nodes.push(node);
    peerTexts.push(toPeer(index));
    await listen(node);
  }
process.on('message', ({ nodes: changed, mood }: MoodChange) => {
  for (const index of changed) {
    const node = nodes[index];
    if (node !== undefined) setMood(node, mood);
  }
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
