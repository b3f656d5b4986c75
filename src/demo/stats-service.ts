import { relayedAt } from './checkpoints.ts';
import type { Effects } from './effects.ts';
import { CONTRACT, WALLET } from './parent-chain.ts';
import { html, json, type Service, type ServiceAnswer } from './service.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

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

const network = (subnet: SimulatedSubnet): ServiceAnswer => {
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

const relayer = ({ committedAt, now }: SimulatedSubnet): ServiceAnswer => {
  const backlog = committedAt(now()) - committedAt(relayedAt(now()));
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
const blocks = ({ chain, newest, committedAt, now }: SimulatedSubnet, { statsStale }: Effects): ServiceAnswer => {
  const toBlock = (number: number) => ({ hash: chain.hashOf(number), number });
  const submitted = toBlock(committedAt(relayedAt(now())));
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

const PAGES: Readonly<Record<string, (subnet: SimulatedSubnet, effects: Effects) => ServiceAnswer>> = {
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
