import type { PlatformStore } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import { parametersOf, type Value } from '../model/resource.ts';
import { checkNewPassword } from './accounts/new-password.ts';
import { checkValue, requireMember } from './check-value.ts';
import { type Outcome, succeed } from './outcome.ts';
import { adminUser } from './resources.ts';
import { addRecord } from './write-record.ts';

/** A new admin user, with the members of the API. */
export interface NewAdmin {
  readonly FirstName: string;
  readonly LastName: string;
  readonly UserName: string;
  readonly Password: string;
  readonly EmailID: string;
}

/** The author of changes on the command line: no user of the database. */
export const onCommandLine = (now: number): Author => ({
  statedBy: null,
  owner: null,
  credential: 'command line',
  at: new Date(now).toISOString(),
  ip: null,
});

/** Adds an active admin user by the rules of the API, without a creator; resolves to the id. */
export async function createAdmin(store: PlatformStore, admin: NewAdmin, now: number): Promise<Outcome<number>> {
  const body = { ...admin, IsActive: true };
  const values: Record<string, Value> = {};
  for (const member of parametersOf(adminUser)) {
    const present = requireMember(body, member.name);
    if (!present.ok) return present;
    const checked = checkValue(member, present.value, true);
    if (!checked.ok) return checked;
    values[member.name] = checked.value;
  }
  const password = await checkNewPassword(String(values.Password), 'Password', admin.UserName);
  if (!password.ok) return password;
  const added = await addRecord(store, adminUser, { values, statedBy: 0, key: {} }, onCommandLine(now));
  return added.ok ? succeed(added.value.id) : added;
}
