/** A count or a height: a whole number from 0. */
export const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

const NO_HASH = `0x${'0'.repeat(64)}`;

/** A hash in lower case; the node writes zeros when there is no block. */
export function readHash(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value)) return undefined;
  return value === NO_HASH ? undefined : value.toLowerCase();
}

/** Digits of an enode id that the node prints in its log (XDC-Subnet p2p/discover/node.go). */
export const ID_DIGITS = 16;

/** Digits of a whole one. */
export const MOST_ID_DIGITS = 128;

const ENODE_ID = new RegExp(`^[0-9a-f]{${ID_DIGITS},${MOST_ID_DIGITS}}$`, 'i');

/** The first digits of an enode id, as a copy: a slice would keep the whole id in memory. */
export const readId = (value: unknown): string | undefined =>
  typeof value === 'string' && ENODE_ID.test(value)
    ? Buffer.from(value.slice(0, ID_DIGITS).toLowerCase(), 'latin1').toString('latin1')
    : undefined;

/** The node writes it where it does not know who signed. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** No chain has as many masternodes: each becomes a row of the page and some series of the metrics. */
const MOST_ADDRESSES = 5_000;

/** Reads addresses in lower case. Equal ones of an answer are one string in memory. */
export interface AddressReader {
  /** Undefined for the zero address too. */
  read(value: unknown): string | undefined;
  /** A list without duplicates; an empty one is null in Go. Undefined if an entry is no address, or there are far too many. */
  readList(value: unknown): readonly string[] | undefined;
  /** The same, with the zero address and with duplicates. */
  readSigners(value: unknown): readonly string[] | undefined;
}

export function createAddressReader(): AddressReader {
  const known = new Map<string, string>();
  const readAny = (value: unknown): string | undefined => {
    if (typeof value !== 'string') return undefined;
    const same = known.get(value);
    if (same !== undefined || !/^0x[0-9a-f]{40}$/i.test(value)) return same;
    const lower = value.toLowerCase();
    const address = known.get(lower) ?? lower;
    known.set(value, address).set(lower, address);
    return address;
  };
  const read: AddressReader['read'] = (value) => {
    const address = readAny(value);
    return address === ZERO_ADDRESS ? undefined : address;
  };
  const toList = (value: unknown, readOne: AddressReader['read']): readonly string[] | undefined => {
    if (value === null) return [];
    if (!Array.isArray(value) || value.length > MOST_ADDRESSES) return undefined;
    const addresses: string[] = [];
    for (const entry of value) {
      const address = readOne(entry);
      if (address === undefined) return undefined;
      addresses.push(address);
    }
    return addresses;
  };
  return {
    read,
    readList: (value) => {
      const addresses = toList(value, read);
      return addresses && [...new Set(addresses)];
    },
    readSigners: (value) => toList(value, readAny),
  };
}
