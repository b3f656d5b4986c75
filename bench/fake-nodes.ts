import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

/**
 * A child process that plays many nodes, each on a port of its own: `node bench/fake-nodes.ts NODES PEERS`. It answers
 * prepared bytes, so that its own speed hardly counts, and prints its ports as JSON when it listens.
 */
const [nodes = 0, peers = 0] = process.argv.slice(2).map(Number);

const hex = (digit: string, length: number) => digit.repeat(length);
const peer = (i: number) => ({
  id: i.toString(16).padStart(128, 'a'),
  name: 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13',
  caps: ['eth/62', 'eth/63', 'eth/100'],
  network: {
    localAddress: '192.168.25.11:20303',
    remoteAddress: `192.168.25.${i + 12}:51544`,
    inbound: true,
    trusted: false,
    static: false,
  },
  protocols: { eth: { version: 100, difficulty: 1235, head: `0x${hex('d', 64)}` } },
});
const block = {
  Hash: `0x${hex('a', 64)}`,
  Round: 1251,
  Number: 1234,
  ParentHash: `0x${hex('b', 64)}`,
  Committed: false,
  Miner: `0x${hex('0', 24)}${hex('c', 40)}`,
  Timestamp: 1732174920,
  EncodedRLP: hex('Q', 700),
  Error: '',
};
/** What real nodes answered to the question about the chain. */
const recording = JSON.parse(
  readFileSync(new URL('../test/fixtures/real-network/healthy.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly result: unknown }>>;
const recorded = Object.fromEntries(
  Object.entries(recording).map(([call, { result }]) => [call.replace(/ .*/, ''), result]),
);
const results: Readonly<Record<string, unknown>> = {
  ...recorded,
  XDPoS_getV2BlockByNumber: block,
  admin_nodeInfo: peer(0),
  admin_peers: Array.from({ length: peers }, (_, i) => peer(i)),
  rpc_modules: { admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' },
};

interface Call {
  readonly id: number;
  readonly method: string;
}

const BAD = Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');

function toCalls(body: string): Call | readonly Call[] | undefined {
  try {
    return JSON.parse(body) as Call | readonly Call[];
  } catch {
    return undefined;
  }
}

const prepared = new Map<string, Buffer>();
function answer(body: string): Buffer {
  const known = prepared.get(body);
  if (known) return known;
  const request = toCalls(body);
  if (request === undefined) return BAD;
  const one = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: results[method] });
  const text = JSON.stringify(Array.isArray(request) ? request.map(one) : one(request as Call));
  const made = Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  prepared.set(body, made);
  return made;
}

function serve(socket: Socket) {
  let pending = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const end = pending.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(pending.slice(0, end))?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      socket.write(answer(pending.slice(end + 4, end + 4 + length)));
      pending = pending.slice(end + 4 + length);
    }
  });
}

const ports = await Promise.all(
  Array.from(
    { length: nodes },
    () =>
      new Promise<number>((resolve) => {
        const server = createServer(serve).listen(0, '127.0.0.1', 512, () => {
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : 0);
        });
      }),
  ),
);
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.on('disconnect', () => process.exit());
