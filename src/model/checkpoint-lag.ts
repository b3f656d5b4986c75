import type { KnownTarget, Progress } from './facts.ts';
import type { ParentFacts } from './parent-chain.ts';

/** How far the checkpoint is behind the committed blocks of the subnet; 0 when it is not. */
export interface CheckpointLag {
  /** When the first node was seen to rise to the newest committed block that half of them have passed. Watched time. */
  readonly committedAt: number;
  readonly blocks: number;
  /** By the times of both blocks, where they are known. */
  readonly seconds?: number;
}

/** The newest committed block that half of the nodes have passed: one that claims more than the others have is not a witness. */
export function findCommitted(targets: readonly KnownTarget[]): Progress | undefined {
  const committed = targets.flatMap(({ facts }) => facts.node?.committed ?? []);
  return committed.toSorted((one, other) => other.number - one.number)[Math.ceil(committed.length / 2) - 1];
}

/**
 * The lag of the last checkpoint that was read, when it was read: the subnet has made more blocks since, and the contract may have taken
 * more. Undefined without one, or without a committed block. One that was read before any node is compared with the blocks of now.
 */
export function findCheckpointLag(
  targets: readonly KnownTarget[],
  parent: ParentFacts | undefined,
): CheckpointLag | undefined {
  const { checkpoint, newest = findCommitted(targets) } = parent?.progress ?? {};
  if (checkpoint === undefined || newest === undefined) return undefined;
  const { number: committed, timestamp: end, advancedAt: committedAt } = newest;
  const start = checkpoint.onSubnet?.timestamp;
  const seconds = start === undefined || end === undefined ? undefined : Math.max(end - start, 0);
  return {
    committedAt,
    blocks: Math.max(committed - checkpoint.committed.number, 0),
    ...(seconds !== undefined && { seconds }),
  };
}
