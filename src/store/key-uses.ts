import type { KeyUse, KeyUseStore } from '../platform/model/key-use.ts';
import { type Run, rowsSql, sql } from './sql.ts';

/** The ids of requests take no more characters; the one that this cuts is not read. */
const IDS_LENGTH = 200;

type Row = Omit<KeyUse, 'requestIds'> & { readonly ids: string };

const toIds = (text: string): readonly string[] => {
  const ids = text.split(' ').filter(Boolean);
  return text.length < IDS_LENGTH ? ids : ids.slice(0, -1);
};

/** What keys did: a row for each kind of answer of a day, so a busy key costs no more than an idle one. */
export const createKeyUses = (run: Run): KeyUseStore => ({
  addKeyUses: async (uses) => {
    const rows = uses.map(({ keyId, day, operation, status, code, count, lastAt, requestIds }) => {
      const ids = requestIds.join(' ').slice(0, IDS_LENGTH);
      return [keyId, day, operation, status, code, count, lastAt, ids];
    });
    await run(sql`
      insert into key_use (key_id, day, operation, status, code, count, last_at, request_ids) values ${rowsSql(rows)}
      on conflict (key_id, day, operation, status, code) do update set
        count = key_use.count + excluded.count, last_at = excluded.last_at,
        request_ids = substr(excluded.request_ids || ' ' || key_use.request_ids, 1, ${IDS_LENGTH})`);
  },
  listKeyUses: async (keyId, limit) => {
    const rows = await run<Row>(sql`
      select key_id as "keyId", day, operation, status, code, count, last_at as "lastAt", request_ids as ids
      from key_use where key_id = ${keyId} order by day desc, last_at desc, operation, code limit ${limit}`);
    return rows.map(({ ids, ...use }) => ({ ...use, requestIds: toIds(ids) }));
  },
  trimKeyUses: async (day) => void (await run(sql`delete from key_use where day < ${day}`)),
});
