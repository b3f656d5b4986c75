import { problemKey } from '../model/problem.ts';
import { findContainerProblems } from './find-container-problems.ts';
import { findNodeProblems } from './find-node-problems.ts';
import { findSubnetProblems } from './find-subnet-problems.ts';
import type { Found } from './found.ts';
import type { SubnetView } from './subnet-view.ts';

const checkKey = ({ component, name, check }: Found['explains'][number]): string => `${component}/${name}/${check}`;

/**
 * The causes that explain what is wrong in a subnet now. What another problem causes is left out, and each failing check is
 * explained by the first problem only: containers before nodes before the subnet.
 */
export function diagnose(view: SubnetView): readonly Found[] {
  const found = [...findContainerProblems(view), ...findNodeProblems(view), ...findSubnetProblems(view)];
  const caused = new Set(
    found.flatMap(({ causes }) =>
      causes.map(({ problem, name }) =>
        problemKey({ problem, ...(name !== undefined && { component: 'node', name }) }),
      ),
    ),
  );
  const explained = new Set<string>();
  return found
    .filter((one) => !caused.has(problemKey(one)))
    .map((one) => {
      const explains = one.explains.filter((each) => !explained.has(checkKey(each)));
      for (const each of explains) explained.add(checkKey(each));
      return { ...one, explains };
    });
}
