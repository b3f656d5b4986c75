import { toNameKey } from '../model/resource.ts';
import { onCommandLine } from '../platform/create-admin.ts';
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
    const wasThere = await store.removeCodes(user.id, onCommandLine(Date.now()));
    printLine(
      wasThere
        ? `the one-time codes of admin user ${user.id} are removed; the password alone signs in`
        : `admin user ${user.id} has no one-time codes; the password alone signs in`,
    );
    return 0;
  });
