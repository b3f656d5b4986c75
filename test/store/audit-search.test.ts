import { expect, it } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/use-api.ts';

const databases = useDatabases('sqlite');

it.each([
  ['request_id', 0, 'SEARCH audit_event USING INDEX audit_event_request (request_id=?)'],
  ['owner_id', 0, 'SEARCH audit_event USING INDEX audit_event_owner (owner_id=?)'],
  ['ip', 0, 'SEARCH audit_event USING INDEX audit_event_ip (ip=?)'],
  // Not a user's changes, of which there is no bound.
  ['owner_id', 1, 'SCAN audit_event USING INDEX audit_event_security'],
])(
  'a search of the audit trail by %s with is_security %i reads no more than it has to',
  async (column, isSecurity, plan) => {
    const connection = await openDatabase(await databases.create());
    const { query, release } = await connection.lend();
    const { rows } = await query(
      `explain query plan select * from audit_event where ${column} = ? and is_security = ? order by id desc limit 51`,
      ['1', isSecurity],
    );
    expect(rows).toEqual([expect.objectContaining({ detail: plan })]);
    release();
    await connection.close();
  },
);
