import { isRecord } from '../../lib/record.ts';
import type { StatsReading } from '../../model/stats-reading.ts';
import type { RpcTransport } from './transport.ts';

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
  const checkpoint = toHeight(memberOf(memberOf(answer, 'checkpoint'), 'latestCommittedSubnetBlock'));
  return { ...(newest !== undefined && { newest }), ...(checkpoint !== undefined && { checkpoint }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PAGES = [
  ['/information/relayer', readStatsRelayer],
  ['/information/blocks', readStatsBlocks],
] as const;

/** Asks a stats server that answers what it knows of the chains. One that hangs is asked no more. */
export async function readStats(
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
      ({ status, body }) => (status === 200 ? read(parse(body.toString())) : {}),
      until,
      signal,
    );
    if (!exchange.ok) break;
    reading = { ...reading, ...exchange.value };
  }
  return reading;
}
