import { isRecord, parseJson } from '../../../lib/values.ts';
import type { QueueExposure } from '../../../model/exposure.ts';
import type { SetupResult } from '../../../model/setup.ts';
import { SERVICE_PATHS, type ServiceTarget } from '../../../model/target.ts';
import { type AnonymousAnswer, askAnonymously } from './ask-anonymously.ts';
import { findEndpoints, listOwnAddresses, OWN_WITHIN_MS } from './own-addresses.ts';

const WITHIN_MS = 5_000;

/** The queues in an answer of bull-board, and whether their jobs can be changed there; undefined when it is none. */
function toQueues(answer: AnonymousAnswer | undefined): readonly Readonly<Record<string, unknown>>[] | undefined {
  const body = answer?.status === 200 ? parseJson(answer.body) : undefined;
  return isRecord(body) && Array.isArray(body.queues) ? body.queues.filter(isRecord) : undefined;
}

const toName = ({ name }: Readonly<Record<string, unknown>>): readonly string[] =>
  typeof name === 'string' && /^[\w-]{1,32}$/.test(name) ? [name] : [];

/**
 * Asks the queue page of the relayer whether anyone can change its jobs: bull-board says so of each queue. Undefined without
 * an address. Never rejects.
 */
export async function readQueueExposure(
  { url: address }: ServiceTarget,
  signal: AbortSignal,
  ownAddresses = listOwnAddresses,
): Promise<SetupResult<QueueExposure> | undefined> {
  if (address === undefined) return undefined;
  const base = new URL(address);
  const url = new URL(`${base.pathname.replace(/\/+$/, '')}${SERVICE_PATHS.relayer}`, base);
  const answer = await askAnonymously({ method: 'GET', url, withinMs: WITHIN_MS }, signal);
  if (answer === undefined) return { ok: false, why: 'it does not answer' };
  if (answer.status === 401 || answer.status === 403) return { ok: true, value: { servedAt: [], writable: [] } };
  const queues = toQueues(answer);
  if (queues === undefined) return { ok: false, why: 'it does not list its queues' };
  const writable = queues.filter(({ readOnlyMode }) => readOnlyMode === false).flatMap(toName);
  const isThere = async (ip: string) =>
    toQueues(await askAnonymously({ method: 'GET', url, ip, withinMs: OWN_WITHIN_MS }, signal)) !== undefined;
  return { ok: true, value: { servedAt: await findEndpoints(answer.endpoint, ownAddresses, isThere), writable } };
}
