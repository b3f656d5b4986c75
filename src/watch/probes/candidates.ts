import { toAddress } from '../../model/parent-chain.ts';
import { ZERO_ADDRESS } from './chain-values.ts';
import type { Call } from './json-rpc.ts';
import { readQuantity } from './parent-client.ts';

/** The contract in which candidates have their stakes, on every chain of XDPoS (XDC-Subnet common/types.go, `MasternodeVotingSMC`). */
const VALIDATOR = `0x${'88'.padStart(40, '0')}`;

/** A call of that contract, by its selector and arguments. */
export const callValidator = (data: string): Call => ({
  method: 'eth_call',
  params: [{ to: VALIDATOR, data }, 'latest'],
});

/** `getCandidates()` (XDC-Subnet contracts/validator). */
export const GET_CANDIDATES = callValidator('0x06a49fce');

/** More than a chain of XDPoS has candidates. */
const MOST_CANDIDATES = 10_000;

/**
 * The addresses that `GET_CANDIDATES` has returned: an offset, the length and a word for each. The contract leaves a zero where one has
 * resigned. Undefined where it has none, as on a chain without such a contract.
 */
export function readCandidates(result: unknown): readonly string[] | undefined {
  const words = typeof result === 'string' ? result.slice(2).match(/[\da-f]{64}/gi) : null;
  const count = Number(readQuantity(`0x${words?.[1] ?? ''}`) ?? Number.NaN);
  if (words === null || !(count <= MOST_CANDIDATES) || words.length !== count + 2) return undefined;
  const listed = new Set<string>(words.slice(2).map((word) => toAddress(word)));
  listed.delete(ZERO_ADDRESS);
  return listed.size === 0 ? undefined : [...listed];
}
