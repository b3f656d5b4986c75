import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';

/** The targets of a subnet that are in a block. */
interface Slice {
  readonly subnet: string;
  /** The place of the subnet among those that begin in the block; undefined if it began in an earlier one. */
  readonly subnetPlace: number | undefined;
  /** The places of its first target in the block, and behind its last one. */
  readonly from: number;
  readonly to: number;
}

/** Targets that follow each other, whatever their subnets, and the subnets that begin with one of them. */
export interface Units {
  readonly targets: readonly TargetState[];
  readonly subnets: readonly SubnetState[];
  readonly slices: readonly Slice[];
}

/** Cuts a snapshot into blocks of so many targets, where each subnet counts as one too. A large subnet is in several of them. */
export function cutSnapshot(snapshot: Snapshot, size: number): readonly Units[] {
  const blocks: Units[] = [];
  let block: { targets: TargetState[]; subnets: SubnetState[]; slices: Slice[] } | undefined;
  for (const state of snapshot) {
    let taken = 0;
    do {
      if (block === undefined || block.targets.length + block.subnets.length >= size) {
        block = { targets: [], subnets: [], slices: [] };
        blocks.push(block);
      }
      const subnetPlace = taken === 0 ? block.subnets.push(state) - 1 : undefined;
      const from = block.targets.length;
      const end = Math.min(state.targets.length, taken + Math.max(size - from - block.subnets.length, 1));
      for (; taken < end; taken += 1) block.targets.push(state.targets[taken] as TargetState);
      block.slices.push({ subnet: state.subnet.name, subnetPlace, from, to: block.targets.length });
    } while (taken < state.targets.length);
  }
  return blocks;
}

/** Whether two targets have the same labels. */
const areNamesakes = ({ target: one }: TargetState, { target: other }: TargetState): boolean =>
  one === other || (one.name === other.name && one.component === other.component && one.subnet === other.subnet);

/** Whether the units of a block have the labels of those of another one. */
export const areLike = (one: Units, other: Units): boolean =>
  one.targets.length === other.targets.length &&
  one.subnets.length === other.subnets.length &&
  one.targets.every((state, place) => areNamesakes(state, other.targets[place] as TargetState)) &&
  one.subnets.every(({ subnet }, place) => subnet.name === other.subnets[place]?.subnet.name);
