import type { ProblemPlan } from '../../model/problem.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { subjectKey } from '../../model/target.ts';

/** Whether a subnet has the target that something is about. True of what is about the whole subnet and has no name. */
export type HasSubject = (subject: Readonly<Partial<Record<'component' | 'name', string | undefined>>>) => boolean;

/** The names are collected once, when the first of what may be thousands of problems or alerts asks. */
export function indexNames(targets: readonly Pick<TargetState, 'target'>[]): HasSubject {
  let names: ReadonlySet<string> | undefined;
  return ({ component, name }) => {
    if (name === undefined) return true;
    names ??= new Set(targets.map(({ target }) => subjectKey(target)));
    return names.has(subjectKey({ component, name }));
  };
}

/** An alert's identity in Alertmanager: alertname, severity and what it is about. A value would make it another alert. */
export type AlertLabels = Readonly<Record<string, string>>;

/** The texts of an alert; the newest replace earlier ones. */
export type AlertAnnotations = Readonly<Record<string, string>>;

/** What is known of one alert beyond the texts of its rule. Alertmanager gets it within the description. */
export interface AlertDetails {
  /** What is wrong, without the subnet: `subnet2 is down`. */
  readonly summary: string;
  /** What was seen. */
  readonly evidence: string;
  /** What to do. */
  readonly fix: string;
  /** What it consists of, where that may change: the names of nodes. */
  readonly about?: string;
  /** It is not seen any more, and is over if it stays away. */
  readonly isClearing?: true;
  /** It was found before subnetd was started, as its evidence says. When it was seen last is not known. */
  readonly isRestored?: true;
}

/** What is wrong and what to do first, for comparison: a number, a share or a duration that differs makes no other cause. */
export const causeOf = (details: AlertDetails | undefined): string =>
  `${details?.summary}; ${details?.fix?.split(';')[0]}`.replaceAll(
    /(?<![\w-])(?:\d[\d.,]*(?:ms|[dhms%])?(?!\w) ?)+/g,
    '#',
  );

/**
 * The result of one judgement for one alert instance. `active`: its condition holds, whether or not it already fires.
 * `unknown`: it cannot be judged now, so its alert stays as it is. Without a finding it is clear, or no longer watched.
 */
export type AlertFinding =
  | {
      readonly state: 'active';
      readonly labels: AlertLabels;
      readonly annotations: AlertAnnotations;
      readonly details?: AlertDetails | undefined;
      /** How long it must be active before it fires, in milliseconds. */
      readonly forMs: number;
      /** How long it must be clear before it is resolved, in milliseconds. */
      readonly keepFiringForMs: number;
      /** The planned work that covers what it is about. */
      readonly planned?: ProblemPlan | undefined;
      /** When what shows it was read, where that may be some time ago. */
      readonly readAt?: number | undefined;
      /** Since when what it reports lasts, of a problem. */
      readonly since?: number | undefined;
    }
  | {
      readonly state: 'unknown';
      readonly labels: AlertLabels;
      /** What is known of it all the same, where something graver covers it. */
      readonly details?: AlertDetails | undefined;
      /** It follows from something graver, and is not listed beside that. */
      readonly isCovered?: true | undefined;
      /** It is no more than suspected. */
      readonly isSuspected?: true | undefined;
      /** When what is known of it was read, where that may be some time ago. */
      readonly readAt?: number | undefined;
      /** Since when what is known of it lasts. */
      readonly since?: number | undefined;
      /** What was told is seen to be over, though what brought it is not over for sure. */
      readonly isOver?: true | undefined;
    };

/** An alert that is, or recently was, pending or firing. Times are watched time in memory, and wall time in the database. */
export interface TrackedAlert {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly details?: AlertDetails | undefined;
  readonly keepFiringForMs: number;
  readonly phase: 'pending' | 'firing' | 'resolved';
  /** When it became active. */
  readonly activeAt: number;
  /** When it was last seen active, by the reading that showed it. While it is clearing, that lies in the past. */
  readonly seenAt: number;
  readonly firedAt?: number;
  /** Since when it is seen to be over, though it still fires: it clears, or something graver hides it. */
  readonly overAt?: number | undefined;
  /** When the one before ended, if this one is about others, or began after that was over. */
  readonly otherSeenAt?: number | undefined;
  /** Since when it has the cause that it has now; absent while that is the first one. */
  readonly causeAt?: number | undefined;
  /** While it fires: since when it is clear. */
  readonly clearSince?: number;
  readonly resolvedAt?: number;
  /**
   * It is stored as firing, but whoever read it has judged without the database and does not find it: it may have ended meanwhile.
   * Nobody is notified of it until it is found, or of its end.
   */
  readonly isUnconfirmed?: true;
  /** Something graver brings it, so that nobody is told what was last known of it. */
  readonly isCovered?: true | undefined;
  /** It fires as it may last, but is no more than suspected now: it inhibits nothing. */
  readonly isSuspected?: true | undefined;
  /** What was last seen of it for sure, since its words are those of a suspicion: what it ends with, if that comes to nothing. */
  readonly foundAs?: Pick<TrackedAlert, 'details' | 'seenAt'> | undefined;
  /** It is resolved, but may last or is covered after all: nobody who has not been told of its end is told now. */
  readonly isDoubted?: true;
  /** The planned work that covers it, its end in wall time. It ends with the work, or when the alert is resolved. */
  readonly planned?: ProblemPlan;
  /** It fires since the work began, and nobody is notified of it before the work ends. */
  readonly isHeld?: true;
}

/** Whether people may be notified of an alert now: it fires for sure or is resolved, and planned work does not hold it back. */
export const mayNotify = ({ phase, isHeld, isUnconfirmed }: TrackedAlert): boolean =>
  phase !== 'pending' && isHeld !== true && isUnconfirmed !== true;

/** The key of an alert, independent of the order of its labels. */
export const alertKey = (labels: AlertLabels): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** By key. */
export type TrackedAlerts = ReadonlyMap<string, TrackedAlert>;

/** Keeps alerts across restarts, in wall time. Every function rejects when the database fails. */
export interface TrackedAlertStore {
  load(): Promise<readonly TrackedAlert[]>;
  save(changed: TrackedAlerts, gone: readonly string[]): Promise<void>;
  /** A text that differs from the last one if a shared alert was written since. Undefined where to load them all costs no more. */
  version(): Promise<string | undefined>;
}
