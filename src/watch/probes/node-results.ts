import { isRecord } from '../../lib/record.ts';
import type { Block, Peers, Result } from '../../model/observation.ts';
import { memberOf, toCount, toNumber } from './chain-values.ts';

const badResult = (what: string): Result<never> => ({ ok: false, fault: { kind: 'result', what } });

/** The node's error while it has no committed block: XDC-Subnet consensus/XDPoS/api.go. */
const NO_COMMITTED = 'can not find latest committed block from consensus';

/** Parses a block. A successful answer can hide a non-empty `Error`. */
export function toBlock(result: unknown): Result<Block> {
  if (!isRecord(result)) return badResult(result === null ? 'the block is null' : 'the block is no object');
  const error = memberOf(result, 'Error');
  if (error === NO_COMMITTED) return { ok: false, fault: { kind: 'no-committed' } };
  if (error !== undefined && error !== null && error !== '') return { ok: false, fault: { kind: 'result-error' } };
  const given = memberOf(result, 'Number');
  const number = toNumber(given);
  if (number === undefined)
    return badResult(typeof given === 'string' ? 'the block number is a string' : 'the block has no number');
  if (number < 0) return badResult('the block number is negative');
  if (!Number.isSafeInteger(number)) return badResult('the block number is no whole number below 2^53');
  const timestamp = toNumber(memberOf(result, 'Timestamp'));
  const known = timestamp !== undefined && Number.isFinite(timestamp) && timestamp >= 0;
  return { ok: true, value: known ? { number, timestamp } : { number } };
}

/** Parses the committed block: null where there is none yet. */
export const toCommitted = (result: unknown): Result<Block> =>
  result === null ? { ok: false, fault: { kind: 'no-committed' } } : toBlock(result);

/** Parses the result of `admin_peers`, a list without duplicates (XDC-Subnet p2p/server.go). */
export function toAdminPeers(result: unknown): Result<Peers> {
  if (!Array.isArray(result)) return badResult('the peers are no list');
  if (!result.every((peer) => isRecord(peer) && typeof peer.id === 'string')) return badResult('a peer has no id');
  return { ok: true, value: { count: result.length, via: 'admin_peers' } };
}

/** Parses the result of `net_peerCount`. No node has as many as 2^24. */
export function toPeerCount(result: unknown): Result<Peers> {
  const count = toCount(result);
  return count !== undefined && count < 2 ** 24
    ? { ok: true, value: { count, via: 'net_peerCount' } }
    : badResult('the peer count is no number');
}

/** A version has no secret, but comes from the other side. */
const VERSION = /^[\w./+@:() -]{1,200}$/;

/** Parses the result of `web3_clientVersion`. */
export const toVersion = (result: unknown): Result<string> =>
  typeof result === 'string' && VERSION.test(result)
    ? { ok: true, value: result }
    : badResult('its answer to web3_clientVersion is no version');

/** Parses the result of `rpc_modules`: the namespaces that the node serves. */
export const toModules = (result: unknown): ReadonlySet<string> | undefined =>
  isRecord(result) ? new Set(Object.keys(result)) : undefined;
