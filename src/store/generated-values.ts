import type { PlatformStore } from '../platform/model/platform-store.ts';
import type { Queries } from './tables.ts';

/** Values that are generated once and then stored, the same for every replica. */
export const createGeneratedValues = (db: Queries): Pick<PlatformStore, 'getOrCreate'> => ({
  getOrCreate: async (name, make) => {
    const read = () => db.selectFrom('kept_value').select('value').where('name', '=', name).executeTakeFirst();
    const known = await read();
    if (known !== undefined) return known.value;
    await db
      .insertInto('kept_value')
      .values({ name, value: make() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    // Another replica may have been faster: the value in the table counts.
    return (await read())?.value ?? make();
  },
});
