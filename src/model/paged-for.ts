import { isMuted, type Problem } from './problem.ts';
import { type ProblemName, pagesFor } from './problem-catalog.ts';
import { COMPONENTS, type Component } from './target.ts';

/** The components for whose warnings one of these problems of a subnet pages. What is muted pages for nothing. */
export function findPagedFor(problems: readonly Problem[]): ReadonlySet<Component> {
  // Each node of thousands may have a problem, but there are few names of problems.
  const names = new Set<ProblemName>();
  for (const one of problems) if (!isMuted(one)) names.add(one.problem);
  return new Set(COMPONENTS.filter((component) => [...names].some((problem) => pagesFor(component, problem))));
}

/** Whether a problem is a warning about one of these components. */
export const isWarningOf = ({ component, severity }: Problem, components: ReadonlySet<Component>): boolean =>
  severity === 'warning' && component !== undefined && components.has(component);
