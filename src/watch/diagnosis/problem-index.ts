import { type ProblemRef, problemKey } from '../../model/problem.ts';

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
