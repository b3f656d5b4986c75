import { toIso } from '../lib/duration.ts';
import type { PlannedWorkStore, StoredWork } from '../model/planned-work.ts';
import type { PlainSql } from './run-sql.ts';
import { rawSql, rowsSql, sql } from './sql.ts';

interface WorkRow {
  readonly id: string;
  readonly subnet: string;
  readonly component: string | null;
  readonly name: string | null;
  readonly from_at: string;
  readonly until_at: string;
  readonly reason: string;
  readonly announced_by: string;
  /** The ids of silences, separated by blanks. */
  readonly silences: string;
}

const COLUMNS = rawSql('id, subnet, component, name, from_at, until_at, reason, announced_by, silences');

const toWork = ({ id, subnet, component, name, reason, ...row }: WorkRow): StoredWork => ({
  id,
  subnet,
  reason,
  ...(component !== null && { component }),
  ...(name !== null && { name }),
  from: Date.parse(row.from_at),
  until: Date.parse(row.until_at),
  by: row.announced_by,
  silences: row.silences.split(' ').filter(Boolean),
});

/** Another program may have written a time that is none, for which there is no text. */
const isWhole = ({ from, until }: StoredWork): boolean => Number.isFinite(from) && Number.isFinite(until);

/** The work that was announced, which the replicas of subnetd share. */
export function createPlannedWork({ run, inTransaction }: PlainSql): PlannedWorkStore {
  return {
    add: async ({ id, subnet, component = null, name = null, from, until, reason, by, silences }) => {
      const cells = [id, subnet, component, name, toIso(from), toIso(until), reason, by, silences.join(' ')];
      await run(sql`insert into planned_work (${COLUMNS}) values ${rowsSql([cells])}`);
    },
    list: async (at) => {
      const rows = await run<WorkRow>(
        sql`select ${COLUMNS} from planned_work where until_at > ${toIso(at)} order by until_at, id`,
      );
      return rows.map(toWork).filter(isWhole);
    },
    end: (id, at) =>
      inTransaction(async (transaction) => {
        const rows = await transaction<WorkRow>(sql`select ${COLUMNS} from planned_work`);
        const work = rows.map(toWork).find((one) => one.id === id || one.silences.includes(id));
        const isOver = work !== undefined && work.until <= at;
        if (work !== undefined && !isOver) await transaction(sql`delete from planned_work where id = ${work.id}`);
        return work;
      }),
    trim: async (before) => void (await run(sql`delete from planned_work where until_at <= ${toIso(before)}`)),
  };
}
