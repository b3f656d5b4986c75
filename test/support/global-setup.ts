import { startEngine } from './engine.ts';

/**
 * Starts one Docker Engine for the whole run, which `useEngine` finds by `SUBNETD_TEST_DOCKER_SOCKET`, and ends it with the
 * run. Where it cannot start, the tests that need it say why and fail, and the others can still be run.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.SUBNETD_TEST_DOCKER_SOCKET) return undefined;
  try {
    const engine = await startEngine();
    process.env.SUBNETD_TEST_DOCKER_SOCKET = engine.socketPath;
    return engine.stop;
  } catch (error) {
    console.warn(`no Docker Engine for this run: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
