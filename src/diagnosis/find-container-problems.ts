import { formatDuration } from '../model/duration.ts';
import type { Known } from '../model/facts.ts';
import type { Container } from '../model/observation.ts';
import { findCrashes } from '../model/restart-cause.ts';
import type { ContainerRef } from '../model/target.ts';
import { explainAll } from './explain-checks.ts';
import type { Found } from './found.ts';
import type { ContainerView, SubnetView } from './subnet-view.ts';

/** Two crashes within this are a loop. */
const LOOP_MS = 10 * 60_000;

const describeRef = (ref: ContainerRef): string =>
  'name' in ref ? `the container ${ref.name}` : `the service ${ref.service} of the compose project ${ref.project}`;

const commandToCreate = (ref: ContainerRef): string =>
  'name' in ref ? `docker ps -a --filter name=${ref.name}` : `docker compose -p ${ref.project} up -d ${ref.service}`;

/** How a container ended, as the end of a sentence. */
function describeEnd({ exitCode, finishedAt, oomKilled }: Container, now: number): string {
  const ago = finishedAt === undefined ? '' : ` ${formatDuration(Math.max(0, now - finishedAt))} ago`;
  if (oomKilled) return `ended${ago} out of memory`;
  return exitCode === undefined ? `ended${ago}` : `ended${ago} with exit code ${exitCode}`;
}

function findProblem(known: Known, view: ContainerView, now: number): Found | undefined {
  const { target, facts } = known;
  const { component, name, container: ref } = target;
  if (ref === undefined) return undefined;
  const subject = { component, name, explains: explainAll(target), causes: [] };
  if (view.kind === 'missing')
    return {
      ...subject,
      problem: 'container_down',
      summary: `${name} has no container`,
      evidence: `Docker has no container for ${describeRef(ref)}`,
      fix: `create it: ${commandToCreate(ref)}`,
    };
  if (view.kind === 'unknown') return undefined;
  const { container } = view;
  if (view.kind === 'paused')
    return {
      ...subject,
      problem: 'container_paused',
      summary: `the container of ${name} is paused`,
      evidence: `Docker has paused ${container.name}, so its processes stand still`,
      fix: `docker unpause ${container.name}`,
    };
  const crashes = facts.container === undefined ? [] : findCrashes(facts.container).filter((at) => now - at < LOOP_MS);
  if (view.kind === 'restarting' || crashes.length > 1)
    return {
      ...subject,
      problem: 'container_restarting',
      summary: `the container of ${name} restarts again and again`,
      evidence: `${container.name} ${crashes.length > 1 ? `crashed ${crashes.length} times within 10 minutes` : describeEnd(container, now)}`,
      fix: `read why it ends: docker logs --tail 100 ${container.name}`,
    };
  if (view.kind === 'stopped')
    return {
      ...subject,
      problem: 'container_down',
      summary: `the container of ${name} does not run`,
      evidence: `${container.name} ${describeEnd(container, now)}`,
      fix: `docker start ${container.name}`,
    };
  return undefined;
}

/** Containers that do not run. Each explains all other checks of its target. */
export const findContainerProblems = ({ targets, containers, now }: SubnetView): readonly Found[] =>
  targets.flatMap((known) => findProblem(known, containers.get(known) ?? { kind: 'unknown' }, now) ?? []);
