import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

/**
 * A child process that plays many nodes, each on a loopback address of its own: `node bench/fake-nodes.ts NODES PEERS GROUP`. They are
 * healthy: the height rises every two seconds, and each node is connected to others of its group. It answers prepared text, so that its
 * own speed hardly counts, and prints the URLs of the nodes as JSON when it listens. With PEERS of `hanging` it accepts connections and
 * never answers. All share one port: a port for each of 10,000 nodes would leave too few to the system, and take as many descriptors.
 */
const [nodes = 0, peers = 0, group = nodes] = process.argv.slice(2).map((word) => Number(word) || 0);
const isHanging = process.argv[3] === 'hanging';

const START = 1_732_174_920_000;
const PERIOD_MS = 2_000;
const heightNow = () => 10_000 + Math.floor((Date.now() - START) / PERIOD_MS);

const idOf = (node: number) => node.toString(16).padStart(128, 'a');
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, 'a')}`;

const toPeer = (node: number) => ({
  id: idOf(node),
  name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
  caps: ['eth/62', 'eth/63', 'eth/100'],
  network: {
    localAddress: '192.168.25.11:20303',
    remoteAddress: `192.168.25.${(node % 200) + 12}:51544`,
    inbound: true,
    trusted: false,
    static: false,
  },
  protocols: { eth: { version: 100, difficulty: 1235, head: `0x${'d'.repeat(64)}` } },
});

/** A block of the size of a real one. */
const toBlock = (number: number) => ({
  Hash: hashOf(number),
  Round: number + 17,
  Number: number,
  ParentHash: hashOf(number - 1),
  Committed: false,
  Miner: `0x${'0'.repeat(24)}${'c'.repeat(40)}`,
  Timestamp: Math.floor((START + (number - 10_000) * PERIOD_MS) / 1_000),
  EncodedRLP: 'Q'.repeat(700),
  Error: '',
});

/** What real nodes answered to the question about the chain. */
const recording = JSON.parse(
  readFileSync(new URL('../test/fixtures/real-network/healthy.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly result: unknown }>>;
const recorded = Object.fromEntries(
  Object.entries(recording).map(([call, { result }]) => [call.replace(/ .*/, ''), JSON.stringify(result)]),
);
const genesis = JSON.stringify(recording['XDPoS_getV2BlockByNumber earliest']?.result);
const modules = JSON.stringify({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' });
const { Masternodes: masternodes = [] } = JSON.parse(recorded.XDPoS_getMasternodesByNumber ?? '{}') as {
  readonly Masternodes?: readonly string[];
};

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const BAD = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';
const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n';

function toCalls(body: string): Call | readonly Call[] | undefined {
  try {
    return JSON.parse(body) as Call | readonly Call[];
  } catch {
    return undefined;
  }
}

/** The others of a node's group that come after it, in a ring. */
const peersOf = (node: number): readonly number[] => {
  const first = node - (node % group);
  const size = Math.min(group, nodes - first);
  return Array.from({ length: peers }, (_, step) => first + ((node - first + 1 + step) % size));
};

const blocks = new Map<number, string>();
const blockAt = (number: number): string => {
  const text = blocks.get(number) ?? JSON.stringify(toBlock(number));
  if (blocks.size > 1_000) blocks.clear();
  blocks.set(number, text);
  return text;
};
const readBlock = (named: unknown): string => {
  const height = heightNow();
  if (named === 'earliest') return genesis;
  if (named === 'latest') return blockAt(height);
  return blockAt(named === 'committed' ? height - 3 : Number(named));
};

const peerTexts = new Map<number, string>();
const readPeers = (node: number): string => {
  const text = peerTexts.get(node) ?? JSON.stringify(peersOf(node).map(toPeer));
  peerTexts.set(node, text);
  return text;
};

/** The first nodes of a group are its masternodes. */
const addressOf = (node: number) => masternodes[node % group] ?? `0x${node.toString(16).padStart(40, 'b')}`;

function resultOf(node: number, { method, params }: Call): string {
  switch (method) {
    case 'XDPoS_getV2BlockByNumber':
      return readBlock(params[0]);
    case 'admin_peers':
      return readPeers(node);
    case 'admin_nodeInfo':
      return JSON.stringify({ id: idOf(node) });
    case 'eth_coinbase':
      return JSON.stringify(addressOf(node));
    case 'rpc_modules':
      return modules;
    default:
      return recorded[method] ?? 'null';
  }
}

function answer(node: number, body: string): string {
  const request = toCalls(body);
  if (request === undefined) return BAD;
  const toMessage = (call: Call) => `{"jsonrpc":"2.0","id":${call.id},"result":${resultOf(node, call)}}`;
  const text = Array.isArray(request) ? `[${request.map(toMessage).join()}]` : toMessage(request as Call);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

function serve(node: number, socket: Socket) {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  if (isHanging) return socket.resume();
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = pending.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      // A node without wildcards answers to addresses only (XDC-Subnet rpc/http.go).
      const isAllowed = /\r\nhost: [\d.]+(?::|\r|$)/i.test(head);
      socket.write(isAllowed ? answer(node, pending.slice(end + 4, end + 4 + length)) : FORBIDDEN, 'latin1');
      if (/\r\nconnection: close/i.test(head)) socket.end();
      pending = pending.slice(end + 4 + length);
    }
  });
}

const toAddress = (node: number): string => `127.64.${node >> 8}.${node & 255}`;
const toNode = (address = ''): number => {
  const [, , high = 0, low = 0] = address.split('.').map(Number);
  return high * 256 + low;
};

const server = createServer((socket) => serve(toNode(socket.localAddress), socket)).listen(0, '0.0.0.0', 4_096, () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const urls = Array.from({ length: nodes }, (_, node) => `http://${toAddress(node)}:${port}`);
  process.stdout.write(`${JSON.stringify(urls)}\n`);
});
process.on('disconnect', () => process.exit());
