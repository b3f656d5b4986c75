import type { HistoryChange } from '../../model/history.ts';
import type { Inventory } from '../../model/target.ts';

/** What the history of each subnet shows of a reload of the inventory at a time in Unix milliseconds. */
export const toReloadChanges = ({ subnets }: Inventory, at: number): readonly HistoryChange[] =>
  subnets.map(({ name }) => ({
    at,
    subnet: name,
    kind: 'inventory',
    what: 'inventory',
    was: 'loaded',
    is: 'reloaded',
    reason: 'the inventory was reloaded',
  }));
