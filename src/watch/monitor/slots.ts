import { createSlots, type Slots } from '../../lib/promises.ts';
import { PARENT_CONNECTIONS } from '../../model/parent-chain.ts';
import type { RoundName, Subnet } from '../../model/target.ts';

/** A subnet that is probed, and the targets of its rounds. */
interface Watched {
  readonly subnet: Pick<Subnet, 'parentChain'>;
  readonly probers: ReadonlyMap<RoundName, { readonly size: number }>;
}

function countConnections({ subnet, probers }: Watched): number {
  let count = subnet.parentChain === undefined ? 0 : PARENT_CONNECTIONS;
  for (const [round, { size }] of probers) if (round !== 'logs') count += size;
  return count;
}

/** Limits how many connections of probes are open at once. */
export type ConnectionBudget = ReturnType<typeof createConnectionBudget>;

/** Creates a budget of `max` connections; unlimited without a number. */
export function createConnectionBudget(max = Number.POSITIVE_INFINITY) {
  const slots = createSlots(max);
  let wanted = 0;
  return {
    /** A probe of the round waits for one of these slots; undefined for a round that opens no connection. */
    slotsOf: (round: RoundName): Slots | undefined => (round === 'logs' ? undefined : slots),
    /** Whether connections are kept between probes; with too many targets each is closed after its probe. */
    keeps: (): boolean => wanted <= max,
    /** Sets what is probed from now on. */
    expect: (watches: readonly Watched[]): void => {
      wanted = watches.reduce((sum, watch) => sum + countConnections(watch), 0);
    },
  };
}
