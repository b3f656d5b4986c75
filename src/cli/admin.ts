import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { createAdmin, onCommandLine } from '../platform/api/create-admin.ts';
import { hashPassword, makePassword } from '../platform/api/passwords.ts';
import { adminUser, resources } from '../platform/api/resources.ts';
import { hashLinkToken, LINK_LIFE_MS, linkAddress, makeLinkToken } from '../platform/model/account-link.ts';
import type { PlatformStore } from '../platform/model/platform-store.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { readOwnOrigin } from './ask-daemon.ts';
import { withStore } from './read-database.ts';
import { type ExitCode, escapeText, printLine, refuse, report, toJson } from './report.ts';

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
    if (!created.ok) return refuse('subnetd admin create', created.failure.message);
    process.stdout.write(`admin user ${created.value}: ${toNameKey(flags.userName)}\n`);
    if (flags.passwordFile === undefined) process.stdout.write(`password, shown only now: ${password}\n`);
    return 0;
  };
  // The first admin user may come before the first start of the daemon.
  return withStore(create, { mayCreate: true });
}

/** `subnetd admin list`: every admin user, without what signs in. */
export const adminList = ({ json = false }: { readonly json?: boolean } = {}): Promise<ExitCode> =>
  withStore(async (store) => {
    const users = (await store.list(adminUser, 0, Number.MAX_SAFE_INTEGER)).map(({ Password, ...user }) => user);
    if (json) printLine(toJson(users, 2));
    else if (users.length === 0) printLine('there are no admin users; "subnetd admin create" creates one');
    for (const { UserID, UserName, FirstName, LastName, EmailID, IsActive } of json ? [] : users) {
      const state = IsActive === true ? 'active  ' : 'inactive';
      const person = `${FirstName} ${LastName} <${EmailID}>`;
      printLine(`${String(UserID).padEnd(5)} ${state}  ${escapeText(`${UserName}  ${person}`)}`);
    }
    return 0;
  });

const NO_USER = 'no admin user has that name; check the spelling and the case';
const WHY = {
  missing: 'that admin user no longer exists',
  'last-active': 'this is the last active admin user; create or activate another one first',
  taken: 'another admin user has the name or address that this one would get; change it there first',
} as const;

/** Asks for the name once more, on a terminal. */
async function isSure(userName: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`This cannot be undone. Type the name again to erase ${userName}: `)) === userName;
  } finally {
    terminal.close();
  }
}

/** `subnetd admin erase`: overwrites or deletes what names a person. Ids and the audit trail stay valid. */
export const adminErase = (userName: string, flags: { readonly yes?: boolean }): Promise<ExitCode> =>
  withStore(async (store) => {
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) return refuse('subnetd admin erase', NO_USER);
    if (flags.yes !== true && !(await isSure(userName)))
      return refuse('subnetd admin erase', 'nothing was erased; type the name again when it asks, or add --yes');
    const passwordHash = await hashPassword(makePassword());
    const tables = resources.map(({ table }) => table);
    const erased = await store.eraseUser({ userId: user.id, passwordHash, tables }, onCommandLine(Date.now()));
    if (!erased.ok) return refuse('subnetd admin erase', WHY[erased.why]);
    printLine(`admin user ${user.id} is erased, with ${erased.events} events of the audit trail`);
    printLine('Backups, logs and sent mails are not; see docs/security.md.');
    return 0;
  });

/** `subnetd admin remove-codes`: the way back in for an admin user who has lost the app and the recovery codes. */
export const adminRemoveCodes = (userName: string): Promise<ExitCode> =>
  withStore(async (store) => {
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) return refuse('subnetd admin remove-codes', NO_USER);
    // The daemon of the same settings sends it.
    const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
    const hasMail = parsed.ok && parsed.settings.platform.mail !== undefined;
    const note = hasMail ? ({ kind: 'codes-off', userId: user.id } as const) : undefined;
    const wasThere = await store.removeCodes(user.id, onCommandLine(Date.now()), note);
    printLine(
      wasThere
        ? `the one-time codes of admin user ${user.id} are removed; the password alone signs in`
        : `admin user ${user.id} has no one-time codes; the password alone signs in`,
    );
    return 0;
  });

/** `subnetd admin reset-password`: prints a link by which an admin user sets a new password, once. */
export async function adminResetPassword(userName: string): Promise<ExitCode> {
  const parsed = parseSettings(readEnvironment(), {});
  if (!parsed.ok) return refuse('subnetd', ...parsed.errors);
  const { publicUrl, listen, platform } = parsed.settings;
  return withStore(async (store) => {
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) return refuse('subnetd admin reset-password', NO_USER);
    if (!user.isActive) return refuse('subnetd admin reset-password', 'that admin user is inactive; name another one');
    const { id: userId, passwordVersion } = user;
    const now = Date.now();
    const token = makeLinkToken();
    const expiresAt = new Date(now + LINK_LIFE_MS.reset).toISOString();
    await store.addLink({ hash: hashLinkToken(token), kind: 'reset', userId, passwordVersion, expiresAt });
    const { at, owner, credential, ip } = onCommandLine(now);
    const subject = { resource: 'AdminUser', id: userId } as const;
    await store.addSecurityEvents([
      { action: 'reset asked', at, subject, owner, credential, ip, requestId: null, count: 1 },
    ]);
    printLine('Open this link within 10 minutes to set a new password. It works once, and is shown only now:');
    printLine(linkAddress(publicUrl ?? (await readOwnOrigin(listen, platform.webConfig)), 'reset', token));
    if (publicUrl === undefined)
      report(['subnetd: SUBNETD_PUBLIC_URL is not set, so the link is for a browser on this machine']);
    return 0;
  });
}
