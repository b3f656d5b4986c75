import type { KeptTable } from '../../model/kept.ts';
import type { KeptTurns } from '../../model/lag.ts';
import { type Subnet, type Target, targetKey } from '../../model/target.ts';
import type { Board } from './board.ts';
import { createKeptValues, SAVE_SELDOM_MS } from './create-kept-values.ts';

/** What is known of subnets and survives a restart; without its table it does not. */
export interface KnownTables {
  /** The stored addresses by which nodes sign; without them, that of a node that is down is not known after a restart of subnetd. */
  readonly addresses?: () => Promise<KeptTable<string>>;
  /** The stored turns of masternodes, by the names of subnets. */
  readonly turns?: () => Promise<KeptTable<KeptTurns>>;
}

/** Gives the board what an earlier process knew, and keeps what it knows now. */
export function keepKnown(tables: KnownTables, board: Board) {
  const addresses = tables.addresses && createKeptValues(tables.addresses, SAVE_SELDOM_MS);
  const turns = tables.turns && createKeptValues(tables.turns, SAVE_SELDOM_MS);
  const keepAddress = async (node: Target) => {
    const key = targetKey(node);
    const address = await addresses?.load(key);
    if (address !== undefined) board.restoreAddress(node, address);
    addresses?.keep(key, () => board.addressOf(node));
  };
  const keepTurns = async (subnet: string) => {
    const known = await turns?.load(subnet);
    if (known !== undefined) board.restoreTurns(subnet, known);
    turns?.keep(subnet, () => board.turnsOf(subnet));
  };
  return {
    /** For a subnet that is new or has changed. */
    keep: ({ name, targets }: Subnet) => {
      for (const target of targets) if (target.component === 'node') void keepAddress(target);
      void keepTurns(name);
    },
    /** Drops what is kept of all others. */
    keepOnly: (subnets: readonly Subnet[]) => {
      addresses?.keepOnly(new Set(subnets.flatMap(({ targets }) => targets.map(targetKey))));
      turns?.keepOnly(new Set(subnets.map(({ name }) => name)));
    },
    stop: async () => {
      await Promise.all([addresses?.stop(), turns?.stop()]);
    },
  };
}
