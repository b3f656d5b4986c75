import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createPlainSql } from '../../src/store/run-sql.ts';
import {
  insertSql,
  joinSql,
  nameSql,
  PLACEHOLDER,
  rawSql,
  rowsSql,
  setSql,
  sql,
  toText,
  withCells,
} from '../../src/store/sql.ts';
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

test('a row is inserted and changed by its cells, and a statement that was built once takes other ones', () => {
  const insert = insertSql('t', { a: 1, b: sql`(select ${2})`, c: null });
  expect([toText(insert, 'postgres'), insert.cells]).toEqual([
    'insert into t (a, b, c) values ($1, (select $2), $3) ',
    [1, 2, null],
  ]);
  const plain = insertSql('t', { a: 1, b: null }, 'returning id');
  expect([toText(plain, 'sqlite'), plain.cells]).toEqual([
    'insert into t (a, b) values (?, ?) returning id',
    [1, null],
  ]);
  const set = sql`update ${nameSql('t')} set ${setSql({ a: 1, b: 'x' })} where ${nameSql('t.ID')} = ${PLACEHOLDER}`;
  expect(toText(set, 'sqlite')).toBe('update "t" set "a" = ?, "b" = ? where "t"."ID" = ?');
  expect(withCells(set, [7, 'y', 8])).toEqual({ texts: set.texts, cells: [7, 'y', 8] });
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);

  it('a write of the history outlives a transaction of the platform API that is rolled back beside it', async () => {
    const connection = await openDatabase(await databases.create());
    onTestFinished(connection.close);
    const store = createStores(connection).history('one');
    const { run, inTransaction } = createPlainSql(connection);
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const other = inTransaction(async (transaction) => {
      await transaction(sql`insert into kept_value (name, value) values ('a', 'b')`);
      begun.resolve();
      await end.promise;
      throw new Error('it is not wanted any more');
    });
    await begun.promise;
    const written = store.addMinutes([{ subnet: 'd', at: 60_000, blocks: 30, gap: 3 }]);
    // It has had the time to begin, if it could.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    end.resolve();
    await expect(other).rejects.toThrow('it is not wanted any more');
    await written;
    expect(await store.minutesFrom(0)).toEqual([{ subnet: 'd', at: 60_000, blocks: 30, gap: 3 }]);
    expect(await run(sql`select name from kept_value where name = 'a'`)).toEqual([]);
  });
});
