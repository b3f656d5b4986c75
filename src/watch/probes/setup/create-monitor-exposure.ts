import { HOUR_MS } from '../../../lib/duration.ts';
import type { MonitorExposure } from '../../../model/exposure.ts';
import type { SetupResult } from '../../../model/setup.ts';

const AGAIN_MS = 300_000;

/**
 * Reads what subnetd shows at a port to anyone, for all subnets together: about once an hour, and after five minutes while
 * it is not known. `now` is watched time.
 */
export function createMonitorExposure(
  port: number,
  now: () => number,
  signal: AbortSignal,
): () => Promise<SetupResult<MonitorExposure>> {
  let last: Promise<SetupResult<MonitorExposure>> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  const read = async () => {
    const begun = now();
    const { readMonitorExposure } = await import('./read-monitor-exposure.ts');
    const result = await readMonitorExposure(port, signal);
    if (result.ok) until = begun + HOUR_MS;
    return result;
  };
  return () => {
    if (last === undefined || now() >= until) {
      until = now() + AGAIN_MS;
      const reading = read();
      last = reading;
      // What could not be loaded, for instance because no file descriptor was left, is loaded again at the next probe.
      reading.catch(() => {
        if (last === reading) last = undefined;
      });
    }
    return last;
  };
}
