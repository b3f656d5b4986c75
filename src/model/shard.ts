/** One of several daemons that read the same inventory: the one with this index, from 0, of so many. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** More shards than anybody runs, and few enough to count through. */
const MOST_SHARDS = 1_000;

/** Parses `I/N`, as in `0/3`; undefined for anything else, also for an index that is not below the total. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(0|[1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  const [index, total] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && index < total && total <= MOST_SHARDS ? { index, total } : undefined;
}

export const formatShard = ({ index, total }: Shard): string => `${index}/${total}`;

/** FNV-1a of the text's UTF-8 bytes, 64 bits. */
function hash(text: string): bigint {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value;
}

/**
 * The index of the shard that owns a subnet, by the jump hash of Lamping and Veach (arXiv:1406.2294). When one shard is added, it
 * takes its share from all others, and no subnet moves between those.
 */
export function shardOf(subnet: string, total: number): number {
  let key = hash(subnet);
  let index = 0;
  for (let next = 0; next < total; ) {
    index = next;
    key = BigInt.asUintN(64, key * 2862933555777941757n + 1n);
    next = Math.floor(((index + 1) * 2 ** 31) / (Number(key >> 33n) + 1));
  }
  return index;
}

/** Whether a shard owns a subnet; without shards, the only daemon owns all. */
export const isOwner = (shard: Shard | undefined, subnet: string): boolean =>
  shard === undefined || shardOf(subnet, shard.total) === shard.index;
