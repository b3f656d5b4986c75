import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a daemon before its own code (`--import`): at each SIGUSR2 it collects garbage and appends one line of JSON
 * to the file that `SUBNETD_TEST_RESOURCES` names, as `Resources`.
 */
export interface Resources {
  /** Bytes in use on the heap after a collection. */
  readonly heap: number;
  /** Bytes of buffers and what else is kept beside the heap. */
  readonly external: number;
  /** Timers that keep the process alive. */
  readonly timers: number;
}

const path = process.env.SUBNETD_TEST_RESOURCES;

if (path !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { heapUsed, external } = process.memoryUsage();
    const resources: Resources = { heap: heapUsed, external, timers };
    appendFileSync(path, `${JSON.stringify(resources)}\n`);
  });
}
