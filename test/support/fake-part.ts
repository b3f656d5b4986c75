import type { Decider, FleetPart } from '../../src/model/fleet.ts';

/** What an instance of a fleet may do, as a test decides it. */
export interface FakePart extends FleetPart {
  watched: readonly string[];
  /** Those that are its own, in the inventory or not. */
  own: readonly string[];
  kept: readonly string[];
  shadowed: readonly string[];
  unsettled: readonly string[];
  epoch: number;
  decides: Decider;
  speaks: boolean;
}

/** A part that watches and keeps these subnets, and is settled. */
export function createFakePart(...subnets: readonly string[]): FakePart {
  const part: FakePart = {
    ...{
      watched: subnets,
      own: subnets,
      kept: subnets,
      shadowed: [],
      unsettled: [],
      epoch: 1,
      speaks: true,
      decides: 'self',
    },
    subnets: () => part.watched,
    isWatched: (subnet) => part.own.includes(subnet),
    keeps: (subnet) => part.kept.includes(subnet),
    decider: () => part.decides,
    epochOf: () => part.epoch,
    isShadowed: (subnet) => part.shadowed.includes(subnet),
    isSpeaker: () => part.speaks,
  };
  return part;
}
