/** Why a value is not what a method takes, in the node's words; or the value. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly cause: string };

/** How one positional argument is read. `absent` stands in for one that is missing or null, if it may be. */
export interface Param<T> {
  readonly parse: (json: unknown) => Parsed<T>;
  readonly absent?: T;
}

/** Which block is asked for. A number may be beyond 2^53. */
export type BlockTag = 'latest' | 'committed' | 'earliest' | 'pending' | bigint;

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (cause: string): Parsed<never> => ({ ok: false, cause });

const TAGS: readonly unknown[] = ['latest', 'committed', 'earliest', 'pending'];
const isTag = (word: unknown): word is Exclude<BlockTag, bigint> => TAGS.includes(word);

/** Reads a block tag or number; anything else is refused in the words of XDC-Subnet common/hexutil. */
const parseBlockTag = (json: unknown): Parsed<BlockTag> => {
  if (isTag(json)) return ok(json);
  const text = typeof json === 'string' ? json : (JSON.stringify(json) ?? '');
  if (text === '') return bad('empty hex string');
  if (!/^0x/i.test(text)) return bad('hex string without 0x prefix');
  const digits = text.slice(2);
  if (digits === '') return bad('hex string "0x"');
  if (digits.length > 1 && digits.startsWith('0')) return bad('hex number with leading zero digits');
  if (digits.length > 16) return bad('hex number > 64 bits');
  if (!/^[0-9a-f]+$/i.test(digits)) return bad('invalid hex string');
  const number = BigInt(text.toLowerCase());
  return number > 2n ** 63n - 1n ? bad('block number larger than int64') : ok(number);
};

/** A block tag that may be left out, and then means `latest`. */
export const optionalBlockTag: Param<BlockTag> = { parse: parseBlockTag, absent: 'latest' };

export const blockTag: Param<BlockTag> = { parse: parseBlockTag };

export const bool: Param<boolean> = {
  parse: (json) =>
    typeof json === 'boolean' ? ok(json) : bad(`json: cannot unmarshal ${kindOf(json)} into Go value of type bool`),
};

export const hash: Param<string> = {
  parse: (json) => {
    if (typeof json !== 'string') return bad('json: cannot unmarshal non-string into Go value of type common.Hash');
    if (!/^0x/i.test(json)) {
      return bad('json: cannot unmarshal hex string without 0x prefix into Go value of type common.Hash');
    }
    if (json.length !== 66) return bad(`hex string has length ${json.length - 2}, want 64 for common.Hash`);
    return /^0x[0-9a-f]{64}$/i.test(json)
      ? ok(json.toLowerCase())
      : bad('json: cannot unmarshal invalid hex string into Go value of type common.Hash');
  },
};

const kindOf = (json: unknown): string => (Array.isArray(json) ? 'array' : typeof json);

/**
 * Reads `params` by position, refusing what XDC-Subnet rpc/json.go refuses: no array, too many, one that does not
 * parse, one that is missing. Missing and null `params` mean none.
 */
export const parseParams = (given: unknown, params: readonly Param<unknown>[]): Parsed<readonly unknown[]> => {
  if (given !== undefined && given !== null && !Array.isArray(given)) return bad('non-array args');
  const args: readonly unknown[] = given ?? [];
  if (args.length > params.length) return bad(`too many arguments, want at most ${params.length}`);
  const values: unknown[] = [];
  for (const [index, param] of params.entries()) {
    const missing = index >= args.length || args[index] === null;
    if (missing && param.absent !== undefined) {
      values.push(param.absent);
    } else if (index >= args.length) {
      return bad(`missing value for required argument ${index}`);
    } else {
      const parsed = param.parse(args[index]);
      if (!parsed.ok) return bad(`invalid argument ${index}: ${parsed.cause}`);
      values.push(parsed.value);
    }
  }
  return ok(values);
};
