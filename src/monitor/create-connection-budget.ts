import type { RoundName } from '../model/target.ts';
import { createSlots, type Slots } from './create-slots.ts';

/** How many connections of probes may be open at once, and what follows for each. */
export interface ConnectionBudget {
  /** A probe of the round begins when it has one of these; undefined for a round that opens no connection. */
  readonly slotsOf: (round: RoundName) => Slots | undefined;
  /** Whether connections are kept from one probe to the next: where there are too many targets, each is ended. */
  readonly keeps: () => boolean;
  /** Takes what is probed from now on: for each subnet, the targets of its rounds. */
  readonly expect: (subnets: readonly ReadonlyMap<RoundName, { readonly size: number }>[]) => void;
}

/** Makes a budget of `max` connections; without a number there is no bound. */
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
