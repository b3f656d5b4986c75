import { toShellWord } from '../../lib/words.ts';
import type { Finding } from '../../model/verdict.ts';
import { IPC_SOCKET } from '../clients/geth-calls.ts';
import type { Block } from './find-last-block.ts';
import { hasPrinted, type NodeView, namesOf, type SubnetView, startedAtOf } from './subnet-view.ts';

/** A node without the state of its newest blocks prints a line about that every two seconds while it is its turn, which comes after those of all others. */
const LACKS_STATE_MS = 30_000;

/** How the head of a node is set back to a block, and the node restarted. */
function describeSetBack({ container, target }: NodeView, block: string): string {
  const setBack = (socket: string) => `XDC attach --exec 'debug.setHead(${block})' ${toShellWord(socket)}`;
  if (!('container' in container)) return `with \`${setBack(target.ipc ?? 'XDC.ipc')}\` where it runs, and restart it`;
  const own = toShellWord(container.container.name);
  // In its container the socket is always there.
  return `with \`docker exec ${own} ${setBack(IPC_SOCKET)}\`, then \`docker restart ${own}\``;
}

const SET_BACK = 'the console may print an error although the head is set back; the blocks after that one are lost';

/**
 * A kill of all nodes of a subnet, or of its only one, has cost them the state of the newest blocks. They know their headers, build on
 * the last of them, and never make a block again, as no node has those blocks. Seen with XDC-Subnet v0.3.2 and four nodes of XDPoSChain,
 * and so was the way out: with their heads set back to the last block that has its state, they go on after a restart.
 */
export function findLostState({ nodes, now }: SubnetView, last: Block | undefined): Required<Finding> | undefined {
  const isBelow = ({ height }: NodeView) => height !== undefined && height.number < (last?.number ?? 0);
  const lacking = nodes.filter((node) => hasPrinted(node, 'state_missing', now, nodes.length * LACKS_STATE_MS));
  const [node] = lacking;
  // Right after a start nodes may find their state by themselves.
  const isNew = (one: NodeView) => now - (startedAtOf(one) ?? Number.NEGATIVE_INFINITY) < LACKS_STATE_MS;
  if (node === undefined || (nodes.length > 1 && !nodes.every(isBelow)) || nodes.some(isNew)) return undefined;
  const { name } = node;
  const steps = describeSetBack(node, 'web3.toHex(eth.blockNumber)');
  return nodes.length === 1
    ? {
        seen: `a kill has cost ${name} the state of its newest blocks, and no other node has them`,
        fix: `set its head back to the last block that has its state ${steps}; ${SET_BACK}`,
      }
    : {
        seen: `a kill has cost all nodes the state of the newest blocks: ${namesOf(lacking)} cannot make another`,
        fix: `set the head of each node back to the last block that has its state, for ${name} ${steps}; restart them when all are set back; ${SET_BACK}`,
      };
}

/**
 * Whether another block of the same height must not come. After a start of all, nobody has the certificate of the last block, so that one
 * of them makes it again. XDC-Subnet keeps the snapshot of a gap block for the first one only, as the second one brings no reorganisation
 * (core/blockchain.go, `UpdateM1`), and nobody can make the next: all must begin again below it.
 */
export const isGapBlock = ({ consensus, epochsBy }: SubnetView['chain'], { number }: Block): boolean =>
  consensus !== undefined && epochsBy === 'block' && (number + consensus.gap) % consensus.epoch === 0;

export function describeSetBackAll(node: NodeView, { number }: Block): string {
  const before = number - 1;
  return `set the head of each node back to block ${before}, for ${node.name} ${describeSetBack(node, `"0x${before.toString(16)}"`)}; restart them when all are set back; ${SET_BACK}`;
}

/**
 * A gap block that was made again, as when all nodes were started again at it: they voted for the last one, and kept the snapshot of
 * the masternodes for the first one only, so none can make the next. Seen with seven nodes of XDC-Subnet v0.3.2, which stood for
 * twenty minutes through two restarts of all; set back to the block before, they made blocks again within a minute.
 */
export function findLostSnapshot({ nodes, now }: SubnetView, last: Block | undefined): Required<Finding> | undefined {
  if (last === undefined) return undefined;
  const withinMs = Math.min(nodes.length * LACKS_STATE_MS, now - last.since);
  const lacking = nodes.filter((node) => hasPrinted(node, 'snapshot_missing', now, withinMs));
  const [node] = lacking;
  if (node === undefined || lacking.length < Math.min(2, nodes.length)) return undefined;
  return {
    seen: `${namesOf(lacking)} cannot make the next block, by the log: block ${last.number} was made more than once, and nobody has the snapshot of the one that was voted for`,
    fix: describeSetBackAll(node, last),
  };
}
