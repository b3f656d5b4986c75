import type { EngineSetup, ProjectSetup, SetupResult } from '../../model/setup.ts';
import type { SetupTools } from './setup-tools.ts';

const DOCKER_MS = 5_000;

/** Lists the containers of compose projects of one engine, and compares its clock with ours. Never rejects. */
export async function readEngine(
  engine: string,
  projects: readonly string[],
  { docker, wall }: SetupTools,
  signal: AbortSignal,
): Promise<SetupResult<EngineSetup>> {
  const listed: ProjectSetup[] = [];
  let clockAheadMs: number | undefined;
  for (const project of projects.length === 0 ? [undefined] : projects) {
    const before = wall();
    const answer = await docker.listProject(engine, project, DOCKER_MS, signal);
    if (answer.kind !== 'listed') return { ok: false, why: 'Docker cannot be asked' };
    if (answer.engineMs !== undefined) clockAheadMs = answer.engineMs - (before + wall()) / 2;
    if (project !== undefined) listed.push({ project, containers: answer.containers });
  }
  return { ok: true, value: { ...(clockAheadMs !== undefined && { clockAheadMs }), projects: listed } };
}
