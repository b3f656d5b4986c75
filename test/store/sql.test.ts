import { Kysely, sql as kyselySql } from 'kysely';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { joinSql, rawSql, rowsSql, sql, toText } from '../../src/store/sql.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

test('values become parameters, and parts of SQL stay text', () => {
  const own = sql`instance = ${'a'} and kind = ${null}`;
  const statement = sql`select ${rawSql('name')} from t where ${own} limit ${3}`;
  expect(statement.cells).toEqual(['a', null, 3]);
  expect(toText(statement, 'sqlite')).toBe('select name from t where instance = ? and kind = ? limit ?');
  expect(toText(statement, 'postgres')).toBe('select name from t where instance = $1 and kind = $2 limit $3');
  expect(sql`${'first'}${'last'}`).toEqual({ texts: ['', '', ''], cells: ['first', 'last'] });
});

test('parts and rows are put together with their parameters in order', () => {
  const rows = rowsSql([
    ['a', 1],
    ['b', 2],
  ]);
  expect([toText(rows, 'postgres'), rows.cells]).toEqual(['($1, $2), ($3, $4)', ['a', 1, 'b', 2]]);
  const all = joinSql([sql`a = ${1}`, sql`true`, sql`b = ${2}`], ' and ');
  expect([toText(all, 'sqlite'), all.cells]).toEqual(['a = ? and true and b = ?', [1, 2]]);
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);

  it('a write of the history outlives a transaction of the platform API that is rolled back beside it', async () => {
    const connection = await openDatabase(await databases.create());
    onTestFinished(connection.close);
    const store = createStores(connection).history('one');
    const kysely = new Kysely({ dialect: await connection.createDialect(connection.lend) });
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const other = kysely.connection().execute(async (transaction) => {
      await kyselySql`begin`.execute(transaction);
      await kyselySql`insert into kept_value (name, value) values ('a', 'b')`.execute(transaction);
      begun.resolve();
      await end.promise;
      await kyselySql`rollback`.execute(transaction);
    });
    await begun.promise;
    const written = store.addMinutes([{ subnet: 'd', at: 60_000, blocks: 30, gap: 3 }]);
    // It has had the time to begin, if it could.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    end.resolve();
    await Promise.all([other, written]);
    expect(await store.minutesFrom(0)).toEqual([{ subnet: 'd', at: 60_000, blocks: 30, gap: 3 }]);
    const { rows } = await kyselySql<{ name: string }>`select name from kept_value where name = 'a'`.execute(kysely);
    expect(rows).toEqual([]);
  });
});
