import type { FleetMember, FleetStore, FleetSubnet } from '../model/fleet.ts';
import type { PlainSql } from './run-sql.ts';
import { rawSql, rowsSql, sql } from './sql.ts';

interface MemberRow {
  readonly instance: string;
  readonly shard: number;
  readonly total: number;
  readonly beat: number;
  readonly written_at: string;
  readonly subnets: string;
}

const COLUMNS = rawSql('instance, shard, total, beat, written_at, subnets');

/** Another version may have written what this one cannot read: its subnets are then unknown, and the instance is there. */
function parseSubnets(text: string): readonly FleetSubnet[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((one) => Array.isArray(one?.problems)) : [];
  } catch {
    return [];
  }
}

const toMember = ({ instance, shard, total, beat, written_at, subnets }: MemberRow): FleetMember => ({
  instance,
  shard: { index: shard, total },
  beat,
  writtenAt: Date.parse(written_at),
  subnets: parseSubnets(subnets),
});

/** The instances that share a database. */
export function createFleetTable({ run }: PlainSql): FleetStore {
  return {
    write: async ({ instance, shard, beat, writtenAt, subnets }) => {
      const cells = [
        instance,
        shard.index,
        shard.total,
        beat,
        new Date(writtenAt).toISOString(),
        JSON.stringify(subnets),
      ];
      await run(sql`
        insert into fleet_member (${COLUMNS}) values ${rowsSql([cells])}
        on conflict (instance) do update set
          shard = excluded.shard, total = excluded.total, beat = excluded.beat,
          written_at = excluded.written_at, subnets = excluded.subnets`);
    },
    list: async () => (await run<MemberRow>(sql`select ${COLUMNS} from fleet_member order by instance`)).map(toMember),
    trim: async (before) =>
      void (await run(sql`delete from fleet_member where written_at < ${new Date(before).toISOString()}`)),
  };
}
