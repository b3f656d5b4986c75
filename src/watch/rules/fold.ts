import type { Facts, PageFacts, ServiceFacts } from '../../model/facts.ts';
import type { PageObservation, QueueFacts, RelayerQueue, ServiceObservation } from '../../model/observation.ts';
import type { Observation, Observations, ProbeKind } from '../../model/prober.ts';
import type { CheckSettings } from '../../model/target.ts';
import { foldContainer } from './fold-container.ts';
import { foldNode } from './fold-node.ts';

/** When it was read, the height that at least half of the nodes had then, and the settings of its subnet. */
interface Context {
  readonly at: number;
  /** The same in wall time. */
  readonly wallAt?: number;
  readonly reference?: number | undefined;
  readonly settings: CheckSettings;
}

function foldQueue(known: readonly QueueFacts[] | undefined, queue: RelayerQueue, at: number): QueueFacts {
  const before = known?.find(({ mode }) => mode === queue.mode);
  // Jobs are kept until the relayer starts again.
  if (!before || queue.completed < before.completed || queue.failed < before.failed) return { ...queue, since: at };
  const completedAt = queue.completed > before.completed ? at : before.completedAt;
  const failedAt = queue.failed > before.failed ? at : before.failedAt;
  return { ...queue, since: before.since, completedAt, failedAt };
}

/** Adds an answer of a service. What its queues have shown stays while it does not answer. */
export function foldService(before: ServiceFacts | undefined, observation: ServiceObservation, context: Context) {
  const { at, reference = 0, settings } = context;
  const { queues: read, stats } = observation.ok ? observation.value : {};
  // The reference is at most some seconds old, and so rather too low.
  const blocks = stats?.newest === undefined ? 0 : reference - stats.newest;
  const behind = blocks > settings.rpc.maxLag ? { since: before?.stats?.behind?.since ?? at, blocks } : undefined;
  return {
    observation,
    queues: read?.map((queue) => foldQueue(before?.queues, queue, at)) ?? before?.queues,
    stats: stats && { reading: stats, ...(behind && { behind }) },
  };
}

function countErrors(observation: PageObservation): number {
  if (observation.kind === 'no-browser') return 0;
  if (observation.kind === 'no-page') return 1;
  return observation.consoleErrors + observation.exceptions + observation.failedRequests;
}

export const foldPage = (previous: PageFacts | undefined, observation: PageObservation): PageFacts => ({
  observation,
  errors: (previous?.errors ?? 0) + countErrors(observation),
});

const folds: {
  readonly [Kind in ProbeKind]: (before: Facts[Kind], seen: Observations[Kind], context: Context) => Facts[Kind];
} = {
  node: (before, seen, { settings: { rpc }, ...limits }) => foldNode(before, seen, { ...limits, ...rpc }),
  container: (before, seen, { at }) => foldContainer(before, seen, at),
  service: foldService,
  page: foldPage,
  // Followers have already folded each line.
  logs: (_, seen) => seen,
};

/** Folds an observation into the facts of its target. */
export const fold = <Kind extends ProbeKind>(facts: Facts, one: Observation<Kind>, context: Context): Facts => ({
  ...facts,
  [one.kind]: folds[one.kind](facts[one.kind], one.seen, context),
});
