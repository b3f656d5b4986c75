import type { LogPosition, PositionTable } from '../model/log.ts';
import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** Few enough for one statement of either database. */
const ROWS_AT_ONCE = 500;

/** How far the instance of subnetd with this name has read its logs. */
export function createLogPositions(db: Queries, inTransaction: InTransaction, instance: string): PositionTable {
  return {
    read: async () => {
      const rows = await db
        .selectFrom('log_position')
        .select(['source', 'position'])
        .where('instance', '=', instance)
        .execute();
      return new Map(rows.map(({ source, position }) => [source, JSON.parse(position) as LogPosition]));
    },
    write: (positions) => {
      const saved_at = new Date().toISOString();
      const rows = [...positions].map(([source, position]) => ({
        instance,
        source,
        position: JSON.stringify(position),
        saved_at,
      }));
      return inTransaction(async (transaction) => {
        for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
          await transaction
            .insertInto('log_position')
            .values(rows.slice(start, start + ROWS_AT_ONCE))
            .onConflict((conflict) =>
              conflict.columns(['instance', 'source']).doUpdateSet((known) => ({
                position: known.ref('excluded.position'),
                saved_at: known.ref('excluded.saved_at'),
              })),
            )
            .execute();
      });
    },
  };
}
