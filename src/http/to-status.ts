import type { Snapshot } from '../model/snapshot.ts';

/** `/status.json`: times are ISO 8601 in UTC, `lastRun` is null before the first run. */
export interface Status {
  readonly subnets: readonly {
    readonly name: string;
    readonly targets: readonly {
      readonly component: string;
      readonly name: string;
      readonly checks: readonly {
        readonly check: string;
        readonly verdict: string;
        readonly reason: string;
        readonly since: string;
        readonly lastRun: string | null;
      }[];
    }[];
  }[];
}

const toIso = (wallMs: number): string => new Date(wallMs).toISOString();

/** A snapshot in the shape of `/status.json`; `toWall` is the clock's. */
export const toStatus = (snapshot: Snapshot, toWall: (at: number) => number): Status => ({
  subnets: snapshot.map(({ subnet, targets }) => ({
    name: subnet.name,
    targets: targets.map(({ target, checks }) => ({
      component: target.component,
      name: target.name,
      checks: checks.map(({ check, verdict, reason, since, lastRun }) => ({
        check,
        verdict,
        reason,
        since: toIso(toWall(since)),
        lastRun: lastRun === undefined ? null : toIso(toWall(lastRun)),
      })),
    })),
  })),
});
