import type { WallMs, WatchedMs } from '../lib/clock.ts';
import { formatSecond } from '../lib/duration.ts';
import type { Planned } from './planned-work.ts';
import { type ProblemKind, type ProblemName, pagesFor, problemCatalog } from './problem-catalog.ts';
import type { ProblemSeverity } from './severity.ts';
import { COMPONENTS, type Component } from './target.ts';
import type { CheckName } from './verdict.ts';

/** A problem by name, and what it is about: one target, or the whole subnet when both are absent. */
export interface ProblemRef {
  readonly problem: ProblemName;
  readonly component?: Component;
  readonly name?: string;
  /** It is suspected while another one with the same name and subject, which is about others, is not over. */
  readonly isNext?: true;
}

/** A problem that was open before a restart is found again within this time, or it is over. */
export const FOUND_AGAIN_MS = 5 * 60_000;

/** A check that fails because of a problem. */
export interface ExplainedCheck {
  readonly component: Component;
  readonly name: string;
  readonly check: CheckName;
}

/** A cause found in the facts of one moment. */
export interface Suspicion extends ProblemRef {
  /** What is wrong, as the end of "because …". */
  readonly summary: string;
  /** What was seen, with numbers. */
  readonly evidence: string;
  /** What to do or to type. */
  readonly fix: string;
  readonly explains: readonly ExplainedCheck[];
  /** When the reading that shows it was made, where nothing newer is known until the next one. */
  readonly readAt?: WatchedMs | undefined;
  /** How long the evidence goes back, where that is known: it counts as if it had been found since then. */
  readonly lastedMs?: number | undefined;
  /** When it began, where Docker has the moment. It is confirmed by what is found from now on all the same. */
  readonly begunAt?: WatchedMs | undefined;
  /** It has happened, and what it brought is over, so that what is found now has another cause. */
  readonly isPast?: boolean;
  /** How long it must be found before it is open, where that differs from others of its name. */
  readonly confirmMs?: number | undefined;
  /**
   * What it consists of, as names, or when it happened. It is another problem while it is suspected when one of them is gone: nodes
   * restarted in turn are not a risk. Later it is another one when they have no name in common.
   */
  readonly about?: string;
  /** Of a problem of the whole subnet: the nodes that cause it. Planned work on all of them covers it. */
  readonly nodes?: readonly string[];
  /** Of a halt: from when on its fix says to restart nodes. */
  readonly restartAt?: WatchedMs | undefined;
  /** Of a halt: how many masternodes see each other at most, where that is fewer than must vote. */
  readonly together?: number | undefined;
  /** Problems that follow from this one. They are not listed and raise no alert. */
  readonly causes: readonly ProblemRef[];
}

/** `suspected`: shown, but not paged; `open`: confirmed; `clearing`: no longer found, but not for long enough. */
export type ProblemState = 'suspected' | 'open' | 'clearing';

/** The planned work that covers a problem. */
export interface ProblemPlan extends Planned {
  /** Whether nobody is notified of the problem, as it opened during the work. */
  readonly mutes: boolean;
}

/** A cause over its life. */
export interface Problem extends Suspicion {
  readonly severity: ProblemSeverity;
  readonly alert: string;
  readonly state: ProblemState;
  /** When it was first found, or once it is open, when it began. */
  readonly since: WatchedMs;
  /** When it was last found. */
  readonly seenAt: WatchedMs;
  readonly openedAt?: WatchedMs;
  /** Since when it has not been found, while it is clearing. */
  readonly clearingSince?: WatchedMs;
  /** When it was taken over from an earlier process of subnetd; absent once it is found again. */
  readonly restoredAt?: WatchedMs;
  /** While planned work covers it. */
  readonly planned?: ProblemPlan | undefined;
  /** Who is on it, where people read it. */
  readonly acknowledged?: Acknowledgement | undefined;
}

/** A problem that is over. When it comes back within its reopen window, it is soon open again. */
export interface EndedProblem extends ProblemRef {
  readonly about?: string | undefined;
  /** What was wrong, as the end of "because …". */
  readonly summary: string;
  readonly since: WatchedMs;
  /** When it was last found. */
  readonly seenAt: WatchedMs;
  readonly openedAt?: WatchedMs | undefined;
  readonly endedAt: WatchedMs;
  /** It ended while it was found, as something graver hid it. When that is gone it may come back as the same, however long it takes. */
  readonly isHidden?: boolean;
  /** The checks that it explained and that have not been observed since it was last found, but still fail. */
  readonly explains: readonly ExplainedCheck[];
}

/** The longest name of who is on a problem, in characters. */
export const LONGEST_NAME = 80;

