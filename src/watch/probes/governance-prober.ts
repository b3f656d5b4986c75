import type { GovernanceObservation } from '../../model/governance.ts';
import { toAddress } from '../../model/parent-chain.ts';
import type { Subnet } from '../../model/target.ts';
import { GET_CANDIDATES, readCandidates } from './candidates.ts';
import { createParentClient, readAnswer, readQuantity } from './parent-client.ts';
import { createSubnetClient } from './subnet-client.ts';

/** How long each answer may take. */
const WITHIN_MS = 3_000;

/** Where a proxy keeps the address of its implementation: `keccak256("eip1967.proxy.implementation") - 1` (EIP-1967). */
const IMPLEMENTATION = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** The address in the slot of a proxy; undefined for a contract that is none. */
const readImplementation = (value: unknown): string | undefined =>
  readQuantity(value) ? toAddress(String(value).slice(2).padStart(40, '0')) : undefined;

/** Reads who governs a subnet, and which code its checkpoint contract runs: the one and the other in turn, by one request each. */
export function createGovernanceProber(subnet: Subnet) {
  const { rpc, contract } = subnet.parentChain ?? {};
  const own = createSubnetClient(subnet, WITHIN_MS, 1);
  const parent = rpc && contract ? createParentClient(rpc, WITHIN_MS, () => false) : undefined;
  let isTurnOfParent = false;
  return {
    /** Never rejects, and ends when the signal aborts. What was not read is absent. */
    probe: async (signal: AbortSignal): Promise<GovernanceObservation> => {
      const asksParent = isTurnOfParent;
      isTurnOfParent = !isTurnOfParent;
      if (!asksParent) {
        const candidates = readAnswer((await own.ask([GET_CANDIDATES], signal))[0], readCandidates);
        return candidates.ok ? { candidates: candidates.value.toSorted() } : {};
      }
      if (parent === undefined || contract === undefined) return {};
      const slot = { method: 'eth_getStorageAt', params: [toAddress(contract), IMPLEMENTATION, 'latest'] };
      const implementation = readAnswer((await parent.ask([slot], signal))[0], readImplementation);
      return implementation.ok ? { implementation: implementation.value } : {};
    },
    close: (): void => {
      own.close();
      parent?.close();
    },
  };
}
