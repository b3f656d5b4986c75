import { expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import { useDatabases } from '../support/use-api.ts';

const databases = useDatabases('sqlite');

it.each([
  ['request_id = ?', 'audit_event_request'],
  ['owner_id = ?', 'audit_event_owner'],
  ['ip = ?', 'audit_event_ip'],
])('a search of the audit trail by %s reads no more than it finds', async (condition, index) => {
  const connection = await openDatabase(await databases.create());
  const { query, release } = await connection.lend();
  const order = 'order by id desc limit 51';
  const { rows } = await query(
    `explain query plan select * from audit_event where ${condition} and is_security = 1 ${order}`,
    ['x'],
  );
  expect(rows).toEqual([
    expect.objectContaining({ detail: expect.stringContaining(`SEARCH audit_event USING INDEX ${index}`) }),
  ]);
  release();
  await connection.close();
});
