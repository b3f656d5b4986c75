import { expect, it } from 'vitest';
import { lendSqlite, type SqlStatement } from '../../src/db/lend-sqlite.ts';

const lend = () => {
  const sent: string[] = [];
  const note = async (sql: string, _: readonly unknown[], before: readonly SqlStatement[] = []) => {
    sent.push([...before.map(([one]) => one), sql].join('; '));
    return [];
  };
  const nothing = async () => {};
  const lent = lendSqlite({ read: note, write: note, takeWriter: nothing, giveWriter: () => {} });
  return { sent, ask: (sql: string) => lent.query(sql, []), release: () => lent.release() };
};

const ROW = 'insert into audit_event (at) values (?)';

it('a transaction sends its begin and the rows of the audit trail with the statement that follows them', async () => {
  const { sent, ask } = lend();
  for (const sql of ['begin immediate', 'insert into sector (id) values (1)', 'select hash from audit_chain', ROW, ROW])
    await ask(sql);
  await ask('commit');
  expect(sent).toEqual([
    'begin immediate; insert into sector (id) values (1)',
    'select hash from audit_chain',
    `${ROW}; ${ROW}; commit`,
  ]);
});

it('a rollback is sent alone, so nothing that was not sent yet can fail it, and nothing is sent later', async () => {
  const { sent, ask, release } = lend();
  for (const sql of ['begin immediate', 'delete from sector', ROW, 'rollback']) await ask(sql);
  release();
  for (const sql of ['begin immediate', ROW]) await ask(sql);
  release();
  await ask('delete from sector');
  expect(sent).toEqual(['begin immediate; delete from sector', 'rollback', 'delete from sector']);
});
