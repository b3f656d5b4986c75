import { isMuted, type Problem } from './problem.ts';
import { type ProblemKind, type ProblemName, pagesFor, problemCatalog } from './problem-catalog.ts';
import { COMPONENTS, type Component } from './target.ts';

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