/** Somebody has said that they are on it; `at` is wall time. */
export interface Acknowledgement {
  readonly at: number;
  readonly by: string;
}

/** What identifies a problem within its subnet. Words and evidence may change while it lasts. */
export const problemKey = ({ problem, component, name, isNext }: ProblemRef): string =>
  `${problem} ${component ?? ''} ${name ?? ''}${isNext ? ' next' : ''}`;

/** What is compared of two findings of one name and subject. */
type About = { readonly about?: string | undefined } | undefined;

const namesOf = (each: About): ReadonlySet<string> => new Set(each?.about?.split(/,? /) ?? ['']);

/** Whether one is about others than the other, so that it has its own begin and end. Nodes that join or leave what lasts do not change it. */
export const isAboutOthers = (one: About, other: About): boolean => namesOf(one).isDisjointFrom(namesOf(other));

/** Whether one is about all that the other is about, and maybe more. */
export const isAboutAllOf = (one: About, other: About): boolean => namesOf(one).isSupersetOf(namesOf(other));

/** Whether a problem is confirmed, so that metrics and alerts show it. */
export const isStanding = ({ state }: Problem): boolean => state !== 'suspected';

/** What was seen, as people read it: what is no longer found has its time, as its durations are of then. */
export function describeEvidence(problem: Problem, toWall: (at: WatchedMs) => WallMs): string {
  const { state, seenAt, readAt = seenAt, restoredAt, evidence } = problem;
  // What an earlier process of subnetd has seen says so itself.
  const isSeenEarlier = state === 'clearing' && restoredAt === undefined;
  return `${isSeenEarlier ? `seen at ${formatSecond(toWall(readAt))}: ` : ''}${evidence}`;
}

/** What follows from a halt, so that it is not listed beside it. */
export const COVERED_BY_HALT: readonly ProblemRef[] = [
  { problem: 'quorum_at_risk' },
  { problem: 'finality_stalled' },
  { problem: 'next_epoch_at_risk' },
];

/** By then what follows from a problem that clears is found by itself, if it is still so. */
const FOUND_ITSELF_MS = 60_000;

/** Whether what follows from a problem may still be so although it is not found: until it has been clearing for a while. */
export const mayCover = ({ clearingSince }: Problem, now: WatchedMs): boolean =>
  clearingSince === undefined || now - clearingSince < FOUND_ITSELF_MS;

/** A message waits for so long for what else comes, so nobody is told of what is over by then. */
export const TOLD_AFTER_MS = 15_000;

/** Whether nobody is notified of a problem, because it opened during planned work. */
export const isMuted = ({ planned }: Pick<Problem, 'planned'>): boolean => planned?.mutes === true;

/** The end of what is said of a container that crashed once and runs again. */
export const CRASHED_ONCE = 'has crashed and was restarted';

/** What to do about a problem that is not found any more. */
export const NOTHING_TO_DO = 'nothing to do about this: it is over unless it comes back';

/** The components for whose warnings one of these problems of a subnet pages. A muted problem pages for none. */
export function findPagedFor(problems: readonly Problem[]): ReadonlySet<Component> {
  // There may be thousands of problems, but few names.
  const names = new Set<ProblemName>();
  for (const one of problems) if (!isMuted(one)) names.add(one.problem);
  return new Set(COMPONENTS.filter((component) => [...names].some((problem) => pagesFor(component, problem))));
}

/** Whether a problem is a warning about one of these components. */
export function isWarningOf({ problem, component, severity }: Problem, components: ReadonlySet<Component>): boolean {
  const { isAboutNodes }: ProblemKind = problemCatalog[problem];
  const about = component ?? (isAboutNodes ? 'node' : undefined);
  return severity === 'warning' && about !== undefined && components.has(about);
}

/** Problems by name and subject, in the order in which each was first set. */
export interface ProblemIndex<T extends ProblemRef> {
  readonly values: readonly T[];
  get(ref: ProblemRef): T | undefined;
}

/** An index that is being made. A problem takes the place of another one with the same name and subject. */
export interface ProblemIndexMaker<T extends ProblemRef> extends ProblemIndex<T> {
  set(one: T): void;
}

/** Indexes problems; of two that are the same the last one counts. */
export function indexProblems<T extends ProblemRef>(problems: readonly T[]): ProblemIndexMaker<T> {
  const byKey = new Map(problems.map((one) => [problemKey(one), one]));
  return {
    get values() {
      return [...byKey.values()];
    },
    get: (ref) => byKey.get(problemKey(ref)),
    set: (one) => byKey.set(problemKey(one), one),
  };
}
