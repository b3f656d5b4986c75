import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** A node at the wire. It answers prepared text, so that its own speed hardly counts. */
export interface SimulatedNode {
  /** Its number among all nodes. */
  readonly index: number;
  /** Its number in its subnet. The first nodes of a subnet are its masternodes. */
  readonly place: number;
  readonly height: () => number;
  /** What it answers to `admin_peers`, as JSON. */
  readonly peers: () => string;
  /** Whether it takes requests, and answers none. */
  readonly isHanging: () => boolean;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const START = 1_732_174_920_000;
const FIRST = 10_000;
/** As real networks do. */
const BLOCK_MS = 2_000;
const KEPT_BLOCKS = 1_000;

/** The height of a node that is well. */
export const heightNow = (): number => FIRST + Math.floor((Date.now() - START) / BLOCK_MS);

/** Ids differ in their first digits, as those of real nodes do: the others are not read. */
const idOf = (index: number) => index.toString(16).padStart(8, '0').padEnd(128, 'a');
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, 'a')}`;

/** How a node is listed among the peers of another, as JSON. */
export const toPeer = (index: number): string =>
  JSON.stringify({
    id: idOf(index),
    name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
    caps: ['eth/62', 'eth/63', 'eth/100'],
    network: {
      localAddress: '192.168.25.11:20303',
      remoteAddress: `192.168.25.${(index % 200) + 12}:51544`,
      inbound: true,
      trusted: false,
      static: false,
    },
    protocols: { eth: { version: 100, difficulty: 1235, head: `0x${'d'.repeat(64)}` } },
  });

/** What real nodes answered to the questions about the chain. */
const recording = JSON.parse(
  readFileSync(new URL('../test/fixtures/real-network/healthy.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly result: unknown }>>;
const recorded = Object.fromEntries(
  Object.entries(recording).map(([call, { result }]) => [call.replace(/ .*/, ''), JSON.stringify(result)]),
);
const genesis = JSON.stringify(recording['XDPoS_getV2BlockByNumber earliest']?.result);
const modules = JSON.stringify({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' });
const list = JSON.parse(recorded.XDPoS_getMasternodesByNumber ?? '{}') as { readonly Masternodes?: readonly string[] };
const { Masternodes: masternodes = [] } = list;
const roundAt = (number: number) => number + 17;

/** Of the size of a real one. The masternodes make them in turn. */
const toBlock = (number: number) => ({
  Hash: hashOf(number),
  Round: roundAt(number),
  Number: number,
  ParentHash: hashOf(number - 1),
  Committed: false,
  Miner: masternodes[number % masternodes.length],
  Timestamp: Math.floor((START + (number - FIRST) * BLOCK_MS) / 1_000),
  EncodedRLP: 'Q'.repeat(700),
  Error: '',
});

const blocks = new Map<number, string>();
function blockAt(number: number): string {
  const text = blocks.get(number) ?? JSON.stringify(toBlock(number));
  if (blocks.size > KEPT_BLOCKS) blocks.clear();
  blocks.set(number, text);
  return text;
}

/** The same masternodes at each block, which a real node names too. */
function readMasternodes(named: unknown, height: number): string {
  const number = named === 'latest' ? height : Number(named);
  return JSON.stringify({ ...list, Number: number, Round: roundAt(number) });
}

function readBlock(named: unknown, height: number): string {
  if (named === 'earliest') return genesis;
  if (named === 'latest') return blockAt(height);
  return blockAt(named === 'committed' ? height - 3 : Number(named));
}

function resultOf(node: SimulatedNode, { method, params: [named] }: Call): string {
  switch (method) {
    case 'XDPoS_getV2BlockByNumber':
      return readBlock(named, node.height());
    case 'XDPoS_getMasternodesByNumber':
      return readMasternodes(named, node.height());
    case 'admin_peers':
      return node.peers();
    case 'admin_nodeInfo':
      return `{"id":"${idOf(node.index)}"}`;
    case 'eth_coinbase':
      return `"${masternodes[node.place] ?? `0x${node.index.toString(16).padStart(40, 'b')}`}"`;
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

const BAD = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n';
const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n';

/** A node without wildcards answers to addresses only (XDC-Subnet rpc/http.go). */
const isAllowed = (head: string): boolean => /\r\nhost: [\d.]+(?::|\r|$)/i.test(head);

function answer(node: SimulatedNode, body: string): string {
  const request = parseCalls(body);
  if (request === undefined) return BAD;
  const toMessage = (call: Call) => `{"jsonrpc":"2.0","id":${call.id},"result":${resultOf(node, call)}}`;
  const text = Array.isArray(request) ? `[${request.map(toMessage).join()}]` : toMessage(request as Call);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** Answers JSON-RPC over HTTP on a connection. */
export function serveNode(node: SimulatedNode, socket: Socket): void {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (node.isHanging()) return;
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
