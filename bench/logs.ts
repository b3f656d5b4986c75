import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchContainerLog } from './log-container.ts';
import { benchFileLatency } from './log-latency.ts';
import { benchLogSpeed } from './log-speed.ts';
import { writeNodeLog } from './node-log.ts';

const BYTES = 500e6;

/** Logs: CPU time beside mtail's, following a container beside `docker logs`, and the time from a line to `/metrics`. */
export async function benchLogs() {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-bench-'));
  try {
    const log = join(folder, 'node.log');
    const { bytes } = writeNodeLog(log, BYTES);
    const besideMtail = benchLogSpeed(folder, log, bytes);
    const { followed, followedLive, latency } = await benchContainerLog();
    return {
      besideMtail,
      container: followed,
      containerWhileItPrints: followedLive,
      untilInMetrics: { file: await benchFileLatency(folder), container: latency },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
