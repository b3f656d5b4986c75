/**
 * A member of an answer. Clients that are written in Go begin its name with a capital letter, as it is given here, and others
 * with a small one.
 */
export function memberOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name];
  const small = smallNames.get(name) ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  smallNames.set(name, small);
  return record[small];
}

/** The names that are asked for, which are few, as other clients write them. To make one costs more than to find it. */
const smallNames = new Map<string, string>();

/** A number, or one as a hexadecimal text. */
export const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)
      ? Number(value)
      : undefined;

/** A count or a height: a whole number from 0. */
export function toCount(value: unknown): number | undefined {
  const number = toNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const NO_HASH = `0x${'0'.repeat(64)}`;

/** A hash in lower case; the node writes zeros when there is no block. */
export function readHash(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value)) return undefined;
  return value === NO_HASH ? undefined : value.toLowerCase();
}

/** Digits of an enode id that the node prints in its log (XDC-Subnet p2p/discover/node.go). */
const ID_DIGITS = 16;

/** Digits of a whole one. */
const MOST_ID_DIGITS = 128;

const ENODE_ID = new RegExp(`^[0-9a-f]{${ID_DIGITS},${MOST_ID_DIGITS}}$`, 'i');

/** The first digits of an enode id, as a copy: a slice would keep the whole id in memory. */
export function readId(value: unknown): string | undefined {
  if (typeof value !== 'string' || !ENODE_ID.test(value)) return undefined;
  const digits = value.slice(0, ID_DIGITS).toLowerCase();
  return value.length === ID_DIGITS ? digits : Buffer.from(digits, 'latin1').toString('latin1');
}

/** Is it an enode id with all of its digits? Some clients give a hash of it instead, which is half as long. */
export const isWholeId = (value: unknown): boolean => typeof value === 'string' && value.length === MOST_ID_DIGITS;

/** The id in an enode address. */
export const readEnodeId = (value: string): string | undefined =>
  readId(/^enode:\/\/([0-9a-f]{128})@/i.exec(value)?.[1]);

/** The node writes it where it does not know who signed. */
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** No chain has as many masternodes: each becomes a row of the page and some series of the metrics. */
const MOST_ADDRESSES = 5_000;

/** A list of addresses that a header holds as one text. */
const splitAddresses = (text: string): readonly string[] | undefined =>
  /^0x(?:[0-9a-f]{40})*$/i.test(text) ? (text.slice(2).match(/.{40}/g) ?? []).map((one) => `0x${one}`) : undefined;

/** Reads addresses in lower case. Equal ones of an answer are one string in memory. */
export interface AddressReader {
  /** Undefined for the zero address too. */
  read(value: unknown): string | undefined;
  /** A list without duplicates, or the text of a header; an empty one is null in Go. Undefined if an entry is not an address, or there are far too many. */
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
  const toList = (given: unknown, readOne: AddressReader['read']): readonly string[] | undefined => {
    if (given === null) return [];
    const value = typeof given === 'string' ? splitAddresses(given) : given;
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
