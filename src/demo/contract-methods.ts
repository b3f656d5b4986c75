import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import { CHAIN_ID, ZERO_ADDRESS } from './chain.ts';
import { PARENT_CHAIN_ID } from './parent-chain.ts';
import { optionalBlockTag, type Param, type RpcMethod, rpcMethod } from './rpc-method.ts';
import { callEndpoint, packetLogs, SUBNET_ENDPOINT } from './zero-endpoint.ts';

const toWord = (value: Hex | bigint | number): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');

const toList = (addresses: readonly Hex[]): Hex => `0x${[32, addresses.length, ...addresses].map(toWord).join('')}`;

const object = (goType: string): Param<Readonly<Record<string, unknown>>> => ({
  parse: (json) =>
    typeof json === 'object' && json !== null
      ? { ok: true, value: { ...json } }
      : { ok: false, cause: `json: cannot unmarshal into Go value of type ${goType}` },
});

const call = object('ethapi.CallArgs');
const logFilter = object('filters.input');

const NO_ROUTE = { csc: ZERO_ADDRESS, endpoint: ZERO_ADDRESS };

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
  eth_call: rpcMethod([call, optionalBlockTag], ({ chain: { contract }, packets }, { to, data }, _tag) => {
    const { candidates, stakes } = contract;
    const given = String(data);
    // Nothing comes from the parent chain, which is not registered there.
    if (to === SUBNET_ENDPOINT)
      return { result: callEndpoint(data, { sent: packets.length, received: 0, route: NO_ROUTE }) };
    if (!VALIDATOR.test(String(to))) return { result: '0x' };
    if (given === '0x06a49fce') return { result: toList(candidates) };
    const place = candidates.findIndex((one) => given === `${GET_STAKE}${toWord(one)}`);
    return { result: place < 0 ? '0x' : `0x${toWord(stakes?.[place] ?? 10n ** 25n)}` };
  }),
  eth_getLogs: rpcMethod([logFilter], ({ packets }, filter) => ({
    result: packetLogs(packets, { from: CHAIN_ID, to: PARENT_CHAIN_ID }, filter),
  })),
  eth_getTransactionCount: rpcMethod([address, optionalBlockTag], ({ chain, head }, one, _tag) => ({
    result: numberToHex(chain.sentUpTo(one, head)),
  })),
};
