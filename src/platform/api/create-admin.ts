import type { PlatformStore } from '../model/platform-store.ts';
import type { Author } from '../model/records.ts';
import { checkMembers } from './check-write.ts';
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
  const values = await checkMembers(store, adminUser, { ...admin, IsActive: true });
  if (!values.ok) return values;
  const checked = { values: values.value, statedBy: 0, key: {} };
  const added = await addRecord(store, adminUser, checked, onCommandLine(now));
  return added.ok ? succeed(added.value.id) : added;
}
