import type { RoundName } from '../../model/target.ts';
import type { SubnetWatch } from './create-subnet-watch.ts';

/** Which subnets have been judged since they are watched, and whether all were once. */
export interface ReadySubnets {
  /** Has the first RPC round of a subnet ended since it is watched? Without a node, the first round of any kind. */
  readonly has: (subnet: string) => boolean;
  /** Has the first RPC round of each subnet ended once? */
  readonly isReady: () => boolean;
  /** A subnet that was replaced is as ready as before; what is no longer watched is forgotten. */
  load(watches: readonly SubnetWatch[]): void;
  /** The first round of a name has ended in a watch of now, or in one that was replaced or removed meanwhile. */
  firstEnded(watch: SubnetWatch, round: RoundName): void;
}

/** Starts with none. */
export function createReadySubnets(): ReadySubnets {
  const names = new Set<string>();
  let loaded: readonly SubnetWatch[] = [];
  let isReady = false;
  return {
    has: (subnet) => names.has(subnet),
    isReady: () => isReady,
    load: (watches) => {
      loaded = watches;
      const left = new Set(watches.map(({ subnet }) => subnet.name));
      for (const name of names) if (!left.has(name)) names.delete(name);
      const firsts = watches.flatMap(({ rounds }) =>
        rounds.filter(({ name }) => name === 'rpc').map(({ first }) => first),
      );
      void Promise.all(firsts).then(() => {
        // The first round of a replaced inventory ends unfinished.
        if (loaded === watches) isReady = true;
      });
    },
    firstEnded: (watch, round) => {
      if (!loaded.includes(watch)) return;
      if (round === 'rpc' || watch.rounds.every(({ name }) => name !== 'rpc')) names.add(watch.subnet.name);
    },
  };
}
