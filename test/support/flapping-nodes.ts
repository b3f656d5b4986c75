import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerCall, blockResult, type Methods, type ReceivedCall } from './fake-node.ts';

/** How a node behaves for a while. */
type Mood = 'well' | 'refuses' | 'resets' | 'hangs' | 'garbage' | 'stalled';

const MOODS: readonly Mood[] = ['well', 'refuses', 'resets', 'hangs', 'garbage', 'stalled'];

/** Nodes that change how they behave. */
export interface FlappingNodes {
  readonly urls: readonly string[];
  /** Lets one of them behave in another way. */
  flap(): void;
  /** Lets all of them be well. */
  heal(): void;
  stop(): Promise<void>;
}

/** The same numbers at each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Node {
  readonly url: string;
  set(mood: Mood): void;
  stop(): Promise<void>;
}

const startedAt = Date.now();
const height = () => 1_000 + Math.floor((Date.now() - startedAt) / 2_000);

/** Each has an address of its own: no other program takes its port while it refuses connections. */
async function startNode(index: number, peers: number): Promise<Node> {
  const host = `127.83.${index >> 8}.${index & 255}`;
  let mood: Mood = 'well';
  let stalledAt = 0;
  const methods: Methods = {
    XDPoS_getV2BlockByNumber: ({ params }) => {
      const latest = mood === 'stalled' ? stalledAt : height();
      return blockResult(params[0] === 'latest' ? latest : latest - 2);
    },
    admin_peers: () => Array.from({ length: peers }, (_, id) => ({ id: `peer${id}`, name: 'XDC' })),
    net_peerCount: () => `0x${peers.toString(16)}`,
    rpc_modules: () => ({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' }),
  };
  const respond = (body: string, response: ServerResponse) => {
    if (mood === 'hangs') return;
    response.setHeader('content-type', 'application/json');
    if (mood === 'garbage') return void response.end('<html>no node</html>');
    const message = JSON.parse(body) as ReceivedCall | readonly ReceivedCall[];
    const answers = [message].flat().map((call) => answerCall(methods, call as ReceivedCall));
    response.end(JSON.stringify(Array.isArray(message) ? answers : answers[0]));
  };
  const server = createServer(async (request, response) => {
    try {
      let body = '';
      for await (const chunk of request) body += chunk;
      respond(body, response);
    } catch {
      // The daemon, or this node, has broken the connection.
    }
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    if (mood === 'resets') return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  /** One opening or closing after the other: the next mood may come before the last one has taken effect. */
  let changing = Promise.resolve();
  const setOpen = (isOpen: boolean) => {
    changing = changing.then(async () => {
      if (isOpen && !server.listening) await listen(port);
      // Its connections are broken beside it.
      if (!isOpen && server.listening) server.close();
    });
  };
  const { port } = server.address() as AddressInfo;
  const breakConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://${host}:${port}`,
    set: (next) => {
      mood = next;
      stalledAt = height();
      setOpen(next !== 'refuses');
      if (next === 'well' || next === 'garbage' || next === 'stalled') return;
      breakConnections();
    },
    stop: async () => {
      mood = 'refuses';
      await changing;
      breakConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts this many nodes, each with the expected number of peers. */
export async function startFlappingNodes(count: number, peers: number): Promise<FlappingNodes> {
  const random = createRandom(7);
  const nodes = await Promise.all(Array.from({ length: count }, (_, index) => startNode(index + 1, peers)));
  return {
    urls: nodes.map(({ url }) => url),
    flap: () => nodes[random(count)]?.set(MOODS[random(MOODS.length)] ?? 'well'),
    heal: () => {
      for (const node of nodes) node.set('well');
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
