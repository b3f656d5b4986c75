import { formatDuration } from '../../lib/duration.ts';
import type { Suspicion } from '../../model/problem.ts';
import { explain } from './explain-checks.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';

function findBehind(server: TargetView, now: number): Suspicion | undefined {
  const { target, facts } = server.state;
  const { behind, reading } = facts.service?.stats ?? {};
  if (behind === undefined) return undefined;
  return {
    problem: 'stats_stale',
    component: target.component,
    name: target.name,
    summary: 'the stats server is behind the nodes',
    evidence: `its newest block is ${reading?.newest}, ${behind.blocks} below that of the nodes, for ${formatDuration(Math.max(now - behind.since, 0))}`,
    fix: 'check STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes: none sends it blocks, or only one that is behind',
    explains: explain(server, 'block_data', 'history_data'),
    causes: [],
  };
}

/** What the stats server says of the chain, beside what the nodes say of it. */
export const findStatsProblems = ({ services, now }: SubnetView): readonly Suspicion[] =>
  services.flatMap((server) => findBehind(server, now) ?? []);
