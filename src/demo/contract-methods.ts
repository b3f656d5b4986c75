import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import { optionalBlockTag, type Param, type RpcMethod, rpcMethod } from './rpc-method.ts';

const toWord = (value: Hex | bigint | number): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');

const toList = (addresses: readonly Hex[]): Hex => `0x${[32, addresses.length, ...addresses].map(toWord).join('')}`;

const call: Param<{ readonly to?: unknown; readonly data?: unknown }> = {
  parse: (json) =>
    typeof json === 'object' && json !== null
      ? { ok: true, value: json }
      : { ok: false, cause: 'json: cannot unmarshal into Go value of type ethapi.CallArgs' },
};

const address: Param<Hex> = {
  parse: (json) =>
    typeof json === 'string' && /^0x[\da-f]{40}$/i.test(json)
      ? { ok: true, value: `0x${json.slice(2).toLowerCase()}` }
      : { ok: false, cause: 'json: cannot unmarshal into Go value of type common.Address' },
};

const VALIDATOR = /^0x0{38}88$/;
const GET_STAKE = '0x58e7525f';

/** The calls about candidates that every client answers: of the validator contract, and of the transactions that they send. */
export const contractMethods: Readonly<Record<string, RpcMethod>> = {
  eth_call: rpcMethod([call, optionalBlockTag], ({ chain: { contract } }, { to, data }, _tag) => {
    const { candidates, stakes } = contract;
    const given = String(data);
    if (!VALIDATOR.test(String(to))) return { result: '0x' };
    if (given === '0x06a49fce') return { result: toList(candidates) };
    const place = candidates.findIndex((one) => given === `${GET_STAKE}${toWord(one)}`);
    return { result: place < 0 ? '0x' : `0x${toWord(stakes?.[place] ?? 10n ** 25n)}` };
  }),
  eth_getTransactionCount: rpcMethod([address, optionalBlockTag], ({ chain, head }, one, _tag) => ({
    result: numberToHex(chain.sentUpTo(one, head)),
  })),
};
