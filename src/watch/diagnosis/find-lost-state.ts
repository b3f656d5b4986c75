import { toShellWord } from '../../lib/words.ts';
import { IPC_SOCKET } from '../clients/geth-calls.ts';
import { hasPrinted, type SubnetView } from './subnet-view.ts';

/** A node without the state of its newest blocks prints a line about that each time that it is to make one: every two seconds. */
const PRINTED_WITHIN_MS = 30_000;

/**
 * The only node of a subnet, when a kill has cost it the state of its newest blocks. It knows their headers, builds on the last of
 * them, and never makes a block again, as no other node has those blocks. Seen with XDC-Subnet v0.3.2, and so was the way out:
 * with its head set back to the last block that has its state, it goes on after a restart.
 */
export function findLostState({ nodes, now }: SubnetView): { readonly seen: string; readonly fix: string } | undefined {
  const [node, ...others] = nodes;
  if (node === undefined || others.length > 0 || !hasPrinted(node, 'state_missing', PRINTED_WITHIN_MS, now))
    return undefined;
  const { name, container, target } = node;
  // In its container the socket is always there.
  const socket = 'container' in container ? IPC_SOCKET : (target.ipc ?? 'XDC.ipc');
  const setBack = `XDC attach --exec 'debug.setHead(web3.toHex(eth.blockNumber))' ${toShellWord(socket)}`;
  const steps =
    'container' in container
      ? `with \`docker exec ${toShellWord(container.container.name)} ${setBack}\`, then \`docker restart ${toShellWord(container.container.name)}\``
      : `with \`${setBack}\` where it runs, and restart it`;
  return {
    seen: `a kill has cost ${name} the state of its newest blocks, and no other node has them`,
    fix: `set its head back to the last block that has its state ${steps}; the blocks after that one are lost`,
  };
}
