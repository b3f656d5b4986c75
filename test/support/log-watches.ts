import { onTestFinished } from 'vitest';
import { createProcessClock } from '../../src/lib/clock.ts';
import { createDockerLinks } from '../../src/watch/docker/links.ts';
import { createLogWatches } from '../../src/watch/logs/create-log-watches.ts';
import { createMemoryPositions } from '../../src/watch/monitor/create-kept-values.ts';
import { foldLogHit } from '../../src/watch/rules/fold-logs.ts';

/** Log watches that forget everything when the test ends. */
export function useLogWatches() {
  const watches = createLogWatches({
    docker: createDockerLinks(() => {}),
    positions: createMemoryPositions(),
    clock: createProcessClock(),
    fold: foldLogHit,
    onNews: () => {},
  });
  onTestFinished(watches.stop);
  return watches;
}
