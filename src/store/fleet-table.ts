import { toIso } from '../lib/duration.ts';
import type { FleetMember, FleetStore, FleetSubnet } from '../model/fleet.ts';
import { formatShard, parseShard } from '../model/shard.ts';
import type { PlainSql } from './run-sql.ts';
import { insertSql, rawSql, sql } from './sql.ts';

interface MemberRow {
  readonly instance: string;
  readonly shard: number;
  readonly total: number;
  readonly beat: number;
  readonly written_at: string;
  readonly subnets: string;
}

const COLUMNS = rawSql('instance, shard, total, beat, written_at, subnets');

/** Only what a subnetd can have written: a row with a time or a shard that is none would break what is made of all rows. */
function toMembers(
  { instance, shard, total, beat, written_at, subnets }: MemberRow,
  parseSubnets: (text: string) => readonly FleetSubnet[],
): readonly FleetMember[] {
  const writtenAt = Date.parse(written_at);
  const isShard = parseShard(formatShard({ index: shard, total })) !== undefined;
  if (Number.isNaN(writtenAt) || !isShard) return [];
  return [{ instance, shard: { index: shard, total }, beat, writtenAt, subnets: parseSubnets(subnets) }];
}

/** The instances that share a database. */
export function createFleetTable({ run }: PlainSql): FleetStore {
  return {
    write: async ({ instance, shard, beat, writtenAt, subnets }) => {
      const place = { instance, shard: shard.index, total: shard.total };
      const cells = { ...place, beat, written_at: toIso(writtenAt), subnets: JSON.stringify(subnets) };
      const update = `on conflict (instance) do update set shard = excluded.shard, total = excluded.total,
        beat = excluded.beat, written_at = excluded.written_at, subnets = excluded.subnets`;
      await run(insertSql('fleet_member', cells, update));
    },
    list: async () => {
      // zod takes 10 MB, and a daemon without others asks for none.
      const { parseFleetSubnets } = await import('./parse-fleet-subnets.ts');
      const rows = await run<MemberRow>(sql`select ${COLUMNS} from fleet_member order by instance`);
      return rows.flatMap((row) => toMembers(row, parseFleetSubnets));
    },
    trim: async (before) => void (await run(sql`delete from fleet_member where written_at < ${toIso(before)}`)),
  };
}
