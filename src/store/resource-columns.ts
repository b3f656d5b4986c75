import type { ApiRecord, Resource, Value } from '../platform/model/resource.ts';
import { PASSWORD_MASK, STAMPS, toNameKey } from '../platform/model/resource.ts';
import { type Cell, joinSql, nameSql, rawSql, sql } from './sql.ts';

/** The first member of a natural key, by which references name the resource. */
export function nameOf(resource: Resource) {
  const member = resource.members.find(({ name }) => name === resource.naturalKey[0]);
  if (member?.kind !== 'text' || member.key === undefined)
    throw new Error(`${resource.name}: the first member of the natural key must be a text with a key`);
  return { ...member, key: member.key };
}

/** The select of a list, without its where. Each column has the name of its member, so a row is already a record. */
export function selectRecords(resource: Resource) {
  const { table, members, idMember } = resource;
  const column = (name: string, as: string) => sql`${nameSql(`${table}.${name}`)} as ${nameSql(as)}`;
  const columns = [column('id', idMember)];
  for (const member of members) {
    if (member.kind === 'password') columns.push(sql`${rawSql(`'${PASSWORD_MASK}'`)} as ${nameSql(member.name)}`);
    else columns.push(column(member.column, member.kind === 'reference' ? member.to.idMember : member.name));
    if (member.kind !== 'reference') continue;
    const to = member.to.table;
    const name = nameSql(`${to}.${nameOf(member.to).column}`);
    const itsId = nameSql(`${to}.id`);
    // Not a join: SQLite plans a join with a parameter again at each run, which takes eight times as long as the
    // answer.
    columns.push(
      sql`(select ${name} from ${nameSql(to)} where ${itsId} = ${nameSql(`${table}.${member.column}`)}) as ${nameSql(member.name)}`,
    );
  }
  for (const [name, of] of STAMPS) columns.push(column(of, name));
  return sql`select ${joinSql(columns, ', ')} from ${nameSql(table)}`;
}

/** Turns a row into a record, in place: only booleans differ. */
export function createToRecord(resource: Resource): (row: Record<string, Value>) => ApiRecord {
  const booleans = resource.members.filter(({ kind }) => kind === 'boolean').map(({ name }) => name);
  return (row) => {
    for (const name of booleans) row[name] = row[name] === 1;
    return row;
  };
}

/** The cells that a request sets, by column. */
export function toCells(resource: Resource, values: Readonly<Record<string, Value>>): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const member of resource.members) {
    const value = values[member.name];
    if (value === undefined) continue;
    cells[member.column] = typeof value === 'boolean' ? Number(value) : value;
    if (member.kind === 'text' && member.key !== undefined)
      cells[member.key.column] = toNameKey(String(value), member.key.ignoresCase);
  }
  return cells;
}

/** The member whose key a failed write repeats; undefined for any other failure. */
export function findDuplicate(resource: Resource, error: unknown): string | undefined {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string };
  const where = code === '23505' ? constraint : code === 'SQLITE_CONSTRAINT_UNIQUE' ? message : undefined;
  return resource.members.find((member) => member.kind === 'text' && member.key && where?.includes(member.key.column))
    ?.name;
}
