import { expect, it } from 'vitest';
import { type KnownEnds, lendSqlite, READ_ENDS, type SqlStatement } from '../../src/store/lend-sqlite.ts';

/** Connections whose writer says that the data has this version. */
const lend = (ends: KnownEnds = {}, versions: readonly number[] = []) => {
  const sent: string[] = [];
  const write = async (statements: readonly SqlStatement[]) => {
    sent.push(statements.map(([sql]) => sql).join('; '));
    return { rows: statements.map(([sql]) => [sql]), version: versions[sent.length - 1] ?? 1 };
  };
  const nothing = async () => {};
  const lent = lendSqlite({ read: async () => [], write, ends, takeWriter: nothing, giveWriter: () => {} });
  const ask = async (...all: readonly string[]) => {
    let rows: readonly unknown[] = [];
    for (const sql of all) ({ rows } = await lent.query(sql, []));
    return rows;
  };
  return { sent, ask, release: () => lent.release() };
};

const ROW = 'insert into audit_event (at) values (?)';
const ADD = 'insert into sector (id) values (1)';

it('a transaction sends its begin and the rows of the audit trail with the statement that follows them', async () => {
  const { sent, ask } = lend();
  await ask('begin immediate', ADD, READ_ENDS, ROW, ROW, 'commit');
  expect(sent).toEqual([`begin immediate; ${ADD}`, READ_ENDS, `${ROW}; ${ROW}; ${READ_ENDS}; commit`]);
});

it('a rollback is sent alone, so nothing that was not sent yet can fail it, and nothing is sent later', async () => {
  const { sent, ask, release } = lend();
  await ask('begin immediate', 'delete from sector', ROW, 'rollback');
  release();
  await ask('begin immediate', ROW);
  release();
  await ask('delete from sector');
  expect(sent).toEqual(['begin immediate; delete from sector', 'rollback', 'delete from sector']);
});

it('the ends of the trail are those before the last commit, as long as nobody else has written', async () => {
  const ends: KnownEnds = {};
  await lend(ends, [4, 4, 4]).ask('begin immediate', ADD, READ_ENDS, ROW, 'commit');
  expect(ends.last).toEqual({ version: 4, rows: [READ_ENDS] });
  const same = lend(ends, [4, 4]);
  expect(await same.ask('begin immediate', ADD, READ_ENDS)).toEqual([READ_ENDS]);
  expect(same.sent).toEqual([`begin immediate; ${ADD}`]);
  const other = lend(ends, [5, 5]);
  await other.ask('begin immediate', ADD, READ_ENDS);
  expect(other.sent).toEqual([`begin immediate; ${ADD}`, READ_ENDS]);
});

it('they are asked for as long as it is not known that the transaction has begun', async () => {
  const ends: KnownEnds = { last: { version: 1, rows: ['old'] } };
  const first = lend(ends);
  expect(await first.ask('begin immediate', READ_ENDS)).toEqual([READ_ENDS]);
  expect(first.sent).toEqual([`begin immediate; ${READ_ENDS}`]);
  const next = lend(ends);
  await next.ask('begin immediate', ADD, 'commit', 'begin immediate', READ_ENDS);
  expect(next.sent.at(-1)).toBe(`begin immediate; ${READ_ENDS}`);
});

it('a commit that fails, and a transaction without rows of the trail, leave what is known of them', async () => {
  const ends: KnownEnds = { last: { version: 1, rows: ['old'] } };
  await lend(ends).ask('begin immediate', ADD, 'commit');
  const write = async (statements: readonly SqlStatement[]) => {
    if (statements.some(([sql]) => sql === 'commit')) throw new Error('database or disk is full');
    return { rows: statements.map(() => []), version: 1 };
  };
  const full = lendSqlite({ read: undefined, write, ends, takeWriter: async () => {}, giveWriter: () => {} });
  for (const sql of ['begin immediate', ADD, ROW]) await full.query(sql, []);
  await expect(full.query('commit', [])).rejects.toThrow('full');
  expect(ends.last).toEqual({ version: 1, rows: ['old'] });
});
