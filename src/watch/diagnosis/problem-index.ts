import type { ProblemRef } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { Component } from '../../model/target.ts';

/** Problems by name and subject, in the order in which each was first set. */
export interface ProblemIndex<T extends ProblemRef> {
  readonly values: readonly T[];
  get(ref: ProblemRef): T | undefined;
}

/** An index that is being made. A problem takes the place of another one with the same name and subject. */
export interface ProblemIndexMaker<T extends ProblemRef> extends ProblemIndex<T> {
  set(one: T): void;
}

/** Three maps, one in the other: for tens of thousands of problems, three lookups cost less than to make a key of one text. */
export function createProblemIndex<T extends ProblemRef>(): ProblemIndexMaker<T> {
  const values: T[] = [];
  const places = new Map<ProblemName, Map<Component | undefined, Map<string | undefined, number>>>();
  return {
    values,
    get: ({ problem, component, name }) => {
      const place = places.get(problem)?.get(component)?.get(name);
      return place === undefined ? undefined : values[place];
    },
    set: (one) => {
      const { problem, component, name } = one;
      let byComponent = places.get(problem);
      if (byComponent === undefined) {
        byComponent = new Map();
        places.set(problem, byComponent);
      }
      let byName = byComponent.get(component);
      if (byName === undefined) {
        byName = new Map();
        byComponent.set(component, byName);
      }
      const place = byName.get(name) ?? values.length;
      byName.set(name, place);
      values[place] = one;
    },
  };
}

/** Indexes problems; of two that are the same the last one counts. */
export function indexProblems<T extends ProblemRef>(problems: readonly T[]): ProblemIndex<T> {
  const index = createProblemIndex<T>();
  for (const one of problems) index.set(one);
  return index;
}
