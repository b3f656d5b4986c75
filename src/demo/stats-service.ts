import { CHAIN_ID, type ChainBlock, COMMIT_DISTANCE } from './chain.ts';
import { relayedAt, submittedAt } from './checkpoints.ts';
import { html, json, type Service, type ServiceAnswer } from './service.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** Without a new block for this long the stats server says DOWN (subnet-stats-service backend/src/storage/block.ts). */
const DOWN_AFTER_MS = 60_000;

/** Blocks that it keeps, the newest one not among those it lists. */
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

/** What the server has heard from the nodes and the parent chain. */
const look = (subnet: SimulatedSubnet) => {
  const { chain, now } = subnet;
  const newest = subnet.newest();
  const committed = Math.max(newest - COMMIT_DISTANCE, 0);
  const submitted = Math.min(submittedAt(chain, relayedAt(now())), committed);
  const status = now() - chain.timeOf(newest) > DOWN_AFTER_MS ? 'DOWN' : 'UP';
  const brief = (number: number) => ({ hash: chain.hashOf(number), number });
  return { chain, newest, committed, submitted, status, brief };
};

const network = (subnet: SimulatedSubnet): ServiceAnswer => {
  const { chain, newest, status } = look(subnet);
  const span = chain.timeOf(newest - 1) - chain.timeOf(newest - KEPT);
  return json({
    subnet: { block: { averageBlockTime: span / 1000 / KEPT, txThroughput: 0 } },
    parentChain: { url: PARENT_CHAIN_URL, name: 'Devnet' },
    health: { status },
  });
};

const blocks = (subnet: SimulatedSubnet): ServiceAnswer => {
  const { chain, newest, committed, submitted, status, brief } = look(subnet);
  const toListed = ({ hash, number, parentHash, miner, timestamp }: ChainBlock) => ({
    hash,
    number,
    parentHash,
    miner,
    timestamp,
    transactions: [],
    committedInSubnet: number <= committed,
    committedInParentChain: number <= submitted,
    submittedInParentChain: number <= submitted,
  });
  return json({
    blocks: Array.from({ length: KEPT }, (_, index) => toListed(chain.block(newest - KEPT + index))),
    subnet: { latestMinedBlock: brief(newest), latestCommittedBlock: brief(committed) },
    checkpoint: { latestCommittedSubnetBlock: brief(submitted), latestSubmittedSubnetBlock: brief(submitted) },
    health: { status },
  });
};

const relayer = (subnet: SimulatedSubnet): ServiceAnswer => {
  const { committed, submitted } = look(subnet);
  const backlog = committed - submitted;
  return json({
    account: { balance: '2000', walletAddress: '0xcd0340a2214058390d204a826de05312deadbeef' },
    // The real server writes -1 for an empty backlog.
    backlog: backlog === 0 ? -1 : backlog,
    contractAddress: '0x0c8e79f3534b00d9a3d4a856b665bf4ebc22f2ba',
    health: { status: backlog > 100 ? 'DOWN' : 'UP' },
    mode: 'full',
  });
};

const masternodes = ({ chain }: SimulatedSubnet): ServiceAnswer =>
  json({
    summary: { committee: chain.masternodes.length, activeNodes: chain.masternodes.length, inActiveNodes: 0 },
    nodes: chain.masternodes.map((address) => ({ address, role: 'MASTERNODE' })),
  });

const candidates = ({ chain }: SimulatedSubnet): ServiceAnswer =>
  json(chain.masternodes.map((address) => ({ address, delegation: 10_000_000, status: 'MASTERNODE' })));

const chainSetting = (): ServiceAnswer =>
  json({
    networkId: CHAIN_ID,
    validatorSmartContractAddress: '0x0000000000000000000000000000000000000088',
    denom: 'sdc',
    networkName: 'demo',
    rpcUrl: 'http://192.168.25.11:8545',
  });

const PAGES: Readonly<Record<string, (subnet: SimulatedSubnet) => ServiceAnswer>> = {
  '/health': () => html('OK'),
  '/information/network': network,
  '/information/blocks': blocks,
  '/information/relayer': relayer,
  '/information/masternodes': masternodes,
  '/information/candidates': candidates,
  '/information/chainsetting': chainSetting,
};

/**
 * The stats server's HTTP, shapes as recorded from subnet-stats-service 0.1.12. `/health` says OK whatever happens; only
 * `health.status` inside the JSON tells of the chain. Any other path or method is Swagger's page with status 200.
 */
export const statsService: Service = ({ method, path }, subnet) => {
  const page = method === 'GET' || method === 'HEAD' ? PAGES[path] : undefined;
  return page === undefined ? html(SWAGGER) : page(subnet);
};
