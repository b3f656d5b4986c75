import { joinAnd } from '../../../lib/list-names.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { SubnetView } from '../subnet-view.ts';
import { describeWhere } from './describe-where.ts';

/** A relayer whose queue page lets anyone change its jobs. */
export function findQueueExposures({ services }: SubnetView): readonly Suspicion[] {
  return services.flatMap(({ state: { target }, setup: { queues } }): readonly Suspicion[] => {
    const where = queues?.ok ? describeWhere(queues.value.servedAt) : undefined;
    if (!queues?.ok || where === undefined || where.reach === 'loopback' || queues.value.writable.length === 0)
      return [];
    return [
      {
        problem: 'queues_open',
        component: target.component,
        name: target.name,
        summary: 'anyone can change the jobs of the relayer on its queue page',
        evidence: `at ${where.text} the queue page of the relayer is not read-only for ${joinAnd(queues.value.writable)}: anybody there can repeat, pause and remove its jobs without a password`,
        fix: `make it read-only with readOnlyMode: true, as the stock relayer does, or publish the port as 127.0.0.1:${where.port}:${where.port} in docker-compose.yml`,
        explains: [],
        causes: [],
      },
    ];
  });
}
