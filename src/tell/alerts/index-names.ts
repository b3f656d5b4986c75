import type { TargetState } from '../../model/snapshot.ts';

/** Whether a subnet has the target that something is about. True of what is about the whole subnet and has no name. */
export type HasSubject = (subject: Readonly<Partial<Record<'component' | 'name', string | undefined>>>) => boolean;

/** The names are collected once, when the first of what may be thousands of problems or alerts asks. */
export function indexNames(targets: readonly Pick<TargetState, 'target'>[]): HasSubject {
  let names: ReadonlySet<string> | undefined;
  return ({ component, name }) => {
    if (name === undefined) return true;
    names ??= new Set(targets.map(({ target }) => `${target.component} ${target.name}`));
    return names.has(`${component} ${name}`);
  };
}
