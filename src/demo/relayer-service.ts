import { RELAY_PERIOD_MS, relayedAt, submittedAt } from './checkpoints.ts';
import { html, json, type Service } from './service.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** The relayer's five queues, in the order in which its board lists them; this one runs in the mode FULL. */
const QUEUES = ['LITE', 'FULL', 'REVERSE_FULL', 'ZERO', 'REVERSE_ZERO'];
const STATUSES = ['latest', 'active', 'waiting', 'completed', 'failed', 'delayed', 'paused'];
const CRON = '*/20 * * * * *';

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

/** A finished run, as bull keeps it. A run that found nothing new says so and pushes nothing. */
const toJob = (subnet: SimulatedSubnet, ago: number) => {
  const { chain, now } = subnet;
  const ran = relayedAt(now(), ago);
  const id = `repeat:35b24c0342d7e13a13c2c932f2e63331:${ran}`;
  const from = submittedAt(chain, ran - RELAY_PERIOD_MS);
  const to = submittedAt(chain, ran);
  return {
    id,
    timestamp: ran - RELAY_PERIOD_MS + 9,
    processedOn: ran + 3,
    finishedOn: Math.min(ran + 1_200, now()),
    progress: 0,
    attempts: 1,
    delay: 0,
    stacktrace: [],
    opts: {
      repeat: { count: runsOf(subnet) - ago, key: `__default__:FULL:::${CRON}`, cron: CRON, jobId: 'FULL' },
      jobId: id,
      delay: RELAY_PERIOD_MS - 9,
      timestamp: ran - RELAY_PERIOD_MS + 9,
      prevMillis: ran,
      attempts: 1,
    },
    data: {},
    name: '__default__',
    returnValue:
      to > from
        ? `Completed sync from ${from} to ${to}`
        : 'Smart contract committed and subnet are already in sync, nothing needs to be done, waiting for new blocks',
    isFailed: false,
  };
};

const toQueue = (name: string, query: URLSearchParams, subnet: SimulatedSubnet) => {
  const full = name === 'FULL';
  const completed = full ? runsOf(subnet) : 0;
  const page = Math.max(Number.parseInt(query.get('page') ?? '1', 10) || 1, 1);
  const perPage = Math.max(Number.parseInt(query.get('jobsPerPage') ?? '10', 10) || 10, 1);
  const status = query.get('status');
  const shown = full && query.get('activeQueue') === name && (status === 'completed' || status === 'latest');
  const start = (page - 1) * perPage;
  const length = shown ? Math.max(Math.min(perPage, completed - start), 0) : 0;
  return {
    name,
    statuses: STATUSES,
    counts: toCounts(completed, full ? 1 : 0),
    jobs: Array.from({ length }, (_, index) => toJob(subnet, start + index)),
    pagination: {
      pageCount: shown ? Math.ceil(completed / perPage) : 1,
      range: { start, end: start + perPage - 1 },
    },
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
export const relayerService: Service = ({ method, path, query }, subnet) => {
  const reads = method === 'GET' || method === 'HEAD';
  if (reads && path === '/') return html(BOARD);
  if (reads && path === '/api/queues') return json({ queues: QUEUES.map((name) => toQueue(name, query, subnet)) });
  if (reads && path === '/api/redis/stats') {
    return json({
      version: '7.2.4',
      mode: 'standalone',
      port: 6379,
      os: 'Linux x86_64',
      uptime: (runsOf(subnet) * RELAY_PERIOD_MS) / 1000,
      memory: { total: 8_589_934_592, used: 2_064_552, fragmentationRatio: 6.32, peak: 2_064_552 },
      clients: { connected: 15, blocked: 5 },
    });
  }
  return html(notFound(method, path), 404);
};
