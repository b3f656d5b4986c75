import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCall, blockResult, type Methods, type ReceivedCall } from './fake-node.ts';

/** How a node behaves for a while; `gone` breaks every connection. */
export type NodeMood = 'well' | 'gone' | 'stalled';

/** Many subnets of four nodes in one server. */
export interface FleetSubnets {
  readonly names: readonly string[];
  /**
   * The inventory that has these subnets, whose alerts go to Alertmanagers and, if given, through a channel; `from`: who reads it,
   * where nodes behave otherwise for some.
   */
  inventory(names: readonly string[], alertmanagers: readonly string[], channel?: string, from?: string): string;
  /** Lets a node of a subnet, or all of its nodes, behave in another way, for all or only for those `from` somewhere. */
  set(subnet: string, mood: NodeMood, node?: string, from?: string): void;
  stop(): Promise<void>;
}

const NODES = ['n1', 'n2', 'n3', 'n4'];
const toQuery = (from: string | undefined) => (from === undefined ? '' : `?from=${from}`);

/** Starts so many subnets, all of which are well and make a block each second. */
export async function startFleetSubnets(count: number): Promise<FleetSubnets> {
  const names = Array.from({ length: count }, (_, index) => `net${index}`);
  const moods = new Map<string, { mood: NodeMood; height: number }>();
  const startedAt = Date.now();
  const heightNow = () => 1_000 + Math.floor((Date.now() - startedAt) / 1_000);
  /** What was set for who asks, or for all. */
  const moodOf = (url: URL) => moods.get(`${url.pathname}${url.search}`) ?? moods.get(url.pathname);
  const methodsOf = (url: URL): Methods => ({
    XDPoS_getV2BlockByNumber: ({ params }) => {
      const known = moodOf(url);
      const latest = known?.mood === 'stalled' ? known.height : heightNow();
      return blockResult(params[0] === 'latest' ? latest : latest - 2);
    },
    admin_peers: () => [1, 2, 3].map((id) => ({ id: `peer${id}`, name: 'XDC' })),
    net_peerCount: () => '0x3',
    rpc_modules: () => ({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' }),
  });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    // As a node without wildcards does.
    if (!/^127\.0\.0\.1(?::\d+)?$/.test(request.headers.host ?? ''))
      return void response.writeHead(403).end('invalid host specified\n');
    if (moodOf(url)?.mood === 'gone') return void request.socket.destroy();
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body) as ReceivedCall | readonly ReceivedCall[];
    const answers = [message].flat().map((call) => answerCall(methodsOf(url), call as ReceivedCall));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(message) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    names,
    inventory: (wanted, urls, channel, from) =>
      JSON.stringify({
        subnets: wanted.map((name) => ({
          ...{ name, consensus: 'XDPoS' },
          nodes: NODES.map((node) => ({
            name: node,
            rpc: `http://127.0.0.1:${port}/${name}/${node}${toQuery(from)}`,
            expectedPeers: 3,
          })),
          checks: { rpc: { schedule: 'every 2s', timeout: '1s', stallAfter: '12s' } },
        })),
        alertmanager: { urls },
        ...(channel && { notify: [{ name: 'ops', webhook: { url: channel }, severities: ['critical', 'warning'] }] }),
      }),
    set: (subnet, mood, node, from) => {
      for (const one of node === undefined ? NODES : [node])
        moods.set(`/${subnet}/${one}${toQuery(from)}`, { mood, height: heightNow() });
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
