import { randomUUID } from 'node:crypto';
import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { formatMinute } from '../lib/duration.ts';
import type { PlannedWorkStore, StoredWork, WorkSubject } from '../model/planned-work.ts';
import { createStores } from '../store/create-stores.ts';
import type { Client } from '../tell/notify/create-client.ts';
import { addSilence, endSilence, listSilences, type Silence, type SilenceEnd } from '../tell/notify/silences.ts';
import { type InDatabase, withDatabase } from './read-database.ts';
import { type ExitCode, escapeText, printLine, quote, report, toJson } from './report.ts';

/** Work to announce; times are Unix milliseconds. */
export interface WorkRequest {
  readonly subject: WorkSubject;
  readonly from: number;
  readonly until: number;
  readonly reason: string;
  readonly by: string;
}

/** Runs `work` on the announced work in the database of the settings, or says why that is not possible. Never rejects. */
async function withPlannedWork<T>(work: (store: PlannedWorkStore) => Promise<T>): Promise<InDatabase<T>> {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:0');
  if (!parsed.ok) return { ok: false, why: parsed.errors.join('; ') };
  return withDatabase(parsed.settings.platform.database, (connection) => work(createStores(connection).plannedWork));
}

/** Where work is announced. */
interface Way {
  readonly clients: readonly Client[];
  /** Absent for the Alertmanagers of somebody else, which subnetd does not know. */
  readonly withStore?: typeof withPlannedWork;
}

/** The Alertmanagers that the flags name, and nothing else. */
export const outsideOf = (clients: readonly Client[]): Way => ({ clients });

/** Those of the inventory, and the database that subnetd reads. */
export const insideOf = (clients: readonly Client[]): Way => ({ clients, withStore: withPlannedWork });

const reportErrors = (errors: readonly string[]) => report(errors.map((error) => `subnetd silence: ${error}`));

/** Writes a silence to the Alertmanagers, and the work to the database of subnetd under the same id. */
export async function announceWork({ clients, withStore }: Way, request: WorkRequest): Promise<ExitCode> {
  const { subject, from, until, reason, by } = request;
  const labels: Record<string, string> = { ...subject };
  const results = await addSilence(clients, { labels, startsAt: from, endsAt: until, createdBy: by, comment: reason });
  const errors = results.flatMap((result) => (result.ok ? [] : [result.why]));
  const silences = [...new Set(results.flatMap((result) => (result.ok ? [result.id] : [])))];
  const work: StoredWork = { ...subject, from, until, reason, by, silences, id: silences[0] ?? randomUUID() };
  const stored = await withStore?.((store) => store.add(work));
  reportErrors([...errors, ...(stored?.ok === false ? [`subnetd does not know of this work: ${stored.why}`] : [])]);
  for (const id of stored?.ok ? [work.id] : silences) printLine(id);
  return errors.length === 0 && stored?.ok !== false ? 0 : 1;
}

/** Ends work, and its silences. What is over already is not a failure: nothing of it is in force. */
export async function endWork({ clients, withStore }: Way, ids: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const id of ids) {
    const at = Date.now();
    const found = await withStore?.((store) => store.end(id, at));
    const work = found?.ok ? found.value : undefined;
    const results: SilenceEnd[] = [];
    for (const silence of work?.silences ?? [id]) results.push(await endSilence(clients, silence));
    const isOver = work !== undefined && work.until <= at;
    const hasEnded = (work !== undefined && !isOver) || results.some(({ ended }) => ended > 0);
    const overSince = isOver ? work.until : results.find((result) => result.overSince !== undefined)?.overSince;
    const failures = [...results.flatMap(({ errors }) => errors), ...(found?.ok === false ? [found.why] : [])];
    const none = `there is no active silence ${quote(id)}; --list shows those that are active`;
    const errors = !hasEnded && overSince === undefined && failures.length === 0 ? [none] : failures;
    reportErrors(errors);
    if (errors.length > 0) code = 1;
    if (hasEnded) printLine(`ended ${id}`);
    else if (overSince !== undefined) printLine(`${id} had already ended at ${formatMinute(overSince)}`);
  }
  return code;
}

/** A silence or work in the words of Alertmanager. */
type Listed = Omit<Silence, 'status'> & { readonly status: { readonly state: string }; readonly at: readonly string[] };

const toListed = ({ id, subnet, component, name, from, until, by, reason }: StoredWork, at: readonly string[]) => ({
  id,
  matchers: Object.entries({ subnet, component, name }).flatMap(([label, value]) =>
    value === undefined ? [] : [{ name: label, value }],
  ),
  startsAt: new Date(from).toISOString(),
  endsAt: new Date(until).toISOString(),
  createdBy: by,
  comment: reason,
  status: { state: 'active' },
  at,
});

/** Lists the work that is announced, and the silences that subnetd did not make. */
export async function listWork({ clients, withStore }: Way, json = false): Promise<ExitCode> {
  const { silences, errors } = await listSilences(clients);
  const read = await withStore?.((store) => store.list(Date.now()));
  const works = read?.ok ? read.value : [];
  const own = new Set(works.flatMap((work) => work.silences));
  const addressesOf = (work: StoredWork) =>
    silences.filter(({ id }) => work.silences.includes(id)).map(({ address }) => address);
  const listed: readonly Listed[] = [
    ...works.map((work) => toListed(work, ['subnetd', ...addressesOf(work)])),
    ...silences.filter(({ id }) => !own.has(id)).map((silence) => ({ ...silence, at: [silence.address] })),
  ];
  if (json) printLine(toJson(listed, 2));
  for (const { id, matchers, endsAt, createdBy, comment, at } of json ? [] : listed) {
    const what = matchers.map(({ name, value }) => `${escapeText(name)}=${quote(value)}`).join(' ');
    printLine(`${id}  until ${endsAt}  ${what}  by ${quote(createdBy)}: ${quote(comment)}  at ${at.join(', ')}`);
  }
  const failures = [...errors, ...(read?.ok === false ? [read.why] : [])];
  reportErrors(failures);
  if (!json && listed.length === 0 && failures.length === 0) report(['nothing is announced']);
  return failures.length === 0 ? 0 : 1;
}
