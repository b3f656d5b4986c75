import type { EngineSetup, ProjectSetup, SetupResult } from '../../../model/setup.ts';
import type { SetupTools } from './setup-tools.ts';

const DOCKER_MS = 5_000;

/** Lists the containers of compose projects of one engine, compares its clock with ours, and asks who can reach it. Never rejects. */
export async function readEngine(
  engine: string,
  projects: readonly string[],
  { docker, wall }: SetupTools,
  signal: AbortSignal,
): Promise<SetupResult<EngineSetup>> {
  const listed: ProjectSetup[] = [];
  let clockAheadMs: number | undefined;
  let plainAt: EngineSetup['plainAt'];
  for (const project of projects.length === 0 ? [undefined] : projects) {
    const before = wall();
    const answer = await docker.listProject(engine, project, DOCKER_MS, signal);
    if (answer.kind !== 'listed' || signal.aborted) return { ok: false, why: 'Docker cannot be asked' };
    if (answer.engineMs !== undefined) clockAheadMs = answer.engineMs - (before + wall()) / 2;
    plainAt = answer.plainAt;
    if (project !== undefined) listed.push({ project, containers: answer.containers });
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
