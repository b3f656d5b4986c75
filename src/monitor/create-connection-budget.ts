import type { RoundName } from '../model/target.ts';
import { createSlots, type Slots } from './create-slots.ts';

/** Limits how many connections of probes are open at once. */
export interface ConnectionBudget {
  /** A probe of the round waits for one of these slots; undefined for a round that opens no connection. */
  readonly slotsOf: (round: RoundName) => Slots | undefined;
  /** Whether connections are kept between probes; with too many targets each is closed after its probe. */
  readonly keeps: () => boolean;
  /** Sets what is probed from now on: for each subnet, the targets of its rounds. */
  readonly expect: (subnets: readonly ReadonlyMap<RoundName, { readonly size: number }>[]) => void;
}

/** Creates a budget of `max` connections; unlimited without a number. */
export function createConnectionBudget(max = Number.POSITIVE_INFINITY): ConnectionBudget {
  const slots = createSlots(max);
  let wanted = 0;
  return {
    slotsOf: (round) => (round === 'logs' ? undefined : slots),
    keeps: () => wanted <= max,
    expect: (subnets) => {
      const sizes = subnets.flatMap((rounds) => [...rounds].map(([round, { size }]) => (round === 'logs' ? 0 : size)));
      wanted = sizes.reduce((sum, size) => sum + size, 0);
    },
  };
}
