import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { onCommandLine } from '../platform/api/create-admin.ts';
import { hashLinkToken, LINK_LIFE_MS, linkAddress, makeLinkToken } from '../platform/model/account-link.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { readOwnOrigin } from './own-origin.ts';
import { type ExitCode, printLine, report } from './report.ts';
import { withStore } from './with-store.ts';

/** `subnetd admin reset-password`: prints a link by which an admin user sets a new password, once. */
export async function adminResetPassword(userName: string): Promise<ExitCode> {
  const parsed = parseSettings(readEnvironment(), {}, '0.0.0.0:10545');
  if (!parsed.ok) {
    report(parsed.errors.map((error) => `subnetd: ${error}`));
    return 2;
  }
  const { publicUrl, listen, platform } = parsed.settings;
  const refuse = (why: string): ExitCode => {
    report([`subnetd admin reset-password: ${why}`]);
    return 2;
  };
  return withStore(async (store) => {
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) return refuse('there is no admin user of that name; correct it, with its case');
    if (!user.isActive) return refuse('that admin user is not active; name another one');
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
