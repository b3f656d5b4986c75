import type { Subnet } from '../../model/target.ts';
import { createParentClient, type ParentAnswer, type ParentClient } from './parent-client.ts';

/** As many nodes of the subnet are asked at most. */
const MOST_NODES = 5;

/**
 * A client of a node of a subnet that answers within `withinMs`: the one that answered last, else up to `tries` others. A connection
 * is closed after its answer.
 */
export function createSubnetClient({ targets }: Subnet, withinMs: number, tries = MOST_NODES): ParentClient {
  const clients = targets
    .flatMap((one) => (one.component === 'node' && one.rpc ? [{ rpc: one.rpc, login: one.login }] : []))
    .slice(0, MOST_NODES)
    .map(({ rpc, login }) => createParentClient(rpc, withinMs, () => false, login));
  let first = 0;
  return {
    ask: async (calls, signal) => {
      let answers: readonly ParentAnswer[] = calls.map(() => ({ ok: false, why: 'has no node that can be asked' }));
      for (let left = Math.min(tries, clients.length); left > 0 && !signal?.aborted; left -= 1) {
        answers = (await clients[first]?.ask(calls, signal)) ?? answers;
        if (answers.some((one) => one.ok || one.reverted !== undefined)) break;
        first = (first + 1) % clients.length;
      }
      return answers;
    },
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
