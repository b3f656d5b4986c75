import { isRecord } from '../../lib/record.ts';
import type { Fault, ServiceObservation } from '../../model/observation.ts';
import { SERVICE_PATHS, type ServiceTarget } from '../../model/target.ts';
import { createHttpTransport } from './http-transport.ts';
import { readQueues } from './read-queues.ts';
import { readStats } from './read-stats.ts';
import { exchangeWithRetry, type TransportResponse } from './transport.ts';

/** Probes one service repeatedly. */
export interface ServiceProber {
  /** Ends after `timeoutMs` or when the signal aborts. */
  probe(timeoutMs: number, signal?: AbortSignal): Promise<ServiceObservation>;
  close(): void;
}

const bad = (what: string): ServiceObservation => ({ ok: false, fault: { kind: 'body', what } });
const good = (note?: string): ServiceObservation => ({ ok: true, value: note === undefined ? {} : { note } });

/** Parses the body as a JSON object. */
function toObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The relayer's queue board always answers 200 on `/`; its queues need a running redis. */
function readRelayer({ body }: TransportResponse): ServiceObservation {
  const answer = toObject(body.toString());
  if (answer === undefined) return bad('it is no JSON object');
  if (!Array.isArray(answer.queues)) return bad('it has no list of queues');
  const queues = readQueues(answer.queues);
  return { ok: true, value: queues.length === 0 ? {} : { queues } };
}

/** The stats server answers unknown paths with 200 and a page, and `/health` with a constant. */
function readNetwork({ body }: TransportResponse): ServiceObservation {
  const answer = toObject(body.toString());
  if (answer === undefined) return bad('it is no JSON object');
  const { health } = answer;
  if (typeof health !== 'object' || health === null) return bad('it has no member health');
  return good(
    (health as { readonly status?: unknown }).status === 'DOWN' ? 'it has had no new block for 60s' : undefined,
  );
}

function readFrontend({ body, contentType }: TransportResponse): ServiceObservation {
  if (contentType !== '' && !/^text\/html\b/i.test(contentType)) return bad('it is no HTML');
  return /<div\b[^>]*\bid\s*=\s*["']?root["'\s>]/i.test(body.toString())
    ? good()
    : bad('the page has no element with the id root');
}

/** The request for each service and the parser of its answer (subnet-stats-service, bull-board, serve). */
export const serviceRequests = {
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
