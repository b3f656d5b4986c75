import type { ChainObservation } from '../../src/model/chain.ts';
import { toGethChainCalls } from '../../src/watch/clients/geth-calls.ts';
import { toChain } from '../../src/watch/probes/chain-results.ts';
import { recordedMethods } from './recorded-node.ts';

const ASKED = ['chainId', 'address', 'consensus', 'masternodes', 'missedRounds', 'pool'] as const;

/** What a recorded node said about its chain and its masternodes, without a server. */
export function recordedChain(name: string): ChainObservation {
  const recorded = recordedMethods(name);
  const methods = toGethChainCalls('XDPoS');
  const answers = ASKED.map((part) => {
    const { method, params } = methods[part];
    return [part, { ok: true, value: recorded[method]?.({ id: 1, method, params }) }] as const;
  });
  return toChain(Object.fromEntries(answers), {});
}
