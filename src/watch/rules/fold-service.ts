import type { ServiceFacts } from '../../model/facts.ts';
import type {
  QueueFacts,
  RelayerQueue,
  ServiceObservation,
  StatsFacts,
  StatsReading,
} from '../../model/observation.ts';

/** When it was read, and the height that at least half of the nodes had then. */
interface Context {
  readonly at: number;
  readonly reference?: number | undefined;
}

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

/** The reference is at most some seconds old, and so rather too low. */
function foldStats(
  before: StatsFacts | undefined,
  reading: StatsReading,
  { at, reference = 0, maxLag }: Context & { readonly maxLag: number },
): StatsFacts {
  const blocks = reading.newest === undefined ? 0 : reference - reading.newest;
  if (blocks <= maxLag) return { reading };
  return { reading, behind: { since: before?.behind?.since ?? at, blocks } };
}

/** Adds an answer of a service. What its queues have shown stays while it does not answer. */
export function foldService(
  before: ServiceFacts | undefined,
  observation: ServiceObservation,
  context: Context,
  maxLag: number,
): ServiceFacts {
  const { queues: read, stats } = observation.ok ? observation.value : {};
  const { at } = context;
  const queues = read?.map((queue) =>
    foldQueue(
      before?.queues?.find(({ mode }) => mode === queue.mode),
      queue,
      at,
    ),
  );
  const known = queues ?? before?.queues;
  return {
    observation,
    ...(known && { queues: known }),
    ...(stats && { stats: foldStats(before?.stats, stats, { ...context, maxLag }) }),
  };
}
