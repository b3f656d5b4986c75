import type { Suspicion } from '../model/problem.ts';
import { type ProblemName, problemCatalog } from '../model/problem-catalog.ts';
import type { ShownFailure, TargetState } from '../model/snapshot.ts';
import type { CheckName } from '../model/verdict.ts';
import { explain, explainAll } from './explain-checks.ts';
import type { SubnetView } from './subnet-view.ts';

/** The checks that a failure explains; all of its target where nothing is named. */
const EXPLAINS: Readonly<Partial<Record<ProblemName, readonly CheckName[]>>> = {
  head_regression: [],
  miner_loop_stopped: ['log_block'],
  relayer_idle: ['submissions'],
  wallet_without_funds: ['submissions'],
};

/** What a program that cannot run brings with it. */
const CONSEQUENCES = ['container_down', 'container_restarting'] as const;

const isProblem = (name: string): name is ProblemName => Object.hasOwn(problemCatalog, name);

function toSuspicion(state: TargetState, failure: ShownFailure, problem: ProblemName): Suspicion {
  const { component, name } = state.target;
  const named = EXPLAINS[problem];
  const ends = named === undefined;
  return {
    problem,
    component,
    name,
    summary: `${name} shows the known failure ${problem}`,
    evidence: `${failure.symptom} ${failure.cause}`,
    fix: failure.fix,
    explains: named === undefined ? explainAll(state) : explain(state, ...named),
    causes: ends ? CONSEQUENCES.map((one) => ({ problem: one, component, name })) : [],
  };
}

/** Known failures that targets show. A restart loop that has a known cause is not one of its own. */
export const findKnownFailures = ({ targets }: SubnetView): readonly Suspicion[] =>
  targets.flatMap(({ state }) => {
    const shown = state.shownFailures.flatMap((failure) =>
      isProblem(failure.name) ? [toSuspicion(state, failure, failure.name)] : [],
    );
    const hasCause = shown.some(({ problem, causes }) => problem !== 'silent_restart_loop' && causes.length > 0);
    return hasCause ? shown.filter(({ problem }) => problem !== 'silent_restart_loop') : shown;
  });
