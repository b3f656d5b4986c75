import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { onCommandLine } from '../platform/api/create-admin.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { type ExitCode, printLine, report } from './report.ts';
import { withStore } from './with-store.ts';

/** `subnetd admin remove-codes`: the way back in for an admin user who has lost the app and the recovery codes. */
export const adminRemoveCodes = (userName: string): Promise<ExitCode> =>
  withStore(async (store) => {
    const user = await store.findUser({ userNameKey: toNameKey(userName) });
    if (user === undefined) {
      report(['subnetd admin remove-codes: there is no admin user of that name; correct it, with its case']);
      return 2;
    }
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
