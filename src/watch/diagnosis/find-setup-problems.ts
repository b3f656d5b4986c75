import { listEach, listNames } from '../../lib/words.ts';
import type { ListedContainer, SetupObservation } from '../../model/setup.ts';
import { engineOf } from '../../model/target.ts';
import { formatSkew, isSkewed } from '../rules/judge-log-block.ts';
import { indexContainers } from './index-containers.ts';
import { findContainerSetup } from './setup/find-container-setup.ts';
import { findExposures } from './setup/find-exposures.ts';
import { findNodeDifferences } from './setup/find-node-differences.ts';
import type { SubnetView } from './subnet-view.ts';
import { type Found, suspect } from './suspect.ts';

function findClocks(setup: SetupObservation): Found {
  const wrong = enginesOf(setup).flatMap(([name, { clockAheadMs = 0 }]) =>
    isSkewed(clockAheadMs) ? [`that of the engine ${name} is ${formatSkew(clockAheadMs)} ours`] : [],
  );
  if (wrong.length === 0) return undefined;
  return suspect('docker_clock_skewed', {
    summary: 'the clock of Docker differs from that of subnetd',
    evidence: `by the times of their answers, ${listNames(wrong)}`,
    fix: 'see on both machines which clock is wrong with `chronyc tracking`, and set it with `chronyc makestep`; until then the times of containers and of their log lines are wrong by as much',
  });
}

const enginesOf = ({ engines }: SetupObservation) =>
  [...engines].flatMap(([name, engine]) => (engine.ok ? [[name, engine.value] as const] : []));

/** The containers of the compose projects of the inventory that neither this subnet nor another one names. */
export function listUnlisted({ targets, facts }: SubnetView): readonly (ListedContainer & { project: string })[] {
  const setup = facts.setup?.observation;
  if (setup === undefined || setup.engines.size === 0) return [];
  const findOwn = indexContainers(targets.map(({ state }) => state.target));
  // Nearly all are of this subnet, so few are looked for among those of all subnets.
  const isNamed = (engine: string, project: string, { name, service }: ListedContainer) =>
    findOwn({ name, project, service }, engine).length > 0 ||
    setup.named.some(
      (ref) =>
        engineOf(ref) === engine &&
        ('name' in ref ? ref.name === name : ref.project === project && ref.service === service),
    );
  // One that has done its work, or was never started, is not missed: the containers that deploy contracts end so.
  const isOver = ({ status, exitCode }: ListedContainer) =>
    status === 'created' || (status === 'exited' && exitCode === 0);
  return enginesOf(setup).flatMap(([engine, { projects }]) =>
    projects.flatMap(({ project, containers }) =>
      containers
        .filter((one) => !one.isIgnored && !isOver(one) && !isNamed(engine, project, one))
        .map((one) => ({ project, ...one })),
    ),
  );
}

function findUnlisted(view: SubnetView): Found {
  const unlisted = listUnlisted(view);
  const [first] = unlisted;
  if (first === undefined) return undefined;
  return suspect('containers_unlisted', {
    summary: 'the inventory lacks containers of its compose projects',
    evidence: `not in the inventory: ${listEach(unlisted, ({ name, status, exitCode }) => `${name} (${status}${exitCode === undefined ? '' : ` with code ${exitCode}`})`)}`,
    fix: `add what belongs to the subnet to the inventory, as with \`container: { project: ${first.project}, service: ${first.service} }\`; give anything else the label \`subnetd.ignore: "true"\` in docker-compose.yml`,
  });
}

export function findSetupProblems(view: SubnetView): readonly Found[] {
  const setup = view.facts.setup?.observation;
  if (setup === undefined) return [];
  const drifts = enginesOf(setup).flatMap(([, { projects }]) =>
    projects.flatMap(({ drift }) => (drift?.ok && drift.value) || []),
  );
  // The folder was compared with a container that another one has replaced, and is compared again within seconds.
  const isOld = drifts.length > 0 && view.targets.some((one) => 'container' in one.setup && !one.setup.container);
  const [drift] = isOld ? [] : drifts;
  return [
    ...findNodeDifferences(view),
    ...findExposures(view, setup),
    ...findContainerSetup(view),
    findClocks(setup),
    findUnlisted(view),
    drift && suspect('deployment_differs', { summary: 'the folder of the deployment is not what runs', ...drift }),
  ];
}
