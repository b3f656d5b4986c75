import type { KeyValues, PlatformStore } from '../model/platform-store.ts';
import { type ApiRecord, parametersOf, type Resource, STAMPS, type Value } from '../model/resource.ts';
import { type Actor, callerOf } from './actor.ts';
import type { CallDeps } from './call.ts';
import { type Body, checkDigits } from './check-value.ts';
import { type CheckedWrite, checkWrite } from './check-write.ts';
import { type Failure, fail, type Outcome, succeed } from './outcome.ts';
import { recordTag } from './record-tag.ts';
import { addOnce, refuseTaken, updateKnown } from './write-record.ts';

/** A row of a table: texts by the names of the members, and the id of the record that it changes, if any. */
export type ImportRow = Readonly<Record<string, string>>;

/** What a member becomes; `from` is null in a new record. */
interface ImportedValue {
  readonly from: Value;
  readonly to: Value;
}

/** What a row does. `changes` are by member. */
export type RowOutcome =
  | { readonly kind: 'add' | 'change'; readonly changes: Readonly<Record<string, ImportedValue>> }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** The columns of a table of records: what a row may set, and what is only told. */
export const importColumns = (
  resource: Resource,
): { readonly set: readonly string[]; readonly told: readonly string[] } => ({
  set: [resource.idMember, ...parametersOf(resource).map(({ name }) => name)],
  told: [
    ...resource.members.flatMap((member) => (member.kind === 'reference' ? [member.to.idMember] : [])),
    ...STAMPS.map(([name]) => name),
  ],
});

/** A row that would be written. */
interface PlannedRow {
  readonly body: Body;
  readonly record: ApiRecord | undefined;
  readonly key: KeyValues;
  readonly outcome: Exclude<RowOutcome, { readonly kind: 'refused' }>;
}

/** What the values that a row sends change in the record. */
function changesOf(resource: Resource, { values }: CheckedWrite, body: Body, record: ApiRecord | undefined) {
  const changes: Record<string, ImportedValue> = {};
  for (const member of parametersOf(resource)) {
    const { name, kind } = member;
    const isReference = kind === 'reference';
    const before = record?.[isReference ? member.to.idMember : name];
    if (before === values[name]) continue;
    // A reference is known by its name.
    const to = isReference ? String(body[name]) : (values[name] ?? null);
    changes[name] = { from: record?.[name] ?? null, to };
  }
  return changes;
}

async function findRecord(store: PlatformStore, resource: Resource, text: string): Promise<Outcome<ApiRecord>> {
  const { idMember, noun, codes } = resource;
  const id = checkDigits(text, idMember);
  if (!id.ok) return id;
  const record = await store.find(resource, id.value);
  return record ? succeed(record) : fail(codes.missing, `${idMember}: there is no ${noun} with that id`);
}

/**
 * What a row does, without doing it. A row with an id changes that record and keeps what it does not name; one without adds a record,
 * which is in use unless it says otherwise.
 */
async function planRow(actor: Actor, resource: Resource, row: ImportRow): Promise<Outcome<PlannedRow>> {
  const { store } = actor;
  const { owner } = callerOf(actor);
  const { idMember, flag } = resource;
  const named = row[idMember] ? await findRecord(store, resource, row[idMember]) : undefined;
  if (named?.ok === false) return named;
  const record = named?.value;
  const body: Record<string, unknown> =
    record === undefined ? { CreateBy: owner } : { [idMember]: record[idMember], UpdateBy: owner };
  for (const { name, kind } of parametersOf(resource)) {
    const sent = row[name];
    // A cell that is left empty is an empty text, which the API refuses, but for a flag.
    if (sent !== undefined && !(sent === '' && kind === 'boolean')) body[name] = sent;
    else if (record !== undefined) body[name] = record[name];
    else if (name === flag.member) body[name] = !flag.outOfUse;
  }
  const checked = await checkWrite(store, resource, body, record && String(owner));
  if (!checked.ok) return checked;
  const taken = await refuseTaken(store, resource, checked.value);
  if (taken !== undefined) return taken;
  const changes = changesOf(resource, checked.value, body, record);
  const kind = record === undefined ? 'add' : 'change';
  const outcome = Object.keys(changes).length === 0 ? ({ kind: 'same' } as const) : ({ kind, changes } as const);
  return succeed({ body, record, key: checked.value.key, outcome });
}

async function writeRow(
  actor: Actor,
  resource: Resource,
  { body, record, outcome }: PlannedRow,
  deps: CallDeps,
): Promise<RowOutcome> {
  if (outcome.kind === 'same') return outcome;
  const { owner } = callerOf(actor);
  const update = { updatedBy: String(owner), body, ifMatch: record ? recordTag(record) : null };
  const written =
    record === undefined
      ? await addOnce(actor, resource, body, null, deps)
      : await updateKnown(actor, resource, update, deps);
  return written.ok ? outcome : { kind: 'refused', failure: written.failure };
}

/**
 * What each of the rows does to a list. A dry run changes nothing. Otherwise the rows are carried out one after the other, each by
 * the rules of the API and with its own line in the audit trail; one that is refused does not stop the others.
 */
export async function importRecords(
  actor: Actor,
  {
    resource,
    rows,
    isDryRun,
  }: { readonly resource: Resource; readonly rows: readonly ImportRow[]; readonly isDryRun: boolean },
  deps: CallDeps,
): Promise<readonly RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  // By how a spreadsheet counts them, below a row of headings.
  const [member = ''] = resource.naturalKey;
  const seen = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const planned = await planRow(actor, resource, row);
    if (!planned.ok) {
      outcomes.push({ kind: 'refused', failure: planned.failure });
      continue;
    }
    // In a dry run nobody has written the row before.
    const key = JSON.stringify(planned.value.key);
    const before = seen.get(key);
    seen.set(key, index);
    if (before !== undefined)
      outcomes.push({
        kind: 'refused',
        failure: fail(resource.codes.duplicate, `${member} is that of row ${before + 2} too; choose another`).failure,
      });
    else outcomes.push(isDryRun ? planned.value.outcome : await writeRow(actor, resource, planned.value, deps));
  }
  return outcomes;
}
