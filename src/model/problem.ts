import type { Component } from './target.ts';
import type { CheckName } from './verdict.ts';

/** How bad a problem is: `critical` pages, `warning` is a ticket, `info` is context. */
export type ProblemSeverity = 'critical' | 'warning' | 'info';

/** What a problem is about: one target, or the whole subnet when both are absent. */
export interface ProblemSubject {
  readonly component?: Component;
  readonly name?: string;
}

/** A check that fails because of a problem. */
export interface ExplainedCheck {
  readonly component: Component;
  readonly name: string;
  readonly check: CheckName;
}

/** A cause found in the facts of one moment. */
export interface Suspicion<Name extends string = string> extends ProblemSubject {
  readonly problem: Name;
  /** One sentence: what is wrong with the subject. */
  readonly summary: string;
  /** What was seen, with numbers. */
  readonly evidence: string;
  /** What to do or to type. */
  readonly fix: string;
  readonly explains: readonly ExplainedCheck[];
  /** Problems of other subjects that this one explains, which raise no alert of their own. */
  readonly causes: readonly { readonly problem: Name; readonly name?: string }[];
}

/** `suspected`: shown, but not paged; `open`: confirmed; `clearing`: no longer found, but not for long enough. */
export type ProblemState = 'suspected' | 'open' | 'clearing';

/** A cause over its life; times in Unix milliseconds. */
export interface Problem<Name extends string = string> extends Suspicion<Name> {
  readonly severity: ProblemSeverity;
  readonly state: ProblemState;
  /** When it was first found. */
  readonly since: number;
  /** When it was last found. */
  readonly seenAt: number;
  readonly openedAt?: number;
  /** Since when it has not been found, while it is clearing. */
  readonly clearingSince?: number;
}

/** What identifies a problem within its subnet. Severity, words and evidence may change while it lasts. */
export const problemKey = ({ problem, component, name }: Pick<Suspicion, 'problem' | 'component' | 'name'>): string =>
  JSON.stringify([problem, component ?? '', name ?? '']);
