import type { WallMs } from '../lib/clock.ts';
import { formatMinute } from '../lib/duration.ts';

/** Why something is expected to fail, until when, and who said so. */
export interface Planned {
  readonly reason: string;
  readonly until: WallMs;
  readonly by: string;
}

/** What planned work is about. What is absent matches everything, as in a silence of Alertmanager. */
export interface WorkSubject {
  readonly subnet: string;
  readonly component?: string;
  readonly name?: string;
}

/** Work that was announced. While it lasts, checks run, and nobody is notified of what begins to fail. */
export interface PlannedWork extends WorkSubject, Planned {
  readonly from: WallMs;
}

/** Work that `subnetd silence` has announced. */
export interface StoredWork extends PlannedWork {
  /** A UUID: that of its first silence, if it has one. */
  readonly id: string;
  /** The silences of Alertmanagers that were made with it. */
  readonly silences: readonly string[];
}

/** The announced work in the database, which all instances share. Every function rejects when the database fails. */
export interface PlannedWorkStore {
  add(work: StoredWork): Promise<void>;
  /** The work that ends after then, the first that ends first. */
  list(at: WallMs): Promise<readonly StoredWork[]>;
  /** Removes the work with this id, or with a silence of this id, and resolves to it. What was over then stays. */
  end(id: string, at: WallMs): Promise<StoredWork | undefined>;
  /** Deletes what has ended before then. */
  trim(before: WallMs): Promise<void>;
}

/** Work that the inventory announces: once, or each time that a cron expression of six fields matches in UTC. */
export type MaintenanceWindow = WorkSubject & { readonly reason: string } & (
    | { readonly kind: 'once'; readonly from: WallMs; readonly until: WallMs }
    | { readonly kind: 'cron'; readonly expression: string; readonly lastsMs: number }
  );

/** The work of a subnet that is in force then. */
export const findInForce = (works: readonly PlannedWork[], subnet: string, at: WallMs): readonly PlannedWork[] =>
  works.filter((work) => work.subnet === subnet && work.from <= at && at < work.until);

/** A target, or a whole subnet when both are absent. */
type Subject = Readonly<Partial<Record<'component' | 'name', string | undefined>>>;

const matches = ({ component, name }: PlannedWork, subject: Subject): boolean =>
  (component === undefined || component === subject.component) && (name === undefined || name === subject.name);

/** Of the work in force in a subnet, that which covers the subject and ends last. */
export function findPlanned(inForce: readonly PlannedWork[], subject: Subject): Planned | undefined {
  let found: PlannedWork | undefined;
  for (const work of inForce)
    if (matches(work, subject) && (found === undefined || work.until > found.until)) found = work;
  return found && { reason: found.reason, until: found.until, by: found.by };
}

/** As `planned until 2026-12-01 22:00 UTC: kernel upgrade`. */
export const describePlanned = ({ reason, until }: Pick<Planned, 'reason' | 'until'>): string =>
  `planned until ${formatMinute(until)}: ${reason}`;
