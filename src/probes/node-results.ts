import type { Block, Peers, Result } from '../model/observation.ts';
import { isRecord } from '../model/record.ts';

const badResult = (what: string): Result<never> => ({ ok: false, fault: { kind: 'result', what } });

/** The node's error while it has no committed block: XDC-Subnet consensus/XDPoS/api.go. */
const NO_COMMITTED = 'can not find latest committed block from consensus';

/** Parses the result of `<consensus>_getV2BlockByNumber`. A successful answer can hide a non-empty `Error`. */
export function toBlock(result: unknown): Result<Block> {
  if (!isRecord(result)) return badResult(result === null ? 'the block is null' : 'the block is no object');
  const { Error: error, Number: number, Timestamp: timestamp } = result;
  if (error === NO_COMMITTED) return { ok: false, fault: { kind: 'no-committed' } };
  if (error !== undefined && error !== null && error !== '') return { ok: false, fault: { kind: 'result-error' } };
  if (typeof number === 'string') return badResult('the block number is a string');
  if (typeof number !== 'number') return badResult('the block has no number');
  if (number < 0) return badResult('the block number is negative');
  if (!Number.isSafeInteger(number)) return badResult('the block number is no whole number below 2^53');
  const known = typeof timestamp === 'number' && Number.isFinite(timestamp) && timestamp >= 0;
  return { ok: true, value: known ? { number, timestamp } : { number } };
}

/** Parses the result of `admin_peers`, a list without duplicates (XDC-Subnet p2p/server.go). */
export function toAdminPeers(result: unknown): Result<Peers> {
  if (!Array.isArray(result)) return badResult('the peers are no list');
  if (!result.every((peer) => isRecord(peer) && typeof peer.id === 'string')) return badResult('a peer has no id');
  return { ok: true, value: { count: result.length, via: 'admin_peers' } };
}

/** Parses the result of `net_peerCount`, a hexadecimal count. */
export function toPeerCount(result: unknown): Result<Peers> {
  return typeof result === 'string' && /^0x[0-9a-f]{1,6}$/i.test(result)
    ? { ok: true, value: { count: Number(result), via: 'net_peerCount' } }
    : badResult('the peer count is no hexadecimal number');
}

/** Parses the result of `rpc_modules`: the namespaces that the node serves. */
export const toModules = (result: unknown): ReadonlySet<string> | undefined =>
  isRecord(result) ? new Set(Object.keys(result)) : undefined;
