import type { RequestListener } from 'node:http';
import type { Effects } from './effects.ts';
import type { PlainAnswer, PlainRequest } from './node-shape.ts';
import { CONTRACT, RELAY_PERIOD_MS, WALLET } from './parent-chain.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** A service of the subnet: from a request, the current subnet and what is broken to an answer. */
export type Service = (
  request: Pick<PlainRequest, 'method' | 'path'>,
  subnet: SimulatedSubnet,
  effects: Effects,
) => PlainAnswer;

export const json = (value: unknown): PlainAnswer => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

const html = (body: string, status = 200): PlainAnswer => ({ status, type: 'text/html; charset=utf-8', body });

/** Serves a service over HTTP. Request bodies are not read, because no service uses one. */
export const createServiceHandler =
  (service: Service, subnet: SimulatedSubnet, effects: () => Effects): RequestListener =>
  (request, response) => {
    request.resume();
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const { status, type, body } = service({ method: request.method ?? 'GET', path }, subnet, effects());
    response.writeHead(status, { 'content-type': type }).end(body);
  };

/** Needs nothing from elsewhere and runs no script, so that a browser finds no fault in a healthy demo. */
const toPage = (script: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <link rel="icon" href="data:," />
    <title>Subnet blockchain</title>
  </head>
  <body>
    <div id="root">
      <h1>Subnet blockchain</h1>
      <p>This is the simulated explorer of the subnetd demo.</p>
    </div>${script}
  </body>
</html>
`;

/** What the real page does when the stats server has no block yet, as recorded. */
const BROKEN = `
    <script>console.error("Failed to load blocks data"); undefined.number;</script>`;

/** The explorer's HTTP: it is served as a single page, so each path is the same index.html (vercel/serve -s). */
export const frontendService: Service = (_request, _subnet, { consoleError }) =>
  html(toPage(consoleError ? BROKEN : ''));

/** The relayer's five queues, in the order in which its board lists them; this one runs in the mode FULL. */
const QUEUES = ['LITE', 'FULL', 'REVERSE_FULL', 'ZERO', 'REVERSE_ZERO'];
const STATUSES = ['latest', 'active', 'waiting', 'completed', 'failed', 'delayed', 'paused'];

/** Runs since the subnet's first block: bull keeps every completed job. */
const runsOf = ({ chain, now }: SimulatedSubnet): number => Math.floor((now() - chain.timeOf(0)) / RELAY_PERIOD_MS);

const BOARD = `<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"/><title>Relayer Status</title></head><body><div id="root">A simulated relayer: its queues are at <a href="/api/queues">/api/queues</a>.</div></body></html>
`;

const notFound = (method: string, path: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>Cannot ${method} ${path.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>
</body>
</html>
`;

const toCounts = (completed: number, delayed: number) => ({
  waiting: 0,
  active: 0,
  completed,
  failed: 0,
  delayed,
  paused: 0,
});

const toQueue = (name: string, subnet: SimulatedSubnet) => {
  const full = name === 'FULL';
  return {
    name,
    statuses: STATUSES,
    counts: toCounts(full ? runsOf(subnet) : 0, full ? 1 : 0),
    jobs: [],
    pagination: { pageCount: 1, range: { start: 0, end: 9 } },
    readOnlyMode: true,
    allowRetries: false,
    allowCompletedRetries: false,
    isPaused: false,
    type: 'bull',
  };
};

/**
 * The relayer's HTTP: bull-board's page and its API, and nothing else, so that `/health` is not found. Shapes as
 * recorded from XDC-Relayer 0.3.1.
 */
export const relayerService: Service = ({ method, path }, subnet) => {
  const reads = method === 'GET' || method === 'HEAD';
  if (reads && path === '/') return html(BOARD);
  if (reads && path === '/api/queues') return json({ queues: QUEUES.map((name) => toQueue(name, subnet)) });
  return html(notFound(method, path), 404);
};

/** Without a new block for this long the stats server says DOWN (subnet-stats-service backend/src/storage/block.ts). */
const DOWN_AFTER_MS = 60_000;

/** Blocks that it keeps. */
const KEPT = 50;

const PARENT_CHAIN_URL = 'https://devnetstats.apothem.network/devnet';

/** Swagger's page, which answers for every path that the server does not know. */
const SWAGGER = `
<!-- HTML for static distribution bundle build -->
<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <title>Swagger UI</title>
</head>
<body>
<div id="swagger-ui">A simulated stats server: see <a href="/information/network">/information/network</a>.</div>
</body>
</html>
`;

const network = (subnet: SimulatedSubnet): PlainAnswer => {
  const { chain, now } = subnet;
  const newest = subnet.newest();
  const status = now() - chain.timeOf(newest) > DOWN_AFTER_MS ? 'DOWN' : 'UP';
  const span = chain.timeOf(newest - 1) - chain.timeOf(newest - KEPT);
  return json({
    subnet: { block: { averageBlockTime: span / 1000 / KEPT, txThroughput: 0 } },
    parentChain: { url: PARENT_CHAIN_URL, name: 'Devnet' },
    health: { status },
  });
};

/** The block up to which the relayer has submitted. */
const submittedOf = ({ committedAt, now }: SimulatedSubnet): number =>
  committedAt(Math.floor(now() / RELAY_PERIOD_MS) * RELAY_PERIOD_MS);

const relayer = (subnet: SimulatedSubnet): PlainAnswer => {
  const backlog = subnet.committedAt(subnet.now()) - submittedOf(subnet);
  return json({
    account: { balance: '2000', walletAddress: WALLET },
    // The real server writes -1 for an empty backlog.
    backlog: backlog === 0 ? -1 : backlog,
    contractAddress: CONTRACT,
    health: { status: backlog > 100 ? 'DOWN' : 'UP' },
    mode: 'full',
  });
};

/** The list of the newest blocks is left out: nothing reads it. Without a node that sends blocks, the newest is 0. */
const blocks = (subnet: SimulatedSubnet, { statsStale }: Effects): PlainAnswer => {
  const { chain, newest, committedAt, now } = subnet;
  const toBlock = (number: number) => ({ hash: chain.hashOf(number), number });
  const submitted = toBlock(submittedOf(subnet));
  const isDown = statsStale || now() - chain.timeOf(newest()) > DOWN_AFTER_MS;
  return json({
    blocks: [],
    subnet: {
      latestMinedBlock: statsStale ? { hash: '', number: 0 } : toBlock(newest()),
      latestCommittedBlock: toBlock(committedAt(now())),
    },
    checkpoint: { latestCommittedSubnetBlock: submitted, latestSubmittedSubnetBlock: submitted },
    health: { status: isDown ? 'DOWN' : 'UP' },
  });
};

const PAGES: Readonly<Record<string, (subnet: SimulatedSubnet, effects: Effects) => PlainAnswer>> = {
  '/health': () => html('OK'),
  '/information/blocks': blocks,
  '/information/network': network,
  '/information/relayer': relayer,
};

/**
 * The stats server's HTTP, shapes as recorded from subnet-stats-service 0.1.12. `/health` says OK whatever happens; only
 * `health.status` inside the JSON is about the chain. Any other path or method is Swagger's page with status 200.
 */
export const statsService: Service = ({ method, path }, subnet, effects) => {
  const page = method === 'GET' || method === 'HEAD' ? PAGES[path] : undefined;
  return page === undefined ? html(SWAGGER) : page(subnet, effects);
};
