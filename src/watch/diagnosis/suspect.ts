import { collect } from '../../lib/values.ts';
import type { ExplainedCheck, ProblemRef, Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import type { CheckName } from '../../model/verdict.ts';
import { hadPeers } from './explain-peers.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';

export type Texts = Pick<Suspicion, 'summary' | 'evidence' | 'fix'>;

type Told = Texts & Partial<Suspicion>;

/** What a finder has found: nothing, where it is undefined. */
export type Found = Suspicion | undefined;

export function findEach<T>(ones: readonly T[], view: SubnetView, ...finders: ((one: T, view: SubnetView) => Found)[]) {
  return ones.flatMap((one) => collect(finders, (find) => find(one, view)));
}

/** A suspicion about a whole subnet. It explains no check and causes no other problem, unless it is told to. */
export const suspect = (problem: ProblemName, told: Told): Suspicion => ({
  problem,
  explains: [],
  causes: [],
  ...told,
});

export const suspectTarget = (problem: ProblemName, { state: { target } }: TargetView, told: Told): Suspicion =>
  suspect(problem, { component: target.component, name: target.name, ...told });

/** Problems of one subject, as what follows from another one. */
export const refsTo = (
  { component, name }: Pick<ProblemRef, 'component' | 'name'>,
  ...problems: readonly ProblemName[]
): readonly ProblemRef[] => problems.map((problem) => ({ problem, component, name }));

/** The failing ones of the named checks of a target. */
export const explain = ({ failing }: TargetView, ...names: readonly CheckName[]): readonly ExplainedCheck[] =>
  failing.filter(({ check }) => names.includes(check));

export const explainEach = (targets: readonly TargetView[], ...names: readonly CheckName[]) =>
  targets.flatMap((target) => explain(target, ...names));

/**
 * All failing checks of a target but its submissions: a relayer that does not submit pages by itself, whatever the cause. Nor does a node
 * that had all its peers after its start lack one because of that.
 */
export function explainAll({ failing, state, container }: TargetView): readonly ExplainedCheck[] {
  const runs = container.kind === 'running' && state.facts.node?.observation.answered === true;
  const hadAll = runs && hadPeers(state, container.container.startedAt ?? 0);
  return failing.filter(({ check }) => check !== 'submissions' && !(check === 'peers' && hadAll));
}

/** The checks of services that fail when the node that the service reads from does. */
export const READ_FROM_NODE: readonly CheckName[] = ['submissions', 'block_data', 'history_data'];
