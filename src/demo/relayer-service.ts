import { RELAY_PERIOD_MS } from './checkpoints.ts';
import { html, json, type Service } from './service.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

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
