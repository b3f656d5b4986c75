import { readFileSync } from 'node:fs';
import { createAdmin } from '../platform/api/create-admin.ts';
import { makePassword } from '../platform/api/passwords.ts';
import type { PlatformStore } from '../platform/model/platform-store.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { type ExitCode, report } from './report.ts';
import { withStore } from './with-store.ts';

/** The flags of `subnetd admin create`, as they are typed. */
export interface AdminFlags {
  readonly userName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly passwordFile?: string;
}

function readPassword(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/\r?\n$/, '');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    report([`subnetd admin create: ${path} cannot be read (${code}); correct --password-file`]);
    return undefined;
  }
}

/** `subnetd admin create`: creates an active admin user. */
export async function adminCreate(flags: AdminFlags): Promise<ExitCode> {
  const password = flags.passwordFile === undefined ? makePassword() : readPassword(flags.passwordFile);
  if (password === undefined) return 2;
  const create = async (store: PlatformStore): Promise<ExitCode> => {
    const admin = {
      FirstName: flags.firstName,
      LastName: flags.lastName,
      UserName: flags.userName,
      Password: password,
      EmailID: flags.email,
    };
    const created = await createAdmin(store, admin, Date.now());
    if (!created.ok) {
      report([`subnetd admin create: ${created.failure.message}`]);
      return 2;
    }
    process.stdout.write(`admin user ${created.value}: ${toNameKey(flags.userName)}\n`);
    if (flags.passwordFile === undefined) process.stdout.write(`password, shown only now: ${password}\n`);
    return 0;
  };
  // The first admin user may come before the first start of the daemon.
  return withStore(create, { mayCreate: true });
}
