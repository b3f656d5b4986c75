import { createInterface } from 'node:readline/promises';
import { onCommandLine } from '../platform/api/create-admin.ts';
import { hashPassword, makePassword } from '../platform/api/passwords.ts';
import { resources } from '../platform/api/resources.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { type ExitCode, printLine, report } from './report.ts';
import { withStore } from './with-store.ts';

const WHY = {
  missing: 'there is no such admin user any more',
  'last-active': 'this is the last active admin user; create or activate another one first',
  taken: 'another admin user has the name or address that this one would get; change that one first',
} as const;

/** Asks for the name once more, on a terminal. */
async function isSure(userName: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`Nothing brings it back. The name again, to erase ${userName}: `)) === userName;
  } finally {
    terminal.close();
  }
}

/** `subnetd admin erase`: overwrites or deletes what names a person. Ids and the audit trail stay valid. */
export const adminErase = (userName: string, flags: { readonly yes?: boolean }): Promise<ExitCode> =>
  withStore(async (store) => {
    const refuse = (why: string): ExitCode => {
      report([`subnetd admin erase: ${why}`]);
      return 2;
    };
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) return refuse('there is no admin user of that name; correct it, with its case');
    if (flags.yes !== true && !(await isSure(userName)))
      return refuse('nothing was erased; type the name again when it asks, or add --yes');
    const passwordHash = await hashPassword(makePassword());
    const tables = resources.map(({ table }) => table);
    const erased = await store.eraseUser({ userId: user.id, passwordHash, tables }, onCommandLine(Date.now()));
    if (!erased.ok) return refuse(WHY[erased.why]);
    printLine(`admin user ${user.id} is erased, with ${erased.events} events of the audit trail`);
    printLine('Backups, logs and mails that were sent are not: docs/security.md says what to do about them.');
    return 0;
  });
