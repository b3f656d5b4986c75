import type { Suspicion } from '../../model/problem.ts';
import { type SetupObservation, setupOf } from '../../model/setup.ts';
import { isStopped, listNames, type SubnetView } from '../subnet-view.ts';
import { describeGroups, groupByValue } from './group-by-value.ts';

/** The versions that the running nodes give of themselves. */
function readVersions({ nodes }: SubnetView, setup: SetupObservation): readonly (readonly [string, string])[] {
  return nodes.flatMap((node) => {
    const { client } = setupOf(setup, node.target);
    return client?.ok && client.value.version.ok && !isStopped(node)
      ? [[node.name, client.value.version.value] as const]
      : [];
  });
}

/** Nodes that run different versions of the client. */
export function findClientProblems(view: SubnetView, setup: SetupObservation): readonly Suspicion[] {
  const groups = groupByValue(readVersions(view, setup));
  const [most, ...others] = groups;
  if (most === undefined || others.length === 0) return [];
  const apart = others.flatMap(({ names }) => names);
  return [
    {
      problem: 'client_versions_differ',
      summary: 'the nodes run different versions of the client',
      evidence: describeGroups(groups, ['runs', 'run']),
      fix: `give ${listNames(apart)} the line \`image:\` that ${most.names[0]} has in docker-compose.yml, or the other way round, and recreate one after another with \`docker compose up -d SERVICE\``,
      explains: [],
      causes: [],
    },
  ];
}
