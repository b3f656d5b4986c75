import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

it.each([
  [['audit']],
  [['apikey', 'list']],
  [['apikey', 'revoke', '1']],
  [['apikey', 'rotate', '1']],
  [['apikey', 'create', '--name', 'n', '--owner', '1', '--scope', 'read']],
  [['admin', 'list']],
  [['admin', 'reset-password', 'ann']],
  [['admin', 'remove-codes', 'ann']],
  [['admin', 'erase', 'ann', '--yes']],
  [['audit', '--verify']],
])('%j says that there is no database, and makes none', async (words) => {
  const database = pathOf('data/subnetd.db');
  expect(await runCommand(words, { SUBNETD_DATABASE_URL: `sqlite:${database}` })).toEqual({
    code: 2,
    stdout: '',
    stderr: `subnetd: there is no database sqlite:${database}; set SUBNETD_DATABASE_URL to that of the daemon\n`,
  });
  expect(existsSync(pathOf('data'))).toBe(false);
});
