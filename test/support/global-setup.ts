import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startEngine } from './engine.ts';
import { startPostgres } from './postgres.ts';

/** Starts one part for all tests of the run. What cannot start is said once; the tests that need it say why and fail. */
async function share(
  variable: string,
  what: string,
  start: () => Promise<{ readonly address: string; stop(): Promise<void> }>,
): Promise<() => Promise<void>> {
  if (process.env[variable]) return async () => {};
  try {
    const { address, stop } = await start();
    process.env[variable] = address;
    return stop;
  } catch (error) {
    console.warn(`no ${what} for this run: ${error instanceof Error ? error.message : error}`);
    return async () => {};
  }
}

/**
 * Starts one Docker Engine and one PostgreSQL for the whole run, which `useEngine` and `usePostgres` find by these variables,
 * and ends them with the run.
 */
export async function setup(): Promise<() => Promise<void>> {
  // It builds the program first if that is older than its sources. Else each of the first daemons would do so, all at once.
  const built = promisify(execFile)(`${import.meta.dirname}/../../bin/subnetd`, ['run', '--help']);
  const stops = await Promise.all([
    share('SUBNETD_TEST_DOCKER_SOCKET', 'Docker Engine', async () => {
      const { socketPath, stop } = await startEngine();
      return { address: socketPath, stop };
    }),
    share('SUBNETD_TEST_POSTGRES_URL', 'PostgreSQL', async () => {
      const { url, stop } = await startPostgres();
      return { address: url, stop };
    }),
  ]);
  await built;
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
