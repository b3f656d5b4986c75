import type { PlatformStore } from '../platform/model/platform-store.ts';
import { type Run, sql } from './sql.ts';

/** Values that are generated once and then stored, the same for every replica. */
export const createGeneratedValues = (run: Run): Pick<PlatformStore, 'getOrCreate'> => ({
  getOrCreate: async (name, make) => {
    const read = async () =>
      (await run<{ value: string }>(sql`select value from kept_value where name = ${name}`))[0]?.value;
    const known = await read();
    if (known !== undefined) return known;
    await run(sql`insert into kept_value (name, value) values (${name}, ${make()}) on conflict (name) do nothing`);
    // Another replica may have been faster: the value in the table counts.
    return (await read()) ?? make();
  },
});
