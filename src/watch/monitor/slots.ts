import { PARENT_CONNECTIONS } from '../../model/parent-chain.ts';
import type { RoundName, Subnet } from '../../model/target.ts';

/** Limits how many users do something at once: each holds a slot meanwhile. */
export interface Slots {
  /** Resolves when a slot is free, in the order of the calls; undefined when one is free now. */
  acquire(): Promise<void> | undefined;
  release(): void;
}

/** Creates `count` slots; with Infinity nobody waits. */
export function createSlots(count: number): Slots {
  let available = count;
  const waiting: (() => void)[] = [];
  return {
    acquire: () => {
      if (available === 0) return new Promise<void>((resolve) => waiting.push(resolve));
      available -= 1;
      return undefined;
    },
    release: () => {
      const next = waiting.shift();
      if (next === undefined) available += 1;
      else next();
    },
  };
}

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
export interface ConnectionBudget {
  /** A probe of the round waits for one of these slots; undefined for a round that opens no connection. */
  readonly slotsOf: (round: RoundName) => Slots | undefined;
  /** Whether connections are kept between probes; with too many targets each is closed after its probe. */
  readonly keeps: () => boolean;
  /** Sets what is probed from now on. */
  readonly expect: (watches: readonly Watched[]) => void;
}

/** Creates a budget of `max` connections; unlimited without a number. */
export function createConnectionBudget(max = Number.POSITIVE_INFINITY): ConnectionBudget {
  const slots = createSlots(max);
  let wanted = 0;
  return {
    slotsOf: (round) => (round === 'logs' ? undefined : slots),
    keeps: () => wanted <= max,
    expect: (watches) => {
      wanted = watches.reduce((sum, watch) => sum + countConnections(watch), 0);
    },
  };
}
