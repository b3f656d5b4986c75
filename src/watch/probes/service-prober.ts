import { isRecord, parseJson } from '../../lib/values.ts';
import type { Fault, RelayerMode, RelayerQueue, ServiceObservation, StatsReading } from '../../model/observation.ts';
import { SERVICE_PATHS, type ServiceTarget } from '../../model/target.ts';
import { toCount } from './chain-values.ts';
import { createHttpTransport } from './http-transport.ts';
import { exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

/** The queues by their names (XDC-Relayer src/processors). */
const MODES: ReadonlyMap<unknown, RelayerMode> = new Map([
  ['FULL', 'full'],
  ['LITE', 'lite'],
  ['REVERSE_FULL', 'reverse_full'],
  ['ZERO', 'zero'],
  ['REVERSE_ZERO', 'reverse_zero'],
]);

const countOf = (value: unknown): number => toCount(value) ?? 0;

function toQueue(value: unknown): readonly RelayerQueue[] {
  if (!isRecord(value) || !isRecord(value.counts)) return [];
  const mode = MODES.get(value.name);
  const { active, waiting, paused, delayed, completed, failed } = value.counts;
  if (mode === undefined) return [];
  return [
    {
      mode,
      isPaused: value.isPaused === true,
      active: countOf(active),
      // Bull moves waiting jobs to another list while the queue is paused.
      waiting: countOf(waiting) + countOf(paused),
      delayed: countOf(delayed),
      completed: countOf(completed),
      failed: countOf(failed),
    },
  ];
}

/** Reads the queues that the board of the relayer lists, the first of each mode; unknown ones are left out. */
export function readQueues(queues: readonly unknown[]): readonly RelayerQueue[] {
  const known = queues.flatMap(toQueue);
  return known.filter(({ mode }, index) => known.findIndex((one) => one.mode === mode) === index);
}

/** It asks the parent chain without a timeout of its own. */
const WITHIN_MS = 3_000;

const toHeight = (block: unknown): number | undefined => {
  const number = isRecord(block) ? block.number : undefined;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
};

const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

/** Reads `/information/relayer`. */
function readStatsRelayer(answer: unknown): StatsReading {
  const [backlog, status] = [memberOf(answer, 'backlog'), memberOf(memberOf(answer, 'health'), 'status')];
  if (!Number.isSafeInteger(backlog) || typeof backlog !== 'number' || (status !== 'UP' && status !== 'DOWN'))
    return {};
  // It says -1 for none.
  return { relayer: { isUp: status === 'UP', backlog: Math.max(backlog, 0) } };
}

/** Reads `/information/blocks`. Before the first block it says 0. */
function readStatsBlocks(answer: unknown): StatsReading {
  const newest = toHeight(memberOf(memberOf(answer, 'subnet'), 'latestMinedBlock'));
  return newest === undefined ? {} : { newest };
}

const PAGES = [
  ['/information/relayer', readStatsRelayer],
  ['/information/blocks', readStatsBlocks],
] as const;

/** Asks a stats server that answers what it knows of the chains. One that hangs is asked no more. */
async function readStats(
  transport: RpcTransport,
  base: string,
  deadline: number,
  signal?: AbortSignal,
): Promise<StatsReading> {
  let reading: StatsReading = {};
  for (const [path, read] of PAGES) {
    const now = performance.now();
    if (now >= deadline) break;
    const until = Math.min(deadline, now + WITHIN_MS);
    const exchange = await transport.exchange(
      { method: 'GET', path: `${base}${path}` },
      ({ status, body }) => (status === 200 ? read(parseJson(body.toString())) : {}),
      until,
      signal,
    );
    if (!exchange.ok) break;
    reading = { ...reading, ...exchange.value };
  }
  return reading;
}

/** Probes one service repeatedly. */
export interface ServiceProber {
  /** Ends after `timeoutMs` or when the signal aborts. */
  probe(timeoutMs: number, signal?: AbortSignal): Promise<ServiceObservation>;
  close(): void;
}

const bad = (what: string): ServiceObservation => ({ ok: false, fault: { kind: 'body', what } });
const good = (note?: string): ServiceObservation => ({ ok: true, value: note === undefined ? {} : { note } });

/** The relayer's queue board always answers 200 on `/`; its queues need a running redis. */
function readRelayer({ body }: TransportResponse): ServiceObservation {
  const answer = parseJson(body.toString());
  if (!isRecord(answer)) return bad('it is no JSON object');
  if (!Array.isArray(answer.queues)) return bad('it has no list of queues');
  const queues = readQueues(answer.queues);
  return { ok: true, value: queues.length === 0 ? {} : { queues } };
}

/** The stats server answers unknown paths with 200 and a page, and `/health` with a constant. */
function readNetwork({ body }: TransportResponse): ServiceObservation {
  const answer = parseJson(body.toString());
  if (!isRecord(answer)) return bad('it is no JSON object');
  const { health } = answer;
  if (typeof health !== 'object' || health === null) return bad('it has no member health');
  return good(
    'status' in health && health.status === 'DOWN'
      ? 'it has had no new block for 60s, or none since its start'
      : undefined,
  );
}

function readFrontend({ body, contentType }: TransportResponse): ServiceObservation {
  if (contentType !== '' && !/^text\/html\b/i.test(contentType)) return bad('it is no HTML');
  return /<div\b[^>]*\bid\s*=\s*["']?root["'\s>]/i.test(body.toString())
    ? good()
    : bad('the page has no element with the id root');
}

/** The request for each service and the parser of its answer (subnet-stats-service, bull-board, serve). */
const serviceRequests = {
  relayer: { path: SERVICE_PATHS.relayer, read: readRelayer },
  stats: { path: SERVICE_PATHS.stats, read: readNetwork },
  frontend: { path: SERVICE_PATHS.frontend, read: readFrontend },
} as const;

/** A probe of a service by GET; a redirect is a fault. Only the first answer shows whether the service is well. */
export function createServiceProber(
  component: ServiceTarget['component'],
  url: string,
  keepsAlive?: () => boolean,
): ServiceProber {
  const { path, read } = serviceRequests[component];
  const transport = createHttpTransport(url, keepsAlive);
  const base = new URL(url).pathname.replace(/\/+$/, '');

  const readResponse = (response: TransportResponse): ServiceObservation => {
    const { status } = response;
    const fault: Fault = { kind: status >= 300 && status < 400 ? 'redirect' : 'status', status };
    return status === 200 ? read(response) : { ok: false, fault };
  };

  const probe: ServiceProber['probe'] = async (timeoutMs, signal) => {
    const deadline = performance.now() + timeoutMs;
    const ask = { method: 'GET', path: `${base}${path}` } as const;
    const exchange = await exchangeWithRetry(transport, ask, readResponse, deadline, signal);
    if (!exchange.ok) return { ok: false, fault: exchange.fault };
    const observation = exchange.value;
    if (component !== 'stats' || !observation.ok) return observation;
    const stats = await readStats(transport, base, deadline, signal);
    return Object.keys(stats).length === 0 ? observation : { ok: true, value: { ...observation.value, stats } };
  };
  return { probe, close: transport.close };
}
