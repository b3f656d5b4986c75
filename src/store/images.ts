import type { ImageColumn, ImageStore, StoredImage } from '../platform/model/image.ts';
import { joinSql, nameSql, type Run, type Sql, sql } from './sql.ts';

/** Of an image: no record of these columns has its path. */
const isUnused = (columns: readonly ImageColumn[]): Sql => {
  const used = columns.map(({ table, column }) => sql`select ${nameSql(column)} from ${nameSql(table)}`);
  return sql`path not in (${joinSql(used, ' union all ')})`;
};

/** The images that were uploaded. */
export const createImages = (run: Run): ImageStore => ({
  addImage: async ({ path, data }, at, columns, mostUnused) => {
    const added = await run(sql`
      insert into image (path, data, at) select ${path}, ${data}, ${at}
      where (select count(*) from image where ${isUnused(columns)}) < ${mostUnused}
        or exists (select 1 from image where path = ${path})
      on conflict (path) do update set at = excluded.at
      returning path`);
    return added.length > 0;
  },
  findImage: async (path) => (await run<StoredImage>(sql`select path, data from image where path = ${path}`))[0],
  trimImages: async (before, columns) =>
    void (await run(sql`delete from image where at < ${before} and ${isUnused(columns)}`)),
});
