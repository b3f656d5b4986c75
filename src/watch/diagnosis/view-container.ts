import { isLooping, START_MS } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { answersAnyway, type ContainerView } from './subnet-view.ts';

const UNKNOWN: ContainerView = { kind: 'unknown' };

/** The container of a target, as far as Docker was asked. */
export function viewContainer(state: TargetState): ContainerView {
  const observation = state.facts.container?.observation;
  if (observation === undefined || observation.kind === 'docker-unreachable') return UNKNOWN;
  if (answersAnyway(state)) return { kind: 'elsewhere' };
  if (observation.kind === 'missing') return { kind: 'missing' };
  const { container } = observation;
  if (container.status === 'paused') return { kind: 'paused', container };
  if (container.status === 'restarting') return { kind: 'restarting', container };
  return { kind: container.running ? 'running' : 'stopped', container };
}

/** Whether a time is known and less than so long ago. */
export const within = (at: number | undefined, ms: number, now: number): boolean => at !== undefined && now - at < ms;

const RUNS = { isStarting: false, isLooping: false } as const;

/**
 * Whether a container has run for less than a minute, and whether it is in a loop of crashes. A loop counts as no start.
 * Of a node whose container is not known, its log tells the start.
 */
export function viewStart({ facts }: TargetState, container: ContainerView, now: number) {
  const { observation, latest } = facts.node ?? {};
  const byLog = container.kind === 'unknown' || container.kind === 'elsewhere';
  if (!byLog && container.kind !== 'running') return RUNS;
  const startedAt = byLog ? facts.logs?.node?.startedAt : container.container.startedAt;
  if (startedAt === undefined || now - startedAt >= START_MS) return RUNS;
  // One that has answered since, and no longer does, is not starting any more.
  if (observation?.answered === false && (latest?.lastGoodAt ?? 0) > startedAt) return RUNS;
  if (byLog) {
    // A minute after the first start that brought neither a block nor an answer, another one counts as none.
    const { failedFrom = startedAt } = facts.logs?.node ?? {};
    const loops = startedAt - failedFrom >= START_MS && (latest?.lastGoodAt ?? now) < failedFrom;
    return { isStarting: !loops, isLooping: loops };
  }
  // A node that takes blocks again runs, whatever came before.
  const takesBlocks = observation?.answered === true && latest?.risen === true && latest.advancedAt > startedAt;
  const loops = !takesBlocks && facts.container !== undefined && isLooping(facts.container, now);
  return { isStarting: !loops, isLooping: loops };
}
