import type { InTransaction } from './in-transaction.ts';
import type { Queries } from './tables.ts';

/** Few enough for one statement of either database. */
const ROWS_AT_ONCE = 500;

/** Values of one kind that one instance of subnetd keeps, by key; others in the same database keep their own. */
export interface InstanceState<T> {
  read(): Promise<ReadonlyMap<string, T>>;
  /** All of it, or nothing. */
  write(changed: ReadonlyMap<string, T>, gone: readonly string[]): Promise<void>;
}

/** Undefined for what is no JSON object: one bad row does not hide the others. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What an instance keeps of a kind; `isOne` tells a value from what an older program may have left. */
export function createInstanceState<T>(
  db: Queries,
  inTransaction: InTransaction,
  instance: string,
  kind: 'incident' | 'log-position',
  isOne: (value: unknown) => value is T,
): InstanceState<T> {
  return {
    read: async () => {
      const rows = await db
        .selectFrom('instance_state')
        .select(['key', 'value'])
        .where('instance', '=', instance)
        .where('kind', '=', kind)
        .execute();
      const known = new Map<string, T>();
      for (const { key, value: text } of rows) {
        const value = parse(text);
        if (value !== undefined && isOne(value)) known.set(key, value);
      }
      return known;
    },
    write: (changed, gone) => {
      const rows = [...changed].map(([key, value]) => ({ instance, kind, key, value: JSON.stringify(value) }));
      return inTransaction(async (on) => {
        for (let start = 0; start < gone.length; start += ROWS_AT_ONCE)
          await on
            .deleteFrom('instance_state')
            .where('instance', '=', instance)
            .where('kind', '=', kind)
            .where('key', 'in', gone.slice(start, start + ROWS_AT_ONCE))
            .execute();
        for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
          await on
            .insertInto('instance_state')
            .values(rows.slice(start, start + ROWS_AT_ONCE))
            .onConflict((conflict) =>
              conflict
                .columns(['instance', 'kind', 'key'])
                .doUpdateSet((known) => ({ value: known.ref('excluded.value') })),
            )
            .execute();
      });
    },
  };
}
