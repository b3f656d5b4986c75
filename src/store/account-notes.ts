import { HOUR_MS } from '../lib/duration.ts';
import { type AccountChange, maskAddress, type Note } from '../platform/model/mail.ts';
import type { AuditEvent } from '../platform/model/platform-store.ts';
import type { Author } from '../platform/model/records.ts';
import type { Value } from '../platform/model/resource.ts';
import { searchAuditEvents } from './audit-events.ts';
import { toMailRow } from './mail-tables.ts';
import { type Cell, insertSql, type Run, sql } from './sql.ts';

/** Queues a note in the transaction of its change, for the address that the user has now unless it has one of its own. */
export async function queueNote(transaction: Run, note: Note, at: string): Promise<void> {
  const row = toMailRow(note, at);
  const address = row.address ?? sql`(select email_id from admin_user where id = ${note.userId})`;
  await transaction(insertSql('mail', { ...row, address }));
}

/** An update of an admin user, before it is written. */
interface UserUpdate {
  readonly id: number;
  readonly before: Readonly<Record<string, Cell>>;
  readonly changes: AuditEvent['changes'];
  readonly author: Author;
}

/** So many notes of a kind in an hour go to an address. Whoever got them knows. */
const NOTES_AT_ONCE = 3;

/** The most changes that are looked at: with more of them the user gets a note too many, and never one too few. */
const CHANGES = 100;

/**
 * Which notes the address has had too often in the last hour, by the audit trail. A stolen key cannot fill a mailbox by
 * changing one account again and again.
 */
async function findOverdone(
  transaction: Run,
  { id, before, author }: UserUpdate,
): Promise<Readonly<Record<'address' | 'password', boolean>>> {
  const since = new Date(Date.parse(author.at) - HOUR_MS).toISOString();
  const changesOfUser = { resource: 'AdminUser', recordId: id, isSecurity: false, isDescending: true, limit: CHANGES };
  const recent = (await searchAuditEvents(transaction, changesOfUser)).filter(({ at }) => at > since);
  // From the newest to the oldest: where the notes of each change went.
  let address: Value = before.email_id ?? null;
  let [moves, sets] = [0, 0];
  for (const { changes, owner } of recent) {
    if (changes.EmailID !== undefined) address = changes.EmailID.from;
    if (address !== before.email_id) continue;
    if (changes.EmailID !== undefined) moves += 1;
    if (changes.Password !== undefined && owner !== id) sets += 1;
  }
  return { address: moves >= NOTES_AT_ONCE, password: sets >= NOTES_AT_ONCE };
}

async function findName(transaction: Run, { id, before, author }: UserUpdate): Promise<string | null> {
  if (author.owner === null) return null;
  if (author.owner === id) return String(before.user_name);
  const [user] = await transaction<{ name: string }>(sql`
    select user_name as name from admin_user where id = ${author.owner}`);
  return user?.name ?? null;
}

/** Queues what a user has to know of an update of the record: a new address, and a new password. Before both are written. */
export async function queueNotesOfUpdate(transaction: Run, update: UserUpdate): Promise<void> {
  const { id, before, changes, author } = update;
  const { EmailID, Password } = changes;
  if (EmailID === undefined && Password === undefined) return;
  const to = String(before.email_id);
  const isOverdone = await findOverdone(transaction, update);
  const change: AccountChange = {
    firstName: String(before.first_name),
    userName: String(before.user_name),
    by: await findName(transaction, update),
    credential: author.credential,
  };
  const about = { userId: id, to };
  if (Password !== undefined && author.owner === id)
    await queueNote(transaction, { ...about, kind: 'password-changed' }, author.at);
  else if (Password !== undefined && !isOverdone.password)
    await queueNote(transaction, { ...about, kind: 'password-set', change }, author.at);
  if (EmailID !== undefined && !isOverdone.address) {
    const newAddress = maskAddress(String(EmailID.to));
    await queueNote(transaction, { ...about, kind: 'address-changed', change: { ...change, newAddress } }, author.at);
  }
}
