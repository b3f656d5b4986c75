import {
  type ContainerSetup,
  containerSetupOf,
  type EngineSetup,
  type ProjectSetup,
  type SetupPart,
  type SetupResult,
  type TargetSetup,
} from '../../../model/setup.ts';
import { type ContainerRef, engineOf, type Target } from '../../../model/target.ts';
import { compareFolder } from '../../import/compare-folder.ts';
import { readClient } from './read-client.ts';
import { readExposure } from './read-exposure.ts';
import { readQueueExposure } from './read-queue-exposure.ts';
import type { SetupTools } from './setup-tools.ts';

const DOCKER_MS = 5_000;

async function readContainer(
  ref: ContainerRef,
  { docker }: SetupTools,
  signal: AbortSignal,
): Promise<SetupResult<ContainerSetup>> {
  const answer = await docker.inspectSetup(ref, DOCKER_MS, signal);
  if (answer.kind === 'found') return { ok: true, value: answer.setup };
  return { ok: false, why: answer.kind === 'missing' ? 'it has no container' : 'Docker cannot be asked' };
}

/** Reads one part of how a target is set up; undefined when the inventory gives no way to it. Never rejects. */
type Reader<Part extends SetupPart> = (
  target: Target,
  tools: SetupTools,
  signal: AbortSignal,
) => Promise<TargetSetup[Part]>;

/** What reads each part. */
const readers: { readonly [Part in SetupPart]-?: Reader<Part> } = {
  client: async (target, _, signal) => (target.component === 'node' ? readClient(target, signal) : undefined),
  exposure: async (target, _, signal) => (target.component === 'node' ? readExposure(target, signal) : undefined),
  queues: async (target, _, signal) => (target.component === 'relayer' ? readQueueExposure(target, signal) : undefined),
  container: async ({ container }, tools, signal) => container && readContainer(container, tools, signal),
};

/** Reads how a target is set up. */
export async function readTarget(target: Target, tools: SetupTools, signal: AbortSignal): Promise<TargetSetup> {
  const parts = await Promise.all(
    Object.entries(readers).map(async ([part, read]) => [part, await read(target, tools, signal)] as const),
  );
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

/** Who answers so slowly is read again soon, until it does not. Nodes far away take less. */
const SLOW_MS = 1_000;

/** Who takes this long may be slow beside others: subnetd itself may have been busy, as at its start. */
const SUSPECT_MS = 100;

const takes = (ms: number, setup: TargetSetup | undefined): boolean =>
  setup?.client?.ok === true && setup.client.value.tookMs.some((took) => took >= ms);

/**
 * Whether what was read counts for an hour: all of it could be read, and nothing of it may have been chance. What took a while
 * counts when it did so the time `before`, too.
 */
export const isLasting = (setup: TargetSetup, before: TargetSetup | undefined): boolean =>
  Object.values(setup).every(({ ok }) => ok) &&
  !takes(SLOW_MS, setup) &&
  (!takes(SUSPECT_MS, setup) || takes(SUSPECT_MS, before));

/** Compares the folder of a project with the containers of these targets, and with all that the inventory names. */
async function readProject(
  engine: string,
  listed: ProjectSetup,
  targets: readonly Target[],
  { known, namedContainers }: SetupTools,
): Promise<ProjectSetup> {
  const { project, containers } = listed;
  const serviceOf = (ref: ContainerRef | undefined): string | undefined =>
    ref && 'project' in ref && ref.project === project && engineOf(ref) === engine ? ref.service : undefined;
  const made = targets.flatMap((target) => {
    const service = serviceOf(target.container);
    const container = containerSetupOf(known.get(target)?.setup ?? {});
    return service !== undefined && container?.origin ? [[service, container] as const] : [];
  });
  const folder = made[0]?.[1].origin?.folder;
  if (folder === undefined) return listed;
  const isKnown = (service: string) =>
    containers.some((one) => one.service === service) || namedContainers().some((ref) => serviceOf(ref) === service);
  const own = new Map(made.filter(([, { origin }]) => origin?.folder === folder));
  return { ...listed, drift: await compareFolder(project, folder, own, isKnown) };
}

/**
 * Lists the containers of compose projects of one engine, compares its clock with ours and the folders of the projects with the
 * containers of these targets, and asks who can reach it. Never rejects.
 */
export async function readEngine(
  engine: string,
  projects: readonly string[],
  targets: readonly Target[],
  tools: SetupTools,
  signal: AbortSignal,
): Promise<SetupResult<EngineSetup>> {
  const { docker, wall } = tools;
  const listed: ProjectSetup[] = [];
  let clockAheadMs: number | undefined;
  let plainAt: EngineSetup['plainAt'];
  for (const project of projects.length === 0 ? [undefined] : projects) {
    const before = wall();
    const answer = await docker.listProject(engine, project, DOCKER_MS, signal);
    if (answer.kind !== 'listed' || signal.aborted) return { ok: false, why: 'Docker cannot be asked' };
    if (answer.engineMs !== undefined) clockAheadMs = answer.engineMs - (before + wall()) / 2;
    plainAt = answer.plainAt;
    if (project !== undefined)
      listed.push(await readProject(engine, { project, containers: answer.containers }, targets, tools));
  }
  const openApis = await docker.listOpenApis(engine, DOCKER_MS, signal);
  return {
    ok: true,
    value: {
      ...(clockAheadMs !== undefined && { clockAheadMs }),
      ...(plainAt && { plainAt }),
      ...(openApis && { openApis }),
      projects: listed,
    },
  };
}
