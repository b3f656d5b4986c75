import type { ServiceFacts } from '../model/facts.ts';
import type { ServiceObservation } from '../model/observation.ts';
import type { QueueFacts, RelayerQueue } from '../model/relayer-queue.ts';

function foldQueue(before: QueueFacts | undefined, queue: RelayerQueue, at: number): QueueFacts {
  // Jobs are kept until the relayer starts again.
  const isSame = before !== undefined && queue.completed >= before.completed && queue.failed >= before.failed;
  if (!isSame) return { ...queue, since: at };
  const { since, completed, failed } = before;
  const completedAt = queue.completed > completed ? at : before.completedAt;
  const failedAt = queue.failed > failed ? at : before.failedAt;
  return {
    ...queue,
    since,
    ...(completedAt !== undefined && { completedAt }),
    ...(failedAt !== undefined && { failedAt }),
  };
}

/** Adds an answer of a service. What its queues have shown stays while it does not answer. */
export function foldService(
  before: ServiceFacts | undefined,
  observation: ServiceObservation,
  { at }: { readonly at: number },
): ServiceFacts {
  const read = observation.ok ? observation.value.queues : undefined;
  const queues = read?.map((queue) =>
    foldQueue(
      before?.queues?.find(({ mode }) => mode === queue.mode),
      queue,
      at,
    ),
  );
  const known = queues ?? before?.queues;
  return { observation, ...(known && { queues: known }) };
}
