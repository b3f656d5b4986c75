import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { addressOf, BLOCK_MS, listSubnets, MASTERNODES, nodesOf, RPC_PORT, type SimulatedSubnet } from './fleet.ts';

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

interface Node {
  readonly index: number;
  readonly subnet: SimulatedSubnet;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  mood: Mood;
  /** While it is stalled. */
  height: number;
  /** The text of its peers, until one of them starts or ends. */
  peers: string | undefined;
  /** One opening or closing after the other. */
  changing: Promise<void>;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const START = Date.now() - 10_000 * BLOCK_MS;
const heightNow = () => Math.floor((Date.now() - START) / BLOCK_MS);
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, 'a')}`;
const idOf = (node: number) => node.toString(16).padStart(128, 'a');

const recording = JSON.parse(
  readFileSync(new URL('../../test/fixtures/real-network/healthy.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly result: unknown }>>;
const recorded = Object.fromEntries(
  Object.entries(recording).map(([call, { result }]) => [call.replace(/ .*/, ''), JSON.stringify(result)]),
);
const genesis = JSON.stringify(recording['XDPoS_getV2BlockByNumber earliest']?.result);
const modules = JSON.stringify({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' });
const { Masternodes: masternodes = [] } = JSON.parse(recorded.XDPoS_getMasternodesByNumber ?? '{}') as {
  readonly Masternodes?: readonly string[];
};

const toPeer = (node: number): string =>
  JSON.stringify({
    id: idOf(node),
    name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
    caps: ['eth/62', 'eth/63', 'eth/100'],
    network: { localAddress: '10.0.0.1:20303', remoteAddress: '10.0.0.2:51544', inbound: true },
    protocols: { eth: { version: 100, difficulty: 1235, head: `0x${'d'.repeat(64)}` } },
  });

const nodes: Node[] = [];
const peerTexts: string[] = [];

const blocks = new Map<number, string>();
function blockAt(number: number): string {
  const known = blocks.get(number);
  if (known !== undefined) return known;
  const text = JSON.stringify({
    ...{ Hash: hashOf(number), Round: number + 17, Number: number, ParentHash: hashOf(number - 1) },
    ...{ Committed: false, Miner: masternodes[number % MASTERNODES], Error: '' },
    ...{ Timestamp: Math.floor((START + number * BLOCK_MS) / 1_000), EncodedRLP: 'Q'.repeat(700) },
  });
  if (blocks.size > 10_000) blocks.clear();
  blocks.set(number, text);
  return text;
}

function peersOf(node: Node): string {
  node.peers ??= `[${nodesOf(node.subnet)
    .filter((other) => other !== node.index && nodes[other]?.mood !== 'refuses')
    .map((other) => peerTexts[other])
    .join()}]`;
  return node.peers;
}

/** The first nodes of a subnet are its masternodes. */
const coinbaseOf = ({ index, subnet }: Node) =>
  masternodes[index - subnet.first] ?? `0x${index.toString(16).padStart(40, 'b')}`;

function resultOf(node: Node, { method, params: [named] }: Call): string {
  const height = node.mood === 'stalled' ? node.height : heightNow();
  switch (method) {
    case 'XDPoS_getV2BlockByNumber':
      if (named === 'earliest') return genesis;
      if (named === 'latest') return blockAt(height);
      return blockAt(named === 'committed' ? height - 3 : Number(named));
    case 'admin_peers':
      return peersOf(node);
    case 'admin_nodeInfo':
      return `{"id":"${idOf(node.index)}"}`;
    case 'eth_coinbase':
      return `"${coinbaseOf(node)}"`;
    case 'rpc_modules':
      return modules;
    default:
      return recorded[method] ?? 'null';
  }
}

function parseCalls(body: string): Call | readonly Call[] | undefined {
  try {
    return JSON.parse(body) as Call | readonly Call[];
  } catch {
    return undefined;
  }
}

function answer(node: Node, body: string): string {
  const request = parseCalls(body);
  if (request === undefined) return BAD;
  const toMessage = (call: Call) => `{"jsonrpc":"2.0","id":${call.id},"result":${resultOf(node, call)}}`;
  const text = Array.isArray(request) ? `[${request.map(toMessage).join()}]` : toMessage(request as Call);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n';
const BAD = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';

/** A node without wildcards answers to addresses only (XDC-Subnet rpc/http.go). */
const isAllowed = (head: string): boolean => /\r\nhost: [\d.]+(?::|\r|$)/i.test(head);

function serve(node: Node, socket: Socket) {
  let pending = '';
  node.sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => node.sockets.delete(socket));
  socket.on('data', (chunk) => {
    if (node.mood === 'hangs') return;
    pending += chunk.toString('latin1');
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = pending.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      socket.write(isAllowed(head) ? answer(node, pending.slice(end + 4, end + 4 + length)) : FORBIDDEN, 'latin1');
      if (/\r\nconnection: close/i.test(head)) socket.end();
      pending = pending.slice(end + 4 + length);
    }
  });
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
  node.height = heightNow();
  // What arrived while it hung is never answered.
  if (before === 'hangs' || mood === 'refuses') breakConnections(node);
  if ((before === 'refuses') === (mood === 'refuses')) return;
  for (const other of nodesOf(node.subnet)) {
    const peer = nodes[other];
    if (peer !== undefined) peer.peers = undefined;
  }
  node.changing = node.changing.then(async () => {
    if (node.mood === 'refuses') node.server.close();
    else if (!node.server.listening) await listen(node);
  });
}

for (const subnet of listSubnets())
  for (const index of nodesOf(subnet)) {
    const node: Node = {
      ...{ index, subnet, server: createServer(), sockets: new Set<Socket>() },
      ...{ mood: 'well', height: 0, peers: undefined, changing: Promise.resolve() },
    };
    node.server.on('connection', (socket) => serve(node, socket));
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
