import { expect, it } from 'vitest';
import { createApiKey, runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

it('lists the admin users without their passwords', async () => {
  const database = { SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}` };
  await createApiKey(database, 'read');
  const ann = ['--user-name', 'ann', '--first-name', 'Ann', '--last-name', 'B', '--email', 'ann@example.com'];
  expect((await runCommand(['admin', 'create', ...ann], database)).code).toBe(0);
  expect(await runCommand(['admin', 'list'], database)).toEqual({
    code: 0,
    stderr: '',
    stdout: '1     active    root  R T <r@example.com>\n2     active    ann  Ann B <ann@example.com>\n',
  });
  const { stdout } = await runCommand(['admin', 'list', '--json'], database);
  expect(JSON.parse(stdout)[0]).toMatchObject({
    UserID: 1,
    UserName: 'root',
    EmailID: 'r@example.com',
    IsActive: true,
  });
  expect(stdout).not.toContain('Password');
});
